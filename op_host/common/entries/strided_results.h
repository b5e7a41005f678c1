// SPDX-License-Identifier: Apache-2.0
// Results with any strides. The function that opbuild makes writes every result densely from its first
// address, whatever its strides say. So a result that is not dense gets a dense tensor, which lies in the
// workspace, and CANN's aclnnInplaceCopy copies it to the caller's view.
//
//     workspace   | opbuild's | dense result 0 | dense result 1 | copies |
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <vector>

#include "aclnn/acl_meta.h"
#include "op_host/common/tensors/status.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

struct Result {
  const char *name;    // in messages
  const Tensor *view;  // as the contract has checked it
  aclTensor *given;    // by the caller; it must live until the second phase has run, as for CANN's functions
};

class StridedCopies;

// The results of one call, during its first phase.
class Results {
 public:
  // `results` are in the order of opbuild's function.
  explicit Results(std::initializer_list<Result> results);

  // Asks how much memory the copies need. Fails where nothing can copy.
  Status PlanCopies();
  // Returns what opbuild's first phase gets for a result: the caller's tensor if it is dense.
  const aclTensor *operator[](size_t index) const { return passed_[index]; }
  // Adds the memory of dense results and copies to what opbuild's first phase asked for, and tells the second
  // phase.
  void Finish(uint64_t *workspace_size, const aclOpExecutor *executor);

 private:
  std::vector<const aclTensor *> passed_;
  std::shared_ptr<StridedCopies> copies_;  // null where all results are dense
};

}  // namespace avo
