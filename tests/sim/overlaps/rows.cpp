// SPDX-License-Identifier: Apache-2.0
// Compares what two accesses of rows in global memory share with the bytes of all rows, for random pairs.
// Prints a line for each pair that differs, and at last how many pairs there were and how many share bytes.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>

#include "engine/gm_intervals.h"

namespace {

sim::GmAccess RandomRows(std::mt19937 &random) {
  const int64_t strides[] = {0, 8, 12, 24, 36, 40, -24};
  sim::GmAccess access;
  access.address = 1000 + random() % 64;
  access.rows = 1 + random() % 5;
  access.row_stride = strides[random() % 7];
  access.row_bytes = 1 + random() % 14;
  return access;
}

std::set<uint64_t> BytesOf(const sim::GmAccess &access) {
  std::set<uint64_t> bytes;
  for (uint32_t row = 0; row < access.rows; ++row) {
    const auto begin = access.address + static_cast<uint64_t>(row * access.row_stride);
    for (uint64_t byte = 0; byte < access.row_bytes; ++byte) bytes.insert(begin + byte);
  }
  return bytes;
}

bool Share(const std::set<uint64_t> &a, const std::set<uint64_t> &b) {
  for (const uint64_t byte : a)
    if (b.count(byte) != 0) return true;
  return false;
}

}  // namespace

int main(int, char **arguments) {
  std::mt19937 random(5);
  int shared = 0;
  const int pairs = std::atoi(arguments[1]);
  for (int pair = 0; pair < pairs; ++pair) {
    const sim::GmAccess a = RandomRows(random), b = RandomRows(random);
    const std::set<uint64_t> of_a = BytesOf(a), of_b = BytesOf(b);
    uint64_t begin = 0, end = 0;
    const bool found = sim::Overlap(a, b, &begin, &end);
    bool right = found == Share(of_a, of_b);
    for (uint64_t byte = begin; found && byte < end; ++byte)
      right = right && of_a.count(byte) != 0 && of_b.count(byte) != 0;
    shared += found ? 1 : 0;
    if (!right) {
      std::printf("%llu + %u x %lld of %llu bytes, %llu + %u x %lld of %llu bytes: found %d\n",
                  static_cast<unsigned long long>(a.address), a.rows, static_cast<long long>(a.row_stride),
                  static_cast<unsigned long long>(a.row_bytes), static_cast<unsigned long long>(b.address),
                  b.rows, static_cast<long long>(b.row_stride), static_cast<unsigned long long>(b.row_bytes),
                  found);
    }
  }
  std::printf("%d %d\n", pairs, shared);
  return 0;
}
