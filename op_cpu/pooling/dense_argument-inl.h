// SPDX-License-Identifier: Apache-2.0
// Arguments as dense memory. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_DENSE_ARGUMENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_DENSE_ARGUMENT_INL_H_
#undef AVO_OP_CPU_POOLING_DENSE_ARGUMENT_INL_H_
#else
#define AVO_OP_CPU_POOLING_DENSE_ARGUMENT_INL_H_
#endif

#include "op_cpu/common/copies/dense-inl.h"
#include "op_cpu/pooling/dense_images.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {

// The elements of an argument in row-major order: its own memory, or a copy.
template <typename T>
class DenseArgument {
 public:
  DenseArgument(Tensor argument, const ParallelFor &parallel_for) {
    if (!IsDense(argument)) copy_ = MakeDense<T>(&argument, parallel_for);
    data_ = static_cast<const T *>(argument.data);
  }

  const T *data() const { return data_; }

 private:
  hwy::AlignedFreeUniquePtr<T[]> copy_;
  const T *data_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
