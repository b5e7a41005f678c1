// SPDX-License-Identifier: Apache-2.0
#include "acl_test.h"
#include "sim/op_plan.h"

using namespace acl_test;

namespace {

std::vector<int64_t> Values(aclnnStatus (*getter)(const aclTensor *, int64_t **, uint64_t *),
                            const aclTensor *tensor) {
  int64_t *values = nullptr;
  uint64_t count = 0;
  CHECK_OK(getter(tensor, &values, &count));
  std::vector<int64_t> copy(values, values + count);
  delete[] values;
  return copy;
}

}  // namespace

ACL_TEST(a_tensor_gives_back_what_it_was_made_of) {
  const std::vector<int64_t> shape = {2, 3, 4};
  const std::vector<int64_t> strides = {1, 2, 6};
  const std::vector<int64_t> storage = {40};
  int data = 0;
  aclTensor *tensor = aclCreateTensor(shape.data(), 3, ACL_FLOAT16, strides.data(), 5, ACL_FORMAT_NCL,
                                      storage.data(), 1, &data);
  CHECK(tensor != nullptr);
  CHECK(Values(aclGetViewShape, tensor) == shape);
  CHECK(Values(aclGetViewStrides, tensor) == strides);
  CHECK(Values(aclGetStorageShape, tensor) == storage);
  int64_t offset = 0;
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  void *address = nullptr;
  CHECK_OK(aclGetViewOffset(tensor, &offset));
  CHECK_OK(aclGetDataType(tensor, &dtype));
  CHECK_OK(aclGetFormat(tensor, &format));
  CHECK_OK(aclGetRawTensorAddr(tensor, &address));
  CHECK(offset == 5 && dtype == ACL_FLOAT16 && format == ACL_FORMAT_NCL && address == &data);
  CHECK_OK(aclSetRawTensorAddr(tensor, nullptr));
  CHECK_OK(aclGetRawTensorAddr(tensor, &address));
  CHECK(address == nullptr);
  CHECK_OK(
      aclInitTensor(tensor, shape.data(), 2, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, storage.data(), 1, &data));
  CHECK(Values(aclGetViewStrides, tensor) == (std::vector<int64_t>{3, 1}));
  CHECK_OK(aclDestroyTensor(tensor));
  CHECK_OK(aclDestroyTensor(nullptr));
}

ACL_TEST(wrong_tensors_are_refused) {
  const int64_t shape[] = {2, -1};
  const int64_t good[] = {2, 2};
  CHECK(aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, good, 2, nullptr) == nullptr);
  CHECK(Message().find("viewDims[1] must not be negative, got -1") != std::string::npos);
  CHECK(aclCreateTensor(good, 2, ACL_FLOAT, shape, 0, ACL_FORMAT_ND, good, 2, nullptr) == nullptr);
  CHECK(Message().find("stride[1]") != std::string::npos);
  CHECK(aclCreateTensor(nullptr, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, good, 2, nullptr) == nullptr);
  CHECK(Message().find("viewDims must not be null") != std::string::npos);
  CHECK(aclCreateTensor(good, 2, ACL_FLOAT, nullptr, -3, ACL_FORMAT_ND, good, 2, nullptr) == nullptr);
  CHECK(Message().find("offset") != std::string::npos);
  aclTensor *scalar = aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
  CHECK(scalar != nullptr);
  int64_t *dims = nullptr;
  CHECK_FAILS(aclGetViewShape(scalar, &dims, nullptr), 161001, "viewDimsNum");
  CHECK_FAILS(aclGetViewShape(nullptr, &dims, nullptr), 161001, "tensor");
  aclDestroyTensor(scalar);
}

ACL_TEST(arrays_and_lists_know_their_sizes) {
  const int64_t ints[] = {1, 2, 3};
  const float floats[] = {1.5f};
  const bool bools[] = {true, false};
  uint64_t size = 0;
  aclIntArray *int_array = aclCreateIntArray(ints, 3);
  aclFloatArray *float_array = aclCreateFloatArray(floats, 1);
  aclBoolArray *bool_array = aclCreateBoolArray(bools, 2);
  CHECK_OK(aclGetIntArraySize(int_array, &size));
  CHECK(size == 3 && sim::IntArrayValues(int_array) == std::vector<int64_t>(ints, ints + 3));
  CHECK_OK(aclGetFloatArraySize(float_array, &size));
  CHECK(size == 1 && sim::FloatArrayValues(float_array)[0] == 1.5f);
  CHECK_OK(aclGetBoolArraySize(bool_array, &size));
  CHECK(size == 2 && sim::BoolArrayValues(bool_array) == (std::vector<bool>{true, false}));
  CHECK_OK(aclDestroyIntArray(int_array));
  CHECK_OK(aclDestroyFloatArray(float_array));
  CHECK_OK(aclDestroyBoolArray(bool_array));

  const int64_t shape[] = {1};
  aclTensor *tensors[2];
  for (aclTensor *&tensor : tensors) {
    tensor = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, nullptr);
  }
  aclTensorList *list = aclCreateTensorList(tensors, 2);
  CHECK_OK(aclGetTensorListSize(list, &size));
  CHECK(size == 2);
  CHECK_OK(aclDestroyTensorList(list));

  double value = 2.5;
  aclScalar *scalars[] = {aclCreateScalar(&value, ACL_DOUBLE)};
  CHECK(scalars[0] != nullptr);
  CHECK(aclCreateScalar(nullptr, ACL_DOUBLE) == nullptr);
  CHECK(aclCreateIntArray(nullptr, 1) == nullptr);
  aclScalarList *scalar_list = aclCreateScalarList(scalars, 1);
  CHECK_OK(aclGetScalarListSize(scalar_list, &size));
  CHECK(size == 1);
  CHECK_OK(aclDestroyScalarList(scalar_list));
  CHECK_FAILS(aclGetIntArraySize(nullptr, &size), 161001, "array");
}
