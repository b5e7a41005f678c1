// SPDX-License-Identifier: Apache-2.0
// Images (N, C, H, W) as they lie in memory: plane behind plane, or with the channels of each pixel together.
#pragma once

#include <cstdint>

#include "hwy/aligned_allocator.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/common/tensors/rows.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

// The same images with their channels as the last dimension.
inline Tensor ChannelsLast(const Tensor &images) {
  const Shape &n = images.shape, &s = images.strides;
  return {images.dtype, {n[0], n[2], n[3], n[1]}, {s[0], s[2], s[3], s[1]}, images.data};
}

// Whether elements lie behind each other without gaps, in row-major order.
inline bool IsDense(const Tensor &tensor) {
  int64_t stride = 1;
  for (int64_t d = tensor.rank() - 1; d >= 0; stride *= tensor.shape[d--]) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != stride) return false;
  }
  return true;
}

// Whether images lie with the channels of each pixel together, and not also plane behind plane.
inline bool AreChannelsLast(const Tensor &images) {
  return !IsDense(images) && IsDense(ChannelsLast(images));
}

// Dense memory for a result of any strides: its own, or other memory from which Store() copies.
template <typename T>
class DenseResult {
 public:
  explicit DenseResult(const Tensor &result) : result_(result) {
    if (!IsDense(result)) memory_ = AllocateAligned<T>(result.numel());
  }

  T *data() const { return memory_ ? memory_.get() : static_cast<T *>(result_.data); }

  void Store(const ParallelFor &parallel_for) const {
    if (!memory_) return;
    ForEachRow(result_, parallel_for, [&](int64_t row) {
      const StridedRow<T> to = RowOf<T>(result_, row);
      for (int64_t x = 0; x < to.length; ++x) to[x] = memory_[row * to.length + x];
    });
  }

 private:
  Tensor result_;
  hwy::AlignedFreeUniquePtr<T[]> memory_;
};

}  // namespace avo
