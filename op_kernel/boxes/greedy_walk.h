// SPDX-License-Identifier: Apache-2.0
// Decides which boxes of a band are kept: by descending score, each box that no kept box of the band
// suppresses. One core does this, with the words (overlap_bits.h) that all cores have stored in GM. There is
// a row of words for each group of 64 boxes:
//
//   group 0, lanes are boxes 0 … 63      | word of box 0 | word of box 1 | … | word of the last box |
//   group 1, lanes are boxes 64 … 127    | not written   | word of box 64 | … | word of the last box |
//
// The walk goes from group to group:
//   1. It decides the 64 boxes of the group one after the other, by their own words of this group.
//      Meanwhile the words of the next group are loaded.
//   2. It clears the bits of boxes that are not kept from the words of all later boxes, and adds the other
//      bits to the `suppressed` word of each later box. That word is 0 where no kept box suppresses the box.
#pragma once

#include "overlap_bits.h"

namespace avo {

class GreedyWalk {
  using Words = AscendC::LocalTensor<uint16_t>;

 public:
  // UB that the walk works in; see BandBuffers.
  struct Memory {
    Words words[2];                       // a row of words each: of the group in hand, and of the next one
    Words suppressed;                     // a word for each box of the band
    Words better_masks;                   // 64 words
    Words suppressors;                    // two times 64 words: of earlier groups, of the own group
    Words kept_word;                      // a data block
    AscendC::LocalTensor<uint32_t> work;  // two times 128 elements
  };

  // band: boxes from one row of words to the next in `words_gm`.
  __aicore__ inline void Init(const Memory &memory, const AscendC::GlobalTensor<uint16_t> &words_gm,
                              uint32_t band, AscendC::TPipe *pipe) {
    memory_ = memory;
    words_gm_ = words_gm;
    band_ = band;
    pipe_ = pipe;
    SetBetterMasks(memory.better_masks.template ReinterpretCast<uint64_t>());
    WaitFor<AscendC::HardEvent::S_V>(pipe);
  }

  // Sets the bits of `kept`, 64 in each element, of those of the first `count` boxes of the band that are
  // kept.
  __aicore__ inline void Run(const AscendC::LocalTensor<uint64_t> &kept, uint32_t count) {
    const uint32_t groups = (count + kBoxLanes - 1) / kBoxLanes;
    const auto &suppressed = memory_.suppressed;
    AscendC::Duplicate(suppressed, static_cast<uint16_t>(0), groups * kGroupHalves);
    const auto loaded = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::MTE2_V));
    if (groups > 0) LoadWords(0, groups * kBoxLanes, loaded);
    for (uint32_t group = 0; group < groups; ++group) {
      const uint32_t later = (groups - group - 1) * kBoxLanes;  // boxes behind the group
      const Words &words = memory_.words[group % 2];
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(loaded);
      if (later > 0) LoadWords(group + 1, later, loaded);
      const uint64_t word = DecideGroup(words, suppressed[group * kGroupHalves], count - group * kBoxLanes);
      kept.SetValue(group, word);
      if (later > 0 && word != 0) {
        Suppress(suppressed[(group + 1) * kGroupHalves], words[kGroupHalves], later, word);
      }
    }
    WaitFor<AscendC::HardEvent::S_V>(pipe_);
  }

 private:
  static constexpr uint32_t kGroupHalves = kBoxLanes * kWordHalves;  // 16-bit elements of 64 words

  // Begins to load the words of a group, from its own first box on. Sets the flag `loaded`.
  __aicore__ inline void LoadWords(uint32_t group, uint32_t count, event_t loaded) {
    const int64_t first = static_cast<int64_t>(group) * (band_ + kBoxLanes) * kWordHalves;
    WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
    CopyRowsIn(memory_.words[group % 2], count * kWordHalves, words_gm_, first, 0, 1, count * kWordHalves);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(loaded);
  }

  // Returns the bits of the kept boxes among the first `count` of a group, whose words are given.
  // suppressed: the words of these boxes by all groups before.
  __aicore__ inline uint64_t DecideGroup(const Words &words, const Words &suppressed, uint32_t count) {
    auto earlier = memory_.suppressors, better = memory_.suppressors[kGroupHalves];
    AscendC::Or(earlier, suppressed, suppressed, kGroupHalves);
    AscendC::And(better, words, memory_.better_masks, kGroupHalves);
    FindZeroWords(memory_.kept_word, earlier, memory_.work, 2 * kBoxLanes);
    WaitFor<AscendC::HardEvent::V_S>(pipe_);
    const auto zero = memory_.kept_word.template ReinterpretCast<uint64_t>();
    uint64_t kept = zero.GetValue(0);
    if (count < kBoxLanes) kept &= (uint64_t{1} << count) - 1;
    // Only boxes with a better box above the threshold in this group have to be looked at one by one.
    uint64_t open = kept & ~zero.GetValue(1);
    while (open != 0) {
      const uint64_t bit = open & (~open + 1);
      const auto row = static_cast<uint32_t>(AscendC::ScalarGetSFFValue<1>(open));
      if ((better.template ReinterpretCast<uint64_t>().GetValue(row) & kept) != 0) kept &= ~bit;
      open &= ~bit;
    }
    return kept;
  }

  // Adds to the `count` words of `suppressed` the bits of `words` that are set in `kept`.
  __aicore__ inline void Suppress(const Words &suppressed, const Words &words, uint32_t count,
                                  uint64_t kept) {
    constexpr uint64_t kRepeat = 128;  // 16-bit elements
    auto block = memory_.kept_word.template ReinterpretCast<uint64_t>();
    for (uint32_t i = 0; i < kBlockBytes / sizeof(uint64_t); ++i) block.SetValue(i, kept);
    WaitFor<AscendC::HardEvent::S_V>(pipe_);
    AscendC::And(words, words, memory_.kept_word, kRepeat,
                 static_cast<uint8_t>(count * kWordHalves / kRepeat), {1, 1, 0, 8, 8, 0});
    AscendC::Or(suppressed, suppressed, words, count * kWordHalves);
  }

  Memory memory_;
  AscendC::GlobalTensor<uint16_t> words_gm_;
  AscendC::TPipe *pipe_;
  uint32_t band_;
};

}  // namespace avo
