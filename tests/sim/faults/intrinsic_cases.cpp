// SPDX-License-Identifier: Apache-2.0
// The rules of overlap_cases.cpp and atomic_cases.cpp below CANN's own headers: intrinsics have addresses
// alone. UB bytes from 0 on are zero.
#include "compiler/intrinsics.h"

#include "harness.h"
#include "twice_plus.h"

namespace {

template <typename T>
T *Ub(uint64_t address) {
  return reinterpret_cast<T *>(address);
}

void Fill() {
  set_mask_norm();
  set_vector_mask(~uint64_t{0}, ~uint64_t{0});
  vector_dup(Ub<float>(0), 0.0f, 32, 1, 1, 8, 8);
  pipe_barrier(PIPE_ALL);
}

void AddsInPlace(const Arguments &) {
  Fill();
  vadds(Ub<float>(0), Ub<float>(0), 1.0f, 2, 1, 1, 8, 8);
}
void AddsAhead(const Arguments &) {
  Fill();
  FAULT_HERE;
  vadds(Ub<float>(32), Ub<float>(0), 1.0f, 2, 1, 1, 8, 8);
}
// A count of lanes, as CANN's functions of a count have it.
void CountAhead(const Arguments &) {
  Fill();
  set_mask_count();
  set_vector_mask(0, 248);
  FAULT_HERE;
  vadds(Ub<float>(32), Ub<float>(0), 1.0f, 1, 1, 1, 8, 8);
}
void Accumulates(const Arguments &) {
  Fill();
  vmax(Ub<float>(0), Ub<float>(1024), Ub<float>(0), 4, 1, 1, 1, 0, 8, 0);
}
void AccumulatesShorts(const Arguments &) {
  Fill();
  FAULT_HERE;
  vmax(Ub<int16_t>(0), Ub<int16_t>(1024), Ub<int16_t>(0), 4, 1, 1, 1, 0, 8, 0);
}
void GatherOntoOffsets(const Arguments &) {
  Fill();
  FAULT_HERE;
  vgather(Ub<uint32_t>(0), Ub<uint32_t>(0), 4096, 8, 2);
}
void ReduceInPlace(const Arguments &) {
  Fill();
  vcadd(Ub<float>(0), Ub<float>(0), 4, 1, 1, 8, false);
}
void BroadcastInPlace(const Arguments &) {
  Fill();
  FAULT_HERE;
  vbrcb(Ub<uint32_t>(0), Ub<uint32_t>(0), 1, 8, 1);
}

void Transpose() {
  for (int list = 0; list < 4; ++list) {
    uint64_t addresses[8];
    for (int i = 0; i < 8; ++i) addresses[i] = list / 2 * 512 + (list % 2 * 8 + i) * 32;
    set_va_reg_sb(static_cast<ub_addr8_t>(list), addresses);
  }
  scatter_vnchwconv_b16(VA0, VA2, 1, 0, 0);
}
void TransposeAfterAdds(const Arguments &) {
  Fill();
  vadds(Ub<float>(512), Ub<float>(512), 1.0f, 2, 1, 1, 8, 8);
  Transpose();
}
void TransposeAfterBarrier(const Arguments &) {
  Fill();
  vadds(Ub<float>(512), Ub<float>(512), 1.0f, 2, 1, 1, 8, 8);
  pipe_barrier(PIPE_V);
  Transpose();
}

void CopyHalfs(const Arguments &arguments) {
  Fill();
  set_atomic_f16();
  copy_ubuf_to_gm_align_b16(arguments.self, Ub<half>(0), 0, 1, 64, 0, 0, 0, 0);
}
void CopyFloats(const Arguments &arguments) {
  Fill();
  set_atomic_f16();
  FAULT_HERE;
  copy_ubuf_to_gm_align_b32(arguments.self, Ub<float>(0), 0, 1, 64, 0, 0, 0, 0);
}

// The sum of `count` lanes, of which the first 60 are written.
template <uint64_t count>
void SumOfTail(const Arguments &arguments) {
  constexpr uint64_t kTail = 16384, kSum = 16640;
  Fill();
  set_mask_count();
  set_vector_mask(0, 60);
  vector_dup(Ub<float>(kTail), 1.0f, 1, 1, 1, 8, 8);
  set_vector_mask(0, count);
  vcadd(Ub<float>(kSum), Ub<float>(kTail), 1, 1, 1, 8, false);
  pipe_barrier(PIPE_ALL);
  FAULT_HERE;
  copy_ubuf_to_gm_align_b32(arguments.self, Ub<float>(kSum), 0, 1, 4, 0, 0, 0, 0);
}

}  // namespace

const std::vector<FaultCase> &IntrinsicCases() {
  using K = sim::FaultKind;
  static const std::vector<FaultCase> cases = {
      {"intrinsic_in_place", K::kOther, AddsInPlace, {}},
      {"intrinsic_ahead", K::kOverlap, AddsAhead, {"Adds", "dst and src share UB bytes [32, 256)"}},
      {"intrinsic_count_ahead", K::kOverlap, CountAhead, {"Adds", "dst and src share UB bytes [32, 256)"}},
      {"intrinsic_accumulates", K::kOther, Accumulates, {}},
      {"intrinsic_accumulates_shorts", K::kOverlap, AccumulatesShorts, {"Max", "dst and src1 share"}},
      {"intrinsic_gather_offsets", K::kOverlap, GatherOntoOffsets, {"Gather", "dst and srcOffset"}},
      {"intrinsic_reduce_in_place", K::kOther, ReduceInPlace, {}},
      {"intrinsic_broadcast_in_place", K::kOverlap, BroadcastInPlace, {"Brcb", "needs them apart"}},
      {"intrinsic_transpose", K::kMissingSync, TransposeAfterAdds, {"TransDataTo5HD", "PipeBarrier<PIPE_V>"}},
      {"intrinsic_transpose_barrier", K::kOther, TransposeAfterBarrier, {}},
      {"intrinsic_atomic_halfs", K::kOther, CopyHalfs, {}},
      {"intrinsic_value_of_sum",
       K::kUninitialised,
       SumOfTail<61>,
       {"DataCopyPad", "byte 16640 comes from UB bytes [16624, 16628), which nothing wrote, through "}},
      {"intrinsic_value_of_sum_right", K::kOther, SumOfTail<60>, {}},
      {"intrinsic_atomic_floats", K::kType, CopyFloats, {"DataCopyPad", "the device combines half"}},
  };
  return cases;
}
