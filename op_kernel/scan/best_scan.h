// SPDX-License-Identifier: Apache-2.0
// Scans positions for the best element so far, lane by lane (scan_layout.h has drawings of positions).
//
// The plain way is a chain: position i becomes the best of itself and position i - 1, one instruction each,
// and each waits for the one before. Where a position has few lanes, positions are cut into runs. All runs
// take their steps at the same time, in the repeats of one instruction. Then each run takes over what the run
// before it ends with, one run after the other. Twelve positions in three runs of four:
//
//   positions     0  1  2  3 |  4  5  6  7 |  8  9 10 11
//   step 1           1       |     5       |     9            one instruction: the best of 0 and 1, 4 and 5,
//   … step 2              2    |        6    |       10 step 3                 3 |           7 |          11
//   run 1                    |  4  5  6  7 |                  one instruction: the best of each and of 3
//   run 2                    |             |  8  9 10 11      one instruction: the best of each and of 7
#pragma once

#include "key_planes.h"
#include "running_scan_buffers.h"

namespace avo {

struct Larger {
  static constexpr int32_t kWorst = -2147483647 - 1;
  static __aicore__ inline float WorstFloat() { return -__builtin_inff(); }
  template <typename Key, typename... Form>
  static __aicore__ inline void Apply(const AscendC::LocalTensor<Key> &dst,
                                      const AscendC::LocalTensor<Key> &a, const AscendC::LocalTensor<Key> &b,
                                      const Form &...form) {
    AscendC::Max(dst, a, b, form...);
  }
};

struct Smaller {
  static constexpr int32_t kWorst = 2147483647;
  static __aicore__ inline float WorstFloat() { return __builtin_inff(); }
  template <typename Key, typename... Form>
  static __aicore__ inline void Apply(const AscendC::LocalTensor<Key> &dst,
                                      const AscendC::LocalTensor<Key> &a, const AscendC::LocalTensor<Key> &b,
                                      const Form &...form) {
    AscendC::Min(dst, a, b, form...);
  }
};

// The key that loses against all others.
template <typename Best, typename Key>
__aicore__ inline Key WorstKey() {
  if constexpr (std::is_same_v<Key, int32_t>) {
    return Best::kWorst;
  } else {
    return static_cast<Key>(Best::WorstFloat());
  }
}

// Keys in UB. The second plane of int64 begins `pitch` keys behind the first one.
template <typename Key>
struct PlaneTile {
  AscendC::LocalTensor<Key> data;
  uint32_t pitch;

  __aicore__ inline PlaneTile At(uint32_t offset) const { return {data[offset], pitch}; }
  __aicore__ inline AscendC::LocalTensor<Key> Plane(uint32_t plane) const { return data[plane * pitch]; }
};

// What a scan walks along.
struct ScanPath {
  uint32_t positions;
  uint32_t width;  // keys of a position
  uint32_t run;    // positions of a run; all of them for a chain
  bool reverse;    // from the last position to the first
};

// Best: Larger or Smaller. T: the type of the elements whose keys are scanned.
template <typename Best, typename T>
class BestScan {
 public:
  using Key = typename KeyPlanes<T>::Key;
  using Tile = PlaneTile<Key>;
  static constexpr uint32_t kPlanes = KeyPlanes<T>::kPlanes;
  static constexpr uint32_t kRepeat = ScanLayout::kRepeat;

