// SPDX-License-Identifier: Apache-2.0
// Results in memory of the caller's: kernels write them in any order, while they read their inputs.
#pragma once

#include <initializer_list>
#include <optional>

#include "op_host/common/tensors/status.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

// A tensor and what messages call it; none of an optional one that is left out.
struct NamedTensor {
  const char *name;
  const Tensor *tensor;
};

// Fails unless each element of each result has bytes that no other element has, of it or of any other tensor.
// Views may interlock.
Status CheckOwnMemory(std::initializer_list<NamedTensor> results, std::initializer_list<NamedTensor> inputs);

// Fails where a result has another dtype than an attribute asks for.
Status CheckChosen(const char *result, DType dtype, const char *attribute, std::optional<DType> chosen);

}  // namespace avo
