// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/sampling/bilinear_rows_buffers.h"
#include "deform_taps_buffers.h"

namespace avo {

// What DeformColumns (deform_columns.h) puts into the Unified Buffer.
struct DeformColumnsBuffers {
  DeformTapsBuffers taps;
  BilinearRowsBuffers corners;
  Buffer samples;  // queue of samples, as they are stored

  // band: positions of a band; located: most samples of a Locate; sampled: most samples of a tap at once;
  // chunk: most channels of them; item: bytes of an element.
  __aicore__ DeformColumnsBuffers(uint64_t band, uint64_t located, uint64_t sampled, uint64_t chunk,
                                  uint64_t item)
      : taps(band, located, item),
        corners(located, sampled, chunk, item),
        samples{2, sampled * chunk * item} {}
};

}  // namespace avo
