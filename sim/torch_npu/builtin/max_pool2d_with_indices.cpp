// SPDX-License-Identifier: Apache-2.0
// Maximum pooling as torch_npu calls it: a mask says where maxima lie, in the place of indices.
#include <ATen/ATen.h>

#include "table.h"

using sim::builtin::Given;

namespace {

// Stores where in its window each maximum lies. A device stores bits instead. Only the gradient reads them,
// and the places need no more memory.
at::Tensor Places(const at::Tensor &mask, at::IntArrayRef sizes) {
  return at::from_blob(mask.data_ptr(), sizes, at::kShort);
}

// The positions 0, 1, …, times a factor, along the dimension that has `behind` dimensions after it.
at::Tensor Steps(const at::Tensor &like, int64_t behind, int64_t factor) {
  const int64_t count = like.size(like.dim() - 1 - behind);
  const at::Tensor steps = at::arange(count, at::kLong) * factor;
  return behind == 0 ? steps : steps.unsqueeze(1);
}

int64_t Second(const std::vector<int64_t> &pair) { return pair.back(); }

// Returns the stride, or the size of the kernel where no stride is given.
const std::vector<int64_t> &StrideOf(const std::vector<int64_t> &stride, const std::vector<int64_t> &kernel) {
  return stride.empty() ? kernel : stride;
}

}  // namespace

ACLNN(MaxPool2dWithMask, In(self), Ints(kernel), Ints(stride), Ints(padding), Ints(dilation), Bool(ceil_mode),
      Out(out), Out(mask)) {
  const auto [values, indices] =
      at::max_pool2d_with_indices(self, kernel, stride, padding, dilation, ceil_mode);
  const int64_t width = self.size(-1);
  const at::Tensor row =
      (indices.div(width, "floor") - Steps(indices, 1, StrideOf(stride, kernel)[0]) + padding[0])
          .div(dilation[0], "floor");
  const at::Tensor column =
      (indices.remainder(width) - Steps(indices, 0, Second(StrideOf(stride, kernel))) + Second(padding))
          .div(Second(dilation), "floor");
  out.copy_(values);
  Places(mask, indices.sizes()).copy_(row * Second(kernel) + column);
}
ACLNN(MaxPool2dWithMaskBackward, In(grad), In(self), In(mask), Ints(kernel), Ints(stride), Ints(padding),
      Ints(dilation), Bool(ceil_mode), Out(out)) {
  const at::Tensor places = Places(mask, grad.sizes()).to(at::kLong);
  const at::Tensor row = places.div(Second(kernel), "floor") * dilation[0] +
                         Steps(places, 1, StrideOf(stride, kernel)[0]) - padding[0];
  const at::Tensor column = places.remainder(Second(kernel)) * Second(dilation) +
                            Steps(places, 0, Second(StrideOf(stride, kernel))) - Second(padding);
  const at::Tensor indices = row * self.size(-1) + column;
  out.copy_(at::max_pool2d_with_indices_backward(grad, self, kernel, stride, padding, dilation, ceil_mode,
                                                 indices));
}
