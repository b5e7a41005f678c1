// SPDX-License-Identifier: Apache-2.0
// Gradients of pooling windows over (N, C, H, W) images of any strides. Neighbours in a vector are channels:
// of channels-last images as they are, of others line by line through tiles. Each element of an image gathers
// from the windows that it is in, so rows may be computed apart, in any number of threads. 13 x for maxima,
// 28 x for means at AVX-512, of windows one after the other: 3 x 3 at strides of 2 over 4 x 64 x 64 x 64.
// Compiled once for each instruction set.
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
    const int64_t channel = images_.strides[1], column = images_.strides[3], width = images_.shape[3];
    if (column == 1) {
      ToChannelsLast(from, channel, channels_, width, line, kGradientBlock<T>);
    } else {
      for (int64_t x = 0; x < width; ++x) {
        for (int64_t c = 0; c < channels_; ++c)
          line[x * kGradientBlock<T> + c] = from[c * channel + x * column];
      }
    }
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
        line_(windows.out.shape[3] * kGradientBlock<T>),
        kept_(windows.rows.Kept()),
        sums_(kept_ * line_),
        held_(kept_) {}

  void Select(int64_t n, int64_t first_channel, int64_t channels) {
    grads_.Select(n, first_channel, channels);
    std::fill(held_.begin(), held_.end(), -1);
  }

  // Row y of the gradient of the selected channels.
  void Row(int64_t y, C *to) {
    const auto [first, last] = windows_.rows.Of(y);
    if (first == last) {
      std::fill_n(to, line_, C{0});
      return;
    }
    lines_.clear();
    for (const WindowElement *row = first; row != last; ++row) lines_.push_back(Sums(row->window));
    Fold<Total>(D(), lines_.data(), 0, lines_.size(), line_, AsItIs(), to);
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
      const auto [first, last] = windows_.columns.Of(x);
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
  const int64_t line_, kept_;
  hwy::AlignedVector<C> sums_;
  std::vector<int64_t> held_;
  std::vector<const C *> lines_;
};

// Of maxima: the gradient of a window goes to its leader, the first of the largest elements or the last NaN.
template <typename T>
class LargestGradients {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using I = hn::RebindToSigned<D>;

 public:
  explicit LargestGradients(const WindowGradients &windows)
      : windows_(windows),
        images_(windows.in, windows.rows.axis.Reach()),
        grads_(windows.grad, windows.rows.Kept()),
        line_(windows.grad.shape[3] * kGradientBlock<T>),
        kept_(windows.rows.Kept()),
        leaders_(kept_ * line_),
        held_(kept_) {}

  void Select(int64_t n, int64_t first_channel, int64_t channels) {
    images_.Select(n, first_channel, channels);
    grads_.Select(n, first_channel, channels);
    std::fill(held_.begin(), held_.end(), -1);
  }

  void Row(int64_t y, C *to) {
    const auto [first, last] = windows_.rows.Of(y);
    rows_.clear();
    for (const WindowElement *row = first; row != last; ++row) {
      rows_.push_back(
          {grads_[row->window], Leaders(row->window), row->element * windows_.columns.axis.kernel});
    }
    for (int64_t x = 0; x < windows_.out.shape[3]; ++x, to += kGradientBlock<T>) Pixel(x, to);
  }

 private:
  using Index = hn::TFromD<I>;
  struct LedRow {
    const T *grads;
    const Index *leaders;
    int64_t first;  // number of the first element of the row, of those that windows of it have
  };

  void Pixel(int64_t x, C *to) const {
    const D d;
    const I indices;
    const auto [first, last] = windows_.columns.Of(x);
    const int64_t step = grads_.Step();
    for (int64_t c = 0; c < kGradientBlock<T>; c += hn::Lanes(d)) {
      auto sum = hn::Zero(d);
      for (const LedRow &row : rows_) {
        for (const WindowElement *column = first; column != last; ++column) {
          const auto leader = hn::LoadU(indices, row.leaders + column->window * kGradientBlock<T> + c);
          const auto leads =
              hn::Eq(leader, hn::Set(indices, static_cast<Index>(row.first + column->element)));
          const auto grad = LoadFloat(d, row.grads + column->window * step + c);
          sum = hn::Add(sum, hn::IfThenElseZero(hn::RebindMask(d, leads), grad));
        }
      }
      hn::StoreU(sum, d, to + c);
    }
  }

