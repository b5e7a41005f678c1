// SPDX-License-Identifier: Apache-2.0
// What lines of pooling windows have in common, whichever dimension is a vector's. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_COMMON_WINDOW_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_WINDOW_LINES_INL_H_
#undef AVO_OP_CPU_COMMON_WINDOW_LINES_INL_H_
#else
#define AVO_OP_CPU_COMMON_WINDOW_LINES_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "hwy/cache_control.h"
#include "op_cpu/common/copies/stream.h"
#include "op_cpu/pooling/fold-inl.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls body(image, first row, last row) for the rows [begin, end) of images one after the other.
template <class Body>
void ForImages(int64_t begin, int64_t end, int64_t rows, const Body &body) {
  for (int64_t image = begin / rows; begin < end; ++image) {
    const int64_t first = begin - image * rows, last = std::min(rows, end - image * rows);
    body(image, first, last);
    begin += last - first;
  }
}

// Brings elements to the caches; where there are none, a prefetch does nothing.
template <typename T>
void PrefetchRun(const T *run, int64_t length) {
  for (int64_t x = 0; x < length; x += 64 / sizeof(T)) hwy::Prefetch(run + x);
}

// Lines of windows, of Op: Largest, or Total, which is multiplied by what the divisors say.
template <class Op, typename T>
class WindowLines {
 public:
  explicit WindowLines(const Windows &windows)
      : windows_(windows), columns_(windows.columns), rows_(windows.Rows()), inside_(windows.rows.kernel) {}

 protected:
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using Line = hwy::AlignedVector<C>;
  static constexpr bool kMean = std::is_same_v<Op, Total>;

  static size_t Lanes() { return hn::Lanes(D()); }
  static C Identity() { return hn::GetLane(Op::Identity(D())); }

  // Whether results go around the caches. At AVX-512 for 8 x 64 images of 112 x 112: 1.25 x for 3 x 3 means
  // at strides of 1, 1.7 x channels-last; 1.25 x for 2 x 2 maxima at strides of 2 into memory that is in no
  // cache; nothing for a sixth of the image.
  bool Streams() const {
    return OutgrowsCaches(windows_.out) && 5 * windows_.out.numel() > windows_.in.numel();
  }

  // Sets inside_ to those rows of the image that lie inside windows of this row; returns their number.
  int64_t Inside(const T *image, int64_t row) {
    const int64_t stride = windows_.in.strides[2], step = windows_.rows.dilation * stride;
    const T *next = image + rows_[row].first * stride;
    for (int64_t i = 0; i < rows_[row].count; ++i, next += step) inside_[i] = next;
    return rows_[row].count;
  }

  // By how much sums of this row of windows are multiplied, one number for each column.
  const C *Factors(int64_t row) {
    const int64_t height = windows_.divisors.rows[row];
    if (height == height_) return factors_.data();
    const D d;
    const auto &widths = windows_.divisors.columns;
    factors_.resize(hwy::RoundUpTo(widths.size(), Lanes()) + Lanes());
    for (size_t i = 0; i < widths.size(); ++i) factors_[i] = static_cast<C>(widths[i]);
    for (size_t i = 0; i < widths.size(); i += Lanes()) {
      const auto divisor = hn::Mul(hn::Set(d, static_cast<C>(height)), hn::LoadU(d, &factors_[i]));
      hn::StoreU(hn::Div(hn::Set(d, C{1}), divisor), d, &factors_[i]);
    }
    height_ = height;
    return factors_.data();
  }

  const Windows &windows_;
  const WindowAxis columns_;
  const std::vector<WindowRows> rows_;
  std::vector<const T *> inside_;

 private:
  Line factors_;
  int64_t height_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
