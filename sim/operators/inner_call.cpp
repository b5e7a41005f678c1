// SPDX-License-Identifier: Apache-2.0
// What CANN's nnopbase does behind an entry point that opbuild made:
//
//   tensors ──▶ null? ──▶ device and row of the definition's table? ──▶ tiling ──▶ kernel of these dtypes
//                                                                                      │
//   executor: copies of inputs that are not dense ──▶ kernel ◀─────────────────────────┘
//
// Results are written dense from their first element on, whatever their strides say.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "ascendc/engine/launch.h"
#include "opbase/arrays.h"
#include "operators/inner_entry.h"
#include "registry.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "sim/op_plan.h"
#include "workspace.h"

namespace sim::operators {
namespace {

using opbase::TensorState;
using runtime::Text;

constexpr aclnnStatus kParamNullptr = 161001;
constexpr aclnnStatus kParamInvalid = 161002;
constexpr aclnnStatus kInner = 561000;
constexpr aclnnStatus kTilingError = 561002;
constexpr aclnnStatus kFindKernelError = 561003;

// What ends a first phase: its code, and the message.
struct Refusal {
  aclnnStatus code;
  std::string text;
};

// Formats that say how dimensions are called are taken as ND, unless a definition asks for strict formats.
ge::Format Matched(aclFormat format) {
  switch (static_cast<int>(format)) {
    case ge::FORMAT_NCHW:
    case ge::FORMAT_NHWC:
    case ge::FORMAT_NCL:
    case ge::FORMAT_NCDHW:
    case ge::FORMAT_DHWCN:
      return ge::FORMAT_ND;
    default:
      return static_cast<ge::Format>(format);
  }
}

gert::Tensor Described(const TensorState &state) {
  gert::Shape shape;
  for (const int64_t size : state.shape) shape.AppendDim(size);
  return {shape, {static_cast<ge::DataType>(state.dtype), Matched(state.format)}};
}

gert::NodeTensors Described(const std::vector<const aclTensor *> &tensors) {
  gert::NodeTensors described;
  for (const aclTensor *tensor : tensors) {
    described.AddParameter();
    if (tensor != nullptr) described.AddTensor(Described(*tensor->state));
  }
  return described;
}

// ascend910b is the device Ascend910B1; ascend910 is not.
bool IsDevice(const std::string &soc, const std::string &device) {
  std::string name = device;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.compare(0, soc.size(), soc) == 0 &&
         std::all_of(name.begin() + static_cast<long>(soc.size()), name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string ShapeText(const gert::Shape &shape) {
  std::string text;
  for (size_t i = 0; i < shape.GetDimNum(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return "[" + text + "]";
}

}  // namespace

struct InnerCall::Impl {
  explicit Impl(const OperatorRule &rule) : rule(rule) {}

  const OperatorRule &rule;
  std::vector<const aclTensor *> inputs;
  std::vector<const aclTensor *> outputs;
  std::vector<gert::RuntimeAttr> attributes;
  OperatorType type;

  gert::RuntimeAttr *AddAttribute(gert::RuntimeAttr::Kind kind) {
    attributes.emplace_back();
    attributes.back().kind = kind;
    return &attributes.back();
  }

  // All tensors of a call beside the rules of the definition, inputs first.
  template <typename Visit>
  void ForEachTensor(const Visit &visit) const {
    for (size_t i = 0; i < inputs.size(); ++i) visit(inputs[i], rule.inputs[i], i);
    for (size_t i = 0; i < outputs.size(); ++i) visit(outputs[i], rule.outputs[i], inputs.size() + i);
  }

  std::vector<ge::DataType> Dtypes() const {
    std::vector<ge::DataType> dtypes;
    ForEachTensor([&](const aclTensor *tensor, const TensorRule &, size_t) {
      dtypes.push_back(tensor == nullptr ? ge::DT_UNDEFINED
                                         : static_cast<ge::DataType>(tensor->state->dtype));
    });
    return dtypes;
  }

  void CheckPointers() const {
    ForEachTensor([](const aclTensor *tensor, const TensorRule &tensor_rule, size_t) {
      if (tensor == nullptr && tensor_rule.required) {
        throw Refusal{kParamNullptr, Text(tensor_rule.name, ": expected a tensor, got null")};
      }
    });
  }

  // As nnopbase, which does not look at optional tensors.
  bool FitsRow(size_t row) const {
    const Cell *cells = rule.cells + row * (rule.input_count + rule.output_count);
    bool fits = true;
    ForEachTensor([&](const aclTensor *tensor, const TensorRule &tensor_rule, size_t place) {
      if (!tensor_rule.required) return;
      fits = fits && static_cast<ge::DataType>(tensor->state->dtype) == cells[place].dtype &&
             Matched(tensor->state->format) == cells[place].format;
    });
    return fits;
  }

  void CheckTable() const {
    const std::string device = runtime::SocName();
    if (std::none_of(rule.socs, rule.socs + rule.soc_count,
                     [&](const char *soc) { return IsDevice(soc, device); })) {
      throw Refusal{kFindKernelError, Text("its definition has no configuration for ", device)};
    }
    for (size_t row = 0; row < rule.combinations; ++row) {
      if (FitsRow(row)) return;
    }
    std::string found;
    ForEachTensor([&](const aclTensor *tensor, const TensorRule &tensor_rule, size_t) {
      if (tensor == nullptr) return;
      found += Text(found.empty() ? "" : ", ", tensor_rule.name, " of dtype ", tensor->state->dtype,
                    " and format ", tensor->state->format);
    });
    throw Refusal{kParamInvalid, "expected dtypes and formats of its definition, got " + found};
  }

  bool NothingToDo() const {
    return std::all_of(outputs.begin(), outputs.end(), [](const aclTensor *tensor) {
      return tensor == nullptr || Described(*tensor->state).GetShapeSize() == 0;
    });
  }

  gert::TilingResult Tile() const {
    if (type.tiling == nullptr) {
      throw Refusal{kTilingError, "no library of the packages in ASCEND_CUSTOM_OPP_PATH has its tiling"};
    }
    gert::Node node(rule.type, Described(inputs), Described(outputs), attributes);
    gert::TilingResult result(kTilingCapacity);
    if (RunTiling(type, &node, &result) != ge::GRAPH_SUCCESS)
      throw Refusal{kTilingError, "its tiling failed"};
    if (result.block_dim == 0) throw Refusal{kTilingError, "its tiling set no blocks"};
    return result;
  }

  const Kernel &FindKernel() const {
    const std::vector<ge::DataType> dtypes = Dtypes();
    for (const KernelEntry &entry : type.kernels) {
      const bool fits =
          std::equal(dtypes.begin(), dtypes.end(), entry.dtypes.begin(), entry.dtypes.end(),
                     [](ge::DataType a, ge::DataType b) { return a == ge::DT_UNDEFINED || a == b; });
      if (fits) return *entry.kernel;
    }
    throw Refusal{kFindKernelError, "no kernel of its package has these dtypes"};
  }

  // Runs the inferences of graphs and compares the shapes that they find with this call's; for tests. A graph
  // may choose another dtype of a result than the caller, so that dtypes are not compared.
  void CheckInference() const {
    gert::NodeTensors found = Described(outputs);
    for (gert::Tensor &tensor : found.tensors) tensor = {};
    gert::Node node(rule.type, Described(inputs), std::move(found), attributes);
    gert::InferShapeContext shapes(&node);
    gert::InferDataTypeContext dtypes(&node);
    if (type.infer_shape == nullptr || type.infer_shape(&shapes) != ge::GRAPH_SUCCESS ||
        type.infer_datatype == nullptr || type.infer_datatype(&dtypes) != ge::GRAPH_SUCCESS) {
      throw Refusal{kInner, "the inference of its results failed"};
    }
    const gert::NodeTensors given = Described(outputs);
    for (size_t i = 0; i < given.tensors.size(); ++i) {
      const gert::Shape &shape = node.outputs.tensors[i].GetOriginShape();
      if (shape != given.tensors[i].GetOriginShape()) {
        throw Refusal{kInner, Text(rule.outputs[i].name, ": the inference of shapes found ", ShapeText(shape),
                                   ", the caller's has ", ShapeText(given.tensors[i].GetOriginShape()))};
      }
    }
  }

  aclnnStatus MakeExecutor(uint64_t *workspace_size, aclOpExecutor **executor) const {
    OpPlan plan;
    if (NothingToDo()) return plan.Finish(workspace_size, executor);
    const gert::TilingResult tiling = Tile();
    const Kernel &kernel = FindKernel();
    std::vector<int> slots;
    for (size_t i = 0; i < inputs.size(); ++i) {
      slots.push_back(rule.inputs[i].contiguous ? plan.Input(inputs[i])
                                                : plan.Dense(inputs[i], rule.inputs[i].name));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      slots.push_back(plan.Dense(outputs[i], rule.outputs[i].name));
    }
    slots.push_back(AddWorkspace(tiling, kernel, &plan));
    plan.Launch(kernel, tiling.block_dim, tiling.key, tiling.data.GetData(), tiling.data.GetDataSize(),
                slots);
    return plan.Finish(workspace_size, executor);
  }

  // The library's part of a workspace comes first; the kernel of the simulated device gets what follows.
  int AddWorkspace(const gert::TilingResult &tiling, const Kernel &kernel, OpPlan *plan) const {
    const uint64_t bytes = std::accumulate(tiling.workspaces.begin(), tiling.workspaces.end(), uint64_t{0});
    try {
      return plan->Workspace(bytes, BytesOfLibrary(bytes, kernel.type != KernelType::kVector));
    } catch (const std::runtime_error &error) {
      throw Refusal{kTilingError, error.what()};
    }
  }
};

InnerCall::InnerCall(const OperatorRule &rule) : impl_(std::make_unique<Impl>(rule)) {}

InnerCall::~InnerCall() = default;

void InnerCall::Input(const aclTensor *tensor) { impl_->inputs.push_back(tensor); }

void InnerCall::Output(const aclTensor *tensor) { impl_->outputs.push_back(tensor); }

void InnerCall::Attribute(int64_t value) {
  impl_->AddAttribute(gert::RuntimeAttr::Kind::kInt)->number = value;
}

void InnerCall::Attribute(float value) { impl_->AddAttribute(gert::RuntimeAttr::Kind::kFloat)->real = value; }

void InnerCall::Attribute(bool value) { impl_->AddAttribute(gert::RuntimeAttr::Kind::kBool)->flag = value; }

void InnerCall::Attribute(const char *value) {
  impl_->AddAttribute(gert::RuntimeAttr::Kind::kString)->text = ge::AscendString(value);
}

void InnerCall::Attribute(const aclIntArray *value) {
  impl_->AddAttribute(gert::RuntimeAttr::Kind::kInts)->ints = {value->GetData(), value->Size()};
}

void InnerCall::Attribute(const aclFloatArray *value) {
  impl_->AddAttribute(gert::RuntimeAttr::Kind::kFloats)->reals = {value->GetData(), value->Size()};
}

void InnerCall::Attribute(const aclBoolArray *value) {
  impl_->AddAttribute(gert::RuntimeAttr::Kind::kBools)->flags = {value->GetData(), value->Size()};
}

aclnnStatus InnerCall::Plan(uint64_t *workspaceSize, aclOpExecutor **executor) {
  try {
    impl_->CheckPointers();
    impl_->CheckTable();
    impl_->type = FindType(impl_->rule.type);
    if (std::getenv("AVO_SIM_INFER") != nullptr) impl_->CheckInference();
    return impl_->MakeExecutor(workspaceSize, executor);
  } catch (const Refusal &refusal) {
    return runtime::Fail(refusal.code, impl_->rule.type, ": ", refusal.text);
  } catch (...) {
    return ReportException(kInner, impl_->rule.type);
  }
}

aclnnStatus RunInner(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream) {
  return RunPlan(workspace, workspaceSize, executor, stream);
}

}  // namespace sim::operators
