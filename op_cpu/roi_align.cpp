// SPDX-License-Identifier: Apache-2.0
#include "op_host/roi_align_args.h"

#include <algorithm>
#include <vector>

#include "op_cpu/common/roi.h"
#include "op_cpu/common/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/roi_align.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/roi_planes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::roi_align::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using avo::HWY_NAMESPACE::LoadFloat;
using avo::HWY_NAMESPACE::RoiPlanes;
using avo::HWY_NAMESPACE::StoreFloat;

template <typename T>
struct Call {
  const Args &args;
  int64_t bins[2];
  std::vector<RoiRegion<Compute<T>>> regions;

  T *Out(int64_t region, int64_t channel) const {
    return static_cast<T *>(args.out.data) + region * args.out.strides[0] + channel * args.out.strides[1];
  }
  const T *Plane(int64_t image, int64_t channel) const {
    return static_cast<const T *>(args.input.data) + image * args.input.strides[0] +
           channel * args.input.strides[1];
  }

  // One region of one channel, of any strides and dtype.
  void PoolOne(int64_t k, int64_t channel) const {
    T *out = Out(k, channel);
    const auto store = [&](int64_t y, int64_t x, Compute<T> value) {
      out[y * args.out.strides[2] + x * args.out.strides[3]] = Narrow<T>(value);
    };
    const RoiPooling<T> pooling(regions[k], Plane(regions[k].image, channel), args.input.strides[2],
                                args.input.strides[3]);
    if (args.mode == "avg") {
      pooling.Mean(bins, store);
    } else {
      pooling.Largest(bins, args.mode == "onnx_max", store);
    }
  }
};

// Stores `count` results; false where one is NaN.
template <typename T>
bool StoreRun(const float *from, int64_t count, T *to) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = hn::Lanes(d);
  auto nan = hn::MaskFalse(d);
  if (count < lanes) {
    bool number = true;
    for (int64_t i = 0; i < count; ++i) {
      to[i] = Narrow<T>(from[i]);
      number &= from[i] == from[i];
    }
    return number;
  }
  for (int64_t next = 0; next < count; next += lanes) {
    const int64_t i = std::min(next, count - lanes);
    const auto value = hn::LoadU(d, from + i);
    nan = hn::Or(nan, hn::IsNaN(value));
    StoreFloat(value, d, to + i);
  }
  return hn::AllFalse(d, nan);
}

template <int kChannels, typename T>
void PoolPlanes(const Call<T> &call, int64_t k, int64_t channel, const T *planes, int64_t channel_stride,
                int64_t row_stride, int64_t columns, RoiPlanes &pooling) {
  const Shape &strides = call.args.out.strides;
  const float *pooled = pooling.template Mean<kChannels>(call.regions[k], call.bins, planes, channel_stride,
                                                         row_stride, columns);
  for (int64_t c = 0; c < kChannels; ++c, pooled += pooling.Stride()) {
    T *out = call.Out(k, channel + c);
    bool number = true;
    if (strides[3] == 1 && strides[2] == call.bins[1]) {
      number = StoreRun(pooled, call.bins[0] * call.bins[1], out);
    } else {
      for (int64_t p = 0; p < call.bins[0]; ++p) {
        for (int64_t q = 0; q < call.bins[1]; ++q) {
          const float value = pooled[p * call.bins[1] + q];
          out[p * strides[2] + q * strides[3]] = Narrow<T>(value);
          number &= value == value;
        }
      }
    }
    if (!number) call.PoolOne(k, channel + c);
  }
}

constexpr int64_t kGroup = 4;   // channels at a time: four planes of a large map stay in the second cache
constexpr int64_t kChunk = 32;  // regions of an item

template <typename T>
void Planes(const Call<T> &call, const ParallelFor &parallel_for) {
  const Tensor &input = call.args.input;
  const int64_t channels = input.shape[1], count = static_cast<int64_t>(call.regions.size());
  const int64_t groups = (channels + kGroup - 1) / kGroup, chunks = (count + kChunk - 1) / kChunk;
  parallel_for(groups * chunks, 1, [&](int64_t begin, int64_t end) {
    RoiPlanes pooling;
    for (int64_t item = begin; item < end; ++item) {
      const int64_t channel = item / chunks * kGroup, first = item % chunks * kChunk;
      for (int64_t k = first; k < std::min(first + kChunk, count); ++k) {
        const T *planes = call.Plane(call.regions[k].image, channel);
        if (channel + kGroup <= channels) {
          PoolPlanes<kGroup>(call, k, channel, planes, input.strides[1], input.strides[2], input.shape[3],
                             pooling);
        } else {
          for (int64_t c = channel; c < channels; ++c) {
            PoolPlanes<1>(call, k, c, planes + (c - channel) * input.strides[1], 0, input.strides[2],
                          input.shape[3], pooling);
          }
        }
      }
    }
  });
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  const int64_t bins[2] = {args.output_height, args.output_width};
  const RoiCall regions{
      args.rois,          args.batch_indices, args.input.shape[0], {args.input.shape[2], args.input.shape[3]},
      {bins[0], bins[1]}, args.spatial_scale, args.sampling_ratio, args.aligned && !args.batch_indices};
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    const Call<T> call{args, {bins[0], bins[1]}, regions.Regions<T>()};
    if constexpr (!std::is_same_v<T, double>) {
      const int64_t lanes = hn::Lanes(hn::ScalableTag<float>());
      if (args.mode == "avg" && args.input.strides[3] == 1 && args.input.shape[3] >= lanes) {
        return Planes<T>(call, parallel_for);
      }
    }
    const int64_t channels = args.input.shape[1], count = static_cast<int64_t>(call.regions.size());
    parallel_for(channels * count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) call.PoolOne(i % count, i / count);
    });
  });
}

}  // namespace avo::roi_align::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::roi_align {
AVO_RUN_CPU(Run)
}  // namespace avo::roi_align
#endif
