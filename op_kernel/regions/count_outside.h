// SPDX-License-Identifier: Apache-2.0
// Counts indices outside a range: compared as float32, a 1 for each that fails, summed tile by tile.
#pragma once

#include "../common/copies/row_copy.h"
#include "../common/vectors/bits.h"
#include "count_outside_tiling.h"

template <typename T, uint32_t KEY>
class CountOutside {
 public:
  __aicore__ inline void Init(GM_ADDR indices, GM_ADDR count, GM_ADDR, const CountOutsideTiling &tiling,
                              AscendC::TPipe *pipe) {
    t_ = tiling;
    indices_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(indices), t_.indices);
    count_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(count), 1);
    const CountOutsideBuffers buffers(t_.tileLength, sizeof(T));
    pipe->InitBuffer(queue_, buffers.indices.count, buffers.indices.bytes);
    pipe->InitBuffer(values_, buffers.values.bytes);
    pipe->InitBuffer(flags_, buffers.flags.bytes);
    pipe->InitBuffer(work_, buffers.work.bytes);
    pipe->InitBuffer(zeros_, buffers.zeros.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    pipe->InitBuffer(out_queue_, buffers.count.count, buffers.count.bytes);
    avo::ZeroQueue<T>(queue_, 2, t_.tileLength);
    AscendC::Duplicate(zeros_.template Get<float>(), 0.0f, t_.tileLength);
  }

  __aicore__ inline void Process() {
    int32_t outside = 0;
    for (int64_t begin = 0; begin < t_.indices; begin += t_.tileLength) {
      const uint32_t count = avo::MinRemaining(t_.indices - begin, t_.tileLength);
      CopyIn(begin, count);
      outside += Compute(count);
    }
    CopyOut(outside);
  }

 private:
  static constexpr uint32_t kRepeat = 64;  // floats

  __aicore__ inline void CopyIn(int64_t begin, uint32_t count) {
    auto indices = queue_.template AllocTensor<T>();
    avo::CopyRowsIn(indices, t_.tileLength, indices_gm_, begin, count, 1, count);
    queue_.EnQue(indices);
  }

  __aicore__ inline int32_t Compute(uint32_t count) {
    auto indices = queue_.template DeQue<T>();
    const auto values = values_.template Get<float>(), flags = flags_.template Get<float>();
    const auto bits = bits_.template Get<uint8_t>();
    const uint32_t whole = avo::RoundUp(count, kRepeat);
    if constexpr (std::is_same_v<T, float>) {
      AscendC::Muls(values, indices, 1.0f, whole);
    } else {
      // Integers beyond 2^24 are rounded, none of them into the range.
      AscendC::Cast(values, indices, AscendC::RoundMode::CAST_NONE, whole);
    }
    queue_.FreeTensor(indices);
    AscendC::CompareScalar(bits, values, 0.0f, AscendC::CMPMODE::GE, whole);
    avo::KeepBits(bits, bits[CountOutsideBuffers::MaskBytes(t_.tileLength)], values, t_.size,
                  AscendC::CMPMODE::LT, whole);
    AscendC::Select(flags, bits, zeros_.template Get<float>(), 1.0f,
                    AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, whole);
    AscendC::ReduceSum(values, flags, work_.template Get<float>(), static_cast<int32_t>(count));
    return static_cast<int32_t>(values.GetValue(0));
  }

  __aicore__ inline void CopyOut(int32_t outside) {
    auto count = out_queue_.template AllocTensor<int32_t>();
    count.SetValue(0, outside);
    out_queue_.EnQue(count);
    count = out_queue_.template DeQue<int32_t>();
    avo::CopyRowsOut(count_gm_, 0, 1, count, avo::kBlockBytes / sizeof(int32_t), 1, 1);
    out_queue_.FreeTensor(count);
  }

  CountOutsideTiling t_;
  AscendC::GlobalTensor<T> indices_gm_;
  AscendC::GlobalTensor<int32_t> count_gm_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> values_, flags_, zeros_, work_, bits_;
};
