// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of windows: the gradient of a window goes to its leader. A row of windows is searched
// for its leaders once; each row of the result then asks the windows that it is in. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_COMMON_LARGEST_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_LARGEST_GRADIENTS_INL_H_
#undef AVO_OP_CPU_COMMON_LARGEST_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_COMMON_LARGEST_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "op_cpu/pooling/leaders-inl.h"
#include "op_cpu/pooling/window_gradients-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Neighbours in a vector are channels.
template <typename T>
class LargestGradients {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;

 public:
  explicit LargestGradients(const WindowGradients &windows)
      : windows_(windows),
        kept_(windows.rows.Holding()),
        images_(windows.in, windows.rows.Reach()),
        grads_(windows.grad, kept_),
        rows_(windows.rows, windows.grad.shape[2]),
        columns_(windows.columns, windows.grad.shape[3]),
        line_(windows.grad.shape[3] * kGradientBlock<T>),
        row_(windows.out.shape[3] * kGradientBlock<T>),
        leaders_(kept_ * line_),
        held_(kept_) {}

  void Select(int64_t n, int64_t first_channel, int64_t channels) {
    images_.Select(n, first_channel, channels);
    grads_.Select(n, first_channel, channels);
    std::fill(held_.begin(), held_.end(), -1);
  }

  // Row y of the gradient of the selected channels.
  const C *Row(int64_t y) {
    const auto [first, last] = rows_.Of(y);
    lines_.clear();
    for (const WindowElement *row = first; row != last; ++row) {
      lines_.push_back({Leaders(row->window), grads_[row->window], row->element * windows_.columns.kernel});
    }
    const int64_t step = grads_.Step();
    const D d;
    const NumberTag<C> numbers;
    C *to = row_.data();
    for (int64_t x = 0; x < windows_.out.shape[3]; ++x, to += kGradientBlock<T>) {
      const auto [begin, end] = columns_.Of(x);
      for (int64_t c = 0; c < kGradientBlock<T>; c += hn::Lanes(d)) {
        auto sum = hn::Zero(d);
        for (const Line &line : lines_) {
          for (const WindowElement *column = begin; column != end; ++column) {
            const auto leader = hn::Load(numbers, line.leaders + column->window * kGradientBlock<T> + c);
            const auto number = hn::Set(numbers, static_cast<Number<C>>(line.number + column->element));
            const auto grad = LoadFloat(d, line.grads + column->window * step + c);
            sum = hn::MaskedAddOr(sum, hn::RebindMask(d, hn::Eq(leader, number)), sum, grad);
          }
        }
        hn::Store(sum, d, to + c);
      }
    }
    return row_.data();
  }

 private:
  // Leaders of a row of windows, at least one row of which lies inside the image.
  const Number<C> *Leaders(int64_t row) {
    const int64_t slot = row % kept_;
    Number<C> *to = leaders_.data() + slot * line_;
    if (held_[slot] == row) return to;
    held_[slot] = row;
    const WindowAxis &rows = windows_.rows, &columns = windows_.columns;
    int64_t held_first = -1, held_last = -1;
    for (int64_t x = 0; x < windows_.grad.shape[3]; ++x, to += kGradientBlock<T>) {
      const int64_t first = columns.First(x), last = columns.Last(x), step = images_.Step();
      if (first >= last) continue;
      if (first != held_first || last != held_last) {
        taps_.clear();
        for (int64_t i = rows.First(row); i < rows.Last(row); ++i) {
          const T *line = images_[rows.Start(row) + i * rows.dilation];
          for (int64_t j = first; j < last; ++j) {
            taps_.push_back(
                {line + j * columns.dilation * step, static_cast<Number<C>>(i * columns.kernel + j)});
          }
        }
        held_first = first;
        held_last = last;
      }
      for (int64_t c = 0; c < kGradientBlock<T>; c += hn::Lanes(D())) {
        const int64_t offset = columns.Start(x) * step + c;
        hn::Vec<D> best;
        hn::Store(LeadersOrNaN(D(), taps_.data(), taps_.size(), offset, best), NumberTag<C>(), to + c);
      }
    }
    return leaders_.data() + slot * line_;
  }

  // A row of windows that a row of the image is in, and the number of its first element in them.
  struct Line {
    const Number<C> *leaders;
    const T *grads;
    int64_t number;
  };

  const WindowGradients &windows_;
  const int64_t kept_;
  PixelRows<T> images_, grads_;
  const WindowCover rows_, columns_;
  const int64_t line_;
  hwy::AlignedVector<C> row_;
  hwy::AlignedVector<Number<C>> leaders_;
  std::vector<int64_t> held_;
  std::vector<Line> lines_;
  std::vector<WindowTap<T>> taps_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
