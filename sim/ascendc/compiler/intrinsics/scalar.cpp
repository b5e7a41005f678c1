// SPDX-License-Identifier: Apache-2.0
#include "../../include/sim/float16_types.h"

#include "scalar.h"

#include "../intrinsic.h"

using sim::Atomic;
using sim::AtomicType;
using sim::Core;

void set_vector_mask(uint64_t high, uint64_t low) { Core::Current().registers.mask = {low, high}; }
void set_mask_norm() { Core::Current().registers.mask_counts = false; }
void set_mask_count() { Core::Current().registers.mask_counts = true; }

void set_atomic_none() { Core::Current().registers.atomic = Atomic::kNone; }
void set_atomic_add() { Core::Current().registers.atomic = Atomic::kAdd; }
void set_atomic_max() { Core::Current().registers.atomic = Atomic::kMax; }
void set_atomic_min() { Core::Current().registers.atomic = Atomic::kMin; }

namespace {

// The type alone means an addition, until another operation is set.
void SetAtomicType(AtomicType type) {
  sim::Registers &registers = Core::Current().registers;
  if (registers.atomic == Atomic::kNone) registers.atomic = Atomic::kAdd;
  registers.atomic_type = type;
}

}  // namespace

void set_atomic_f32() { SetAtomicType(AtomicType::kFloat); }
void set_atomic_f16() { SetAtomicType(AtomicType::kHalf); }
void set_atomic_bf16() { SetAtomicType(AtomicType::kBfloat16); }
void set_atomic_s32() { SetAtomicType(AtomicType::kInt32); }
void set_atomic_s16() { SetAtomicType(AtomicType::kInt16); }
void set_atomic_s8() { SetAtomicType(AtomicType::kInt8); }

int64_t get_ctrl() { return static_cast<int64_t>(Core::Current().registers.control); }
void set_ctrl(uint64_t value) { Core::Current().registers.control = value; }
void set_mov_pad_val(uint64_t value) { Core::Current().registers.pad_value = value; }
// One register of 64 bits. Its low 16 bits, as half, are the factor of vconv_deq.
void set_deqscale(uint64_t value) {
  Core::Current().registers.deq_config = value;
  Core::Current().registers.deq_scale = half::FromBits(static_cast<uint16_t>(value));
}
void set_deqscale(half value) { set_deqscale(uint64_t{value.bits}); }
int64_t get_rsvd_cnt() { return static_cast<int64_t>(Core::Current().registers.kept); }
int64_t get_acc_val() { return static_cast<int64_t>(Core::Current().registers.reduced_sum); }
int64_t get_vms4_sr() {
  const auto &merged = Core::Current().registers.merged;
  uint64_t word = 0;
  for (int list = 0; list < 4; ++list) word |= uint64_t{merged[list]} << (16 * list);
  return static_cast<int64_t>(word);
}

int64_t get_block_idx() { return Core::Current().BlockIdx(); }
int64_t get_block_num() { return Core::Current().BlockNum(); }
int64_t get_subblockid() { return Core::Current().SubBlockIdx(); }
int64_t get_subblockdim() { return Core::Current().SubBlockNum(); }
int64_t get_sys_cnt() { return static_cast<int64_t>(Core::Current().ClockCycles() / 37); }

void trap() {
  Core::Current().Fail(sim::FaultKind::kAssert, "Trap", sim::Unplaced(), "the kernel stopped itself");
}
