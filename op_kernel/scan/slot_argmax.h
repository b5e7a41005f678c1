// SPDX-License-Identifier: Apache-2.0
// The position of the largest key of each lane, for keys that are all in UB: position x of all lanes is row x
// (short_lines.h). Rows are folded, half of them onto the other half, until one is left. For three lanes:
//
//   keys                 rows 0 … 3   5 7 2 | 6 7 1 | 5 1 2 | 6 0 2
//   largest              folded       6 7 2
//   their positions      rows 0 … 3   . 0 0 | 1 1 . | . . 2 | 3 . 3     . is a large number
//   first position       folded       1 0 0
//
// So an instruction works on many rows at once. Where the last of equal keys wins, positions are negative. Of
// NaNs the first one wins in any case.
#pragma once

#include "argmax_buffers.h"
#include "key_planes.h"

namespace avo {

template <typename T>
class SlotArgmax {
  using Key = typename KeyPlanes<T>::Key;
  using Keys = AscendC::LocalTensor<Key>;
  static constexpr bool kWhole = KeyPlanes<T>::kWhole;
  static constexpr uint32_t kPlanes = KeyPlanes<T>::kPlanes;
  static constexpr uint32_t kRepeat = ArgmaxFormat::kRepeat, kKeyBlock = ArgmaxFormat::kKeyBlock;

