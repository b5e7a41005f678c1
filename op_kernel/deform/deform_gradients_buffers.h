// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/sampling/bilinear_rows_buffers.h"
#include "../common/sampling/corner_dots_buffers.h"
#include "deform_taps_buffers.h"

namespace avo {

// What DeformGradients (deform_gradients.h) puts into the Unified Buffer until the bands of a step are done.
struct DeformGradientsBuffers {
  DeformTapsBuffers taps;
  BilinearRowsBuffers corners;
  CornerDotsBuffers dots;
  Buffer sample_grads;  // queue, float32: gradients of samples
  Buffer planes;        // queue of samples, as they are stored: a row of positions for each channel
  Buffer offset_grads;  // queue of gradients of row offsets, column offsets and mask
  Buffer samples;       // float32: samples, a row of channels for each position

  // band: positions of a band; located: most samples of a Locate; sampled: most samples of a tap at once;
  // chunk: most channels of them; item: bytes of an element.
  __aicore__ DeformGradientsBuffers(uint64_t band, uint64_t located, uint64_t sampled, uint64_t chunk,
                                    uint64_t item)
      : taps(band, located, item),
        corners(located, sampled, chunk, item),
        dots(located, sampled),
        sample_grads{2, sampled * chunk * 4},
        planes{2, sampled * chunk * item},
        offset_grads{1, 3 * located * item},
        samples{1, sampled * chunk * 4} {}
};

}  // namespace avo
