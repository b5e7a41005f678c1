// SPDX-License-Identifier: Apache-2.0
// The custom-op library of ONNX Runtime, which runs the CPU kernels. Only this file knows ONNX Runtime's
// types. The library is not linked to ONNX Runtime, which passes its functions in a table, so it serves every
// version from 1.17 on.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <sstream>
#include <thread>
#include <type_traits>

#include "onnxruntime_api.h"
#include "onnxruntime_node.h"
#include "op_cpu/common/copies/huge_pages.h"
#include "op_cpu/common/parallel/first_error.h"

#if __has_include(<onnxruntime/core/session/onnxruntime_c_api.h>)
#include <onnxruntime/core/session/onnxruntime_c_api.h>
#define AVO_ORT_HEADER
#elif __has_include(<onnxruntime_c_api.h>)
#include <onnxruntime_c_api.h>
#define AVO_ORT_HEADER
#endif
#ifdef AVO_ORT_HEADER
#define AVO_ORT_CHECK(name, slot) \
  static_assert(offsetof(::OrtApi, name) == (slot) * sizeof(void *), "slot of " #name);
AVO_ORT_SLOTS(AVO_ORT_CHECK)
#undef AVO_ORT_CHECK
static_assert(offsetof(::OrtCustomOp, CreateKernelV2) ==
              offsetof(avo::onnxruntime_face::OrtCustomOp, CreateKernelV2));
static_assert(offsetof(::OrtCustomOp, InferOutputShapeFn) ==
              offsetof(avo::onnxruntime_face::OrtCustomOp, InferOutputShapeFn));
#endif

namespace avo::onnxruntime_face {
namespace {

std::vector<void (*)(std::vector<NodeType> &)> &Registered() {
  static std::vector<void (*)(std::vector<NodeType> &)> functions;
  return functions;
}

struct ElementPair {
  DType dtype;
  ElementType element;
};

constexpr ElementPair kElements[] = {
    {DType::kFloat32, kFloat},     {DType::kFloat16, kFloat16},
    {DType::kBFloat16, kBFloat16}, {DType::kFloat64, kDouble},
    {DType::kInt8, kInt8},         {DType::kInt16, kInt16},
    {DType::kInt32, kInt32},       {DType::kInt64, kInt64},
    {DType::kUInt8, kUInt8},       {DType::kBool, ElementType::kBool},
};

int ToElement(DType dtype) {
  for (const ElementPair &pair : kElements) {
    if (pair.dtype == dtype) return pair.element;
  }
  throw std::invalid_argument("ONNX Runtime has no " + DTypeName(dtype));
}

DType FromElement(int element) {
  for (const ElementPair &pair : kElements) {
    if (pair.element == element) return pair.dtype;
  }
  return static_cast<DType>(-1);
}

// --- calls of the runtime's functions; a status that is not null becomes an exception ---

OrtStatus *MakeStatus(const Api *api, ErrorCode code, const std::string &text) {
  return api->Call<OrtStatus *>(kCreateStatus, static_cast<int>(code), text.c_str());
}

// Says whether a call succeeded, and releases its status.
bool Succeeded(const Api *api, OrtStatus *status) {
  if (status == nullptr) return true;
  api->Call<void>(kReleaseStatus, status);
  return false;
}

template <typename... Arguments>
bool Try(const Api *api, Slot slot, Arguments... arguments) {
  return Succeeded(api, api->Call<OrtStatus *>(slot, arguments...));
}

template <typename... Arguments>
void Need(const Api *api, Slot slot, Arguments... arguments) {
  OrtStatus *status = api->Call<OrtStatus *>(slot, arguments...);
  if (status == nullptr) return;
  const std::string text = api->Call<const char *>(kGetErrorMessage, const_cast<const OrtStatus *>(status));
  Succeeded(api, status);
  throw std::runtime_error(text);
}

// Turns an exception of `body` into a status that begins with the node's name, which name() gives. No
// exception may leave this library.
template <typename Name, typename Body>
OrtStatus *Guarded(const Api *api, const Name &name, const Body &body) {
  try {
    try {
      body();
      return nullptr;
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const std::invalid_argument &error) {
      return MakeStatus(api, kInvalidArgument, name() + ": " + error.what());
    } catch (const std::exception &error) {
      return MakeStatus(api, kFail, name() + ": " + error.what());
    }
  } catch (...) {
    // There may be no memory for the name.
    return api->Call<OrtStatus *>(kCreateStatus, static_cast<int>(kFail), "ascend_vision_ops: out of memory");
  }
}

// --- attributes ---

class KernelAttributes : public Attributes {
 public:
  KernelAttributes(const Api *api, const OrtKernelInfo *info) : api_(api), info_(info) {}

  std::optional<float> ReadFloat(const char *name) const override {
    float value = 0;
    if (!Try(api_, kKernelInfoGetAttribute_float, info_, name, &value)) return std::nullopt;
    return value;
  }
  std::optional<int64_t> ReadInt(const char *name) const override {
    int64_t value = 0;
    if (!Try(api_, kKernelInfoGetAttribute_int64, info_, name, &value)) return std::nullopt;
    return value;
  }
  std::optional<std::string> ReadString(const char *name) const override {
    size_t size = 0;  // including the final null
    if (!Try(api_, kKernelInfoGetAttribute_string, info_, name, static_cast<char *>(nullptr), &size)) {
      return std::nullopt;
    }
    std::string value(size, '\0');
    Need(api_, kKernelInfoGetAttribute_string, info_, name, value.data(), &size);
    value.resize(size - 1);
    return value;
  }
  std::optional<Shape> ReadInts(const char *name) const override {
    size_t size = 0;
    if (!Try(api_, kKernelInfoGetAttributeArray_int64, info_, name, static_cast<int64_t *>(nullptr), &size)) {
      return std::nullopt;
    }
    Shape values(size);
    if (size > 0) Need(api_, kKernelInfoGetAttributeArray_int64, info_, name, values.data(), &size);
    return values;
  }

 private:
  const Api *api_;
  const OrtKernelInfo *info_;
};

class InferAttributes : public Attributes {
 public:
  InferAttributes(const Api *api, const OrtShapeInferContext *context) : api_(api), context_(context) {}

  std::optional<float> ReadFloat(const char *name) const override {
    float value = 0;
    size_t bytes = 0;
    return Read(name, kAttributeFloat, &value, sizeof(value), &bytes) ? std::optional<float>(value)
                                                                      : std::nullopt;
  }
  std::optional<int64_t> ReadInt(const char *name) const override {
    int64_t value = 0;
    size_t bytes = 0;
    return Read(name, kAttributeInt, &value, sizeof(value), &bytes) ? std::optional<int64_t>(value)
                                                                    : std::nullopt;
  }
  std::optional<std::string> ReadString(const char *name) const override {
    char text[64] = {};
    size_t bytes = 0;
    if (!Read(name, kAttributeString, text, sizeof(text), &bytes) || text[0] == '\0') return std::nullopt;
    return text;
  }
  std::optional<Shape> ReadInts(const char *name) const override {
    int64_t values[64] = {};
    size_t bytes = 0;
    if (!Read(name, kAttributeInts, values, sizeof(values), &bytes)) return std::nullopt;
    return Shape(values, values + bytes / sizeof(int64_t));
  }

 private:
  bool Read(const char *name, AttributeType type, void *data, size_t length, size_t *bytes) const {
    const OrtOpAttr *attribute = nullptr;
    return Try(api_, kShapeInferContext_GetAttribute, context_, name, &attribute) &&
           Try(api_, kReadOpAttr, attribute, static_cast<int>(type), data, length, bytes);
  }

  const Api *api_;
  const OrtShapeInferContext *context_;
};

// --- shapes ---

// Releases a shape at the end of its scope.
struct OwnedTypeShape {
  const Api *api;
  OrtTypeShape *info = nullptr;
  explicit OwnedTypeShape(const Api *table) : api(table) {}
  OwnedTypeShape(const OwnedTypeShape &) = delete;
  OwnedTypeShape &operator=(const OwnedTypeShape &) = delete;
  ~OwnedTypeShape() {
    if (info != nullptr) api->Call<void>(kReleaseTensorTypeAndShapeInfo, info);
  }
};

Shape DimensionsOf(const Api *api, const OrtTypeShape *info) {
  size_t rank = 0;
  Need(api, kGetDimensionsCount, info, &rank);
  Shape shape(rank);
  Need(api, kGetDimensions, info, shape.data(), rank);
  return shape;
}

class InferShapes : public Shapes {
 public:
  InferShapes(const Api *api, OrtShapeInferContext *context, const NodeType &node)
      : api_(api), context_(context) {
    const auto *given = const_cast<const OrtShapeInferContext *>(context);
    size_t count = 0;
    Need(api, kShapeInferContext_GetInputCount, given, &count);
    for (size_t i = 0; i < count; ++i) {
      OrtTypeShape *found = nullptr;  // belongs to the context; null for an input that is left out
      inputs_.emplace_back();
      if (!Try(api, kShapeInferContext_GetInputTypeShape, given, i, &found) || found == nullptr) continue;
      const auto *info = const_cast<const OrtTypeShape *>(found);
      int element = 0;
      Need(api, kGetTensorElementType, info, &element);
      const Shape shape = DimensionsOf(api, info);
      std::vector<const char *> symbols(shape.size());
      Need(api, kGetSymbolicDimensions, info, symbols.data(), symbols.size());
      inputs_.back() = Described{FromElement(element), {}};
      for (size_t dim = 0; dim < shape.size(); ++dim) {
        inputs_.back()->dims.push_back({shape[dim], symbols[dim] == nullptr ? "" : symbols[dim]});
      }
    }
    for (const NodeType::Types &types : node.types) {
      if (Fits(types.inputs)) types_ = &types;
    }
    if (types_ == nullptr) throw std::invalid_argument("dtypes");
  }

  bool Has(size_t index) const override { return index < inputs_.size() && inputs_[index]; }

  const std::vector<Dim> &Like(size_t index) const override {
    if (!Has(index)) throw std::invalid_argument("input");
    return inputs_[index]->dims;
  }

  void Output(size_t index, const std::vector<Dim> &shape) override {
    // The runtime identifies a dimension without a value by its name, so each unknown dimension gets a new
    // name.
    static std::atomic<int64_t> unknown{0};
    std::vector<std::string> names;
    Shape values;
    for (const Dim &dim : shape) {
      names.push_back(dim.value >= 0        ? ""
                      : !dim.symbol.empty() ? dim.symbol
                                            : "ascend_vision_ops_" + std::to_string(unknown++));
      values.push_back(dim.value >= 0 ? dim.value : -1);
    }
    std::vector<const char *> symbols;
    for (const std::string &name : names) symbols.push_back(name.c_str());
    OwnedTypeShape made(api_);
    Need(api_, kCreateTensorTypeAndShapeInfo, &made.info);
    // Newer runtimes also take the type.
    Need(api_, kSetTensorElementType, made.info, ToElement(types_->outputs[index]));
    Need(api_, kSetDimensions, made.info, static_cast<const int64_t *>(values.data()), values.size());
    Need(api_, kSetSymbolicDimensions, made.info, symbols.data(), symbols.size());
    Need(api_, kShapeInferContext_SetOutputTypeShape, const_cast<const OrtShapeInferContext *>(context_),
         index, static_cast<const OrtTypeShape *>(made.info));
  }

 private:
  struct Described {
    DType dtype;
    std::vector<Dim> dims;
  };

  bool Fits(const std::vector<DType> &dtypes) const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i] && inputs_[i]->dtype != dtypes[i]) return false;
    }
    return true;
  }

  const Api *api_;
  OrtShapeInferContext *context_;
  std::vector<std::optional<Described>> inputs_;
  const NodeType::Types *types_ = nullptr;
};

