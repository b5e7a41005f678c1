// SPDX-License-Identifier: Apache-2.0
// What lines of pooling windows have in common, whether the lanes of a vector are columns or channels.
// Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_WINDOW_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_WINDOW_LINES_INL_H_
#undef AVO_OP_CPU_POOLING_WINDOW_LINES_INL_H_
#else
#define AVO_OP_CPU_POOLING_WINDOW_LINES_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/pooling/fold-inl.h"
#include "op_cpu/pooling/kept_lines.h"
#include "op_cpu/pooling/parallel_images.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A line of windows is a row of them, over one channel or several. Op is Largest, or Total, whose sums are
// divided to means.
template <class Op, typename T>
class WindowLines {
 public:
  explicit WindowLines(const Windows &windows)
      : windows_(windows),
        columns_(windows.columns),
        rows_(windows.Rows()),
        inside_(windows.rows.kernel),
        factors_(kMean ? kHeights : 0, hwy::RoundUpTo(windows.out.shape[3], Lanes()) + Lanes()) {}

 protected:
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using Line = AlignedVector<C>;
  static constexpr bool kMean = std::is_same_v<Op, Total>;

  static size_t Lanes() { return hn::Lanes(D()); }
  static C Identity() { return hn::GetLane(Op::Identity(D())); }

  // Whether results go around the caches. Measured at AVX-512 for 8 x 64 images of 112 x 112, this is 1.25 x
  // as fast for 3 x 3 means at strides of 1, 1.7 x channels-last, and 1.25 x for 2 x 2 maxima at strides of 2
  // into memory that is in no cache. Results of a sixth of the image gain nothing.
  bool Streams() const {
    return OutgrowsCaches(windows_.out) && 5 * windows_.out.numel() > windows_.in.numel();
  }

  // Sets inside_ to the rows of the image that this row of windows combines, and returns their number.
  int64_t Inside(const T *image, int64_t row) {
    const int64_t stride = windows_.in.strides[2], step = windows_.rows.dilation * stride;
    const T *next = image + rows_[row].first * stride;
    for (int64_t i = 0; i < rows_[row].count; ++i, next += step) inside_[i] = next;
    return rows_[row].count;
  }

  // How many rows of the image this row of windows combines.
  int64_t Rows(int64_t row) const { return rows_[row].count; }

  // Combines the first `count` rows of inside_ element by element, from element `offset` on.
  void FoldInside(int64_t count, int64_t length, C *to, int64_t offset = 0) const {
    if (count == 0) {
      std::fill_n(to, length, Identity());
    } else {
      Fold<Op>(D(), inside_.data(), offset, count, length, AsItIs(), to);
    }
  }

  // The factors that make means of the sums of this row of windows, one for each column.
  const C *Factors(int64_t row) {
    const int64_t height = windows_.divisors.rows[row];
    if (height == height_) return last_;
    height_ = height;
    last_ = factors_.Get(height, [&](C *factors) {
      const D d;
      const auto &widths = windows_.divisors.columns;
      for (size_t i = 0; i < widths.size(); ++i) factors[i] = static_cast<C>(widths[i]);
      for (size_t i = 0; i < widths.size(); i += Lanes()) {
        const auto divisor = hn::Mul(hn::Set(d, static_cast<C>(height)), hn::LoadU(d, &factors[i]));
        hn::StoreU(hn::Div(hn::Set(d, C{1}), divisor), d, &factors[i]);
      }
    });
    return last_;
  }

  const Windows &windows_;
  const WindowAxis columns_;
  const std::vector<WindowRows> rows_;
  std::vector<const T *> inside_;  // rows of the image that a row of windows combines

 private:
  static constexpr int64_t kHeights = 4;  // borders have others than most windows
  KeptLines<C> factors_;                  // by the rows that count
  int64_t height_ = 0;                    // of the last factors
  const C *last_ = nullptr;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
