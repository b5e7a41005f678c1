// SPDX-License-Identifier: Apache-2.0
// The largest key of each line of a tile, and its index, for keys of one plane. Lines lie in data blocks.
// Neighbouring blocks are halved to their maximum, again and again, until a line has a few blocks. Every
// third level is kept; each block of it stands for eight blocks below:
//
//   level 6   |                     M                     | …     the top: at most 8 blocks of a line
//   level 3   |    |    |    | M  |    |    |    |    |           8 children of a block
//   level 0   |    | M  |    |    |    |    |    |                the line itself
//
// A maximum of the top is the largest key M of the line. The first block of the top that holds M is where the
// index lies; Gatherb fetches the children of that block, of all lines at once, and so on down to the line.
// So each key is read once, and what follows are a few instructions for all lines together.
//
// Max keeps NaN. A line of NaN therefore has NaN all the way down, and its blocks are found by not being
// numbers. Behind the end of a line lies the least key.
#pragma once

#include "../common/vectors/bits.h"
#include "../common/vectors/lanes.h"
#include "limb_results.h"
#include "line_levels.h"

namespace avo {

template <typename T>
class LineTree : public LineLevels<T>, public LimbResults {
  using Levels = LineLevels<T>;
  using Key = typename Levels::Key;
  using Number = typename LineTreeTypes<T>::Number;
  using Words = AscendC::LocalTensor<uint16_t>;
  static constexpr bool kWhole = std::is_same_v<Key, int32_t>;
  static constexpr uint32_t kBlock = Levels::kBlock, kRepeat = 8 * kBlock;  // keys
  static constexpr uint32_t kFloats = 64;  // float32 or int32 numbers of a repeat
  static constexpr uint32_t kChildren = Levels::kChildren, kRowGroup = Levels::kRowGroup;

 public:
  static constexpr uint32_t kLimbs = 2;  // float32 numbers that order keys (lane_reduction.h)

  // last: of equal keys the last one wins. Of NaNs the first one always wins.
  __aicore__ inline void Init(const LineTreeBuffers &buffers, const ArgmaxTiling &tiling, bool last,
                              AscendC::TPipe *pipe) {
    pipe_ = pipe;
    last_ = last;
    limbs_ = tiling.parts > 1 || tiling.tileLength < tiling.partLength;
    this->InitLevels(buffers, tiling, pipe);
    InitResults(buffers.results, LineTreeBuffers::ResultPitch(tiling.tileOuter), pipe);
    small_pitch_ = LineTreeBuffers::SmallNumbers(tiling.tileOuter);
    Levels::InitZero(children_, buffers.children, pipe);
    Levels::InitZero(found_, buffers.found, pipe);
    Levels::InitZero(small_, buffers.small, pipe);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    pipe->InitBuffer(patterns_, buffers.patterns.bytes);
    bits_pitch_ = LineTreeBuffers::BitsBytes(tiling.tileOuter);
    SetPatterns();
  }

  // Takes the first step of data blocks [begin, end) of keys of all lines.
  __aicore__ inline void Fold(const AscendC::LocalTensor<T> &tile, uint32_t begin, uint32_t end) {
    this->FoldStep(tile, begin, end, 0);
  }

