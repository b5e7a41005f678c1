// SPDX-License-Identifier: Apache-2.0
// The end of an allocation. `out` has 32 bytes of padding behind it, as memory of aclrtMalloc; `self` has
// none.
#include "harness.h"

using namespace AscendC;

namespace {

constexpr uint64_t kBytes = uint64_t{4} * 1024 * 4 * sizeof(float);

// A product of 32 x 32, of whose factor the last two rows were never written. Fixpipe converts 31 rows of 16
// columns, 32 bytes each, to half; the last one ends where the tensor ends.
void ConvertedRows(const Arguments &arguments) {
  TPipe pipe;
  GlobalTensor<half> self, other, out;
  self.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(arguments.self));
  other.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(arguments.other));
  out.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(arguments.out + kBytes - 31 * 32));
  const LocalTensor<half> a1(TPosition::A1, 0, 1024), b1(TPosition::B1, 2048, 1024);
  const LocalTensor<half> a2(TPosition::A2, 0, 1024), b2(TPosition::B2, 0, 1024);
  const LocalTensor<float> c(TPosition::CO1, 0, 1024);
  DataCopy(a1, self, Nd2NzParams(1, 30, 32, 0, 32, 32, 1, 0));
  DataCopy(b1, other, Nd2NzParams(1, 32, 32, 0, 32, 32, 1, 0));
  SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  for (uint16_t i = 0; i < 2; ++i) LoadData(a2[i * 512], a1, LoadData2DParams(i, 2, 2, 0, 0, false, 0));
  LoadData(b2, b1, LoadData2DParams(0, 4, 1, 0, 0, false, 0));
  SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
  WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
  Mmad(c, a2, b2, MmadParams(32, 32, 32, 0, false, true));
  SetFlag<HardEvent::M_FIX>(EVENT_ID0);
  WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
  FixpipeParamsV220 rows(16, 31, 32, 16, false);
  rows.quantPre = QuantMode_t::F322F16;
  FAULT_HERE;
  Fixpipe(out, c, rows);
}

// Both blocks write to the padding.
void BothWritePadding(const Arguments &arguments) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 32);
  const auto x = buffer.Get<float>();
  Duplicate(x, 1.0f, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  GlobalTensor<float> out;
  out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out + kBytes));
  FAULT_HERE;
  DataCopy(out, x, 8);
}

struct Tiling {
  uint32_t words[16];
};
// Copies tiling data from where 64 - short_of bytes are left.
template <uint32_t short_of>
void CopiesTiling(const Arguments &arguments) {
  const auto *tiling = reinterpret_cast<__gm__ Tiling *>(arguments.self + kBytes - 64 + short_of);
  FAULT_HERE;
  COPY_TILING_WITH_STRUCT(Tiling, tiling, copied);
  ASSERT(copied->words[0] == 0);
}

}  // namespace

const std::vector<FaultCase> &PaddingCases() {
  using K = sim::FaultKind;
  constexpr auto kCube = sim::KernelType::kCube;
  static const std::vector<FaultCase> cases = {
      {"padding_holds_not_these_rows",
       K::kUninitialised,
       ConvertedRows,
       {"Fixpipe (", "writes dst, GM bytes [64544, 65536)"},
       1,
       false,
       kCube},
      {"padding_of_two_blocks",
       K::kBlockConflict,
       BothWritePadding,
       {"DataCopy", "GM bytes [65536, 65568) of an allocation of 65536 bytes"},
       2},
      {"padding_none_behind_tiling",
       K::kGmBounds,
       CopiesTiling<32>,
       {"tiling reads GM bytes [65504, 65568) of an allocation of 65536 bytes"}},
      {"padding_none_needed_by_tiling", K::kOther, CopiesTiling<0>, {}},
  };
  return cases;
}
