// SPDX-License-Identifier: Apache-2.0
// A helper as kernels have them: it owns its buffers, and its lines say nothing about the kernel that calls
// it.
#pragma once

#include "twice_plus.h"

class RowAdder {
 public:
  __aicore__ inline void Init(GM_ADDR self, AscendC::TPipe *pipe) {
    self_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(self), kTile);
    pipe->InitBuffer(rows_, kTile * sizeof(float));
    pipe->InitBuffer(this->sums_, kTile * sizeof(float));
  }
  // The caller sets the flags: Load is a copy on MTE2, Add works on V.
  __aicore__ inline void Load() { AscendC::DataCopy(rows_.Get<float>(), self_, kTile); }
  __aicore__ inline void Add() { AscendC::Adds(sums_.Get<float>(), rows_.Get<float>(), 1.0f, kTile); }
  __aicore__ inline void AddTwice() {
    Add();
    AscendC::Add(sums_.Get<float>(), sums_.Get<float>(), rows_.Get<float>(), 2 * kTile);
  }

 private:
  AscendC::TBuf<AscendC::TPosition::VECCALC> rows_, sums_;
  AscendC::GlobalTensor<float> self_;
};
