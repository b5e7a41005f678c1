// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/sampling/pixel_bands_buffers.h"
#include "deform_taps_buffers.h"

namespace avo {

// What DeformTerms (deform_terms.h) puts into the Unified Buffer until all terms of a step are listed.
struct DeformTermsBuffers {
  static constexpr uint64_t kCorners = 4;

  DeformTapsBuffers taps;
  PixelTermsBuffers terms;

  // band: positions of a band; located: most samples of a Locate; item: bytes of an element.
  __aicore__ DeformTermsBuffers(uint64_t band, uint64_t located, uint64_t item)
      : taps(band, located, item), terms(kCorners, located) {}
};

}  // namespace avo
