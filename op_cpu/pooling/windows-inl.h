// SPDX-License-Identifier: Apache-2.0
// Pooling of (N, C, H, W) images of any strides. Windows are separable: the rows of a line of windows are
// combined first, element by element, and then the columns of each window. Compiled once for each instruction
// set.
#if defined(AVO_OP_CPU_POOLING_WINDOWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_WINDOWS_INL_H_
#undef AVO_OP_CPU_POOLING_WINDOWS_INL_H_
#else
#define AVO_OP_CPU_POOLING_WINDOWS_INL_H_
#endif

#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/pooling/channel_lines-inl.h"
#include "op_cpu/pooling/column_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Planes that are transposed to channels-last tiles of some rows of some planes each, where their rows are
// too short for vectors of columns, and transposing takes less time than windows. Measured at AVX-512, this
// is 1.8 x as fast for 3 x 3 maxima of images of 7 x 7, 2.3 x for 13 x 13 maxima of 20 x 20, 3 x for 5 x 6
// means of 172 x 52.
template <class Op, typename T>
class TransposedPlanes {
 public:
  explicit TransposedPlanes(const Windows &windows)
      : windows_(windows),
        rows_(Rows(windows)),
        lanes_(Planes(windows)),
        tile_(((rows_ - 1) * windows.rows.stride + windows.rows.Reach()) * windows.in.shape[3] * lanes_),
        result_(rows_ * windows.out.shape[3] * lanes_),
        tile_windows_(TileWindows()),
        lines_(tile_windows_, lanes_) {}

  static bool Suit(const Windows &windows) {
    const Tensor &in = windows.in, &out = windows.out;
    const WindowAxis &columns = windows.columns;
    // Where many lanes are idle, only few columns take longer the other way; and so do long windows. In
    // planes larger than a tile, rows of 24 columns, or of 12 at stride 2, take as long either way.
    const int64_t planes = in.shape[1], lanes = static_cast<int64_t>(hwy::RoundUpTo(planes, kStep));
    const int64_t narrow = 4 * planes >= 3 * lanes ? kNarrow : kNarrow / 4;
    const bool small = in.shape[2] * in.shape[3] <= kPixels;
    const bool few = out.shape[3] <= narrow && (small || 4 * columns.stride * in.shape[3] <= 3 * kNarrow);
    return in.strides[3] == 1 && windows.Dense() && out.strides[3] == 1 && out.strides[2] == out.shape[3] &&
           2 * planes >= kStep && columns.kernel <= kNarrow && (few || columns.stride > 4) &&
           !columns.FarApart() && windows.rows.Reach() * in.shape[3] <= 2 * kPixels;
  }
  // The planes of a tile.
  static int64_t Planes(const Windows &windows) {
    const int64_t pixels = std::min(windows.in.shape[2] * windows.in.shape[3], kPixels);
    return std::min(std::clamp<int64_t>(kPixels / pixels, 1, 4) * kStep,
                    static_cast<int64_t>(hwy::RoundUpTo(windows.in.shape[1], kStep)));
  }
  // The rows of windows of a tile: so many that its rows are mostly those of no other tile.
  static int64_t Rows(const Windows &windows) {
    const int64_t fit = kPixels / windows.in.shape[3] - windows.rows.Reach();
    return std::clamp<int64_t>(
        fit / windows.rows.stride + 1,
        std::min(windows.out.shape[2], CeilDiv(windows.rows.Reach(), windows.rows.stride)),
        windows.out.shape[2]);
  }

  // Rows [first, last) of the windows of some planes. first: a multiple of Rows().
  void operator()(int64_t n, int64_t plane, int64_t planes, int64_t first, int64_t last) {
    const Tensor &out = windows_.out;
    Tensor &tile = tile_windows_.in, &result = tile_windows_.out;
    lanes_ = static_cast<int64_t>(hwy::RoundUpTo(planes, kStep));
    SetStrides();
    for (; first < last; first += rows_) {
      const int64_t end = std::min(first + rows_, last);
      const int64_t top = std::max<int64_t>(0, windows_.rows.Start(first));
      // The addresses of row 0, which need not be in a tile.
      tile.data = tile_.data() - top * tile.strides[2];
      result.data = result_.data() - first * result.strides[2];
      Load(n, plane, planes, first, end, top);
      lines_(0, 0, lanes_, first, end);
      ToChannelsLast(result_.data(), lanes_, (end - first) * out.shape[3], planes,
                     PlaneOf<T>(out, n, plane) + first * out.strides[2], out.strides[1]);
    }
  }

