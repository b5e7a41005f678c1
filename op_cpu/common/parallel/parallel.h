// SPDX-License-Identifier: Apache-2.0
// How CPU kernels use threads. A caller passes a ParallelFor: that of torch, that of ONNX Runtime, or the
// pool below.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

namespace avo {

// Calls body for disjoint ranges that cover [0, count), each of at least `grain` items where there are so
// many. Returns when all calls have returned. Several threads may call body at the same time.
using ParallelFor = std::function<void(int64_t count, int64_t grain,
                                       const std::function<void(int64_t begin, int64_t end)> &body)>;

// Runs everything on the calling thread.
void SerialFor(int64_t count, int64_t grain, const std::function<void(int64_t begin, int64_t end)> &body);

// On a pool of as many threads as the machine has cores, shared by the process. Nested calls run serially.
void PoolFor(int64_t count, int64_t grain, const std::function<void(int64_t begin, int64_t end)> &body);

// The grain of items that each compute `elements` elements. Below the number of a grain, waking a second
// thread (some 10 us) takes longer than it saves.
inline int64_t GrainOf(int64_t elements) {
  constexpr int64_t kGrainElements = 16384;
  return std::max<int64_t>(1, kGrainElements / std::max<int64_t>(elements, 1));
}

}  // namespace avo
