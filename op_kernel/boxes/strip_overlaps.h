// SPDX-License-Identifier: Apache-2.0
// Overlaps of all pairs of boxes, in strips that the cores share.
//
// A strip has some groups of 64 neighbouring boxes, in the order of scores, as its lanes. Its rows are these
// boxes and all worse ones. Each core has a piece of one strip:
//
//   rows       strip 0     strip 1     strip 2
//   0 …        [ core 0 ]
//   64 …       [ core 0 ]  [ core 2 ]
//   128 …      [ core 1 ]  [ core 2 ]  [ core 3 ]
//   192 …      [ core 1 ]  [ core 2 ]  [ core 3 ]
//
// Words (overlap_bits.h) stay in the Unified Buffer of the core that computed them. A guess has a bit for
// each box that may be kept. The core answers, for each row of its piece, whether a lane of the guess
// suppresses it.
#pragma once

#include "../common/vectors/bits.h"
#include "loaded_boxes.h"
#include "overlap_bits.h"
#include "sorted_planes.h"
#include "strip_pieces.h"

namespace avo {

template <bool CLASSES>
class StripOverlaps : public StripPieces {
  using Bits = AscendC::LocalTensor<uint16_t>;

 public:
  // The first phase: buffers of planes.
  __aicore__ inline void InitPlanes(const StripSizes &sizes, AscendC::TPipe *pipe) {
    sizes_ = sizes;
    pipe_ = pipe;
    const StripPlanesBuffers buffers(sizes);
    pipe->InitBuffer(indices_, buffers.indices.bytes);
    pipe->InitBuffer(rows_, buffers.rows.bytes);
    pipe->InitBuffer(lanes_, buffers.lanes.bytes);
    pipe->InitBuffer(better_masks_, buffers.better_masks.bytes);
  }

  // The second phase: all other buffers. The buffers of planes still hold what the first phase left there.
  template <typename Tiling>
  __aicore__ inline void InitWords(const Tiling &tiling) {
    InitPlanes(sizes_, pipe_);
    const StripBuffers buffers(sizes_);
    pipe_->InitBuffer(column_, buffers.column.bytes);
    pipe_->InitBuffer(class_bits_, buffers.class_bits.bytes);
    pipe_->InitBuffer(alive_, buffers.alive.bytes);
    pipe_->InitBuffer(guesses_, buffers.guesses.bytes);
    pipe_->InitBuffer(guess_, buffers.guess.bytes);
    pipe_->InitBuffer(blocks_, buffers.blocks.bytes);
    pipe_->InitBuffer(equal_, buffers.equal.bytes);
    pipe_->InitBuffer(first_gap_, buffers.first_gap.bytes);
    pipe_->InitBuffer(work_, buffers.work.bytes);
    pipe_->InitBuffer(second_gap_, buffers.second_gap.bytes);
    pipe_->InitBuffer(iou_, buffers.iou.bytes);
    pipe_->InitBuffer(words_, buffers.words.bytes);
    for (uint32_t pair = 0; pair < kPairs; ++pair) {
      arrived_[pair] = static_cast<event_t>(pipe_->AllocEventID<AscendC::HardEvent::MTE2_V>());
    }
    overlaps_.Init({iou_.template Get<float>(), work_.template Get<float>()[kHalfBanks],
                    column_.template Get<float>(), class_bits_.template Get<uint8_t>(),
                    static_cast<uint32_t>(sizes_.rows), tiling.offset, tiling.iouThreshold, tiling.ratio});
  }

  template <typename I>
  __aicore__ inline AscendC::LocalTensor<I> Indices() {
    return indices_.template Get<I>();
  }
  // Memory for the indices that are kept, and for some of them as I. Words are lost.
  __aicore__ inline AscendC::LocalTensor<int32_t> Packed() { return iou_.template Get<int32_t>(); }
  template <typename I>
  __aicore__ inline AscendC::LocalTensor<I> Wide() {
    return work_.template Get<I>();
  }

  // Makes `box` the index of all boxes that are not there.
  __aicore__ inline void FillIndices(uint32_t box) {
    AscendC::Duplicate(Indices<uint32_t>(), box,
                       static_cast<int32_t>(RoundUp(static_cast<uint32_t>(sizes_.boxes), kBoxLanes)));
  }