// --- one call ---

// Runs ranges on the runtime's own threads, a few ranges for each core. A range has a number, and its bounds
// follow from it.
ParallelFor ThreadsOf(const Api *api, const OrtKernelContext *context) {
  return [api, context](int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)> &body) {
    constexpr int64_t kRangesPerThread = 4;
    const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
    const int64_t ranges = std::min(kRangesPerThread * cores, count / std::max<int64_t>(grain, 1));
    if (ranges <= 1) return SerialFor(count, grain, body);
    struct Job {
      const std::function<void(int64_t, int64_t)> &body;
      int64_t count, ranges;
      FirstError error;
    } job{body, count, ranges, {}};
    const auto run = [](void *data, size_t range) {
      Job &mine = *static_cast<Job *>(data);
      const auto number = static_cast<int64_t>(range);
      mine.error.Guard(
          [&] { mine.body(mine.count * number / mine.ranges, mine.count * (number + 1) / mine.ranges); });
    };
    Need(api, kKernelContext_ParallelFor, context, static_cast<void (*)(void *, size_t)>(run),
         static_cast<size_t>(ranges), size_t{0}, static_cast<void *>(&job));
    job.error.Rethrow();
  };
}

class Call : public Context {
 public:
  Call(const Api *api, OrtKernelContext *context)
      : api_(api), context_(context), threads_(ThreadsOf(api, context)) {
    Need(api, kKernelContext_GetInputCount, const_cast<const OrtKernelContext *>(context), &inputs_);
  }

