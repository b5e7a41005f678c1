// SPDX-License-Identifier: Apache-2.0
#include "op_host/common/borders/caller_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "op_host/common/tensors/contract.h"

namespace avo {
namespace {

// The addresses [begin, end) of all bytes of a view, and of those between them.
struct Range {
  intptr_t begin = 0;
  intptr_t end = 0;
  bool Meets(const Range &other) const { return begin < other.end && other.begin < end; }
};

Range RangeOf(const Tensor &view) {
  const auto size = static_cast<intptr_t>(DTypeSize(view.dtype));
  const auto first = reinterpret_cast<intptr_t>(view.data);
  if (view.numel() == 0 || view.data == nullptr) return {};
  Range range{first, first + size};
  for (size_t i = 0; i < view.shape.size(); ++i) {
    const intptr_t reach = (view.shape[i] - 1) * view.strides[i] * size;
    // What a view reaches can be counted, but not always from where it begins.
    intptr_t &side = reach < 0 ? range.begin : range.end;
    if (__builtin_add_overflow(side, reach, &side)) side = reach < 0 ? INTPTR_MIN : INTPTR_MAX;
  }
  return range;
}

// Whether the stride of each dimension is larger than all that the dimensions of smaller strides reach
// together. This holds for views of dense tensors, and then no two elements share memory.
bool StepsOver(const Tensor &view) {
  const size_t rank = view.shape.size();
  for (size_t i = 0; i < rank; ++i) {
    if (view.shape[i] == 1) continue;
    const int64_t step = std::abs(view.strides[i]);
    int64_t reach = 0;
    for (size_t other = 0; other < rank; ++other) {
      const int64_t smaller = std::abs(view.strides[other]);
      if (other != i && smaller <= step) reach += (view.shape[other] - 1) * smaller;
    }
    if (step <= reach) return false;
  }
  return true;
}

// Views that interlock over more bytes than these are taken to share memory: to look at each byte would take
// seconds, and a bit of memory for each.
constexpr intptr_t kMostBytes = intptr_t{1} << 33;

// Marks the bytes of a range that belong to an element. Bytes outside the range are ignored.
class Bytes {
 public:
  explicit Bytes(const Range &range) : range_(range), marked_(range.end - range.begin) {}

  // Marks the bytes of all elements. Returns whether none of them was marked before; stops at the first that
  // was.
  bool Mark(const Tensor &view) {
    return Visit(view, 0, RangeOf(view), [this](size_t byte) {
      const bool free = !marked_[byte];
      marked_[byte] = true;
      return free;
    });
  }

  bool AreFree(const Tensor &view) const {
    return Visit(view, 0, RangeOf(view), [this](size_t byte) { return !marked_[byte]; });
  }

 private:
  // Whether `test` holds for each byte in the range of each element. `whole` holds the elements that the
  // dimensions from `dim` on reach. Slices of the view that lie outside the range are not visited.
  template <typename Test>
  bool Visit(const Tensor &view, size_t dim, const Range &whole, const Test &test) const {
    if (dim == view.shape.size()) {
      const intptr_t last = std::min(whole.end, range_.end);
      for (intptr_t byte = std::max(whole.begin, range_.begin); byte < last; ++byte) {
        if (!test(static_cast<size_t>(byte - range_.begin))) return false;
      }
      return true;
    }
    const intptr_t step = std::abs(view.strides[dim]) * static_cast<intptr_t>(DTypeSize(view.dtype));
    const intptr_t extent = view.shape[dim];
    // The slice of the lowest address; those behind it follow at the distance of a step.
    const Range slice{whole.begin, whole.end - (extent - 1) * step};
    intptr_t first = 0, behind = extent;
    if (step > 0) {
      first = std::max<intptr_t>(0, (range_.begin - slice.end) / step);
      behind = std::min<intptr_t>(extent, (range_.end - slice.begin) / step + 1);
    }
    for (intptr_t i = first; i < behind; ++i) {
      if (!Visit(view, dim + 1, {slice.begin + i * step, slice.end + i * step}, test)) return false;
    }
    return true;
  }

  Range range_;
  std::vector<bool> marked_;
};

// Whether two tensors share no byte. Where their ranges overlap, they may still be interlocking views; this
// is rare, so each byte is looked at.
bool ShareNothing(const Tensor &result, const Tensor &other) {
  const Range a = RangeOf(result), b = RangeOf(other);
  if (!a.Meets(b)) return true;
  const Range both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  if (both.end - both.begin > kMostBytes) return false;
  Bytes bytes(both);
  bytes.Mark(result);
  return bytes.AreFree(other);
}

bool OverlapsItself(const Tensor &result) {
  if (result.numel() == 0 || result.data == nullptr || StepsOver(result)) return false;
  const Range range = RangeOf(result);
  return range.end - range.begin > kMostBytes || !Bytes(range).Mark(result);
}

// Whether the bytes between the start of the storage and the end of a view can be counted in 63 bits, and
// those of a dense copy too.
bool CanBeCounted(const Tensor &view, int64_t offset) {
  const int64_t size = std::max<int64_t>(DTypeSize(view.dtype), 1);
  if (std::find(view.shape.begin(), view.shape.end(), 0) != view.shape.end()) return true;
  int64_t dense = size, last = offset;
  for (size_t i = 0; i < view.shape.size(); ++i) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(dense, view.shape[i], &dense) ||
        __builtin_mul_overflow(view.shape[i] - 1, std::abs(view.strides[i]), &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return false;
    }
  }
  return !__builtin_add_overflow(last, 1, &last) && !__builtin_mul_overflow(last, size, &last);
}

}  // namespace

Status CheckReach(const char *name, const Tensor &view, int64_t offset) {
  if (CanBeCounted(view, offset)) return Status::Ok();
  return Fail(StatusCode::kInvalid, name, ": expected fewer than 2^63 bytes, got shape ",
              ShowList(view.shape), " with strides ", ShowList(view.strides), " and offset ", offset);
}

Status CheckOwnMemory(std::initializer_list<NamedTensor> results, std::initializer_list<NamedTensor> inputs) {
  for (const NamedTensor &result : results) {
    if (OverlapsItself(*result.tensor)) {
      return Fail(StatusCode::kInvalid, result.name,
                  ": expected elements with memory of their own, got some that share it");
    }
    const auto shared = [&result](const NamedTensor &other) {
      return other.tensor != nullptr && other.tensor != result.tensor &&
             !ShareNothing(*result.tensor, *other.tensor);
    };
    for (const auto &others : {inputs, results}) {
      const auto *const other = std::find_if(others.begin(), others.end(), shared);
      if (other == others.end()) continue;
      return Fail(StatusCode::kInvalid, result.name, ": expected memory of its own, got some that ",
                  other->name, " lies in");
    }
  }
  return Status::Ok();
}

Status CheckChosen(const char *result, DType dtype, const char *attribute, std::optional<DType> chosen) {
  if (!chosen || *chosen == dtype) return Status::Ok();
  return Fail(StatusCode::kInvalid, result, ": expected ", attribute, ", ", DTypeName(*chosen), ", got ",
              DTypeName(dtype));
}

}  // namespace avo
