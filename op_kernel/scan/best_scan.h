// SPDX-License-Identifier: Apache-2.0
// The best element so far along positions of `width` contiguous lanes. One step after the other is a chain of
// instructions that wait for each other; where lanes are few, positions are cut into runs, which take their
// steps together in the repeats of one instruction, and then take over, one after the other, what lies before
// them.
#pragma once

#include "key_planes.h"

namespace avo {

struct Larger {
  static constexpr int32_t kWorst = -2147483647 - 1;
  static __aicore__ inline float WorstFloat() { return -__builtin_inff(); }
  template <typename C, typename... Form>
  static __aicore__ inline void Apply(const AscendC::LocalTensor<C> &dst, const AscendC::LocalTensor<C> &a,
                                      const AscendC::LocalTensor<C> &b, const Form &...form) {
    AscendC::Max(dst, a, b, form...);
  }
};

struct Smaller {
  static constexpr int32_t kWorst = 2147483647;
  static __aicore__ inline float WorstFloat() { return __builtin_inff(); }
  template <typename C, typename... Form>
  static __aicore__ inline void Apply(const AscendC::LocalTensor<C> &dst, const AscendC::LocalTensor<C> &a,
                                      const AscendC::LocalTensor<C> &b, const Form &...form) {
    AscendC::Min(dst, a, b, form...);
  }
};

// Elements in UB: the planes of KeyPlanes, `pitch` elements apart.
template <typename C>
struct PlaneTile {
  AscendC::LocalTensor<C> data;
  uint32_t pitch;

  __aicore__ inline PlaneTile At(uint32_t offset) const { return {data[offset], pitch}; }
  __aicore__ inline AscendC::LocalTensor<C> Plane(uint32_t plane) const { return data[plane * pitch]; }
};

// Where a scan goes: `run` positions of a run, all of them for a chain.
struct ScanPath {
  uint32_t positions, width, run;
  bool reverse;
};

template <typename Best, typename T>
class BestScan {
 public:
  using C = typename KeyPlanes<T>::Key;
  using Tile = PlaneTile<C>;
  static constexpr uint32_t kPlanes = KeyPlanes<T>::kPlanes;
  static constexpr uint32_t kRepeat = 64;  // lanes

  // elements: of a tile. Of two planes, instructions read whole repeats, up to one behind a tile.
  __aicore__ inline void Init(uint32_t elements, AscendC::TPipe *pipe) {
    if constexpr (kPlanes == 1) return;
    elements_ = elements;
    pipe->InitBuffer(beside_, kPlanes * elements * sizeof(C));
    bit_bytes_ = RoundUp(elements / 8, kBlockBytes);
    pipe->InitBuffer(bits_, 2 * bit_bytes_);
    AscendC::Duplicate(beside_.template Get<C>(), C(0), kPlanes * elements);
  }

  static __aicore__ inline C Worst() {
    if constexpr (KeyPlanes<T>::kWhole) {
      return Best::kWorst;
    } else {
      return Best::WorstFloat();
    }
  }

  // Each position of `to` becomes the best of that of `from` and all before it, and of `carry` where there
  // is one.
  __aicore__ inline void Scan(const Tile &to, const Tile &from, const Tile &carry, bool carried,
                              const ScanPath &path) {
    if (path.run < path.positions) {
      ScanRuns(to, from, carry, carried, path);
      return;
    }
    uint32_t at = path.reverse ? (path.positions - 1) * path.width : 0;
    Across(to.At(at), from.At(at), carried ? carry : from.At(at), false, path.width);
    for (uint32_t i = 1; i < path.positions; ++i) {
      const uint32_t before = at;
      at = path.reverse ? at - path.width : at + path.width;
      Across(to.At(at), from.At(at), to.At(before), false, path.width);
    }
  }

  // The first position of `to`, which may be `from`, becomes the best of all of `from`. Neighbours come
  // first, so that of NaNs it is the last one of the path, as in a scan.
  __aicore__ inline void Reduce(const Tile &to, const Tile &from, const ScanPath &path) {
    const uint32_t width = path.width,
                   most = kPlanes > 1 && elements_ < kMost * kRepeat ? elements_ / kRepeat : kMost;
    const uint8_t row = static_cast<uint8_t>(width / kRowBlock), pair = static_cast<uint8_t>(2 * row);
    Tile source = from;
    for (uint32_t n = path.positions; n > 1; n -= n / 2) {
      const uint32_t pairs = n / 2;
      for (uint32_t begin = 0; begin < pairs; begin += most) {
        for (uint32_t lane = 0; lane < width; lane += kRepeat) {
          const uint32_t low = 2 * begin * width + lane, high = low + width;
          Step(to.At(begin * width + lane), source.At(path.reverse ? low : high),
               source.At(path.reverse ? high : low), true, MinRemaining(width - lane, kRepeat),
               MinRemaining(pairs - begin, most), {1, 1, 1, row, pair, pair});
        }
      }
      if (n % 2 > 0) Copy(to.At(pairs * width), source.At((n - 1) * width), width);
      source = to;
    }
    if (path.positions == 1) Copy(to, from, width);
  }

