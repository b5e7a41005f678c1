// SPDX-License-Identifier: Apache-2.0
// An API above the intrinsics, as CANN's headers are one: faults name the line outside of this folder.
#pragma once

constexpr uint16_t kFloatsOfBlock = 8;

// The memory of an API's tensor of floats.
template <typename T>
struct Memory {
  __ubuf__ T *start;

  T GetValue(uint32_t i) const { return start[i]; }
  void SetValue(uint32_t i, T value) const { start[i] = value; }
};

namespace impl {

inline __attribute__((noinline)) void AddBlocks(__ubuf__ float *dst, __ubuf__ float *src, uint8_t blocks) {
  set_mask_count();
  set_vector_mask(0, uint64_t{blocks} * kFloatsOfBlock);
  vadd(dst, src, src, 1, 1, 1, 1, 8, 8, 8);
}

}  // namespace impl

// dst = src + src
inline void Add(__ubuf__ float *dst, __ubuf__ float *src, uint8_t blocks) {
  impl::AddBlocks(dst, src, blocks);
}

// dst = 4 src, by two additions, of which the second one needs a barrier that is not there.
inline __attribute__((noinline)) void Fourfold(__ubuf__ float *dst, __ubuf__ float *src, uint8_t blocks) {
  impl::AddBlocks(dst, src, blocks);
  impl::AddBlocks(dst, dst, blocks);
}

inline void CopyIn(__ubuf__ float *dst, __gm__ float *src, uint16_t blocks) {
  copy_gm_to_ubuf(dst, src, 0, 1, blocks, 0, 0);
}
