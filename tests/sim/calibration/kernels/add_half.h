// SPDX-License-Identifier: Apache-2.0
// Computes z = x + y over a matrix of half. The tiling selects the steps by which the published kernel became
// fast.
#pragma once

#include "kernel_operator.h"

struct AddHalfTiling {
  uint32_t rows;  // of the matrix
  uint32_t columns;
  uint32_t length;   // elements of a copy
  uint32_t scalar;   // 1: element by element on the scalar unit
  uint32_t buffers;  // 1 or 2
  uint32_t bypass;   // 1: x and y do not go through the L2
  uint32_t x[2];     // byte offsets in UB, by buffer
  uint32_t y[2];
  uint32_t z[2];
};

class AddHalf {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const AddHalfTiling &tiling) {
    t_ = tiling;
    // Each block gets the same number of rows; the first blocks get one more.
    const uint32_t blocks = AscendC::GetBlockNum();
    const uint32_t block = AscendC::GetBlockIdx();
    const uint32_t share = t_.rows / blocks;
    const uint32_t more = t_.rows % blocks;
    const uint64_t first = uint64_t{block} * share + (block < more ? block : more);
    count_ = (share + (block < more ? 1 : 0)) * t_.columns;
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x) + first * t_.columns, count_);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(y) + first * t_.columns, count_);
    z_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(z) + first * t_.columns, count_);
    if (t_.bypass != 0) {
      x_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
      y_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
    }
  }

  __aicore__ inline void Process() {
    // All buffers are free at the start, so that the first copy and the first Add do not wait.
    for (uint32_t buffer = 0; buffer < t_.buffers; ++buffer) {
      AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(buffer);
      AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(buffer);
    }
    uint32_t buffer = 0;
    for (uint32_t start = 0; start < count_; start += t_.length) {
      Step(start, count_ - start < t_.length ? count_ - start : t_.length, buffer);
      buffer = (buffer + 1) % t_.buffers;
    }
    for (uint32_t last = 0; last < t_.buffers; ++last) {
      AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(last);
      AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(last);
    }
  }

 private:
  __aicore__ inline void Step(uint32_t start, uint32_t n, uint32_t buffer) {
    AscendC::LocalTensor<half> x(AscendC::TPosition::VECCALC, t_.x[buffer], t_.length);
    AscendC::LocalTensor<half> y(AscendC::TPosition::VECCALC, t_.y[buffer], t_.length);
    AscendC::LocalTensor<half> z(AscendC::TPosition::VECCALC, t_.z[buffer], t_.length);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(buffer);
    AscendC::DataCopy(x, x_[start], n);
    AscendC::DataCopy(y, y_[start], n);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(buffer);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(buffer);

    AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(buffer);
    if (t_.scalar != 0) {
      for (uint32_t i = 0; i < n; ++i) {
        const float sum = static_cast<float>(x.GetValue(i)) + static_cast<float>(y.GetValue(i));
        z.SetValue(i, static_cast<half>(sum));
      }
    } else {
      AscendC::Add(z, x, y, n);
    }
    AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(buffer);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(buffer);

    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(buffer);
    AscendC::DataCopy(z_[start], z, n);
    AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(buffer);
  }

  AddHalfTiling t_;
  uint32_t count_ = 0;
  AscendC::GlobalTensor<half> x_, y_, z_;
};

extern "C" __global__ __aicore__ void add_half(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(AddHalfTiling, data, tiling);
  AddHalf op;
  op.Init(x, y, z, data);
  op.Process();
}
