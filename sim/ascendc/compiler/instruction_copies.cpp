// SPDX-License-Identifier: Apache-2.0
#include "instruction_copies.h"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>

namespace sim {
namespace {

class Copies {
 public:
  static Copies &Get() {
    static auto *copies = new Copies;  // never destroyed: threads may outlive main
    return *copies;
  }

  InstructionCopy Of(const uint8_t *code, bool reset) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto [entry, added] = copies_.try_emplace(code);
    if (added) {
      entry->second.instruction = ReadInstruction(code);
      if (entry->second.instruction.length != 0)
        entry->second.code = Write(code, entry->second.instruction, reset);
    }
    return entry->second;
  }

 private:
  static constexpr size_t kPageBytes = 1 << 16;
  static constexpr size_t kMostBytes = 64;  // of a copy

  // Writes: prefix GS, the instruction, a reset of GS, a jump to the next instruction.
  const uint8_t *Write(const uint8_t *code, const MemoryInstruction &instruction, bool reset) {
    if (used_ + kMostBytes > kPageBytes || page_ == nullptr) {
      void *page =
          mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (page == MAP_FAILED) return nullptr;
      page_ = static_cast<uint8_t *>(page);
      used_ = 0;
    }
    uint8_t *start = page_ + used_;
    uint8_t *at = start;
    const auto write = [&at](const void *bytes, size_t count) {
      std::memcpy(at, bytes, count);
      at += count;
    };
    constexpr uint8_t kPrefix = 0x65;
    if (!instruction.gs) write(&kPrefix, 1);
    write(code, instruction.length);
    constexpr uint8_t kReset[] = {
        0x48, 0x8D, 0x64, 0x24, 0x80,                    // lea -128(%rsp),%rsp: the red zone of the kernel
        0x50,                                            // push %rax
        0xB8, 0x00, 0x00, 0x00, 0x00,                    // mov $0,%eax, which leaves the flags as they are
        0xF3, 0x48, 0x0F, 0xAE, 0xD8,                    // wrgsbase %rax
        0x58,                                            // pop %rax
        0x48, 0x8D, 0xA4, 0x24, 0x80, 0x00, 0x00, 0x00,  // lea 128(%rsp),%rsp
    };
    if (reset) write(kReset, sizeof(kReset));
    constexpr uint8_t kJump[] = {0xFF, 0x25, 0, 0, 0, 0};  // jmp *0(%rip), and the address
    write(kJump, sizeof(kJump));
    const uint8_t *next = code + instruction.length;
    write(&next, sizeof(next));
    used_ += kMostBytes;
    return start;
  }

  std::mutex mutex_;
  std::map<const uint8_t *, InstructionCopy> copies_;
  uint8_t *page_ = nullptr;
  size_t used_ = 0;
};

}  // namespace

InstructionCopy CopyOf(const uint8_t *code, bool reset) { return Copies::Get().Of(code, reset); }

}  // namespace sim
