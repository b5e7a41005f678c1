// SPDX-License-Identifier: Apache-2.0
// Gradients of means over (N, C, H, W) images of any strides. The lanes of a vector are channels: those of
// channels-last images as they lie, those of others after each line is transposed. A row of the result asks
// the windows that it is in for what they give it, so that threads compute different rows. Compiled once for
// each instruction set.
#if defined(AVO_OP_CPU_POOLING_MEAN_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_MEAN_GRADIENTS_INL_H_
#undef AVO_OP_CPU_POOLING_MEAN_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_POOLING_MEAN_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <vector>

#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/pooling/column_tiles.h"
#include "op_cpu/pooling/fold-inl.h"
#include "op_cpu/pooling/kept_lines.h"
#include "op_cpu/pooling/mean_rows-inl.h"
#include "op_cpu/pooling/parallel_images.h"
#include "op_cpu/pooling/pixel_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// All elements of a window receive the same term, so columns that are in the same windows receive the same,
// and so do rows. Of each row of windows,
//   1. the gradients are divided to terms,
//   2. the terms that each group of columns receives are summed, once for all rows that these windows have;
// then the sums of the rows of windows that a row is in are added.
//
//   2 x 3 windows, strides 2 and 5
//
//   windows     w0        w1                terms     t0 t1
//   columns     0 1 2 . . 5 6 7 . .         row       t0 t0 t0 0 0 t1 t1 t1 0 0
template <typename T>
class MeanGradients {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  static constexpr int64_t kLanes = hn::MaxLanes(D()), kRoom = 64;  // behind a line, for vectors

 public:
  // channels: the most that are computed together.
  MeanGradients(const WindowGradients &windows, const std::vector<ColumnTile> &tiles, int64_t channels)
      : windows_(windows),
        tiles_(tiles),
        channels_(channels),
        grads_(windows.grad, channels),
        size_(Largest(tiles, [](const ColumnTile &tile) { return tile.size; }) * channels + kRoom),
        terms_(Largest(tiles, [](const ColumnTile &tile) { return tile.windows.end - tile.windows.first; }) *
                   channels +
               kRoom),
        sums_(windows.rows.Holding(), std::max<int64_t>(size_, terms_.size())),
        result_(size_),
        rows_(windows.out, tiles, channels) {}

  // Computes rows [first, last) of some channels of a tile of image n.
  void operator()(int64_t n, int64_t channel, int64_t channels, int64_t tile, int64_t first, int64_t last) {
    tile_ = &tiles_[tile];
    // Channels of a channels-last result follow each other as in memory; others are as many as lanes.
    if (windows_.out.strides[1] == 1) channels_ = channels;
    count_ = channels;
    grads_.Select(n, channel, channels);
    sums_.Clear();
    rows_.Select(*tile_, PlaneOf<T>(windows_.out, n, channel), channels, first, last);
    WindowSpan held{0, 0};  // the rows of windows whose sum result_ has
    for (int64_t y = first; y < last; ++y) {
      const WindowSpan span = windows_.rows.WindowsAt(y, windows_.grad.shape[2]);
      if (span.first == span.end || tile_->size == 0) {
        rows_.PutZeros(y);
      } else if (T *const to = rows_.InPlace(y)) {
        Sum(span, to);
      } else {
        if (!(span == held)) Sum(span, result_.data());
        held = span;
        rows_.Put(y, result_.data());
      }
    }
    rows_.Finish();
  }

 private:
  template <class Size>
  static int64_t Largest(const std::vector<ColumnTile> &tiles, const Size &size) {
    int64_t most = 0;
    for (const ColumnTile &tile : tiles) most = std::max<int64_t>(most, size(tile));
    return most;
  }

  // Sums what some rows of windows give a row.
  void Sum(const WindowSpan &span, T *to) {
    lines_.clear();
    for (int64_t row = span.first; row < span.end; ++row) {
      lines_.push_back(sums_.Get(row, [&](C *line) {
        Divide(row, tile_->apart ? line : terms_.data());
        if (!tile_->apart) SumColumns(line);
      }));
    }
    Fold<Total>(D(), lines_.data(), 0, lines_.size(), tile_->size * channels_, AsItIs(), to);
  }

  // Divides the gradients of a row of windows to terms.
  void Divide(int64_t row, C *to) {
    const WindowSpan &span = tile_->windows;
    const std::vector<int64_t> &widths = windows_.divisors.columns;
    const T *grads = grads_(row, span.first, span.end);
    const int64_t step = grads_.Step();
    const auto height = static_cast<C>(windows_.divisors.rows[row]);
    for (int64_t w = span.first, next = w; w < span.end; w = next) {
      // Windows of the same divisor are one run, where they are neighbours.
      for (next = w + 1; step == channels_ && next < span.end && widths[next] == widths[w];) ++next;
      const int64_t length = step == channels_ ? (next - w) * step : count_;
      Divide(grads + (w - span.first) * step, length, height * static_cast<C>(widths[w]),
             to + (w - span.first) * channels_);
    }
  }

