// SPDX-License-Identifier: Apache-2.0
#include "op_host/common/tensors/tensor.h"

#include <algorithm>

namespace avo {
namespace {

struct DTypeInfo {
  DType dtype;
  const char *name;
  int64_t size;
};

constexpr DTypeInfo kDTypes[] = {
    {DType::kFloat32, "float32", 4},   {DType::kFloat16, "float16", 2}, {DType::kInt8, "int8", 1},
    {DType::kInt32, "int32", 4},       {DType::kUInt8, "uint8", 1},     {DType::kInt16, "int16", 2},
    {DType::kInt64, "int64", 8},       {DType::kFloat64, "float64", 8}, {DType::kBool, "bool", 1},
    {DType::kBFloat16, "bfloat16", 2},
};

// Other values of aclDataType, for messages alone: they have no size.
constexpr DTypeInfo kForeign[] = {
    {static_cast<DType>(7), "uint16", 0},       {static_cast<DType>(8), "uint32", 0},
    {static_cast<DType>(10), "uint64", 0},      {static_cast<DType>(13), "string", 0},
    {static_cast<DType>(16), "complex64", 0},   {static_cast<DType>(17), "complex128", 0},
    {static_cast<DType>(29), "int4", 0},        {static_cast<DType>(33), "complex32", 0},
    {static_cast<DType>(35), "float8_e5m2", 0}, {static_cast<DType>(36), "float8_e4m3fn", 0},
};

const DTypeInfo *Find(DType dtype) {
  for (const DTypeInfo &info : kDTypes) {
    if (info.dtype == dtype) return &info;
  }
  for (const DTypeInfo &info : kForeign) {
    if (info.dtype == dtype) return &info;
  }
  return nullptr;
}

}  // namespace

std::string DTypeName(DType dtype) {
  const DTypeInfo *info = Find(dtype);
  return info != nullptr ? info->name : "dtype " + std::to_string(static_cast<int32_t>(dtype));
}

int64_t DTypeSize(DType dtype) {
  const DTypeInfo *info = Find(dtype);
  return info != nullptr ? info->size : 0;
}

Shape ContiguousStrides(const Shape &shape) {
  Shape strides(shape.size(), 1);
  uint64_t step = 1;  // unsigned, because it may wrap around, as NumElements
  // As in torch, an extent of 0 counts as 1.
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = static_cast<int64_t>(step *= static_cast<uint64_t>(std::max<int64_t>(shape[i], 1)));
  return strides;
}

Shape ChannelsLastStrides(const Shape &shape) {
  const int64_t pixel = shape[1], row = shape[3] * pixel;
  return {shape[2] * row, 1, row, pixel};
}

}  // namespace avo
