// SPDX-License-Identifier: Apache-2.0
// Where deformable convolution samples its input, and the dense matrices that its products read.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "op_cpu/common/bilinear.h"
#include "op_cpu/common/element.h"
#include "op_host/common/tensor.h"

namespace avo {

// One tap at one position.
template <typename Weight>
struct DeformSample {
  AxisSample<Weight> row, column;
  BilinearSample<Weight> corners;  // weights without the mask
  Weight mask;
};

// Sizes of a call, and its samples. Positions are those of the result, row by row.
template <typename T>
class DeformGrid {
 public:
  using Value = Compute<T>;

  template <typename Args>
  explicit DeformGrid(const Args &args)
      : batch(args.input.shape[0]),
        channels(args.input.shape[1]),
        filters(args.weight.shape[0]),
        taps(args.weight.shape[2] * args.weight.shape[3]),
        positions(args.offset.shape[2] * args.offset.shape[3]),
        groups(args.groups),
        deform_groups(args.deform_groups),
        input_(args.input),
        offset_(args.offset),
        mask_(args.mask ? &*args.mask : nullptr),
        kernel_columns_(args.weight.shape[3]),
        stride_{args.stride[0], args.stride[1]},
        padding_{args.padding[0], args.padding[1]},
        dilation_{args.dilation[0], args.dilation[1]} {}

  const int64_t batch, channels, filters, taps, positions, groups, deform_groups;

  int64_t ChannelsPerGroup() const { return channels / groups; }
  int64_t FiltersPerGroup() const { return filters / groups; }
  int64_t ChannelsPerDeformGroup() const { return channels / deform_groups; }

  // All taps of deform group `part` at positions [first, first + count): tap t of position p at t * count +
  // p.
  void Sample(int64_t n, int64_t part, int64_t first, int64_t count,
              std::vector<DeformSample<Value>> *samples) const {
    samples->resize(taps * count);
    for (int64_t tap = 0; tap < taps; ++tap) {
      const int64_t k = part * taps + tap;
      for (int64_t p = 0; p < count; ++p) {
        const int64_t y = (first + p) / offset_.shape[3], x = (first + p) % offset_.shape[3];
        DeformSample<Value> &sample = (*samples)[tap * count + p];
        sample.row = Axis(0, tap / kernel_columns_, y, At(offset_, n, 2 * k, y, x));
        sample.column = Axis(1, tap % kernel_columns_, x, At(offset_, n, 2 * k + 1, y, x));
        sample.corners = Corners(sample.row, sample.column, input_.strides[2], input_.strides[3]);
        sample.mask = mask_ == nullptr ? Value{1} : At(*mask_, n, k, y, x);
      }
    }
  }

  const T *Image(int64_t n, int64_t channel) const {
    return static_cast<const T *>(input_.data) + n * input_.strides[0] + channel * input_.strides[1];
  }

  static Value At(const Tensor &tensor, int64_t n, int64_t c, int64_t y, int64_t x) {
    const Shape &s = tensor.strides;
    return Widen(static_cast<const T *>(tensor.data)[n * s[0] + c * s[1] + y * s[2] + x * s[3]]);
  }

 private:
  // A sample counts where -1 < position < size.
  AxisSample<Value> Axis(int axis, int64_t tap, int64_t place, Value moved) const {
    const int64_t start = place * stride_[axis] - padding_[axis] + tap * dilation_[axis];
    const double position = static_cast<double>(start) + static_cast<double>(moved);
    const int64_t size = input_.shape[2 + axis];
    return position > -1 && position < static_cast<double>(size) ? ZeroPaddedAxis<Value>(position, size)
                                                                 : AxisSample<Value>();
  }

  const Tensor input_, offset_;
  const Tensor *const mask_;
  const int64_t kernel_columns_;
  const std::array<int64_t, 2> stride_, padding_, dilation_;
};

// weight as (filters, channels of a group, taps), dense.
template <typename T>
std::vector<Compute<T>> DenseFilters(const Tensor &weight) {
  std::vector<Compute<T>> dense;
  dense.reserve(weight.numel());
  for (int64_t o = 0; o < weight.shape[0]; ++o) {
    for (int64_t c = 0; c < weight.shape[1]; ++c) {
      for (int64_t i = 0; i < weight.shape[2]; ++i) {
        for (int64_t j = 0; j < weight.shape[3]; ++j) {
          dense.push_back(DeformGrid<T>::At(weight, o, c, i, j));
        }
      }
    }
  }
  return dense;
}

}  // namespace avo
