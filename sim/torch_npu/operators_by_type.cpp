// SPDX-License-Identifier: Apache-2.0
// Calls of operators by type, with descriptions of their tensors, as torch_npu makes them where it finds no
// aclnn function. It describes the tensors, then it sets an option of the compiler on the same thread. That
// call fails if no operator fits (sim/operator_compiler.h), so that the program gets an exception where it
// called the operator.
#include <cstring>
#include <map>
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
  std::map<std::string, int64_t> integers;  // no operator of the simulated device needs other values
};

namespace {

// A tensor on the host, with a copy of its values: they are the caller's until the call returns.
class Constant {
 public:
  Constant(std::vector<int64_t> shape, aclDataType dtype, const void *values, size_t bytes)
      : shape_(std::move(shape)), dtype_(dtype), values_(bytes) {
    if (bytes > 0) std::memcpy(values_.data(), values, bytes);
  }

  sim::HostTensor View() {
    std::vector<int64_t> strides(shape_.size(), 1);
    for (size_t i = shape_.size(); i-- > 1;) strides[i - 1] = strides[i] * shape_[i];
    return {shape_, strides, dtype_, values_.data()};
  }

  std::vector<int64_t> Integers() const {
    if (dtype_ != ACL_INT64) throw std::invalid_argument("expected an input of int64 on the host");
    std::vector<int64_t> values(values_.size() / sizeof(int64_t));
    if (!values.empty()) std::memcpy(values.data(), values_.data(), values.size() * sizeof(int64_t));
    return values;
  }

 private:
  std::vector<int64_t> shape_;
  aclDataType dtype_;
  std::vector<std::byte> values_;
};

// The tensors of a call, whose executor shares what they hold.
class Plan {
 public:
  explicit Plan(const sim::CompiledOperator &known) : known_(known) {}

  void Add(const aclTensorDesc &description, const aclDataBuffer *buffer, bool written) {
    void *const data = aclGetDataBufferAddr(buffer);
    arguments_.push_back({&description, data, written, nullptr});
    if (!description.on_host) return;
    arguments_.back().constant = std::make_shared<Constant>(description.shape, description.dtype, data,
                                                            aclGetDataBufferSizeV2(buffer));
  }

  aclError Run(const aclopAttr *attributes, aclrtStream stream) {
    // Constants take their places among the tensors on devices.
    std::vector<std::shared_ptr<Constant>> constants;
    std::vector<int> slots;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      constants.push_back(arguments_[i].constant);
      if (constants.back() == nullptr) slots.push_back(AddTensor(i));
    }
    if (!known_.integers.empty()) constants.push_back(Integers(attributes));
    const auto run = [function = known_.run, constants](const std::vector<sim::HostTensor> &on_devices) {
      std::vector<sim::HostTensor> all;
      auto next = on_devices.begin();
      for (const auto &constant : constants) all.push_back(constant == nullptr ? *next++ : constant->View());
      function(all);
    };
    plan_.Host(run, slots);
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
    std::shared_ptr<Constant> constant;  // nullptr for a tensor on a device
  };

  std::vector<int64_t> IntegersAt(size_t index) const {
    const auto &constant = arguments_.at(index).constant;
    if (constant == nullptr)
      throw std::invalid_argument("expected input " + std::to_string(index) + " of " + known_.type +
                                  " on the host");
    return constant->Integers();
  }

  int AddTensor(size_t index) {
    const auto &[description, data, written, constant] = arguments_[index];
    aclTensor *tensor = nullptr;
    if (description->dtype != ACL_DT_UNDEFINED) {
      std::vector<int64_t> shape = description->shape, strides;
      int64_t offset = 0;
      for (const sim::StridedView &view : known_.views) {
        if (view.tensor != index) continue;
        shape = IntegersAt(view.sizes), strides = IntegersAt(view.strides);
        offset = IntegersAt(view.offset).at(0);
      }
      tensor = aclCreateTensor(shape.data(), shape.size(), description->dtype,
                               strides.empty() ? nullptr : strides.data(), offset, ACL_FORMAT_ND,
                               shape.data(), shape.size(), data);
    }
    tensors_.emplace_back(tensor, &aclDestroyTensor);
    return plan_.View(tensor, written, true);
  }

  std::shared_ptr<Constant> Integers(const aclopAttr *attributes) const {
    std::vector<int64_t> values(known_.integers.size());
    for (size_t i = 0; attributes != nullptr && i < values.size(); ++i) {
      const auto found = attributes->integers.find(known_.integers[i]);
      if (found != attributes->integers.end()) values[i] = found->second;
    }
    return std::make_shared<Constant>(std::vector<int64_t>{static_cast<int64_t>(values.size())}, ACL_INT64,
                                      values.data(), values.size() * sizeof(int64_t));
  }

  const sim::CompiledOperator &known_;
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

EXPORT aclError aclopSetAttrInt(aclopAttr *attr, const char *attrName, int64_t attrValue) try {
  sim::DescribeAttribute(attrName);
  attr->integers[attrName] = attrValue;
  return ACL_SUCCESS;
} catch (...) {
  return sim::ReportException(ACL_ERROR_INVALID_PARAM, __func__);
}

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
                                       aclDataBuffer *const outputs[], const aclopAttr *attr, aclopEngineType,
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
  return plan.Run(attr, stream);
} catch (...) {
  return sim::ReportException(ACL_ERROR_INVALID_PARAM, __func__);
}
