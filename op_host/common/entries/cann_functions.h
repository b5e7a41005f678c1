// SPDX-License-Identifier: Apache-2.0
// Functions of CANN's own operator libraries. A custom package comes before these, so that a function of ours
// with a name of CANN's takes its place. What ours refuses is handed on to CANN's.
#pragma once

#include <tuple>

#include "op_host/common/entries/second_phase.h"

namespace avo {

// Keeps torch_npu from caching the executor of the call that follows on this thread. Its cache gives an
// executor straight to the second phase of the function that was called, which is ours and would take it for
// one of opbuild's.
void LeaveTorchCache();

// While an object of this class lives, CANN's functions neither take executors out of a cache nor put any in,
// so that an executor may be destroyed.
class WithoutCaches {
 public:
  WithoutCaches();
  ~WithoutCaches() { LeaveTorchCache(); }
  WithoutCaches(const WithoutCaches &) = delete;
  WithoutCaches &operator=(const WithoutCaches &) = delete;
};

// Both phases of one function of CANN's.
class CannFunction {
 public:
  // Looks `name` up, such as aclnnInplaceCopy. A function of this library is never taken for one of CANN's.
  explicit CannFunction(const char *name);

  bool exists() const { return first_ != nullptr && second_ != nullptr; }

  // Calls the first phase, whose parameters have the types of `Parameters`.
  template <typename... Parameters>
  aclnnStatus First(Parameters... parameters) const {
    return reinterpret_cast<aclnnStatus (*)(Parameters...)>(first_)(parameters...);
  }

  aclnnStatus Second(void *workspace, uint64_t bytes, aclOpExecutor *executor, aclrtStream stream) const {
    return second_(workspace, bytes, executor, stream);
  }

  // Hands a call on that `ours` has refused; the parameters are those of `ours`, the last is the executor.
  // Returns whether CANN's function took it. Then the second phase is CANN's too.
  template <typename... Parameters>
  bool Takes(aclnnStatus (*)(Parameters...), Parameters... parameters) const {
    aclOpExecutor **const executor = std::get<sizeof...(Parameters) - 1>(std::tie(parameters...));
    if (!exists() || executor == nullptr) return false;
    LeaveTorchCache();
    if (First<Parameters...>(parameters...) != 0) return false;
    SetSecondPhase(*executor);
    return true;
  }

 private:
  void SetSecondPhase(const aclOpExecutor *executor) const;

  void *first_ = nullptr;
  SecondPhase second_ = nullptr;
};

}  // namespace avo
