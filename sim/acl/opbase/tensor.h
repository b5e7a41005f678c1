// SPDX-License-Identifier: Apache-2.0
// The content of an aclTensor. Executors that use the tensor share it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aclnn/acl_meta.h"

namespace sim::opbase {

struct TensorState {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in elements
  std::vector<int64_t> storage_shape;
  int64_t offset = 0;  // in elements
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_ND;
  void *data = nullptr;

  int64_t Elements() const;
  uint64_t ItemSize() const { return aclDataTypeSize(dtype); }
  // The bytes from the first element of the view to the end of its last one.
  uint64_t Extent() const;
  // Says whether the view is row-major without gaps. Strides of dimensions of one element do not matter.
  bool Dense() const;
  // Sizes, strides and the offset may be any numbers: what no 64 bits hold wraps around.
  void *ViewAddress() const {
    return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(data) +
                                    static_cast<uint64_t>(offset) * ItemSize());
  }
};

// Returns the strides of a dense tensor, in elements.
std::vector<int64_t> DenseStrides(const std::vector<int64_t> &shape);

}  // namespace sim::opbase

struct aclTensor {
  std::shared_ptr<sim::opbase::TensorState> state;
};