  // All positions of `to` become what `from` is.
  static __aicore__ inline void Spread(const Tile &to, const Tile &from, const ScanPath &path) {
    const uint8_t row = static_cast<uint8_t>(path.width / kRowBlock);
    for (uint32_t begin = 0; begin < path.positions; begin += kMost) {
      for (uint32_t lane = 0; lane < path.width; lane += kRepeat) {
        CopyRepeats(to.At(begin * path.width + lane), from.At(lane), MinRemaining(path.width - lane, kRepeat),
                    MinRemaining(path.positions - begin, kMost), {1, 1, 1, row, 0, 0});
      }
    }
  }

  // `to` becomes the best of itself and `other`.
  __aicore__ inline void Join(const Tile &to, const Tile &other, uint32_t width) {
    Across(to, to, other, true, width);
  }

  static __aicore__ inline void Copy(const Tile &to, const Tile &from, uint32_t count) {
    for (uint32_t p = 0; p < kPlanes; ++p) {
      Best::Apply(to.Plane(p), from.Plane(p), from.Plane(p), static_cast<int32_t>(count));
    }
  }

 private:
  __aicore__ inline void ScanRuns(const Tile &to, const Tile &from, const Tile &carry, bool carried,
                                  const ScanPath &path) {
    const uint32_t n = path.positions, width = path.width, run = path.run, runs = (n + run - 1) / run;
    const uint8_t row = static_cast<uint8_t>(width / kRowBlock);
    const uint8_t stride = static_cast<uint8_t>(run * width / kRowBlock);
    // Steps within runs, the first position of which is copied.
    for (uint32_t i = 0; i < run; ++i) {
      const uint32_t reached = (n - i + run - 1) / run;
      const uint32_t low = path.reverse ? n - 1 - i - (reached - 1) * run : i;
      const AscendC::BinaryRepeatParams params(1, 1, 1, stride, stride, stride);
      for (uint32_t lane = 0; lane < width; lane += kRepeat) {
        const uint32_t at = low * width + lane, before = path.reverse ? at + width : at - width;
        const uint32_t lanes = MinRemaining(width - lane, kRepeat);
        if (i == 0) {
          CopyRepeats(to.At(at), from.At(at), lanes, reached, params);
        } else {
          Step(to.At(at), from.At(at), to.At(before), false, lanes, reached, params);
        }
      }
    }
    // Runs take over what lies before them.
    for (uint32_t r = carried ? 0 : 1; r < runs; ++r) {
      const uint32_t begin = r * run, length = MinRemaining(n - begin, run);
      const uint32_t low = path.reverse ? n - begin - length : begin;
      const uint32_t edge = path.reverse ? n - begin : begin - 1;
      for (uint32_t lane = 0; lane < width; lane += kRepeat) {
        const auto at = to.At(low * width + lane);
        Step(at, at, r == 0 ? carry.At(lane) : to.At(edge * width + lane), true,
             MinRemaining(width - lane, kRepeat), length, {1, 1, 1, row, row, 0});
      }
    }
  }

  static __aicore__ inline void CopyRepeats(const Tile &to, const Tile &from, uint64_t lanes,
                                            uint32_t repeats, const AscendC::BinaryRepeatParams &params) {
    for (uint32_t p = 0; p < kPlanes; ++p) {
      Best::Apply(to.Plane(p), from.Plane(p), from.Plane(p), lanes, static_cast<uint8_t>(repeats), params);
    }
  }

  // One position, of any width.
  __aicore__ inline void Across(const Tile &to, const Tile &a, const Tile &b, bool in_place, uint32_t width) {
    if constexpr (kPlanes == 1) {
      Best::Apply(to.data, a.data, b.data, static_cast<int32_t>(width));
    } else {
      const AscendC::BinaryRepeatParams dense(1, 1, 1, 8, 8, 8);
      const uint32_t whole = width / kRepeat;
      if (whole > 0) Step(to, a, b, in_place, kRepeat, whole, dense);
      const uint32_t at = whole * kRepeat;
      if (at < width) Step(to.At(at), a.At(at), b.At(at), in_place, width - at, 1, dense);
    }
  }

