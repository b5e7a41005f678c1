// SPDX-License-Identifier: Apache-2.0
#include "scalar_access.h"

#ifdef __x86_64__

#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "../engine/core_state.h"
#include "instruction_copies.h"
#include "intrinsic.h"

#ifndef HWCAP2_FSGSBASE
#define HWCAP2_FSGSBASE (1 << 1)
#endif

namespace sim {
namespace {

// The kernel that runs on this thread.
struct Running {
  bool marked = false;  // accesses to UB have the prefix GS (scalar_access.h)
  uint64_t base_of_gs = 0;
};
thread_local Running running;

constexpr char kNeedsFsgsbase[] =
    "this kernel needs a host with FSGSBASE: an x86-64 processor since 2012 and Linux 5.9";

bool CanWriteGs() {
  static const bool can = (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0;
  return can;
}

// Linux itself sets no base in the upper half of the addresses, where that of a memory lies which has a lower
// address on the host than on the device; the processor's own instruction does.
void SetGs(uint64_t base) {
  if (base == running.base_of_gs) return;
  if (CanWriteGs()) {
    __asm__ volatile("wrgsbase %0" : : "r"(base));
  } else if (syscall(SYS_arch_prctl, ARCH_SET_GS, base) != 0) {
    Core::Current().Fail(FaultKind::kOther, "scalar access", Unplaced(), kNeedsFsgsbase);
  }
  running.base_of_gs = running.marked ? 0 : base;  // a marked kernel's copies reset it
}

// Has one access judged. Throws BlockEnded after a fault that ends the block.
void Judge(Core &core, Space space, uint64_t address, const MemoryInstruction &access) {
  constexpr uint32_t kWidestScalar = 8;  // a wider access is several that the host's compiler joined
  for (const bool write : {false, true}) {
    if (write ? !access.writes : !access.reads) continue;
    Instruction instruction;
    instruction.name = write ? "SetValue" : "GetValue";
    instruction.where = Unplaced();
    instruction.elements = 1;
    instruction.flow = ValueFlow::kBits;  // nobody knows here whether it is a number or bits
    Operand operand;
    operand.name = write ? "dst" : "src";
    operand.space = space;
    operand.write = write;
    operand.address = address;
    operand.row_bytes = access.bytes;
    operand.alignment = access.bytes <= kWidestScalar ? access.bytes : 1;
    instruction.Add(operand);
    core.Issue(instruction);
  }
}

[[noreturn]] void FailAt(uint64_t address, const std::string &text) {
  Core::Current().Fail(FaultKind::kOther, "scalar access", Unplaced(),
                       "the kernel accesses address " + std::to_string(address) + ", " + text);
}

std::string BytesAt(const uint8_t *code) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < 8; ++i) text += {' ', kDigits[code[i] >> 4], kDigits[code[i] & 15]};
  return text;
}

}  // namespace

void BeginScalarAccesses(bool marked) {
  if (marked && !CanWriteGs()) Core::Current().Fail(FaultKind::kOther, "launch", Unplaced(), kNeedsFsgsbase);
  running.marked = marked;
  SetGs(0);
}

void HandleScalarAccess(const siginfo_t &info, ucontext_t *context) {
  // No program is mapped below. A kernel that leaves UB upwards by less than this means UB.
  constexpr uint64_t kLowest = 1 << 22;
  Core &core = Core::Current();
  const auto address = reinterpret_cast<uint64_t>(info.si_addr);
  auto &counter = context->uc_mcontext.gregs[REG_RIP];
  const auto *code = reinterpret_cast<const uint8_t *>(counter);
  const bool told = info.si_code == SEGV_MAPERR || info.si_code == SEGV_ACCERR;
  if (!told) {
    core.Fail(FaultKind::kOther, "scalar access", Unplaced(),
              "the kernel accesses an address that no memory can have");
  }
  const bool in_gm = core.state().memory->Contains(info.si_addr);
  if (address >= kLowest && !in_gm && !running.marked) FailAt(address, "which is in no memory of the core");
  const InstructionCopy copy = CopyOf(code, running.marked);
  if (copy.code == nullptr) {
    FailAt(address, "by an instruction that is no scalar access of a device, as one of memset or memcpy:" +
                        BytesAt(code));
  }
  const bool local = running.marked ? copy.instruction.gs : address < kLowest;
  if (!local && !in_gm) {
    FailAt(address,
           "which is in no memory of the core" +
               std::string(address < kLowest ? ": a null pointer, or one to UB without __ubuf__" : ""));
  }
  const Space space = local ? Space::UB : Space::GM;
  Judge(core, space, address, copy.instruction);
  SetGs(reinterpret_cast<uint64_t>(core.Memory(space, address)) - address);
  counter = reinterpret_cast<greg_t>(copy.code);
}

bool SamePlace(const ucontext_t &a, const ucontext_t &b) {
  return a.uc_mcontext.gregs[REG_RIP] == b.uc_mcontext.gregs[REG_RIP];
}

}  // namespace sim

#else

#include <string>

#include "../engine/core_state.h"
#include "intrinsic.h"

namespace sim {

void BeginScalarAccesses(bool) {}

void HandleScalarAccess(const siginfo_t &info, ucontext_t *) {
  Core::Current().Fail(FaultKind::kOther, "scalar access", Unplaced(),
                       "the kernel accesses address " +
                           std::to_string(reinterpret_cast<uint64_t>(info.si_addr)) +
                           " by a pointer, which the simulated device understands on x86-64 hosts alone: use "
                           "GetValue and SetValue");
}

bool SamePlace(const ucontext_t &, const ucontext_t &) { return true; }

}  // namespace sim

#endif
