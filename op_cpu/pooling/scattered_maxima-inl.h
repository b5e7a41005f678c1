// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of planes: the pixel of each maximum is found, and the gradient added there. Compiled
// once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_SCATTERED_MAXIMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_SCATTERED_MAXIMA_INL_H_
#undef AVO_OP_CPU_POOLING_SCATTERED_MAXIMA_INL_H_
#else
#define AVO_OP_CPU_POOLING_SCATTERED_MAXIMA_INL_H_
#endif

#include <algorithm>

#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/memory/prefetch.h"
#include "op_cpu/pooling/line_maxima-inl.h"
#include "op_cpu/pooling/parallel_images.h"
#include "op_cpu/pooling/scattered_sums-inl.h"
#include "op_cpu/pooling/tap_maxima-inl.h"
#include "op_cpu/pooling/tile_rows.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A block of planes is computed together, a band of rows of the result at a time. The lanes of a vector are
// planes, so that rows of any length and windows at any distances fill vectors:
//   1. the rows of the image that these rows' windows reach are transposed,
//   2. the pixel of the maximum of each window is found,
//   3. each window adds its gradient there, in row-major order of the windows.
// Taps beside the image are left out, so that no element stands for them. Maxima is TapMaxima or LineMaxima.
template <class Maxima, typename T>
class ScatteredMaxima {
 public:
  explicit ScatteredMaxima(const WindowGradients &windows)
      : windows_(windows),
        band_(Band(windows)),
        fetch_(band_ >= windows.rows.size && PlanesFollow(windows.in) && PlanesFollow(windows.grad) &&
               OutgrowsSecondCache(windows.in)),
        maxima_(windows.in, windows.rows, windows.columns, windows.grad.shape[3]),
        sums_(windows) {
    const WindowAxis &rows = windows.rows;
    const int64_t window_rows = std::min(windows.grad.shape[2], (band_ + rows.Reach() - 2) / rows.stride + 2);
    found_.resize(window_rows * windows.grad.shape[3] * PlaneTile<T>::kBlock);
  }

  // Whether the channels of the result are planes, and places in a block of them fit a number of 32 bits.
  static bool Suit(const WindowGradients &windows) {
    return windows.out.strides[3] == 1 && windows.out.strides[1] != 1 &&
           Band(windows) * windows.columns.size <= ScatteredSums<T>::kFarthest;
  }

  // Computes rows [first, last) of channels [channel, channel + channels) of image n of the result.
  void operator()(int64_t n, int64_t channel, int64_t channels, int64_t first, int64_t last) {
    for (; first < last; first += band_) {
      SelectBand(first, std::min(first + band_, last));
      sums_.Start(n, channel, channels);
      const T *in = PlaneOf<const T>(windows_.in, n, channel);
      const T *next_in = in + channels * windows_.in.strides[1];
      const T *next_grads = PlaneOf<const T>(windows_.grad, n, channel) + channels * windows_.grad.strides[1];
      const auto share = [&](const Tensor &images) {
        return fetch_ ? CeilDiv(channels * images.strides[1], std::max<int64_t>(1, steps_)) : 0;
      };
      const int64_t of_in = share(windows_.in), of_grads = share(windows_.grad);
      maxima_(in, channels, sums_.Places(), found_.data(), [&]() HWY_ATTR {
        sums_.ClearMore();
        PrefetchRun(next_in, of_in);
        PrefetchRun(next_grads, of_grads);
        next_in += of_in;
        next_grads += of_grads;
      });
      sums_.Give(n, channel, channels, found_.data());
    }
  }

 private:
  static constexpr int64_t kPixels = 2048;  // of the result that are computed at once: the second cache

  // The most rows of the result that are computed at once.
  static int64_t Band(const WindowGradients &windows) {
    return RowsTogether(windows.rows, kPixels / windows.columns.size);
  }

  // Whether a plane lies directly behind the one before it in memory.
  static bool PlanesFollow(const Tensor &images) {
    return images.strides[1] == images.shape[2] * images.shape[3];
  }

  void SelectBand(int64_t first, int64_t last) {
    if (first == at_.first && last == at_.last) return;
    at_ = TileRows::Of(windows_.rows, windows_.grad.shape[2], first, last);
    steps_ = maxima_.SelectRows(at_);
    sums_.Select(at_, steps_);
  }

  const WindowGradients &windows_;
  const int64_t band_;  // the most rows of the result that are computed at once
  // Whether what the next block of planes reads is fetched ahead, bit by bit. For images of some MB this
  // takes 0.7 x the time on Zen 4. What lies in the second cache takes 1.05 x.
  const bool fetch_;
  Maxima maxima_;
  ScatteredSums<T> sums_;
  TileRows at_{};
  int64_t steps_ = 0;  // in which the maxima of the selected rows are found
  // Where windows add their gradients, for each plane of the block.
  AlignedVector<typename ScatteredSums<T>::Pixel> found_;
};

// Computes the gradients if their layout suits; returns whether it does. Planes are merged where that fills
// blocks better.
template <typename T>
bool PoolScattered(const WindowGradients &given, const ParallelFor &parallel_for) {
  constexpr int64_t kBlock = PlaneTile<T>::kBlock;
  if (!ScatteredMaxima<LineMaxima<T>, T>::Suit(given)) return false;
  const WindowGradients windows = given.Merged(kBlock);
  const Shape &shape = windows.out.shape;
  const auto pool = [&](auto make) {
    ParallelBlocks(shape[0], shape[1], kBlock, shape[2], GrainOf(shape[3] * kBlock), parallel_for, make);
  };
  if (TapMaxima<T>::Suit(windows.rows, windows.columns)) {
    pool([&] { return ScatteredMaxima<TapMaxima<T>, T>(windows); });
  } else {
    pool([&] { return ScatteredMaxima<LineMaxima<T>, T>(windows); });
  }
  return true;
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