  std::optional<Tensor> OptionalInput(size_t index) override {
    if (index >= inputs_) return std::nullopt;
    const OrtValue *value = nullptr;
    Need(api_, kKernelContext_GetInput, const_cast<const OrtKernelContext *>(context_), index, &value);
    if (value == nullptr) return std::nullopt;
    return View(const_cast<OrtValue *>(value));
  }

  Tensor Input(size_t index) override {
    std::optional<Tensor> tensor = OptionalInput(index);
    if (!tensor)
      throw std::invalid_argument("input " + std::to_string(index) + ": expected a tensor, got none");
    return *std::move(tensor);
  }

  void Output(size_t index, Tensor *output) override {
    OrtValue *value = nullptr;
    Need(api_, kKernelContext_GetOutput, context_, index, static_cast<const int64_t *>(output->shape.data()),
         output->shape.size(), &value);
    if (value == nullptr) return Scratch(output);
    const Tensor view = View(value);
    if (view.dtype != output->dtype) {
      throw std::runtime_error("output " + std::to_string(index) + ": expected " + DTypeName(output->dtype) +
                               ", got memory for " + DTypeName(view.dtype));
    }
    output->data = view.data;
    AdviseHugePages(output->data, output->numel() * DTypeSize(output->dtype));
  }

  void Scratch(Tensor *output) override {
    scratch_.emplace_back(static_cast<size_t>(output->numel() * DTypeSize(output->dtype) + 1));
    output->data = scratch_.back().data();
  }