  // Finds the largest of the first `count` elements of each of `rows` lines, which have been folded. Behind
  // the end of a line, and for a whole instruction behind the tile, lie least elements.
  __aicore__ inline void Find(const AscendC::LocalTensor<T> &tile, uint32_t rows, uint32_t count) {
    rows_ = rows;
    groups_ = (rows + kRowGroup - 1) / kRowGroup;
    for (uint32_t step = 1; step < this->steps_; ++step) {
      this->FoldStep(tile, 0, rows * (this->line_blocks_ >> (step * Levels::kStep)), step);
    }
    FindLargest(this->FoldTop(groups_, found_.template Get<Key>(), children_.template Get<Key>()));
    const int32_t lines = static_cast<int32_t>(rows);
    AscendC::Cast(At(), Chosen(), AscendC::RoundMode::CAST_RINT, rows);
    for (uint32_t step = this->steps_; step-- > 0;) {
      Descend(tile, step);
      if (step == 0) break;
      AscendC::Cast(SmallWhole(kRest), Chosen(), AscendC::RoundMode::CAST_RINT, rows);
      AscendC::Add(At(), At(), SmallWhole(kRest), lines);
    }
    const auto indices = Results(kLimbs);
    AscendC::Cast(indices, At(), AscendC::RoundMode::CAST_RINT, rows);
    AscendC::Muls(indices, indices, 1.0f / sizeof(T), lines);
    if constexpr (std::is_same_v<Number, half>) {
      AscendC::Cast(SmallOf(kRest), Chosen(), AscendC::RoundMode::CAST_NONE, rows);
      AscendC::Add(indices, indices, SmallOf(kRest), lines);
    } else {
      AscendC::Add(indices, indices, Chosen(), lines);
    }
    // The first of equal keys is never one behind the end of the line.
    if (last_) AscendC::Mins(indices, indices, static_cast<float>(static_cast<int32_t>(count) - 1), rows);
  }

 private:
  enum Pattern : uint32_t { kTop, kInner, kFull, kLeaf };
  // Behind these: the addresses of eight blocks of each line, one set for each step.
  enum Small : uint32_t { kBest, kScratch, kRest, kAt, kChosen, kNobodies, kAddress };
  static constexpr float kNobody = 60000.0f;  // in place of the number of a lane that does not count

  __aicore__ inline AscendC::LocalTensor<float> SmallOf(Small which) {
    return small_.Get<float>()[which * small_pitch_];
  }
  __aicore__ inline AscendC::LocalTensor<int32_t> SmallWhole(Small which) {
    return SmallOf(which).template ReinterpretCast<int32_t>();
  }
  __aicore__ inline AscendC::LocalTensor<int32_t> Addresses(uint32_t step) {
    return SmallWhole(static_cast<Small>(kAddress + step));
  }
  // Copies of kNobody, which SetCmpMask loads.
  __aicore__ inline AscendC::LocalTensor<Number> Nobody() {
    return SmallOf(kNobodies).template ReinterpretCast<Number>();
  }
  // Where the way back has come to in each line: bytes behind its begin, at the level of the step in hand.
  __aicore__ inline AscendC::LocalTensor<int32_t> At() { return SmallWhole(kAt); }
  // What ChooseMarked has found.
  __aicore__ inline AscendC::LocalTensor<Number> Chosen() {
    return SmallOf(kChosen).template ReinterpretCast<Number>();
  }
  __aicore__ inline AscendC::LocalTensor<uint8_t> Bits(uint32_t mask) {
    return bits_.Get<uint8_t>()[mask * bits_pitch_];
  }
  // Numbers of the eight blocks of each group of lines, one block a line.
  __aicore__ inline uint32_t BlockNumbers() const { return groups_ * kFloats; }

  // Bytes of what a block of keys is made of, at the level where a step begins.
  __aicore__ inline int32_t BlockBytesAt(uint32_t step) const {
    return static_cast<int32_t>(step == 0 ? kBlock * sizeof(T) : kBlockBytes);
  }

