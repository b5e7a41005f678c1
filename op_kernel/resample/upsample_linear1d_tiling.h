// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Input position of output i: i * step + offset, in fixed point and as floats
// (op_host/resample/linear_scale.h).
struct UpsampleLinear1dTiling {
  int64_t rows;         // N * C
  int64_t inLength;     // L
  int64_t outLength;    // output_size[0]
  int64_t rowGroups;    // tiles across the rows
  int64_t lengthTiles;  // tiles along a row
  uint32_t tileRows;    // rows of a tile
  uint32_t tileUnits;   // of a tile; phases: periods; gather: outputs of a row; copy: elements
  uint32_t inRow;       // elements between the rows of an input tile in UB
  uint32_t outRow;      // elements between the rows of an output tile in UB
  uint32_t inStep;      // phases: inputs of a period
  uint32_t outStep;     // phases: outputs of a period
  uint32_t inPitch;     // phases: positions from plane to plane of input lanes
  uint32_t outPitch;    // phases: positions from plane to plane of output lanes
  uint32_t halfPixel;   // 1: positions of pixel centres; 0: align_corners
  float step0;          // step = step0 + step1 + step2
  float step1;          // step0 and step1 have 11 significant bits
  float step2;          // the rest
  int64_t stepWhole;    // step = stepWhole + stepHigh / 2^32 + stepLow / 2^64
  int64_t stepHigh;     // first 32 bits of the fraction
  int64_t stepLow;      // next 32 bits of the fraction
  int64_t offset;       // offset * 2^32
};