  void Rows(size_t index, std::initializer_list<const Tensor *> sources, const Tensor *indices,
            int64_t count) override {
    const Tensor &first = **sources.begin();
    Tensor result{first.dtype, {count}, {}, nullptr};
    int64_t width = 0;  // elements of a row
    for (const Tensor *source : sources) {
      width += NumElements(Shape(source->shape.begin() + 1, source->shape.end()));
    }
    if (sources.size() > 1) {
      result.shape.push_back(width);
    } else {
      result.shape.insert(result.shape.end(), first.shape.begin() + 1, first.shape.end());
    }
    Output(index, &result);
    const int64_t size = DTypeSize(first.dtype);
    auto *to = static_cast<char *>(result.data);
    for (int64_t row = 0; row < count; ++row) {
      const int64_t from = indices == nullptr ? row : static_cast<const int64_t *>(indices->data)[row];
      for (const Tensor *source : sources) {
        const int64_t bytes = size * NumElements(Shape(source->shape.begin() + 1, source->shape.end()));
        if (bytes > 0) std::memcpy(to, static_cast<const char *>(source->data) + from * bytes, bytes);
        to += bytes;
      }
    }
  }

  const ParallelFor &threads() const override { return threads_; }

 private:
  Tensor View(OrtValue *value) {
    OwnedTypeShape shape(api_);
    Need(api_, kGetTensorTypeAndShape, static_cast<const OrtValue *>(value), &shape.info);
    int element = 0;
    Need(api_, kGetTensorElementType, static_cast<const OrtTypeShape *>(shape.info), &element);
    Tensor tensor{FromElement(element), DimensionsOf(api_, shape.info), {}, nullptr};
    tensor.strides = ContiguousStrides(tensor.shape);
    Need(api_, kGetTensorMutableData, value, &tensor.data);
    return tensor;
  }

