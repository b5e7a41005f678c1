// SPDX-License-Identifier: Apache-2.0
// Called from Python, as the kernels are.
#include <atomic>
#include <cstdint>
#include <memory>

#include "op_cpu/common/parallel/parallel.h"

namespace {

// Two ranges on the pool, each of which waits until both have begun: without the wait one thread might take
// both, and nothing would happen at the same time. Relaxed, for it must not order what the bodies do.
template <typename Body>
void Together(const Body &body) {
  std::atomic<int> begun{0};
  avo::PoolFor(2, 1, [&](int64_t begin, int64_t) {
    begun.fetch_add(1, std::memory_order_relaxed);
    while (begun.load(std::memory_order_relaxed) < 2) {
    }
    body(begin);
  });
}

}  // namespace

// Right: each thread has memory of its own.
extern "C" int64_t Apart() {
  int64_t sums[2] = {0, 0};
  Together([&](int64_t range) { sums[range] += range + 1; });
  return sums[0] + sums[1];
}

// Wrong: both threads add to one number.
extern "C" int64_t Race() {
  int64_t sum = 0;
  Together([&](int64_t range) { sum += range + 1; });
  return sum;
}

// Wrong where `index` is `length` or more.
extern "C" int64_t Read(int64_t length, int64_t index) {
  const auto numbers = std::make_unique<int64_t[]>(static_cast<size_t>(length));
  const volatile int64_t *const memory = numbers.get();
  return memory[index];
}

// Wrong where the sum does not fit.
extern "C" int32_t Sum(int32_t a, int32_t b) { return a + b; }
