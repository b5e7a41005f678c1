// SPDX-License-Identifier: Apache-2.0
// What the entry points call that sim_opbuild writes of operator definitions: the place of CANN's nnopbase.
//
//   InnerCall call(kOperator);      // tensors and attributes in the order of the definition
//   call.Input(x);
//   call.Attribute(dim);
//   call.Output(y);
//   return call.Plan(workspaceSize, executor);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "aclnn/aclnn_base.h"
#include "graph/types.h"

namespace sim::operators {

// A tensor of a definition.
struct TensorRule {
  const char *name;
  bool required;
  bool contiguous;  // an input of which a dense copy is made where it is not dense
};

// Dtype and format of one tensor in one combination.
struct Cell {
  ge::DataType dtype;
  ge::Format format;
};

struct OperatorRule {
  const char *type;
  const TensorRule *inputs;
  size_t input_count;
  const TensorRule *outputs;
  size_t output_count;
  const Cell *cells;  // a row for each combination: inputs, then outputs
  size_t combinations;
  const char *const *socs;
  size_t soc_count;
};

class __attribute__((visibility("default"))) InnerCall {
 public:
  explicit InnerCall(const OperatorRule &rule);
  ~InnerCall();
  InnerCall(const InnerCall &) = delete;
  InnerCall &operator=(const InnerCall &) = delete;

  void Input(const aclTensor *tensor);
  void Output(const aclTensor *tensor);
  void Attribute(int64_t value);
  void Attribute(float value);
  void Attribute(bool value);
  void Attribute(const char *value);
  void Attribute(const aclIntArray *value);
  void Attribute(const aclFloatArray *value);
  void Attribute(const aclBoolArray *value);

  // Checks the tensors, runs the tiling and makes the executor.
  aclnnStatus Plan(uint64_t *workspaceSize, aclOpExecutor **executor);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The second phase.
__attribute__((visibility("default"))) aclnnStatus RunInner(void *workspace, uint64_t workspaceSize,
                                                            aclOpExecutor *executor, aclrtStream stream);

}  // namespace sim::operators
