// SPDX-License-Identifier: Apache-2.0
// Special registers that a kernel sets itself, and functions that leave a choice to the device.
#pragma once

#include "kernel_operator_set_atomic_intf.h"
#include "kernel_operator_sys_var_intf.h"
#include "kernel_tensor.h"

namespace AscendC {

// Bits startBit to endBit of the register CTRL.
template <int8_t startBit, int8_t endBit>
__aicore__ inline void SetCtrlSpr(int64_t value) {
  static_assert(0 <= startBit && startBit <= endBit && endBit < 64, "SetCtrlSpr: bits must be 0 to 63");
  constexpr uint64_t kMask = ~uint64_t{0} >> (63 - (endBit - startBit));
  uint64_t &control = sim::Core::Current().registers.control;
  control = (control & ~(kMask << startBit)) | (static_cast<uint64_t>(value) & kMask) << startBit;
}
template <int8_t startBit, int8_t endBit>
__aicore__ inline int64_t GetCtrlSpr() {
  static_assert(0 <= startBit && startBit <= endBit && endBit < 64, "GetCtrlSpr: bits must be 0 to 63");
  constexpr uint64_t kMask = ~uint64_t{0} >> (63 - (endBit - startBit));
  return static_cast<int64_t>(sim::Core::Current().registers.control >> startBit & kMask);
}

// What becomes of results that their type cannot hold. The simulated device has the modes that a device
// begins with: floats become infinite or NaN, and conversions to integers saturate.
enum class SaturationMode : uint8_t { FLOAT, CAST };
template <SaturationMode mode>
__aicore__ inline bool GetSaturationFlag() {
  return mode == SaturationMode::CAST;
}
template <SaturationMode mode>
__aicore__ inline void SetSaturationFlag(bool enableSat, sim::Where where = sim::Where::Here()) {
  if (enableSat == GetSaturationFlag<mode>()) return;
  sim::Core::Current().Fail(sim::FaultKind::kOther, "SetSaturationFlag", where,
                            mode == SaturationMode::FLOAT
                                ? "FLOAT must be false: floats that saturate are not modelled"
                                : "CAST must be true: conversions that wrap are not modelled");
}

// Marks for CANN's profiler, which change nothing here.
__aicore__ inline void MetricsProfStart() {}
__aicore__ inline void MetricsProfStop() {}
// Prints the time in cycles of GetSystemCycle, which begin with the core, where the source asks for it.
[[gnu::always_inline]] __aicore__ inline void PrintTimeStamp([[maybe_unused]] uint32_t descId) {
#ifdef ASCENDC_TIME_STAMP_ON
  sim::Core::Current().Print(
      sim::FormatText("descId is %u, rsv is 0, timeStamp is %lld, pcPtr is %lld, entry is 0.\n", descId,
                      static_cast<long long>(GetSystemCycle()), static_cast<long long>(GetProgramCounter())));
#endif
}

// Stores of the scalar unit that add to what is in memory. The type and the operation are held as a word.
enum class AtomicDtype {
  ATOMIC_NONE = 0,
  ATOMIC_F32,
  ATOMIC_F16,
  ATOMIC_S16,
  ATOMIC_S32,
  ATOMIC_S8,
  ATOMIC_BF16
};
enum class AtomicOp { ATOMIC_SUM = 0 };
template <AtomicDtype type, AtomicOp op>
__aicore__ inline void SetStoreAtomicConfig() {
  sim::Core::Current().registers.store_atomic = static_cast<uint64_t>(type) | static_cast<uint64_t>(op) << 3;
}
__aicore__ inline int64_t GetStoreAtomicConfig() {
  return static_cast<int64_t>(sim::Core::Current().registers.store_atomic);
}
__aicore__ inline void GetStoreAtomicConfig(uint16_t &atomicType, uint16_t &atomicOp) {
  const uint64_t word = sim::Core::Current().registers.store_atomic;
  atomicType = static_cast<uint16_t>(word & 7);
  atomicOp = static_cast<uint16_t>(word >> 3 & 3);
}

// A range of on-chip memory whose accesses stop the device: an aid to find faults. It is not watched here,
// where every access is judged.
struct CheckLocalMemoryIAParam {
  CheckLocalMemoryIAParam() {}
  CheckLocalMemoryIAParam(uint8_t enable, uint32_t start, uint32_t end, bool scalar_read, bool scalar_write,
                          bool vector_read, bool vector_write, bool mte_read, bool mte_write, bool enabled)
      : enableBit(enable),
        startAddr(start),
        endAddr(end),
        isScalarRead(scalar_read),
        isScalarWrite(scalar_write),
        isVectorRead(vector_read),
        isVectorWrite(vector_write),
        isMteRead(mte_read),
        isMteWrite(mte_write),
        isEnable(enabled) {}

  uint8_t enableBit = 0;
  uint32_t startAddr = 0;
  uint32_t endAddr = 0;
  bool isScalarRead = false;
  bool isScalarWrite = false;
  bool isVectorRead = false;
  bool isVectorWrite = false;
  bool isMteRead = false;
  bool isMteWrite = false;
  bool isEnable = false;
  uint32_t reserved = 0;
};
__aicore__ inline void CheckLocalMemoryIA(const CheckLocalMemoryIAParam &) {}

// The addresses that the communication library gives a kernel; none where there is one device.
inline thread_local uint8_t *g_hcclContextReserved[2] = {nullptr, nullptr};
template <uint32_t index>
__aicore__ inline void SetHcclContext(__gm__ uint8_t *context) {
  static_assert(index < 2, "SetHcclContext: index must be 0 or 1");
  g_hcclContextReserved[index] = context;
}
template <uint32_t index>
__aicore__ inline __gm__ uint8_t *GetHcclContext() {
  static_assert(index < 2, "GetHcclContext: index must be 0 or 1");
  return g_hcclContextReserved[index];
}

// Runs a function on the cores of one kind.
enum class EngineType : int32_t { AIC = 1, AIV = 2 };
template <EngineType engine, auto funPtr, class... Args>
__aicore__ inline void Async(Args... args) {
  if (sim::Core::Current().IsCube() == (engine == EngineType::AIC)) funPtr(args...);
}

}  // namespace AscendC
