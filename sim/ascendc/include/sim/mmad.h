// SPDX-License-Identifier: Apache-2.0
// The matrix product of the cube unit. L0A holds rows of fractals, each row-major (ZZ); L0B rows of fractals,
// each column-major (ZN); L0C columns of fractals, each row-major (NZ). A fractal is 16 x 32 B, in L0C 16 x
// 16 values.
#pragma once

#include "../kernel_struct_mm.h"
#include "../kernel_tensor.h"
#include "operand.h"

namespace sim {

enum class CubeKind : uint8_t { kNone, kHalf, kBfloat16, kFloat, kInt8, kInt4 };

// The element types that Atlas A2 multiplies: C, A, B.
template <typename T, typename U, typename S>
constexpr CubeKind CubeKindOf() {
  if constexpr (!std::is_same_v<U, S>) return CubeKind::kNone;
  if constexpr (std::is_same_v<U, int8_t>)
    return std::is_same_v<T, int32_t> ? CubeKind::kInt8 : CubeKind::kNone;
  if constexpr (std::is_same_v<U, AscendC::int4b_t>)
    return std::is_same_v<T, int32_t> ? CubeKind::kInt4 : CubeKind::kNone;
  if constexpr (!std::is_same_v<T, float>) return CubeKind::kNone;
  if constexpr (std::is_same_v<U, half>) return CubeKind::kHalf;
  if constexpr (std::is_same_v<U, bfloat16_t>) return CubeKind::kBfloat16;
  return std::is_same_v<U, float> ? CubeKind::kFloat : CubeKind::kNone;
}

// Judges the product and computes it. bias: null where there is none. sparse: the filter holds two of four
// values, which the index of LoadDataWithSparse places (sim/sparse.h).
void Multiply(CubeKind kind, const LocalTensorBase &dst, const LocalTensorBase &fm,
              const LocalTensorBase &filter, const LocalTensorBase *bias, const AscendC::MmadParams &params,
              Where where, bool sparse = false);

}  // namespace sim
