// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../common/copies/row_copy_buffers.h"
#include "upsample_linear1d_backward_buffers.h"

// Two maps of positions, i * step + offset, each in fixed point and as a sum of floats
// (op_host/resample/linear_scale.h): `step` from outputs to inputs, `inverse` from inputs to outputs.
struct UpsampleLinear1dBackwardTiling {
  int64_t rows;           // N * C
  int64_t inLength;       // L, length of the gradient computed
  int64_t outLength;      // output_size[0], length of the gradient given
  int64_t rowGroups;      // tiles across the rows
  int64_t lengthTiles;    // tiles along a row
  uint32_t tileRows;      // rows of a tile
  uint32_t tileUnits;     // of a tile; phases: periods; gather: inputs of a row; copy: elements
  uint32_t inRow;         // elements from row to row of a tile of given gradients in UB
  uint32_t outRow;        // elements from row to row of a tile of computed gradients in UB
  uint32_t inStep;        // phases: inputs of a period
  uint32_t outStep;       // phases: outputs of a period
  uint32_t inPitch;       // phases: slots from plane to plane of given gradients
  uint32_t outPitch;      // phases: slots from plane to plane of sums
  uint32_t halfPixel;     // 1: positions of pixel centres; 0: align_corners
  uint32_t windowPiece;   // gather: outputs of a window that are loaded at once
  int64_t window;         // gather: most outputs that one input receives from
  float step0;            // input position of an output: step = step0 + step1 + step2
  float step1;            // step0 and step1 have 11 significant bits
  float step2;            // what step0 and step1 leave
  float inverse0;         // output position of an input, less one: step = inverse0 + inverse1 + inverse2
  float inverse1;         // inverse0 and inverse1 have 11 significant bits
  float inverse2;         // what inverse0 and inverse1 leave
  int64_t stepWhole;      // step = stepWhole + stepHigh / 2^32 + stepLow / 2^64
  int64_t stepHigh;       // first 32 bits of the fraction
  int64_t stepLow;        // next 32 bits of the fraction
  int64_t offset;         // offset * 2^32
  int64_t inverseWhole;   // step = inverseWhole + inverseHigh / 2^32 + inverseLow / 2^64
  int64_t inverseHigh;    // first 32 bits of the fraction
  int64_t inverseLow;     // next 32 bits of the fraction
  int64_t inverseOffset;  // offset * 2^32
};
