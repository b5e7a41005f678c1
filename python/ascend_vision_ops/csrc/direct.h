// SPDX-License-Identifier: Apache-2.0
// The border between the module _direct, which knows Python, and libavo_torch, which knows torch: how a call
// from Python reaches a kernel on cpu tensors without torch's dispatcher.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "op_host/common/tensors/tensor.h"

namespace avo::direct {

enum class Kind { kNone, kTensor, kInt, kFloat, kBool, kString, kInts };

// An argument of a call. Of the values, the one that `kind` names holds.
struct Value {
  Kind kind = Kind::kNone;
  Tensor tensor;
  int64_t integer = 0;
  double number = 0;
  bool flag = false;
  std::string text;
  std::vector<int64_t> ints;
};

constexpr int kMostResults = 8;

// Computes the results of an operator, from values in the order of its schema. Returns how many handles of
// tensors it has written to `results`, or 0 where it has computed nothing: where a value has another kind
// than the kernel takes, or the kernel has raised an error.
using Function = int (*)(const Value *values, void **results);

}  // namespace avo::direct

extern "C" {
// Returns the function of an operator, or null.
avo::direct::Function AvoDirectFunction(const char *name);
// Deletes the handle of a tensor.
void AvoDirectDelete(void *handle);
}
