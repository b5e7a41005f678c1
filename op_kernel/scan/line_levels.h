// SPDX-License-Identifier: Apache-2.0
// Lines of keys, halved to the maxima of neighbours again and again. Level 0 are the keys. A block of level n
// has, in each of its lanes, the maximum of this lane in 2^n neighbouring blocks of the line:
//
//   level 0   | a | b | c | d | e | f | g | h | …        data blocks of a line
//   level 1   | max(a, b) | max(c, d) | max(e, f) | …
//
// One instruction halves hundreds of blocks, of whatever lines, because lines follow each other without gaps.
// Every third level stays in UB, and the last one, the top.
//
// bfloat16 becomes float32 on the way to level 1, without Cast, which takes twice as long as other
// instructions. A data block of elements is eight pairs, and a pair is 32 bits. A bfloat16 is the upper half
// of a float32, so that the second element of each pair is the pair without its lower half, and the first
// one is the pair shifted up:
//
//   elements            | a b | c d | e f | …       of two blocks of keys
//   keys of level 1     | max(a, b) | max(c, d) | max(e, f) | …
//
// So lanes of level 1 are maxima of neighbours, instead of maxima of lanes. A block is still the maximum of
// the same elements, and nothing else matters on the way back.
#pragma once

#include "argmax_buffers.h"
#include "key_planes.h"

namespace avo {

// What a tree compares in place of an element, and in which type it numbers lanes: half holds all of these
// numbers exactly.
template <typename T>
struct LineTreeTypes {
  using Key = std::conditional_t<std::is_same_v<T, int32_t>, int32_t,
                                 std::conditional_t<std::is_same_v<T, half> || sizeof(T) == 1, half, float>>;
  using Number = std::conditional_t<std::is_same_v<Key, half>, half, float>;
};

template <typename T>
class LineLevels {
 public:
  using Key = typename LineTreeTypes<T>::Key;
  static constexpr bool kDirect = std::is_same_v<T, Key>;  // whether elements are compared as they are

 protected:
  static constexpr uint32_t kBlock = kBlockBytes / sizeof(Key);  // keys
  static constexpr uint32_t kStep = LineTreeBuffers::kStep, kChildren = LineTreeBuffers::kChildren;
  static constexpr uint32_t kRowGroup = LineTreeBuffers::kRowGroup;

  static constexpr bool kPaired = std::is_same_v<T, bfloat16_t>;  // whether elements come in pairs

  __aicore__ inline void InitLevels(const LineTreeBuffers &buffers, const ArgmaxTiling &tiling,
                                    AscendC::TPipe *pipe) {
    top_ = tiling.top;
    levels_ = tiling.levels;
    piece_ = tiling.piece;
    second_scratch_ = (LineTreeBuffers::ScratchBlocks(tiling, kDirect) + LineTreeBuffers::kSlack) * kBlock;
    steps_ = static_cast<uint32_t>(LineTreeBuffers::Steps(tiling));
    line_blocks_ = top_ << levels_;
    InitZero(levels_buffer_, buffers.levels, pipe);
    InitZero(scratch_, buffers.scratch, pipe);
    if constexpr (!kDirect) pipe->InitBuffer(upper_, buffers.upper.bytes);
    if constexpr (kPaired) {
      AscendC::Duplicate(upper_.template Get<uint32_t>(), 0xffff0000u, static_cast<int32_t>(kPairs));
    }
    const uint32_t rows = RoundUp(tiling.tileOuter, kRowGroup);
    for (uint32_t step = 0, level = 0, at = 0; step < steps_; ++step) {
      level += Halvings(step);
      level_at_[step] = at;
      at += LineTreeBuffers::LevelBlocks(rows, line_blocks_ >> level) * kBlock;
    }
  }

  template <typename TBuffer>
  __aicore__ inline void InitZero(TBuffer &buffer, const Buffer &size, AscendC::TPipe *pipe) {
    pipe->InitBuffer(buffer, size.bytes);
    AscendC::Duplicate(buffer.template Get<int32_t>(), 0, static_cast<int32_t>(size.bytes / 4));
  }

  __aicore__ inline uint32_t Halvings(uint32_t step) const {
    const uint32_t left = levels_ - step * kStep;
    return left < kStep ? left : kStep;
  }
  // The level that a step ends with.
  __aicore__ inline AscendC::LocalTensor<Key> Level(uint32_t step) {
    return levels_buffer_.Get<Key>()[level_at_[step]];
  }
  // Block i of `to` becomes the maximum of blocks 2 i and 2 i + 1 of `from`, or their minimum. Whole repeats
  // are computed.
  template <bool LARGER, typename E>
  static __aicore__ inline void Halve(const AscendC::LocalTensor<E> &to, const AscendC::LocalTensor<E> &from,
                                      uint32_t blocks) {
    constexpr uint32_t kBlockOf = kBlockBytes / sizeof(E);
    const auto second = from[kBlockOf];
    const uint64_t lanes = 8 * kBlockOf;
    const uint8_t repeats = static_cast<uint8_t>((blocks + 7) / 8);
    const AscendC::BinaryRepeatParams pairs(1, 2, 2, 8, 16, 16);
    if constexpr (LARGER) {
      AscendC::Max(to, from, second, lanes, repeats, pairs);
    } else {
      AscendC::Min(to, from, second, lanes, repeats, pairs);
    }
  }