  // For each window of a row the number of its leader; -1 where it has no element inside the image.
  const Index *Leaders(int64_t row) {
    const int64_t slot = row % kept_;
    Index *leaders = leaders_.data() + slot * line_;
    if (held_[slot] == row) return leaders;
    held_[slot] = row;
    const WindowAxis &rows = windows_.rows.axis, &columns = windows_.columns.axis;
    lines_.clear();
    for (int64_t i = rows.First(row); i < rows.Last(row); ++i) {
      lines_.push_back(images_[rows.Start(row) + i * rows.dilation]);
    }
    for (int64_t x = 0; x < windows_.grad.shape[3]; ++x) {
      const int64_t top = rows.First(row) * columns.kernel, first = columns.First(x), last = columns.Last(x);
      for (int64_t c = 0; c < kGradientBlock<T>; c += hn::Lanes(D())) {
        Leader(columns.Start(x), top, first, last, c, leaders + x * kGradientBlock<T> + c);
      }
    }
    return leaders;
  }

  HWY_INLINE void Leader(int64_t start, int64_t number, int64_t first, int64_t last, int64_t c,
                         Index *to) const {
    const D d;
    const I indices;
    const int64_t step = images_.Step(), apart = windows_.columns.axis.dilation;
    auto leader = hn::Set(indices, Index{-1});
    auto best = hn::Zero(d);
    bool any = false;
    for (const T *line : lines_) {
      for (int64_t j = first; j < last; ++j) {
        const auto value = LoadFloat(d, line + (start + j * apart) * step + c);
        const auto number_of_j = hn::Set(indices, static_cast<Index>(number + j));
        const auto leads = hn::Or(hn::Gt(value, best), hn::IsNaN(value));
        best = any ? hn::IfThenElse(leads, value, best) : value;
        leader = any ? hn::IfThenElse(hn::RebindMask(indices, leads), number_of_j, leader) : number_of_j;
        any = true;
      }
      number += windows_.columns.axis.kernel;
    }
    hn::StoreU(leader, indices, to);
  }

  const WindowGradients &windows_;
  PixelRows<T> images_, grads_;
  const int64_t line_, kept_;
  hwy::AlignedVector<Index> leaders_;
  std::vector<int64_t> held_;
  std::vector<const T *> lines_;
  std::vector<LedRow> rows_;
};

// Rows [first, last) of some channels of an image, as Gradients has them, into the result.
template <class Gradients, typename T>
void StoreGradients(Gradients &gradients, const Tensor &out, int64_t n, int64_t channel, int64_t first,
                    int64_t last, Compute<T> *line) {
  const int64_t channels = std::min(kGradientBlock<T>, out.shape[1] - channel);
  gradients.Select(n, channel, channels);
  T *to = static_cast<T *>(out.data) + n * out.strides[0] + channel * out.strides[1];
  for (int64_t y = first; y < last; ++y) {
    gradients.Row(y, line);
    FromChannelsLast<T>(line, kGradientBlock<T>, channels, 1, out.shape[3], to + y * out.strides[2],
                        {out.strides[1], 0, out.strides[3]});
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
                   hwy::AlignedVector<Compute<T>> line(out.shape[3] * kGradientBlock<T>);
                   ForImages(begin, end, rows, [&](int64_t image, int64_t first, int64_t last) {
                     StoreGradients<Gradients<T>, T>(gradients, out, image / blocks,
                                                     image % blocks * kGradientBlock<T>, first, last,
                                                     line.data());
                   });
                 });
  });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
