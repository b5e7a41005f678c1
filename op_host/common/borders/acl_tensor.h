// SPDX-License-Identifier: Apache-2.0
// Conversions between the objects of the aclnn C interface and our own types, by public functions only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <vector>

#include "aclnn/acl_meta.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

// Returns how many elements lie before a view in its storage.
inline int64_t OffsetOf(const aclTensor *tensor) {
  int64_t offset = 0;
  aclGetViewOffset(tensor, &offset);
  return offset;
}

// Returns the view that an aclTensor describes. Its data is still an address on the device, or null where the
// tensor has none yet. Throws std::bad_alloc where CANN has no memory for a copy of its shape.
inline Tensor FromAcl(const aclTensor *tensor) {
  const auto dimensions = [tensor](auto getter) {
    int64_t *values = nullptr;
    uint64_t count = 0;
    if (getter(tensor, &values, &count) != 0) throw std::bad_alloc();
    const std::unique_ptr<int64_t[]> owner(values);
    return Shape(values, values + count);
  };
  aclDataType dtype = ACL_DT_UNDEFINED;
  void *storage = nullptr;
  aclGetDataType(tensor, &dtype);
  aclGetRawTensorAddr(tensor, &storage);

  Tensor view;
  view.dtype = static_cast<DType>(dtype);
  view.shape = dimensions(aclGetViewShape);
  view.strides = dimensions(aclGetViewStrides);
  if (storage != nullptr) {
    // Unsigned, because the offset may be any number here: CheckReach judges it later.
    const uint64_t before = static_cast<uint64_t>(OffsetOf(tensor)) * DTypeSize(view.dtype);
    view.data = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(storage) + before);
  }
  return view;
}

// Returns how many elements of memory a view spans, from its first to its last one. Strides must not be
// negative.
inline int64_t ExtentOf(const Tensor &view) {
  int64_t extent = view.numel() == 0 ? 0 : 1;
  for (size_t i = 0; extent > 0 && i < view.shape.size(); ++i)
    extent += (view.shape[i] - 1) * view.strides[i];
  return extent;
}

// Creates an aclTensor of a view whose data is an address on the device.
inline aclTensor *ToAcl(const Tensor &view) {
  const int64_t extent = ExtentOf(view);
  return aclCreateTensor(view.shape.data(), view.shape.size(), static_cast<aclDataType>(view.dtype),
                         view.strides.data(), 0, ACL_FORMAT_ND, &extent, 1, view.data);
}

// Creates an aclBoolArray: false for 0, true for all other values.
inline aclBoolArray *BoolsToAcl(const std::vector<int64_t> &values) {
  const std::unique_ptr<bool[]> flags(new bool[values.size()]);
  for (size_t i = 0; i < values.size(); ++i) flags[i] = values[i] != 0;
  return aclCreateBoolArray(flags.get(), values.size());
}

// Returns the format with which a tensor was created, or ACL_FORMAT_UNDEFINED.
inline aclFormat FormatOf(const aclTensor *tensor) {
  aclFormat format = ACL_FORMAT_UNDEFINED;
  aclGetFormat(tensor, &format);
  return format;
}

inline bool HasFormat(const aclTensor *tensor, std::initializer_list<aclFormat> formats) {
  return std::find(formats.begin(), formats.end(), FormatOf(tensor)) != formats.end();
}

}  // namespace avo
