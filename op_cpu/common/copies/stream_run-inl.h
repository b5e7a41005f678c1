// SPDX-License-Identifier: Apache-2.0
// Stores runs of results around the caches. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_STREAM_RUN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_STREAM_RUN_INL_H_
#undef AVO_OP_CPU_COMMON_STREAM_RUN_INL_H_
#else
#define AVO_OP_CPU_COMMON_STREAM_RUN_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/common/copies/stream.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Copies `count` elements to a place of any alignment. Whole lines of the caches, 64 bytes, go around them;
// what lies before and behind these is stored as usual.
template <typename T>
void StreamRun(const T *from, int64_t count, T *to) {
  constexpr size_t kLine = 64;
  const hn::CappedTag<uint8_t, kLine> d;
  const size_t bytes = count * sizeof(T);
  const auto *source = reinterpret_cast<const uint8_t *>(from);
  auto *target = reinterpret_cast<uint8_t *>(to);
  size_t i = std::min(bytes, -reinterpret_cast<uintptr_t>(to) % kLine);
  std::memcpy(target, source, i);
  for (; i + kLine <= bytes; i += kLine) {
    for (size_t j = 0; j < kLine; j += hn::Lanes(d)) {
      hn::Stream(hn::LoadU(d, source + i + j), d, target + i + j);
    }
  }
  std::memcpy(target + i, source + i, bytes - i);
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
