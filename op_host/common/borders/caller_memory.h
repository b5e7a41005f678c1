// SPDX-License-Identifier: Apache-2.0
// Results in memory that the caller provides. Kernels write results in any order while they read their
// inputs, so no two elements may share memory.
#pragma once

#include <initializer_list>
#include <optional>

#include "op_host/common/tensors/status.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

struct NamedTensor {
  const char *name;      // in messages
  const Tensor *tensor;  // nullptr for an optional tensor that is not given
};

// Fails where the bytes from the start of the storage to the end of a view do not fit in an int64, with which
// everything behind this check counts. `offset` is that of the view, in elements.
Status CheckReach(const char *name, const Tensor &view, int64_t offset);

// Fails where an element of a result shares bytes with another element, of the same tensor or of another one.
// Two views may interlock, such as the even and the odd elements of an array. A tensor without an address,
// which an executor gets later, shares nothing.
Status CheckOwnMemory(std::initializer_list<NamedTensor> results, std::initializer_list<NamedTensor> inputs);

// Fails where a result has another dtype than an attribute asks for.
Status CheckChosen(const char *result, DType dtype, const char *attribute, std::optional<DType> chosen);

}  // namespace avo
