// SPDX-License-Identifier: Apache-2.0
// The frame of max_pool2d_with_indices_backward: the cores take tiles in turn, load them, compute, and store
// them.
//
//   elements of a result:   | tile 0 | tile 1 | tile 2 | tile 3 | tile 4 |
//   core, where 3 run:          0        1        2        0        1
//
// Compute holds no arithmetic yet: it writes zeros.
#pragma once

#include "../common/copies/row_copy.h"
#include "max_pool2d_with_indices_backward_tiling.h"

// TGradOutput: element of grad_output and of the tensors that have its dtype.
// TIndices: element of indices and of the tensors that have its dtype.
// KEY: the tiling key, 0 windows.
template <typename TGradOutput, typename TIndices, uint32_t KEY>
class MaxPool2dWithIndicesBackward {
 public:
  // Takes inputs and results in the order of the C entry point, then workspace, tiling and pipe.
  // grad_output: (N, C, min((H + 2 * padding[0] - dilation[0] * (kernel_size[0] - 1) - 1 + (stride[0] - 1 if
  // ceil_mode else 0)) // stride[0] + 1, (H + padding[0] + stride[0] - 1) // stride[0]), min((W + 2 *
  // padding[1] - dilation[1] * (kernel_size[1] - 1) - 1 + (stride[1] - 1 if ceil_mode else 0)) // stride[1] +
  // 1, (W + padding[1] + stride[1] - 1) // stride[1])) input: (N, C, H, W) indices: grad_output.shape out:
  // (N, C, H, W)
  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR input, GM_ADDR indices, GM_ADDR out, GM_ADDR,
                              const MaxPool2dWithIndicesBackwardTiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    grad_output_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ TGradOutput *>(grad_output),
                                    t_.gradOutputElements);
    input_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ TGradOutput *>(input), t_.inputElements);
    indices_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ TIndices *>(indices), t_.indicesElements);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ TGradOutput *>(out), t_.outElements);
    const MaxPool2dWithIndicesBackwardBuffers buffers(t_.tileLength, sizeof(TGradOutput), sizeof(TIndices));
    pipe->InitBuffer(grad_output_queue_, buffers.grad_output.count, buffers.grad_output.bytes);
    pipe->InitBuffer(input_queue_, buffers.input.count, buffers.input.bytes);
    pipe->InitBuffer(indices_queue_, buffers.indices.count, buffers.indices.bytes);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
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
    Load<TGradOutput>(grad_output_queue_, grad_output_gm_, begin, t_.gradOutputElements);
    Load<TGradOutput>(input_queue_, input_gm_, begin, t_.inputElements);
    Load<TIndices>(indices_queue_, indices_gm_, begin, t_.indicesElements);
  }

  // Computes a tile of each result from a tile of each input.
  __aicore__ inline void Compute() {
    auto grad_output = grad_output_queue_.template DeQue<TGradOutput>();
    auto input = input_queue_.template DeQue<TGradOutput>();
    auto indices = indices_queue_.template DeQue<TIndices>();
    auto out = out_queue_.template AllocTensor<TGradOutput>();
    AscendC::Duplicate(out.template ReinterpretCast<int16_t>(), int16_t{0},
                       static_cast<int32_t>(t_.tileLength * sizeof(TGradOutput) / sizeof(int16_t)));
    out_queue_.EnQue(out);
    grad_output_queue_.FreeTensor(grad_output);
    input_queue_.FreeTensor(input);
    indices_queue_.FreeTensor(indices);
  }

  __aicore__ inline void CopyOut(int64_t begin) {
    Store<TGradOutput>(out_queue_, out_gm_, begin, t_.outElements);
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

  MaxPool2dWithIndicesBackwardTiling t_;
  AscendC::GlobalTensor<TGradOutput> grad_output_gm_;
  AscendC::GlobalTensor<TGradOutput> input_gm_;
  AscendC::GlobalTensor<TIndices> indices_gm_;
  AscendC::GlobalTensor<TGradOutput> out_gm_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> grad_output_queue_, input_queue_, indices_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
};
