// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/sampling/bilinear_rows_buffers.h"
#include "deform_taps_buffers.h"

namespace avo {

// What DeformGradients (deform_gradients.h) puts into the Unified Buffer until the bands of a step are done.
struct DeformGradientsBuffers {
  static constexpr uint64_t kCorners = 4, kRepeat = 64;  // kRepeat: float32 elements of a repeat

  DeformTapsBuffers taps;
  BilinearRowsBuffers corners;
  Buffer sample_grads;  // queue, float32: gradients of samples
  Buffer planes;        // queue of samples, as they are stored: a row of positions for each channel
  Buffer offset_grads;  // queue of gradients of row offsets, column offsets and mask
  Buffer products;      // float32: a repeat of products for each corner of each sample
  Buffer dots;          // float32: sums of these products, 4 planes, then those of one chunk of channels
  Buffer samples;       // float32: samples, a row of channels for each position

  // band: positions of a band; located: most samples of a Locate; sampled: most samples of a tap at once;
  // chunk: most channels of them; item: bytes of an element.
  __aicore__ DeformGradientsBuffers(uint64_t band, uint64_t located, uint64_t sampled, uint64_t chunk,
                                    uint64_t item)
      : taps(band, located, item),
        corners(located, sampled, chunk, item),
        sample_grads{2, sampled * chunk * 4},
        planes{2, sampled * chunk * item},
        offset_grads{1, 3 * located * item},
        products{1, kCorners * sampled * kRepeat * 4},
        dots{1, kCorners * (located + sampled) * 4},
        samples{1, sampled * chunk * 4} {}
};

}  // namespace avo
