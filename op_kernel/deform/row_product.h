// SPDX-License-Identifier: Apache-2.0
// Matrix products on the cube unit: C (m, n) += A (m, depth) times B (n, depth) transposed. Sums are float32
// and run in one order. C stays in L0C from Begin to Store, so that several products can be added to it:
//
//   Begin(m, n); Accumulate(a, b, …); Accumulate(a, b, …); Store(out, …);
//
// Rows of A and B are contiguous in GM. A factor may consist of several planes (taps, for example), and each
// of them adds a range of the depth:
//
//   depth     0 …  plane 0  …  | …  plane 1  … | …
//   GM        plane 0: row 0, row 1, …   plane 1: row 0, row 1, …
#pragma once

#include "kernel_operator.h"
#include "row_product_buffers.h"

namespace avo {

// A factor in GM: row r of plane p starts at element offset + p * plane + r * row.
template <typename T>
struct ProductRows {
  AscendC::GlobalTensor<T> gm;
  int64_t offset;
  int64_t row;
  int64_t plane;
};

template <typename T>
class RowProduct {
 public:
  static constexpr uint32_t kBlock = 32 / sizeof(T);                              // depth of a fractal
  static constexpr uint32_t kSlice = RowProductBuffers::kSliceBytes / sizeof(T);  // depth of one Mmad
  static constexpr uint32_t kFractal = 512 / sizeof(T);                           // elements of a fractal
  static constexpr uint32_t kSide = 16;                                           // rows of a fractal

  // rows, columns: most of C, multiples of 16; depth: what is loaded at a time, a multiple of kSlice. Takes
  // RowProductBuffers of the cube core.
  __aicore__ inline void Init(uint32_t rows, uint32_t columns, uint32_t depth, AscendC::TPipe *pipe) {
    depth_ = depth;
    const RowProductBuffers buffers(rows, columns, depth, sizeof(T));
    pipe->InitBuffer(a1_, buffers.l1.a.count, buffers.l1.a.bytes);
    pipe->InitBuffer(b1_, buffers.l1.b.count, buffers.l1.b.bytes);
    pipe->InitBuffer(a2_, buffers.l0a.count, buffers.l0a.bytes);
    pipe->InitBuffer(b2_, buffers.l0b.count, buffers.l0b.bytes);
    pipe->InitBuffer(c_, buffers.l0c.count, buffers.l0c.bytes);
  }

  // Starts a product C (m, n) of zeros.
  __aicore__ inline void Begin(uint32_t m, uint32_t n) {
    m_ = m;
    n_ = n;
    // The cube unit takes a matrix of one row as a vector, whose elements follow each other.
    a_pitch_ = m == 1 ? 1 : RoundUp(m);
    b_pitch_ = RoundUp(n);
    first_ = true;
    filled_ = 0;
    sums_ = c_.template AllocTensor<float>();
  }

  // Adds the product of `planes` planes of both factors, each `depth` elements deep, to C. Multiplies only
  // what fills L1; Store multiplies what is left.
  __aicore__ inline void Accumulate(const ProductRows<T> &a, const ProductRows<T> &b, int64_t planes,
                                    int64_t depth) {
    for (int64_t plane = 0; plane < planes; ++plane) {
      for (int64_t k = 0; k < depth;) {
        if (filled_ == 0) {
          a_ = a1_.template AllocTensor<T>();
          b_ = b1_.template AllocTensor<T>();
        }
        const uint32_t room = depth_ - filled_;
        const uint32_t count = depth - k < room ? static_cast<uint32_t>(depth - k) : room;
        CopyIn(a_[filled_ * a_pitch_], a_pitch_, a, a.offset + plane * a.plane + k, m_, count);
        CopyIn(b_[filled_ * b_pitch_], b_pitch_, b, b.offset + plane * b.plane + k, n_, count);
        k += count;
        filled_ += (count + kBlock - 1) / kBlock * kBlock;
        if (filled_ == depth_) Multiply();
      }
    }
  }

  // Stores C, rounded to the type of `out`. A row starts `row` elements after the row before.
  template <typename Out>
  __aicore__ inline void Store(const AscendC::GlobalTensor<Out> &out, int64_t offset, int64_t row) {
    if (filled_ > 0) Multiply();
    c_.EnQue(sums_);
    sums_ = c_.template DeQue<float>();
    AscendC::FixpipeParamsV220 params;
    params.nSize = static_cast<uint16_t>(n_);
    params.mSize = static_cast<uint16_t>(m_);
    params.srcStride = static_cast<uint16_t>(RoundUp(m_));
    params.dstStride = static_cast<uint32_t>(row);
    if constexpr (std::is_same_v<Out, half>) params.quantPre = QuantMode_t::F322F16;
    if constexpr (std::is_same_v<Out, bfloat16_t>) params.quantPre = QuantMode_t::F322BF16;
    AscendC::Fixpipe<Out, float, AscendC::CFG_ROW_MAJOR>(out[offset], sums_, params);
    c_.FreeTensor(sums_);
  }

