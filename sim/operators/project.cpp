// SPDX-License-Identifier: Apache-2.0
// The C interface of operators/project.h.
#include "operators/project.h"

#include <stdexcept>

#include "project_call.h"
#include "project_launch.h"

namespace sim::operators {
namespace {

std::string &Answer() {
  thread_local std::string text;
  return text;
}

std::string &Reason() {
  thread_local std::string text;
  return text;
}

// What `make` returns, or nullptr where it throws.
template <typename Make>
const char *Answered(const Make &make) {
  try {
    Answer() = make();
    return Answer().c_str();
  } catch (const std::exception &error) {
    Reason() = error.what();
    return nullptr;
  }
}

ProjectCall &Of(void *call) { return *static_cast<ProjectCall *>(call); }

gert::RuntimeAttr &AddAttribute(void *call, gert::RuntimeAttr::Kind kind) {
  gert::RuntimeAttr &attribute = Of(call).attributes.emplace_back();
  attribute.kind = kind;
  return attribute;
}

std::string InferenceText(const ProjectCall &call) {
  bool shapes_known = false;
  std::string text;
  for (const gert::Tensor &tensor : call.Infer(&shapes_known)) {
    std::string sizes;
    const gert::Shape &shape = tensor.GetOriginShape();
    for (size_t i = 0; i < shape.GetDimNum(); ++i) sizes += (i == 0 ? "" : ",") + std::to_string(shape[i]);
    const bool known = tensor.GetDataType() != ge::DT_UNDEFINED;
    text += (text.empty() ? "" : ",") + std::string("{\"dtype\":") +
            (known ? std::to_string(tensor.GetDataType()) : "null") +
            ",\"shape\":" + (shapes_known ? "[" + sizes + "]" : "null") + "}";
  }
  return "{\"tensors\":[" + text + "]}";
}

std::string Hex(const gert::TilingData &data) {
  static const char digits[] = "0123456789abcdef";
  const auto *bytes = static_cast<const unsigned char *>(data.GetData());
  std::string text;
  for (size_t i = 0; i < data.GetDataSize(); ++i) {
    text += digits[bytes[i] / 16];
    text += digits[bytes[i] % 16];
  }
  return text;
}

std::string TilingText(const gert::TilingResult &tiling) {
  return "{\"block_dim\":" + std::to_string(tiling.block_dim) + ",\"key\":" + std::to_string(tiling.key) +
         ",\"workspace\":" + std::to_string(WorkspaceBytes(tiling)) +
         ",\"schedule_mode\":" + std::to_string(tiling.schedule_mode) + ",\"tiling\":\"" + Hex(tiling.data) +
         "\"}";
}

}  // namespace
}  // namespace sim::operators

using namespace sim::operators;
using Kind = gert::RuntimeAttr::Kind;

extern "C" {

const char *simProjectError(void) { return Reason().c_str(); }

const char *simProjectLoad(const char *library) {
  return Answered([&] { return Json(LoadProject(library)); });
}

void *simCallNew(const char *library, const char *type) {
  try {
    return new ProjectCall(LoadProject(library), type);
  } catch (const std::exception &error) {
    Reason() = error.what();
    return nullptr;
  }
}

void simCallFree(void *call) { delete static_cast<ProjectCall *>(call); }

void simCallParameter(void *call, int result) {
  ProjectCall &of = Of(call);
  of.filled = result != 0 ? &of.outputs : &of.inputs;
  of.filled->parameters.push_back({of.filled->tensors.size(), 0});
}

void simCallTensor(void *call, int dtype, const int64_t *shape, size_t rank, const void *values) {
  gert::Shape sizes;
  for (size_t i = 0; i < rank; ++i) sizes.AppendDim(shape[i]);
  gert::NodeTensors &side = *Of(call).filled;
  side.tensors.push_back({sizes, {static_cast<ge::DataType>(dtype), ge::FORMAT_ND}});
  side.tensors.back().SetValues(values);
  side.parameters.back().count += 1;
}

void simCallInt(void *call, int64_t value) { AddAttribute(call, Kind::kInt).number = value; }
void simCallFloat(void *call, float value) { AddAttribute(call, Kind::kFloat).real = value; }
void simCallBool(void *call, int value) { AddAttribute(call, Kind::kBool).flag = value != 0; }
void simCallString(void *call, const char *value) { AddAttribute(call, Kind::kString).text = value; }
void simCallInts(void *call, const int64_t *values, size_t count) {
  AddAttribute(call, Kind::kInts).ints = {values, count};
}
void simCallFloats(void *call, const float *values, size_t count) {
  AddAttribute(call, Kind::kFloats).reals = {values, count};
}
void simCallBools(void *call, const unsigned char *values, size_t count) {
  AddAttribute(call, Kind::kBools).flags = {reinterpret_cast<const bool *>(values), count};
}

const char *simCallInfer(void *call) {
  return Answered([&] { return InferenceText(Of(call)); });
}

const char *simCallTile(void *call) {
  return Answered([&] { return TilingText(Of(call).Tile()); });
}

int simCallLaunch(void *call, const char *kernel, const char *cores, const SimBuffer *buffers, size_t count) {
  const char *done = Answered([&] {
    LaunchKernel(Of(call).Tiling(), kernel, cores, {buffers, buffers + count});
    return std::string();
  });
  return done == nullptr ? 1 : 0;
}

}  // extern "C"
