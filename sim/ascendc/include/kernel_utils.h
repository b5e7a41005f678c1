// SPDX-License-Identifier: Apache-2.0
// Small helpers that kernels take from CANN's headers: rounding of integers, properties of types, and
// AscendCUtils, which sets special registers.
#pragma once

#include <type_traits>

#include "kernel_common.h"
#include "kernel_operator_sys_var_intf.h"

#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

// An assertion of CANN's headers: on the device it is empty, and so is what it would log.
#define ASCENDC_ASSERT(cond, behavior)
#define KERNEL_LOG(level, format, ...)

// The arguments (number of dimensions, array of sizes) of ShapeInfo.
#define ASCENDC_SHAPE(dimValue, ...) \
  dimValue, (const uint32_t[]) { __VA_ARGS__ }

namespace AscendC {

// The quotient, rounded up. The functions differ in their types, as on the device.
constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
constexpr uint32_t ConstCeil(uint32_t a, uint32_t b) { return DivCeil(a, b); }
constexpr uint32_t Ceil(uint32_t a, uint32_t b) { return DivCeil(a, b); }
constexpr int32_t CeilDivision(int32_t num1, int32_t num2) {
  return num2 == 0 ? 0 : (num1 + num2 - 1) / num2;
}
// The next multiple of b.
constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return DivCeil(a, b) * b; }

template <bool b>
struct BoolInst {
  using Type = BoolInst<b>;
  static constexpr bool value = b;
};
using TrueType = BoolInst<true>;
using FalseType = BoolInst<false>;

template <typename T, typename U>
struct IsSameType : public BoolInst<std::is_same_v<T, U>> {};
template <typename T, typename U>
constexpr bool IsSameTypeV = std::is_same_v<T, U>;

template <bool condition, class T1, class T2>
struct Conditional : public std::conditional<condition, T1, T2> {};

// Says whether T is one of the types, or has one of the sizes.
template <typename T, typename... Types>
constexpr bool SupportType() {
  return (std::is_same_v<T, Types> || ...);
}
template <typename T, int... sizes>
constexpr bool SupportBytes() {
  return ((sizeof(T) == sizes) || ...);
}

struct AscendCUtils {
  static int32_t GetBitSize(int32_t byteSize) { return byteSize * ONE_BYTE_BIT_SIZE; }
  static int32_t GetC0Size() { return DEFAULT_C0_SIZE; }
  static int32_t GetC0Count(int32_t dtypeSize) { return DEFAULT_C0_SIZE / dtypeSize; }
  static int32_t GetDefaultBlockNum() { return DEFAULT_BLK_NUM; }
  static int64_t GetRsvdCnt() { return static_cast<int64_t>(sim::Core::Current().registers.kept); }
  // CTRL bit 48: what becomes of results that are too large for half. The simulated device has the default of
  // IEEE 754 in either case.
  static void SetOverflow(uint64_t ctrlValue) {
    sim::Core::Current().registers.SetControl(CTRL_48_BIT, ctrlValue == 1);
  }
  template <bool isSetMask = true>
  static void SetMask(const uint64_t &maskHigh, const uint64_t &maskLow) {
    if constexpr (isSetMask) SetVectorMask<uint8_t>(maskHigh, maskLow);
  }
  template <typename T, bool isSetMask = true>
  static void SetMask(int32_t len) {
    if constexpr (isSetMask) SetVectorMask<T>(len);
  }
  template <typename T, bool isSetMask = true>
  static void SetMask(const uint64_t &maskHigh, const uint64_t &maskLow) {
    SetMask<isSetMask>(maskHigh, maskLow);
  }
  template <typename T = uint8_t, bool isSetMask = true>
  static void SetMaskCount() {
    if constexpr (isSetMask) AscendC::SetMaskCount();
  }
  template <typename T = uint8_t, bool isSetMask = true>
  static void SetMaskNorm() {
    if constexpr (isSetMask) AscendC::SetMaskNorm();
  }
  template <bool isSetMask = true>
  static void ResetMask() {
    if constexpr (isSetMask) AscendC::ResetMask();
  }
};

}  // namespace AscendC
