// SPDX-License-Identifier: Apache-2.0
// Which boxes overlap above a threshold: a bit for each pair of boxes.
//
// A tile compares a column of boxes, its rows, with 64 other boxes, its lanes. The bits of a row are a word:
//
//            lane 0   lane 1   lane 2   …   lane 63
//   row 0       0        1        0            0       word 0: lane 1 suppresses row 0
//   row 1       0        0        0            1       word 1: lane 63 suppresses row 1
//   row 2       0        0        0            0       word 2 is 0: no lane suppresses row 2
//
// Lanes are boxes of better scores than the rows. Instructions for logic work on elements of 16 bits, of
// which a word has four.
#pragma once

#include "iou.h"

namespace avo {

constexpr uint32_t kWordHalves = sizeof(uint64_t) / sizeof(uint16_t);  // 16-bit elements of a word

// Gives word i of 64 the bits of the boxes before box i.
__aicore__ inline void SetBetterMasks(AscendC::LocalTensor<uint64_t> masks) {
  for (uint32_t i = 0; i < kBoxLanes; ++i) masks.SetValue(i, (uint64_t{1} << i) - 1);
}

// Sets bit i of `bits` where word i is 0, and clears it elsewhere. count: words, a multiple of 64. work: two
// times `count` elements, whose values are lost.
__aicore__ inline void FindZeroWords(const AscendC::LocalTensor<uint16_t> &bits,
                                     const AscendC::LocalTensor<uint16_t> &words,
                                     const AscendC::LocalTensor<uint32_t> &work, uint32_t count) {
  constexpr uint8_t kEvenElements = 1, kOddElements = 2;
  auto low = work, high = work[count];
  auto halves = words.template ReinterpretCast<uint32_t>();
  uint64_t gathered = 0;
  AscendC::GatherMask(low, halves, kEvenElements, true, 2 * count, {1, 1, 8, 0}, gathered);
  AscendC::GatherMask(high, halves, kOddElements, true, 2 * count, {1, 1, 8, 0}, gathered);
  auto either = low.template ReinterpretCast<uint16_t>();
  AscendC::Or(either, either, high.template ReinterpretCast<uint16_t>(), 2 * count);
  AscendC::CompareScalar(bits.template ReinterpretCast<uint8_t>(), low.template ReinterpretCast<int32_t>(), 0,
                         AscendC::CMPMODE::EQ, count);
}

template <bool CLASSES>
class OverlapBits {
 public:
  static constexpr uint32_t kPlanes = CLASSES ? uint32_t{kClassPlanes} : uint32_t{kSortedPlanes};

  // The UB that tiles are computed in, and what all tiles have in common.
  struct Setup {
    AscendC::LocalTensor<float> iou;           // most_rows x 64
    AscendC::LocalTensor<float> work;          // two times most_rows x 64
    AscendC::LocalTensor<float> column;        // kPlanes x most_rows data blocks
    AscendC::LocalTensor<uint8_t> class_bits;  // a word for each row
    uint32_t most_rows;                        // rows of the largest tile
    float offset;                              // added to widths and heights
    float threshold;                           // an overlap has to be above it
    float ratio;                               // 1 / threshold where that is a power of two, or 0
  };

  // With a ratio, an overlap is above the threshold where union - ratio * intersection is below 0. That is
  // exact: the product does not round, and no quotient of two floats that is above a power of two rounds to
  // it. Areas must not be negative then: 0 / -1 is not above a threshold, but -1 - 0 is below 0.
  __aicore__ inline void Init(const Setup &setup) { setup_ = setup; }

  // Makes the first `rows` of `boxes` the rows of the tiles that follow. rows: a multiple of 8.
  __aicore__ inline void SetColumn(const BoxPlanes &boxes, uint32_t rows) {
    rows_ = rows;
    for (uint32_t plane = 0; plane < kBoxPlanes; ++plane) SpreadRows(Column()[plane], boxes[plane], rows);
    if constexpr (CLASSES) {
      for (uint32_t half = 0; half < 2; ++half) {
        SpreadRows(Column()[kClassLow + half], boxes[kClassLow + half], rows);
      }
    }
  }

  // Pairs planes of `count` lanes, a multiple of 64, as Compare() takes them.
  __aicore__ static inline void Pair(const PairedPlanes &to, const BoxPlanes &lanes, uint32_t count) {
    for (uint32_t plane = 0; plane < kPlanes; ++plane) {
      if (plane != kIndex) PairPlane(to[plane], lanes[plane], count);
    }
  }

  // Writes a word for each row: the bits of the first 64 boxes of `lanes` whose overlap with the row is above
  // the threshold and whose class is equal.
  __aicore__ inline void Compare(const AscendC::LocalTensor<uint16_t> &bits, const PairedPlanes &lanes) {
    const uint32_t count = rows_ * kBoxLanes;
    const auto above = bits.template ReinterpretCast<uint8_t>();
    IntersectPairs(BoxRows{lanes, Column(), rows_}, setup_.iou, setup_.work,
                   setup_.work[setup_.most_rows * kBoxLanes], setup_.offset, count);
    if (setup_.ratio != 0.0f) {
      AscendC::Axpy(setup_.work, setup_.iou, -setup_.ratio, count);
      AscendC::CompareScalar(above, setup_.work, 0.0f, AscendC::CMPMODE::LT, count);
    } else {
      AscendC::Div(setup_.work, setup_.iou, setup_.work, count);
      AscendC::CompareScalar(above, setup_.work, setup_.threshold, AscendC::CMPMODE::GT, count);
    }
    if constexpr (CLASSES) {
      for (uint32_t half = 0; half < 2; ++half) {
        AscendC::Compare(setup_.class_bits, lanes[kClassLow + half].template ReinterpretCast<int32_t>(),
                         Column()[kClassLow + half].template ReinterpretCast<int32_t>(), AscendC::CMPMODE::EQ,
                         static_cast<uint64_t>(kBoxLanes), static_cast<uint8_t>(rows_), BoxRows::Strides());
        AscendC::And(bits, bits, setup_.class_bits.template ReinterpretCast<uint16_t>(), rows_ * kWordHalves);
      }
    }
  }

 private:
  __aicore__ inline PairedPlanes Column() const {
    constexpr uint32_t kBlockFloats = kBlockBytes / sizeof(float);
    return {setup_.column, setup_.most_rows * kBlockFloats, 1};
  }

  Setup setup_;
  uint32_t rows_ = 0;
};

}  // namespace avo
