// SPDX-License-Identifier: Apache-2.0
// Functions by which a kernel asks about the core that it runs on.
#pragma once

#include "../engine/core.h"
#include "kernel_macros.h"

namespace AscendC {

constexpr int32_t MIX = 0;
constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;

inline int64_t GetBlockNum() { return sim::Core::Current().BlockNum(); }
inline int64_t GetSubBlockNum() { return sim::Core::Current().SubBlockNum(); }
inline int64_t GetSubBlockIdx() { return sim::Core::Current().SubBlockIdx(); }
// Vector cores for each cube core: 2 on the vector cores of a mixed kernel.
inline int64_t GetTaskRatio() { return sim::Core::Current().SubBlockNum(); }
inline int64_t GetTaskRation() { return GetTaskRatio(); }
// On the vector cores of a mixed kernel each vector core counts as a block.
inline int64_t GetBlockIdx() {
  const sim::Core &core = sim::Core::Current();
  return int64_t{core.BlockIdx()} * core.SubBlockNum() + core.SubBlockIdx();
}

inline constexpr int16_t GetDataBlockSizeInBytes() { return 32; }

// The counter has 50 MHz, the clock of a core 1.85 GHz.
inline int64_t GetSystemCycle() { return static_cast<int64_t>(sim::Core::Current().ClockCycles() / 37); }

// A place in the code of the kernel on the host: that behind the call.
[[gnu::noinline]] inline int64_t GetProgramCounter() {
  return reinterpret_cast<int64_t>(__builtin_return_address(0));
}

// The version of the core's instruction set: 0x220 for Atlas A2.
inline void GetArchVersion(uint32_t &coreVersion) { coreVersion = 0x220; }

[[noreturn]] inline void Trap(sim::Where where = sim::Where::Here()) {
  sim::Core::Current().Fail(sim::FaultKind::kAssert, "Trap", where, "the kernel stopped itself");
}

inline void InitSocState() { sim::Core::Current().registers = sim::Registers{}; }

// Gives AIC or AIV, according to the core that runs on this thread.
struct CoreTypeOfThread {
  operator int32_t() const { return sim::Core::Current().IsCube() ? AIC : AIV; }
};

}  // namespace AscendC

inline constexpr AscendC::CoreTypeOfThread g_coreType{};

#define ASCEND_IS_AIC (g_coreType == AscendC::AIC)
#define ASCEND_IS_AIV (g_coreType == AscendC::AIV)
#define ASCEND_IS_NOT_AIC (!ASCEND_IS_AIC)
#define ASCEND_IS_NOT_AIV (!ASCEND_IS_AIV)
