// SPDX-License-Identifier: Apache-2.0
// Values that nobody wrote and that a later copy writes over, and words of which a part has values. The copy
// of a row of 60 floats is rounded up to 64, so that the next row is written over its end.
#include "harness.h"

using namespace AscendC;

namespace {

constexpr uint32_t kAll = 64, kDefined = 60;

struct Setup {
  explicit Setup(const Arguments &arguments) {
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out));
    pipe.InitBuffer(tail, 256);
    pipe.InitBuffer(full, 256);
    pipe.InitBuffer(bits, 32);
    x = tail.Get<float>();
    y = full.Get<float>();
    Duplicate(x, 1.0f, kDefined);
    Duplicate(y, 2.0f, kAll);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  }

  TPipe pipe;
  TBuf<TPosition::VECCALC> tail, full, bits;
  LocalTensor<float> x, y;
  GlobalTensor<float> out;
};

// More rounded copies than the device keeps in mind without looking at them again.
template <bool finish>
void ManyRows(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  for (int i = 0; i < 12000; ++i) DataCopy(s.out[i % 2 * kAll], s.x, kAll), PipeBarrier<PIPE_MTE3>();
  if (!finish) return;
  DataCopy(s.out, s.y, kAll);
  DataCopy(s.out[kAll], s.y, kAll);
}

// A fault ends the block before the next row.
template <bool ends>
void EndsBeforeTheNextRow(const Arguments &arguments) {
  Setup s(arguments);
  const auto at = s.y[ends ? 1 : 0];
  fault_line = ends ? __LINE__ + 3 : __LINE__ + 1;
  DataCopy(s.out, s.x, kAll);
  PipeBarrier<PIPE_MTE3>();
  Adds(at, s.x, 1.0f, 8);
  if (ends) DataCopy(s.out, s.y, kAll);
}

// Four of the 32 bits of the second word come from no value.
template <typename T>
void PartOfWord(const Arguments &arguments) {
  Setup s(arguments);
  Compare(s.bits.Get<uint8_t>(), s.x, s.y, CMPMODE::LT, kAll);
  FAULT_HERE;
  const T value = s.bits.Get<T>().GetValue(1);
  if (value == T(0)) s.y.SetValue(0, 1.0f);
}

}  // namespace

const std::vector<FaultCase> &LateCases() {
  using K = sim::FaultKind;
  FaultCase ending{"late_row_of_a_block_that_ends", K::kAlignment, EndsBeforeTheNextRow<true>, {"Adds ("}};
  ending.absent = "Uninitialised";
  static const std::vector<FaultCase> cases = {
      {"late_many_rows", K::kUninitialised, ManyRows<false>, {"DataCopy (", "writes dst, GM bytes [0, 256)"}},
      {"late_many_rows_right", K::kOther, ManyRows<true>, {}},
      ending,
      {"late_row_of_a_block_that_goes_on", K::kUninitialised, EndsBeforeTheNextRow<false>, {"DataCopy ("}},
      {"late_part_of_a_float", K::kUninitialised, PartOfWord<float>, {"GetValue (", "through Compare ("}},
      {"late_part_of_bits", K::kPartlyWritten, PartOfWord<uint32_t>, {"GetValue (", "through Compare ("}},
  };
  return cases;
}
