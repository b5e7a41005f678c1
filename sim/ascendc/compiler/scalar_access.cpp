// SPDX-License-Identifier: Apache-2.0
#include "scalar_access.h"

#include <asm/prctl.h>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "../engine/core_state.h"
#include "../engine/current_core.h"
#include "intrinsic.h"
#include "x86_instruction.h"

namespace sim {
namespace {

struct Escape {
  sigjmp_buf place;
  bool armed = false;
};
thread_local Escape escape;
thread_local uint64_t base_of_gs = 0;

// Executable copies of instructions that access memory by GS.
class Copies {
 public:
  struct Copy {
    MemoryInstruction instruction;
    const uint8_t *code = nullptr;
  };

  static Copies &Get() {
    static auto *copies = new Copies;  // never destroyed: threads may outlive main
    return *copies;
  }

  // The copy of the instruction at `code`; without code where the instruction is not understood.
  Copy Of(const uint8_t *code) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto [entry, added] = copies_.try_emplace(code);
    if (added) {
      entry->second.instruction = ReadInstruction(code);
      if (entry->second.instruction.length != 0) entry->second.code = Write(code, entry->second.instruction);
    }
    return entry->second;
  }

 private:
  static constexpr size_t kPageBytes = 1 << 16;
  static constexpr size_t kMostBytes = 48;  // of a copy

  // Writes: prefix GS, the instruction, a jump to the next one (jmp *0(%rip) and the address).
  const uint8_t *Write(const uint8_t *code, const MemoryInstruction &instruction) {
    if (used_ + kMostBytes > kPageBytes || page_ == nullptr) {
      void *page = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (page == MAP_FAILED) return nullptr;
      page_ = static_cast<uint8_t *>(page);
      used_ = 0;
    }
    uint8_t *start = page_ + used_;
    uint8_t *at = start;
    if (!instruction.gs) *at++ = 0x65;
    std::memcpy(at, code, instruction.length);
    at += instruction.length;
    constexpr uint8_t kJump[] = {0xFF, 0x25, 0, 0, 0, 0};
    std::memcpy(at, kJump, sizeof(kJump));
    at += sizeof(kJump);
    const uint8_t *next = code + instruction.length;
    std::memcpy(at, &next, sizeof(next));
    used_ += kMostBytes;
    return start;
  }

  std::mutex mutex_;
  std::map<const uint8_t *, Copy> copies_;
  uint8_t *page_ = nullptr;
  size_t used_ = 0;
};

void SetGs(uint64_t base) {
  if (base == base_of_gs) return;
  syscall(SYS_arch_prctl, ARCH_SET_GS, base);
  base_of_gs = base;
}

// Has one access judged. Throws BlockEnded after a fault that ends the block.
void Judge(Core &core, Space space, uint64_t address, const MemoryInstruction &access) {
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
    operand.alignment = 1;
    instruction.Add(operand);
    core.Issue(instruction);
  }
}

// Returns false where the access belongs to no memory of the core.
bool Handle(const siginfo_t &info, ucontext_t *context) {
  Core &core = Core::Current();
  const auto address = reinterpret_cast<uint64_t>(info.si_addr);
  auto &counter = context->uc_mcontext.gregs[REG_RIP];
  const bool local = address < core.BytesOf(Space::UB);
  if (!local && !core.state().memory->Contains(info.si_addr)) return false;
  const Space space = local ? Space::UB : Space::GM;
  const auto copy = Copies::Get().Of(reinterpret_cast<const uint8_t *>(counter));
  if (copy.code == nullptr) {
    core.Fail(FaultKind::kOther, "scalar access", Unplaced(),
              "the simulator does not know the instruction by which the kernel accesses this memory");
  }
  Judge(core, space, address, copy.instruction);
  SetGs(reinterpret_cast<uint64_t>(core.Memory(space, address)) - address);
  counter = reinterpret_cast<greg_t>(copy.code);
  return true;
}

struct sigaction previous;

void OnSegmentationFault(int signal, siginfo_t *info, void *context) {
  if (escape.armed) {
    bool ended = false;
    try {
      if (Handle(*info, static_cast<ucontext_t *>(context))) return;
      Core::Current().Fail(FaultKind::kOther, "scalar access", Unplaced(),
                           "the kernel accesses an address that is in no memory of the core: " +
                               std::to_string(reinterpret_cast<uint64_t>(info->si_addr)));
    } catch (const BlockEnded &) {
      ended = true;
    }
    if (ended) siglongjmp(escape.place, 1);
  }
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    sigaction(signal, &previous, nullptr);  // the access traps again, and ends the process
  }
}

void InstallHandler() {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_sigaction = OnSegmentationFault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, &previous);
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace

bool RunWithScalarAccesses(void (*invoke)(void *const *args), void *const *args) {
  InstallHandler();
  if (sigsetjmp(escape.place, 0) != 0) {
    escape.armed = false;
    return false;
  }
  escape.armed = true;
  try {
    invoke(args);
  } catch (...) {
    escape.armed = false;
    throw;
  }
  escape.armed = false;
  return true;
}

}  // namespace sim
