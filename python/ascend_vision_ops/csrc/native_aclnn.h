// SPDX-License-Identifier: Apache-2.0
// The only way in which Python calls an aclnn entry point.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "native_common.h"
#include "op_host/common/tiling/platform.h"

namespace avo::native {

// Raises an exception with the runtime's latest message: ValueError for the two codes of wrong parameters,
// RuntimeError for other codes.
void CheckAcl(int32_t code, const char *what);

// Describes the device of the process, or the device `soc`, with the number of cores and the Unified Buffer
// that the caller gives.
Platform PlatformOf(const std::optional<std::string> &soc, std::optional<int64_t> cores,
                    std::optional<int64_t> ub_bytes);

// One call of an aclnn entry point. It copies arrays to the device and results back. Its objects live until
// the call ends, also when it fails.
class AclnnCall {
 public:
  explicit AclnnCall(const char *name);
  ~AclnnCall();
  AclnnCall(const AclnnCall &) = delete;
  AclnnCall &operator=(const AclnnCall &) = delete;

  const aclTensor *Input(const std::optional<py::array> &array);
  aclTensor *Output(const py::array &array, bool fresh);
  const aclIntArray *Ints(const std::vector<int64_t> &values);
  const aclBoolArray *Bools(const std::vector<int64_t> &values);

  // These create objects from descriptions, to probe the first phase; None gives a null pointer. Nothing is
  // copied to their memory.
  aclTensor *Probe(const py::handle &description);
  const aclIntArray *ProbeInts(const py::handle &values);
  const aclBoolArray *ProbeBools(const py::handle &values);

  // The first phase fills these in.
  uint64_t *workspace_size() { return &workspace_size_; }
  aclOpExecutor **executor() { return &executor_; }

  // Runs the second phase on a stream of its own, waits for it and copies the outputs back.
  using SecondPhase = aclnnStatus (*)(void *, uint64_t, aclOpExecutor *, aclrtStream);
  void Run(aclnnStatus first_phase, SecondPhase second_phase);

  // Returns code and message of a first phase that was only probed.
  py::tuple Outcome(aclnnStatus first_phase);

 private:
  struct Impl;
  aclTensor *MakeTensor(const Tensor &view, void *host, size_t itemsize, bool copy_in, bool copy_out);

  std::unique_ptr<Impl> impl_;
  uint64_t workspace_size_ = 0;
  aclOpExecutor *executor_ = nullptr;
};

}  // namespace avo::native
