// SPDX-License-Identifier: Apache-2.0
// Copies one factor of a Matmul object to L0A or L0B. The outer dimension is m of the left factor and n of
// the right one. The matrix in GM has rows of k, or it is transposed: rows of the outer dimension, whose
// fractals are transposed on the way. It lies as rows (ND), or in columns of fractals (NZ):
//
//   NZ   |rows 0 to 15 of columns 0 to w - 1|rows 16 to 31|...|rows 0 to 15 of columns w to 2w - 1|...
//         w: columns of 32 bytes; the rows are a multiple of 16
//
// A factor may lie in L1 (NZ), and a function of the kernel may copy it there.
#pragma once

#include "matmul_source.h"
#include "matmul_sparse.h"

namespace sim {

// copy: the kernel's own copy to L1, or null.
template <class TYPE, bool kLeft, auto copy = nullptr>
class MatmulFactor {
  using T = typename TYPE::T;
  using Source = MatmulSource<T>;

 public:
  // `outer` and `base_k` of one product, the products whose operands a copy to L1 holds, and the buffers of
  // each memory.
  void Init(AscendC::TPipe *pipe, uint32_t outer, uint32_t base_k, uint32_t step, uint32_t l1_buffers,
            uint32_t l0_buffers, Where where) {
    base_outer_ = outer;
    base_k_ = base_k / kStored;
    step_ = step;
    prefetch_ = l1_buffers > 1;
    const uint32_t buffers = prefetch_ ? 2 : 1;
    if (!kResident) pipe->InitBuffer(l1_, buffers, BytesFor<T>(uint64_t{outer} * base_k_ * step), where);
    pipe->InitBuffer(l0_, l0_buffers > 1 ? 2 : 1, BytesFor<T>(uint64_t{outer} * base_k_), where);
    if constexpr (kSparse) index_.Init(pipe, outer, base_k, where);
  }

  // The matrix has `rows` rows in memory. `call`: what the kernel's own copy is told.
  void Set(const Source &source, bool k_contiguous, uint64_t rows, const MatmulCallData &call) {
    source_ = source;
    call_ = call;
    // A single column is contiguous as well.
    k_contiguous_ =
        k_contiguous || source.is_scalar || (source.pitch == 1 && !kFractals && !kResident && !kCopied);
    if (k_contiguous_ && !k_contiguous) source_.pitch = 0;
    if (kSparse) source_.pitch /= kStored;
    // Rows in GM are a multiple of 16, those in L1 of what is transposed at a time.
    rows_ = AlignUp(rows, k_contiguous || !kResident ? kFractalRows : kSquare);
  }
  void SetIndex(const AscendC::GlobalTensor<uint8_t> &index, uint64_t rows) { index_.Set(index, rows); }
  bool k_contiguous() const { return k_contiguous_; }
  // Says whether L0A holds one row of k values, and no fractals of 16 rows.
  bool IsRow() const { return kLeft && outer_ == 1 && k_contiguous_ && !kResident && !kCopied; }

  // Four-byte squares are transposed from strips, which Matmul's own copies make.
  bool CanTranspose() const { return !kWide || k_contiguous_ || !(kResident || kCopied); }

  // Says whether each row in GM starts at a byte: two elements of int4b_t share one.
  bool StartsAtBytes() const {
    const bool rows = !kFractals && !kResident && !kCopied;
    return !std::is_same_v<T, AscendC::int4b_t> || !rows || source_.pitch % 2 == 0;
  }
  uint64_t pitch() const { return source_.pitch; }

  // Starts a tile: [first, first + outer) of the outer dimension, and k values of k from `first_k` on.
  void Begin(uint32_t first, uint32_t outer, uint32_t k, uint32_t first_k) {
    first_ = first;
    first_k_ = first_k / kStored;
    outer_ = outer;
    k_ = k / kStored;
    padded_ = static_cast<uint32_t>(AlignUp(outer, k_contiguous_ ? kFractalRows : kSquare));
    queued_ = 0;
  }

