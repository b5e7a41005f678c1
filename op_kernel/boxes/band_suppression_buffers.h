// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/memory/buffers.h"
#include "box_planes.h"

namespace avo {

constexpr uint64_t kWordBoxes = 64;  // boxes of a word, which has a bit for each

// What BandSuppression puts into UB. The order of the buffers matters: it puts the tiles `iou` and `work`
// into different banks (iou.h).
struct BandBuffers {
  Buffer iou;     // float32: overlaps of a tile, rows x 64; words of pairs while the band is walked through
  Buffer band;    // float32: planes of the band's boxes
  Buffer alive;   // float32: planes of those that no kept box suppresses
  Buffer work;    // two tiles for intermediate results, behind half of all bank groups; words of pairs too
  Buffer column;  // a data block for each row and plane that is compared
  Buffer paired;  // float32: planes of 64 lanes, two by two
  Buffer lanes;   // queue of planes of kept boxes
  Buffer bits;    // queue of words, one for each row of a tile
  Buffer class_bits;    // words of the same shape: which pairs have equal classes
  Buffer suppressed;    // a word for each box of the band: the better boxes that suppress it
  Buffer masks;         // for each core a bit for each box of the band
  Buffer better_masks;  // 64 words: word i has the bits of the boxes before box i
  Buffer suppressors;   // two times 64 words: what suppresses the boxes of a group
  Buffer kept_word;     // a data block of equal words
  Buffer state;         // int32: what core 0 tells the others

  // band: boxes of a band; rows: boxes of a tile's column; lanes: kept boxes in UB at a time; cores: how many
  // take part.
  __aicore__ BandBuffers(uint64_t band, uint64_t rows, uint64_t lanes, uint64_t cores, bool classes)
      : iou{1, TileBytes(rows)},
        band{1, SortedPlanesOf(classes) * band * 4},
        alive{1, SortedPlanesOf(classes) * band * 4},
        work{1, 2 * TileBytes(rows) + kBankBytes / 2},
        column{1, SortedPlanesOf(classes) * rows * 32},
        paired{1, SortedPlanesOf(classes) * kWordBoxes * 4},
        lanes{2, SortedPlanesOf(classes) * lanes * 4},
        bits{2, rows * 8},
        class_bits{1, rows * 8},
        suppressed{1, band * 8},
        masks{1, cores * MaskBytes(band) + kWordBoxes / 8},
        better_masks{1, kWordBoxes * 8},
        suppressors{1, 2 * kWordBoxes * 8},
        kept_word{1, 32},
        state{1, 32} {}

  static constexpr uint64_t kBankBytes = 512;  // one round over all bank groups of UB

  // Bytes of a mask with a bit for each box of a band, in whole data blocks.
  static __aicore__ uint64_t MaskBytes(uint64_t band) { return (band / 8 + 31) / 32 * 32; }
  static __aicore__ uint64_t TileBytes(uint64_t rows) { return rows * kWordBoxes * 4; }
};

}  // namespace avo
