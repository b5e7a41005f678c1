// SPDX-License-Identifier: Apache-2.0
// What a function is given that finds the shapes of results.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class InferShapeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const Shape *GetInputShape(size_t index) const { return ShapeOf(node_->inputs.At(index)); }
  const Shape *GetRequiredInputShape(size_t index) const { return ShapeOf(node_->inputs.Of(index)); }
  const Shape *GetOptionalInputShape(size_t index) const { return ShapeOf(node_->inputs.Of(index)); }
  const Shape *GetDynamicInputShape(size_t index, size_t place) const {
    return ShapeOf(node_->inputs.Of(index, place));
  }
  const Tensor *GetInputTensor(size_t index) const { return node_->inputs.At(index); }
  const Tensor *GetRequiredInputTensor(size_t index) const { return node_->inputs.Of(index); }
  const Tensor *GetOptionalInputTensor(size_t index) const { return node_->inputs.Of(index); }
  const Tensor *GetDynamicInputTensor(size_t index, size_t place) const {
    return node_->inputs.Of(index, place);
  }
  Shape *GetOutputShape(size_t index) {
    return index < node_->outputs.tensors.size()
               ? &node_->outputs.tensors[index].GetShape().MutableOriginShape()
               : nullptr;
  }

 private:
  static const Shape *ShapeOf(const Tensor *tensor) {
    return tensor == nullptr ? nullptr : &tensor->GetOriginShape();
  }
};

}  // namespace gert