  const Api *api_;
  OrtKernelContext *context_;
  ParallelFor threads_;
  size_t inputs_ = 0;
  std::deque<std::vector<char>> scratch_;
};

// --- operators ---

struct Kernel {
  const Api *api;
  std::string name;
  Compute compute;
};

// A node with one combination of dtypes. `ort`, what the runtime sees of it, is the first member, so that a
// pointer to it is also a pointer to this object.
struct Operator {
  OrtCustomOp ort;
  const Api *api;
  const NodeType *node;
  const NodeType::Types *types;

  std::string name() const { return std::string(node->domain) + "::" + node->name; }
};
static_assert(std::is_standard_layout_v<Operator>);

const Operator &Of(const OrtCustomOp *op) { return *reinterpret_cast<const Operator *>(op); }

OrtStatus *CreateKernel(const OrtCustomOp *op, const Api *api, const OrtKernelInfo *info, void **kernel) {
  const Operator &self = Of(op);
  return Guarded(
      api, [&] { return self.name(); },
      [&] { *kernel = new Kernel{api, self.name(), self.node->prepare(KernelAttributes(api, info))}; });
}

OrtStatus *RunKernel(void *kernel, OrtKernelContext *context) {
  const Kernel &self = *static_cast<const Kernel *>(kernel);
  return Guarded(
      self.api, [&] { return self.name; },
      [&] {
        Call call(self.api, context);
        self.compute(call);
      });
}

// Infers what can be known before the data are there and leaves the rest open. It reports no errors, because
// the runtime would drop them; creation and compute report them.
OrtStatus *InferShape(const OrtCustomOp *op, OrtShapeInferContext *context) {
  const Operator &self = Of(op);
  try {
    InferShapes shapes(self.api, context, *self.node);
    self.node->infer(InferAttributes(self.api, context), shapes);
  } catch (...) {
    return nullptr;
  }
  return nullptr;
}

// Before a runtime asks for shapes, it reads the type of each input. Older runtimes also do so for an input
// that is left out, and crash; 1.24 does not.
bool AsksSafely(const char *version) {
  int major = 0, minor = 0;
  return std::sscanf(version, "%d.%d", &major, &minor) == 2 && (major > 1 || minor >= 24);
}

Operator MakeOperator(const Api *api, const NodeType &node, const NodeType::Types &types, bool asks_safely) {
  OrtCustomOp ort{};
  ort.version = kApiVersion;
  ort.GetName = [](const OrtCustomOp *op) { return Of(op).node->name; };
  ort.GetExecutionProviderType = [](const OrtCustomOp *) -> const char * { return "CPUExecutionProvider"; };
  ort.GetInputType = [](const OrtCustomOp *op, size_t i) { return ToElement(Of(op).types->inputs[i]); };
  ort.GetInputTypeCount = [](const OrtCustomOp *op) { return Of(op).types->inputs.size(); };
  ort.GetOutputType = [](const OrtCustomOp *op, size_t i) { return ToElement(Of(op).types->outputs[i]); };
  ort.GetOutputTypeCount = [](const OrtCustomOp *op) { return Of(op).types->outputs.size(); };
  ort.KernelDestroy = [](void *kernel) { delete static_cast<Kernel *>(kernel); };
  ort.GetInputCharacteristic = [](const OrtCustomOp *op, size_t i) {
    return Of(op).node->optional[i] ? kOptionalTensor : kRequiredTensor;
  };
  ort.GetOutputCharacteristic = [](const OrtCustomOp *, size_t) { return kRequiredTensor; };
  ort.GetInputMemoryType = [](const OrtCustomOp *, size_t) { return 0; };
  ort.CreateKernelV2 = CreateKernel;
  ort.KernelComputeV2 = RunKernel;
  const auto &optional = node.optional;
  const bool all_there = std::find(optional.begin(), optional.end(), true) == optional.end();
  if (all_there || asks_safely) ort.InferOutputShapeFn = InferShape;
  return {ort, api, &node, &types};
}

