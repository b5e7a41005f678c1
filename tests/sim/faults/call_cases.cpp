// SPDX-License-Identifier: Apache-2.0
// Faults in a helper: the report names the kernel's own line, and the buffer by its name in the source.
#include "harness.h"
#include "row_adder.h"

using AscendC::HardEvent;
using AscendC::TPipe;

namespace {

template <HardEvent event>
void Order() {
  AscendC::SetFlag<event>(EVENT_ID0);
  AscendC::WaitFlag<event>(EVENT_ID0);
}

void InHelper(const Arguments &arguments) {
  TPipe pipe;
  RowAdder adder;
  adder.Init(arguments.self, &pipe);
  adder.Load();
  FAULT_HERE;
  adder.Add();
}

// Both calls of Load are the same line of the helper; only the second one is not ordered before Add.
void FromTwoLines(const Arguments &arguments) {
  TPipe pipe;
  RowAdder adder;
  adder.Init(arguments.self, &pipe);
  adder.Load();
  Order<HardEvent::MTE2_V>();
  adder.Add();
  Order<HardEvent::V_MTE2>();
  FAULT_HERE;
  adder.Load();
  adder.Add();
}

void BeyondTheBuffer(const Arguments &arguments) {
  TPipe pipe;
  RowAdder adder;
  adder.Init(arguments.self, &pipe);
  adder.Load();
  Order<HardEvent::MTE2_V>();
  FAULT_HERE;
  adder.AddTwice();
}

void NoRoomBesideHelper(const Arguments &arguments) {
  TPipe pipe;
  RowAdder adder;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffers[2];
  adder.Init(arguments.self, &pipe);
  pipe.InitBuffer(buffers[0], 64 * 1024);
  FAULT_HERE;
  pipe.InitBuffer(buffers[1], 128 * 1024);
}

}  // namespace

const std::vector<FaultCase> &CallCases() {
  using K = sim::FaultKind;
  static const std::vector<FaultCase> cases = {
      {"in_helper",
       K::kMissingSync,
       InHelper,
       {"Adds (call_cases.cpp:", " InHelper > row_adder.h:",
        " Add) on V reads src, UB bytes [0, 4096) of rows_",
        "DataCopy (call_cases.cpp:", " InHelper > row_adder.h:", " Load) on MTE2 writes"}},
      {"from_two_lines",
       K::kMissingSync,
       FromTwoLines,
       {"Adds (call_cases.cpp:", " FromTwoLines > row_adder.h:", " Load) on MTE2 writes"}},
      {"beyond_the_buffer",
       K::kUbBounds,
       BeyondTheBuffer,
       {"Add (call_cases.cpp:", " BeyondTheBuffer > row_adder.h:", " AddTwice): dst takes 8192 bytes",
        "UB offset 4096 of sums_, but its LocalTensor has 4096 bytes"}},
      {"no_room_beside_helper",
       K::kUbCapacity,
       NoRoomBesideHelper,
       {"the buffer buffers[1] of 131072 bytes does not fit in UB: 73728 of 196608 bytes are taken by rows_ "
        "(4096 "
        "bytes), sums_ (4096 bytes), buffers[0] (65536 bytes)"}},
  };
  return cases;
}