  // Fetches the planes of the piece. scratch: LoadedBoxesBuffers::Scratch() bytes.
  template <typename Boxes>
  __aicore__ inline void Fetch(Boxes &boxes, const AscendC::LocalTensor<float> &scratch) {
    SetBetterMasks(better_masks_.template Get<uint64_t>());
    if (row_count_ == 0) return;
    const uint32_t width = Groups() * kBoxLanes, count = width + row_count_;
    const auto chosen = scratch.template ReinterpretCast<uint32_t>();
    CopyInUb(chosen, Indices<uint32_t>()[strip_ * width_], width);
    CopyInUb(chosen[width], Indices<uint32_t>()[begin_], row_count_);
    const BoxPlanes lanes{rows_.template Get<float>()[sizes_.strip - width], Rows().pitch};
    boxes.Fetch(lanes, chosen, count, chosen[count]);
    overlaps_.Pair(Lanes(), lanes, width);
  }

  // Fetches this core's share of `count` boxes and stores their planes in GM. scratch: the same.
  template <typename Boxes>
  __aicore__ inline void FetchShare(Boxes &boxes, SortedPlanes<CLASSES> &sorted, uint32_t count,
                                    const AscendC::LocalTensor<float> &scratch) {
    constexpr uint32_t kUnit = 8;
    const auto width = static_cast<uint32_t>(sizes_.lanes);
    const auto rest = scratch[kPlanes * width].template ReinterpretCast<uint32_t>();
    const Share units = CoreShare((count + kUnit - 1) / kUnit);
    const uint32_t end = MinRemaining(count, static_cast<uint32_t>(units.end) * kUnit);
    for (uint32_t first = static_cast<uint32_t>(units.begin) * kUnit; first < end; first += width) {
      const uint32_t own = MinRemaining(end - first, width);
      WaitFor<AscendC::HardEvent::MTE3_V>(pipe_);
      boxes.Fetch({scratch, width}, Indices<uint32_t>()[first], own, rest);
      WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
      sorted.Store({scratch, width}, first, own);
    }
  }

  // Loads the rows of the piece of a rectangle, whose first row is the box of rank `first`; there are ranks
  // below `end`.
  __aicore__ inline void LoadRows(SortedPlanes<CLASSES> &sorted, uint32_t first, uint32_t end) {
    if (row_count_ == 0) return;
    first += Begin();
    const uint32_t there = first < end ? MinRemaining(end - first, row_count_) : 0;
    if (there < row_count_) FillPlanes(Rows(), row_count_);
    WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
    for (uint32_t pair = 0; pair < kPairs && there > 0; ++pair) sorted.LoadPair(Rows(), pair, first, there);
  }

  // Begins to load the planes of a stage, of which Pack() takes some boxes, plane by plane. Each Pack() needs
  // a LoadStage() of its own.
  __aicore__ inline void LoadStage(SortedPlanes<CLASSES> &sorted, uint32_t first, uint32_t count) {
    WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
    WaitFor<AscendC::HardEvent::MTE3_MTE2>(pipe_);
    for (uint32_t pair = 0; pair < kPairs; ++pair) {
      sorted.LoadPair(Stage(), pair, first, count);
      AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(arrived_[pair]);
    }
  }

  // Fills the lanes of the piece, and its rows where they are wanted, with the boxes of a stage whose bit is
  // set. count: boxes of the stage.
  __aicore__ inline void Pack(const Bits &bits, uint32_t count, bool rows) {
    const uint32_t lane = strip_ * width_, whole = RoundUp(count_, kBoxLanes);
    // All planes have as many boxes, so that what is behind them stays NaN.
    auto packed = Packed().template ReinterpretCast<float>();
    WaitFor<AscendC::HardEvent::MTE3_V>(pipe_);  // indices that are packed there may be on their way to GM
    if (row_count_ > 0) AscendC::Duplicate(packed, __builtin_nanf(""), static_cast<int32_t>(whole));
    for (uint32_t plane = 0; plane < kPlanes; ++plane) {
      if (plane == kIndex) continue;
      if (plane % 2 == 0) AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(arrived_[plane / 2]);
      if (row_count_ == 0) continue;
      PackMarked(packed, Stage()[plane], bits, count);
      PairPlane(Lanes()[plane], packed[lane], Groups() * kBoxLanes);
      if (rows) CopyInUb(Rows()[plane], packed[begin_], row_count_);
    }
  }

