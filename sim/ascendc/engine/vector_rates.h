// SPDX-License-Identifier: Apache-2.0
// Elements a vector core computes a cycle, by instruction. Source: Huawei, Ascend C API reference, appendix
// "Theoretical performance of vector instructions", tables 6-16 (Atlas A2 / A3).
#pragma once

#include <cstring>

namespace sim {

struct VectorRate {
  const char *instruction;
  double half;    // elements a cycle of 2-byte types; 0: the plain rate, 128
  double single;  // of 4-byte types; 0: the plain rate, 64
};

// Instructions that are not listed run at the plain rate: one 256 B repeat a cycle.
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
    {"RepeatReduceSum", 128.0 / 7, 64.0 / 7},
    {"Sort32", 2, 2},
    {"MrgSort", 2, 2},
};

// Elements a cycle of `instruction` on elements of `element_bytes`; a conversion counts its wider side.
inline double VectorElementsPerCycle(const char *instruction, int element_bytes) {
  const double plain = 256.0 / (element_bytes > 0 ? element_bytes : 4);
  for (const VectorRate &rate : kVectorRates) {
    if (std::strcmp(rate.instruction, instruction) == 0) return element_bytes == 2 ? rate.half : rate.single;
  }
  return plain;
}

}  // namespace sim