 public:
  // rows: positions of all keys, at most 255; lanes: an odd number of repeats, so that rows that are an odd
  // number of rows apart lie in different halves of the banks of UB. last: of equal keys the last one wins.
  __aicore__ inline void Init(const SlotArgmaxBuffers &buffers, uint32_t rows, uint32_t lanes, bool last,
                              AscendC::TPipe *pipe) {
    rows_ = rows;
    lanes_ = lanes;
    last_ = last;
    const uint32_t repeats = lanes / kRepeat;
    const bool by_rows = rows < repeats;
    steps_ = by_rows ? rows : repeats;
    step_repeats_ = static_cast<uint8_t>(by_rows ? repeats : rows);
    const uint8_t row = static_cast<uint8_t>(lanes / kKeyBlock), dense = kRepeat / kKeyBlock;
    all_ = by_rows ? Steps{lanes, dense, 1} : Steps{kRepeat, row, 1};
    row_ = by_rows ? Steps{0, dense, 1} : Steps{kRepeat, 0, 1};
    number_ = by_rows ? Steps{kKeyBlock, 0, 0} : Steps{0, 1, 0};
    mask_bytes_ = SlotArgmaxBuffers::MaskBytes(rows, lanes);
    pipe->InitBuffer(folded_, buffers.folded.bytes);
    pipe->InitBuffer(numbers_, buffers.numbers.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    pipe->InitBuffer(lane_bits_, buffers.lane_bits.bytes);
    pipe->InitBuffer(results_, buffers.results.bytes);
    AscendC::Duplicate(bits_.Get<int16_t>(), int16_t{0}, static_cast<int32_t>(buffers.bits.bytes / 2));
    const auto numbers = numbers_.Get<float>();
    const auto whole = numbers.template ReinterpretCast<int32_t>();
    const int32_t count = static_cast<int32_t>(rows * kKeyBlock);
    AscendC::CreateVecIndex(whole, int32_t{0}, static_cast<uint32_t>(count));
    AscendC::ShiftRight(whole, whole, int32_t{3}, count);
    AscendC::Cast(numbers, whole, AscendC::RoundMode::CAST_RINT, static_cast<uint32_t>(count));
    if (last) Negate();
  }

  // Returns the position for each lane. Planes: a class whose Plane(i) is a tensor of rows; rows of a second
  // plane are changed.
  template <typename Planes>
  __aicore__ inline AscendC::LocalTensor<int32_t> Find(const Planes &keys) {
    const auto best = folded_.Get<Key>();
    const auto marked = Bits(0).template ReinterpretCast<uint16_t>(),
               others = Bits(1).template ReinterpretCast<uint16_t>();
    const int32_t words = static_cast<int32_t>(mask_bytes_ / sizeof(uint16_t));
    Fold<true>(best, keys.Plane(0));
    MarkEqual(0, keys.Plane(0), best, row_);
    if constexpr (kPlanes > 1) {
      // Low halves count where the high half is the largest.
      const auto low = keys.Plane(1).template ReinterpretCast<float>();
      Choose(low, low, all_, FloatWithBits(kTopBit));
      Fold<true>(best, keys.Plane(1));
      MarkEqual(1, keys.Plane(1), best, row_);
      AscendC::And(marked, marked, others, words);
    } else if constexpr (!kWhole) {
      // The maximum is NaN where a key is; NaN is equal to nothing.
      MarkEqual(1, keys.Plane(0), keys.Plane(0), all_);
      AscendC::Not(others, others, words);
      AscendC::Or(marked, marked, others, words);
      if (last_) AscendC::Compare(lane_bits_.Get<uint8_t>(), best, best, AscendC::CMPMODE::EQ, lanes_);
    }
    const auto results = results_.Get<float>();
    FindNumbers(results);
    if (!kWhole && last_) {
      const auto first = folded_.Get<float>();
      Negate();
      FindNumbers(first);
      Negate();
      AscendC::Select(results, lane_bits_.Get<uint8_t>(), results, first,
                      AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, lanes_);
    }
    const auto positions = results.template ReinterpretCast<int32_t>();
    AscendC::Cast(positions, results, AscendC::RoundMode::CAST_RINT, lanes_);
    return positions;
  }

 private:
  // How instructions walk over keys, step by step: a step takes one row, or 64 lanes of all rows.
  struct Steps {
    uint32_t keys;   // from step to step
    uint8_t repeat;  // data blocks from repeat to repeat of a step
    uint8_t block;   // from data block to data block of a repeat; 0: one block stands for all
  };

  // A bit for each key, step by step.
  __aicore__ inline AscendC::LocalTensor<uint8_t> Bits(uint32_t mask) {
    return bits_.Get<uint8_t>()[mask * mask_bytes_];
  }
  __aicore__ inline AscendC::LocalTensor<uint8_t> StepBits(uint32_t mask, uint32_t step) {
    return Bits(mask)[step * SlotArgmaxBuffers::BitsBytes(step_repeats_)];
  }

  // Row 0 of `to`, which may be `from`, becomes the largest or the smallest of all rows.
  template <bool LARGER, typename E>
  __aicore__ inline void Fold(const AscendC::LocalTensor<E> &to, const AscendC::LocalTensor<E> &from) {
    auto source = from;
    uint32_t rows = rows_;
    do {
      uint32_t apart = rows / 2;
      if (apart > 0 && apart % 2 == 0) --apart;
      rows -= apart;
      const auto other = source[apart * lanes_];
      const int32_t count = static_cast<int32_t>(rows * lanes_);
      if constexpr (LARGER) {
        AscendC::Max(to, source, other, count);
      } else {
        AscendC::Min(to, source, other, count);
      }
      source = to;
    } while (rows > 1);
  }

  // Sets the bits of the keys that are equal to those of `other`.
  __aicore__ inline void MarkEqual(uint32_t mask, const Keys &keys, const Keys &other,
                                   const Steps &of_other) {
    for (uint32_t step = 0; step < steps_; ++step) {
      AscendC::Compare(StepBits(mask, step), keys[step * all_.keys], other[step * of_other.keys],
                       AscendC::CMPMODE::EQ, uint64_t{kRepeat}, step_repeats_,
                       {1, 1, 1, 8, all_.repeat, of_other.repeat});
    }
  }

  // Copies what is marked in mask 0, and writes `rest` elsewhere.
  __aicore__ inline void Choose(const AscendC::LocalTensor<float> &to,
                                const AscendC::LocalTensor<float> &from, const Steps &of_from, float rest) {
    for (uint32_t step = 0; step < steps_; ++step) {
      AscendC::Select(to[step * all_.keys], StepBits(0, step), from[step * of_from.keys], rest,
                      AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, uint64_t{kRepeat}, step_repeats_,
                      {1, of_from.block, 1, all_.repeat, of_from.repeat, 8});
    }
  }

  // Writes the least number of a marked key for each lane, without its sign.
  __aicore__ inline void FindNumbers(const AscendC::LocalTensor<float> &to) {
    constexpr float kNobody = 3.0e38f;
    const auto found = folded_.Get<float>();
    Choose(found, numbers_.Get<float>(), number_, kNobody);
    Fold<false>(found, found);
    AscendC::Abs(to, found, static_cast<int32_t>(lanes_));
  }
  __aicore__ inline void Negate() {
    const auto numbers = numbers_.Get<float>();
    AscendC::Muls(numbers, numbers, -1.0f, static_cast<int32_t>(rows_ * kKeyBlock));
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> folded_, numbers_, bits_, lane_bits_, results_;
  Steps all_, row_, number_;  // over all keys; over one row; over the numbers of rows
  uint32_t steps_ = 0;
  uint8_t step_repeats_ = 0;
  uint32_t rows_ = 0, lanes_ = 0, mask_bytes_ = 0;
  bool last_ = false;
};

}  // namespace avo