  // Packs the indices of the boxes of a stage whose bit is set, and returns their number. first: rank of the
  // first box of the stage; count: boxes of the stage.
  __aicore__ inline uint32_t PackIndices(const Bits &bits, uint32_t first, uint32_t count) {
    return PackMarked(Packed(), Indices<int32_t>()[first], bits, count);
  }

  // Makes `count` packed indices those of the boxes from rank `first` on.
  __aicore__ inline void KeepPacked(uint32_t first, uint32_t count) {
    CopyInUb(Indices<int32_t>()[first], Packed(), RoundUp(count, kBlockBytes / sizeof(int32_t)));
  }

  // Computes the words of the piece.
  __aicore__ inline void Compare() {
    if (row_count_ == 0) return;
    WaitFor<AscendC::HardEvent::S_V>(pipe_);
    CompareRows();
    // Tiles are not needed any more. The low and the high halves of all words take their place.
    const uint32_t count = Groups() * Pitch();
    uint64_t gathered = 0;
    for (uint8_t half = 0; half < 2; ++half) {
      AscendC::GatherMask(Halves().template ReinterpretCast<uint32_t>()[half * count],
                          Words().template ReinterpretCast<uint32_t>(), static_cast<uint8_t>(1 + half), true,
                          2 * count, {1, 1, 8, 0}, gathered);
    }
  }

  // Returns a bit for each row: 1 where no lane of the guess suppresses it. all: the guess has all lanes.
  __aicore__ inline Bits Answer(const Bits &guess, bool all) {
    const uint32_t groups = Groups(), plane_halves = 2 * Pitch();
    auto either = iou_.template Get<uint16_t>(), halves = Halves();
    if (!all) {
      Mask(either, guess);
      halves = either;
    }
    AscendC::Or(either, halves, halves[groups * plane_halves], static_cast<int32_t>(groups * plane_halves));
    for (uint32_t left = groups; left > 1;) {
      const uint32_t half = left / 2;
      left -= half;
      AscendC::Or(either, either, either[left * plane_halves], static_cast<int32_t>(half * plane_halves));
    }
    AscendC::CompareScalar(alive_.template Get<uint8_t>(), either.template ReinterpretCast<int32_t>(), 0,
                           AscendC::CMPMODE::EQ, Pitch());
    return alive_.template Get<uint16_t>();
  }

  // Memory of others: rows of guesses, two guesses, and what a comparison of these gives.
  __aicore__ inline Bits Guesses() { return guesses_.template Get<uint16_t>(); }
  __aicore__ inline Bits Guess(uint32_t which) {
    return guess_.template Get<uint16_t>()[which * StripBuffers::GuessPitch(sizes_) / sizeof(uint16_t)];
  }
  __aicore__ inline AscendC::LocalTensor<uint64_t> Equal() { return equal_.template Get<uint64_t>(); }

 private:
  static constexpr uint32_t kHalfBanks = 64;  // float32 elements of half of all bank groups
  static constexpr uint32_t kPlanes = SortedPlanes<CLASSES>::kPlanes, kPairs = SortedPlanes<CLASSES>::kPairs;

  __aicore__ inline BoxPlanes Rows() {
    return {rows_.template Get<float>()[sizes_.strip], static_cast<uint32_t>(sizes_.strip + sizes_.share)};
  }
  __aicore__ inline PairedPlanes Lanes() {
    return {lanes_.template Get<float>(), static_cast<uint32_t>(sizes_.lanes), 0};
  }
  // Planes of a stage, whose memory tiles and the halves of words take otherwise.
  __aicore__ inline BoxPlanes Stage() {
    return {work_.template Get<float>(), static_cast<uint32_t>(sizes_.stage)};
  }
  // Rows from the words of one group to those of the next.
  __aicore__ inline uint32_t Pitch() const { return RoundUp(row_count_, kRowFill); }
  __aicore__ inline Bits Words() { return words_.template Get<uint16_t>(); }
  __aicore__ inline Bits Halves() { return work_.template Get<uint16_t>(); }