  // in_place: `to` may be a or b, or lie before them.
  __aicore__ inline void Step(const Tile &to, const Tile &a, const Tile &b, bool in_place, uint64_t lanes,
                              uint32_t repeats, const AscendC::BinaryRepeatParams &params) {
    const uint8_t count = static_cast<uint8_t>(repeats);
    if constexpr (kPlanes == 1) {
      Best::Apply(to.data, a.data, b.data, lanes, count, params);
    } else {
      StepPlanes(to, a, b, in_place, lanes, count, params);
    }
  }

  // The second plane of an element counts where its first one is the best of both; elsewhere it loses against
  // everything.
  __aicore__ inline void StepPlanes(const Tile &to, const Tile &a, const Tile &b, bool in_place,
                                    uint64_t lanes, uint8_t count, const AscendC::BinaryRepeatParams &p) {
    using Params = AscendC::BinaryRepeatParams;
    constexpr auto kEqual = AscendC::CMPMODE::EQ;
    constexpr auto kScalar = AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE;
    const float worst = __builtin_bit_cast(float, Best::kWorst);
    const auto second = beside_.template Get<C>();
    const auto first = in_place ? second[elements_] : to.Plane(0);
    const uint8_t of_first = in_place ? 8 : p.dstRepStride;
    const auto of_a = bits_.template Get<uint8_t>(), of_b = of_a[bit_bytes_];
    Best::Apply(first, a.Plane(0), b.Plane(0), lanes, count,
                Params(1, 1, 1, of_first, p.src0RepStride, p.src1RepStride));
    AscendC::Compare(of_a, first, a.Plane(0), kEqual, lanes, count,
                     Params(1, 1, 1, 8, of_first, p.src0RepStride));
    AscendC::Compare(of_b, first, b.Plane(0), kEqual, lanes, count,
                     Params(1, 1, 1, 8, of_first, p.src1RepStride));
    AscendC::Select(second.template ReinterpretCast<float>(), of_a,
                    a.Plane(1).template ReinterpretCast<float>(), worst, kScalar, lanes, count,
                    Params(1, 1, 1, 8, p.src0RepStride, 8));
    AscendC::Select(to.Plane(1).template ReinterpretCast<float>(), of_b,
                    b.Plane(1).template ReinterpretCast<float>(), worst, kScalar, lanes, count,
                    Params(1, 1, 1, p.dstRepStride, p.src1RepStride, 8));
    Best::Apply(to.Plane(1), to.Plane(1), second, lanes, count,
                Params(1, 1, 1, p.dstRepStride, p.dstRepStride, 8));
    if (in_place) Best::Apply(to.Plane(0), first, first, lanes, count, Params(1, 1, 1, p.dstRepStride, 8, 8));
  }

  static constexpr uint32_t kRowBlock = kBlockBytes / sizeof(C);
  static constexpr uint32_t kMost = 255;  // repeats of an instruction

  AscendC::TBuf<AscendC::TPosition::VECCALC> beside_, bits_;
  uint32_t elements_ = 0, bit_bytes_ = 0;
};

// Bits of the elements of `input` that lead in `values`, what it was scanned to: they are equal, or NaN.
template <typename C>
__aicore__ inline void MarkLeaders(const AscendC::LocalTensor<uint8_t> &bits,
                                   const AscendC::LocalTensor<uint8_t> &others, const PlaneTile<C> &input,
                                   const PlaneTile<C> &values, bool second, uint32_t count) {
  constexpr auto kEqual = AscendC::CMPMODE::EQ;
  const auto words = bits.template ReinterpretCast<uint16_t>(),
             more = others.template ReinterpretCast<uint16_t>();
  const int32_t word_count = static_cast<int32_t>(count / 16);
  AscendC::Compare(bits, input.Plane(0), values.Plane(0), kEqual, count);
  if constexpr (std::is_same_v<C, float>) {
    AscendC::Compare(others, input.Plane(0), input.Plane(0), kEqual, count);
    AscendC::Not(more, more, word_count);
    AscendC::Or(words, words, more, word_count);
  } else if (second) {
    AscendC::Compare(others, input.Plane(1), values.Plane(1), kEqual, count);
    AscendC::And(words, words, more, word_count);
  }
}

// The places of those that lead; elsewhere the least int32, which stays below 0 whatever a stretch's begin
// adds. Select knows float and half alone; it moves bits.
__aicore__ inline void KeepLeaders(const AscendC::LocalTensor<int32_t> &kept,
                                   const AscendC::LocalTensor<uint8_t> &bits,
                                   const AscendC::LocalTensor<int32_t> &places, uint32_t count) {
  AscendC::Select(kept.ReinterpretCast<float>(), bits, places.ReinterpretCast<float>(),
                  __builtin_bit_cast(float, Larger::kWorst), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE,
                  count);
}

}  // namespace avo