  // Numbers lanes, and gives the bytes at which the blocks begin that they are in. Lanes behind those that
  // count have kNobody. Then, for each step, the addresses of the first eight blocks of each line.
  __aicore__ inline void SetPatterns() {
    constexpr int32_t kBlockShift = kBlock == 16 ? 4 : 3;
    const auto bytes = SmallWhole(kAt), lines = SmallWhole(kChosen), numbers = SmallWhole(kRest);
    const int32_t lanes = static_cast<int32_t>(kRepeat), count = static_cast<int32_t>(small_pitch_);
    const uint32_t limits[] = {this->top_, 1U << this->Halvings(this->steps_ - 1), kChildren,
                               1U << this->Halvings(0)};
    AscendC::Duplicate(Nobody(), static_cast<Number>(kNobody), lanes);
    constexpr uint32_t kNumbered = 8;
    AscendC::CreateVecIndex(bytes, int32_t{0}, kNumbered);
    // The numbers so far are followed by as many again.
    for (uint32_t done = kNumbered; done < small_pitch_; done *= 2) {
      AscendC::Adds(bytes[done], bytes, static_cast<int32_t>(done),
                    static_cast<int32_t>(MinRemaining(small_pitch_ - done, done)));
    }
    AscendC::ShiftRight(numbers, bytes, kBlockShift, lanes);
    AscendC::Muls(numbers, numbers, static_cast<int32_t>(kBlockBytes), lanes);
    for (uint32_t i = 0; i < LineTreeBuffers::kPatterns; ++i) {
      if ((i == kInner && this->steps_ < 2) || (i == kFull && this->steps_ < 3)) continue;
      SetPattern(patterns_.Get<Number>()[i * kRepeat], i == kLeaf ? bytes : numbers, limits[i]);
    }
    AscendC::ShiftRight(lines, bytes, int32_t{3}, count);
    AscendC::Muls(numbers, lines, static_cast<int32_t>(kChildren), count);
    AscendC::Sub(bytes, bytes, numbers, count);
    AscendC::Muls(bytes, bytes, static_cast<int32_t>(kBlockBytes), count);
    for (uint32_t step = 0; step < this->steps_; ++step) {
      const int32_t blocks = static_cast<int32_t>(this->line_blocks_ >> (step * Levels::kStep));
      AscendC::Muls(Addresses(step), lines, blocks * BlockBytesAt(step), count);
      AscendC::Add(Addresses(step), Addresses(step), bytes, count);
    }
  }

  // limit: how many blocks of lanes count.
  __aicore__ inline void SetPattern(const AscendC::LocalTensor<Number> &pattern,
                                    const AscendC::LocalTensor<int32_t> &numbers, uint32_t limit) {
    constexpr auto kRint = AscendC::RoundMode::CAST_RINT;
    if constexpr (std::is_same_v<Number, half>) {
      AscendC::Cast(SmallOf(kScratch), numbers, kRint, kRepeat);
      AscendC::Cast(pattern, SmallOf(kScratch), kRint, kRepeat);
    } else {
      AscendC::Cast(pattern, numbers, kRint, kRepeat);
    }
    if (last_) AscendC::Muls(pattern, pattern, static_cast<Number>(-1.0f), static_cast<int32_t>(kRepeat));
    if (limit == kChildren) return;
    AscendC::Duplicate(pattern[limit * kBlock], static_cast<Number>(kNobody),
                       static_cast<int32_t>((kChildren - limit) * kBlock));
  }

  // Sets kBest: the largest key of each line in all lanes of a block, NaN for NaN; and Chosen() for the top.
  // best: a block for each line, whose lanes become rows that are folded. Where results are joined, limbs of
  // the largest keys are found, too.
  __aicore__ inline void FindLargest(const AscendC::LocalTensor<Key> &best) {
    const uint32_t width = RoundUp(rows_, kLanes);
    const auto lanes = this->scratch_.template Get<Key>(), top = this->Level(this->steps_ - 1);
    const uint8_t stride = static_cast<uint8_t>(this->top_);
    RowsToSlots(lanes, width, best, kBlock, rows_, kBlock);
    for (uint32_t rows = kBlock / 2; rows > 0; rows /= 2) {
      AscendC::Max(lanes, lanes, lanes[rows * width], static_cast<int32_t>(rows * width));
    }
    if constexpr (kWhole) {
      SpreadLargest(lanes);
      MarkLargest(top, stride);
      if (limbs_) SetLimbsOfWhole(lanes, rows_, SmallWhole(kRest));
    } else {
      // The scalar unit looks for NaN while the vector unit goes on. Without NaN each step down takes three
      // instructions fewer.
      AscendC::Compare(Bits(1), lanes, lanes, AscendC::CMPMODE::EQ, RoundUp(rows_, kRepeat));
      const event_t ready = SignalScalar(pipe_);
      SpreadLargest(lanes);
      MarkLargest(top, stride);
      nans_ = !AllBitsSet(Bits(1), rows_, pipe_, ready);
      if (limbs_) SetLimbsOfFloat(lanes, rows_, nans_, SmallOf(kRest), Bits(1));
    }
    AscendC::SetCmpMask(Nobody());
    ChooseMarked(top, stride, kTop);
  }
  __aicore__ inline void SpreadLargest(const AscendC::LocalTensor<Key> &lanes) {
    AscendC::Brcb(SmallOf(kBest).template ReinterpretCast<Key>(), lanes, static_cast<uint8_t>(groups_),
                  {1, kRowGroup});
  }

