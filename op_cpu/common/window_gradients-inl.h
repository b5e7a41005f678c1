// SPDX-License-Identifier: Apache-2.0
// Gradients of pooling windows over (N, C, H, W) images of any strides. Neighbours in a vector are channels:
// of channels-last images as they are, of others line by line through tiles. Threads share the rows of an
// image: each starts at the windows that reach into its first one. 15 x for maxima, 28 x for means at
// AVX-512, of windows one after the other: 3 x 3 at strides of 2 over 4 x 64 x 64 x 64. Compiled once for
// each instruction set.
#if defined(AVO_OP_CPU_COMMON_WINDOW_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_WINDOW_GRADIENTS_INL_H_
#undef AVO_OP_CPU_COMMON_WINDOW_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_COMMON_WINDOW_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "op_cpu/common/parallel.h"
#include "op_cpu/common/transpose-inl.h"
#include "op_cpu/common/window_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Channels that are computed together. A tile of them, turned, is a vector or a few wide.
template <typename T>
constexpr int64_t kGradientBlock = 64 / sizeof(Compute<T>);

// Rows of some channels of an image as lines of pixels, channels side by side; the last few are kept.
template <typename T>
class PixelRows {
 public:
  PixelRows(const Tensor &images, int64_t kept)
      : images_(images), line_(images.shape[3] * kGradientBlock<T>), lines_(kept * line_), held_(kept) {}

  void Select(int64_t n, int64_t first_channel, int64_t channels) {
    base_ =
        static_cast<const T *>(images_.data) + n * images_.strides[0] + first_channel * images_.strides[1];
    channels_ = channels;
    direct_ = images_.strides[1] == 1 && channels == kGradientBlock<T>;
    std::fill(held_.begin(), held_.end(), -1);
  }

  // Elements from one pixel of a line to the next.
  int64_t Step() const { return direct_ ? images_.strides[3] : kGradientBlock<T>; }

  const T *operator[](int64_t row) {
    const int64_t slot = row % static_cast<int64_t>(held_.size());
    const T *from = base_ + row * images_.strides[2];
    if (direct_) return from;
    T *line = lines_.data() + slot * line_;
    if (held_[slot] == row) return line;
    held_[slot] = row;
    RowToChannelsLast(from, images_.strides, channels_, images_.shape[3], line, kGradientBlock<T>);
    return line;
  }

 private:
  const Tensor &images_;
  const int64_t line_;
  std::vector<T> lines_;
  std::vector<int64_t> held_;
  const T *base_ = nullptr;
  int64_t channels_ = 0;
  bool direct_ = false;
};

// Of means: the share of each window goes to all of its elements, so columns are summed once a row of
// windows.
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
        line_(windows.out.shape[3] * kGradientBlock<T>),
        kept_(CeilDiv(windows.rows.Reach(), windows.rows.stride)),
        row_(line_),
        sums_(kept_ * line_),
        held_(kept_) {}

  // Row() is called for this row and those behind it.
  void Select(int64_t n, int64_t first_channel, int64_t channels, int64_t) {
    grads_.Select(n, first_channel, channels);
    std::fill(held_.begin(), held_.end(), -1);
  }

  // Row y of the gradient of the selected channels.
  const C *Row(int64_t y) {
    const auto [first, last] = rows_.Of(y);
    if (first == last) {
      std::fill(row_.begin(), row_.end(), C{0});
    } else {
      lines_.clear();
      for (const WindowElement *row = first; row != last; ++row) lines_.push_back(Sums(row->window));
      Fold<Total>(D(), lines_.data(), 0, lines_.size(), line_, AsItIs(), row_.data());
    }
    return row_.data();
  }

 private:
  const C *Sums(int64_t row) {
    const int64_t slot = row % kept_, step = grads_.Step();
    C *to = sums_.data() + slot * line_;
    if (held_[slot] == row) return to;
    held_[slot] = row;
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
    return sums_.data() + slot * line_;
  }

  const WindowGradients &windows_;
  PixelRows<T> grads_;
  const WindowCover rows_, columns_;
  const int64_t line_, kept_;  // kept: from the first window that a row is in to behind the last, at most
  hwy::AlignedVector<C> row_, sums_;
  std::vector<int64_t> held_;
  std::vector<const C *> lines_;
};

// Of maxima: the gradient of a window goes to its leader, the first of the largest elements or the last NaN.
template <typename T>
class LargestGradients {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using I = hn::RebindToSigned<D>;
  using Index = hn::TFromD<I>;

 public:
  explicit LargestGradients(const WindowGradients &windows)
      : windows_(windows),
        images_(windows.in, windows.rows.Reach()),
        grads_(windows.grad, 1),
        line_(windows.out.shape[3] * kGradientBlock<T>),
        kept_(windows.rows.Reach()),
        sums_(kept_ * line_) {}

  void Select(int64_t n, int64_t first_channel, int64_t channels, int64_t row) {
    images_.Select(n, first_channel, channels);
    grads_.Select(n, first_channel, channels);
    std::fill(sums_.begin(), sums_.end(), C{0});
    first_ = row;
    const WindowAxis &rows = windows_.rows;
    next_ = std::max<int64_t>(0, CeilDiv(row + rows.padding - rows.Reach() + 1, rows.stride));
  }

