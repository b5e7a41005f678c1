// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of any windows, with channels as lanes. The gradient of a window goes to the tap that
// is its maximum. The maxima of a row of windows are found once; each row of the result then compares them
// with the tap that it is in these windows. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_MAXIMUM_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_MAXIMUM_GRADIENTS_INL_H_
#undef AVO_OP_CPU_POOLING_MAXIMUM_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_POOLING_MAXIMUM_GRADIENTS_INL_H_
#endif

#include <vector>

#include "op_cpu/pooling/window_gradients-inl.h"
#include "op_cpu/pooling/window_maxima-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
class MaximumGradients {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;

 public:
  explicit MaximumGradients(const WindowGradients &windows)
      : windows_(windows),
        images_(windows.in, windows.rows.Reach()),
        grads_(windows.grad, windows.rows.Holding()),
        rows_(windows.rows, windows.grad.shape[2]),
        columns_(windows.columns, windows.grad.shape[3]),
        row_(windows.out.shape[3] * kGradientBlock<T>),
        maxima_(windows.rows.Holding(), windows.grad.shape[3] * kGradientBlock<T>) {}

  void Select(int64_t n, int64_t first_channel, int64_t channels) {
    images_.Select(n, first_channel, channels);
    grads_.Select(n, first_channel, channels);
    maxima_.Clear();
  }

  // Row y of the gradient of the selected channels.
  const C *Row(int64_t y) {
    const auto [first, last] = rows_.Of(y);
    lines_.clear();
    for (const WindowElement *row = first; row != last; ++row) {
      const auto *maxima =
          maxima_.Get(row->window, [&](TapNumber<C> *to) { FindRowMaxima(row->window, to); });
      lines_.push_back({maxima, grads_[row->window], row->tap * windows_.columns.kernel});
    }
    for (int64_t x = 0; x < windows_.out.shape[3]; ++x) SumPixel(x, row_.data() + x * kGradientBlock<T>);
    return row_.data();
  }

 private:
  // A row of windows that the row of the result is in.
  struct Line {
    const TapNumber<C> *maxima;  // the tap that is the maximum of each window
    const T *grads;
    int64_t first_tap;  // number of the first tap of the result's row in these windows
  };

  // Sums what pixel x of the result receives from the windows that it is in.
  void SumPixel(int64_t x, C *to) const {
    const D d;
    const TapTag<C> numbers;
    const int64_t step = grads_.Step();
    const auto [begin, end] = columns_.Of(x);
    for (int64_t c = 0; c < kGradientBlock<T>; c += hn::Lanes(d)) {
      auto sum = hn::Zero(d);
      for (const Line &line : lines_) {
        for (const WindowElement *column = begin; column != end; ++column) {
          const auto maximum = hn::Load(numbers, line.maxima + column->window * kGradientBlock<T> + c);
          const auto number = hn::Set(numbers, static_cast<TapNumber<C>>(line.first_tap + column->tap));
          const auto grad = LoadFloat(d, line.grads + column->window * step + c);
          sum = hn::MaskedAddOr(sum, hn::RebindMask(d, hn::Eq(maximum, number)), sum, grad);
        }
      }
      hn::Store(sum, d, to + c);
    }
  }

  // Finds the maxima of a row of windows that has at least one row inside the image. Neighbouring windows
  // mostly have the same taps inside the image, which are listed once.
  void FindRowMaxima(int64_t row, TapNumber<C> *to) {
    const WindowAxis &columns = windows_.columns;
    int64_t listed_first = -1, listed_end = -1;
    for (int64_t x = 0; x < windows_.grad.shape[3]; ++x, to += kGradientBlock<T>) {
      const int64_t first = columns.FirstTap(x), end = columns.EndTap(x);
      if (first >= end) continue;
      if (first != listed_first || end != listed_end) ListTaps(row, first, end);
      listed_first = first;
      listed_end = end;
      for (int64_t c = 0; c < kGradientBlock<T>; c += hn::Lanes(D())) {
        const int64_t offset = columns.Start(x) * images_.Step() + c;
        hn::Vec<D> best;
        hn::Store(FindMaximaOrNaN(D(), taps_.data(), taps_.size(), offset, best), TapTag<C>(), to + c);
      }
    }
  }

  // Sets taps_ to the columns [first, end) of the taps of a row of windows that lie inside the image.
  void ListTaps(int64_t row, int64_t first, int64_t end) {
    const WindowAxis &rows = windows_.rows, &columns = windows_.columns;
    taps_.clear();
    for (int64_t i = rows.FirstTap(row); i < rows.EndTap(row); ++i) {
      const T *line = images_[rows.Start(row) + i * rows.dilation];
      for (int64_t j = first; j < end; ++j) {
        taps_.push_back({line + j * columns.dilation * images_.Step(),
                         static_cast<TapNumber<C>>(i * columns.kernel + j)});
      }
    }
  }

  const WindowGradients &windows_;
  PixelRows<T> images_, grads_;
  const WindowCover rows_, columns_;
  AlignedVector<C> row_;
  KeptLines<TapNumber<C>> maxima_;  // by rows of windows
  std::vector<Line> lines_;
  std::vector<WindowTap<T>> taps_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
