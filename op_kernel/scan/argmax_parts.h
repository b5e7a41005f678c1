// SPDX-License-Identifier: Apache-2.0
// ArgMax along the last axis: lines, or equal parts of lines, which cores share. The results of the parts of
// a line are joined after all cores have met.
#pragma once

#include "argmax_input.h"
#include "lane_reduction.h"

namespace avo {

template <typename T, typename I>
class ArgmaxParts {
 protected:
  static constexpr uint32_t kLimbs = PartArgmax<T>::kLimbs;

  // Buffers: a list with the queues out, part_results and parts. result_pitch: of results, from limb to limb.
  template <typename Buffers>
  __aicore__ inline void InitParts(GM_ADDR out, GM_ADDR workspace, const ArgmaxTiling &tiling,
                                   const Buffers &buffers, uint32_t result_pitch, AscendC::TPipe *pipe) {
    pipe_ = pipe;
    length_ = tiling.length;
    parts_ = tiling.parts;
    part_length_ = tiling.partLength;
    parts_at_once_ = tiling.partsAtOnce;
    last_ = tiling.last != 0;
    result_pitch_ = result_pitch;
    all_parts_ = tiling.outer * tiling.parts;
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(out), tiling.outer);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    if (parts_ == 1) return;
    parts_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace), kPartResults * all_parts_);
    pipe->InitBuffer(part_results_queue_, buffers.part_results.count, buffers.part_results.bytes);
    pipe->InitBuffer(parts_queue_, buffers.parts.count, buffers.parts.bytes);
  }

  __aicore__ inline int64_t Begin(int64_t part) const { return PartBegin(part, part_length_, length_); }

  // Loads `count` elements of parts [first, first + rows), from element `begin` of each part on.
  __aicore__ inline void CopyPartsIn(const AscendC::LocalTensor<T> &tile, uint32_t pitch,
                                     const AscendC::GlobalTensor<T> &gm, int64_t first, uint32_t rows,
                                     int64_t begin, uint32_t count, T fill) {
    if (parts_ == 1) {
      CopyRowsIn(tile, pitch, gm, first * length_ + begin, length_, rows, count, fill);
      return;
    }
    for (uint32_t r = 0; r < rows; ++r) {
      const int64_t line = (first + r) / parts_, part = (first + r) % parts_;
      CopyRowsIn(tile[r * pitch], pitch, gm, line * length_ + Begin(part) + begin, count, 1, count, fill);
    }
  }

  // Stores the results of parts [first, first + rows): indices, or, where lines are in parts, limbs and
  // indices for the other cores. results: limb behind limb, then indices.
  __aicore__ inline void Store(const AscendC::LocalTensor<float> &results, int64_t first, uint32_t rows) {
    if (parts_ > 1) {
      auto stored = part_results_queue_.template AllocTensor<float>();
      AscendC::Adds(stored, results, 0.0f, static_cast<int32_t>(kPartResults * result_pitch_));
      part_results_queue_.EnQue(stored);
      stored = part_results_queue_.template DeQue<float>();
      CopyRowsOut(parts_gm_, first, all_parts_, stored, result_pitch_, kPartResults, rows);
      part_results_queue_.FreeTensor(stored);
    } else {
      auto out = out_queue_.template AllocTensor<I>();
      AscendC::Cast(out, results[kLimbs * result_pitch_], AscendC::RoundMode::CAST_RINT, rows);
      CopyOut(out, first, rows);
    }
  }

  // Joins the results of all parts of this core's share of the lines.
  __aicore__ inline void JoinAllParts() {
    if (parts_ == 1) return;
    WaitForCores();
    const Share lines = CoreShare(all_parts_ / parts_);
    for (int64_t line = lines.begin; line < lines.end; ++line) JoinParts(line);
  }

  AscendC::TPipe *pipe_;
  int64_t all_parts_;  // of all lines

 private:
  static constexpr uint32_t kPartResults = kLimbs + 1;  // of each part: limbs and index

  __aicore__ inline void CopyOut(const AscendC::LocalTensor<I> &results, int64_t line, uint32_t count) {
    out_queue_.EnQue(results);
    auto out = out_queue_.template DeQue<I>();
    CopyRowsOut(out_gm_, line, count, out, result_pitch_, 1, count);
    out_queue_.FreeTensor(out);
  }

  // Finds the largest element of a line among the results of its parts, on the scalar unit: they are a few
  // numbers for each core.
  __aicore__ inline void JoinParts(int64_t line) {
    PartArgmax<T> largest;
    for (int64_t begin = 0; begin < parts_; begin += parts_at_once_) {
      const uint32_t count = TileExtent(begin, parts_at_once_, parts_);
      auto parts = parts_queue_.template AllocTensor<float>();
      CopyRowsIn(parts, parts_at_once_, parts_gm_, line * parts_ + begin, all_parts_, kPartResults, count);
      parts_queue_.EnQue(parts);
      parts = parts_queue_.template DeQue<float>();
      WaitFor<AscendC::HardEvent::MTE2_S>(pipe_);
      for (uint32_t i = 0; i < count; ++i) {
        largest.KeepLarger(parts[i], parts_at_once_, Begin(begin + i), last_);
      }
      WaitFor<AscendC::HardEvent::S_MTE2>(pipe_);
      parts_queue_.FreeTensor(parts);
    }
    auto out = out_queue_.template AllocTensor<I>();
    WaitFor<AscendC::HardEvent::MTE3_S>(pipe_);
    out.SetValue(0, static_cast<I>(largest.index));
    WaitFor<AscendC::HardEvent::S_MTE3>(pipe_);
    CopyOut(out, line, 1);
  }

  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_, part_results_queue_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> parts_queue_;
  AscendC::GlobalTensor<I> out_gm_;
  AscendC::GlobalTensor<float> parts_gm_;
  int64_t length_, parts_, part_length_;
  uint32_t parts_at_once_, result_pitch_;
  bool last_;
};

}  // namespace avo