  // Computes what a step makes of blocks [begin, end) of all lines at the level where it begins, a piece that
  // fits the scratch at a time.
  __aicore__ inline void FoldStep(const AscendC::LocalTensor<T> &tile, uint32_t begin, uint32_t end,
                                  uint32_t step) {
    const uint32_t halvings = Halvings(step);
    for (; begin < end; begin += piece_) {
      uint32_t count = MinRemaining(end - begin, piece_);
      auto from = step > 0  ? Level(step - 1)[begin * kBlock]
                  : kPaired ? Scratch(0)
                            : KeysOf(tile, begin, count);
      for (uint32_t h = 1; h <= halvings; ++h) {
        count /= 2;
        const auto to = h == halvings ? Level(step)[(begin >> halvings) * kBlock] : Scratch(h);
        if (kPaired && step == 0 && h == 1) {
          JoinPairs(to, tile[begin * kBlock], count);
        } else {
          Halve<true>(to, from, count);
        }
        from = to;
      }
    }
  }

  // Returns a block for each line of `groups` groups, of the maxima of the blocks of its top. It lies in one
  // of two places, which have room for a top of eight blocks.
  __aicore__ inline AscendC::LocalTensor<Key> FoldTop(uint32_t groups, AscendC::LocalTensor<Key> joined,
                                                      AscendC::LocalTensor<Key> next) {
    auto top = Level(steps_ - 1);
    uint32_t blocks = top_;
    for (; blocks % 2 == 0; blocks /= 2) {
      Halve<true>(joined, top, groups * kRowGroup * blocks / 2);
      top = joined;
      joined = next;
      next = top;
    }
    if (blocks == 1) return top;
    // An odd number of blocks from line to line, so that no two lines meet in a bank group.
    const uint8_t line = static_cast<uint8_t>(blocks), group = static_cast<uint8_t>(kRowGroup * blocks);
    const uint8_t repeats = static_cast<uint8_t>(groups);
    AscendC::Max(joined, top, top[kBlock], uint64_t{8 * kBlock}, repeats, {1, line, line, 8, group, group});
    for (uint32_t b = 2; b < blocks; ++b) {
      AscendC::Max(joined, joined, top[b * kBlock], uint64_t{8 * kBlock}, repeats, {1, 1, line, 8, 8, group});
    }
    return joined;
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> levels_buffer_, scratch_;
  uint32_t top_, levels_;         // as in the tiling
  uint32_t steps_, line_blocks_;  // steps to the top; blocks of a line at level 0

 private:
  __aicore__ inline AscendC::LocalTensor<Key> KeysOf(const AscendC::LocalTensor<T> &tile, uint32_t begin,
                                                     uint32_t blocks) {
    if constexpr (kDirect) {
      return tile[begin * kBlock];
    } else {
      const auto keys = Scratch(0);
      AscendC::Cast(keys, tile[begin * kBlock], AscendC::RoundMode::CAST_NONE,
                    RoundUp(blocks, 2 * kChildren) * kBlock);
      return keys;
    }
  }

  // Writes the maximum of each pair of elements of `blocks` data blocks. Whole repeats are computed.
  __aicore__ inline void JoinPairs(const AscendC::LocalTensor<Key> &to, const AscendC::LocalTensor<T> &from,
                                   uint32_t blocks) {
    const uint8_t repeats = static_cast<uint8_t>((blocks + 7) / 8);
    // An odd number of repeats apart, they lie in opposite halves of the banks.
    const auto second = Scratch(0), first = second[(repeats | 1U) * kPairs];
    AscendC::And(second.template ReinterpretCast<uint16_t>(), from.template ReinterpretCast<uint16_t>(),
                 upper_.template Get<uint16_t>(), uint64_t{2 * kPairs}, repeats, {1, 1, 1, 8, 8, 0});
    AscendC::ShiftLeft(first.template ReinterpretCast<uint32_t>(), from.template ReinterpretCast<uint32_t>(),
                       16u, uint64_t{kPairs}, repeats, {1, 1, 8, 8});
    AscendC::Max(to, second, first, static_cast<int32_t>(repeats * kPairs));
  }

  // Where the keys of a piece lie that has been halved so many times. An instruction must not write what it
  // reads, so there are two places.
  __aicore__ inline AscendC::LocalTensor<Key> Scratch(uint32_t halvings) {
    const bool first = (halvings % 2 == 0) != kDirect;
    return scratch_.Get<Key>()[first ? 0 : second_scratch_];
  }

  static constexpr uint32_t kPairs = LineTreeBuffers::kPairs;

  AscendC::TBuf<AscendC::TPosition::VECCALC> upper_;
  uint32_t level_at_[LineTreeBuffers::kMostSteps];  // where each kept level begins, in keys
  uint32_t piece_;                                  // blocks that are halved at once
  uint32_t second_scratch_;                         // in keys
};

}  // namespace avo
