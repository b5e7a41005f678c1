// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Boxes in slots; a chunk of slots is in the Unified Buffer at a time.
struct SoftNmsPaddedTiling {
  uint32_t boxes;      // N
  uint32_t chunk;      // slots of a chunk, a multiple of a repeat
  uint32_t chunks;     // of all boxes; resident: one
  uint32_t method;     // 0 naive, 1 linear, 2 gaussian
  float offset;        // added to widths and heights
  float iouThreshold;  // below it methods 0 and 1 decay nothing
  float sigma;         // of method 2
  float minScore;      // boxes of a lower score are dropped
};
