// SPDX-License-Identifier: Apache-2.0
// Suppresses boxes that lie sorted in GM, a band of them at a time:
//   1. All cores compare the band with the boxes that earlier bands have kept. A box that one of these
//      suppresses leaves the band. The others are packed; they are called alive.
//   2. All cores compare the boxes alive with each other, and store a bit for each pair in GM.
//   3. Core 0 walks through these bits (greedy_walk.h) and appends the boxes it keeps to those in GM. The
//      other cores meanwhile do step 1 for the next band, as far as boxes are known to be kept:
//
//   core 0    | 1 and 2 of band i | 3 of band i                    | 1 of band i + 1, for what band i | 2 …
//   others    | 1 and 2 of band i | 1 of band i + 1, for the rest  | has kept                         | 2 …
//
// Cores share the tiles t0, t1, … of steps 1 and 2 evenly, however few boxes are kept. The rows of a tile are
// boxes of the band (overlap_bits.h):
//
//   step 1    kept boxes, 64 a tile         step 2    boxes alive, 64 a tile
//   rows      [ t0 ][ t1 ][ t2 ][ t3 ]      rows      [ t0 ]
//   rows      [ t4 ][ t5 ][ t6 ][ t7 ]      rows      [ t1 ][ t2 ]          only better boxes suppress a row
//   rows      [ t8 ] …                      rows      [ t3 ][ t4 ][ t5 ]
//
// The kept boxes of a band start at a multiple of 64 lanes in GM. The lanes between two bands hold NaN, which
// suppresses nothing.
#pragma once

#include "../common/vectors/bits.h"
#include "band_suppression_buffers.h"
#include "greedy_walk.h"
#include "nms_padded_tiling.h"

