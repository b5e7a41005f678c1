// SPDX-License-Identifier: Apache-2.0
// The sizes of a tensor; -1 for one that a graph does not know yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace gert {

class Shape {
 public:
  static constexpr size_t kMaxDimNum = 25;
  static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) {
    for (const int64_t dim : dims) AppendDim(dim);
  }

  size_t GetDimNum() const { return count_; }
  void SetDimNum(size_t count) { count_ = count; }
  int64_t GetDim(size_t index) const { return index < kMaxDimNum ? dims_[index] : kInvalidDimValue; }
  void SetDim(size_t index, int64_t value) {
    if (index < kMaxDimNum) dims_[index] = value;
  }
  Shape &AppendDim(int64_t value) {
    if (count_ < kMaxDimNum) dims_[count_++] = value;
    return *this;
  }
  const int64_t &operator[](size_t index) const { return dims_[index]; }
  int64_t &operator[](size_t index) { return dims_[index]; }

  int64_t GetShapeSize() const {
    int64_t size = 1;
    for (size_t i = 0; i < count_; ++i) size *= dims_[i];
    return size;
  }
  bool IsScalar() const { return count_ == 0; }
  void SetScalar() { count_ = 0; }

  bool operator==(const Shape &other) const {
    bool same = count_ == other.count_;
    for (size_t i = 0; same && i < count_; ++i) same = dims_[i] == other.dims_[i];
    return same;
  }
  bool operator!=(const Shape &other) const { return !(*this == other); }

 private:
  size_t count_ = 0;
  int64_t dims_[kMaxDimNum] = {};
};

}  // namespace gert
