// SPDX-License-Identifier: Apache-2.0
// Calls of operators by type, with descriptions of their tensors, as torch_npu makes them where it finds no
// aclnn function. It describes the tensors, then it sets an option of the compiler on the same thread. That
// call fails if no operator fits (sim/operator_compiler.h), so that the program gets an exception where it
// called the operator.
#include <cstring>
#include <memory>
#include <stdexcept>
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
  bool on_host = false;
};

struct aclopAttr {
  sim::CallValues values;
};

namespace {

template <typename T>
std::vector<double> Numbers(const void *data, size_t count) {
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), data, count * sizeof(T));
  return {values.begin(), values.end()};
}

// The tensors and values of a call. Its executor shares what the tensors hold.
class Plan {
 public:
  Plan(const sim::CompiledOperator &known, const sim::CallValues &values) : known_(known), values_(values) {}

  void Add(const aclTensorDesc &description, const aclDataBuffer *buffer, bool written) {
    arguments_.push_back({&description, aclGetDataBufferAddr(buffer), written});
    if (description.on_host) AddConstant(arguments_.back(), arguments_.size() - 1);
  }

  aclError Run(aclrtStream stream) {
    std::vector<int> slots;
    for (size_t i = 0; i < arguments_.size(); ++i) slots.push_back(AddTensor(arguments_[i], i));
    plan_.Host(known_.plan(values_), slots);
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    const aclError code = plan_.Finish(&bytes, &executor);
    return code == OK ? sim::RunPlan(nullptr, bytes, executor, stream) : code;
  }

 private:
  struct Argument {
    const aclTensorDesc *description;
    void *data;
    bool written;
  };

  void AddConstant(const Argument &argument, size_t place) {
    const auto &[description, data, written] = argument;
    size_t count = 1;
    for (const int64_t size : description->shape) count *= size;
    std::vector<double> &values = values_.constants[place];
    if (description->dtype == ACL_INT64) {
      values = Numbers<int64_t>(data, count);
    } else if (description->dtype == ACL_INT32) {
      values = Numbers<int32_t>(data, count);
    } else if (description->dtype == ACL_FLOAT) {
      values = Numbers<float>(data, count);
    } else {
      throw std::invalid_argument(known_.type + ": input " + std::to_string(place) +
                                  " on the host: expected int64, int32 or float32, got aclDataType " +
                                  std::to_string(description->dtype) + ", which is not simulated");
    }
  }

  std::vector<int64_t> Integers(size_t place) const {
    const auto found = values_.constants.find(place);
    if (found == values_.constants.end()) {
      throw std::invalid_argument(known_.type + ": expected input " + std::to_string(place) + " on the host");
    }
    return {found->second.begin(), found->second.end()};
  }

  // Adds the tensor of a place, which may lie on another device than the stream: copies between devices do.
  int AddTensor(const Argument &argument, size_t place) {
    const auto &[description, data, written] = argument;
    aclTensor *tensor = nullptr;
    if (!description->on_host && description->dtype != ACL_DT_UNDEFINED) {
      std::vector<int64_t> shape = description->shape, strides;
      int64_t offset = 0;
      for (const sim::StridedView &view : known_.views) {
        if (view.tensor != place) continue;
        shape = Integers(view.sizes);
        if (view.strides) strides = Integers(*view.strides);
        if (view.offset) offset = Integers(*view.offset).at(0);
      }
      tensor = aclCreateTensor(shape.data(), shape.size(), description->dtype,
                               strides.empty() ? nullptr : strides.data(), offset, ACL_FORMAT_ND,
                               shape.data(), shape.size(), data);
    }
    tensors_.emplace_back(tensor, &aclDestroyTensor);
    return plan_.View(tensor, written, true);
  }

  const sim::CompiledOperator &known_;
  sim::CallValues values_;
  sim::OpPlan plan_;
  std::vector<Argument> arguments_;
  std::vector<std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor *)>> tensors_;
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
EXPORT aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType) {
  if (memType != ACL_MEMTYPE_DEVICE && !desc->on_host) sim::DescribeHostTensor();
  desc->on_host = memType != ACL_MEMTYPE_DEVICE;
  return ACL_SUCCESS;
}
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

// `keep` stores the value, the last parameter, in `values`.
#define ATTRIBUTE(kind, keep, ...)                                                             \
  EXPORT aclError aclopSetAttr##kind(aclopAttr *attr, const char *attrName, __VA_ARGS__) try { \
    [[maybe_unused]] sim::CallValues &values = attr->values;                                   \
    sim::DescribeAttribute(attrName);                                                          \
    keep;                                                                                      \
    return ACL_SUCCESS;                                                                        \
  } catch (...) {                                                                              \
    return sim::ReportException(ACL_ERROR_INVALID_PARAM, __func__);                            \
  }
ATTRIBUTE(Bool, (values.numbers[attrName] = {attrValue != 0}), uint8_t attrValue)
ATTRIBUTE(Int, (values.numbers[attrName] = {attrValue}), int64_t attrValue)
ATTRIBUTE(ListInt, values.numbers[attrName].assign(attrValue, attrValue + numValues), int numValues,
          const int64_t *attrValue)
ATTRIBUTE(Float, (values.fractions[attrName] = attrValue), float attrValue)
ATTRIBUTE(String, (values.texts[attrName] = attrValue), const char *attrValue)
// No operator of the simulated device needs these values.
ATTRIBUTE(DataType, , aclDataType)
ATTRIBUTE(ListBool, , int, const uint8_t *)
ATTRIBUTE(ListDataType, , int, const aclDataType *)
ATTRIBUTE(ListFloat, , int, const float *)
ATTRIBUTE(ListListInt, , int, const int *, const int64_t *const *)

EXPORT aclError aclopCompileAndExecute(const char *opType, int numInputs,
                                       const aclTensorDesc *const inputDesc[],
                                       const aclDataBuffer *const inputs[], int numOutputs,
                                       const aclTensorDesc *const outputDesc[],
                                       aclDataBuffer *const outputs[], const aclopAttr *attr, aclopEngineType,
                                       aclopCompileType, const char *, aclrtStream stream) try {
  const sim::CompiledOperator *known = sim::FindCompiledOperator(opType);
  const size_t inputs_given = numInputs, outputs_given = numOutputs;
  if (known == nullptr || inputs_given > known->inputs || inputs_given + known->optional < known->inputs ||
      outputs_given != known->outputs) {
    return sim::ReportError(ACL_ERROR_OP_NOT_FOUND, std::string(__func__) + ": CANN's operator " + opType +
                                                        " with " + std::to_string(numInputs) +
                                                        " inputs and " + std::to_string(numOutputs) +
                                                        " outputs is not simulated");
  }
  Plan plan(*known, attr == nullptr ? sim::CallValues() : attr->values);
  for (int i = 0; i < numInputs; ++i) plan.Add(*inputDesc[i], inputs[i], false);
  for (int i = 0; i < numOutputs; ++i) plan.Add(*outputDesc[i], outputs[i], true);
  return plan.Run(stream);
} catch (...) {
  return sim::ReportException(ACL_ERROR_INVALID_PARAM, __func__);
}
