// SPDX-License-Identifier: Apache-2.0
// Maxima of windows over planes, and their indices. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_INDEXED_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_INDEXED_PLANES_INL_H_
#undef AVO_OP_CPU_POOLING_INDEXED_PLANES_INL_H_
#else
#define AVO_OP_CPU_POOLING_INDEXED_PLANES_INL_H_
#endif

#include <algorithm>

#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/pooling/indexed_rows-inl.h"
#include "op_cpu/pooling/indexed_windows.h"
#include "op_cpu/pooling/line_maxima-inl.h"
#include "op_cpu/pooling/parallel_images.h"
#include "op_cpu/pooling/tap_maxima-inl.h"
#include "op_cpu/pooling/tile_rows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A block of planes is computed together, some rows of windows at a time. The lanes of a vector are planes:
// the pixels of the maxima are found, transposed to runs of windows, and the elements there are loaded.
// Images and results are dense. Maxima is TapMaxima or LineMaxima.
template <class Maxima, typename T, typename I>
class IndexedPlanes {
  using Tag = typename ScatteredSums<T>::PixelTag;
  using Pixel = typename ScatteredSums<T>::Pixel;
  static constexpr int64_t kBlock = PlaneTile<T>::kBlock, kLanes = hn::MaxLanes(Tag());

 public:
  explicit IndexedPlanes(const IndexedWindows &windows)
      : windows_(windows),
        width_(windows.out.shape[3]),
        band_(std::clamp<int64_t>(kWindows / width_, 1, windows.out.shape[2])),
        maxima_(windows.in, windows.rows, windows.columns, width_),
        found_((band_ * width_ + kLanes) * kBlock) {}

  // Computes rows [first, last) of windows of channels [channel, channel + channels) of image n.
  void operator()(int64_t n, int64_t channel, int64_t channels, int64_t first, int64_t last) {
    const PixelPlaces<T> in_plane(windows_.rows.size * windows_.columns.size, 0);
    for (; first < last; first += band_) {
      const int64_t end = std::min(first + band_, last);
      if (first != at_.top || end != at_.bottom) {
        at_ = TileRows::OfWindows(windows_.rows, first, end);
        maxima_.SelectRows(at_);
      }
      maxima_(PlaneOf<const T>(windows_.in, n, channel), channels, in_plane, found_.data(), [] {});
      for (int64_t c = 0; c < channels; c += kLanes) {
        StoreRuns(n, channel + c, std::min(kLanes, channels - c), found_.data() + c);
      }
    }
  }

 private:
  static constexpr int64_t kWindows = 2048;  // that are computed at once: the second cache

  // Stores the results of the selected rows of windows of `channels` planes, whose pixels begin at `found`.
  void StoreRuns(int64_t n, int64_t channel, int64_t channels, const Pixel *found) const {
    const Tag d;
    const int64_t first = at_.top * width_, count = (at_.bottom - at_.top) * width_;
    for (int64_t x = 0; x < count; x += kLanes) {
      hn::Vec<Tag> runs[kLanes];
#pragma GCC unroll 16
      for (int64_t i = 0; i < kLanes; ++i) runs[i] = hn::Load(d, found + (x + i) * kBlock);
      Transpose(d, runs);
      Pixel pixels[kLanes * kLanes];
#pragma GCC unroll 16
      for (int64_t c = 0; c < kLanes; ++c) hn::StoreU(runs[c], d, pixels + c * kLanes);
      for (int64_t c = 0; c < channels; ++c) {
        StoreRun(pixels + c * kLanes, PlaneOf<const T>(windows_.in, n, channel + c), count - x,
                 PlaneOf<T>(windows_.out, n, channel + c) + first + x,
                 PlaneOf<I>(windows_.indices, n, channel + c) + first + x);
      }
    }
  }

  static HWY_INLINE void StoreRun(const Pixel *pixels, const T *plane, int64_t left, T *out, I *indices) {
    if (left >= kLanes) {
#pragma GCC unroll 16
      for (int64_t i = 0; i < kLanes; ++i) indices[i] = static_cast<I>(pixels[i]);
#pragma GCC unroll 16
      for (int64_t i = 0; i < kLanes; ++i) out[i] = plane[pixels[i]];
      return;
    }
    for (int64_t i = 0; i < left; ++i) {
      indices[i] = static_cast<I>(pixels[i]);
      out[i] = plane[pixels[i]];
    }
  }

  const IndexedWindows &windows_;
  const int64_t width_;  // windows of a row
  const int64_t band_;   // the most rows of windows that are computed at once
  Maxima maxima_;
  TileRows at_{};
  AlignedVector<Pixel> found_;  // of each window the pixels of the block
};

template <typename T, typename I>
void IndexPlanes(const IndexedWindows &given, const ParallelFor &parallel_for) {
  constexpr int64_t kBlock = PlaneTile<T>::kBlock;
  const IndexedWindows windows = given.Merged();
  const Shape &shape = windows.out.shape;
  const int64_t row = windows.columns.size * std::min(windows.rows.stride, windows.rows.Reach());
  if (IndexedRows<T, I>::Suit(windows, std::min(kBlock, shape[1]))) {
    const int64_t grain = GrainOf(std::min(row, shape[3] * windows.rows.kernel * windows.columns.kernel));
    return ParallelImages<IndexedRows<T, I>>(windows, shape[0] * shape[1], shape[2], grain, parallel_for);
  }
  const auto pool = [&](auto make) {
    ParallelBlocks(shape[0], shape[1], kBlock, shape[2], GrainOf(row * kBlock), parallel_for, make);
  };
  if (TapMaxima<T>::Suit(windows.rows, windows.columns)) {
    pool([&] { return IndexedPlanes<TapMaxima<T>, T, I>(windows); });
  } else {
    pool([&] { return IndexedPlanes<LineMaxima<T>, T, I>(windows); });
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
