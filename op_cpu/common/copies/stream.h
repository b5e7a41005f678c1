// SPDX-License-Identifier: Apache-2.0
// Results that go around the caches.
#pragma once

#include <cstdint>

#include "op_host/common/tensors/tensor.h"

namespace avo {

// Whether results are too large to be kept in caches, which would read lines that are overwritten.
inline bool OutgrowsCaches(const Tensor &tensor) {
  constexpr int64_t kCacheBytes = 4 << 20;
  return tensor.numel() * DTypeSize(tensor.dtype) > kCacheBytes;
}

// Whether vectors of results go around the caches: they outgrow them, and a vector along a unit stride is
// aligned. At AVX-512 2 x for scans with indices, 1.2 x without, 2.3 x for 400 MB of resampled rows.
inline bool Streams(const Tensor &tensor) {
  constexpr int64_t kAlignment = 64;
  const int64_t size = DTypeSize(tensor.dtype);
  bool aligned = reinterpret_cast<uintptr_t>(tensor.data) % kAlignment == 0;
  for (int64_t d = 0; d < tensor.rank(); ++d) {
    aligned &= tensor.shape[d] == 1 || tensor.strides[d] == 1 || tensor.strides[d] * size % kAlignment == 0;
  }
  return aligned && OutgrowsCaches(tensor);
}

}  // namespace avo
