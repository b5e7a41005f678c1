// SPDX-License-Identifier: Apache-2.0
// How Pad splits its rows, as CANN's own kernel functions read it out of the tiling.
#pragma once

#include <cstdint>

#include "row_functions.h"

namespace sim {

// What one transposition of 16 blocks takes of the work memory, which has two halves.
constexpr uint32_t kTransposedBytes = 16 * 32;

// Rows of whole blocks: 255 rows at a time, and the last block of each row apart.
template <typename Tiling>
void SplitPad(Tiling &t, const Matrix &matrix, uint32_t filled_columns, uint32_t type_bytes) {
  constexpr uint32_t kRowsAtATime = 255;
  t.srcHeight = matrix.rows;
  t.srcWidth = matrix.columns;
  t.srcOriWidth = filled_columns;
  const uint32_t block = 32 / type_bytes;
  t.widthWithoutLastBlock = matrix.columns - block;
  t.blocksPerRow = RoundUp(matrix.columns, block) / block;
  t.heightTiling = kRowsAtATime;
  t.heightFractal = matrix.rows / kRowsAtATime;
  t.heightFractalTail = matrix.rows % kRowsAtATime;
  t.mainLoopOffset = kRowsAtATime * matrix.columns;
  t.tailBlockOffset = t.heightFractal * t.mainLoopOffset + t.widthWithoutLastBlock;
}

// Rows that end within a block: as many elements at a time as half of the work memory has blocks.
template <typename Tiling>
void SplitPadOfParts(Tiling &t, uint32_t work_bytes, uint32_t type_bytes) {
  constexpr uint32_t kRepeats = 254;  // 255 times 8 elements are no whole blocks of half
  const uint32_t parts = work_bytes / (2 * kTransposedBytes);
  const uint32_t elements = 16 * parts;
  t.tmpBuffer1BlockNum = parts;
  t.tmpBuffer1RowNum = t.widthTiling = t.brcbTiling = elements;
  t.tmpBuffer2Offset = parts * kTransposedBytes / type_bytes;
  t.widthFractal = t.srcWidth / elements;
  t.widthFractalTail = t.srcWidth % elements;
  t.widthFractalTailAlingned = RoundUp(t.widthFractalTail, 32 / type_bytes);
  const uint32_t all = t.srcHeight * t.srcWidth;
  t.brcbFractal = all / elements;
  t.brcbFractalTail = all % elements;
  t.maxRepeatTimes = kRepeats;
  t.brcbTilingRepeatTimes = elements / 8 / kRepeats;
  t.brcbTilingRepeatTimesTail = elements / 8 % kRepeats;
  t.brcbFractalTailRepeatTimes = t.brcbFractalTail / 8 / kRepeats;
  t.brcbFractalTailRepeatTimesTail = t.brcbFractalTail / 8 % kRepeats;
}

}  // namespace sim
