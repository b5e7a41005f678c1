// SPDX-License-Identifier: Apache-2.0
// ArgMax along the last axis of many short lines: each line becomes a lane. Lines follow each other in memory
// without gaps, but a transposition takes rows from whole data blocks. Lines that begin at the same offset in
// their data block form a group; two neighbours in a group are `apart` lines from each other. The kernel
// transposes a group at a time. For lines of 6 keys, and data blocks of 8, `apart` is 4:
//
//   memory        |aaaaaabb|bbbbcccc|ccdddddd|eeeeeeff|ffffgggg|gghhhhhh|…
//   group 0       a, e, …      offset 0
//   group 1       b, f, …      offset 6, so the transposition begins 6 keys before them
//   group 2       c, g, …      offset 4
//   group 3       d, h, …      offset 2
//
//   slots         position 0   a0 e0 … | b0 f0 … | c0 g0 … | d0 h0 …      GroupLanes() lanes each
//                 position 1   a1 e1 … | b1 f1 … | c1 g1 … | d1 h1 …
//
// What a transposition takes besides a line falls into the data block of positions before, or behind, those
// of the line.
#pragma once

#include "../common/vectors/lanes.h"
#include "argmax_tiles.h"
#include "slot_argmax.h"

namespace avo {

template <typename T, typename I>
class ShortLines : ArgmaxTiles<T, I> {
  using Tiles = ArgmaxTiles<T, I>;
  using Key = typename KeyPlanes<T>::Key;
  static constexpr uint32_t kPlanes = KeyPlanes<T>::kPlanes;
  static constexpr uint32_t kKeyBlock = ArgmaxFormat::kKeyBlock;

 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR, const ArgmaxTiling &tiling,
                              AscendC::TPipe *pipe) {
    const ShortLinesBuffers buffers(tiling, Tiles::kFormat);
    elements_ = ShortLinesBuffers::Elements(tiling, Tiles::kFormat);
    group_lanes_ = ShortLinesBuffers::GroupLanes(tiling);
    this->InitTiles(in, tiling, buffers.tiles, elements_, pipe);
    largest_.Init(buffers.largest, static_cast<uint32_t>(tiling.length), tiling.pitch, tiling.last != 0,
                  pipe);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(out), tiling.outer);
    pipe->InitBuffer(slots_buffer_, buffers.slots.bytes);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    pipe->InitBuffer(indices_, buffers.indices.bytes);
    pipe->InitBuffer(transposed_, buffers.transposed.bytes);
    slots_.keys = slots_buffer_.template Get<Key>();
    slots_.plane = ShortLinesBuffers::PlaneKeys(tiling);
    // Instructions compute lanes without lines too.
    AscendC::Duplicate(slots_.keys, Key(0), static_cast<int32_t>(kPlanes * slots_.plane));
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const uint32_t length = static_cast<uint32_t>(t.length);
    const Share share = CoreShare(t.outerTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t first = item * t.tileOuter;
      const uint32_t lines = TileExtent(first, t.tileOuter, t.outer);
      auto tile = this->in_queue_.template AllocTensor<T>();
      CopyRowsIn(tile, lines * length, this->in_gm_, first * length, 0, 1, lines * length);
      tile = this->Load(tile, elements_);
      for (uint32_t p = 0; p < kPlanes; ++p) LinesToLanes(p, lines);
      this->in_queue_.FreeTensor(tile);
      CopyOut(largest_.Find(StoredPlanes<Key>{slots_.keys[kKeyBlock * t.pitch], slots_.plane}), first, lines);
    }
  }

 private:
  // Transposes the first `lines` lines of the tile, group by group.
  __aicore__ inline void LinesToLanes(uint32_t plane, uint32_t lines) {
    const auto &t = this->t_;
    const uint32_t length = static_cast<uint32_t>(t.length);
    const auto keys = this->keys_.Plane(plane).template ReinterpretCast<float>();
    const auto slots = slots_.Plane(plane).template ReinterpretCast<float>();
    TransposeBarrier();
    for (uint32_t group = 0; group < t.apart && group < lines; ++group) {
      const uint32_t count = (lines - group + t.apart - 1) / t.apart;
      for (uint32_t lane = 0; lane < count; lane += kLanes) {
        const uint32_t begin = (group + lane * t.apart) * length, offset = begin % kKeyBlock;
        GroupToSlots(slots[(kKeyBlock - offset) * t.pitch + group * group_lanes_ + lane], t.pitch,
                     keys[begin - offset], t.apart * length, count - lane < kLanes ? count - lane : kLanes,
                     offset + length);
      }
    }
    TransposeBarrier();
  }

  // Stores indices in the order of lines. Lanes lie group behind group. A transposition puts the first lines
  // of all groups side by side, then the second lines. GatherMask takes the gaps out:
  //
  //   lanes        a e … | b f … | c g … | d h …
  //   transposed   a b c d . . . . | e f g h . . . . | …
  //   stored       a b c d e f g h …
  __aicore__ inline void CopyOut(AscendC::LocalTensor<int32_t> indices, int64_t first, uint32_t lines) {
    const auto &t = this->t_;
    if (t.apart > 1) {
      const auto transposed = transposed_.template Get<int32_t>();
      RowsToSlots(transposed.template ReinterpretCast<float>(), kLanes,
                  indices.template ReinterpretCast<float>(), group_lanes_, t.apart, group_lanes_);
      indices = indices_.template Get<int32_t>();
      uint64_t kept = 0;
      constexpr uint8_t kAll = 7;  // pattern of GatherMask
      AscendC::GatherMask(indices, transposed, kAll, true, t.apart,
                          {1, static_cast<uint16_t>(group_lanes_), kSlotBlocks, 0}, kept);
    }
    auto out = out_queue_.template AllocTensor<I>();
    Tiles::ToIndexType(out, indices, lines);
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<I>();
    CopyRowsOut(out_gm_, first, lines, out, lines, 1, lines);
    out_queue_.FreeTensor(out);
  }

  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> slots_buffer_, indices_, transposed_;
  AscendC::GlobalTensor<I> out_gm_;
  SlotArgmax<T> largest_;
  StoredPlanes<Key> slots_;  // of lines as lanes
  uint32_t elements_;        // of a tile
  uint32_t group_lanes_;     // from group to group
};

}  // namespace avo
