// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../common/copies/row_copy_buffers.h"
#include "upsample_linear1d_buffers.h"

// Output i lies at input position i * step + offset. The step is given in fixed point and as a sum of floats
// (op_host/resample/linear_scale.h).
struct UpsampleLinear1dTiling {
  int64_t rows;         // N * C
  int64_t inLength;     // L
  int64_t outLength;    // output_size[0]
  int64_t rowGroups;    // tiles across the rows
  int64_t lengthTiles;  // tiles along a row
  uint32_t tileRows;    // rows of a tile
  uint32_t tileUnits;   // of a tile; phases: periods; gather: outputs of a row; copy: elements
  uint32_t inRow;       // elements from row to row of an input tile in UB
  uint32_t outRow;      // elements from row to row of an output tile in UB
  uint32_t inStep;      // phases: inputs of a period
  uint32_t outStep;     // phases: outputs of a period
  uint32_t inPitch;     // phases: slots from plane to plane of inputs
  uint32_t outPitch;    // phases: slots from plane to plane of outputs
  uint32_t halfPixel;   // 1: positions of pixel centres; 0: align_corners
  float step0;          // step = step0 + step1 + step2
  float step1;          // step0 and step1 have 11 significant bits
  float step2;          // what step0 and step1 leave
  int64_t stepWhole;    // step = stepWhole + stepHigh / 2^32 + stepLow / 2^64
  int64_t stepHigh;     // first 32 bits of the fraction
  int64_t stepLow;      // next 32 bits of the fraction
  int64_t offset;       // offset * 2^32
};
