// SPDX-License-Identifier: Apache-2.0
// Transpositions of a tensor [B, N, S, H/N] or [B, S, H] between the formats ND and NZ, and of a matrix.
// Matrices in the format NZ consist of fractals of 16 x 16 elements, and a width of H/N is padded to a
// multiple of 16.
//
//   0213        [B, N, S, H/N]  ──▶  [B, S, N, H/N]
//   WITH_N      [B, S, H]       ──▶  [B, N, S, H/N]
//   WITHOUT_N   [B, N, S, H/N]  ──▶  [B, S, H]
#pragma once

#include <vector>

#include "../../kernel_struct_transpose.h"
#include "../../kernel_tiling/sim_vector_tiling.h"
#include "../sim_permute.h"

namespace sim {

// The addresses of elements by their place in [B, N, S, H/N].
struct FractalShape {
  uint64_t b;
  uint64_t n;
  uint64_t s;
  uint64_t h;  // H/N

  static uint64_t Padded(uint64_t size) { return AlignUp(size, 16); }
  // Element (row, column) of a matrix of `rows` in the format NZ.
  static uint64_t InFractals(uint64_t rows, uint64_t row, uint64_t column) {
    return (column / 16 * rows + row) * 16 + column % 16;
  }
  uint64_t all() const { return n * h; }
  // [B, N, S, H/N] and [B, S, H], in NZ and in ND.
  uint64_t SplitNz(uint64_t i, uint64_t head, uint64_t row, uint64_t column) const {
    return (i * n + head) * Padded(h) * s + InFractals(s, row, column);
  }
  uint64_t SplitNd(uint64_t i, uint64_t head, uint64_t row, uint64_t column) const {
    return ((i * n + head) * s + row) * Padded(h) + column;
  }
  uint64_t WholeNz(uint64_t i, uint64_t head, uint64_t row, uint64_t column) const {
    return i * Padded(all()) * s + InFractals(s, row, head * h + column);
  }
  uint64_t WholeNd(uint64_t i, uint64_t head, uint64_t row, uint64_t column) const {
    return (i * s + row) * Padded(all()) + head * h + column;
  }
  // [B, S, N, H/N].
  uint64_t SwappedNd(uint64_t i, uint64_t head, uint64_t row, uint64_t column) const {
    return ((i * s + row) * n + head) * Padded(h) + column;
  }
  uint64_t SwappedNz(uint64_t i, uint64_t head, uint64_t row, uint64_t column) const {
    return (i * s + row) * Padded(h) * Padded(n) + InFractals(Padded(n), head, column);
  }
};

using FractalAddress = uint64_t (FractalShape::*)(uint64_t, uint64_t, uint64_t, uint64_t) const;

// Calls visit(element of the result, element of the source).
template <typename Visit>
void EachOf(const FractalShape &shape, FractalAddress to, FractalAddress from, const Visit &visit) {
  for (uint64_t i = 0; i < shape.b; ++i) {
    for (uint64_t head = 0; head < shape.n; ++head) {
      for (uint64_t row = 0; row < shape.s; ++row) {
        for (uint64_t column = 0; column < shape.h; ++column) {
          visit((shape.*to)(i, head, row, column), (shape.*from)(i, head, row, column));
        }
      }
    }
  }
}

// The element of the source for each element of the result.
inline std::vector<int64_t> TransposeMap(AscendC::TransposeType type, const FractalShape &shape,
                                         Where where) {
  using Type = AscendC::TransposeType;
  std::vector<int64_t> map;
  const auto visit = [&](uint64_t to, uint64_t from) {
    if (to >= map.size()) map.resize(to + 1, kKeep);
    map[to] = static_cast<int64_t>(from);
  };
  const auto each = [&](FractalAddress to, FractalAddress from) { EachOf(shape, to, from, visit); };
  switch (type) {
    case Type::TRANSPOSE_NZ2ND_0213:
      each(&FractalShape::SwappedNd, &FractalShape::SplitNz);
      break;
    case Type::TRANSPOSE_NZ2NZ_0213:
      each(&FractalShape::SwappedNz, &FractalShape::SplitNz);
      break;
    case Type::TRANSPOSE_NZ2NZ_012_WITH_N:
      each(&FractalShape::SplitNz, &FractalShape::WholeNz);
      break;
    case Type::TRANSPOSE_NZ2ND_012_WITH_N:
      each(&FractalShape::SplitNd, &FractalShape::WholeNz);
      break;
    case Type::TRANSPOSE_NZ2ND_012_WITHOUT_N:
      each(&FractalShape::WholeNd, &FractalShape::SplitNz);
      break;
    case Type::TRANSPOSE_NZ2NZ_012_WITHOUT_N:
      each(&FractalShape::WholeNz, &FractalShape::SplitNz);
      break;
    case Type::TRANSPOSE_ND2ND_ONLY:
      for (uint64_t row = 0; row < shape.s; ++row) {
        for (uint64_t column = 0; column < shape.h; ++column) {
          visit(column * shape.s + row, row * shape.h + column);
        }
      }
      break;
    default:
      Core::Current().Fail(
          FaultKind::kOther, "Transpose", where,
          "transposeType " + std::to_string(static_cast<int>(type)) + " has no tiling on Atlas A2");
  }
  return map;
}

// The sizes in a tiling (sim/acl/include/tiling/vector/tensor_functions.h).
inline FractalShape ShapeIn(const AscendC::tiling::ConfusionTransposeTiling &tiling,
                            AscendC::TransposeType type) {
  using Type = AscendC::TransposeType;
  switch (type) {
    case Type::TRANSPOSE_NZ2ND_0213:
    case Type::TRANSPOSE_NZ2NZ_0213:
      return {tiling.param1, tiling.param2, tiling.param16, tiling.param17};
    case Type::TRANSPOSE_ND2ND_ONLY:
      return {1, 1, tiling.param1, tiling.param2};
    default:
      return {tiling.param0, tiling.param1, tiling.param2, tiling.param3};
  }
}

template <typename T>
void TransposeByTiling(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                       AscendC::TransposeType type, const AscendC::tiling::ConfusionTransposeTiling &tiling,
                       Where where) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Transpose: elements of 2 or 4 bytes on Atlas A2");
  const std::vector<int64_t> map = TransposeMap(type, ShapeIn(tiling, type), where);
  uint64_t read = 0;
  for (const int64_t from : map) read = std::max(read, static_cast<uint64_t>(std::max<int64_t>(from + 1, 0)));
  Permute({"Transpose", where}, dst, map.size(), src, read, [&](uint64_t i) { return map[i]; });
}

}  // namespace sim

namespace AscendC {

// The API has both names.
#define SIM_TRANSPOSE(Name)                                                                              \
  template <typename T>                                                                                  \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                      \
                              TransposeType transposeType, ConfusionTransposeTiling &tiling,             \
                              sim::Where where = sim::Where::Here()) {                                   \
    sim::TransposeByTiling(dst, src, transposeType, tiling, where);                                      \
  }                                                                                                      \
  template <typename T>                                                                                  \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                      \
                              const LocalTensor<uint8_t> &, TransposeType transposeType,                 \
                              ConfusionTransposeTiling &tiling, sim::Where where = sim::Where::Here()) { \
    sim::TransposeByTiling(dst, src, transposeType, tiling, where);                                      \
  }
SIM_TRANSPOSE(Transpose)
SIM_TRANSPOSE(ConfusionTranspose)
#undef SIM_TRANSPOSE

}  // namespace AscendC