  // Sets the bits of the lanes of each line that hold its largest key. A line's lanes are a repeat of `keys`;
  // lines are `stride` data blocks apart.
  __aicore__ inline void MarkLargest(const AscendC::LocalTensor<Key> &keys, uint8_t stride) {
    AscendC::Compare(Bits(0), keys, SmallOf(kBest).template ReinterpretCast<Key>(), AscendC::CMPMODE::EQ,
                     uint64_t{kRepeat}, static_cast<uint8_t>(rows_), {1, 1, 0, 8, stride, 1});
  }

  // Sets Chosen(): for each line, what `pattern` has for its first lane that is marked, or NaN.
  __aicore__ inline void ChooseMarked(const AscendC::LocalTensor<Key> &keys, uint8_t stride,
                                      Pattern pattern) {
    const auto numbers = patterns_.Get<Number>()[pattern * kRepeat], found = found_.Get<Number>();
    if (!kWhole && nans_) {
      const auto bits = Bits(0).template ReinterpretCast<uint16_t>(),
                 nans = Bits(1).template ReinterpretCast<uint16_t>();
      const int32_t words = static_cast<int32_t>(rows_ * kRepeat / 16);
      AscendC::Compare(Bits(1), keys, keys, AscendC::CMPMODE::EQ, uint64_t{kRepeat},
                       static_cast<uint8_t>(rows_), {1, 1, 1, 8, stride, stride});
      AscendC::Not(nans, nans, words);
      AscendC::Or(bits, bits, nans, words);
      if (last_) AscendC::Not(nans, nans, words);
    }
    SelectNumbers(found, numbers);
    if (!kWhole && nans_ && last_) {
      KeepFirstNan(found, numbers);
      AscendC::SetCmpMask(Nobody());
    }
    ReduceNumbers(Chosen(), found);
    if (last_) AscendC::Abs(Chosen(), Chosen(), static_cast<int32_t>(rows_));
  }

  // Finds the least number of each line, in few instructions for few lines, else in fewer cycles for each.
  __aicore__ inline void ReduceNumbers(const AscendC::LocalTensor<Number> &to,
                                       const AscendC::LocalTensor<Number> &found) {
    constexpr uint32_t kFewLines = 8;
    constexpr int32_t kAll = static_cast<int32_t>(kRepeat);
    if (rows_ <= kFewLines) {
      AscendC::WholeReduceMin(to, found, kAll, static_cast<int32_t>(rows_), 1, 1, 8,
                              AscendC::ReduceOrder::ORDER_ONLY_VALUE);
      return;
    }
    const auto other = children_.Get<Number>();
    const uint32_t lines = groups_ * kRowGroup;
    Levels::template Halve<false>(other, found, 4 * lines);
    Levels::template Halve<false>(found, other, 2 * lines);
    Levels::template Halve<false>(other, found, lines);
    AscendC::BlockReduceMin(to, other, static_cast<int32_t>(groups_), kAll, 1, 1, 8);
  }

