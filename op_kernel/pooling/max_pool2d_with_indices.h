// SPDX-License-Identifier: Apache-2.0
// The frame of max_pool2d_with_indices: the cores take tiles in turn, load them, compute, and store them.
//
//   elements of a result:   | tile 0 | tile 1 | tile 2 | tile 3 | tile 4 |
//   core, where 3 run:          0        1        2        0        1
//
// Compute holds no arithmetic yet: it writes zeros.
#pragma once

#include "../common/copies/row_copy.h"
#include "max_pool2d_with_indices_tiling.h"

// TInput: element of input and of the tensors that have its dtype.
// TIndices: element of indices and of the tensors that have its dtype.
// KEY: the tiling key, 0 windows.
template <typename TInput, typename TIndices, uint32_t KEY>
class MaxPool2dWithIndices {
 public:
  // Takes inputs and results in the order of the C entry point, then workspace, tiling and pipe.
  // input: (N, C, H, W)
  // out: (N, C, oH, oW)
  // indices: (N, C, oH, oW)
  __aicore__ inline void Init(GM_ADDR input, GM_ADDR out, GM_ADDR indices, GM_ADDR,
                              const MaxPool2dWithIndicesTiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    input_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ TInput *>(input), t_.inputElements);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ TInput *>(out), t_.outElements);
    indices_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ TIndices *>(indices), t_.indicesElements);
    const MaxPool2dWithIndicesBuffers buffers(t_.tileLength, sizeof(TInput), sizeof(TIndices));
    pipe->InitBuffer(input_queue_, buffers.input.count, buffers.input.bytes);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    pipe->InitBuffer(indices_queue_, buffers.indices.count, buffers.indices.bytes);
  }

  __aicore__ inline void Process() {
    const int64_t tiles = (t_.elements + t_.tileLength - 1) / t_.tileLength;
    for (int64_t tile = AscendC::GetBlockIdx(); tile < tiles; tile += AscendC::GetBlockNum()) {
      const int64_t begin = tile * t_.tileLength;
      CopyIn(begin);
      Compute();
      CopyOut(begin);
    }
  }

 private:
  __aicore__ inline void CopyIn(int64_t begin) {
    Load<TInput>(input_queue_, input_gm_, begin, t_.inputElements);
  }

  // Computes a tile of each result from a tile of each input.
  __aicore__ inline void Compute() {
    auto input = input_queue_.template DeQue<TInput>();
    auto out = out_queue_.template AllocTensor<TInput>();
    AscendC::Duplicate(out.template ReinterpretCast<int16_t>(), int16_t{0},
                       static_cast<int32_t>(t_.tileLength * sizeof(TInput) / sizeof(int16_t)));
    out_queue_.EnQue(out);
    auto indices = indices_queue_.template AllocTensor<TIndices>();
    AscendC::Duplicate(indices.template ReinterpretCast<int16_t>(), int16_t{0},
                       static_cast<int32_t>(t_.tileLength * sizeof(TIndices) / sizeof(int16_t)));
    indices_queue_.EnQue(indices);
    input_queue_.FreeTensor(input);
  }

  __aicore__ inline void CopyOut(int64_t begin) {
    Store<TInput>(out_queue_, out_gm_, begin, t_.outElements);
    Store<TIndices>(indices_queue_, indices_gm_, begin, t_.indicesElements);
  }

  // How many of the `elements` elements of a tensor lie in the tile that starts at `begin`.
  __aicore__ inline uint32_t CountAt(int64_t begin, int64_t elements) const {
    if (begin >= elements) return 0;
    return static_cast<uint32_t>(elements - begin < t_.tileLength ? elements - begin : t_.tileLength);
  }

  // Loads the tile that starts at `begin` into the queue.
  template <typename Element, typename Queue>
  __aicore__ inline void Load(Queue &queue, const AscendC::GlobalTensor<Element> &gm, int64_t begin,
                              int64_t elements) {
    auto tile = queue.template AllocTensor<Element>();
    const uint32_t count = CountAt(begin, elements);
    if (count > 0) avo::CopyRowsIn(tile, t_.tileLength, gm, begin, count, 1, count);
    queue.EnQue(tile);
  }

  // Stores the tile that starts at `begin` from the queue.
  template <typename Element, typename Queue>
  __aicore__ inline void Store(Queue &queue, const AscendC::GlobalTensor<Element> &gm, int64_t begin,
                               int64_t elements) {
    auto tile = queue.template DeQue<Element>();
    const uint32_t count = CountAt(begin, elements);
    if (count > 0) avo::CopyRowsOut(gm, begin, count, tile, t_.tileLength, 1, count);
    queue.FreeTensor(tile);
  }

  MaxPool2dWithIndicesTiling t_;
  AscendC::GlobalTensor<TInput> input_gm_;
  AscendC::GlobalTensor<TInput> out_gm_;
  AscendC::GlobalTensor<TIndices> indices_gm_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> input_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_, indices_queue_;
};
