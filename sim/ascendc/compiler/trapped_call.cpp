// SPDX-License-Identifier: Apache-2.0
#include "trapped_call.h"

#ifdef __x86_64__

#include <unwind.h>

#include <mutex>
#include <unordered_map>

namespace sim {
namespace {

struct Search {
  uintptr_t instruction;
  bool found = false;
  uintptr_t frame_end = 0;  // the canonical frame address: the return address lies in the 8 bytes below it
};

_Unwind_Reason_Code Visit(_Unwind_Context *context, void *into) {
  auto *search = static_cast<Search *>(into);
  if (search->found) {
    search->frame_end = _Unwind_GetCFA(context);
    return _URC_END_OF_STACK;
  }
  search->found = _Unwind_GetIP(context) == search->instruction;
  return _URC_NO_REASON;
}

constexpr int64_t kOwnFrame = -1;

// Where a function without a frame has its return address at this instruction, counted from RSP; kOwnFrame:
// it has a frame, or no unwind tables.
int64_t ReturnAddressOf(uintptr_t instruction, uintptr_t rsp, uintptr_t rbp) {
  static auto *known =
      new std::unordered_map<uintptr_t, int64_t>;  // never destroyed: threads may outlive main
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, added] = known->try_emplace(instruction, kOwnFrame);
  if (added) {
    Search search{instruction};
    _Unwind_Backtrace(Visit, &search);
    if (search.frame_end > rsp && search.frame_end - sizeof(CallFrame) != rbp) {
      entry->second = static_cast<int64_t>(search.frame_end - sizeof(uintptr_t) - rsp);
    }
  }
  return entry->second;
}

}  // namespace

TrappedCall::TrappedCall(const ucontext_t &context) : known_(true) {
  const auto &registers = context.uc_mcontext.gregs;
  const auto rip = static_cast<uintptr_t>(registers[REG_RIP]);
  const auto rsp = static_cast<uintptr_t>(registers[REG_RSP]);
  const auto *caller = reinterpret_cast<const CallFrame *>(registers[REG_RBP]);
  frames_[0] = {caller, rip + 1};
  frames_[1] = {caller, 0};
  const int64_t offset = ReturnAddressOf(rip, rsp, reinterpret_cast<uintptr_t>(caller));
  if (offset == kOwnFrame) return;
  frames_[0].caller = &frames_[1];
  frames_[1].return_address = *reinterpret_cast<const uintptr_t *>(rsp + static_cast<uintptr_t>(offset));
}

}  // namespace sim

#else

namespace sim {

TrappedCall::TrappedCall(const ucontext_t &) {}

}  // namespace sim

#endif
