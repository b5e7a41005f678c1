// SPDX-License-Identifier: Apache-2.0
// Copies one factor of a Matmul object from GM to L0A or L0B. The outer dimension is m of the left factor and
// n of the right one. The matrix in GM has rows of k, or it is transposed: rows of the outer dimension, whose
// fractals are transposed on the way. It lies as rows (ND), or in columns of fractals (NZ):
//
//   NZ   |rows 0 to 15 of columns 0 to w - 1|rows 16 to 31|...|rows 0 to 15 of columns w to 2w - 1|...
//         w: columns of 32 bytes; the rows are a multiple of 16
#pragma once

#include "../adv_api/matmul/matmul_config.h"

namespace sim {

template <typename T, AscendC::TPosition l1, AscendC::TPosition l0, CubeFormat format>
class MatmulFactor {
 public:
  static constexpr bool kLeft = l0 == AscendC::TPosition::A2;

  // The k of one product, the products whose operands a copy to L1 holds, and the buffers of each memory.
  void Init(AscendC::TPipe *pipe, uint32_t outer, uint32_t base_k, uint32_t step, uint32_t l1_buffers,
            uint32_t l0_buffers, Where where) {
    base_k_ = base_k;
    step_ = step;
    prefetch_ = l1_buffers > 1;
    pipe->InitBuffer(l1_, prefetch_ ? 2 : 1, outer * base_k * step * sizeof(T), where);
    pipe->InitBuffer(l0_, l0_buffers > 1 ? 2 : 1, outer * base_k * sizeof(T), where);
  }

  // The matrix in GM: `rows` rows of `pitch` elements.
  void Set(const AscendC::GlobalTensor<T> &gm, bool k_contiguous, uint64_t rows, uint64_t pitch) {
    gm_ = gm;
    // A single column is contiguous as well.
    k_contiguous_ = k_contiguous || (pitch == 1 && !kFractals);
    pitch_ = k_contiguous_ && !k_contiguous ? 0 : pitch;
    rows_ = AlignUp(rows, kFractalRows);
  }
  bool k_contiguous() const { return k_contiguous_; }

  // Starts a tile: [first, first + outer) of the outer dimension, and k values of k from `first_k` on.
  void Begin(uint32_t first, uint32_t outer, uint32_t k, uint32_t first_k) {
    first_ = first;
    first_k_ = first_k;
    outer_ = outer;
    k_ = k;
    padded_ = static_cast<uint32_t>(AlignUp(outer, k_contiguous_ ? kFractalRows : kSquare));
    queued_ = 0;
  }

  // Returns the operand of product `index` in L0. Call Free when the product is issued.
  AscendC::LocalTensor<T> Take(uint32_t index, Where where) {
    const uint32_t chunk = index / step_;
    if (index % step_ == 0) {
      if (queued_ == chunk) CopyIn(where);
      chunk_ = l1_.template DeQue<T>(where);
      if (prefetch_ && queued_ * step_ * base_k_ < k_) CopyIn(where);
    }
    auto to = l0_.template AllocTensor<T>(where);
    const uint32_t offset = index % step_ * base_k_;
    Load(to, offset, Depth(index), ChunkDepth(chunk), where);
    l0_.EnQue(to, where);
    if (index % step_ == step_ - 1 || (index + 1) * base_k_ >= k_) l1_.FreeTensor(chunk_, where);
    return l0_.template DeQue<T>(where);
  }
  void Free(AscendC::LocalTensor<T> &tensor, Where where) { l0_.FreeTensor(tensor, where); }
  uint32_t Depth(uint32_t index) const { return std::min(base_k_, k_ - index * base_k_); }

 private:
  static constexpr uint32_t kWidth = kBlockBytes / sizeof(T);      // columns of a fractal
  static constexpr uint32_t kFractal = kFractalBytes / sizeof(T);  // elements
  // Rows and columns of what is transposed at a time.
  static constexpr uint32_t kSquare = sizeof(T) == 1 ? 2 * kFractalRows : kFractalRows;
  static constexpr bool kFractals = format == CubeFormat::NZ;

  uint32_t ChunkDepth(uint32_t chunk) const {
    return std::min(base_k_ * step_, k_ - chunk * base_k_ * step_);
  }

  // Copies `rows` rows of `columns` elements to fractals; a column of fractals has `stride` rows.
  void CopyRows(const AscendC::LocalTensor<T> &to, uint64_t row, uint64_t column, uint32_t rows,
                uint32_t columns, uint32_t stride, Where where) {
    if (kFractals) return CopyFractals(to, row, column, rows, columns, stride, where);
    constexpr uint64_t kMostPitch = 65535;
    const uint32_t step = pitch_ <= kMostPitch ? rows : 1;
    for (uint32_t i = 0; i < rows; i += step) {
      const auto source = static_cast<uint16_t>(step == 1 ? columns : pitch_);
      AscendC::DataCopy(to[i * kWidth], gm_[(row + i) * pitch_ + column],
                        AscendC::Nd2NzParams(1, step, columns, 0, source, stride, 1, 0), where);
    }
  }

