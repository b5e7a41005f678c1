// SPDX-License-Identifier: Apache-2.0
// The sizes of a product of the cube unit, where its elements lie, and which of them it reads.
#pragma once

#include <vector>

#include "fractals.h"
#include "mmad.h"

namespace sim {

constexpr uint32_t kSide = 16;        // rows and columns of a fractal of C
constexpr uint32_t kResultBytes = 4;  // float, int32_t

inline uint32_t ElementBits(CubeKind kind) {
  return kind == CubeKind::kFloat ? 32 : kind == CubeKind::kInt8 ? 8 : kind == CubeKind::kInt4 ? 4 : 16;
}

// The sizes of one product.
struct Shape {
  uint32_t m, n, k;
  uint32_t k_b;                   // k of B: half of it where B is sparse
  uint32_t bits;                  // of an element of A and B
  uint32_t k0;                    // k of a fractal
  uint32_t rows, columns, depth;  // fractals of m, n and k
  uint32_t pitch;                 // fractals of a row of fractals in L0A
  bool vector;                    // m = 1: A is k values in a row

  uint32_t width() const { return (bits + 7) / 8; }
  uint32_t BytesOf(uint32_t elements) const { return elements * bits / 8; }
  uint64_t OffsetA(uint32_t row, uint32_t index) const {
    if (vector) return BytesOf(index);
    return (uint64_t{row / kSide} * pitch + index / k0) * kFractalBytes + row % kSide * kBlockBytes +
           BytesOf(index % k0);
  }
  uint64_t OffsetB(uint32_t index, uint32_t column) const {
    return (uint64_t{index / k0} * columns + column / kSide) * kFractalBytes + column % kSide * kBlockBytes +
           BytesOf(index % k0);
  }
  uint64_t OffsetC(uint32_t row, uint32_t column) const {
    return (uint64_t{column / kSide} * rows * kSide + row) * kSide * kResultBytes +
           column % kSide * kResultBytes;
  }
};

inline Shape ShapeOf(CubeKind kind, const AscendC::MmadParams &params, bool sparse) {
  Shape shape{};
  shape.m = params.m;
  shape.n = params.n;
  shape.k = params.k;
  shape.k_b = sparse ? params.k / 2 : params.k;
  shape.bits = ElementBits(kind);
  shape.k0 = kBlockBytes * 8 / shape.bits;
  shape.rows = static_cast<uint32_t>(CeilDivide(params.m, kSide));
  shape.columns = static_cast<uint32_t>(CeilDivide(params.n, kSide));
  shape.depth = static_cast<uint32_t>(CeilDivide(params.k, shape.k0));
  const bool aligned = params.kDirectionAlign && kind == CubeKind::kFloat;
  shape.pitch = aligned ? static_cast<uint32_t>(AlignUp(shape.depth, 2)) : shape.depth;
  shape.vector = params.m == 1 && !sparse;
  return shape;
}

// The operands of A or B: whole fractals where all their elements are used, else the elements that are.
class Source {
 public:
  Source(const char *name, const LocalTensorBase &tensor) : operand_(LocalOperand(name, tensor, false)) {
    operand_.alignment = kFractalBytes;
  }

  void Whole(uint64_t bytes) { operand_.row_bytes = static_cast<uint32_t>(bytes); }

  // Adds runs of `run` bytes at the offsets that offset(outer, inner) gives.
  template <typename Offset>
  void Partly(uint32_t unit, uint64_t bytes, uint32_t outer, uint32_t inner, Offset &&offset) {
    map_.assign(CeilDivide(bytes / unit, 64), 0);
    for (uint32_t i = 0; i < outer; ++i) {
      for (uint32_t j = 0; j < inner; ++j) {
        const uint64_t element = offset(i, j) / unit;
        map_[element / 64] |= uint64_t{1} << (element % 64);
      }
    }
    operand_.row_bytes = static_cast<uint32_t>(bytes);
    operand_.element_bytes = static_cast<uint8_t>(unit);
    operand_.elements = map_.data();
  }

  const Operand &operand() const { return operand_; }

 private:
  Operand operand_;
  std::vector<uint64_t> map_;
};

inline void DescribeA(const Shape &shape, Source *source) {
  if (shape.vector) return source->Whole(shape.BytesOf(shape.k));
  const bool whole_k = shape.k % shape.k0 == 0;
  const uint64_t bytes = uint64_t{shape.rows} * shape.pitch * kFractalBytes;
  if (shape.m % kSide == 0 && whole_k && shape.pitch == shape.depth) return source->Whole(bytes);
  const uint32_t unit = whole_k ? kBlockBytes : shape.width();
  const uint32_t per_unit = unit * 8 / shape.bits;
  source->Partly(unit, bytes, shape.m, static_cast<uint32_t>(CeilDivide(shape.k, per_unit)),
                 [&](uint32_t row, uint32_t index) { return shape.OffsetA(row, index * per_unit); });
}

inline void DescribeB(const Shape &shape, Source *source) {
  const bool whole_k = shape.k_b % shape.k0 == 0;
  const uint64_t bytes = CeilDivide(shape.k_b, shape.k0) * shape.columns * kFractalBytes;
  if (shape.n % kSide == 0 && whole_k) return source->Whole(bytes);
  const uint32_t unit = whole_k ? kBlockBytes : shape.width();
  const uint32_t per_unit = unit * 8 / shape.bits;
  source->Partly(unit, bytes, shape.n, static_cast<uint32_t>(CeilDivide(shape.k_b, per_unit)),
                 [&](uint32_t column, uint32_t index) { return shape.OffsetB(index * per_unit, column); });
}

}  // namespace sim
