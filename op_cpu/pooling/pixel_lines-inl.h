// SPDX-License-Identifier: Apache-2.0
// Rows of images as lines of pixels, whose channels are neighbours. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_PIXEL_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_PIXEL_LINES_INL_H_
#undef AVO_OP_CPU_POOLING_PIXEL_LINES_INL_H_
#else
#define AVO_OP_CPU_POOLING_PIXEL_LINES_INL_H_
#endif

#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether rows of planes are shorter than a vector, so that all rows of a plane are transposed at once: 5 x
// for gradients of means of planes of 4 x 8.
template <typename T>
bool AreSmallPlanes(const Tensor &images) {
  const int64_t width = images.strides[2];
  return images.strides[3] == 1 && width == images.shape[3] && width < 2 * kPlaneBlock<T> &&
         images.shape[2] * width <= 1024;
}

// Rows of channels-last images are lines of pixels as they lie; others are transposed.
template <typename T>
class PixelLines {
 public:
  // channels: of a pixel of lines that are transposed.
  PixelLines(const Tensor &images, int64_t channels)
      : images_(images),
        direct_(images.strides[1] == 1),
        small_(!direct_ && AreSmallPlanes<T>(images)),
        pitch_(channels),
        lines_(direct_ ? 0 : (small_ ? images.shape[2] : 1) * images.shape[3] * channels) {}

  void Select(int64_t n, int64_t first_channel, int64_t channels) {
    base_ = PlaneOf<T>(images_, n, first_channel);
    channels_ = channels;
    if (!small_) return;
    ToChannelsLast(base_, images_.strides[1], channels, images_.shape[2] * images_.shape[3], lines_.data(),
                   pitch_);
  }

  // Elements from one pixel of a line to the next.
  int64_t Step() const { return direct_ ? images_.strides[3] : pitch_; }

  // The pixels [first, last) of a row, until the next call.
  const T *operator()(int64_t row, int64_t first, int64_t last) {
    const T *from = base_ + row * images_.strides[2] + first * images_.strides[3];
    if (direct_) return from;
    if (small_) return lines_.data() + (row * images_.shape[3] + first) * pitch_;
    RowToChannelsLast(from, images_.strides, channels_, last - first, lines_.data(), pitch_);
    return lines_.data();
  }

 private:
  const Tensor &images_;
  const bool direct_, small_;
  const int64_t pitch_;
  AlignedVector<T> lines_;
  const T *base_ = nullptr;
  int64_t channels_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
