// SPDX-License-Identifier: Apache-2.0
// Compares the sums of a product over k, with each width of registers that this host has, with sums one by
// one. Prints a line for each width and type: its bytes, the type, and how many of 64 sums have the same
// bits.
#include "sim/mmad_lanes.h"

#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr uint32_t kDepth = 203;  // odd, and longer than a fractal

template <typename R>
using Function = void (*)(const R *const (&)[sim::kPanelRows], const R *, uint32_t, R *);

// Compilers must not join the two steps.
template <typename R>
R SumOf(const R *a, const R *b, R start) {
  volatile R sum = start;
  for (uint32_t i = 0; i < kDepth; ++i) {
    volatile R product = a[i] * b[uint64_t{i} * sim::kPanelColumns];
    sum = sum + product;
  }
  return sum;
}

template <typename R>
void Compare(const char *type, uint32_t bytes, Function<R> function) {
  std::mt19937 random(3);
  const auto number = [&] { return static_cast<R>((static_cast<double>(random()) - 2e9) / 1.7e7); };
  std::vector<R> a(sim::kPanelRows * kDepth), b(kDepth * sim::kPanelColumns);
  for (R &value : a) value = number();
  for (R &value : b) value = number();
  const R *rows[sim::kPanelRows];
  R sums[sim::kPanelRows * sim::kPanelColumns], wanted[sim::kPanelRows * sim::kPanelColumns];
  for (uint32_t row = 0; row < sim::kPanelRows; ++row) {
    rows[row] = a.data() + row * kDepth;
    for (uint32_t column = 0; column < sim::kPanelColumns; ++column) {
      const uint32_t place = row * sim::kPanelColumns + column;
      sums[place] = number();
      wanted[place] = SumOf(rows[row], b.data() + column, sums[place]);
    }
  }
  function(rows, b.data(), kDepth, sums);
  int same = 0;
  for (size_t i = 0; i < std::size(sums); ++i) same += std::memcmp(&sums[i], &wanted[i], sizeof(R)) == 0;
  std::printf("%u %s %d\n", bytes, type, same);
}

template <typename R>
void CompareAll(const char *type) {
  Compare<R>(type, 16, sim::AddPanelAnywhere<R>);
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) Compare<R>(type, 32, sim::AddPanelAvx2<R>);
  if (__builtin_cpu_supports("avx512f")) Compare<R>(type, 64, sim::AddPanelAvx512<R>);
#endif
}

}  // namespace

int main() {
  CompareAll<float>("float");
  CompareAll<int32_t>("int32_t");
  return 0;
}