// The nodes of one runtime, by domain. They are never freed, because sessions keep pointers to them.
struct Domain {
  std::deque<Operator> operators;
  OrtCustomOpDomain *ort = nullptr;
};

const std::vector<NodeType> &Nodes() {
  static const std::vector<NodeType> nodes = [] {
    std::vector<NodeType> all;
    for (const auto add : Registered()) add(all);
    return all;
  }();
  return nodes;
}

OrtCustomOpDomain *DomainOf(const Api *api, const std::string &name, bool asks_safely) {
  static std::mutex mutex;
  static auto &domains = *new std::map<std::pair<const Api *, std::string>, Domain>;
  const std::lock_guard<std::mutex> lock(mutex);
  Domain &domain = domains[{api, name}];
  if (domain.ort != nullptr) return domain.ort;
  OrtCustomOpDomain *made = nullptr;
  Need(api, kCreateCustomOpDomain, name.c_str(), &made);
  for (const NodeType &node : Nodes()) {
    if (name != node.domain) continue;
    for (const NodeType::Types &types : node.types) {
      domain.operators.push_back(MakeOperator(api, node, types, asks_safely));
      Need(api, kCustomOpDomain_Add, made, static_cast<const OrtCustomOp *>(&domain.operators.back().ort));
    }
  }
  domain.ort = made;
  return made;
}

// The domains that the session option names, separated by commas; all domains without the option.
std::vector<std::string> WantedDomains(const Api *api, const OrtSessionOptions *options) {
  constexpr const char *kKey = "ascend_vision_ops.domains";
  std::vector<std::string> known, wanted;
  for (const NodeType &node : Nodes()) {
    if (std::find(known.begin(), known.end(), node.domain) == known.end()) known.emplace_back(node.domain);
  }
  int given = 0;
  Need(api, kHasSessionConfigEntry, options, kKey, &given);
  if (given == 0) return known;
  size_t size = 0;
  Try(api, kGetSessionConfigEntry, options, kKey, static_cast<char *>(nullptr), &size);
  std::string text(size, '\0');
  Need(api, kGetSessionConfigEntry, options, kKey, text.data(), &size);
  std::istringstream names(text.c_str());
  for (std::string name; std::getline(names, name, ',');) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::ostringstream list;
      for (const std::string &each : known) list << (&each == known.data() ? "" : ", ") << each;
      throw std::invalid_argument(std::string(kKey) + ": expected some of " + list.str() + ", got " + name);
    }
    wanted.push_back(name);
  }
  return wanted;
}

}  // namespace

Registration::Registration(void (*add)(std::vector<NodeType> &)) { Registered().push_back(add); }

}  // namespace avo::onnxruntime_face

// The function that ONNX Runtime looks up in a custom-op library.
extern "C" __attribute__((visibility("default"))) avo::onnxruntime_face::OrtStatus *RegisterCustomOps(
    avo::onnxruntime_face::OrtSessionOptions *options, const avo::onnxruntime_face::ApiBase *base) {
  using namespace avo::onnxruntime_face;
  const Api *api = base->GetApi(kApiVersion);
  if (api == nullptr) {
    char text[128];
    std::snprintf(text, sizeof(text), "ascend_vision_ops: expected ONNX Runtime %s or newer, got %s",
                  kOldestRuntime, base->GetVersionString());
    return base->GetApi(1)->Call<OrtStatus *>(kCreateStatus, static_cast<int>(kNotImplemented),
                                              static_cast<const char *>(text));
  }
  return Guarded(
      api, [] { return std::string("ascend_vision_ops"); },
      [&] {
        const bool asks_safely = AsksSafely(base->GetVersionString());
        for (const std::string &name : WantedDomains(api, options)) {
          Need(api, kAddCustomOpDomain, options, DomainOf(api, name, asks_safely));
        }
      });
}
