// SPDX-License-Identifier: Apache-2.0
// Finds the neighbours of grid samples along one axis at a time. One vector instruction handles 64 samples. A
// neighbour has an index, a weight and, on request, the derivative of the weight by the coordinate. Indices
// are whole numbers in float32, the type in which torch computes them.
//
//   bilinear, one axis    index     2         3             nearest: 1 neighbour
//                         pixel     o---*-----o             bicubic: 4 neighbours, indices 1 to 4
//                         weight   0.6       0.4
//                         sample        2.4
//
// The neighbours of a sample are all pairs of one along y and one along x: taps x taps of them, numbered row
// by row. A table has a row of samples for each of these pairs, a row of UB has one element for each sample.
#pragma once

#include "../common/copies/row_copy.h"
#include "../common/sampling/linear_positions.h"
#include "../common/vectors/bits.h"
#include "grid_buffers.h"

namespace avo {

struct GridRules {
  uint32_t interpolation;  // 0 bilinear, 1 nearest, 2 bicubic
  uint32_t padding;        // 0 zeros, 1 border, 2 reflection
  uint32_t alignCorners;
};

struct GridAxis {
  float scale;  // pixels that a coordinate of 1 stands for
  float last;   // index of the last pixel
  float span;   // pixels between the two lines of reflection
};

constexpr uint32_t kAxisY = 0, kAxisX = 1;

// Sets the bits of elements between `low` and `high`, both included unless `strictly`. A NaN gets no bit.
// Overwrites `other`.
__aicore__ inline void SetBitsBetween(const AscendC::LocalTensor<uint8_t> &bits,
                                      const AscendC::LocalTensor<uint8_t> &other,
                                      const AscendC::LocalTensor<float> &of, float low, float high,
                                      bool strictly, uint32_t count) {
  AscendC::CompareScalar(bits, of, low, strictly ? AscendC::CMPMODE::GT : AscendC::CMPMODE::GE, count);
  KeepBits(bits, other, of, high, strictly ? AscendC::CMPMODE::LT : AscendC::CMPMODE::LE, count);
}

// Writes `other` to elements without a bit.
__aicore__ inline void KeepWhereSet(const AscendC::LocalTensor<float> &of,
                                    const AscendC::LocalTensor<uint8_t> &bits, float other, uint32_t count) {
  AscendC::Select(of, bits, of, other, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
}

// Rows of the buffer `rows_`, of `capacity` floats each:
//
//   indices     y: tap 0, tap 1, …   x: tap 0, tap 1, …
//   weights     y: tap 0, tap 1, …   x: tap 0, tap 1, …
//   slopes      y: tap 0, tap 1, …   x: tap 0, tap 1, …   only with SLOPES
//   scratch     0, 1, 2, 3
//
// A slope is the derivative of a weight by the coordinate. The argument `count` of functions is a number of
// samples, rounded up to a multiple of 64, unless a function says otherwise.
template <bool SLOPES>
class GridTaps {
 public:
  // taps: neighbours along an axis; capacity: most samples of a tile.
  __aicore__ inline void Init(const GridRules &rules, const GridAxis &y, const GridAxis &x, uint32_t taps,
                              uint32_t capacity, AscendC::TPipe *pipe) {
    rules_ = rules;
    axes_[kAxisY] = y;
    axes_[kAxisX] = x;
    taps_ = taps;
    capacity_ = capacity;
    const GridTapsBuffers buffers(taps, capacity, SLOPES);
    pipe->InitBuffer(rows_, buffers.rows.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    pipe->InitBuffer(more_bits_, buffers.more_bits.bytes);
  }

  // The index of neighbour `tap` of every sample. It may lie outside the image, or be NaN.
  __aicore__ inline AscendC::LocalTensor<float> Index(uint32_t axis, uint32_t tap) {
    return Row(axis * taps_ + tap);
  }
  // The weight of neighbour `tap` of every sample; mode nearest has no weights. SetPlaces overwrites it.
  __aicore__ inline AscendC::LocalTensor<float> Weight(uint32_t axis, uint32_t tap) {
    return Row((2 + axis) * taps_ + tap);
  }
  __aicore__ inline AscendC::LocalTensor<float> Slope(uint32_t axis, uint32_t tap) {
    return Row((4 + axis) * taps_ + tap);
  }

  // Finds the neighbours along `axis` of samples with the coordinates `at`, which it overwrites.
  __aicore__ inline void Locate(uint32_t axis, const AscendC::LocalTensor<float> &at, uint32_t count) {
    const GridAxis &of = axes_[axis];
    AscendC::Adds(at, at, 1.0f, count);
    AscendC::Muls(at, at, of.scale, count);
    if (rules_.alignCorners == 0) AscendC::Adds(at, at, -0.5f, count);
    if (rules_.interpolation == 2) {
      LocateCubic(axis, at, count);
      return;
    }
    Pad<SLOPES>(at, Slope(axis, SLOPES ? taps_ - 1 : 0), of, count);
    const auto low = Index(axis, 0);
    if (rules_.interpolation == 1) {
      AscendC::Cast(low, at, AscendC::RoundMode::CAST_RINT, count);
      return;
    }
    Floor(low, at, count);
    AscendC::Sub(Weight(axis, 1), at, low, count);
    AscendC::Muls(Weight(axis, 0), Weight(axis, 1), -1.0f, count);
    AscendC::Adds(Weight(axis, 0), Weight(axis, 0), 1.0f, count);
    AscendC::Adds(Index(axis, 1), low, 1.0f, count);
    if constexpr (SLOPES) AscendC::Muls(Slope(axis, 0), Slope(axis, 1), -1.0f, count);
  }

  // Finds the first and the last pixel along `axis` that one of the first `count` samples may read. `count`
  // is any number; `whole` is the same rounded up to 64.
  __aicore__ inline void FindExtent(uint32_t axis, uint32_t count, uint32_t whole, int32_t &first,
                                    int32_t &last) {
    const auto at = Scratch(0), low = Scratch(1), high = Scratch(2), work = Scratch(3);
    const auto bits = bits_.template Get<uint8_t>();
    AscendC::Duplicate(low, axes_[axis].last, whole);
    AscendC::Duplicate(high, 0.0f, whole);
    for (uint32_t tap = 0; tap < taps_; ++tap) {
      const auto index = Index(axis, tap);
      AscendC::Compare(bits, index, index, AscendC::CMPMODE::EQ, whole);
      AscendC::Select(at, bits, index, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, whole);
      Clamp(at, 0.0f, axes_[axis].last, whole);
      AscendC::Min(low, low, at, whole);
      AscendC::Max(high, high, at, whole);
    }
    constexpr uint32_t kBlock = kBlockBytes / sizeof(float);
    AscendC::ReduceMin(at, low, work, static_cast<int32_t>(count));
    AscendC::ReduceMax(at[kBlock], high, work, static_cast<int32_t>(count));
    first = static_cast<int32_t>(at.GetValue(0));
    last = static_cast<int32_t>(at.GetValue(kBlock));
  }

  // Replaces the weights along `axis` by places: (index - first) * step + base for an index in [first, first
  // + size). Any other index gets kNowhere. The place of a neighbour in a buffer is the sum of its places
  // along both axes, which FillOffsets takes.
  __aicore__ inline void SetPlaces(uint32_t axis, int32_t first, uint32_t size, uint32_t step, uint32_t base,
                                   uint32_t count) {
    constexpr float kNowhere = -1.0e9f;  // so small that it makes any sum negative
    const auto bits = bits_.template Get<uint8_t>();
    for (uint32_t tap = 0; tap < taps_; ++tap) {
      const auto to = Weight(axis, tap);
      AscendC::Adds(to, Index(axis, tap), -static_cast<float>(first), count);
      SetBitsBetween(bits, more_bits_.template Get<uint8_t>(), to, 0.0f,
                     static_cast<float>(static_cast<int32_t>(size - 1)), false, count);
      if (step != 1) AscendC::Muls(to, to, static_cast<float>(static_cast<int32_t>(step)), count);
      if (base != 0) AscendC::Adds(to, to, static_cast<float>(static_cast<int32_t>(base)), count);
      KeepWhereSet(to, bits, kNowhere, count);
    }
  }

  // Fills a table with the places of neighbours times `bytes`, after SetPlaces of both axes. The place is 0
  // where it is kNowhere along either axis.
  __aicore__ inline void FillOffsets(const AscendC::LocalTensor<int32_t> &table, uint32_t bytes,
                                     uint32_t count) {
    const auto sum = Scratch(0);
    for (uint32_t i = 0; i < taps_ * taps_; ++i) {
      AscendC::Add(sum, Weight(kAxisY, i / taps_), Weight(kAxisX, i % taps_), count);
      AscendC::Maxs(sum, sum, 0.0f, count);
      if (bytes != 1) AscendC::Muls(sum, sum, static_cast<float>(static_cast<int32_t>(bytes)), count);
      AscendC::Cast(table[i * capacity_], sum, AscendC::RoundMode::CAST_RINT, count);
    }
  }

  // Fills a table with the weights of neighbours. Its row i belongs to the pair of taps i / taps along y and
  // i % taps along x.
  __aicore__ inline void FillWeights(const AscendC::LocalTensor<float> &table, uint32_t count) {
    for (uint32_t i = 0; i < taps_ * taps_; ++i) {
      AscendC::Mul(table[i * capacity_], Weight(kAxisY, i / taps_), Weight(kAxisX, i % taps_), count);
    }
  }

 private:
  __aicore__ inline AscendC::LocalTensor<float> Row(uint32_t row) {
    return rows_.template Get<float>()[row * capacity_];
  }
  __aicore__ inline AscendC::LocalTensor<float> Scratch(uint32_t i) {
    return Row((SLOPES ? 6 : 4) * taps_ + i);
  }

  // Moves positions as the padding says. With a border or a reflection, NaN goes to 0. With SLOPE it also
  // writes the derivative of the moved position by the coordinate to `slope`.
  template <bool SLOPE>
  __aicore__ inline void Pad(const AscendC::LocalTensor<float> &at, const AscendC::LocalTensor<float> &slope,
                             const GridAxis &of, uint32_t count) {
    const auto bits = bits_.template Get<uint8_t>();
    if constexpr (SLOPE) AscendC::Duplicate(slope, of.scale, count);
    if (rules_.padding == 0) return;
    if (rules_.padding == 2) Reflect<SLOPE>(at, slope, of, count);
    AscendC::Compare(bits, at, at, AscendC::CMPMODE::EQ, count);
    KeepWhereSet(at, bits, 0.0f, count);
    if constexpr (SLOPE) {
      SetBitsBetween(bits, more_bits_.template Get<uint8_t>(), at, 0.0f, of.last, true, count);
      KeepWhereSet(slope, bits, 0.0f, count);
    }
    Clamp(at, 0.0f, of.last, count);
  }

  // Mirrors positions at the two lines of reflection, `span` pixels apart. A mirrored position repeats after
  // 2 * span: so it is first taken modulo this period, and then mirrored from its second half into its first.
  //
  //   period        |<------- 2 span ------->|
  //   lines         |           |            |
  //   position      -->-->-->-->--<--<--<--<--
  template <bool SLOPE>
  __aicore__ inline void Reflect(const AscendC::LocalTensor<float> &at,
                                 const AscendC::LocalTensor<float> &slope, const GridAxis &of,
                                 uint32_t count) {
    if (of.span == 0.0f) {
      AscendC::Duplicate(at, 0.0f, count);
      return;
    }
    const auto bits = bits_.template Get<uint8_t>();
    const auto scratch = Scratch(0);
    const float low = rules_.alignCorners != 0 ? 0.0f : -0.5f, period = 2 * of.span;
    AscendC::Adds(at, at, -low, count);
    if constexpr (SLOPE) {
      AscendC::CompareScalar(bits, at, 0.0f, AscendC::CMPMODE::GE, count);
      KeepWhereSet(slope, bits, -of.scale, count);
    }
    AscendC::Abs(at, at, count);
    AscendC::Muls(scratch, at, 1.0f / period, count);
    Floor(scratch, scratch, count);
    AscendC::Muls(scratch, scratch, -period, count);
    AscendC::Add(at, at, scratch, count);
    AscendC::Muls(scratch, at, -1.0f, count);
    if constexpr (SLOPE) {
      const auto back = Scratch(1);
      AscendC::CompareScalar(bits, at, of.span, AscendC::CMPMODE::LT, count);
      AscendC::Muls(back, slope, -1.0f, count);
      AscendC::Select(slope, bits, slope, back, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
    }
    AscendC::Adds(scratch, scratch, period, count);
    AscendC::Min(at, at, scratch, count);
    AscendC::Adds(at, at, low, count);
  }

  // Finds four neighbours, and pads the index of each of them. Weights are cubics of the distance d from the
  // sample to the neighbour, with A = -0.75:
  //   d up to 1   (A + 2) d^3 - (A + 3) d^2 + 1
  //   d up to 2   A d^3 - 5 A d^2 + 8 A d - 4 A
  __aicore__ inline void LocateCubic(uint32_t axis, const AscendC::LocalTensor<float> &at, uint32_t count) {
    constexpr float kA = -0.75f;
    const auto low = Scratch(1), d = Scratch(2);
    Floor(low, at, count);
    AscendC::Sub(at, at, low, count);
    for (uint32_t tap = 0; tap < taps_; ++tap) {
      const bool near = tap == 1 || tap == 2;
      const float before = 1.0f - static_cast<float>(static_cast<int32_t>(tap));
      const auto weight = Weight(axis, tap), index = Index(axis, tap);
      AscendC::Adds(d, at, before, count);
      AscendC::Abs(d, d, count);
      Cubic(weight, d, near ? kA + 2 : kA, near ? -(kA + 3) : -5 * kA, near ? 0.0f : 8 * kA,
            near ? 1.0f : -4 * kA, count);
      if constexpr (SLOPES) {
        // The derivative by the distance. The distance of the first two neighbours grows with the position,
        // that of the other two shrinks.
        const auto slope = Slope(axis, tap);
        AscendC::Muls(slope, d, 3 * (near ? kA + 2 : kA), count);
        AscendC::Adds(slope, slope, 2 * (near ? -(kA + 3) : -5 * kA), count);
        AscendC::Mul(slope, slope, d, count);
        AscendC::Adds(slope, slope, near ? 0.0f : 8 * kA, count);
        AscendC::Muls(slope, slope, tap < 2 ? axes_[axis].scale : -axes_[axis].scale, count);
      }
      AscendC::Adds(index, low, -before, count);
      Pad<false>(index, index, axes_[axis], count);
    }
  }

  // Computes ((a d + b) d + c) d + e.
  __aicore__ inline void Cubic(const AscendC::LocalTensor<float> &to, const AscendC::LocalTensor<float> &d,
                               float a, float b, float c, float e, uint32_t count) {
    AscendC::Muls(to, d, a, count);
    AscendC::Adds(to, to, b, count);
    AscendC::Mul(to, to, d, count);
    if (c != 0.0f) AscendC::Adds(to, to, c, count);
    AscendC::Mul(to, to, d, count);
    AscendC::Adds(to, to, e, count);
  }

  GridRules rules_;
  GridAxis axes_[2];
  AscendC::TBuf<AscendC::TPosition::VECCALC> rows_, bits_, more_bits_;
  uint32_t taps_, capacity_;
};

}  // namespace avo
