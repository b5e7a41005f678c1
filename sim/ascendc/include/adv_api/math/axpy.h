// SPDX-License-Identifier: Apache-2.0
// dst += scalar * src with work memory: half is computed in float, and rounded once.
#pragma once

#include "../../kernel_operator_vec_ternary_scalar_intf.h"
#include "../sim_stage.h"

namespace AscendC {

template <typename T, typename U, bool isReuseSource = false>
__aicore__ inline void Axpy(const LocalTensor<T> &dstTensor, const LocalTensor<U> &srcTensor,
                            const U scalarValue, const LocalTensor<uint8_t> &sharedTmpBuffer,
                            const uint32_t calCount, sim::Where where = sim::Where::Here()) {
  if constexpr (std::is_same_v<T, half>) {
    static_assert(std::is_same_v<U, half>, "Axpy: the scalar and the source have one type");
    const auto body = [scalarValue](const sim::Stage &v, const sim::Floats &y, const sim::Parts &,
                                    const sim::Floats &old, const sim::Floats &x) {
      v.Muls(x, x, static_cast<float>(scalarValue));
      v.Add(y, old, x);
    };
    sim::InPieces<0>("Axpy", &sharedTmpBuffer, calCount, where, body, dstTensor, dstTensor, srcTensor);
  } else {
    Axpy(dstTensor, srcTensor, scalarValue, static_cast<int32_t>(calCount), where);
  }
}

}  // namespace AscendC