  void CopyFractals(const AscendC::LocalTensor<T> &to, uint64_t row, uint64_t column, uint32_t rows,
                    uint32_t columns, uint32_t stride, Where where) {
    const auto blocks = static_cast<uint32_t>(CeilDivide(columns, kWidth));
    constexpr uint64_t kMostGap = 65535;
    const bool together = rows_ - rows <= kMostGap;
    for (uint32_t i = 0; i < blocks; i += together ? blocks : 1) {
      AscendC::DataCopy(
          to[i * stride * kWidth], gm_[(column + i * kWidth) * rows_ + row * kWidth],
          AscendC::DataCopyParams(together ? blocks : 1, rows, together ? rows_ - rows : 0, stride - rows),
          where);
    }
  }

  void CopyIn(Where where) {
    auto to = l1_.template AllocTensor<T>(where);
    const uint32_t k = first_k_ + queued_ * step_ * base_k_, depth = ChunkDepth(queued_);
    if (k_contiguous_) {
      // A single row is multiplied as it lies.
      CopyRows(to, first_, k, outer_, depth, kLeft && outer_ == 1 ? 1 : padded_, where);
    } else if (sizeof(T) == 2) {
      CopyRows(to, k, first_, depth, outer_, static_cast<uint32_t>(AlignUp(depth, kFractalRows)), where);
    } else {
      // Strips of 16 k, or 32 of one byte: each holds the squares that are transposed.
      for (uint32_t row = 0; row < depth; row += kSquare) {
        CopyRows(to[row * padded_], k + row, first_, std::min(kSquare, depth - row), outer_, kSquare, where);
      }
    }
    l1_.EnQue(to, where);
    ++queued_;
  }

  void Load(const AscendC::LocalTensor<T> &to, uint32_t offset, uint32_t k, uint32_t chunk_depth,
            Where where) {
    const auto rows = static_cast<uint32_t>(CeilDivide(outer_, kFractalRows));
    if (k_contiguous_) {
      const auto depth = static_cast<uint32_t>(CeilDivide(k, kWidth));
      if (kLeft && outer_ == 1) {
        LoadRun(to, chunk_[offset], static_cast<uint32_t>(CeilDivide(k, kFractal)), where);
      } else if (kLeft) {
        for (uint32_t i = 0; i < depth; ++i) {
          AscendC::LoadData(to[i * kFractal], chunk_[offset * padded_ + i * rows * kFractal],
                            AscendC::LoadData2DParams(0, rows, 1, 0, depth - 1, false, 0), where);
        }
      } else {
        LoadRun(to, chunk_[offset * padded_], depth * rows, where);
      }
      return;
    }
    const auto depth = static_cast<uint32_t>(CeilDivide(k, kFractalRows));
    if (sizeof(T) == 2) {
      const auto pitch = static_cast<uint32_t>(CeilDivide(chunk_depth, kFractalRows));
      for (uint32_t i = 0; i < rows; ++i) {
        const uint32_t target = kLeft ? i * depth : i;
        AscendC::LoadData(to[target * kFractal], chunk_[(i * pitch + offset / kFractalRows) * kFractal],
                          AscendC::LoadData2DParams(0, depth, 1, 0, kLeft ? 0 : rows - 1, true, 0), where);
      }
      return;
    }
    // A square of one-byte elements becomes two rows of fractals in L0A, one of four-byte elements two
    // columns.
    const auto strips = static_cast<uint32_t>(CeilDivide(k, kSquare));
    const uint32_t squares = padded_ / kSquare;
    for (uint32_t i = 0; i < strips; ++i) {
      const AscendC::LocalTensor<T> strip = chunk_[(offset + i * kSquare) * padded_];
      constexpr uint32_t kDown = sizeof(T) == 1 ? 2 : 1, kAcross = 2 / kDown;
      const uint32_t pitch = kLeft ? strips * kAcross : 1;
      const uint32_t start = i * kAcross * (kLeft ? 1 : rows);
      const auto next = static_cast<uint16_t>(kDown * pitch - 1);
      const auto inside = static_cast<uint16_t>((kDown == 2 ? pitch : (kLeft ? 1 : rows)) - 1);
      AscendC::LoadDataWithTranspose(to[start * kFractal], strip,
                                     AscendC::LoadData2dTransposeParams(0, squares, 1, next, inside), where);
    }
  }

  // Copies fractals as they lie. An instruction moves at most 255.
  void LoadRun(const AscendC::LocalTensor<T> &to, const AscendC::LocalTensor<T> &from, uint32_t fractals,
               Where where) {
    constexpr uint32_t kMost = 255;
    for (uint32_t i = 0; i < fractals; i += kMost) {
      const auto count = static_cast<uint8_t>(std::min(kMost, fractals - i));
      AscendC::LoadData(to[i * kFractal], from[i * kFractal],
                        AscendC::LoadData2DParams(0, count, 1, 0, 0, false, 0), where);
    }
  }

  AscendC::TQue<l1, 2> l1_;
  AscendC::TQue<l0, 1> l0_;
  AscendC::GlobalTensor<T> gm_;
  AscendC::LocalTensor<T> chunk_;
  bool k_contiguous_ = true;
  bool prefetch_ = false;
  uint64_t rows_ = 0, pitch_ = 0;  // of the matrix in GM
  uint32_t base_k_ = 0, step_ = 1;
  uint32_t first_ = 0, first_k_ = 0, outer_ = 0, padded_ = 0, k_ = 0;
  uint32_t queued_ = 0;  // chunks copied of this tile
};

}  // namespace sim