  // Windows that begin in row y or before add to the rows that they reach to, which are kept.
  const C *Row(int64_t y) {
    if (y > first_) std::fill_n(Sums(y - 1), line_, C{0});
    for (; next_ < windows_.grad.shape[2] && windows_.rows.Start(next_) <= y; ++next_) AddRow(next_);
    return Sums(y);
  }

 private:
  C *Sums(int64_t y) { return sums_.data() + y % kept_ * line_; }

  void AddRow(int64_t row) {
    const WindowAxis &rows = windows_.rows;
    lines_.clear();
    for (int64_t i = rows.First(row); i < rows.Last(row); ++i) {
      const int64_t y = rows.Start(row) + i * rows.dilation;
      lines_.push_back({images_[y], y < first_ ? nullptr : Sums(y), i * windows_.columns.kernel});
    }
    if (lines_.empty()) return;
    const T *grads = grads_[row];
    for (int64_t x = 0; x < windows_.grad.shape[3]; ++x, grads += grads_.Step()) {
      for (int64_t c = 0; c < kGradientBlock<T>; c += hn::Lanes(D()))
        AddWindow(x, c, LoadFloat(D(), grads + c));
    }
  }

  HWY_INLINE void AddWindow(int64_t x, int64_t c, hn::Vec<D> grad) const {
    const D d;
    const I indices;
    const WindowAxis &columns = windows_.columns;
    const int64_t first = columns.First(x), last = columns.Last(x), step = images_.Step();
    // Where nothing is above minus infinity the first element leads.
    auto best = hn::Set(d, -std::numeric_limits<C>::infinity());
    auto leader = hn::Set(indices, static_cast<Index>(lines_[0].number + first));
    for (const Line &line : lines_) {
      const T *from = line.image + (columns.Start(x) + first * columns.dilation) * step + c;
      for (int64_t j = first; j < last; ++j, from += columns.dilation * step) {
        const auto value = LoadFloat(d, from);
        const auto leads = hn::Or(hn::Gt(value, best), hn::IsNaN(value));
        best = hn::IfThenElse(leads, value, best);
        const auto number = hn::Set(indices, static_cast<Index>(line.number + j));
        leader = hn::IfThenElse(hn::RebindMask(indices, leads), number, leader);
      }
    }
    for (const Line &line : lines_) {
      if (line.sums == nullptr) continue;
      C *sums = line.sums + (columns.Start(x) + first * columns.dilation) * kGradientBlock<T> + c;
      for (int64_t j = first; j < last; ++j, sums += columns.dilation * kGradientBlock<T>) {
        const auto leads = hn::Eq(leader, hn::Set(indices, static_cast<Index>(line.number + j)));
        const auto sum = hn::Load(d, sums);
        hn::Store(hn::MaskedAddOr(sum, hn::RebindMask(d, leads), sum, grad), d, sums);
      }
    }
  }

  // A row of an image that windows reach to, its sums unless another thread has these, and the number of its
  // first element among those of a window.
  struct Line {
    const T *image;
    C *sums;
    int64_t number;
  };

  const WindowGradients &windows_;
  PixelRows<T> images_, grads_;
  const int64_t line_, kept_;
  hwy::AlignedVector<C> sums_;
  int64_t first_ = 0, next_ = 0;
  std::vector<Line> lines_;
};

// Rows [first, last) of some channels of an image, as Gradients has them, into the result.
template <class Gradients, typename T>
void StoreGradients(Gradients &gradients, const Tensor &out, int64_t n, int64_t channel, int64_t first,
                    int64_t last) {
  const int64_t channels = std::min(kGradientBlock<T>, out.shape[1] - channel);
  gradients.Select(n, channel, channels, first);
  T *to = static_cast<T *>(out.data) + n * out.strides[0] + channel * out.strides[1];
  for (int64_t y = first; y < last; ++y) {
    FromChannelsLast<T>(gradients.Row(y), kGradientBlock<T>, channels, 1, out.shape[3],
                        to + y * out.strides[2], {out.strides[1], 0, out.strides[3]});
  }
}

// Every floating dtype; Gradients is MeanGradients or LargestGradients.
template <template <typename> class Gradients>
void PoolGradients(const WindowGradients &windows, const ParallelFor &parallel_for) {
  DispatchFloat(windows.out.dtype, [&](auto element) {
    using T = decltype(element);
    const Tensor &out = windows.out;
    const int64_t rows = out.shape[2], blocks = CeilDiv(out.shape[1], kGradientBlock<T>);
    parallel_for(out.shape[0] * blocks * rows, GrainOf(out.shape[3] * kGradientBlock<T>),
                 [&](int64_t begin, int64_t end) {
                   Gradients<T> gradients(windows);
                   ForImages(begin, end, rows, [&](int64_t image, int64_t first, int64_t last) {
                     StoreGradients<Gradients<T>, T>(gradients, out, image / blocks,
                                                     image % blocks * kGradientBlock<T>, first, last);
                   });
                 });
  });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
