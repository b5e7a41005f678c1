// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "op_cpu/common/memory/aligned.h"

namespace avo {

// The last few of many numbered lines: line n lies in place n % kept until line n + kept replaces it.
//
//   kept 3, lines 4 to 6     place 0: line 6     place 1: line 4     place 2: line 5
template <typename T>
class KeptLines {
 public:
  // kept: how many lines; size: elements of a line.
  KeptLines(int64_t kept, int64_t size) : size_(size), lines_(kept * size), numbers_(kept, -1) {}

  void Clear() { std::fill(numbers_.begin(), numbers_.end(), -1); }

  // Line `number`. Where it is not kept, compute(line) writes it first.
  template <class Compute>
  const T *Get(int64_t number, const Compute &compute) {
    const int64_t place = number % static_cast<int64_t>(numbers_.size());
    T *line = lines_.data() + place * size_;
    if (numbers_[place] != number) {
      numbers_[place] = number;
      compute(line);
    }
    return line;
  }

 private:
  const int64_t size_;
  AlignedVector<T> lines_;
  std::vector<int64_t> numbers_;  // of the line in each place, -1 where there is none
};

}  // namespace avo
