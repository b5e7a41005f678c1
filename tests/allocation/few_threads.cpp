// SPDX-License-Identifier: Apache-2.0
// few_threads N: lets the N-th allocation fail with which the package's pool starts, on a machine that seems
// to have four cores. The first one makes the list of threads, and each further one is for a thread. The
// threads that are there have to do all of the work. Prints how many allocations there were; the exit code is
// 1 where some of the work was not done.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <thread>

#include "op_cpu/common/parallel/parallel.h"

namespace {

int refused = 0, made = 0;
bool started = false;

void *Allocate(size_t size) {
  if (started && ++made == refused) throw std::bad_alloc();
  if (void *memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

unsigned std::thread::hardware_concurrency() noexcept { return 4; }

void *operator new(size_t size) { return Allocate(size); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  refused = std::atoi(argv[1]);
  constexpr int64_t kCount = 1000;
  std::atomic<int64_t> sum{0};
  const std::function<void(int64_t, int64_t)> add = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sum += i;
  };
  started = true;
  avo::PoolFor(kCount, 1, add);
  started = false;
  std::printf("%d\n", made);
  return sum == kCount * (kCount - 1) / 2 ? 0 : 1;
}
