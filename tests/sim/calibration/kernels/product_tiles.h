// SPDX-License-Identifier: Apache-2.0
// Computes C (m x n) = A (m x k) x B on cube cores, tile by tile, to measure the pipes of a product. With two
// buffers of L1 copies from GM run ahead; with one buffer they wait until L0 has what came before.
#pragma once

#include "kernel_operator.h"

struct ProductTilesTiling {
  uint32_t m;
  uint32_t n;
  uint32_t k;
  uint32_t share_m;  // of a core
  uint32_t share_n;
  uint32_t base_m;  // a tile of C
  uint32_t base_n;
  uint32_t base_k;  // of one product
  uint32_t step_a;  // products whose operands are copied to L1 at once
  uint32_t step_b;
  uint32_t buffers = 2;    // of L1; L0A and L0B have two
  uint32_t natural_b = 0;  // 1: B is k x n, 0: it is n x k
  uint32_t wide = 0;       // 1: C is float, 0: it is half
  uint32_t staggered = 0;  // 1: each core starts at another k
};

class ProductTiles {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, const ProductTilesTiling &tiling) {
    t_ = tiling;
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(a), uint64_t{t_.m} * t_.k);
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(b), uint64_t{t_.n} * t_.k);
    c_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(c), uint64_t{t_.m} * t_.n);
    wide_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(c), uint64_t{t_.m} * t_.n);
    pipe_.InitBuffer(a1_, t_.buffers, t_.base_m * t_.base_k * t_.step_a * sizeof(half));
    pipe_.InitBuffer(b1_, t_.buffers, t_.base_n * t_.base_k * t_.step_b * sizeof(half));
    pipe_.InitBuffer(a2_, 2, t_.base_m * t_.base_k * sizeof(half));
    pipe_.InitBuffer(b2_, 2, t_.base_n * t_.base_k * sizeof(half));
    pipe_.InitBuffer(sums_, 1, t_.base_m * t_.base_n * sizeof(float));
    steps_ = t_.k / t_.base_k;
    first_ = t_.staggered != 0 ? AscendC::GetBlockIdx() * 7 % (steps_ / t_.step_a) * t_.step_a : 0;
  }

  __aicore__ inline void Process() {
    const uint32_t parts = (t_.m + t_.share_m - 1) / t_.share_m;
    const uint32_t top = AscendC::GetBlockIdx() % parts * t_.share_m;
    const uint32_t left = AscendC::GetBlockIdx() / parts * t_.share_n;
    const uint32_t bottom = Least(top + t_.share_m, t_.m), right = Least(left + t_.share_n, t_.n);
    for (column_ = left; column_ < right; column_ += t_.base_n) {
      columns_ = Least(t_.base_n, right - column_);
      for (row_ = top; row_ < bottom; row_ += t_.base_m) {
        rows_ = Least(t_.base_m, bottom - row_);
        Tile();
      }
    }
  }

 private:
  static constexpr uint32_t kSide = 16, kFractal = kSide * kSide;

  __aicore__ inline static uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }
  __aicore__ inline static uint32_t Fractals(uint32_t elements) { return (elements + kSide - 1) / kSide; }

  __aicore__ inline void Tile() {
    auto c = sums_.AllocTensor<float>();
    CopyB(0);
    CopyA(0);
    AscendC::LocalTensor<half> a1, b1;
    for (uint32_t step = 0; step < steps_; ++step) {
      if (step % t_.step_b == 0) b1 = b1_.DeQue<half>();
      if (step % t_.step_a == 0) a1 = a1_.DeQue<half>();
      if (t_.buffers > 1) CopyNext(step, step % t_.step_b == 0, step % t_.step_a == 0);
      Multiply(c, a1, b1, step);
      const bool last_b = (step + 1) % t_.step_b == 0, last_a = (step + 1) % t_.step_a == 0;
      if (last_b) b1_.FreeTensor(b1);
      if (last_a) a1_.FreeTensor(a1);
      if (t_.buffers == 1) {
        CopyNext(step + 1 - t_.step_b, last_b, false);
        CopyNext(step + 1 - t_.step_a, false, last_a);
      }
    }
    sums_.EnQue(c);
    CopyOut();
  }

  // Copies what follows the operands of this step.
  __aicore__ inline void CopyNext(uint32_t step, bool b, bool a) {
    if (b && step + t_.step_b < steps_) CopyB(step + t_.step_b);
    if (a && step + t_.step_a < steps_) CopyA(step + t_.step_a);
  }

  __aicore__ inline uint64_t Depth(uint32_t step) const { return (step + first_) % steps_ * t_.base_k; }

  __aicore__ inline void CopyA(uint32_t step) {
    auto a1 = a1_.AllocTensor<half>();
    AscendC::DataCopy(
        a1, a_[uint64_t{row_} * t_.k + Depth(step)],
        AscendC::Nd2NzParams(1, rows_, t_.base_k * t_.step_a, 0, t_.k, Fractals(rows_) * kSide, 1, 0));
    a1_.EnQue(a1);
  }

  __aicore__ inline void CopyB(uint32_t step) {
    auto b1 = b1_.AllocTensor<half>();
    const uint32_t depth = t_.base_k * t_.step_b;
    if (t_.natural_b != 0) {
      AscendC::DataCopy(b1, b_[Depth(step) * t_.n + column_],
                        AscendC::Nd2NzParams(1, depth, columns_, 0, t_.n, depth, 1, 0));
    } else {
      AscendC::DataCopy(b1, b_[uint64_t{column_} * t_.k + Depth(step)],
                        AscendC::Nd2NzParams(1, columns_, depth, 0, t_.k, Fractals(columns_) * kSide, 1, 0));
    }
    b1_.EnQue(b1);
  }

  __aicore__ inline void Multiply(const AscendC::LocalTensor<float> &c, const AscendC::LocalTensor<half> &a1,
                                  const AscendC::LocalTensor<half> &b1, uint32_t step) {
    auto a2 = a2_.AllocTensor<half>();
    auto b2 = b2_.AllocTensor<half>();
    const uint16_t depth = t_.base_k / kSide, rows = Fractals(rows_), columns = Fractals(columns_);
    // Loads fractals column by column: a row of L0A has `depth` fractals, a row of L0B has `columns`.
    const AscendC::LocalTensor<half> a = a1[step % t_.step_a * depth * rows * kFractal];
    for (uint32_t i = 0; i < depth; ++i) {
      AscendC::LoadData(a2[i * kFractal], a[i * rows * kFractal],
                        AscendC::LoadData2DParams(0, rows, 1, 0, depth - 1, false, 0));
    }
    const uint32_t in_chunk = step % t_.step_b * depth;
    if (t_.natural_b != 0) {
      for (uint32_t i = 0; i < depth; ++i) {
        AscendC::LoadData(b2[i * columns * kFractal], b1[(in_chunk + i) * kFractal],
                          AscendC::LoadData2DParams(0, columns, depth * t_.step_b, 0, 0, true, 0));
      }
    } else {
      AscendC::LoadData(b2, b1[in_chunk * columns * kFractal],
                        AscendC::LoadData2DParams(0, depth * columns, 1, 0, 0, false, 0));
    }
    a2_.EnQue(a2);
    b2_.EnQue(b2);
    a2 = a2_.DeQue<half>();
    b2 = b2_.DeQue<half>();
    AscendC::Mmad(c, a2, b2, AscendC::MmadParams(rows_, columns_, t_.base_k, 0, false, step == 0));
    a2_.FreeTensor(a2);
    b2_.FreeTensor(b2);
  }

  __aicore__ inline void CopyOut() {
    auto c = sums_.DeQue<float>();
    AscendC::FixpipeParamsV220 out(columns_, rows_, Fractals(rows_) * kSide, t_.n, false);
    const uint64_t place = uint64_t{row_} * t_.n + column_;
    if (t_.wide != 0) {
      AscendC::Fixpipe(wide_[place], c, out);
    } else {
      out.quantPre = QuantMode_t::F322F16;
      AscendC::Fixpipe(c_[place], c, out);
    }
    sums_.FreeTensor(c);
  }

  ProductTilesTiling t_;
  uint32_t steps_ = 0, first_ = 0;
  uint32_t row_ = 0, column_ = 0, rows_ = 0, columns_ = 0;  // of the tile
  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::A1, 2> a1_;
  AscendC::TQue<AscendC::TPosition::B1, 2> b1_;
  AscendC::TQue<AscendC::TPosition::A2, 2> a2_;
  AscendC::TQue<AscendC::TPosition::B2, 2> b2_;
  AscendC::TQue<AscendC::TPosition::CO1, 1> sums_;
  AscendC::GlobalTensor<half> a_, b_, c_;
  AscendC::GlobalTensor<float> wide_;
};

extern "C" __global__ __aicore__ void product_tiles(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(ProductTilesTiling, data, tiling);
  ProductTiles op;
  op.Init(a, b, c, data);
  op.Process();
}
