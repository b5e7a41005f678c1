// SPDX-License-Identifier: Apache-2.0
// What aclScalar, the arrays and the lists hold.
#pragma once

#include <vector>

#include "tensor.h"

struct aclScalar {
  aclDataType dtype;
  std::vector<char> value;
};

struct aclIntArray {
  std::vector<int64_t> values;
};

struct aclFloatArray {
  std::vector<float> values;
};

struct aclBoolArray {
  std::vector<char> values;
};

struct aclTensorList {
  std::vector<aclTensor *> members;
};

struct aclScalarList {
  std::vector<aclScalar *> members;
};
