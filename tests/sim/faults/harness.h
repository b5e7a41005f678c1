// SPDX-License-Identifier: Apache-2.0
// A case is a kernel, and what the report about it must say.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "engine/launch.h"
#include "kernel_operator.h"

// The pointers of one launch. Each buffer holds 4 x kTile x kTiles floats; only `self` and `other` are
// written.
struct Arguments {
  GM_ADDR self;
  GM_ADDR other;
  GM_ADDR out;
  GM_ADDR fresh;
  GM_ADDR workspace;
};

struct FaultCase {
  const char *name;
  sim::FaultKind kind;  // sim::FaultKind::kOther with no text: a correct kernel
  void (*kernel)(const Arguments &);
  std::vector<std::string> texts;  // the report must hold all of them
  uint32_t blocks = 1;
  bool strict = false;  // without automatic synchronisation by the compiler
  sim::KernelType type = sim::KernelType::kVector;
  uint32_t threads = 2;     // of the host
  const char *absent = "";  // no report may hold it; empty: nothing
};

// Stands on the line before the statement with the fault: the report must name the line of that statement.
extern std::atomic<int> fault_line;
#define FAULT_HERE fault_line = __LINE__ + 1

const std::vector<FaultCase> &LegalityCases();
const std::vector<FaultCase> &QueueCases();
const std::vector<FaultCase> &OrderCases();
const std::vector<FaultCase> &CubeCases();
const std::vector<FaultCase> &CallCases();
const std::vector<FaultCase> &PlainCases();
const std::vector<FaultCase> &OverlapCases();
const std::vector<FaultCase> &AtomicCases();
const std::vector<FaultCase> &IntrinsicCases();
const std::vector<FaultCase> &FlagCases();
const std::vector<FaultCase> &SharedCases();
const std::vector<FaultCase> &CacheCases();
const std::vector<FaultCase> &EndlessCases();
const std::vector<FaultCase> &ValueCases();
const std::vector<FaultCase> &LateCases();
const std::vector<FaultCase> &PaddingCases();
const std::vector<FaultCase> &UnusedCases();
