// SPDX-License-Identifier: Apache-2.0
// Gradients of pooling windows over (N, C, H, W) images of any strides. Neighbours in a vector are channels:
// of channels-last images as they are, of others line by line through tiles. Threads share the rows of an
// image. 15 x for maxima, 28 x for means at AVX-512, of windows one after the other: 3 x 3 at strides of 2
// over 4 x 64 x 64 x 64. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_WINDOW_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_WINDOW_GRADIENTS_INL_H_
#undef AVO_OP_CPU_COMMON_WINDOW_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_COMMON_WINDOW_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/pooling/window_lines-inl.h"

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
        kept_(windows.rows.Holding()),
        row_(line_),
        sums_(kept_ * line_),
        held_(kept_) {}

  void Select(int64_t n, int64_t first_channel, int64_t channels) {
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
  const int64_t line_, kept_;
  hwy::AlignedVector<C> row_, sums_;
  std::vector<int64_t> held_;
  std::vector<const C *> lines_;
};

// Rows [first, last) of some channels of an image, as Gradients has them, into the result.
template <class Gradients, typename T>
void StoreGradients(Gradients &gradients, const Tensor &out, int64_t n, int64_t channel, int64_t first,
                    int64_t last) {
  const int64_t channels = std::min(kGradientBlock<T>, out.shape[1] - channel);
  gradients.Select(n, channel, channels);
  T *to = static_cast<T *>(out.data) + n * out.strides[0] + channel * out.strides[1];
  for (int64_t y = first; y < last; ++y) {
    FromChannelsLast<T>(gradients.Row(y), kGradientBlock<T>, channels, 1, out.shape[3],
                        to + y * out.strides[2], {out.strides[1], 0, out.strides[3]});
  }
}

// Gradients is MeanGradients<T> or LargestGradients<T>.
template <class Gradients, typename T>
void PoolGradients(const WindowGradients &windows, const ParallelFor &parallel_for) {
  const Tensor &out = windows.out;
  const int64_t rows = out.shape[2], blocks = CeilDiv(out.shape[1], kGradientBlock<T>);
  parallel_for(out.shape[0] * blocks * rows, GrainOf(out.shape[3] * kGradientBlock<T>),
               [&](int64_t begin, int64_t end) {
                 Gradients gradients(windows);
                 ForImages(begin, end, rows, [&](int64_t image, int64_t first, int64_t last) {
                   StoreGradients<Gradients, T>(gradients, out, image / blocks,
                                                image % blocks * kGradientBlock<T>, first, last);
                 });
               });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