 private:
  static constexpr int64_t kStep = 16, kPixels = 1024, kNarrow = 32;

  // Transposes those rows of the image that windows [first, end) read. top: the first row of the tile.
  void Load(int64_t n, int64_t plane, int64_t planes, int64_t first, int64_t end, int64_t top) {
    const Tensor &in = windows_.in;
    const WindowAxis &rows = windows_.rows;
    const T *from = PlaneOf<T>(in, n, plane);
    int64_t y = top;
    while (first < end) {
      y = std::max(y, rows.Start(first));
      // Windows that follow each other without a gap.
      int64_t bottom = y;
      for (; first < end && rows.Start(first) <= bottom; ++first) {
        bottom = std::clamp(rows.Start(first) + rows.Reach(), bottom, in.shape[2]);
      }
      if (y >= bottom) return;
      ToChannelsLast(from + y * in.strides[2], in.strides[1], planes, (bottom - y) * in.shape[3],
                     tile_.data() + (y - top) * in.shape[3] * lanes_, lanes_);
      y = bottom;
    }
  }

  // The same windows, over a tile.
  Windows TileWindows() {
    const auto transposed = [&](const Tensor &tensor, std::vector<T> &data) {
      return Tensor{tensor.dtype, {1, lanes_, tensor.shape[2], tensor.shape[3]}, {0, 1, 0, 0}, data.data()};
    };
    return {transposed(windows_.in, tile_), transposed(windows_.out, result_), windows_.rows,
            windows_.columns, windows_.divisors};
  }

  void SetStrides() {
    for (Tensor *images : {&tile_windows_.in, &tile_windows_.out}) {
      images->strides[3] = lanes_;
      images->strides[2] = images->shape[3] * lanes_;
    }
  }

  const Windows &windows_;
  const int64_t rows_;  // of windows
  int64_t lanes_;       // planes of a tile, with those that fill the last vector
  std::vector<T> tile_, result_;
  Windows tile_windows_;
  ChannelLines<Op, T> lines_;
};

// Combines all elements of each of as many planes as a vector has lanes. stride: elements from plane to
// plane; size: elements of a plane, at most kShortRun. It gives the bits of FoldRun.
template <class Op, class D, typename T>
HWY_INLINE hn::Vec<D> FoldImages(D d, const T *images, int64_t stride, int64_t size) {
  constexpr int64_t kSide = hn::MaxLanes(D()), kLong = kLongLanes<hn::TFromD<D>>;
  hn::Vec<D> of_image[kSide][kLongVectors<D>], all[kSide];
#pragma GCC unroll 16
  for (int64_t i = 0; i < kSide; ++i) std::fill_n(of_image[i], kLongVectors<D>, Op::Identity(d));
  if (size < kLong) {
#pragma GCC unroll 16
    for (int64_t i = 0; i < kSide; ++i) FoldPart<Op, false>(d, images + i * stride, size, of_image[i]);
  } else {
    int64_t x = 0;
    for (; x + kLong <= size; x += kLong) {
#pragma GCC unroll 16
      for (int64_t i = 0; i < kSide; ++i) FoldLong<Op>(d, images + i * stride + x, of_image[i]);
    }
    // The last long vectors overlap those before them.
    if (x < size) {
#pragma GCC unroll 16
      for (int64_t i = 0; i < kSide; ++i) {
        FoldPart<Op, true>(d, images + i * stride + size - kLong, size - x, of_image[i]);
      }
    }
  }
#pragma GCC unroll 16
  for (int64_t i = 0; i < kSide; ++i) all[i] = FoldVectors<Op>(of_image[i]);
  Transpose(d, all);
  return FoldVectors<Op>(all);
}

