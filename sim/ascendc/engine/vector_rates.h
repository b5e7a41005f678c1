// SPDX-License-Identifier: Apache-2.0
// How many elements a vector core computes in a cycle, by instruction. Source: Huawei, Ascend C API
// reference, appendix "Theoretical performance of vector instructions", tables 6-16 (Atlas A2 / A3).
#pragma once

#include <cstdint>
#include <cstring>

namespace sim {

struct VectorRate {
  const char *instruction;
  double half;    // elements a cycle of 2-byte types
  double single;  // of 4-byte types
};

// Instructions that are not listed take a cycle for each repeat of 256 bytes.
inline constexpr VectorRate kVectorRates[] = {
    {"Exp", 32, 32},
    {"Ln", 32, 32},
    {"Sqrt", 32, 32},
    {"Div", 32, 32},
    {"MulAddDst", 64, 32},
    {"GatherMask", 64, 32},
    {"Gather", 5, 5},
    {"Scatter", 5, 5},
    {"Gatherb", 42, 21},
    {"BlockReduceSum", 128.0 / 7, 64},
    {"BlockReduceMax", 128.0 / 7, 64},
    {"BlockReduceMin", 128.0 / 7, 64},
    {"WholeReduceSum", 128.0 / 7, 64.0 / 7},
    {"WholeReduceMax", 128.0 / 7, 64.0 / 7},
    {"WholeReduceMin", 128.0 / 7, 64.0 / 7},
    // A reduction of a whole tensor first reduces each repeat. The rounds over these results are not charged;
    // they are less than one repeat in thirty.
    {"ReduceSum", 128.0 / 7, 64.0 / 7},
    {"ReduceMax", 128.0 / 7, 64.0 / 7},
    {"ReduceMin", 128.0 / 7, 64.0 / 7},
    {"RepeatReduceSum", 128.0 / 7, 64.0 / 7},
    // half is computed in float: three conversions at the pace of float.
    {"Ceil", 64.0 / 3, 64},
    {"Floor", 64.0 / 3, 64},
    {"Round", 64.0 / 3, 64},
    {"Trunc", 64.0 / 3, 64},
    {"Sort32", 2, 2},
    {"MrgSort", 2, 2},
};

// Returns the elements that `instruction` computes in a cycle. `element_bytes`: of an element; for a
// conversion of the wider of its two types.
inline double VectorElementsPerCycle(const char *instruction, uint32_t element_bytes) {
  for (const VectorRate &rate : kVectorRates) {
    if (*rate.instruction == *instruction && std::strcmp(rate.instruction, instruction) == 0)
      return element_bytes == 2 ? rate.half : rate.single;
  }
  return 256.0 / element_bytes;
}

}  // namespace sim
