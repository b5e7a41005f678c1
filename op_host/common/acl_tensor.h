// SPDX-License-Identifier: Apache-2.0
// From the objects of the aclnn C interface to the framework-free types, by the public getters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "aclnn/acl_meta.h"
#include "op_host/common/tensor.h"

namespace avo {

// The view an aclTensor describes; its data stays an address on the device.
inline Tensor FromAcl(const aclTensor *tensor) {
  const auto dimensions = [tensor](auto getter) {
    int64_t *values = nullptr;
    uint64_t count = 0;
    getter(tensor, &values, &count);
    const std::unique_ptr<int64_t[]> owner(values);
    return Shape(values, values + count);
  };
  aclDataType dtype = ACL_DT_UNDEFINED;
  int64_t offset = 0;
  void *storage = nullptr;
  aclGetDataType(tensor, &dtype);
  aclGetViewOffset(tensor, &offset);
  aclGetRawTensorAddr(tensor, &storage);

  Tensor view;
  view.dtype = static_cast<DType>(dtype);
  view.shape = dimensions(aclGetViewShape);
  view.strides = dimensions(aclGetViewStrides);
  view.data = static_cast<uint8_t *>(storage) + offset * DTypeSize(view.dtype);
  return view;
}

// The format a tensor was created with, or ACL_FORMAT_UNDEFINED.
inline aclFormat FormatOf(const aclTensor *tensor) {
  aclFormat format = ACL_FORMAT_UNDEFINED;
  aclGetFormat(tensor, &format);
  return format;
}

inline bool HasFormat(const aclTensor *tensor, std::initializer_list<aclFormat> formats) {
  return std::find(formats.begin(), formats.end(), FormatOf(tensor)) != formats.end();
}

}  // namespace avo