  // Returns the operand of product `index` in L0. Call Free when the product is issued.
  AscendC::LocalTensor<T> Take(uint32_t index, Where where) {
    const uint32_t chunk = index / step_;
    if (!kResident && index % step_ == 0) {
      if (queued_ == chunk) CopyIn(where);
      chunk_ = l1_.template DeQue<T>(where);
      if (prefetch_ && queued_ * step_ * base_k_ < k_) CopyIn(where);
    }
    auto to = l0_.template AllocTensor<T>(where);
    const uint32_t depth = std::min(base_k_, k_ - index * base_k_);
    const Place at = PlaceOf(index);
    if constexpr (kSparse) {
      index_.Load(to, chunk_[at.k * at.rows], {first_, first_k_ + index * base_k_, outer_, depth}, where);
    } else {
      Load(to, depth, at, where);
    }
    l0_.EnQue(to, where);
    const bool last = index % step_ == step_ - 1 || (index + 1) * base_k_ >= k_;
    if (!kResident && last) l1_.FreeTensor(chunk_, where);
    return l0_.template DeQue<T>(where);
  }
  void Free(AscendC::LocalTensor<T> &tensor, Where where) { l0_.FreeTensor(tensor, where); }

 private:
  static constexpr uint32_t kWidth = ElementsIn<T>(kBlockBytes);      // columns of a fractal
  static constexpr uint32_t kFractal = ElementsIn<T>(kFractalBytes);  // elements
  static constexpr bool kWide = sizeof(T) == 4;
  // Rows and columns of what is transposed at a time: 16 of two or four bytes, 32 bytes, 64 halves of a byte.
  static constexpr uint32_t kSquare = std::max(kWidth, kFractalRows);
  static constexpr bool kFractals = TYPE::format == CubeFormat::NZ;
  static constexpr bool kResident = kInL1<TYPE>;
  static constexpr bool kCopied = copy != nullptr;
  static constexpr bool kSparse = kIsSparse<TYPE>;
  static constexpr uint32_t kStored = kSparse ? 2 : 1;  // of so many k one is stored

  // Where the operand of a product lies in L1: its first k and outer value, and the rows of a column of
  // fractals.
  struct Place {
    uint32_t k, outer, rows;
  };
  Place PlaceOf(uint32_t index) const {
    if (kResident) return {first_k_ + index * base_k_, first_, static_cast<uint32_t>(rows_)};
    const uint32_t k = index % step_ * base_k_;
    if (k_contiguous_) return {k, 0, IsRow() ? 1 : padded_};
    return {k, 0, static_cast<uint32_t>(AlignUp(ChunkDepth(index / step_), kSquare))};
  }
  uint32_t ChunkDepth(uint32_t chunk) const {
    return std::min(base_k_ * step_, k_ - chunk * base_k_ * step_);
  }

  void CopyIn(Where where) {
    auto to = l1_.template AllocTensor<T>(where);
    const uint32_t k = first_k_ + queued_ * step_ * base_k_, depth = ChunkDepth(queued_);
    if constexpr (kCopied) {
      CallCopy(to, k / (step_ * base_k_), depth);
    } else if (source_.is_scalar) {
      const auto row = static_cast<uint32_t>(AlignUp(depth, kWidth));
      source_.Fill(to, IsRow() ? row : row * padded_, where);
    } else if (k_contiguous_) {
      // A single row is multiplied as it lies.
      CopyRows(to, first_, k, outer_, depth, IsRow() ? 1 : padded_, where);
    } else if (!kWide) {
      CopyRows(to, k, first_, depth, outer_, static_cast<uint32_t>(AlignUp(depth, kSquare)), where);
    } else {
      // Strips of 16 k: each holds the squares that are transposed.
      for (uint32_t row = 0; row < depth; row += kSquare) {
        CopyRows(to[row * padded_], k + row, first_, std::min(kSquare, depth - row), outer_, kSquare, where);
      }
    }
    l1_.EnQue(to, where);
    ++queued_;
  }

  // The kernel is told the number of the block along each dimension, and its size.
  void CallCopy(const AscendC::LocalTensor<T> &to, uint32_t k, uint32_t depth) const {
    if constexpr (kCopied) {
      const auto bytes = to.template ReinterpretCast<int8_t>();
      const auto outer = static_cast<int>(first_ / base_outer_);
      const auto rows = static_cast<int>(kLeft ? outer_ : depth);
      const auto columns = static_cast<int>(kLeft ? depth : outer_);
      copy(bytes, source_.gm.GetPhyAddr(), kLeft ? outer : static_cast<int>(k),
           kLeft ? static_cast<int>(k) : outer, rows, columns, call_.tiling, call_.data);
    }
  }

  // Copies `rows` rows of `columns` elements to fractals; a column of fractals has `stride` rows.
  void CopyRows(const AscendC::LocalTensor<T> &to, uint64_t row, uint64_t column, uint32_t rows,
                uint32_t columns, uint32_t stride, Where where) const {
    if (kFractals) return source_.CopyFractals(to, row, column, rows, columns, stride, rows_, where);
    source_.CopyRows(to, row, column, rows, columns, stride, where);
  }

