// SPDX-License-Identifier: Apache-2.0
// Maxima of windows over few planes, and their indices. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_INDEXED_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_INDEXED_ROWS_INL_H_
#undef AVO_OP_CPU_POOLING_INDEXED_ROWS_INL_H_
#else
#define AVO_OP_CPU_POOLING_INDEXED_ROWS_INL_H_
#endif

#include <algorithm>

#include "op_cpu/common/vectors/gather-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/pooling/indexed_windows.h"
#include "op_cpu/pooling/window_operations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The lanes of a vector are neighbouring windows of a row. Windows that reach into the padding beside the
// image are computed one by one. Images and results are dense planes.
template <typename T, typename I>
class IndexedRows {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  using Tag = hn::RebindToUnsigned<D>;
  using Pixel = hn::TFromD<Tag>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  explicit IndexedRows(const IndexedWindows &windows)
      : windows_(windows),
        stride_(windows.columns.stride),
        inner_(windows.columns.Inner(windows.out.shape[3])) {}

  // Whether this takes less time than planes as lanes (indexed_planes-inl.h), which computes `planes` planes
  // together. The constants are ns on Zen 4: of a tap and of a window here, and of a pixel, a window and a
  // row or column of taps there.
  static bool Suit(const IndexedWindows &windows, int64_t planes) {
    constexpr double kNear = 0.12, kFar = sizeof(T) == 2 ? 0.8 : 0.4, kOne = 1.5, kStore = 0.3;
    constexpr double kPixel = 2, kWindow = 10, kLineTap = 2.6;
    const WindowAxis &rows = windows.rows, &columns = windows.columns;
    const int64_t lines = windows.out.shape[2], count = windows.out.shape[3];
    const WindowSpan inner = columns.Inner(count);
    const int64_t inside = inner.end - inner.first < kLanes ? 0 : inner.end - inner.first;
    const auto number = [](int64_t n) { return static_cast<double>(n); };
    const double taps = number(rows.kernel) * number(columns.kernel);
    const double line =
        number(AlignUp(inside, kLanes)) * (kStore + taps * (columns.stride <= 2 ? kNear : kFar)) +
        number(count - inside) * taps * kOne;
    const int64_t read = std::min(rows.size, lines * std::min(rows.kernel, rows.stride));
    const double here = number(planes) * number(lines) * line;
    const double there =
        kPixel * number(read) * number(columns.size) +
        number(lines) * number(count) * (kWindow + kLineTap * number(rows.kernel + columns.kernel));
    return here < there;
  }

  // Computes rows [first, last) of windows of a plane.
  void operator()(int64_t plane, int64_t first, int64_t last) {
    const WindowAxis &rows = windows_.rows;
    const int64_t count = windows_.out.shape[3];
    image_ = PlaneOf<const T>(windows_.in, plane);
    for (int64_t y = first; y < last; ++y) {
      const int64_t top = rows.FirstTap(y);
      taps_ = rows.EndTap(y) - top;
      if (taps_ <= 0) continue;
      row_ = (rows.Start(y) + top * rows.dilation) * windows_.columns.size;
      out_ = PlaneOf<T>(windows_.out, plane) + y * count;
      indices_ = PlaneOf<I>(windows_.indices, plane) + y * count;
      int64_t x = 0;
      const bool vectors = inner_.end - inner_.first >= kLanes;
      for (; vectors && x < inner_.first; ++x) FindOne(x);
      for (; vectors && x < inner_.end; x += kLanes) {
        // The last vector overlaps the one before it.
        x = std::min(x, inner_.end - kLanes);
        stride_ == 1 ? FindLanes<1>(x) : stride_ == 2 ? FindLanes<2>(x) : FindLanes<0>(x);
      }
      for (; x < count; ++x) FindOne(x);
    }
  }

 private:
  // Elements 0, 2, 4, … of two vectors, of which the second begins with the last element of the first.
  static HWY_INLINE auto EverySecond() {
    const D d;
    hwy::MakeSigned<C> places[kLanes];
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      places[lane] = static_cast<hwy::MakeSigned<C>>(2 * lane + (2 * lane >= kLanes));
    }
    return hn::IndicesFromVec(d, hn::LoadU(hn::RebindToSigned<D>(), places));
  }

  // Elements of neighbouring windows, from that of the first window on. kStride: the stride, or 0 where the
  // compiler does not know it.
  template <int64_t kStride>
  HWY_INLINE V LoadTap(const T *from) const {
    const D d;
    if constexpr (kStride == 1) {
      return LoadFloat(d, from);
    } else if constexpr (kStride == 2) {
      // The second vector begins one element early, as memory may end with the last element that is taken.
      const V low = LoadFloat(d, from), high = LoadFloat(d, from + kLanes - 1);
      return hn::TwoTablesLookupLanes(d, low, high, EverySecond());
    } else {
      if constexpr (std::is_same_v<T, C>) {
        return LoadEach(d, from, [&](int64_t lane) { return lane * stride_ * int64_t{sizeof(T)}; });
      } else {
        T elements[kLanes];
#pragma GCC unroll 16
        for (int64_t lane = 0; lane < kLanes; ++lane) elements[lane] = from[lane * stride_];
        return LoadFloat(d, elements);
      }
    }
  }

  // Computes kLanes windows from window x on.
  template <int64_t kStride>
  void FindLanes(int64_t x) const {
    const D d;
    const Tag pixels;
    const WindowAxis &rows = windows_.rows, &columns = windows_.columns;
    const int64_t start = row_ + columns.Start(x);
    V best = LoadTap<kStride>(image_ + start);
    auto found = hn::Zero(pixels);
    for (int64_t i = 0; i < taps_; ++i) {
      for (int64_t j = 0; j < columns.kernel; ++j) {
        const int64_t pixel = i * rows.dilation * columns.size + j * columns.dilation;
        TakeLarger<true>(LoadTap<kStride>(image_ + start + pixel), hn::Set(pixels, static_cast<Pixel>(pixel)),
                         best, found);
      }
    }
    const auto windows = hn::Mul(hn::Iota(pixels, 0), hn::Set(pixels, static_cast<Pixel>(stride_)));
    found = hn::Add(found, hn::Add(windows, hn::Set(pixels, static_cast<Pixel>(start))));
    StoreFloat(best, d, out_ + x);
    StoreIndices(found, kLanes, indices_ + x);
  }

  void FindOne(int64_t x) const {
    const WindowAxis &rows = windows_.rows, &columns = windows_.columns;
    const int64_t left = columns.FirstTap(x), right = columns.EndTap(x), start = row_ + columns.Start(x);
    if (left >= right) return;
    int64_t found = start + left * columns.dilation;
    C best = Widen(image_[found]);
    for (int64_t i = 0; i < taps_; ++i) {
      for (int64_t j = left; j < right; ++j) {
        const int64_t here = start + i * rows.dilation * columns.size + j * columns.dilation;
        const C value = Widen(image_[here]);
        if (value > best || value != value) {
          best = value;
          found = here;
        }
      }
    }
    out_[x] = image_[found];
    indices_[x] = static_cast<I>(found);
  }

  const IndexedWindows &windows_;
  const int64_t stride_;
  const WindowSpan inner_;  // windows of a row whose taps all lie inside the image's columns
  // The row of windows that is computed: its plane, the first pixel of its first row of taps, how many rows
  // of taps lie inside the image, and its results.
  const T *image_ = nullptr;
  int64_t row_ = 0, taps_ = 0;
  T *out_ = nullptr;
  I *indices_ = nullptr;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
