// SPDX-License-Identifier: Apache-2.0
// The terms of the gradient of the input of deformable convolution (pixel_terms.h): the gradient of each
// sample goes to the four pixels that the sample was read from. The samples of an image are ordered by tap,
// then by position, as their gradients are in the workspace.
#pragma once

#include "../common/sampling/pixel_terms.h"
#include "deform_taps.h"
#include "deform_terms_buffers.h"

namespace avo {

// Takes windows and weights from DeformTaps::Locate.
class CornerTerms : public PixelTerms {
 public:
  // The window of a sample begins at pixel (y_low, x_low) where `inside` has a bit. Elsewhere the sample does
  // not count. Overwrites y_low.
  __aicore__ inline void SetWindows(const AscendC::LocalTensor<float> &y_low,
                                    const AscendC::LocalTensor<float> &x_low,
                                    const AscendC::LocalTensor<uint8_t> &inside, uint32_t count) {
    constexpr float kOutside = -2.0f;  // for both rows of a window
    AscendC::Select(y_low, inside, y_low, kOutside, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    for (uint32_t i = 0; i < 4; ++i) {
      SetPixels(i, y_low, ToFloat(i / 2), x_low, ToFloat(i % 2), count);
    }
  }
};

template <typename T>
class DeformTerms {
 public:
  // lists: what PixelTerms stores. Takes DeformTermsBuffers of the Unified Buffer.
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR offset, GM_ADDR mask, GM_ADDR lists, const Tiling &t,
                              AscendC::TPipe *pipe) {
    taps_ = t.kernel[0] * t.kernel[1];
    positions_ = t.outSize[0] * t.outSize[1];
    deform_groups_ = t.deformGroups;
    span_ = t.band / 2;
    locations_.Init(offset, mask, t.images, t, pipe);
    terms_.Init(lists, t.bands, pipe);
  }

  // Lists this core's share of the terms of a step of `images` images. The first one is image `first`.
  __aicore__ inline void Process(int64_t first, int64_t images) {
    const int64_t spans = (positions_ + span_ - 1) / span_;
    const Share share = CoreShare(images * deform_groups_ * spans);
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t image = item / spans, position = item % spans * span_, group = image % deform_groups_;
      const uint32_t count = MinRemaining(positions_ - position, span_);
      locations_.SetPositions(position, count);
      for (int64_t tap = 0; tap < taps_; tap += locations_.TapsAtOnce()) {
        const uint32_t taps = MinRemaining(taps_ - tap, locations_.TapsAtOnce());
        locations_.Locate(terms_, first + image / deform_groups_, group * taps_ + tap, taps);
        terms_.Store(image, tap * positions_ + position, count, taps, positions_, locations_.Slots());
      }
    }
  }

 private:
  DeformTaps<T> locations_;
  CornerTerms terms_;
  int64_t taps_, positions_, deform_groups_;
  uint32_t span_;  // positions that are located at once: half a band
};

}  // namespace avo
