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

void Keep(const char *reason) noexcept {
  try {
    Reason() = reason;
  } catch (...) {
    Reason().clear();  // there is no memory even for the reason
  }
}

// Exceptions end here, as C has none. Returns false where `work` throws one.
template <typename Work>
bool Done(const Work &work) {
  try {
    work();
    return true;
  } catch (const std::exception &error) {
    Keep(error.what());
  } catch (...) {
    Keep("the host code threw something that is no std::exception");
  }
  return false;
}

// What `make` returns, or nullptr where it throws.
template <typename Make>
const char *Answered(const Make &make) {
  return Done([&] { Answer() = make(); }) ? Answer().c_str() : nullptr;
}

ProjectCall &Of(void *call) { return *static_cast<ProjectCall *>(call); }

ProjectCall &Complete(void *call) {
  if (Of(call).incomplete) throw std::runtime_error("a tensor or an attribute of the call was refused");
  return Of(call);
}

// Returns 0. Where `add` throws it returns 1, and the call stays without what was to be added.
template <typename Add>
int Added(void *call, const Add &add) {
  if (Done(add)) return 0;
  Of(call).incomplete = true;
  return 1;
}

template <typename Set>
int AddAttribute(void *call, gert::RuntimeAttr::Kind kind, const Set &set) {
  return Added(call, [&] {
    gert::RuntimeAttr attribute;
    attribute.kind = kind;
    set(&attribute);
    Of(call).attributes.push_back(std::move(attribute));
  });
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
  void *call = nullptr;
  Done([&] { call = new ProjectCall(LoadProject(library), type); });
  return call;
}

void simCallFree(void *call) { delete static_cast<ProjectCall *>(call); }

int simCallParameter(void *call, int result) {
  return Added(call, [&] {
    gert::NodeTensors &side = result != 0 ? Of(call).outputs : Of(call).inputs;
    side.AddParameter();
    Of(call).filled = &side;
  });
}

int simCallTensor(void *call, int dtype, int format, const int64_t *shape, size_t rank, const void *values) {
  return Added(call, [&] {
    gert::NodeTensors *side = Of(call).filled;
    if (side == nullptr) throw std::runtime_error("simCallTensor: expected simCallParameter before it");
    gert::Shape sizes;
    for (size_t i = 0; i < rank; ++i) sizes.AppendDim(shape[i]);
    side->AddTensor({sizes, {static_cast<ge::DataType>(dtype), static_cast<ge::Format>(format)}})
        .SetValues(values);
  });
}

int simCallInt(void *call, int64_t value) {
  return AddAttribute(call, Kind::kInt, [&](auto *attribute) { attribute->number = value; });
}
int simCallFloat(void *call, float value) {
  return AddAttribute(call, Kind::kFloat, [&](auto *attribute) { attribute->real = value; });
}
int simCallBool(void *call, int value) {
  return AddAttribute(call, Kind::kBool, [&](auto *attribute) { attribute->flag = value != 0; });
}
int simCallString(void *call, const char *value) {
  return AddAttribute(call, Kind::kString, [&](auto *attribute) { attribute->text = value; });
}
int simCallInts(void *call, const int64_t *values, size_t count) {
  return AddAttribute(call, Kind::kInts, [&](auto *attribute) { attribute->ints = {values, count}; });
}
int simCallFloats(void *call, const float *values, size_t count) {
  return AddAttribute(call, Kind::kFloats, [&](auto *attribute) { attribute->reals = {values, count}; });
}
int simCallBools(void *call, const unsigned char *values, size_t count) {
  const auto *flags = reinterpret_cast<const bool *>(values);
  return AddAttribute(call, Kind::kBools, [&](auto *attribute) { attribute->flags = {flags, count}; });
}

const char *simCallInfer(void *call) {
  return Answered([&] { return InferenceText(Complete(call)); });
}

const char *simCallTile(void *call) {
  return Answered([&] { return TilingText(Complete(call).Tile()); });
}

int simCallLaunch(void *call, const char *kernel, const char *cores, const SimBuffer *buffers, size_t count) {
  const bool done =
      Done([&] { LaunchKernel(Complete(call).Tiling(), kernel, cores, {buffers, buffers + count}); });
  return done ? 0 : 1;
}

}  // extern "C"
