// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Positions are fixed-point: i * step + offset, with step = whole + high / 2^32 + low / 2^64 = part0 + part1
// + part2 (op_host/resample/linear_scale.h).
struct UpsampleLinear1dBackwardTiling {
  int64_t rows;           // N * C
  int64_t inLength;       // L, of the gradient computed
  int64_t outLength;      // output_size[0], of the gradient given
  int64_t rowGroups;      // tiles across the rows
  int64_t lengthTiles;    // tiles along a row
  uint32_t tileRows;      // rows of a tile
  uint32_t tileUnits;     // of a tile; phases: periods; gather: inputs of a row; copy: elements
  uint32_t inRow;         // elements between the rows of a tile of given gradients in UB
  uint32_t outRow;        // elements between the rows of a tile of computed gradients in UB
  uint32_t inStep;        // phases: inputs of a period
  uint32_t outStep;       // phases: outputs of a period
  uint32_t inPitch;       // phases: positions from plane to plane of gradient lanes
  uint32_t outPitch;      // phases: positions from plane to plane of sum lanes
  uint32_t halfPixel;     // 1: positions of pixel centres; 0: align_corners
  uint32_t windowChunk;   // gather: outputs of a window that are loaded at once
  int64_t window;         // gather: outputs that any one input may receive from
  float step0;            // position of an output
  float step1;            //
  float step2;            //
  float inverse0;         // position of an input, less one, among the outputs
  float inverse1;         //
  float inverse2;         //
  int64_t stepWhole;      // position of an output
  int64_t stepHigh;       //
  int64_t stepLow;        //
  int64_t offset;         //
  int64_t inverseWhole;   // position of an input, less one, among the outputs
  int64_t inverseHigh;    //
  int64_t inverseLow;     //
  int64_t inverseOffset;  //
};