  // CMPMASK holds kNobody.
  __aicore__ inline void SelectNumbers(const AscendC::LocalTensor<Number> &found,
                                       const AscendC::LocalTensor<Number> &numbers) {
    constexpr uint64_t kAll = ~uint64_t{0};
    AscendC::SetVectorMask<Number, AscendC::MaskMode::NORMAL>(kRepeat > kFloats ? kAll : 0, kAll);
    AscendC::Select(found, Bits(0), numbers, static_cast<uint8_t>(rows_), {1, 1, 1, 8, 0, 8});
  }
  // The numbers of lanes are negative where the last lane wins. Of NaNs the first one does: they get the
  // numbers themselves.
  __aicore__ inline void KeepFirstNan(const AscendC::LocalTensor<Number> &found,
                                      const AscendC::LocalTensor<Number> &numbers) {
    const auto positive = this->scratch_.template Get<Number>();
    AscendC::Abs(positive, numbers, static_cast<int32_t>(kRepeat));
    AscendC::Select(found, Bits(1), found, positive, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE,
                    uint64_t{kRepeat}, static_cast<uint8_t>(rows_), {1, 1, 1, 8, 8, 0});
  }

  // Goes from the block At() of each line to its first child, and finds the child that has the index, or,
  // where a step starts at the line itself, the lane.
  __aicore__ inline void Descend(const AscendC::LocalTensor<T> &tile, uint32_t step) {
    const auto address = SmallWhole(kScratch);
    const int32_t children = (BlockBytesAt(step) << this->Halvings(step)) / static_cast<int32_t>(kBlockBytes);
    AscendC::Muls(At(), At(), children, static_cast<int32_t>(rows_));
    AscendC::Brcb(address, At(), static_cast<uint8_t>(groups_), {1, kRowGroup});
    AscendC::Add(address, address, Addresses(step), static_cast<int32_t>(BlockNumbers()));
    const auto keys = Children(tile, step, address.template ReinterpretCast<uint32_t>());
    MarkLargest(keys, kChildren);
    ChooseMarked(keys, kChildren, step == 0 ? kLeaf : step + 1 == this->steps_ ? kInner : kFull);
  }

  // Fetches eight blocks of each line.
  __aicore__ inline AscendC::LocalTensor<Key> Children(const AscendC::LocalTensor<T> &tile, uint32_t step,
                                                       const AscendC::LocalTensor<uint32_t> &address) {
    const auto children = children_.Get<Key>();
    const auto to = children.template ReinterpretCast<uint32_t>();
    const uint8_t rows = static_cast<uint8_t>(rows_);
    if (step > 0) {
      AscendC::Gatherb(to, this->Level(step - 1).template ReinterpretCast<uint32_t>(), address, rows, {1, 8});
    } else if constexpr (Levels::kDirect) {
      AscendC::Gatherb(to, tile.template ReinterpretCast<uint32_t>(), address, rows, {1, 8});
    } else {
      // Blocks of the tile hold two blocks of keys; the first four of eight are used.
      const auto fetched = found_.Get<uint32_t>();
      AscendC::Gatherb(fetched, tile.template ReinterpretCast<uint32_t>(), address, rows, {1, 8});
      AscendC::Cast(children, fetched.template ReinterpretCast<T>(), AscendC::RoundMode::CAST_NONE,
                    uint64_t{kRepeat}, rows, {1, 1, 8, 8});
    }
    return children;
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> children_, found_, small_, bits_, patterns_;
  uint32_t small_pitch_, bits_pitch_;
  AscendC::TPipe *pipe_ = nullptr;
  uint32_t rows_ = 0, groups_ = 0;  // of the call in hand: lines, groups of eight of them
  bool nans_ = false;               // whether the largest key of a line of the call in hand is NaN
  bool last_ = false, limbs_ = false;
};

}  // namespace avo
