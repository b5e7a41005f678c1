// SPDX-License-Identifier: Apache-2.0
// Calls of operators by type, with descriptions of their tensors, as torch_npu makes them where it finds no
// aclnn function. It describes the tensors, then it sets an option of the compiler on the same thread. That
// call fails if no operator fits (sim/operator_compiler.h), so that the program gets an exception where it
// called the operator.
#include <memory>
#include <string>
#include <vector>

#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"
#include "aclnn/acl_meta.h"
#include "sim/op_plan.h"
#include "sim/operator_compiler.h"

// A tensor as it lies in memory.
struct aclTensorDesc {
  aclDataType dtype;
  std::vector<int64_t> shape;
  aclFormat format;
};

struct aclopAttr {};  // no operator of the simulated device needs the values

namespace {

// The tensors of a call, whose executor shares what they hold.
class Plan {
 public:
  explicit Plan(const sim::CompiledOperator &known) : known_(known) {}

  void Add(const aclTensorDesc &description, const aclDataBuffer *buffer, bool written) {
    aclTensor *tensor = nullptr;
    if (description.dtype != ACL_DT_UNDEFINED) {
      const std::vector<int64_t> &shape = description.shape;
      tensor = aclCreateTensor(shape.data(), shape.size(), description.dtype, nullptr, 0, ACL_FORMAT_ND,
                               shape.data(), shape.size(), aclGetDataBufferAddr(buffer));
    }
    tensors_.emplace_back(tensor, &aclDestroyTensor);
    slots_.push_back(plan_.View(tensor, written));
  }

  aclError Run(aclrtStream stream) {
    plan_.Host(known_.run, slots_);
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    const aclError code = plan_.Finish(&bytes, &executor);
    return code == OK ? sim::RunPlan(nullptr, bytes, executor, stream) : code;
  }

 private:
  const sim::CompiledOperator &known_;
  sim::OpPlan plan_;
  std::vector<std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor *)>> tensors_;
  std::vector<int> slots_;
};

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims,
                                          aclFormat format) try {
  sim::DescribeTensor();
  sim::DescribeFormat(format);
  return new aclTensorDesc{dataType, {dims, dims + numDims}, format};
} catch (...) {
  sim::ReportException(ACL_ERROR_INVALID_PARAM, __func__);
  return nullptr;
}

EXPORT void aclDestroyTensorDesc(const aclTensorDesc *desc) { delete desc; }

EXPORT aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format) {
  sim::DescribeFormat(format);
  desc->format = format;
  return ACL_SUCCESS;
}

EXPORT aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims) try {
  desc->shape.assign(dims, dims + numDims);
  return ACL_SUCCESS;
} catch (...) {
  return sim::ReportException(ACL_ERROR_INVALID_PARAM, __func__);
}

EXPORT void aclSetTensorDescName(aclTensorDesc *, const char *) {}
EXPORT aclError aclSetTensorPlaceMent(aclTensorDesc *, int) { return ACL_SUCCESS; }
EXPORT aclError aclSetTensorConst(aclTensorDesc *, void *, size_t) { return ACL_SUCCESS; }

EXPORT aclDataType aclGetTensorDescType(const aclTensorDesc *desc) { return desc->dtype; }
EXPORT aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc) { return desc->format; }
EXPORT size_t aclGetTensorDescNumDims(const aclTensorDesc *desc) { return desc->shape.size(); }
EXPORT aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize) try {
  *dimSize = desc->shape.at(index);
  return ACL_SUCCESS;
} catch (...) {
  return sim::ReportException(ACL_ERROR_INVALID_PARAM, __func__);
}

EXPORT aclopAttr *aclopCreateAttr() try { return new aclopAttr; } catch (...) {
  sim::ReportException(ACL_ERROR_INVALID_PARAM, __func__);
  return nullptr;
}
EXPORT void aclopDestroyAttr(const aclopAttr *attr) { delete attr; }

// The values follow the name. They are of no use here.
#define ATTRIBUTE(kind)                                                       \
  EXPORT aclError aclopSetAttr##kind(aclopAttr *, const char *attrName) try { \
    sim::DescribeAttribute(attrName);                                         \
    return ACL_SUCCESS;                                                       \
  } catch (...) {                                                             \
    return sim::ReportException(ACL_ERROR_INVALID_PARAM, __func__);           \
  }
ATTRIBUTE(Bool)
ATTRIBUTE(DataType)
ATTRIBUTE(Float)
ATTRIBUTE(Int)
ATTRIBUTE(ListBool)
ATTRIBUTE(ListDataType)
ATTRIBUTE(ListFloat)
ATTRIBUTE(ListInt)
ATTRIBUTE(ListListInt)
ATTRIBUTE(String)

EXPORT aclError aclopCompileAndExecute(const char *opType, int numInputs,
                                       const aclTensorDesc *const inputDesc[],
                                       const aclDataBuffer *const inputs[], int numOutputs,
                                       const aclTensorDesc *const outputDesc[],
                                       aclDataBuffer *const outputs[], const aclopAttr *, aclopEngineType,
                                       aclopCompileType, const char *, aclrtStream stream) try {
  const sim::CompiledOperator *known = sim::FindCompiledOperator(opType);
  if (known == nullptr || static_cast<size_t>(numInputs) != known->inputs ||
      static_cast<size_t>(numOutputs) != known->outputs) {
    return sim::ReportError(ACL_ERROR_OP_NOT_FOUND, std::string(__func__) + ": CANN's operator " + opType +
                                                        " with " + std::to_string(numInputs) +
                                                        " inputs and " + std::to_string(numOutputs) +
                                                        " outputs is not simulated");
  }
  Plan plan(*known);
  for (int i = 0; i < numInputs; ++i) plan.Add(*inputDesc[i], inputs[i], false);
  for (int i = 0; i < numOutputs; ++i) plan.Add(*outputDesc[i], outputs[i], true);
  return plan.Run(stream);
} catch (...) {
  return sim::ReportException(ACL_ERROR_INVALID_PARAM, __func__);
}
