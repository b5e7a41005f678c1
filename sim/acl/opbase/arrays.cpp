// SPDX-License-Identifier: Apache-2.0
#include "arrays.h"

#include "report.h"
#include "sim/op_plan.h"

namespace sim {

std::vector<int64_t> IntArrayValues(const aclIntArray *array) {
  return array == nullptr ? std::vector<int64_t>() : array->values;
}

std::vector<int64_t> IntArrayValues(const aclBoolArray *array) {
  return array == nullptr ? std::vector<int64_t>()
                          : std::vector<int64_t>(array->values.begin(), array->values.end());
}

std::vector<float> FloatArrayValues(const aclFloatArray *array) {
  return array == nullptr ? std::vector<float>() : array->values;
}

std::vector<bool> BoolArrayValues(const aclBoolArray *array) {
  return array == nullptr ? std::vector<bool>()
                          : std::vector<bool>(array->values.begin(), array->values.end());
}

}  // namespace sim

using namespace sim::opbase;

namespace {

template <typename Array, typename Value>
Array *CreateArray(const char *call, const Value *values, uint64_t size) {
  if (values == nullptr && size > 0) {
    Fail(kParamNullptr, call, ": value must not be null, as size is ", size);
    return nullptr;
  }
  return new Array{{values, values + size}};
}

template <typename List, typename Member>
List *CreateList(const char *call, const Member *const *members, uint64_t size) {
  if (members == nullptr && size > 0) {
    Fail(kParamNullptr, call, ": value must not be null, as size is ", size);
    return nullptr;
  }
  auto list = new List;
  for (uint64_t i = 0; i < size; ++i) list->members.push_back(const_cast<Member *>(members[i]));
  return list;
}

template <typename List>
aclnnStatus DestroyList(const List *list) {
  if (list == nullptr) return OK;
  for (const auto *member : list->members) delete member;
  delete list;
  return OK;
}

}  // namespace

extern "C" {

aclScalar *aclCreateScalar(void *value, aclDataType dataType) try {
  const size_t size = aclDataTypeSize(dataType);
  if (value == nullptr || size == 0) {
    Fail(value == nullptr ? kParamNullptr : kParamInvalid, __func__,
         ": needs a value and a dataType of whole bytes, got value ", value, ", dataType ", dataType);
    return nullptr;
  }
  const char *bytes = static_cast<const char *>(value);
  return new aclScalar{dataType, {bytes, bytes + size}};
}
SIM_CATCH

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size) try {
  return CreateArray<aclIntArray>(__func__, value, size);
}
SIM_CATCH

aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size) try {
  return CreateArray<aclFloatArray>(__func__, value, size);
}
SIM_CATCH

aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size) try {
  return CreateArray<aclBoolArray>(__func__, value, size);
}
SIM_CATCH

aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size) try {
  return CreateList<aclTensorList>(__func__, value, size);
}
SIM_CATCH

aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size) try {
  return CreateList<aclScalarList>(__func__, value, size);
}
SIM_CATCH

aclnnStatus aclDestroyScalar(const aclScalar *scalar) {
  delete scalar;
  return OK;
}

aclnnStatus aclDestroyIntArray(const aclIntArray *array) {
  delete array;
  return OK;
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray *array) {
  delete array;
  return OK;
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray *array) {
  delete array;
  return OK;
}

aclnnStatus aclDestroyTensorList(const aclTensorList *array) { return DestroyList(array); }

aclnnStatus aclDestroyScalarList(const aclScalarList *array) { return DestroyList(array); }

aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size) try {
  SIM_REQUIRE_OBJECT(array, kParamNullptr);
  SIM_REQUIRE_OBJECT(size, kParamNullptr);
  *size = array->values.size();
  return OK;
}
SIM_CATCH

aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size) try {
  SIM_REQUIRE_OBJECT(array, kParamNullptr);
  SIM_REQUIRE_OBJECT(size, kParamNullptr);
  *size = array->values.size();
  return OK;
}
SIM_CATCH

aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size) try {
  SIM_REQUIRE_OBJECT(array, kParamNullptr);
  SIM_REQUIRE_OBJECT(size, kParamNullptr);
  *size = array->values.size();
  return OK;
}
SIM_CATCH

aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size) try {
  SIM_REQUIRE_OBJECT(tensorList, kParamNullptr);
  SIM_REQUIRE_OBJECT(size, kParamNullptr);
  *size = tensorList->members.size();
  return OK;
}
SIM_CATCH

aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size) try {
  SIM_REQUIRE_OBJECT(scalarList, kParamNullptr);
  SIM_REQUIRE_OBJECT(size, kParamNullptr);
  *size = scalarList->members.size();
  return OK;
}
SIM_CATCH

}  // extern "C"
