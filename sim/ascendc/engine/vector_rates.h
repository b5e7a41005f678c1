// SPDX-License-Identifier: Apache-2.0
// How many elements a vector core computes in a cycle, by instruction. Source: Huawei, Ascend C API
// reference, appendix "Theoretical performance of vector instructions", tables 6-16 (Atlas A2 / A3).
#pragma once

#include <cstdint>
#include <cstring>

namespace sim {

constexpr double kDocumentedRate = 0.04;  // V of all published kernels: 5 % at most

struct VectorRate {
  const char *instruction;
  double half;    // elements a cycle of 2-byte types; 0: a repeat takes one
  double single;  // of 4-byte types
  double start;   // cycles that the instruction takes more than its repeats; 0: CostModel::vector_startup
  double doubt = kDocumentedRate;  // the part by which the cycles of its repeats may be off (constant.h)
};

// Instructions that are not listed take a cycle for each repeat of 256 bytes, and vector_startup. The starts
// of Exp, Ln and Div are fits of measured instructions in pto-isa's cost model, less the two cycles by which
// its Add is above ours.
inline constexpr VectorRate kVectorRates[] = {
    {"Exp", 32, 32, 29},
    {"Ln", 32, 32, 31},
    {"Sqrt", 32, 32, 29},  // the start is assumed
    {"Div", 32, 32, 29},
    {"Cast", 0, 32, 0, 0.3},  // "acos/bfloat16", and pto-isa's cost model [single]
    {"MulAddDst", 64, 32, 0},
    {"GatherMask", 64, 32, 0},
    {"Gather", 5, 5, 0, 0.1},
    {"Scatter", 5, 5, 0, 0.1},
    {"Gatherb", 42, 21, 0},
    {"BlockReduceSum", 128.0 / 7, 64, 0},
    {"BlockReduceMax", 128.0 / 7, 64, 0},
    {"BlockReduceMin", 128.0 / 7, 64, 0},
    {"ReduceDataBlock", 128.0 / 7, 64, 0},
    {"WholeReduceSum", 128.0 / 7, 64.0 / 7, 0},
    {"WholeReduceMax", 128.0 / 7, 64.0 / 7, 0},
    {"WholeReduceMin", 128.0 / 7, 64.0 / 7, 0},
    {"ReduceRepeat", 128.0 / 7, 64.0 / 7, 0},
    // A reduction of a whole tensor first reduces each repeat. The rounds over these results are not charged;
    // they are less than one repeat in thirty.
    {"ReduceSum", 128.0 / 7, 64.0 / 7, 0},
    {"ReduceMax", 128.0 / 7, 64.0 / 7, 0},
    {"ReduceMin", 128.0 / 7, 64.0 / 7, 0},
    {"RepeatReduceSum", 128.0 / 7, 64.0 / 7, 0},
    // half is computed in float: three conversions at the pace of float.
    {"Ceil", 64.0 / 3, 64, 0},
    {"Floor", 64.0 / 3, 64, 0},
    {"Round", 64.0 / 3, 64, 0},
    {"Trunc", 64.0 / 3, 64, 0},
    {"Sort32", 0.31, 0.31, 0, 0.4},   // "top", less all its other instructions [single]
    {"MrgSort", 1.64, 1.64, 0, 0.2},  // a fit of pto-isa: 78 cycles for four lists of 32
};

inline const VectorRate *FindVectorRate(const char *instruction) {
  for (const VectorRate &rate : kVectorRates) {
    if (*rate.instruction == *instruction && std::strcmp(rate.instruction, instruction) == 0) return &rate;
  }
  return nullptr;
}

}  // namespace sim
