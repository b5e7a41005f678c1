// SPDX-License-Identifier: Apache-2.0
// The part of ONNX Runtime's C API, version 17, that the custom-op library calls. The API is a table of
// functions that only grows at its end. So the number of a slot is right for every runtime from 1.17 on, and
// no header is needed. Where ONNX Runtime's own header exists, onnxruntime.cpp checks each number against it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace avo::onnxruntime_face {

constexpr uint32_t kApiVersion = 17;
constexpr const char *kOldestRuntime = "1.17";

struct OrtStatus;
struct OrtSessionOptions;
struct OrtCustomOpDomain;
struct OrtKernelInfo;
struct OrtKernelContext;
struct OrtShapeInferContext;
struct OrtTypeShape;  // OrtTensorTypeAndShapeInfo
struct OrtValue;
struct OrtOpAttr;
struct OrtCustomOp;

// Calls a function of the table: `Slot<number, arguments…>`.
struct Api {
  void *slots[276];

  template <typename Result, typename... Arguments>
  Result Call(size_t slot, Arguments... arguments) const noexcept {
    return reinterpret_cast<Result (*)(Arguments...)>(slots[slot])(arguments...);
  }
};

struct ApiBase {
  const Api *(*GetApi)(uint32_t version);
  const char *(*GetVersionString)();
};

// AVO_ORT_SLOTS(X) expands to X(name, slot) for each function of the table that we call.
#define AVO_ORT_SLOTS(X)                       \
  X(CreateStatus, 0)                           \
  X(GetErrorMessage, 2)                        \
  X(CreateCustomOpDomain, 26)                  \
  X(CustomOpDomain_Add, 27)                    \
  X(AddCustomOpDomain, 28)                     \
  X(GetTensorMutableData, 51)                  \
  X(CreateTensorTypeAndShapeInfo, 57)          \
  X(SetTensorElementType, 58)                  \
  X(SetDimensions, 59)                         \
  X(GetTensorElementType, 60)                  \
  X(GetDimensionsCount, 61)                    \
  X(GetDimensions, 62)                         \
  X(GetSymbolicDimensions, 63)                 \
  X(GetTensorTypeAndShape, 65)                 \
  X(KernelInfoGetAttribute_float, 85)          \
  X(KernelInfoGetAttribute_int64, 86)          \
  X(KernelInfoGetAttribute_string, 87)         \
  X(KernelContext_GetInputCount, 88)           \
  X(KernelContext_GetInput, 90)                \
  X(KernelContext_GetOutput, 91)               \
  X(ReleaseStatus, 93)                         \
  X(ReleaseTensorTypeAndShapeInfo, 99)         \
  X(KernelInfoGetAttributeArray_int64, 163)    \
  X(HasSessionConfigEntry, 237)                \
  X(GetSessionConfigEntry, 238)                \
  X(ShapeInferContext_GetInputCount, 267)      \
  X(ShapeInferContext_GetInputTypeShape, 268)  \
  X(ShapeInferContext_GetAttribute, 269)       \
  X(ShapeInferContext_SetOutputTypeShape, 270) \
  X(SetSymbolicDimensions, 271)                \
  X(ReadOpAttr, 272)                           \
  X(KernelContext_ParallelFor, 274)

enum Slot : size_t {
#define AVO_ORT_SLOT(name, slot) k##name = slot,
  AVO_ORT_SLOTS(AVO_ORT_SLOT)
#undef AVO_ORT_SLOT
};

// The table that a library passes to the runtime; the same rule holds. These slots of 1.17 stay null: the
// first versions of creation and compute, the functions for variadic tensors, versions of operators, and
// aliases.
struct OrtCustomOp {
  uint32_t version;
  void *CreateKernel;
  const char *(*GetName)(const OrtCustomOp *op);
  const char *(*GetExecutionProviderType)(const OrtCustomOp *op);
  int (*GetInputType)(const OrtCustomOp *op, size_t index);
  size_t (*GetInputTypeCount)(const OrtCustomOp *op);
  int (*GetOutputType)(const OrtCustomOp *op, size_t index);
  size_t (*GetOutputTypeCount)(const OrtCustomOp *op);
  void *KernelCompute;
  void (*KernelDestroy)(void *kernel);
  int (*GetInputCharacteristic)(const OrtCustomOp *op, size_t index);
  int (*GetOutputCharacteristic)(const OrtCustomOp *op, size_t index);
  int (*GetInputMemoryType)(const OrtCustomOp *op, size_t index);
  void *variadic[4];
  OrtStatus *(*CreateKernelV2)(const OrtCustomOp *op, const Api *api, const OrtKernelInfo *info,
                               void **kernel);
  OrtStatus *(*KernelComputeV2)(void *kernel, OrtKernelContext *context);
  OrtStatus *(*InferOutputShapeFn)(const OrtCustomOp *op, OrtShapeInferContext *context);
  void *versions[2];
  void *aliases[4];
};

// ONNXTensorElementDataType has the numbers of onnx.TensorProto.DataType.
enum ElementType : int {
  kFloat = 1,
  kUInt8 = 2,
  kInt8 = 3,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kBFloat16 = 16,
};

enum ErrorCode : int { kFail = 1, kInvalidArgument = 2, kNotImplemented = 9 };

// OrtOpAttrType
enum AttributeType : int { kAttributeInt = 1, kAttributeInts = 2, kAttributeFloat = 3, kAttributeString = 5 };

constexpr int kRequiredTensor = 0, kOptionalTensor = 1;  // OrtCustomOpInputOutputCharacteristic

}  // namespace avo::onnxruntime_face
