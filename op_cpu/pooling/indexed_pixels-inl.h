// SPDX-License-Identifier: Apache-2.0
// Maxima of windows over images whose channels are neighbours in memory, and their indices. Compiled once for
// each instruction set.
#if defined(AVO_OP_CPU_POOLING_INDEXED_PIXELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_INDEXED_PIXELS_INL_H_
#undef AVO_OP_CPU_POOLING_INDEXED_PIXELS_INL_H_
#else
#define AVO_OP_CPU_POOLING_INDEXED_PIXELS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/pooling/indexed_windows.h"
#include "op_cpu/pooling/parallel_images.h"
#include "op_cpu/pooling/window_operations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The lanes of a vector are channels: the largest tap of a window is found, then the first one that is equal
// to it. Images and results are dense, with the channels of each pixel together.
template <typename T, typename I>
class IndexedPixels {
  using D = ComputeTag<T>;
  using V = hn::Vec<D>;
  using Tag = hn::RebindToUnsigned<D>;
  using Pixel = hn::TFromD<Tag>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  explicit IndexedPixels(const IndexedWindows &windows) : windows_(windows) {}

  // Computes rows [first, last) of windows of image n.
  void operator()(int64_t n, int64_t first, int64_t last) {
    const WindowAxis &columns = windows_.columns;
    const int64_t channels = windows_.in.shape[1], count = windows_.out.shape[3];
    const T *image = PlaneOf<const T>(windows_.in, n, 0);
    for (int64_t row = first; row < last; ++row) {
      T *out = PlaneOf<T>(windows_.out, n, 0) + row * count * channels;
      I *indices = PlaneOf<I>(windows_.indices, n, 0) + row * count * channels;
      int64_t left = -1, right = -1;  // the taps of a row of the window that taps_ has
      for (int64_t x = 0; x < count; ++x, out += channels, indices += channels) {
        if (left != columns.FirstTap(x) || right != columns.EndTap(x)) {
          left = columns.FirstTap(x);
          right = columns.EndTap(x);
          MakeTaps(row, left, right);
        }
        if (taps_.empty()) continue;
        const int64_t start = windows_.rows.Start(row) * columns.size + columns.Start(x);
        int64_t c = 0;
        for (; c + kLanes <= channels; c += kLanes) {
          Find(image + start * channels + c, start, kLanes, out + c, indices + c);
        }
        if (c < channels) Find(image + start * channels + c, start, channels - c, out + c, indices + c);
      }
    }
  }

 private:
  // From the start of a window to a tap.
  struct Tap {
    int64_t elements;
    Pixel pixels;
  };

  void MakeTaps(int64_t row, int64_t left, int64_t right) {
    taps_.clear();
    for (int64_t i = windows_.rows.FirstTap(row); i < windows_.rows.EndTap(row); ++i) {
      for (int64_t j = left; j < right; ++j) {
        const int64_t pixel =
            i * windows_.rows.dilation * windows_.columns.size + j * windows_.columns.dilation;
        taps_.push_back({pixel * windows_.in.shape[1], static_cast<Pixel>(pixel)});
      }
    }
  }

  // Finds the maxima of `lanes` channels of a window that starts at pixel `start`.
  HWY_INLINE void Find(const T *window, int64_t start, int64_t lanes, T *out, I *indices) const {
    const D d;
    const Tag pixels;
    const Tap *taps = taps_.data();
    const int64_t last = taps_.size() - 1;
    V largest = LoadUpTo(d, window + taps[0].elements, lanes);
    V sum = hn::Mul(largest, hn::Zero(d));  // NaN where a value is not finite
    for (int64_t k = 1; k <= last; ++k) {
      const V value = LoadUpTo(d, window + taps[k].elements, lanes);
      // Of zeros the first one stays, with its sign.
      largest = hn::IfThenElse(hn::Gt(value, largest), value, largest);
      sum = hn::MulAdd(value, hn::Zero(d), sum);
    }
    auto found = hn::Set(pixels, taps[last].pixels);
    if (HWY_LIKELY(hn::AllFalse(d, hn::IsNaN(sum)))) {
      for (int64_t k = last - 1; k >= 0; --k) {
        const auto here = hn::Eq(LoadUpTo(d, window + taps[k].elements, lanes), largest);
        found = hn::IfThenElse(hn::RebindMask(pixels, here), hn::Set(pixels, taps[k].pixels), found);
      }
    } else {
      FindAny(window, lanes, largest, found);
    }
    StoreUpTo(largest, d, out, lanes, false);
    StoreIndices(hn::Add(found, hn::Set(pixels, static_cast<Pixel>(start))), lanes, indices);
  }

  // The same for any values: the last NaN is the maximum.
  HWY_NOINLINE void FindAny(const T *window, int64_t lanes, V &largest, hn::Vec<Tag> &found) const {
    largest = LoadUpTo(D(), window + taps_[0].elements, lanes);
    found = hn::Set(Tag(), taps_[0].pixels);
    for (size_t k = 1; k < taps_.size(); ++k) {
      TakeLarger<true>(LoadUpTo(D(), window + taps_[k].elements, lanes), hn::Set(Tag(), taps_[k].pixels),
                       largest, found);
    }
  }

  const IndexedWindows &windows_;
  std::vector<Tap> taps_;
};

template <typename T, typename I>
void IndexPixels(const IndexedWindows &windows, const ParallelFor &parallel_for) {
  const Shape &shape = windows.out.shape;
  ParallelImages<IndexedPixels<T, I>>(
      windows, shape[0], shape[2],
      GrainOf(shape[3] * shape[1] * windows.rows.kernel * windows.columns.kernel), parallel_for);
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
