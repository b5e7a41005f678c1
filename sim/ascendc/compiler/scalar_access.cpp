// SPDX-License-Identifier: Apache-2.0
#include "scalar_access.h"

#ifdef __x86_64__

#include <asm/prctl.h>
#include <cxxabi.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <csetjmp>
#include <csignal>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include "../engine/core_state.h"
#include "../engine/current_core.h"
#include "instruction_copies.h"
#include "intrinsic.h"
#include "trapped_call.h"

#ifndef HWCAP2_FSGSBASE
#define HWCAP2_FSGSBASE (1 << 1)
#endif

namespace sim {
namespace {

// The kernel that runs on this thread.
struct Running {
  sigjmp_buf escape;
  bool armed = false;
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

// Has the access judged and lets the copy of its instruction go on. Throws BlockEnded where it cannot be.
void Handle(const siginfo_t &info, ucontext_t *context) {
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

// Handles the access as a call at the trapped instruction. Returns false where it ended the block.
bool HandleInPlace(int signal, const siginfo_t &info, ucontext_t *context) {
  const TrappedCall call(*context);
  CoreState &state = Core::Current().state();
  state.StandAt(call.innermost());
  bool handled = true;
  try {
    if (signal == SIGFPE) {
      Core::Current().Fail(FaultKind::kOther, "scalar division", Unplaced(),
                           "the kernel divides an integer by zero");
    }
    Handle(info, context);
  } catch (const BlockEnded &) {
    handled = false;
  }
  state.StandAt(nullptr);
  return handled;
}

// The handlers that were there before, of SIGSEGV and SIGFPE.
struct sigaction previous_handlers[2];

struct sigaction &PreviousOf(int signal) { return previous_handlers[signal == SIGFPE ? 1 : 0]; }

// Hands an access of the host to the handler that was there before. Where it comes a second time, that
// handler wanted the process to end: some restore the handler that they found for this, which may be this
// one.
void PassOn(int signal, siginfo_t *info, void *context) {
  static thread_local std::pair<void *, greg_t> last = {};
  const std::pair<void *, greg_t> place = {info->si_addr,
                                           static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]};
  const bool again = std::exchange(last, place) == place;
  const struct sigaction &previous = PreviousOf(signal);
  if (!again && (previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (!again && previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    std::signal(signal, SIG_DFL);  // the access traps again, and ends the process
  }
}

void OnSignal(int signal, siginfo_t *info, void *context) {
  if (!running.armed) {
    PassOn(signal, info, context);
  } else if (!HandleInPlace(signal, *info, static_cast<ucontext_t *>(context))) {
    siglongjmp(running.escape, 1);
  }
}

// A host may install a handler of its own at any time, as Python's faulthandler does.
void InstallHandlers() {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  for (const int signal : {SIGSEGV, SIGFPE}) {
    struct sigaction present{};
    sigaction(signal, nullptr, &present);
    if ((present.sa_flags & SA_SIGINFO) != 0 && present.sa_sigaction == OnSignal) continue;
    PreviousOf(signal) = present;
    struct sigaction action{};
    action.sa_sigaction = OnSignal;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(signal, &action, nullptr);
  }
}

// A fault throws BlockEnded. Where it passes a destructor of CANN's, as that of TPipe, which throws a second
// time or must not be passed, the standard library gives up; the block ends here instead.
std::terminate_handler previous_terminate = nullptr;

void OnTerminate() {
  if (running.armed) {
    // The thread goes on without an exception. Layout: Itanium C++ ABI, exception handling, 2.2.2.
    struct Exceptions {
      void *caught;
      unsigned int uncaught;
    };
    *reinterpret_cast<Exceptions *>(abi::__cxa_get_globals()) = {};
    siglongjmp(running.escape, 1);
  }
  previous_terminate();
}

void InstallTerminateHandler() {
  static const bool installed = [] {
    previous_terminate = std::set_terminate(OnTerminate);
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace

bool RunWithScalarAccesses(void (*invoke)(void *const *args), void *const *args, bool marked) {
  InstallHandlers();
  InstallTerminateHandler();
  if (marked && !CanWriteGs()) Core::Current().Fail(FaultKind::kOther, "launch", Unplaced(), kNeedsFsgsbase);
  running.marked = marked;
  SetGs(0);
  if (sigsetjmp(running.escape, 0) != 0) {
    running.armed = false;
    return false;
  }
  running.armed = true;
  try {
    invoke(args);
  } catch (...) {
    running.armed = false;
    throw;
  }
  running.armed = false;
  return true;
}

}  // namespace sim

#else

namespace sim {

// Libraries of kernels exist on x86-64 alone (kernel_library.h).
bool RunWithScalarAccesses(void (*invoke)(void *const *args), void *const *args, bool) {
  invoke(args);
  return true;
}

}  // namespace sim

#endif
