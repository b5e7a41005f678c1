// SPDX-License-Identifier: Apache-2.0
// Gradients of means. All elements of a window receive the same term, so the terms that a column receives
// from a row of windows are summed once, for all rows that these windows have. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_POOLING_MEAN_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_MEAN_GRADIENTS_INL_H_
#undef AVO_OP_CPU_POOLING_MEAN_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_POOLING_MEAN_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/pooling/fold-inl.h"
#include "op_cpu/pooling/window_gradients-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
class MeanGradients {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;

 public:
  explicit MeanGradients(const WindowGradients &windows)
      : windows_(windows),
        grads_(windows.grad, 1),
        rows_(windows.rows, windows.grad.shape[2]),
        columns_(windows.columns, windows.grad.shape[3]),
        row_(windows.out.shape[3] * kGradientBlock<T>),
        sums_(windows.rows.Holding(), row_.size()) {}

  void Select(int64_t n, int64_t first_channel, int64_t channels) {
    grads_.Select(n, first_channel, channels);
    sums_.Clear();
  }

  // Row y of the gradient of the selected channels.
  const C *Row(int64_t y) {
    const auto [first, last] = rows_.Of(y);
    if (first == last) {
      std::fill(row_.begin(), row_.end(), C{0});
    } else {
      lines_.clear();
      for (const WindowElement *row = first; row != last; ++row) {
        lines_.push_back(sums_.Get(row->window, [&](C *to) { SumColumns(row->window, to); }));
      }
      Fold<Total>(D(), lines_.data(), 0, lines_.size(), row_.size(), AsItIs(), row_.data());
    }
    return row_.data();
  }

 private:
  // Sums the terms that each column receives from a row of windows.
  void SumColumns(int64_t row, C *to) {
    const int64_t step = grads_.Step();
    const D d;
    const T *grads = grads_[row];
    const auto height = static_cast<C>(windows_.divisors.rows[row]);
    for (int64_t x = 0; x < windows_.out.shape[3]; ++x, to += kGradientBlock<T>) {
      const auto [first, last] = columns_.Of(x);
      for (int64_t c = 0; c < kGradientBlock<T>; c += hn::Lanes(d)) {
        auto sum = hn::Zero(d);
        for (const WindowElement *column = first; column != last; ++column) {
          const C divisor = height * static_cast<C>(windows_.divisors.columns[column->window]);
          sum = hn::Add(sum, hn::Div(LoadFloat(d, grads + column->window * step + c), hn::Set(d, divisor)));
        }
        hn::StoreU(sum, d, to + c);
      }
    }
  }

  const WindowGradients &windows_;
  PixelRows<T> grads_;
  const WindowCover rows_, columns_;
  AlignedVector<C> row_;
  KeptLines<C> sums_;             // by rows of windows
  std::vector<const C *> lines_;  // those sums that the row of the result adds
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
