// SPDX-License-Identifier: Apache-2.0
// What generated contracts call: arithmetic on shapes as contracts define it, and how values print.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include "op_host/common/tensors/status.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

// Where a call will run. Some operators take more dtypes on the CPU.
enum class Target : uint8_t { kNpu, kCpu };

// Division that rounds towards minus infinity, and its remainder. Both are 0 for a divisor of 0, which a
// later check rejects. A quotient beyond the range is the upper end of it.
constexpr int64_t FloorDiv(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return a == std::numeric_limits<int64_t>::min() ? std::numeric_limits<int64_t>::max() : -a;
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

constexpr int64_t FloorMod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a - FloorDiv(a, b) * b; }

constexpr int64_t ToInt64(int64_t value) { return value; }

// Rounds towards zero. Values beyond the range become the nearest end of it, and NaN becomes the lower end.
inline int64_t ToInt64(double value) {
  constexpr double kLimit = 9223372036854775808.0;
  if (value >= kLimit) return std::numeric_limits<int64_t>::max();
  return value > -kLimit ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min();
}

// Converts a double to the integer with the same bits, for interfaces whose floats have 32 bits.
inline int64_t DoubleBits(double value) {
  int64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline double DoubleFromBits(int64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline int64_t MinOf(const Shape &values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}
inline int64_t MaxOf(const Shape &values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

// Converts a dimension in [-rank, rank) to one in [0, rank).
constexpr int64_t WrapDimension(int64_t dim, int64_t rank) { return dim < 0 ? dim + rank : dim; }

// Removes dimension `dim` from a shape, or sets it to 1 with keepdim. Where there is no such dimension,
// removes all of them, or sets all of them to 1.
inline Shape DropDimension(Shape shape, int64_t dim, bool keepdim) {
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t position = WrapDimension(dim, rank);
  if (position < 0 || position >= rank) return keepdim ? Shape(shape.size(), 1) : Shape();
  if (keepdim) {
    shape[position] = 1;
  } else {
    shape.erase(shape.begin() + position);
  }
  return shape;
}

inline bool IsOneOf(DType dtype, std::initializer_list<DType> dtypes) {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

// Describes a dense output. Its memory is set later.
inline void SetDense(Tensor *tensor, const Shape &shape, DType dtype) {
  *tensor = {dtype, shape, ContiguousStrides(shape), nullptr};
}

// --- other lengths and ranks that entry points also take ---

inline bool HasLength(const Shape &values, std::initializer_list<size_t> lengths) {
  return std::find(lengths.begin(), lengths.end(), values.size()) != lengths.end();
}

// Returns the array of an entry point as one of `length` elements. One element stands for all of them, and an
// empty array means `empty` for all. Of an array of twice as many elements, returns half number `half`.
inline Shape Spread(const Shape &given, size_t length, int64_t empty, size_t half) {
  if (given.size() < 2) return Shape(length, given.empty() ? empty : given[0]);
  if (given.size() == length) return given;
  const auto first = given.begin() + static_cast<std::ptrdiff_t>(half * length);
  return Shape(first, first + static_cast<std::ptrdiff_t>(length));
}

// Adds a first dimension of 1 to a tensor that has one dimension fewer than `rank`.
inline void AddBatch(Tensor *tensor, int64_t rank) {
  if (tensor->rank() + 1 != rank) return;
  tensor->strides.insert(tensor->strides.begin(), tensor->numel());
  tensor->shape.insert(tensor->shape.begin(), 1);
}

struct BatchedTensor {
  Tensor *tensor;
  int64_t rank;
  const char *name;
};

// Does the same for the tensors of a call. Either all of them have their first dimension, or none has.
inline Status AddBatch(std::initializer_list<BatchedTensor> tensors) {
  const BatchedTensor &first = *tensors.begin();
  const int64_t missing = first.rank - first.tensor->rank();
  if (missing != 0 && missing != 1)
    return Status::Ok();  // the contract rejects this rank with its own message
  for (const BatchedTensor &each : tensors) {
    if (each.rank - each.tensor->rank() != missing && each.tensor->rank() + 1 >= each.rank) {
      return Fail(StatusCode::kInvalid, each.name, ": expected rank ", each.rank - missing, " as ",
                  first.name, " has its first dimension or not, got rank ", each.tensor->rank());
    }
  }
  for (const BatchedTensor &each : tensors) {
    if (missing == 1) AddBatch(each.tensor, each.rank);
  }
  return Status::Ok();
}

// --- how messages print values ---

inline std::string Show(const Shape &values, const char *open = "(", const char *close = ")") {
  std::ostringstream text;
  for (size_t i = 0; i < values.size(); ++i) text << (i == 0 ? "" : ", ") << values[i];
  return open + text.str() + (values.size() == 1 && *open == '(' ? "," : "") + close;
}
inline std::string ShowList(const Shape &values) { return Show(values, "[", "]"); }
inline std::string Show(int64_t value) { return std::to_string(value); }
inline std::string Show(bool value) { return value ? "true" : "false"; }
inline std::string Show(const std::string &value) { return '"' + value + '"'; }
inline std::string Show(DType dtype) { return DTypeName(dtype); }
inline std::string Show(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}
template <typename T>
std::string Show(const std::optional<T> &value) {
  return value ? Show(*value) : "none";
}

// --- how a tiling struct prints ---

template <typename T>
std::string Json(T value) {
  if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return "null";
    std::ostringstream text;
    text.precision(std::numeric_limits<T>::max_digits10);
    text << value;
    return text.str();
  } else {
    return std::to_string(value);
  }
}

template <typename T, size_t N>
std::string Json(const T (&values)[N]) {
  std::string text = "[";
  for (size_t i = 0; i < N; ++i) text += (i == 0 ? "" : ", ") + Json(values[i]);
  return text + "]";
}

}  // namespace avo
