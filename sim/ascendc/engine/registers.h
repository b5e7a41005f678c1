// SPDX-License-Identifier: Apache-2.0
// The special registers of an AI core. Some API functions set them, later ones read them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace sim {

enum class Atomic : uint8_t { kNone, kAdd, kMax, kMin };
enum class AtomicType : uint8_t { kFloat, kHalf, kBfloat16, kInt32, kInt16, kInt8 };

inline const char *NameOf(AtomicType type) {
  static const char *const names[] = {"float", "half", "bfloat16_t", "int32_t", "int16_t", "int8_t"};
  return names[static_cast<int>(type)];
}

// Bits of CTRL: products of float take 11 bits of mantissa; these are rounded with ties towards zero, not to
// even.
constexpr int kControlHf32 = 46;
constexpr int kControlHf32ToZero = 47;

struct Registers {
  // The type alone means an addition, until another operation is set.
  void SetAtomicType(AtomicType type) {
    if (atomic == Atomic::kNone) atomic = Atomic::kAdd;
    atomic_type = type;
  }
  // A number for what copies to GM combine, and how (Instruction::atomic). 0: nothing.
  uint8_t AtomicNumber() const {
    if (atomic == Atomic::kNone) return 0;
    return static_cast<uint8_t>(static_cast<int>(atomic) << 4 | static_cast<int>(atomic_type));
  }

  bool Control(int bit) const { return ((control >> bit) & 1U) != 0; }
  void SetControl(int bit, bool value) {
    control = (control & ~(uint64_t{1} << bit)) | uint64_t{value} << bit;
  }

  // Vector mask: bits of lanes 0..127, or in counter mode the number of elements in mask[0].
  bool mask_counts = false;
  std::array<uint64_t, 2> mask{~uint64_t{0}, ~uint64_t{0}};
  // Written by Compare without dst and by SetCmpMask, read by Select.
  std::array<uint64_t, 2> compare_mask{};
  // What DataCopy to GM does with the value that is there.
  Atomic atomic = Atomic::kNone;
  AtomicType atomic_type = AtomicType::kFloat;
  // How many elements MrgSort took from each list.
  std::array<uint16_t, 4> merged{};
  // Results of the last WholeReduce function, as bits of the element type.
  uint64_t reduced_value = 0;
  uint64_t reduced_index = 0;
  uint64_t reduced_sum = 0;
  // Elements that the last GatherMask kept.
  uint64_t kept = 0;
  // CTRL, as set_ctrl left it. SetHF32Mode and SetHF32TransMode set bits of it.
  uint64_t control = 0;
  // SetPadValue, SetDeqScale.
  bool has_pad_value = false;
  uint64_t pad_value = 0;
  float deq_scale = 1.0F;
  // All 64 bits of DEQSCALE, as conversions to 8 bits read it: a scale, an offset and a sign, or an address
  // in UB.
  uint64_t deq_config = 0;
  // KERNEL_TASK_TYPE_DEFAULT named a type whose cores cannot meet.
  bool alone = false;
  // Img2col: sizes and padding of the image in L1 for L0A and L0B, repeats, and the value of the padding.
  std::array<uint64_t, 2> image{};
  uint64_t image_repeats = 1 << 16;
  // Img2col wraps at this byte of L1 to its first one; 0: it does not.
  uint64_t image_boundary = 0;
  uint64_t image_padding = 0;
  // What the unit that prepares images does (include/sim/aipp.h).
  std::array<uint64_t, 10> aipp{};
  // Fixpipe: matrices of NZ to ND, the factor for all columns, and where the factors of columns lie.
  uint64_t matrices = 1;
  uint64_t factor = 0;
  uint64_t factor_table = 0;
  // The index of sparse factors in L0B (sim/sparse.h); empty before the first one.
  std::vector<uint8_t> sparse_index;
  // VA0 to VA7: lists of eight addresses in UB, for transpositions.
  std::array<std::array<uint64_t, 8>, 8> address_lists{};
  // Registers that hold a word for the kernel and have no other effect here.
  uint64_t condition_flag = 0;
  uint64_t loop_count = 0;
  uint64_t store_atomic = 0;
  // NotifyNextBlock: rounds that this core has ended.
  uint64_t served = 0;
};

}  // namespace sim
