// SPDX-License-Identifier: Apache-2.0
#include "project_call.h"

#include <dlfcn.h>

#include <mutex>
#include <stdexcept>

#include "log.h"

namespace sim::operators {
namespace {

std::runtime_error Failure(const std::string &type, const char *what) {
  const std::string reason = TakeErrors();
  return std::runtime_error(type + ": " + what + (reason.empty() ? "" : ": " + reason));
}

const ops::OpFacts *FactsOf(const Project &project, const std::string &type) {
  for (const auto &definition : project.definitions) {
    if (definition->Facts().type == type) return &definition->Facts();
  }
  throw std::runtime_error("the library defines no operator " + type);
}

// The functions of the definition, and those that IMPL_OP registered.
OperatorType FunctionsOf(const Project &project, const ops::OpFacts &facts) {
  OperatorType functions;
  const auto found = project.types.find(facts.type);
  if (found != project.types.end()) functions = found->second;
  if (facts.tiling != nullptr) functions.tiling = facts.tiling;
  if (facts.infer_shape != nullptr) functions.infer_shape = facts.infer_shape;
  if (facts.infer_datatype != nullptr) functions.infer_datatype = facts.infer_datatype;
  return functions;
}

void Load(const std::string &library, Project *project) {
  struct Loading {
    explicit Loading(Project *project) { LoadingProject() = project; }
    ~Loading() { LoadingProject() = nullptr; }  // after an exception of the library too
  };
  const Loading loading(project);
  // Functions for other devices may be missing, as long as nothing calls them.
  if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) == nullptr) throw std::runtime_error(dlerror());
}

}  // namespace

Project *&LoadingProject() {
  thread_local Project *project = nullptr;
  return project;
}

const Project &LoadProject(const std::string &library) {
  static std::mutex mutex;
  static auto *projects = new std::map<std::string, Project>;
  std::lock_guard<std::mutex> lock(mutex);
  const auto known = projects->find(library);
  if (known != projects->end()) return known->second;
  Project project;
  Load(library, &project);
  return projects->emplace(library, std::move(project)).first->second;
}

ProjectCall::ProjectCall(const Project &project, const std::string &type)
    : type_(type), facts_(FactsOf(project, type)), functions_(FunctionsOf(project, *facts_)) {}

// Without the values of inputs that the definition does not name: a device has those in its own memory.
gert::NodeTensors ProjectCall::WithValues(const gert::NodeTensors &tensors) const {
  gert::NodeTensors seen = tensors;
  for (size_t i = 0; i < seen.parameters.size() && i < facts_->inputs.size(); ++i) {
    const bool read = facts_->inputs[i]->Facts().values_on_host ||
                      functions_.values_on_host.count(static_cast<int32_t>(i)) != 0;
    const auto range = seen.parameters[i];
    for (size_t k = 0; k < range.count && !read; ++k) seen.tensors[range.first + k].SetValues(nullptr);
  }
  return seen;
}

std::vector<gert::Tensor> ProjectCall::Infer(bool *shapes_known) const {
  gert::NodeTensors found;
  for (size_t i = 0; i < facts_->outputs.size(); ++i) {
    found.AddParameter();
    found.AddTensor({});
  }
  gert::Node node(type_.c_str(), WithValues(inputs), std::move(found), attributes);
  gert::InferShapeContext shapes(&node);
  gert::InferDataTypeContext dtypes(&node);
  TakeErrors();
  *shapes_known = functions_.infer_shape != nullptr;
  if (*shapes_known && functions_.infer_shape(&shapes) != ge::GRAPH_SUCCESS) {
    throw Failure(type_, "the inference of shapes failed");
  }
  if (functions_.infer_datatype != nullptr && functions_.infer_datatype(&dtypes) != ge::GRAPH_SUCCESS) {
    throw Failure(type_, "the inference of dtypes failed");
  }
  if (functions_.same_dtype && !inputs.tensors.empty()) {
    for (gert::Tensor &tensor : node.outputs.tensors) {
      tensor.Desc().SetDataType(inputs.tensors.front().GetDataType());
    }
  }
  return node.outputs.tensors;
}

const gert::TilingResult &ProjectCall::Tile() {
  if (functions_.tiling == nullptr)
    throw std::runtime_error(
        type_ + ": its host sources have no tiling; is it in another operator's folder (host_sources=)?");
  gert::Node node(type_.c_str(), WithValues(inputs), outputs, attributes);
  gert::TilingResult result(std::max(functions_.tiling_capacity, kTilingCapacity));
  TakeErrors();
  if (RunTiling(functions_, &node, &result) != ge::GRAPH_SUCCESS) throw Failure(type_, "its tiling failed");
  if (result.block_dim == 0) throw Failure(type_, "its tiling set no blocks");
  return tiling_.emplace(std::move(result));
}

const gert::TilingResult &ProjectCall::Tiling() const {
  if (!tiling_) throw std::runtime_error(type_ + ": expected a tiling before a launch");
  return *tiling_;
}

}  // namespace sim::operators
