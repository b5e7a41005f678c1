// SPDX-License-Identifier: Apache-2.0
// Dot products, over the channels, of the gradient of each sample with the four pixels that the sample was
// read from (bilinear_rows.h). The derivatives of a sample by its position follow from them.
#pragma once

#include "bilinear_rows.h"
#include "corner_dots_buffers.h"

namespace avo {

class CornerDots {
 public:
  static constexpr uint32_t kCorners = CornerDotsBuffers::kCorners;

  // located: most samples; sampled: most samples of an Add; chunk: channels from row to row. Takes
  // CornerDotsBuffers of the Unified Buffer.
  __aicore__ inline void Init(uint32_t located, uint32_t sampled, uint32_t chunk, AscendC::TPipe *pipe) {
    located_ = located;
    sampled_ = sampled;
    chunk_ = chunk;
    const CornerDotsBuffers buffers(located, sampled);
    pipe->InitBuffer(products_, buffers.products.bytes);
    pipe->InitBuffer(dots_, buffers.dots.bytes);
    // Instructions also read the elements behind the last sample. Nothing uses what they compute there, but
    // these elements must have been written.
    AscendC::Duplicate(dots_.template Get<float>(), 0.0f, kCorners * (located + sampled));
  }

  // Dot products with corner i (above left, above right, below left, below right), one for each sample.
  __aicore__ inline AscendC::LocalTensor<float> Dot(uint32_t i) {
    return dots_.template Get<float>()[i * located_];
  }

  // Adds the products over channels [channel, channel + width) of samples [first, first + count) to the dots.
  // Channel 0 starts the sums. rows: what BilinearRows::Rows returns for `batch` samples; grads: gradients of
  // these samples.
  __aicore__ inline void Add(const AscendC::LocalTensor<float> &rows, uint32_t batch,
                             const AscendC::LocalTensor<float> &grads, uint32_t first, uint32_t count,
                             uint32_t channel, uint32_t width) {
    const uint8_t step = static_cast<uint8_t>(chunk_ / kBlock),
                  pair = static_cast<uint8_t>(2 * chunk_ / kBlock);
    const uint8_t repeats = static_cast<uint8_t>(count);
    for (uint32_t i = 0; i < kCorners; ++i) {
      const auto products = products_.template Get<float>()[i * sampled_ * kRepeat];
      const auto corner = rows[i / 2 * batch * 2 * chunk_ + i % 2 * chunk_];
      for (uint32_t c = 0; c < width; c += kRepeat) {
        const uint64_t mask = MinRemaining(width - c, kRepeat);
        const AscendC::BinaryRepeatParams params{1, 1, 1, 8, pair, step};
        if (c == 0) {
          AscendC::Mul(products, corner, grads, mask, repeats, params);
        } else {
          AscendC::MulAddDst(products, corner[c], grads[c], mask, repeats, params);
        }
      }
      const auto sum =
          channel == 0 ? Dot(i)[first] : dots_.template Get<float>()[kCorners * located_ + i * sampled_];
      AscendC::WholeReduceSum(sum, products, static_cast<int32_t>(MinRemaining(width, kRepeat)), repeats, 1,
                              1, 8);
      if (channel != 0) AscendC::Add(Dot(i)[first], Dot(i)[first], sum, count);
    }
  }

 private:
  static constexpr uint32_t kRepeat = CornerDotsBuffers::kRepeat;
  static constexpr uint32_t kBlock = kBlockBytes / sizeof(float);

  AscendC::TBuf<AscendC::TPosition::VECCALC> products_, dots_;
  uint32_t located_, sampled_, chunk_;
};

}  // namespace avo
