// SPDX-License-Identifier: Apache-2.0
// Which tensors the caches hold, and which results are stored past them.
#pragma once

#include <cstdint>

#include "op_cpu/common/vectors/simd.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

// Bytes of the second cache of a core, of common processors.
constexpr int64_t kSecondCache = 1 << 20;

inline bool OutgrowsSecondCache(const Tensor &tensor) {
  return tensor.numel() * DTypeSize(tensor.dtype) > kSecondCache;
}

// Whether a result is too large for the caches. Then storing through them would only read lines that are
// overwritten. The third cache of AMD, whose processors load elements one by one, takes stores well: on Zen
// 4, copies of 4 to 8 MB take .7 to .9 x the time through the caches, and .55 to .7 x with a reader of the
// copy; 12 MB take 1.2 x. On a Xeon they take 1.3 x at 6.5 MB.
inline bool OutgrowsCaches(const Tensor &tensor) {
  const int64_t cache_bytes = LoadsElements() ? 8 << 20 : 4 << 20;
  return tensor.numel() * DTypeSize(tensor.dtype) > cache_bytes;
}

// Whether vectors of a result are stored past the caches: it is too large for them, and vectors along a
// stride of 1 are aligned. At AVX-512 this gives 2 x for scans with indices, 1.2 x without, 2.3 x for 400 MB
// of resampled rows.
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
