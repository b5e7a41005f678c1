// SPDX-License-Identifier: Apache-2.0
// Planes split into phases, for windows at column strides of 1 and 2. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_COLUMN_PHASES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_COLUMN_PHASES_INL_H_
#undef AVO_OP_CPU_POOLING_COLUMN_PHASES_INL_H_
#else
#define AVO_OP_CPU_POOLING_COLUMN_PHASES_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <vector>

#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/pooling/window_maxima-inl.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Copies `count` elements, at least a vector, in the type that is computed with. Returns the sum of their
// products with zero, which is NaN in some lane if an element is not finite.
template <typename T>
HWY_INLINE hn::Vec<hn::ScalableTag<Compute<T>>> CopyWide(const T *from, int64_t count, Compute<T> *to) {
  const hn::ScalableTag<Compute<T>> d;
  const int64_t lanes = hn::Lanes(d);
  auto products = hn::Zero(d);
  // The last vector overlaps the one before it.
  for (int64_t x = 0; x < count; x += lanes) {
    const int64_t i = std::min(x, count - lanes);
    const auto value = LoadFloat(d, from + i);
    products = hn::MulAdd(value, hn::Zero(d), products);
    hn::StoreU(value, d, to + i);
  }
  return products;
}

// A phase has the elements whose row has one remainder by the row stride and whose column has one by the
// column stride, counted from the start of the padding. A tap of window (y, x) and that tap of window (y, x +
// 1) are then neighbours, and rows of windows follow each other `pitch` elements apart: one tap of all
// windows is one run.
//
//   image with padding 1          phases of strides 2, 2; pitch 3
//
//   .  .  .  .  .  .              0,0   . . .      0,1   . . .
//   .  a0 a1 a2 a3 .                    . b1 b3          b0 b2 .
//   .  b0 b1 b2 b3 .
//   .  c0 c1 c2 c3 .              1,0   . a1 a3    1,1   a0 a2 .
//                                       . c1 c3          c0 c2 .
//
// Tap (1, 1) of 2 x 2 windows is phase 1,1: a0 for window (0, 0), a2 for (0, 1), c0 for (1, 0), … Elements
// beside the image are minus infinity.
template <typename T>
class ColumnPhases {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;

 public:
  static constexpr C kLowest = -std::numeric_limits<C>::infinity();

  // window_rows: rows of windows at a time; pitch: columns of windows, with those that lie beside the image.
  ColumnPhases(const WindowAxis &rows, const WindowAxis &columns, int64_t pitch, int64_t window_rows)
      : rows_(rows), columns_(columns), pitch_(pitch) {
    const int64_t stride = columns.stride;
    phase_ = (window_rows + (rows.Reach() - 1) / rows.stride) * pitch + kLanes;
    phases_.assign(rows.stride * stride * phase_, kLowest);
    for (int64_t i = 0; i < rows.kernel; ++i) {
      for (int64_t j = 0; j < columns.kernel; ++j) {
        const int64_t y = i * rows.dilation, x = j * columns.dilation;
        const C *phase = phases_.data() + (y % rows.stride * stride + x % stride) * phase_;
        const auto number = static_cast<TapNumber<C>>(i * columns.kernel + j);
        taps_.push_back({phase + y / rows.stride * pitch + x / stride, number});
      }
    }
  }

  static bool Suit(const WindowAxis &columns) {
    return columns.stride <= 2 && columns.size >= columns.stride * kLanes;
  }

  // The taps of windows.
  const std::vector<WindowTap<C>> &taps() const { return taps_; }

  // Splits the rows of the image that the rows [top, bottom) of windows reach. Returns whether all their
  // elements are finite: the product of NaN or infinity with zero is NaN.
  bool Split(const T *image, int64_t row_stride, int64_t top, int64_t bottom) {
    bool finite = true;
    for (int64_t i = 0; i < std::min(rows_.stride, rows_.Reach()); ++i) {
      C *line = phases_.data() + i * columns_.stride * phase_;
      const int64_t start = rows_.Start(top) + i, end = rows_.Start(bottom - 1) + rows_.Reach();
      for (int64_t y = start; y < end; y += rows_.stride, line += pitch_) {
        finite &= SplitRow(y < 0 || y >= rows_.size ? nullptr : image + y * row_stride, line);
      }
    }
    return finite;
  }

 private:
  static constexpr int64_t kLanes = hn::MaxLanes(D());

  // Splits a row of the image, or one beside it, which is nullptr. Returns whether it is finite.
  bool SplitRow(const T *from, C *to) const {
    const D d;
    const int64_t stride = columns_.stride, width = columns_.size, padding = columns_.padding;
    if (from == nullptr) {
      for (int64_t i = 0; i < stride; ++i) std::fill_n(to + i * phase_, pitch_, kLowest);
      return true;
    }
    // Where the even and the odd columns go.
    C *even = to + padding % stride * phase_ + padding / stride;
    C *odd = to + (padding + 1) % stride * phase_ + (padding + 1) / stride;
    const auto zero = hn::Zero(d);
    auto products = zero;
    if (stride == 1) return hn::AllTrue(d, hn::Eq(CopyWide(from, width, even), zero));
    const int64_t half = width / 2;
    // The last vectors overlap those before them.
    for (int64_t x = 0; x < half; x += kLanes) {
      const int64_t i = std::min(x, half - kLanes);
      const auto a = LoadFloat(d, from + 2 * i), b = LoadFloat(d, from + 2 * i + kLanes);
      products = hn::MulAdd(b, zero, hn::MulAdd(a, zero, products));
      hn::StoreU(hn::ConcatEven(d, b, a), d, even + i);
      hn::StoreU(hn::ConcatOdd(d, b, a), d, odd + i);
    }
    if (width % 2 == 1) {
      even[half] = Widen(from[width - 1]);
      products = hn::MulAdd(hn::Set(d, even[half]), zero, products);
    }
    return hn::AllTrue(d, hn::Eq(products, zero));
  }

  const WindowAxis rows_, columns_;
  int64_t pitch_;  // elements from row to row of a phase
  int64_t phase_;  // elements of a phase
  AlignedVector<C> phases_;
  std::vector<WindowTap<C>> taps_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
