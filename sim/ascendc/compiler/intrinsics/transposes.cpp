// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "transposes.h"

#include "../../include/sim/transpose.h"

using namespace sim;

namespace {

constexpr int kAddresses = 8;  // of a register

std::array<uint64_t, kAddresses> &ListOf(ub_addr8_t registers) {
  auto &lists = Core::Current().registers.address_lists;
  if (static_cast<size_t>(registers) >= lists.size()) {
    Core::Current().Fail(FaultKind::kOther, "TransDataTo5HD", Unplaced(),
                         "the 16 addresses of a list must be in two registers from VA0 to VA7");
  }
  return lists[registers];
}

template <typename T>
void Scatter(ub_addr8_t dst, ub_addr8_t src, const AscendC::TransDataTo5HDParams &params) {
  uint64_t to[2 * kAddresses], from[2 * kAddresses];
  for (int half = 0; half < 2; ++half) {
    std::copy_n(ListOf(static_cast<ub_addr8_t>(dst + half)).data(), kAddresses, to + half * kAddresses);
    std::copy_n(ListOf(static_cast<ub_addr8_t>(src + half)).data(), kAddresses, from + half * kAddresses);
  }
  // The form of TransDataTo5HD with tensors makes addresses of them too, so that nobody can tell the two
  // apart.
  TransData<T>(to, from, params, true, Unplaced());
}

}  // namespace

void set_va_reg_sb(ub_addr8_t registers, uint64_t *addresses) {
  std::copy_n(addresses, kAddresses, ListOf(registers).data());
}

void vld_va_reg(ub_addr8_t registers, uint64_t *addresses, vpart_t part) {
  const AscendC::LocalTensor<uint64_t> words = InUb(addresses);
  for (int i = 0; i < kAddresses; ++i) {
    ListOf(registers)[i] = words.GetValue(part * kAddresses + i, Unplaced());
  }
}

void scatter_vnchwconv_b8(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride,
                          uint16_t srcStride, bool dstHighHalf, bool srcHighHalf) {
  Scatter<uint8_t>(dst, src, {dstHighHalf, srcHighHalf, repeat, dstStride, srcStride});
}
void scatter_vnchwconv_b16(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride,
                           uint16_t srcStride) {
  Scatter<uint16_t>(dst, src, {false, false, repeat, dstStride, srcStride});
}
void scatter_vnchwconv_b32(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride,
                           uint16_t srcStride) {
  Scatter<uint32_t>(dst, src, {false, false, repeat, dstStride, srcStride});
}

template <>
void vtranspose(int16_t *dst, int16_t *src) {
  Transpose16(InUb(dst), InUb(src), Unplaced());
}
template <>
void vtranspose(uint16_t *dst, uint16_t *src) {
  Transpose16(InUb(dst), InUb(src), Unplaced());
}
