// SPDX-License-Identifier: Apache-2.0
#include "../../include/sim/float16_types.h"

#include "scalar.h"

#include "../../include/sim/cast.h"
#include "../intrinsic.h"

using AscendC::RoundMode;
using sim::Atomic;
using sim::AtomicType;
using sim::Core;
using sim::Unplaced;

void set_vector_mask(uint64_t high, uint64_t low) { Core::Current().registers.mask = {low, high}; }
void set_mask_norm() { Core::Current().registers.mask_counts = false; }
void set_mask_count() { Core::Current().registers.mask_counts = true; }

void set_atomic_none() { Core::Current().registers.atomic = Atomic::kNone; }
void set_atomic_add() { Core::Current().registers.atomic = Atomic::kAdd; }
void set_atomic_max() { Core::Current().registers.atomic = Atomic::kMax; }
void set_atomic_min() { Core::Current().registers.atomic = Atomic::kMin; }

namespace {

void SetAtomicType(AtomicType type) { Core::Current().registers.SetAtomicType(type); }

}  // namespace

void set_atomic_f32() { SetAtomicType(AtomicType::kFloat); }
void set_atomic_f16() { SetAtomicType(AtomicType::kHalf); }
void set_atomic_bf16() { SetAtomicType(AtomicType::kBfloat16); }
void set_atomic_s32() { SetAtomicType(AtomicType::kInt32); }
void set_atomic_s16() { SetAtomicType(AtomicType::kInt16); }
void set_atomic_s8() { SetAtomicType(AtomicType::kInt8); }

int64_t get_ctrl() { return static_cast<int64_t>(Core::Current().registers.control); }
void set_ctrl(uint64_t value) { Core::Current().registers.control = value; }
void set_mov_pad_val(uint64_t value) {
  sim::Registers &registers = Core::Current().registers;
  registers.has_pad_value = true;
  registers.pad_value = value;
}
// One register of 64 bits. Its low 16 bits, as half, are the factor of vconv_deq.
void set_deqscale(uint64_t value) {
  Core::Current().registers.deq_config = value;
  Core::Current().registers.deq_scale = half::FromBits(static_cast<uint16_t>(value));
}
void set_deqscale(half value) { set_deqscale(uint64_t{value.bits}); }
int64_t get_rsvd_cnt() { return static_cast<int64_t>(Core::Current().registers.kept); }
int64_t get_acc_val() {
  Core::Current().ReadRegisters("get_acc_val", Unplaced(), sim::kReducedAt, 24);
  return static_cast<int64_t>(Core::Current().registers.reduced_sum);
}
int64_t get_max_min_cnt() {
  Core::Current().ReadRegisters("get_max_min_cnt", Unplaced(), sim::kReducedAt, 24);
  const sim::Registers &registers = Core::Current().registers;
  return static_cast<int64_t>(registers.reduced_index << 32 | registers.reduced_value);
}
int64_t get_vms4_sr() {
  Core::Current().ReadRegisters("get_vms4_sr", Unplaced(), sim::kMergedAt, 8);
  const auto &merged = Core::Current().registers.merged;
  uint64_t word = 0;
  for (int list = 0; list < 4; ++list) word |= uint64_t{merged[list]} << (16 * list);
  return static_cast<int64_t>(word);
}

int64_t get_condition_flag() { return static_cast<int64_t>(Core::Current().registers.condition_flag); }
void set_condition_flag(uint64_t value) { Core::Current().registers.condition_flag = value; }
int64_t get_lpcnt() { return static_cast<int64_t>(Core::Current().registers.loop_count); }
void set_lpcnt(uint64_t value) { Core::Current().registers.loop_count = value; }
int64_t get_st_atomic_cfg() { return static_cast<int64_t>(Core::Current().registers.store_atomic); }
void set_st_atomic_cfg(uint64_t value) { Core::Current().registers.store_atomic = value; }
void set_st_atomic_cfg(atomic_type_t type, atomic_op_t operation) {
  set_st_atomic_cfg(static_cast<uint64_t>(type) | static_cast<uint64_t>(operation) << 4);
}

half conv_f322f16o(float value) { return sim::CastLane<half, float, RoundMode::CAST_ODD>{}(value); }
int64_t conv_f322s32a(float value) { return sim::CastLane<int32_t, float, RoundMode::CAST_ROUND>{}(value); }
int64_t conv_f322s32c(float value) { return sim::CastLane<int32_t, float, RoundMode::CAST_CEIL>{}(value); }
int64_t conv_f322s32f(float value) { return sim::CastLane<int32_t, float, RoundMode::CAST_FLOOR>{}(value); }
int64_t conv_f322s32r(float value) { return sim::CastLane<int32_t, float, RoundMode::CAST_RINT>{}(value); }

#define SIM_DEVICE_ACCESS_OF(T)                                                                         \
  template <>                                                                                           \
  uint64_t ld_dev(T *src, int16_t offset) {                                                             \
    return sim::ScalarLoad<T>(sim::Space::GM, reinterpret_cast<uint64_t>(src) + offset, 0, Unplaced(),  \
                              false);                                                                   \
  }                                                                                                     \
  template <>                                                                                           \
  void st_dev(T value, T *dst, int16_t offset) {                                                        \
    sim::ScalarStore<T>(sim::Space::GM, reinterpret_cast<uint64_t>(dst) + offset, 0, value, Unplaced(), \
                        false);                                                                         \
  }
SIM_DEVICE_ACCESS_OF(uint8_t)
SIM_DEVICE_ACCESS_OF(uint16_t)
SIM_DEVICE_ACCESS_OF(uint32_t)
SIM_DEVICE_ACCESS_OF(uint64_t)

void dcci(uint64_t address, cache_line_t lines, dcci_dst_t memory) {
  if (memory == CACHELINE_UB || memory == CACHELINE_ATOMIC) return;
  Core::Current().CleanDataCache("DataCacheCleanAndInvalid", lines == ENTIRE_DATA_CACHE, address, Unplaced());
}

int64_t get_block_idx() { return Core::Current().BlockIdx(); }
int64_t get_block_num() { return Core::Current().BlockNum(); }
int64_t get_subblockid() { return Core::Current().SubBlockIdx(); }
int64_t get_subblockdim() { return Core::Current().SubBlockNum(); }
int64_t get_sys_cnt() { return static_cast<int64_t>(Core::Current().ClockCycles() / 37); }

void trap() {
  Core::Current().Fail(sim::FaultKind::kAssert, "Trap", Unplaced(), "the kernel stopped itself");
}
