// SPDX-License-Identifier: Apache-2.0
// A scan along whole rows, with indices of 16 bits. Keys are scanned, and then, as in RunningScan
// (running_scan.h), the numbers of the elements that lead; but float16 is compared as it is, positions lie in
// planes (position_planes.h), and indices are scanned as int16. They are made wider on their way back to
// rows, by transpositions that are needed in any case. Cores share the rows evenly. A tile has some rows of a
// core, and goes along them in pieces.
#pragma once

#include "../common/vectors/casts.h"
#include "plane_scan.h"

namespace avo {

// I: type of the indices.
template <typename Best, typename T, typename I>
class IndexedRows {
  // No two values of bfloat16 fall together in float32.
  using Key = std::conditional_t<std::is_same_v<T, bfloat16_t>, float, T>;
  using Keys = AscendC::LocalTensor<Key>;
  static constexpr bool kCast = !std::is_same_v<T, Key>;

 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR values, GM_ADDR indices, GM_ADDR,
                              const RunningScanTiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    shape_ = PlaneShape(tiling.tileOuter, tiling.tileLength);
    const IndexedRowsBuffers buffers(tiling, sizeof(T), sizeof(Key), sizeof(I));
    const int64_t elements = tiling.outer * tiling.length;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), elements);
    values_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(values), elements);
    indices_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(indices), elements);
    pipe->InitBuffer(in_queue_, buffers.in.count, buffers.in.bytes);
    // The first piece is on its way while the rest is prepared.
    share_ = CoreShare(tiling.outer);
    next_ = {share_.begin, 0};
    Load();
    pipe->InitBuffer(keys_, buffers.keys.bytes);
    pipe->InitBuffer(results_, buffers.results.bytes);
    head_bytes_ = static_cast<uint32_t>(IndexedRowsBuffers::HeadBytes(shape_, sizeof(Key)));
    value_scan_.Init(buffers.values, shape_, WorstKey<Best, Key>(), pipe);
    index_scan_.Init(buffers.indices, shape_, 0, pipe);
    pipe->InitBuffer(numbers_, buffers.numbers.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    pipe->InitBuffer(zeros_, buffers.zeros.bytes);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    // Instructions compute lanes and positions without elements too.
    Zero(keys_, buffers.keys.bytes);
    Zero(results_, buffers.results.bytes);
    Zero(zeros_, buffers.zeros.bytes);
    NumberPositions();
  }

  __aicore__ inline void Process() {
    for (int64_t row = share_.begin; row < share_.end; row += t_.tileOuter) {
      const uint32_t rows = TileExtent(row, t_.tileOuter, share_.end);
      value_scan_.Begin();
      index_scan_.Begin();
      for (int64_t begin = 0; begin < t_.length; begin += t_.tileLength) {
        Compute(row, rows, begin, TileExtent(begin, t_.tileLength, t_.length));
      }
    }
  }

 private:
  // The next piece that has not been loaded: of the tile that begins with `row`, from position `begin` on.
  struct Place {
    int64_t row, begin;
  };

  __aicore__ inline void Zero(AscendC::TBuf<AscendC::TPosition::VECCALC> &buffer, uint64_t bytes) {
    AscendC::Duplicate(buffer.Get<int16_t>(), int16_t{0}, static_cast<int32_t>(bytes / sizeof(int16_t)));
  }

  // They lie half a cycle of the bank groups behind the tile of leaders, so that reads of one do not meet
  // writes of the other.
  __aicore__ inline AscendC::LocalTensor<int16_t> Numbers() {
    return numbers_.Get<int16_t>()[IndexedRowsBuffers::kHalfCycle / sizeof(int16_t)];
  }

  // Position p holds p in all lanes.
  __aicore__ inline void NumberPositions() {
    constexpr uint32_t kRun = PlaneShape::kPlanes;
    const auto numbers = Numbers(), first = PlaneOf(numbers, shape_, 0);
    const uint32_t width = shape_.width;
    AscendC::Duplicate(numbers, int16_t{0}, static_cast<int32_t>(shape_.Elements()));
    // The runs so far are followed by as many again.
    for (uint32_t done = 1; done < shape_.runs; done *= 2) {
      AscendC::Adds(first[done * width], first, static_cast<int16_t>(done * kRun),
                    static_cast<int32_t>(MinRemaining(shape_.runs - done, done) * width));
    }
    for (uint32_t k = 1; k < kRun; ++k) {
      AscendC::Adds(PlaneOf(numbers, shape_, k), first, static_cast<int16_t>(k),
                    static_cast<int32_t>(shape_.PlaneElements()));
    }
  }

  // Begins to load the next piece, if there is one.
  __aicore__ inline void Load() {
    if (next_.row >= share_.end) return;
    auto copied = in_queue_.template AllocTensor<T>();
    CopyRowsIn(copied, t_.rowPitch, in_gm_, next_.row * t_.length + next_.begin, t_.length,
               TileExtent(next_.row, t_.tileOuter, share_.end),
               TileExtent(next_.begin, t_.tileLength, t_.length));
    in_queue_.EnQue(copied);
    next_.begin += t_.tileLength;
    if (next_.begin >= t_.length) next_ = {next_.row + t_.tileOuter, 0};
  }

  // Scans positions [begin, begin + count) of rows [row, row + rows).
  __aicore__ inline void Compute(int64_t row, uint32_t rows, int64_t begin, uint32_t count) {
    const bool last = begin + count == t_.length;
    const auto keys = keys_.Get<Key>(), results = Results<Key>(), values = results[shape_.HeadElements()];
    LoadKeys(keys, rows, count);
    Load();
    value_scan_.Scan(results, keys);
    if (!last) value_scan_.Keep(results);
    const auto leads = bits_.Get<uint8_t>();
    MarkLeaders(leads, leads[shape_.Elements() / 8], PlaneTile<Key>{keys, 0}, PlaneTile<Key>{values, 0},
                false, shape_.Elements());
    StoreValues(values, row, rows, begin, count);
    const auto leaders = keys_.Get<int16_t>(), indices = Results<int16_t>();
    NumberFrom(begin);
    // Select takes float and half alone, but it only moves bits. The first position leads in any case, so
    // that 0 never hides an index.
    AscendC::Select(leaders.ReinterpretCast<half>(), leads, Numbers().template ReinterpretCast<half>(),
                    half(0), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, shape_.Elements());
    index_scan_.Scan(indices, leaders);
    if (!last) index_scan_.Keep(indices);
    Store(indices_gm_, indices[shape_.HeadElements()], row, rows, begin, count);
  }

  // The head and the tile in results_.
  template <typename E>
  __aicore__ inline AscendC::LocalTensor<E> Results() {
    return results_.Get<E>()[head_bytes_ / sizeof(E) - shape_.HeadElements()];
  }

  // Elements of two bytes that are not keys themselves are transposed where results will lie.
  __aicore__ inline void LoadKeys(const Keys &keys, uint32_t rows, uint32_t count) {
    auto copied = in_queue_.template DeQue<T>();
    if constexpr (kCast) {
      const auto staging = results_.Get<T>();
      RowsToPlanes(staging, shape_, copied, t_.rowPitch, rows, count);
      AscendC::Cast(keys, staging, AscendC::RoundMode::CAST_NONE, shape_.Elements());
    } else {
      RowsToPlanes(keys, shape_, copied, t_.rowPitch, rows, count);
    }
    in_queue_.FreeTensor(copied);
  }

  __aicore__ inline void StoreValues(const Keys &values, int64_t row, uint32_t rows, int64_t begin,
                                     uint32_t count) {
    if constexpr (kCast) {
      // The second half of the buffer of keys, which are not needed any more; leaders will lie in the first.
      const auto staging = keys_.Get<T>()[shape_.Elements()];
      AscendC::Cast(staging, values, AscendC::RoundMode::CAST_RINT, shape_.Elements());
      Store(values_gm_, staging, row, rows, begin, count);
    } else {
      Store(values_gm_, values, row, rows, begin, count);
    }
  }

  // Makes the numbers of positions those of a piece that begins at `begin`.
  __aicore__ inline void NumberFrom(int64_t begin) {
    if (begin == numbered_from_) return;
    const auto numbers = Numbers();
    AscendC::Adds(numbers, numbers, static_cast<int16_t>(begin - numbered_from_),
                  static_cast<int32_t>(shape_.Elements()));
    numbered_from_ = begin;
  }

  // Stores results of rows [row, row + rows) and positions [begin, begin + count), some of 16 rows at a time.
  // tile: values, or indices of 16 bits.
  template <typename E, typename Slot>
  __aicore__ inline void Store(const AscendC::GlobalTensor<E> &gm, const AscendC::LocalTensor<Slot> &tile,
                               int64_t row, uint32_t rows, int64_t begin, uint32_t count) {
    // The same bytes of a row are more values than indices.
    constexpr uint32_t kMore = sizeof(I) / sizeof(E);
    const uint32_t most = t_.indexLength * kMore, pitch = t_.indexPitch * kMore;
    for (uint32_t lane = 0; lane < rows; lane += kLanes) {
      for (uint32_t at = 0; at < count; at += most) {
        const uint32_t together = MinRemaining(count - at, most);
        auto out = out_queue_.template AllocTensor<E>();
        if constexpr (std::is_same_v<Slot, int16_t>) {
          PlanesToWideRows(out, pitch, tile, shape_, zeros_.Get<int16_t>(), lane, at, together);
        } else {
          PlanesToRows(out, pitch, tile[lane + at / PlaneShape::kPlanes * shape_.width], shape_, kLanes,
                       together);
        }
        out_queue_.EnQue(out);
        out = out_queue_.template DeQue<E>();
        CopyRowsOut(gm, (row + lane) * t_.length + begin + at, t_.length, out, pitch,
                    MinRemaining(rows - lane, kLanes), together);
        out_queue_.FreeTensor(out);
      }
    }
  }

  RunningScanTiling t_;
  PlaneShape shape_;
  AscendC::GlobalTensor<T> in_gm_, values_gm_;
  AscendC::GlobalTensor<I> indices_gm_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> keys_, results_, numbers_, bits_, zeros_;
  PlaneScan<Best, Key> value_scan_;
  PlaneScan<Larger, int16_t> index_scan_;
  Share share_;  // of the rows: tiles begin with its first one, so that no core has more rows than another
  Place next_;
  int64_t numbered_from_ = 0;  // the position from which numbers_ counts
  uint32_t head_bytes_;        // before the tile in results_
};

}  // namespace avo
