// SPDX-License-Identifier: Apache-2.0
// What the arrays of the aclnn interface hold, for the host code of operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aclnn/acl_meta.h"

struct aclIntArray {
  const int64_t *GetData() const { return values.data(); }
  uint64_t Size() const { return values.size(); }
  const int64_t &operator[](size_t index) const { return values[index]; }

  std::vector<int64_t> values;
};

struct aclFloatArray {
  const float *GetData() const { return values.data(); }
  uint64_t Size() const { return values.size(); }
  const float &operator[](size_t index) const { return values[index]; }

  std::vector<float> values;
};

struct aclBoolArray {
  const bool *GetData() const { return reinterpret_cast<const bool *>(values.data()); }
  uint64_t Size() const { return values.size(); }
  bool operator[](size_t index) const { return values[index] != 0; }

  std::vector<char> values;  // 0 and 1
};
