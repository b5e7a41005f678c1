// SPDX-License-Identifier: Apache-2.0
// Threads of CPU kernels are injected: torch's, ONNX Runtime's, or the pool below.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

namespace avo {

// Runs body on disjoint ranges that cover [0, count), ranges of at least `grain` where there are that many;
// returns when all are done. Bodies may run at the same time on several threads.
using ParallelFor = std::function<void(int64_t count, int64_t grain,
                                       const std::function<void(int64_t begin, int64_t end)> &body)>;

// All on the calling thread.
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