 private:
  static __aicore__ inline uint32_t RoundUp(uint32_t value) { return (value + kSide - 1) / kSide * kSide; }

  // Copies `count` rows of `columns` elements, from element `from` of GM on, to fractals in L1. Zeros fill
  // the last data block of a row.
  __aicore__ inline void CopyIn(const AscendC::LocalTensor<T> &to, uint32_t pitch, const ProductRows<T> &rows,
                                int64_t from, uint32_t count, uint32_t columns) {
    constexpr int64_t kMaxRow = 65535;
    AscendC::Nd2NzParams params;
    params.ndNum = 1;
    params.dValue = static_cast<uint16_t>(columns);
    params.dstNzC0Stride = static_cast<uint16_t>(pitch);
    params.dstNzNStride = 1;
    // The copy holds the distance of rows in 16 bits. Rows that are farther apart are copied one by one.
    const uint32_t step = rows.row <= kMaxRow ? count : 1;
    params.nValue = static_cast<uint16_t>(step);
    params.srcDValue = static_cast<uint16_t>(step > 1 ? rows.row : columns);
    for (uint32_t i = 0; i < count; i += step) {
      AscendC::DataCopy(to[i * kBlock], rows.gm[from + i * rows.row], params);
    }
  }

  // Adds the product of what has been loaded to C.
  __aicore__ inline void Multiply() {
    constexpr uint32_t kChained =
        10;  // with at least so many fractals of C, one Mmad may follow another at once
    a1_.EnQue(a_);
    b1_.EnQue(b_);
    a_ = a1_.template DeQue<T>();
    b_ = b1_.template DeQue<T>();
    for (uint32_t k = 0; k < filled_; k += kSlice) {
      const uint32_t count = filled_ - k < kSlice ? filled_ - k : kSlice;
      auto a = LoadA(k, count);
      auto b = LoadB(k, count);
      AscendC::MmadParams params;
      params.m = static_cast<uint16_t>(m_);
      params.n = static_cast<uint16_t>(n_);
      params.k = static_cast<uint16_t>(count);
      params.cmatrixInitVal = first_;
      AscendC::Mmad(sums_, a, b, params);
      if (m_ / kSide * (n_ / kSide) < kChained) AscendC::PipeBarrier<PIPE_M>();
      first_ = false;
      a2_.FreeTensor(a);
      b2_.FreeTensor(b);
    }
    a1_.FreeTensor(a_);
    b1_.FreeTensor(b_);
    filled_ = 0;
  }

  // Loads depth [k, k + count) of A into L0A, fractals row by row.
  __aicore__ inline AscendC::LocalTensor<T> LoadA(uint32_t k, uint32_t count) {
    auto a = a2_.template AllocTensor<T>();
    AscendC::LoadData2DParams params;
    if (m_ == 1) {
      params.repeatTimes = static_cast<uint8_t>((count + kFractal - 1) / kFractal);
      params.srcStride = 1;
      AscendC::LoadData(a, a_[k], params);
    } else {
      params.repeatTimes = static_cast<uint8_t>(count / kBlock);
      params.srcStride = static_cast<uint16_t>(a_pitch_ / kSide);
      for (uint32_t row = 0; row < m_; row += kSide) {
        AscendC::LoadData(a[row * count], a_[k * a_pitch_ + row * kBlock], params);
      }
    }
    a2_.EnQue(a);
    return a2_.template DeQue<T>();
  }

  // Loads depth [k, k + count) of B into L0B. L0B holds the fractals of B transposed in the order in which L1
  // holds those of B.
  __aicore__ inline AscendC::LocalTensor<T> LoadB(uint32_t k, uint32_t count) {
    auto b = b2_.template AllocTensor<T>();
    AscendC::LoadData2DParams params;
    params.repeatTimes = static_cast<uint8_t>(count / kBlock * (b_pitch_ / kSide));
    params.srcStride = 1;
    AscendC::LoadData(b, b_[k * b_pitch_], params);
    b2_.EnQue(b);
    return b2_.template DeQue<T>();
  }

  AscendC::TQue<AscendC::TPosition::A1, 1> a1_;
  AscendC::TQue<AscendC::TPosition::B1, 1> b1_;
  AscendC::TQue<AscendC::TPosition::A2, 1> a2_;
  AscendC::TQue<AscendC::TPosition::B2, 1> b2_;
  AscendC::TQue<AscendC::TPosition::CO1, 1> c_;
  AscendC::LocalTensor<T> a_, b_;     // what is being loaded into L1
  AscendC::LocalTensor<float> sums_;  // C
  uint32_t depth_, m_, n_, a_pitch_, b_pitch_;
  uint32_t filled_;  // depth of a_ and b_ that has been loaded
  bool first_;       // C has not been written yet
};

}  // namespace avo
