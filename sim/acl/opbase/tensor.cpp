// SPDX-License-Identifier: Apache-2.0
#include "tensor.h"

#include <algorithm>
#include <numeric>

#include "report.h"

namespace sim::opbase {
namespace {

// The product of two sizes. It wraps around where no int64 holds it.
int64_t Product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace

std::vector<int64_t> DenseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = Product(strides[i], std::max<int64_t>(shape[i], 1));
  return strides;
}

int64_t TensorState::Elements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, Product);
}

uint64_t TensorState::Extent() const {
  if (Elements() == 0) return 0;
  uint64_t last = 0;
  for (size_t i = 0; i < shape.size(); ++i) last += static_cast<uint64_t>(Product(shape[i] - 1, strides[i]));
  return (last + 1) * ItemSize();
}

bool TensorState::Dense() const {
  if (Elements() == 0) return true;
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected = Product(expected, shape[i]);
  }
  return true;
}

namespace {

aclnnStatus CheckSizes(const char *call, const char *name, const int64_t *values, uint64_t count) {
  if (values == nullptr && count > 0) {
    return Fail(kParamNullptr, call, ": ", name, " must not be null, as its length is ", count);
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (values[i] < 0)
      return Fail(kParamInvalid, call, ": ", name, "[", i, "] must not be negative, got ", values[i]);
  }
  return OK;
}

aclnnStatus Fill(const char *call, const int64_t *shape, uint64_t rank, aclDataType dtype,
                 const int64_t *strides, int64_t offset, aclFormat format, const int64_t *storage,
                 uint64_t storage_rank, void *data, TensorState *state) {
  if (const aclnnStatus code = CheckSizes(call, "viewDims", shape, rank); code != OK) return code;
  if (const aclnnStatus code = CheckSizes(call, "storageDims", storage, storage_rank); code != OK)
    return code;
  if (const aclnnStatus code = CheckSizes(call, "stride", strides, strides == nullptr ? 0 : rank);
      code != OK) {
    return code;
  }
  if (offset < 0) return Fail(kParamInvalid, call, ": offset must not be negative, got ", offset);
  state->shape.assign(shape, shape + rank);
  if (strides == nullptr) {
    state->strides = DenseStrides(state->shape);
  } else {
    state->strides.assign(strides, strides + rank);
  }
  state->storage_shape.assign(storage, storage + storage_rank);
  state->offset = offset;
  state->dtype = dtype;
  state->format = format;
  state->data = data;
  return OK;
}

aclnnStatus HandOut(const std::vector<int64_t> &values, int64_t **array, uint64_t *count) {
  *array = new int64_t[values.size()];  // where this throws, there are no values and the count stays
  *count = values.size();
  std::copy(values.begin(), values.end(), *array);
  return OK;
}

}  // namespace
}  // namespace sim::opbase

using namespace sim::opbase;

extern "C" {

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t *stride, int64_t offset, aclFormat format,
                           const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData) try {
  auto state = std::make_shared<TensorState>();
  const aclnnStatus code = Fill(__func__, viewDims, viewDimsNum, dataType, stride, offset, format,
                                storageDims, storageDimsNum, tensorData, state.get());
  return code == OK ? new aclTensor{std::move(state)} : nullptr;
}
SIM_CATCH

aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t *stride, int64_t offset, aclFormat format,
                          const int64_t *storageDims, uint64_t storageDimsNum, void *tensorDataAddr) try {
  SIM_REQUIRE_OBJECT(tensor, kParamNullptr);
  return Fill(__func__, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum,
              tensorDataAddr, tensor->state.get());
}
SIM_CATCH

aclnnStatus aclDestroyTensor(const aclTensor *tensor) {
  delete tensor;
  return OK;
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum) try {
  SIM_REQUIRE_OBJECT(tensor, kParamNullptr);
  SIM_REQUIRE_OBJECT(viewDims, kParamNullptr);
  SIM_REQUIRE_OBJECT(viewDimsNum, kParamNullptr);
  return HandOut(tensor->state->shape, viewDims, viewDimsNum);
}
SIM_CATCH

aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum) try {
  SIM_REQUIRE_OBJECT(tensor, kParamNullptr);
  SIM_REQUIRE_OBJECT(storageDims, kParamNullptr);
  SIM_REQUIRE_OBJECT(storageDimsNum, kParamNullptr);
  return HandOut(tensor->state->storage_shape, storageDims, storageDimsNum);
}
SIM_CATCH

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum) try {
  SIM_REQUIRE_OBJECT(tensor, kParamNullptr);
  SIM_REQUIRE_OBJECT(stridesValue, kParamNullptr);
  SIM_REQUIRE_OBJECT(stridesNum, kParamNullptr);
  return HandOut(tensor->state->strides, stridesValue, stridesNum);
}
SIM_CATCH

aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset) try {
  SIM_REQUIRE_OBJECT(tensor, kParamNullptr);
  SIM_REQUIRE_OBJECT(offset, kParamNullptr);
  *offset = tensor->state->offset;
  return OK;
}
SIM_CATCH

aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format) try {
  SIM_REQUIRE_OBJECT(tensor, kParamNullptr);
  SIM_REQUIRE_OBJECT(format, kParamNullptr);
  *format = tensor->state->format;
  return OK;
}
SIM_CATCH

aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType) try {
  SIM_REQUIRE_OBJECT(tensor, kParamNullptr);
  SIM_REQUIRE_OBJECT(dataType, kParamNullptr);
  *dataType = tensor->state->dtype;
  return OK;
}
SIM_CATCH

aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr) try {
  SIM_REQUIRE_OBJECT(tensor, kParamNullptr);
  SIM_REQUIRE_OBJECT(addr, kParamNullptr);
  *addr = tensor->state->data;
  return OK;
}
SIM_CATCH

aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr) try {
  SIM_REQUIRE_OBJECT(tensor, kParamNullptr);
  tensor->state->data = addr;
  return OK;
}
SIM_CATCH

}  // extern "C"
