// SPDX-License-Identifier: Apache-2.0
// Computes C (m x n, half) = A (m x k) x B^T (n x k) tile by tile on cube cores, to measure the pipes of a
// product. With two buffers each pipe works ahead of the next one; with one buffer each waits for all others.
#pragma once

#include "kernel_operator.h"

struct ProductTilesTiling {
  uint32_t m;
  uint32_t n;
  uint32_t k;
  uint32_t base_m;  // a tile of C
  uint32_t base_n;
  uint32_t base_k;   // of one product
  uint32_t step_k;   // products whose operands are copied to L1 at once
  uint32_t buffers;  // of L1, L0A and L0B each
  uint32_t rounds;   // how often the whole product is computed
};

class ProductTiles {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, const ProductTilesTiling &tiling) {
    t_ = tiling;
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(a), uint64_t{t_.m} * t_.k);
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(b), uint64_t{t_.n} * t_.k);
    c_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(c), uint64_t{t_.m} * t_.n);
    const uint32_t depth = t_.base_k * t_.step_k;
    pipe_.InitBuffer(a1_, t_.buffers, t_.base_m * depth * sizeof(half));
    pipe_.InitBuffer(b1_, t_.buffers, t_.base_n * depth * sizeof(half));
    pipe_.InitBuffer(a2_, t_.buffers, t_.base_m * t_.base_k * sizeof(half));
    pipe_.InitBuffer(b2_, t_.buffers, t_.base_n * t_.base_k * sizeof(half));
    pipe_.InitBuffer(sums_, 1, t_.base_m * t_.base_n * sizeof(float));
  }

  __aicore__ inline void Process() {
    const uint32_t columns = t_.n / t_.base_n, tiles = t_.m / t_.base_m * columns;
    for (uint32_t round = 0; round < t_.rounds; ++round) {
      for (uint32_t tile = AscendC::GetBlockIdx(); tile < tiles; tile += AscendC::GetBlockNum()) {
        Tile(tile / columns * t_.base_m, tile % columns * t_.base_n);
      }
    }
  }

 private:
  __aicore__ inline void Tile(uint32_t row, uint32_t column) {
    auto c = sums_.AllocTensor<float>();
    const uint32_t depth = t_.base_k * t_.step_k, chunks = t_.k / depth;
    CopyIn(row, column, 0);
    for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
      if (t_.buffers > 1 && chunk + 1 < chunks) CopyIn(row, column, chunk + 1);
      auto a1 = a1_.DeQue<half>();
      auto b1 = b1_.DeQue<half>();
      for (uint32_t step = 0; step < t_.step_k; ++step) Multiply(c, a1, b1, step, chunk + step == 0);
      a1_.FreeTensor(a1);
      b1_.FreeTensor(b1);
      if (t_.buffers == 1 && chunk + 1 < chunks) {
        AscendC::PipeBarrier<PIPE_ALL>();
        CopyIn(row, column, chunk + 1);
      }
    }
    sums_.EnQue(c);
    c = sums_.DeQue<float>();
    AscendC::FixpipeParamsV220 out(t_.base_n, t_.base_m, t_.base_m, t_.n, false);
    out.quantPre = QuantMode_t::F322F16;
    AscendC::Fixpipe(c_[uint64_t{row} * t_.n + column], c, out);
    sums_.FreeTensor(c);
    if (t_.buffers == 1) AscendC::PipeBarrier<PIPE_ALL>();
  }

  __aicore__ inline void CopyIn(uint32_t row, uint32_t column, uint32_t chunk) {
    const uint32_t depth = t_.base_k * t_.step_k;
    auto a1 = a1_.AllocTensor<half>();
    auto b1 = b1_.AllocTensor<half>();
    AscendC::Nd2NzParams rows(1, t_.base_m, depth, 0, t_.k, t_.base_m, 1, 0);
    AscendC::DataCopy(a1, a_[uint64_t{row} * t_.k + chunk * depth], rows);
    rows.nValue = rows.dstNzC0Stride = t_.base_n;
    AscendC::DataCopy(b1, b_[uint64_t{column} * t_.k + chunk * depth], rows);
    a1_.EnQue(a1);
    b1_.EnQue(b1);
  }

  __aicore__ inline void Multiply(const AscendC::LocalTensor<float> &c, const AscendC::LocalTensor<half> &a1,
                                  const AscendC::LocalTensor<half> &b1, uint32_t step, bool first) {
    constexpr uint32_t kFractal = 256, kSide = 16;
    const uint32_t depth = t_.base_k / kSide;
    auto a2 = a2_.AllocTensor<half>();
    auto b2 = b2_.AllocTensor<half>();
    const AscendC::LocalTensor<half> a = a1[step * t_.base_m * t_.base_k],
                                     b = b1[step * t_.base_n * t_.base_k];
    const uint16_t rows = t_.base_m / kSide, columns = t_.base_n / kSide;
    // Loads fractals column by column: a row of L0A has `depth` fractals, a row of L0B has `columns`.
    for (uint32_t i = 0; i < depth; ++i) {
      AscendC::LoadData(a2[i * kFractal], a[i * rows * kFractal],
                        AscendC::LoadData2DParams(0, rows, 1, 0, depth - 1, false, 0));
    }
    AscendC::LoadData(b2, b, AscendC::LoadData2DParams(0, depth * columns, 1, 0, 0, false, 0));
    a2_.EnQue(a2);
    b2_.EnQue(b2);
    a2 = a2_.DeQue<half>();
    b2 = b2_.DeQue<half>();
    AscendC::Mmad(c, a2, b2, AscendC::MmadParams(t_.base_m, t_.base_n, t_.base_k, 0, false, first));
    a2_.FreeTensor(a2);
    b2_.FreeTensor(b2);
  }

  ProductTilesTiling t_;
  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::A1, 2> a1_;
  AscendC::TQue<AscendC::TPosition::B1, 2> b1_;
  AscendC::TQue<AscendC::TPosition::A2, 1> a2_;
  AscendC::TQue<AscendC::TPosition::B2, 1> b2_;
  AscendC::TQue<AscendC::TPosition::CO1, 1> sums_;
  AscendC::GlobalTensor<half> a_, b_, c_;
};

extern "C" __global__ __aicore__ void product_tiles(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(ProductTilesTiling, data, tiling);
  ProductTiles op;
  op.Init(a, b, c, data);
  op.Process();
}