// One window over the whole of each plane. Measured at AVX-512, this is 2.5 x as fast as lines of windows,
// which copy each plane first, for means of 7 x 7.
template <class Op, typename T>
void PoolWhole(const Windows &windows, const ParallelFor &parallel_for) {
  using C = Compute<T>;
  const hn::ScalableTag<C> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const Tensor &in = windows.in, &out = windows.out;
  const int64_t channels = in.shape[1], size = in.shape[2] * in.shape[3];
  C factor = 1;
  if constexpr (std::is_same_v<Op, Total>) {
    factor /= static_cast<C>(windows.divisors.rows[0] * windows.divisors.columns[0]);
  }
  const int64_t blocks = CeilDiv(channels, kLanes);
  const auto pool_block = [&](int64_t n, int64_t c) {
    const T *images = PlaneOf<T>(in, n, c);
    const int64_t count = std::min(kLanes, channels - c);
    C all[kLanes];
    if (count == kLanes && size <= kShortRun<C>) {
      // Each short plane alone takes longer across the lanes of its vectors than along them, so they are
      // computed side by side. Measured at AVX-512, this is 1.4 x as fast for 8 x 2048 planes of 7 x 7.
      hn::StoreU(FoldImages<Op>(d, images, in.strides[1], size), d, all);
    } else {
      for (int64_t i = 0; i < count; ++i) all[i] = FoldRun<Op>(d, images + i * in.strides[1], size);
    }
    T *to = PlaneOf<T>(out, n, c);
    for (int64_t i = 0; i < count; ++i) {
      to[i * out.strides[1]] = Narrow<T>(std::is_same_v<Op, Total> ? all[i] * factor : all[i]);
    }
  };
  parallel_for(in.shape[0] * blocks, GrainOf(size * kLanes), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) pool_block(i / blocks, i % blocks * kLanes);
  });
}

// Images whose channels are neighbours in memory, some channels at a time.
template <class Op, typename T>
void PoolChannels(const Windows &windows, const ParallelFor &parallel_for) {
  using Lines = ChannelLines<Op, T>;
  const int64_t rows = windows.out.shape[2], channels = windows.in.shape[1];
  const int64_t most = Lines::Channels(windows), blocks = CeilDiv(channels, most);
  ParallelImages(
      windows.in.shape[0] * blocks, rows, GrainOf(windows.Touched() * most), parallel_for,
      [&] { return Lines(windows, most); },
      [&](Lines &lines, int64_t image, int64_t first, int64_t last) {
        const int64_t channel = image % blocks * most;
        lines(image / blocks, channel, std::min(most, channels - channel), first, last);
      });
}

// Narrow planes, some rows of some planes at a time.
template <class Op, typename T>
void PoolTransposed(const Windows &windows, const ParallelFor &parallel_for) {
  using Planes = TransposedPlanes<Op, T>;
  const int64_t channels = windows.in.shape[1], most = Planes::Planes(windows);
  const int64_t blocks = CeilDiv(channels, most), rows = Planes::Rows(windows), height = windows.out.shape[2];
  ParallelImages(
      windows.in.shape[0] * blocks, CeilDiv(height, rows), GrainOf(windows.Touched() * rows * most),
      parallel_for, [&] { return Planes(windows); },
      [&](Planes &planes, int64_t image, int64_t first, int64_t last) {
        const int64_t plane = image % blocks * most;
        planes(image / blocks, plane, std::min(most, channels - plane), first * rows,
               std::min(last * rows, height));
      });
}

// All other images, plane by plane.
template <class Op, typename T>
void PoolColumns(const Windows &windows, const ParallelFor &parallel_for) {
  const Shape &shape = windows.out.shape;
  ParallelImages<ColumnLines<Op, T>>(windows, shape[0] * shape[1], shape[2], GrainOf(windows.Touched()),
                                     parallel_for);
}

// Pools images of any floating dtype.
template <class Op>
void Pool(const Windows &windows, const ParallelFor &parallel_for) {
  const Tensor &in = windows.in;
  DispatchFloat(in.dtype, [&](auto element) {
    using T = decltype(element);
    const bool whole = windows.Whole() && windows.Dense();
    if (whole && in.strides[3] == 1) {
      PoolWhole<Op, T>(windows, parallel_for);
    } else if (in.strides[1] == 1 && in.strides[3] != 1) {
      PoolChannels<Op, T>(whole ? windows.Column() : windows, parallel_for);
    } else if (const Windows planes = windows.Merged(); TransposedPlanes<Op, T>::Suit(planes)) {
      PoolTransposed<Op, T>(planes, parallel_for);
    } else {
      PoolColumns<Op, T>(windows, parallel_for);
    }
  });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
