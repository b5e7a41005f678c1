// SPDX-License-Identifier: Apache-2.0
// What aclScalar and the lists hold. opdev/common_types.h has what the arrays hold.
#pragma once

#include <vector>

#include "opdev/common_types.h"
#include "tensor.h"

struct aclScalar {
  aclDataType dtype;
  std::vector<char> value;
};

struct aclTensorList {
  std::vector<aclTensor *> members;
};

struct aclScalarList {
  // torch_npu passes the scalars of some operators as a list in one place and as a tensor in another. This
  // word tells the two apart: the first word of an aclTensor is an address, and no address has this value.
  static constexpr uint64_t kTag = 0xACA15CA1A2115700;
  uint64_t tag = kTag;
  std::vector<aclScalar *> members;
};
