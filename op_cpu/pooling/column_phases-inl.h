// SPDX-License-Identifier: Apache-2.0
// Planes turned for windows side by side at column strides of 1 and 2. Compiled once for each instruction
// set.
#if defined(AVO_OP_CPU_COMMON_COLUMN_PHASES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_COLUMN_PHASES_INL_H_
#undef AVO_OP_CPU_COMMON_COLUMN_PHASES_INL_H_
#else
#define AVO_OP_CPU_COMMON_COLUMN_PHASES_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "hwy/highway.h"
#include "op_cpu/pooling/leaders-inl.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Positions whose rows are as far from a row of windows, and columns from a column of them, make up a phase,
// `pitch` elements a row. All windows are then one run, and an element of them is at a fixed distance from
// it; elements beside the image are minus infinity.
template <typename T>
class ColumnPhases {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;

 public:
  static constexpr C kLowest = -std::numeric_limits<C>::infinity();

  // For `window_rows` rows of windows at once, whose columns, with those beside the image, `pitch` holds.
  ColumnPhases(const WindowAxis &rows, const WindowAxis &columns, int64_t pitch, int64_t window_rows)
      : rows_(rows), columns_(columns), pitch_(pitch) {
    const int64_t stride = columns.stride;
    phase_ = (window_rows + (rows.Reach() - 1) / rows.stride) * pitch + kLanes;
    turned_.assign(rows.stride * stride * phase_, kLowest);
    for (int64_t i = 0; i < rows.kernel; ++i) {
      for (int64_t j = 0; j < columns.kernel; ++j) {
        const int64_t y = i * rows.dilation, x = j * columns.dilation;
        const C *phase = turned_.data() + (y % rows.stride * stride + x % stride) * phase_;
        const auto number = static_cast<Number<C>>(i * columns.kernel + j);
        taps_.push_back({phase + y / rows.stride * pitch + x / stride, number});
      }
    }
  }

  static bool Suit(const WindowAxis &columns) {
    return columns.stride <= 2 && columns.size >= columns.stride * kLanes;
  }

  // The elements of windows.
  const std::vector<WindowTap<C>> &taps() const { return taps_; }

  // Turns what the rows [top, bottom) of windows reach to. Whether it has neither NaN nor infinities, of
  // which the product with zero is NaN.
  bool Turn(const T *image, int64_t row_stride, int64_t top, int64_t bottom) {
    bool plain = true;
    for (int64_t i = 0; i < std::min(rows_.stride, rows_.Reach()); ++i) {
      C *line = turned_.data() + i * columns_.stride * phase_;
      const int64_t start = rows_.Start(top) + i, end = rows_.Start(bottom - 1) + rows_.Reach();
      for (int64_t y = start; y < end; y += rows_.stride, line += pitch_) {
        plain &= TurnRow(y < 0 || y >= rows_.size ? nullptr : image + y * row_stride, line);
      }
    }
    return plain;
  }

 private:
  static constexpr int64_t kLanes = hn::MaxLanes(D());

  // A row of the image, or one beside it, to its phases.
  bool TurnRow(const T *from, C *to) const {
    const D d;
    const int64_t stride = columns_.stride, width = columns_.size, padding = columns_.padding;
    if (from == nullptr) {
      for (int64_t i = 0; i < stride; ++i) std::fill_n(to + i * phase_, pitch_, kLowest);
      return true;
    }
    C *low = to + padding % stride * phase_ + padding / stride;
    C *high = to + (padding + 1) % stride * phase_ + (padding + 1) / stride;
    const auto zero = hn::Zero(d);
    auto products = zero;
    // The last vectors overlap those before them.
    if (stride == 1) {
      for (int64_t x = 0; x < width; x += kLanes) {
        const int64_t i = std::min(x, width - kLanes);
        const auto a = LoadFloat(d, from + i);
        products = hn::MulAdd(a, zero, products);
        hn::StoreU(a, d, low + i);
      }
      return hn::AllTrue(d, hn::Eq(products, zero));
    }
    const int64_t half = width / 2;
    for (int64_t x = 0; x < half; x += kLanes) {
      const int64_t i = std::min(x, half - kLanes);
      const auto a = LoadFloat(d, from + 2 * i), b = LoadFloat(d, from + 2 * i + kLanes);
      products = hn::MulAdd(b, zero, hn::MulAdd(a, zero, products));
      hn::StoreU(hn::ConcatEven(d, b, a), d, low + i);
      hn::StoreU(hn::ConcatOdd(d, b, a), d, high + i);
    }
    if (width % 2 == 1) {
      low[half] = Widen(from[width - 1]);
      products = hn::MulAdd(hn::Set(d, low[half]), zero, products);
    }
    return hn::AllTrue(d, hn::Eq(products, zero));
  }

  const WindowAxis rows_, columns_;
  int64_t pitch_, phase_;  // elements of a row of a phase, of a phase
  hwy::AlignedVector<C> turned_;
  std::vector<WindowTap<C>> taps_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
