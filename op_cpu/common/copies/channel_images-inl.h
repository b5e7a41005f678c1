// SPDX-License-Identifier: Apache-2.0
// Images whose channels are contiguous. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_CHANNEL_IMAGES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_CHANNEL_IMAGES_INL_H_
#undef AVO_OP_CPU_COMMON_CHANNEL_IMAGES_INL_H_
#else
#define AVO_OP_CPU_COMMON_CHANNEL_IMAGES_INL_H_
#endif

#include "hwy/highway.h"
#include "op_cpu/common/copies/huge_pages.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One image whose channels are contiguous.
template <typename T>
struct ChannelImage {
  T *data;
  int64_t row, column;  // elements from row to row, and from pixel to pixel
};

// The images of a call in that form. Where their channels are contiguous, they are read where they lie; else
// some of them at a time are copied.
template <typename T>
class ChannelImages {
  static constexpr int64_t kLanes = hn::MaxLanes(ComputeTag<T>());

 public:
  // `most` images are copied at a time. The caller may read whole vectors from each channel that is a
  // multiple of `together`.
  ChannelImages(const Tensor &images, int64_t most, int64_t together)
      : images_(images),
        in_place_(images.strides[1] == 1 && together % kLanes == 0),
        size_(images.shape[1] * images.shape[2] * images.shape[3]),
        copies_(AllocateAligned<T>((in_place_ ? 0 : most * size_) + kLanes)) {
    if (!in_place_) AdviseHugePages(copies_.get(), most * size_ * sizeof(T));
  }

  // Prepares images [first, first + count), which At returns from now on.
  void Load(int64_t first, int64_t count, const ParallelFor &parallel_for) {
    first_ = first;
    if (in_place_) return;
    const Shape &s = images_.strides;
    const int64_t rows = images_.shape[2], columns = images_.shape[3], channels = images_.shape[1];
    parallel_for(count * rows, GrainOf(columns * channels), [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const T *from = Image(first + item / rows) + item % rows * s[2];
        RowToChannelsLast(from, s, channels, columns, copies_.get() + item * columns * channels, channels);
      }
    });
  }

  ChannelImage<const T> At(int64_t n) const {
    const int64_t channels = images_.shape[1];
    if (in_place_) return {Image(n), images_.strides[2], images_.strides[3]};
    return {copies_.get() + (n - first_) * size_, images_.shape[3] * channels, channels};
  }

 private:
  const T *Image(int64_t n) const { return static_cast<const T *>(images_.data) + n * images_.strides[0]; }

  const Tensor &images_;
  const bool in_place_;
  const int64_t size_;
  const hwy::AlignedFreeUniquePtr<T[]> copies_;
  int64_t first_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
