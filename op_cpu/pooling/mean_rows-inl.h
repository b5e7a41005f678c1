// SPDX-License-Identifier: Apache-2.0
// Stores rows of gradients of means. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_MEAN_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_MEAN_ROWS_INL_H_
#undef AVO_OP_CPU_POOLING_MEAN_ROWS_INL_H_
#else
#define AVO_OP_CPU_POOLING_MEAN_ROWS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "op_cpu/common/copies/stream_run-inl.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/pooling/column_tiles.h"
#include "op_cpu/pooling/pixel_lines-inl.h"
#include "op_cpu/pooling/sparse_planes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Copies a few elements, which a call of memcpy for each would take long for. There must be room for a vector
// behind the elements that are read.
template <typename T>
HWY_INLINE void CopyFew(const T *from, int64_t count, T *to) {
  using Bits = hwy::UnsignedFromSize<sizeof(T)>;
  const hn::ScalableTag<Bits> d;
  const auto *source = reinterpret_cast<const Bits *>(from);
  auto *target = reinterpret_cast<Bits *>(to);
  const int64_t lanes = hn::Lanes(d);
  if (count < lanes) return hn::StoreN(hn::LoadU(d, source), d, target, count);
  // The last vector overlaps the one before it.
  for (int64_t next = 0; next < count; next += lanes) {
    const int64_t x = std::min(next, count - lanes);
    hn::StoreU(hn::LoadU(d, source + x), d, target + x);
  }
}

// The rows of the result of some channels, in the columns of a tile. A row is given as a line with an element
// for each place (column_tiles.h) and channel.
template <typename T>
class MeanRows {
 public:
  MeanRows(const Tensor &out, const std::vector<ColumnTile> &tiles, int64_t channels)
      : out_(out), lines_(out.strides[1] == 1), small_(!lines_ && AreSmallPlanes<T>(out)), pitch_(channels) {
    if (small_) buffer_.resize(out.shape[2] * out.shape[3] * channels);
    if (!lines_ || !OutgrowsCaches(out)) return;
    int64_t columns = 0;
    for (const ColumnTile &tile : tiles) columns = std::max(columns, tile.Last() - tile.First());
    buffer_.resize(columns * channels);
    zeros_.resize(buffer_.size());
  }

  // The rows [first, last), and the plane of the first of these channels.
  void Select(const ColumnTile &tile, T *plane, int64_t channels, int64_t first, int64_t last) {
    tile_ = &tile;
    to_ = plane + tile.First() * out_.strides[3];
    channels_ = channels;
    first_ = first;
    last_ = last;
    // Only runs of several lines of the caches go around them.
    const bool runs = out_.strides[3] == channels || channels * sizeof(T) >= 512;
    stream_ = !zeros_.empty() && runs;
    full_ = lines_ && tile.gaps == 0 && tile.size == Columns();
  }

  // Where the line of row y belongs, if nothing is left to do then; else nullptr.
  T *InPlace(int64_t y) {
    if (small_) return buffer_.data() + (y - first_) * Columns() * pitch_;
    return full_ && !stream_ && out_.strides[3] == channels_ ? to_ + y * out_.strides[2] : nullptr;
  }

  void Put(int64_t y, const T *line) {
    T *const to = to_ + y * out_.strides[2];
    const int64_t step = out_.strides[3];
    if (!lines_) return PutPlanes(line, to);
    if (!stream_) return Spread(line, to, step);
    if (!full_) Spread(line, buffer_.data(), channels_);
    Stream(full_ ? line : buffer_.data(), to);
  }

  void PutZeros(int64_t y) {
    T *const to = to_ + y * out_.strides[2];
    if (small_) return Clear(InPlace(y), Columns() * pitch_);
    if (stream_) return Stream(zeros_.data(), to);
    if (lines_) return ClearPixels(to, out_.strides[3], Columns());
    ClearPlanes(to);
  }

  // Stores what is left.
  void Finish() {
    if (!small_) return;
    ToChannelsLast(buffer_.data(), pitch_, (last_ - first_) * Columns(), channels_,
                   to_ + first_ * out_.strides[2], out_.strides[1]);
  }

 private:
  int64_t Columns() const { return tile_->Last() - tile_->First(); }

  // Spreads a line to the columns of its groups, which are lines of pixels `step` elements apart.
  void Spread(const T *line, T *to, int64_t step) const {
    for (const ColumnGroup &group : tile_->groups) {
      T *pixel = to + (group.first - tile_->First()) * step;
      if (group.Gap()) {
        ClearPixels(pixel, step, group.last - group.first);
        continue;
      }
      const T *from = line + group.at * channels_;
      for (int64_t x = group.first; x < group.last; ++x, pixel += step) CopyFew(from, channels_, pixel);
    }
  }

  void ClearPixels(T *to, int64_t step, int64_t pixels) const {
    if (step == channels_) return Clear(to, pixels * step);
    for (int64_t x = 0; x < pixels; ++x) Clear(to + x * step, channels_);
  }

  void Stream(const T *line, T *to) const {
    const int64_t step = out_.strides[3], columns = Columns();
    if (step == channels_) return StreamRun(line, columns * step, to);
    for (int64_t x = 0; x < columns; ++x) StreamRun(line + x * channels_, channels_, to + x * step);
  }

  void ClearPlanes(T *to) const {
    const int64_t step = out_.strides[3], columns = Columns();
    for (int64_t c = 0; c < channels_; ++c, to += out_.strides[1]) {
      if (step == 1) {
        Clear(to, columns);
      } else {
        for (int64_t x = 0; x < columns; ++x) to[x * step] = T{};
      }
    }
  }

  // Transposes a line to rows of planes. Where places are groups, most columns are in no window.
  void PutPlanes(const T *line, T *to) const {
    const int64_t step = out_.strides[3], plane = out_.strides[1];
    const auto put = [&](int64_t column, int64_t columns, const T *from, int64_t from_step) {
      for (int64_t c = 0; c < channels_; ++c) {
        T *const row = to + c * plane + column * step;
        for (int64_t x = 0; x < columns; ++x) row[x * step] = from[x * from_step + c];
      }
    };
    if (tile_->places == LinePlaces::kColumns) {
      if (step == 1) return ToChannelsLast(line, pitch_, Columns(), channels_, to, plane);
      return put(0, Columns(), line, pitch_);
    }
    ClearPlanes(to);
    for (const ColumnGroup &group : tile_->groups) {
      if (group.Gap()) continue;
      put(group.first - tile_->First(), group.last - group.first, line + group.at * pitch_, 0);
    }
  }

  const Tensor &out_;
  const bool lines_, small_;         // whether pixels are lines; else whether planes are small
  const int64_t pitch_;              // elements from pixel to pixel of a line of planes
  AlignedVector<T> buffer_, zeros_;  // small planes, or a line that goes around the caches
  const ColumnTile *tile_ = nullptr;
  T *to_ = nullptr;
  int64_t channels_ = 0, first_ = 0, last_ = 0;
  bool stream_ = false, full_ = false;  // whether lines go around the caches, and are as rows are
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