  void Load(const AscendC::LocalTensor<T> &to, uint32_t depth, const Place &at, Where where) {
    const AscendC::LocalTensor<T> from = kResident ? source_.l1 : chunk_;
    const auto rows = static_cast<uint32_t>(CeilDivide(outer_, kFractalRows));
    if (!k_contiguous_) return LoadTransposed(to, from, depth, rows, at, where);
    const auto columns = static_cast<uint32_t>(CeilDivide(depth, kWidth));
    const auto begin = from[at.k * at.rows + at.outer * kWidth];
    if (IsRow()) {
      LoadRun(to, begin, static_cast<uint32_t>(CeilDivide(depth, kFractal)), where);
    } else if (kLeft) {
      for (uint32_t i = 0; i < columns; ++i) {
        AscendC::LoadData(to[i * kFractal], begin[i * at.rows * kWidth],
                          AscendC::LoadData2DParams(0, rows, 1, 0, columns - 1, false, 0), where);
      }
    } else if (at.rows == rows * kFractalRows) {
      LoadRun(to, begin, columns * rows, where);
    } else {
      for (uint32_t i = 0; i < columns; ++i) {
        LoadRun(to[i * rows * kFractal], begin[i * at.rows * kWidth], rows, where);
      }
    }
  }

  void LoadTransposed(const AscendC::LocalTensor<T> &to, const AscendC::LocalTensor<T> &from, uint32_t depth,
                      uint32_t rows, const Place &at, Where where) const {
    const uint32_t strips = static_cast<uint32_t>(CeilDivide(depth, kSquare));
    const uint32_t squares = padded_ / kSquare;
    if (sizeof(T) == 2) {
      for (uint32_t i = 0; i < rows; ++i) {
        const uint32_t target = kLeft ? i * strips : i;
        AscendC::LoadData(to[target * kFractal], from[at.k * kWidth + (at.outer + i * kWidth) * at.rows],
                          AscendC::LoadData2DParams(0, strips, 1, 0, kLeft ? 0 : rows - 1, true, 0), where);
      }
      return;
    }
    // A square of narrow elements becomes rows of fractals in L0A, one of four-byte elements two columns.
    constexpr uint32_t kDown = kWide ? 1 : kSquare / kFractalRows, kAcross = kWide ? 2 : 1;
    const auto distance = static_cast<uint16_t>(kWide ? 1 : at.rows / kSquare);
    const uint32_t pitch = kLeft ? strips * kAcross : 1;
    const auto next = static_cast<uint16_t>(kDown * pitch - 1);
    const auto inside = static_cast<uint16_t>((kWide && !kLeft ? rows : kWide ? 1 : pitch) - 1);
    for (uint32_t i = 0; i < strips; ++i) {
      const uint32_t first =
          kWide ? (at.k + i * kSquare) * padded_ : at.outer * at.rows + (at.k + i * kSquare) * kWidth;
      const uint32_t start = i * kAcross * (kLeft ? 1 : rows);
      AscendC::LoadDataWithTranspose(to[start * kFractal], from[first],
                                     AscendC::LoadData2dTransposeParams(0, squares, distance, next, inside),
                                     where);
    }
  }

  // Copies fractals as they lie. An instruction moves at most 255.
  void LoadRun(const AscendC::LocalTensor<T> &to, const AscendC::LocalTensor<T> &from, uint32_t fractals,
               Where where) const {
    constexpr uint32_t kMost = 255;
    for (uint32_t i = 0; i < fractals; i += kMost) {
      const auto count = static_cast<uint8_t>(std::min(kMost, fractals - i));
      AscendC::LoadData(to[i * kFractal], from[i * kFractal],
                        AscendC::LoadData2DParams(0, count, 1, 0, 0, false, 0), where);
    }
  }

  AscendC::TQue<kLeft ? AscendC::TPosition::A1 : AscendC::TPosition::B1, 2> l1_;
  AscendC::TQue<kLeft ? AscendC::TPosition::A2 : AscendC::TPosition::B2, 1> l0_;
  Source source_;
  MatmulCallData call_;
  AscendC::LocalTensor<T> chunk_;
  MatmulIndex index_;
  bool k_contiguous_ = true;
  bool prefetch_ = false;
  uint64_t rows_ = 0;  // of the matrix in memory
  uint32_t base_outer_ = 0, base_k_ = 0, step_ = 1;
  uint32_t first_ = 0, first_k_ = 0, outer_ = 0, padded_ = 0, k_ = 0;
  uint32_t queued_ = 0;  // chunks copied of this tile
};

}  // namespace sim
