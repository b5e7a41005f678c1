// SPDX-License-Identifier: Apache-2.0
// Vector instructions with two sources.
#pragma once

namespace AscendC {

// dst = src0 + src1 for `count` elements from the start of each tensor.
template <typename T>
__aicore__ inline void Add(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                           int32_t count) {
  set_mask_count();
  set_vector_mask(0, count);
  vadd(dst.Pointer(), src0.Pointer(), src1.Pointer(), 1, 1, 1, 1, 8, 8, 8);
  set_mask_norm();
  set_vector_mask(~uint64_t{0}, ~uint64_t{0});
}

}  // namespace AscendC