  // elements: of a tile. Of two planes, instructions read whole repeats, so that they read up to a repeat
  // behind a tile.
  __aicore__ inline void Init(const BestScanBuffers &buffers, uint32_t elements, AscendC::TPipe *pipe) {
    if constexpr (kPlanes == 1) return;
    elements_ = elements;
    pipe->InitBuffer(scratch_, buffers.scratch.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    AscendC::Duplicate(scratch_.template Get<Key>(), Key(0), kPlanes * elements);
  }

  static __aicore__ inline Key Worst() { return WorstKey<Best, Key>(); }

  // Position by position, `to` becomes the best of `from` up to there, and of `carry` if `carried`.
  __aicore__ inline void Scan(const Tile &to, const Tile &from, const Tile &carry, bool carried,
                              const ScanPath &path) {
    if (path.run < path.positions) {
      StepWithinRuns(to, from, path);
      JoinRuns(to, carry, carried, path);
      return;
    }
    uint32_t at = path.reverse ? (path.positions - 1) * path.width : 0;
    CombinePosition(to.At(at), from.At(at), carried ? carry : from.At(at), false, path.width);
    for (uint32_t i = 1; i < path.positions; ++i) {
      const uint32_t before = at;
      at = path.reverse ? at - path.width : at + path.width;
      CombinePosition(to.At(at), from.At(at), to.At(before), false, path.width);
    }
  }

  // The first position of `to`, which may be `from`, becomes the best of all of `from`. Pairs of neighbours
  // are combined first, then pairs of these, so that of several NaNs the last one on the path stays, as in a
  // scan.
  __aicore__ inline void Reduce(const Tile &to, const Tile &from, const ScanPath &path) {
    const uint32_t width = path.width;
    const bool scratch_limits = kPlanes > 1 && elements_ < kMaxRepeats * kRepeat;
    const uint32_t most = scratch_limits ? elements_ / kRepeat : kMaxRepeats;
    const uint8_t row = static_cast<uint8_t>(width / kKeyBlock), pair = static_cast<uint8_t>(2 * row);
    Tile source = from;
    for (uint32_t n = path.positions; n > 1; n -= n / 2) {
      const uint32_t pairs = n / 2;
      for (uint32_t begin = 0; begin < pairs; begin += most) {
        for (uint32_t lane = 0; lane < width; lane += kRepeat) {
          const uint32_t low = 2 * begin * width + lane, high = low + width;
          Combine(to.At(begin * width + lane), source.At(path.reverse ? low : high),
                  source.At(path.reverse ? high : low), true, MinRemaining(width - lane, kRepeat),
                  MinRemaining(pairs - begin, most), {1, 1, 1, row, pair, pair});
        }
      }
      if (n % 2 > 0) Copy(to.At(pairs * width), source.At((n - 1) * width), width);
      source = to;
    }
    if (path.positions == 1) Copy(to, from, width);
  }

  // Copies the position `from` to all positions of `to`.
  static __aicore__ inline void Broadcast(const Tile &to, const Tile &from, const ScanPath &path) {
    const uint8_t row = static_cast<uint8_t>(path.width / kKeyBlock);
    for (uint32_t begin = 0; begin < path.positions; begin += kMaxRepeats) {
      for (uint32_t lane = 0; lane < path.width; lane += kRepeat) {
        CopyRepeats(to.At(begin * path.width + lane), from.At(lane), MinRemaining(path.width - lane, kRepeat),
                    MinRemaining(path.positions - begin, kMaxRepeats), {1, 1, 1, row, 0, 0});
      }
    }
  }

  // The position `to` becomes the best of itself and `other`.
  __aicore__ inline void Join(const Tile &to, const Tile &other, uint32_t width) {
    CombinePosition(to, to, other, true, width);
  }

  static __aicore__ inline void Copy(const Tile &to, const Tile &from, uint32_t count) {
    for (uint32_t p = 0; p < kPlanes; ++p) {
      Best::Apply(to.Plane(p), from.Plane(p), from.Plane(p), static_cast<int32_t>(count));
    }
  }

 private:
  // Scans each run by itself, all of them at the same time. The first position of a run is copied.
  __aicore__ inline void StepWithinRuns(const Tile &to, const Tile &from, const ScanPath &path) {
    const uint32_t n = path.positions, width = path.width, run = path.run;
    const uint8_t stride = static_cast<uint8_t>(run * width / kKeyBlock);
    const AscendC::BinaryRepeatParams params(1, 1, 1, stride, stride, stride);
    for (uint32_t i = 0; i < run; ++i) {
      // The last run may be shorter than i.
      const uint32_t runs = (n - i + run - 1) / run;
      const uint32_t low = path.reverse ? n - 1 - i - (runs - 1) * run : i;
      for (uint32_t lane = 0; lane < width; lane += kRepeat) {
        const uint32_t at = low * width + lane, before = path.reverse ? at + width : at - width;
        const uint32_t lanes = MinRemaining(width - lane, kRepeat);
        if (i == 0) {
          CopyRepeats(to.At(at), from.At(at), lanes, runs, params);
        } else {
          Combine(to.At(at), from.At(at), to.At(before), false, lanes, runs, params);
        }
      }
    }
  }

  // Run by run, all positions take over what the run before ends with, the first run `carry` if `carried`.
  __aicore__ inline void JoinRuns(const Tile &to, const Tile &carry, bool carried, const ScanPath &path) {
    const uint32_t n = path.positions, width = path.width, run = path.run, runs = (n + run - 1) / run;
    const uint8_t row = static_cast<uint8_t>(width / kKeyBlock);
    for (uint32_t r = carried ? 0 : 1; r < runs; ++r) {
      const uint32_t begin = r * run, length = MinRemaining(n - begin, run);
      const uint32_t low = path.reverse ? n - begin - length : begin;
      const uint32_t end_before = path.reverse ? n - begin : begin - 1;
      for (uint32_t lane = 0; lane < width; lane += kRepeat) {
        const auto at = to.At(low * width + lane);
        Combine(at, at, r == 0 ? carry.At(lane) : to.At(end_before * width + lane), true,
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

  // One position of any width: `to` becomes the best of a and b.
  __aicore__ inline void CombinePosition(const Tile &to, const Tile &a, const Tile &b, bool in_place,
                                         uint32_t width) {
    if constexpr (kPlanes == 1) {
      Best::Apply(to.data, a.data, b.data, static_cast<int32_t>(width));
    } else {
      const AscendC::BinaryRepeatParams dense(1, 1, 1, 8, 8, 8);
      const uint32_t whole = width / kRepeat;
      if (whole > 0) Combine(to, a, b, in_place, kRepeat, whole, dense);
      const uint32_t at = whole * kRepeat;
      if (at < width) Combine(to.At(at), a.At(at), b.At(at), in_place, width - at, 1, dense);
    }
  }

  // `repeats` repeats of `lanes` keys: `to` becomes the best of a and b. in_place: `to` may be a or b, or lie
  // before them.
  __aicore__ inline void Combine(const Tile &to, const Tile &a, const Tile &b, bool in_place, uint64_t lanes,
                                 uint32_t repeats, const AscendC::BinaryRepeatParams &params) {
    const uint8_t count = static_cast<uint8_t>(repeats);
    if constexpr (kPlanes == 1) {
      Best::Apply(to.data, a.data, b.data, lanes, count, params);
    } else {
      CombinePlanes(to, a, b, in_place, lanes, count, params);
    }
  }

  // The first plane is compared. The second plane of an element counts only where its first plane is the
  // best; elsewhere the worst key stands in for it.
  __aicore__ inline void CombinePlanes(const Tile &to, const Tile &a, const Tile &b, bool in_place,
                                       uint64_t lanes, uint8_t count, const AscendC::BinaryRepeatParams &p) {
    using Params = AscendC::BinaryRepeatParams;
    constexpr auto kEqual = AscendC::CMPMODE::EQ;
    constexpr auto kScalar = AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE;
    const float worst = FloatWithBits(Best::kWorst);
    const auto second = scratch_.template Get<Key>();
    const auto first = in_place ? second[elements_] : to.Plane(0);
    const uint8_t first_stride = in_place ? 8 : p.dstRepStride;
    const auto a_counts = bits_.template Get<uint8_t>(),
               b_counts = a_counts[RoundUp(elements_ / 8, kBlockBytes)];
    Best::Apply(first, a.Plane(0), b.Plane(0), lanes, count,
                Params(1, 1, 1, first_stride, p.src0RepStride, p.src1RepStride));
    AscendC::Compare(a_counts, first, a.Plane(0), kEqual, lanes, count,
                     Params(1, 1, 1, 8, first_stride, p.src0RepStride));
    AscendC::Compare(b_counts, first, b.Plane(0), kEqual, lanes, count,
                     Params(1, 1, 1, 8, first_stride, p.src1RepStride));
    AscendC::Select(second.template ReinterpretCast<float>(), a_counts,
                    a.Plane(1).template ReinterpretCast<float>(), worst, kScalar, lanes, count,
                    Params(1, 1, 1, 8, p.src0RepStride, 8));
    AscendC::Select(to.Plane(1).template ReinterpretCast<float>(), b_counts,
                    b.Plane(1).template ReinterpretCast<float>(), worst, kScalar, lanes, count,
                    Params(1, 1, 1, p.dstRepStride, p.src1RepStride, 8));
    Best::Apply(to.Plane(1), to.Plane(1), second, lanes, count,
                Params(1, 1, 1, p.dstRepStride, p.dstRepStride, 8));
    if (in_place) Best::Apply(to.Plane(0), first, first, lanes, count, Params(1, 1, 1, p.dstRepStride, 8, 8));
  }

  static constexpr uint32_t kKeyBlock = ScanLayout::kKeyBlock;
  static constexpr uint32_t kMaxRepeats = 255;  // of an instruction

  AscendC::TBuf<AscendC::TPosition::VECCALC> scratch_;  // a plane for second planes, and one for first planes
  AscendC::TBuf<AscendC::TPosition::VECCALC> bits_;     // where a counts, and where b counts
  uint32_t elements_ = 0;                               // of a plane of scratch_
};

// Sets the bits of the elements of `input` that lead in `values`, the scan of `input`: they are equal to
// their value, or NaN. second: whether there is a second plane. scratch: as large as `bits`.
template <typename Key>
__aicore__ inline void MarkLeaders(const AscendC::LocalTensor<uint8_t> &bits,
                                   const AscendC::LocalTensor<uint8_t> &scratch, const PlaneTile<Key> &input,
                                   const PlaneTile<Key> &values, bool second, uint32_t count) {
  constexpr auto kEqual = AscendC::CMPMODE::EQ;
  const auto words = bits.template ReinterpretCast<uint16_t>(),
             more = scratch.template ReinterpretCast<uint16_t>();
  const int32_t word_count = static_cast<int32_t>(count / 16);
  AscendC::Compare(bits, input.Plane(0), values.Plane(0), kEqual, count);
  if constexpr (!std::is_same_v<Key, int32_t>) {
    AscendC::Compare(scratch, input.Plane(0), input.Plane(0), kEqual, count);
    AscendC::Not(more, more, word_count);
    AscendC::Or(words, words, more, word_count);
  } else if (second) {
    AscendC::Compare(scratch, input.Plane(1), values.Plane(1), kEqual, count);
    AscendC::And(words, words, more, word_count);
  }
}

// Copies the numbers of the elements that lead; elsewhere writes the least int32, which stays below 0 when
// the begin of a piece is added. Select takes float and half alone, but it only moves bits.
__aicore__ inline void KeepLeaders(const AscendC::LocalTensor<int32_t> &kept,
                                   const AscendC::LocalTensor<uint8_t> &bits,
                                   const AscendC::LocalTensor<int32_t> &numbers, uint32_t count) {
  AscendC::Select(kept.ReinterpretCast<float>(), bits, numbers.ReinterpretCast<float>(),
                  FloatWithBits(Larger::kWorst), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
}

}  // namespace avo