  // Divides a run. There is room for a vector behind `to`.
  static void Divide(const T *from, int64_t count, C divisor, C *to) {
    const D d;
    int exponent = 0;
    const auto divide = [&](const auto &scale) HWY_ATTR {
      int64_t x = 0;
      // The sum of one term, which turns -0 into 0.
      for (; x + kLanes <= count; x += kLanes) {
        hn::StoreU(hn::Add(hn::Zero(d), scale(LoadFloat(d, from + x))), d, to + x);
      }
      if (x < count) hn::StoreU(hn::Add(hn::Zero(d), scale(LoadFirst(d, from + x, count - x))), d, to + x);
    };
    // The product with the inverse of a power of two is exact, and takes a fraction of the time.
    if (std::frexp(std::abs(divisor), &exponent) == C{0.5}) {
      const auto factor = hn::Set(d, C{1} / divisor);
      divide([&](hn::Vec<D> grad) HWY_ATTR { return hn::Mul(grad, factor); });
    } else {
      const auto by = hn::Set(d, divisor);
      divide([&](hn::Vec<D> grad) HWY_ATTR { return hn::Div(grad, by); });
    }
  }

  // Sums the terms that each group of columns receives.
  void SumColumns(C *line) {
    const D d;
    for (size_t i = 0; i < tile_->groups.size();) {
      const ColumnGroup &group = tile_->groups[i++];
      if (group.Gap()) continue;
      const int64_t count = group.windows.end - group.windows.first;
      const C *from = terms_.data() + (group.windows.first - tile_->windows.first) * channels_;
      C *to = line + group.at * channels_;
      // At strides of 1, groups that follow each other are one run.
      int64_t length = channels_;
      const bool by_groups = tile_->places == LinePlaces::kGroups;
      for (int64_t w = group.windows.first + 1; i < tile_->groups.size(); ++i, ++w, length += channels_) {
        const ColumnGroup &next = tile_->groups[i];
        const bool single = next.last - group.first == length / channels_ + 1;
        if (!(next.windows == WindowSpan{w, w + count}) || !(by_groups || single)) break;
      }
      for (int64_t x = 0; x < length; x += kLanes) {
        auto sum = hn::LoadU(d, from + x);
        for (int64_t k = 1; k < count; ++k) sum = hn::Add(sum, hn::LoadU(d, from + x + k * channels_));
        hn::StoreU(sum, d, to + x);
      }
      // The other columns of the group.
      for (int64_t x = group.first + 1; !by_groups && x < group.last; ++x) {
        std::copy_n(to, channels_, to + (x - group.first) * channels_);
      }
    }
  }

  const WindowGradients &windows_;
  const std::vector<ColumnTile> &tiles_;
  const ColumnTile *tile_ = nullptr;
  int64_t channels_;   // elements from pixel to pixel of a line
  int64_t count_ = 0;  // channels that are selected
  PixelLines<T> grads_;
  const int64_t size_;  // of a line of sums
  AlignedVector<C> terms_;
  KeptLines<C> sums_;  // by rows of windows
  AlignedVector<T> result_;
  MeanRows<T> rows_;
  std::vector<const C *> lines_;  // those sums that a row of the result adds
};

// Computes some channels of a tile of columns at a time.
template <typename T>
void PoolMeanGradients(const WindowGradients &given, const ParallelFor &parallel_for) {
  constexpr int64_t kBlock = kPlaneBlock<T>;
  const bool channels_last = given.out.strides[1] == 1 && given.out.shape[1] > 1;
  const WindowGradients windows = channels_last ? given : given.Merged(kBlock);
  const bool lines = windows.out.strides[1] == 1;
  const Shape &shape = windows.out.shape;
  // Elements of a line: so many that the lines which a row adds stay in the first caches.
  const int64_t most = std::max<int64_t>(512, 4096 / CeilDiv<int64_t>(windows.rows.Holding(), 2));
  const int64_t pieces = lines ? CeilDiv(shape[1], most) : CeilDiv(shape[1], kBlock);
  const int64_t channels = !lines ? kBlock : pieces == 1 ? shape[1] : CeilDiv(shape[1], pieces * 64) * 64;
  const int64_t blocks = CeilDiv(shape[1], channels);
  const bool small = !lines && AreSmallPlanes<T>(windows.out);
  const int64_t columns = small ? shape[3] : std::max<int64_t>(1, most / channels);
  const bool sparse = 2 * windows.grad.shape[3] * windows.columns.kernel <= shape[3];
  const LinePlaces places = lines || (sparse && !small) ? LinePlaces::kGroups : LinePlaces::kColumns;
  const std::vector<ColumnTile> tiles = ColumnTiles(windows.columns, windows.grad.shape[3], places, columns);
  const auto across = static_cast<int64_t>(tiles.size());
  ParallelImages(
      shape[0] * blocks * across, shape[2], GrainOf(shape[3] * channels / across), parallel_for,
      [&] { return MeanGradients<T>(windows, tiles, channels); },
      [&](MeanGradients<T> &gradients, int64_t item, int64_t first, int64_t last) {
        const int64_t block = item / across, channel = block % blocks * channels;
        gradients(block / blocks, channel, std::min(channels, shape[1] - channel), item % across, first,
                  last);
      });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
