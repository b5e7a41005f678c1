// SPDX-License-Identifier: Apache-2.0
// Gradients of windows of which one element each receives something: its maximum.
#pragma once

#include "window_gradients.h"

namespace avo {

template <typename T, typename Tiling, typename Loaded = T>
class MaximumGradients : protected WindowGradients<T, Tiling, Loaded> {
 protected:
  // Gives the gradients of the windows of the chunk whose slot in `taps` holds `tap`, and 0 for the others.
  // bits: room for a bit for each lane of the chunk.
  __aicore__ inline AscendC::LocalTensor<float> TermsWhere(const AscendC::LocalTensor<int32_t> &taps,
                                                           int32_t tap,
                                                           const AscendC::LocalTensor<uint8_t> &bits) {
    const auto terms = this->terms_.template Get<float>();
    const uint32_t count = this->chunk_rows_.count * this->grad_pitch_ * kLanes;
    AscendC::CompareScalar(bits, taps, tap, AscendC::CMPMODE::EQ, count);
    AscendC::Select(terms, bits, this->grads_.template Get<float>(), 0.0f,
                    AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    return terms;
  }
};

}  // namespace avo