  // Clears the bits of lanes that the guess leaves out, in the halves of all words.
  __aicore__ inline void Mask(const Bits &masked, const Bits &guess) {
    constexpr uint32_t kBlockHalves = kBlockBytes / sizeof(uint16_t), kSpread = 8;
    auto blocks = blocks_.template Get<uint16_t>();
    AscendC::Brcb(blocks.template ReinterpretCast<uint32_t>(), guess.template ReinterpretCast<uint32_t>(),
                  static_cast<uint8_t>(sizes_.GuessBytes() / sizeof(uint32_t) / kSpread), {1, kSpread});
    const uint32_t groups = Groups(), plane_halves = 2 * Pitch();
    const uint32_t first = strip_ * (width_ / kBoxLanes);
    for (uint32_t plane = 0; plane < 2 * groups; ++plane) {
      const uint32_t block = 2 * (first + plane % groups) + plane / groups;
      AscendC::And(masked[plane * plane_halves], Halves()[plane * plane_halves], blocks[block * kBlockHalves],
                   uint64_t{128}, static_cast<uint8_t>(Pitch() / kRowFill), {1, 1, 0, 8, 8, 0});
    }
  }

  // Makes `count` boxes NaN.
  __aicore__ inline void FillPlanes(const BoxPlanes &to, uint32_t count) {
    for (uint32_t plane = 0; plane < kPlanes; ++plane) {
      AscendC::Duplicate(to[plane], __builtin_nanf(""), static_cast<int32_t>(count));
    }
  }

  // Copies `count` elements of 32 bits within UB.
  template <typename E>
  __aicore__ inline void CopyInUb(const AscendC::LocalTensor<E> &to, const AscendC::LocalTensor<E> &from,
                                  uint32_t count) {
    auto bits = from.template ReinterpretCast<uint16_t>();
    AscendC::Or(to.template ReinterpretCast<uint16_t>(), bits, bits, static_cast<int32_t>(2 * count));
  }

  __aicore__ inline void CompareRows() {
    const uint32_t groups = Groups(), pitch = Pitch();
    const uint32_t most = static_cast<uint32_t>(sizes_.rows), lane = strip_ * width_;
    AscendC::Duplicate(Words(), static_cast<uint16_t>(0), static_cast<int32_t>(groups * pitch * kWordHalves));
    for (uint32_t row = 0; row < row_count_; row += most) {
      const uint32_t count = MinRemaining(row_count_ - row, most);
      overlaps_.SetColumn(Rows().From(row), count);
      for (uint32_t group = 0; group < groups; ++group) {
        if (begin_ + row + count <= lane + group * kBoxLanes) break;
        overlaps_.Compare(Words()[(group * pitch + row) * kWordHalves], Lanes().From(group * kBoxLanes));
      }
    }
    for (uint32_t group = 0; group < groups; ++group) {
      KeepBetter(Words()[group * pitch * kWordHalves], lane + group * kBoxLanes);
    }
  }

  // Clears the bits of lanes that are not better than their row. lane: the first of the group.
  __aicore__ inline void KeepBetter(const Bits &words, uint32_t lane) {
    const uint32_t end = begin_ + row_count_;
    if (begin_ < lane) {
      const uint32_t above = (end < lane ? end : lane) - begin_;
      AscendC::Duplicate(words, static_cast<uint16_t>(0), static_cast<int32_t>(above * kWordHalves));
    }
    const uint32_t first = begin_ > lane ? begin_ : lane,
                   last = end < lane + kBoxLanes ? end : lane + kBoxLanes;
    if (first >= last) return;
    auto own = words[(first - begin_) * kWordHalves];
    AscendC::And(own, own, better_masks_.template Get<uint16_t>()[(first - lane) * kWordHalves],
                 static_cast<int32_t>((last - first) * kWordHalves));
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> indices_, rows_, lanes_, better_masks_, column_, first_gap_,
      iou_, words_, class_bits_, alive_, guesses_, guess_, blocks_, equal_, second_gap_, work_;
  OverlapBits<CLASSES> overlaps_;
  AscendC::TPipe *pipe_;
  event_t arrived_[kPairs];  // two planes of a stage each
};

}  // namespace avo
