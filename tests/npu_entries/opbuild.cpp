// SPDX-License-Identifier: Apache-2.0
// A stand-in of the function that opbuild makes, with what CANN does behind it: it reads inputs as they are,
// and writes results densely from their first address, whatever their strides say. It works along the last
// dimension of a float tensor.
#include <cstdlib>
#include <vector>

#include "aclnn/acl_meta.h"
#include "sim/op_plan.h"

namespace {

void Scan(const std::vector<sim::HostTensor> &tensors) {
  const sim::HostTensor &input = tensors[0];
  const int64_t rows = input.shape[0], columns = input.shape[1];
  for (int64_t row = 0; row < rows; ++row) {
    float best = 0;
    int64_t where = 0;
    for (int64_t column = 0; column < columns; ++column) {
      const float value =
          static_cast<const float *>(input.data)[row * input.strides[0] + column * input.strides[1]];
      if (column == 0 || value >= best) {
        best = value;
        where = column;
      }
      static_cast<float *>(tensors[1].data)[row * columns + column] = best;
      static_cast<int64_t *>(tensors[2].data)[row * columns + column] = where;
    }
  }
}

}  // namespace

extern "C" aclnnStatus aclnnAvoCummaxGetWorkspaceSize(const aclTensor *input, int64_t,
                                                      const aclTensor *values, const aclTensor *indices,
                                                      uint64_t *workspaceSize, aclOpExecutor **executor) {
  if (std::getenv("OPBUILD_REFUSES") != nullptr) return sim::ReportError(561103, "no binary for this device");
  sim::OpPlan plan;
  plan.Workspace(40);
  plan.Host(Scan, {plan.View(input, false), plan.View(values, true), plan.View(indices, true)});
  return plan.Finish(workspaceSize, executor);
}

extern "C" aclnnStatus aclnnAvoCummax(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                      aclrtStream stream) {
  return sim::RunPlan(workspace, workspaceSize, executor, stream);
}