namespace avo {

template <bool CLASSES>
class BandSuppression {
 public:
  __aicore__ inline void Init(GM_ADDR workspace, const NmsPaddedTiling &tiling, AscendC::TPipe *pipe) {
    tiling_ = tiling;
    pipe_ = pipe;
    sorted_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.sorted));
    kept_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.kept));
    masks_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ uint16_t *>(workspace + tiling.masks));
    words_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ uint16_t *>(workspace + tiling.words));
    state_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(workspace + tiling.state), kStates);
    InitBuffers();
    overlaps_.Init({iou_.template Get<float>(), work_.template Get<float>()[kHalfBanks],
                    column_.template Get<float>(), class_bits_.template Get<uint8_t>(), tiling.rows,
                    tiling.offset, tiling.iouThreshold, tiling.ratio});
    // Tiles are not in use during the walk.
    const auto next_words = work_.template Get<uint16_t>()[kWalkWork * sizeof(uint32_t) / sizeof(uint16_t)];
    walk_.Init({{iou_.template Get<uint16_t>(), next_words},
                suppressed_.template Get<uint16_t>(),
                better_masks_.template Get<uint16_t>(),
                suppressors_.template Get<uint16_t>(),
                kept_word_.template Get<uint16_t>(),
                work_.template Get<uint32_t>()},
               words_gm_, tiling.band, pipe);
  }

  // Decides boxes [begin, sorted), or as many as it takes to keep tiling.most, and stores the indices of
  // those it keeps. The boxes before have been decided by another object, of which GM has the state.
  template <typename Results>
  __aicore__ inline void Process(int64_t begin, int64_t sorted, Results &results) {
    if (begin > 0) LoadState();
    const int64_t others = AscendC::GetBlockNum() - 1;
    const bool walks = AscendC::GetBlockIdx() == 0;
    int64_t compared = 0;  // kept lanes that the other cores have compared with the band in hand
    bool loaded = false;
    for (; begin < sorted && kept_ < tiling_.most; begin += tiling_.band) {
      if (!loaded) LoadBand(begin, sorted);
      const uint32_t alive = SuppressByKept(compared);
      CompareWithin(alive);
      WaitForCores();
      loaded = !walks && begin + tiling_.band < sorted;
      compared = others > 0 ? kept_lanes_ : 0;
      if (walks) {
        KeepBest(alive, results);
      } else if (loaded) {
        LoadBand(begin + tiling_.band, sorted);
        CompareWithKept(0, compared, others, AscendC::GetBlockIdx() - 1);
      }
      WaitForCores();
      LoadState();
    }
  }

  // Whether as many boxes are kept as are wanted.
  __aicore__ inline bool IsFull() const { return kept_ >= tiling_.most; }

  // Stores what follows the indices, when no more boxes are decided.
  template <typename Results>
  __aicore__ inline void StoreRest(Results &results) {
    results.StoreCount(kept_, state_.template Get<int32_t>());
    results.FillBehind(kept_, iou_.template Get<int32_t>(), tiling_.rows * kBoxLanes);
  }

 private:
  static constexpr uint32_t kPlanes = CLASSES ? kClassPlanes : kSortedPlanes;
  static constexpr uint32_t kHalfBanks = BandBuffers::kBankBytes / 2 / sizeof(float);
  static constexpr uint32_t kWalkWork = 4 * kBoxLanes;  // elements of `work` that the walk takes
  static constexpr uint32_t kRowGroup = 8;              // rows that one repeat of Brcb spreads

  // What core 0 tells the others after each band.
  enum State : uint32_t { kKept, kKeptLanes, kStates = 8 };

  __aicore__ inline void InitBuffers() {
    const auto cores = static_cast<uint64_t>(AscendC::GetBlockNum());
    const BandBuffers buffers(tiling_.band, tiling_.rows, tiling_.lanes, cores, CLASSES);
    pipe_->InitBuffer(iou_, buffers.iou.bytes);
    pipe_->InitBuffer(band_, buffers.band.bytes);
    pipe_->InitBuffer(alive_, buffers.alive.bytes);
    pipe_->InitBuffer(work_, buffers.work.bytes);
    pipe_->InitBuffer(column_, buffers.column.bytes);
    pipe_->InitBuffer(paired_, buffers.paired.bytes);
    pipe_->InitBuffer(lanes_, buffers.lanes.count, buffers.lanes.bytes);
    pipe_->InitBuffer(bits_, buffers.bits.count, buffers.bits.bytes);
    pipe_->InitBuffer(class_bits_, buffers.class_bits.bytes);
    pipe_->InitBuffer(suppressed_, buffers.suppressed.bytes);
    pipe_->InitBuffer(masks_, buffers.masks.bytes);
    pipe_->InitBuffer(better_masks_, buffers.better_masks.bytes);
    pipe_->InitBuffer(suppressors_, buffers.suppressors.bytes);
    pipe_->InitBuffer(kept_word_, buffers.kept_word.bytes);
    pipe_->InitBuffer(state_, buffers.state.bytes);
  }

  __aicore__ inline BoxPlanes Band() { return {band_.template Get<float>(), tiling_.band}; }
  __aicore__ inline BoxPlanes Alive() { return {alive_.template Get<float>(), tiling_.band}; }

  // Loads the band that starts at box `begin`; so far, no box is known to suppress one of it.
  __aicore__ inline void LoadBand(int64_t begin, int64_t sorted) {
    count_ = MinRemaining(sorted - begin, tiling_.band);
    AscendC::Duplicate(Band().planes, 0.0f, kPlanes * tiling_.band);
    AscendC::Duplicate(suppressed_.template Get<uint16_t>(), static_cast<uint16_t>(0),
                       tiling_.band * kWordHalves);
    WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
    CopyRowsIn(Band().planes, tiling_.band, sorted_gm_, begin, tiling_.pitch, kPlanes, count_);
    WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
  }

  // Packs the boxes of the band that no kept box suppresses, and returns how many these are. The first
  // `compared` kept lanes have been compared already.
  __aicore__ inline uint32_t SuppressByKept(int64_t compared) {
    auto mask = masks_.template Get<uint16_t>();
    if (kept_lanes_ > 0) {
      CompareWithKept(compared, kept_lanes_, AscendC::GetBlockNum(), AscendC::GetBlockIdx());
      CombineMasks();
    } else {
      AscendC::Duplicate(mask, static_cast<uint16_t>(0xffff), tiling_.band / 16);
    }
    return Pack(Alive(), Band(), mask, count_);
  }

  // Packs those of the first `count` boxes whose bit is set and returns their number. Behind them it leaves
  // NaN, which neither suppresses nor is suppressed.
  __aicore__ inline uint32_t Pack(const BoxPlanes &to, const BoxPlanes &from,
                                  const AscendC::LocalTensor<uint16_t> &mask, uint32_t count) {
    AscendC::Duplicate(to.planes, __builtin_nanf(""), kPlanes * tiling_.band);
    uint32_t packed = 0;
    for (uint32_t plane = 0; plane < kPlanes && count > 0; ++plane) {
      packed = PackMarked(to[plane], from[plane], mask, count);
    }
    return packed;
  }

  // Marks the boxes of the band that kept lanes [from, to) suppress. This core compares share `core` of
  // `cores` shares of the tiles, row of tiles by row of tiles.
  __aicore__ inline void CompareWithKept(int64_t from, int64_t to, int64_t cores, int64_t core) {
    const int64_t first_group = from / kBoxLanes;
    const uint32_t groups = static_cast<uint32_t>((to - from) / kBoxLanes);
    const uint32_t columns = (count_ + tiling_.rows - 1) / tiling_.rows;
    const Share share = ShareOf(static_cast<int64_t>(columns) * groups, cores, core);
    for (int64_t tile = share.begin; tile < share.end;) {
      const uint32_t first = static_cast<uint32_t>(tile / groups) * tiling_.rows;
      const uint32_t rows = RoundUp(MinRemaining(count_ - first, tiling_.rows), kRowGroup);
      const int64_t row_end = tile - tile % groups + groups;
      overlaps_.SetColumn(Band().From(first), rows);
      for (const int64_t end = row_end < share.end ? row_end : share.end; tile < end;) {
        const uint32_t tiles = MinRemaining(end - tile, tiling_.lanes / kBoxLanes);
        CompareWithLanes(first_group + tile % groups, tiles, first, rows);
        tile += tiles;
      }
    }
  }

  // Loads `groups` groups of 64 kept boxes from group `group` on, and adds the bits of those that suppress
  // one of `rows` boxes of the band from `first` on to the words of these boxes.
  __aicore__ inline void CompareWithLanes(int64_t group, uint32_t groups, uint32_t first, uint32_t rows) {
    auto words = suppressed_.template Get<uint16_t>()[first * kWordHalves];
    auto lanes = lanes_.template AllocTensor<float>();
    CopyRowsIn(lanes, tiling_.lanes, kept_gm_, group * kBoxLanes, tiling_.keptPitch, kPlanes,
               groups * kBoxLanes);
    lanes_.EnQue(lanes);
    lanes = lanes_.template DeQue<float>();
    for (uint32_t i = 0; i < groups; ++i) {
      auto bits = bits_.template AllocTensor<uint16_t>();
      Compare(bits, BoxPlanes{lanes, tiling_.lanes}.From(i * kBoxLanes));
      AscendC::Or(words, words, bits, rows * kWordHalves);
      bits_.FreeTensor(bits);
    }
    lanes_.FreeTensor(lanes);
  }

  // Compares the rows in hand with 64 lanes.
  __aicore__ inline void Compare(const AscendC::LocalTensor<uint16_t> &bits, const BoxPlanes &lanes) {
    const PairedPlanes paired{paired_.template Get<float>(), kBoxLanes, 0};
    overlaps_.Pair(paired, lanes, kBoxLanes);
    overlaps_.Compare(bits, paired);
  }

  // Exchanges the masks of all cores: a box stays alive where no core found a kept box that suppresses it.
  __aicore__ inline void CombineMasks() {
    const uint32_t elements = tiling_.band / 16, cores = AscendC::GetBlockNum();
    // In GM the masks follow each other. In UB each mask starts at a data block. Where a mask fills whole
    // data blocks, both layouts are the same, and all masks are loaded as one row.
    const uint32_t pitch = BandBuffers::MaskBytes(tiling_.band) / sizeof(uint16_t);
    const uint32_t rows = pitch == elements ? 1 : cores, row = cores * pitch / rows;
    auto masks = masks_.template Get<uint16_t>();
    FindZeroWords(masks, suppressed_.template Get<uint16_t>(), work_.template Get<uint32_t>(), tiling_.band);
    WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
    CopyRowsOut(masks_gm_, AscendC::GetBlockIdx() * elements, elements, masks, elements, 1, elements);
    WaitForCores();
    CopyRowsIn(masks, row, masks_gm_, 0, elements, rows, cores * elements / rows);
    WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    for (uint32_t left = cores; left > 1;) {
      const uint32_t half = left / 2;
      left -= half;
      AscendC::And(masks, masks, masks[left * pitch], half * pitch);
    }
  }

  // Compares this core's share of the tiles of step 2 and stores their words in GM, a row of words for each
  // group of 64 boxes.
  __aicore__ inline void CompareWithin(uint32_t count) {
    const uint32_t whole = RoundUp(count, kBoxLanes);
    int64_t tiles = 0;
    for (uint32_t first = 0; first < whole; first += tiling_.rows) tiles += GroupsBefore(first, whole);
    const Share share = CoreShare(tiles);
    int64_t tile = 0;
    for (uint32_t first = 0; first < whole && tile < share.end; first += tiling_.rows) {
      const uint32_t groups = GroupsBefore(first, whole), rows = MinRemaining(whole - first, tiling_.rows);
      if (tile + groups > share.begin) overlaps_.SetColumn(Alive().From(first), rows);
      for (uint32_t group = 0; group < groups; ++group, ++tile) {
        if (tile < share.begin || tile >= share.end) continue;
        auto bits = bits_.template AllocTensor<uint16_t>();
        Compare(bits, Alive().From(group * kBoxLanes));
        bits_.EnQue(bits);
        bits = bits_.template DeQue<uint16_t>();
        const int64_t place = (static_cast<int64_t>(group) * tiling_.band + first) * kWordHalves;
        CopyRowsOut(words_gm_, place, 0, bits, rows * kWordHalves, 1, rows * kWordHalves);
        bits_.FreeTensor(bits);
      }
    }
  }

  // Returns how many groups of 64 boxes begin before the last row of the tiles whose first row is `first`.
  __aicore__ inline uint32_t GroupsBefore(uint32_t first, uint32_t whole) {
    return (MinRemaining(whole, first + tiling_.rows) + kBoxLanes - 1) / kBoxLanes;
  }

  // Walks through the first `count` boxes alive, packs those that are kept into the band, and appends them to
  // the kept boxes and to the results, as far as there is room for results.
  template <typename Results>
  __aicore__ inline void KeepBest(uint32_t count, Results &results) {
    walk_.Run(masks_.template Get<uint64_t>(), count);
    count = Pack(Band(), Alive(), masks_.template Get<uint16_t>(), count);
    const uint32_t stored = MinRemaining(tiling_.most - kept_, count), lanes = RoundUp(count, kBoxLanes);
    auto state = state_.template Get<int32_t>();
    for (uint32_t i = 0; i < kStates; ++i) state.SetValue(i, 0);
    state.SetValue(kKept, static_cast<int32_t>(kept_ + stored));
    state.SetValue(kKeptLanes, static_cast<int32_t>(kept_lanes_ + lanes));
    const auto indices = results.HalvesOf(Band()[kIndex].template ReinterpretCast<int32_t>(),
                                          work_.template Get<typename Results::Index>(), count);
    WaitFor<AscendC::HardEvent::S_MTE3>(pipe_);
    WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
    CopyRowsOut(state_gm_, 0, 0, state, kStates, 1, kStates);
    if (count == 0) return;
    CopyRowsOut(kept_gm_, kept_lanes_, tiling_.keptPitch, Band().planes, tiling_.band, kPlanes, lanes);
    results.StoreIndices(indices, kept_, stored);
  }

  __aicore__ inline void LoadState() {
    auto state = state_.template Get<int32_t>();
    CopyRowsIn(state, kStates, state_gm_, 0, 0, 1, kStates);
    WaitFor<AscendC::HardEvent::MTE2_S>(pipe_);
    kept_ = state.GetValue(kKept);
    kept_lanes_ = state.GetValue(kKeptLanes);
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> iou_, band_, alive_, work_, column_, paired_, class_bits_,
      suppressed_, masks_, better_masks_, suppressors_, kept_word_, state_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> lanes_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> bits_;
  AscendC::GlobalTensor<float> sorted_gm_, kept_gm_;
  AscendC::GlobalTensor<uint16_t> masks_gm_, words_gm_;
  AscendC::GlobalTensor<int32_t> state_gm_;
  OverlapBits<CLASSES> overlaps_;
  GreedyWalk walk_;
  AscendC::TPipe *pipe_;
  NmsPaddedTiling tiling_;
  uint32_t count_ = 0;      // boxes of the band in hand
  int64_t kept_ = 0;        // boxes that are kept, and stored as results
  int64_t kept_lanes_ = 0;  // lanes of GM that they take
};

}  // namespace avo
