// SPDX-License-Identifier: Apache-2.0
// What a function is given that finds between which shapes a result lies. Graphs need it, and there are none
// here: such functions compile, and nothing calls them.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

template <typename T>
class Range {
 public:
  Range() = default;
  Range(T *least, T *most) : least_(least), most_(most) {}

  const T *GetMin() const { return least_; }
  const T *GetMax() const { return most_; }
  T *GetMin() { return least_; }
  T *GetMax() { return most_; }
  void SetMin(T *least) { least_ = least; }
  void SetMax(T *most) { most_ = most; }

 private:
  T *least_ = nullptr;
  T *most_ = nullptr;
};

class InferShapeRangeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const Range<Shape> *GetInputShapeRange(size_t) const { return nullptr; }
  const Range<Tensor> *GetInputTensorRange(size_t) const { return nullptr; }
  Range<Shape> *GetOutputShapeRange(size_t) { return nullptr; }
};

}  // namespace gert
