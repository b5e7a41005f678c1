// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

#include <cstdint>
#include <type_traits>

#include "ascendc/include/sim/float16_types.h"

namespace sim::hccl {
namespace {

// Integers are added and multiplied without sign, so that an overflow wraps around.
template <typename T>
T Sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return T(a + b);
  }
}

template <typename T>
T Product(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return T(a * b);
  }
}

// A NaN differs from itself; where b is one, no comparison holds and b is returned.
template <typename T>
T Larger(T a, T b) {
  return a > b || a != a ? a : b;
}

template <typename T>
T Smaller(T a, T b) {
  return a < b || a != a ? a : b;
}

template <typename T, T (*Combine)(T, T)>
void ForAll(T *into, const T *from, size_t count) {
  for (size_t i = 0; i < count; ++i) into[i] = Combine(into[i], from[i]);
}

template <typename T>
void ReduceAs(HcclReduceOp op, void *into, const void *from, size_t count) {
  auto *const a = static_cast<T *>(into);
  const auto *const b = static_cast<const T *>(from);
  switch (op) {
    case HCCL_REDUCE_SUM:
      return ForAll<T, Sum<T>>(a, b, count);
    case HCCL_REDUCE_PROD:
      return ForAll<T, Product<T>>(a, b, count);
    case HCCL_REDUCE_MAX:
      return ForAll<T, Larger<T>>(a, b, count);
    default:
      return ForAll<T, Smaller<T>>(a, b, count);
  }
}

using Reducer = void (*)(HcclReduceOp, void *, const void *, size_t);

Reducer ReducerOf(HcclDataType type) {
  switch (type) {
    case HCCL_DATA_TYPE_INT8:
      return ReduceAs<int8_t>;
    case HCCL_DATA_TYPE_INT16:
      return ReduceAs<int16_t>;
    case HCCL_DATA_TYPE_INT32:
      return ReduceAs<int32_t>;
    case HCCL_DATA_TYPE_INT64:
      return ReduceAs<int64_t>;
    case HCCL_DATA_TYPE_UINT8:
      return ReduceAs<uint8_t>;
    case HCCL_DATA_TYPE_UINT16:
      return ReduceAs<uint16_t>;
    case HCCL_DATA_TYPE_UINT32:
      return ReduceAs<uint32_t>;
    case HCCL_DATA_TYPE_UINT64:
      return ReduceAs<uint64_t>;
    case HCCL_DATA_TYPE_FP16:
      return ReduceAs<half>;
    case HCCL_DATA_TYPE_BFP16:
      return ReduceAs<bfloat16_t>;
    case HCCL_DATA_TYPE_FP32:
      return ReduceAs<float>;
    case HCCL_DATA_TYPE_FP64:
      return ReduceAs<double>;
    default:
      return nullptr;
  }
}

}  // namespace

bool Reducible(HcclDataType type) { return ReducerOf(type) != nullptr; }

void Reduce(HcclDataType type, HcclReduceOp op, void *into, const void *from, size_t count) {
  if (const Reducer reduce = ReducerOf(type); reduce != nullptr) reduce(op, into, from, count);
}

}  // namespace sim::hccl
