// SPDX-License-Identifier: Apache-2.0
// Linear resampling of channels-last signals. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_RESAMPLE_LINEAR_CHANNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_RESAMPLE_LINEAR_CHANNELS_INL_H_
#undef AVO_OP_CPU_RESAMPLE_LINEAR_CHANNELS_INL_H_
#else
#define AVO_OP_CPU_RESAMPLE_LINEAR_CHANNELS_INL_H_
#endif

#include <algorithm>

#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/resample/linear.h"
#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/math.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Computes outputs [first, end) of `channels` channels, which are neighbours in memory. step: elements from
// one input to the next; to_step: from one output to the next.
template <typename T>
void MixChannels(const T *in, int64_t step, const LinearSamples<Compute<T>> &samples, int64_t first,
                 int64_t end, int64_t channels, T *to, int64_t to_step) {
  const ComputeTag<T> d;
  const int64_t lanes = hn::Lanes(d);
  for (int64_t i = first; i < end; ++i, to += to_step) {
    const T *const left = in + samples.left[i] * step, *const right = in + samples.right[i] * step;
    const auto left_weight = hn::Set(d, samples.left_weight[i]);
    const auto right_weight = hn::Set(d, samples.right_weight[i]);
    for (int64_t c = 0; c < channels; c += lanes) {
      // Both products are rounded, as everywhere: so all instruction sets give the same bits.
      const auto product = hn::Mul(left_weight, LoadUpTo(d, left + c, channels - c));
      const auto other = hn::Mul(right_weight, LoadUpTo(d, right + c, channels - c));
      StoreUpTo(hn::Add(product, other), d, to + c, channels - c, false);
    }
  }
}

// Resamples signals whose channels are neighbours in memory. The lanes of a vector are channels; results that
// lie by rows are transposed, some outputs of some channels at a time. Where most inputs are read by no
// output, this is 3 to 8 x as fast as to take the inputs of a row one by one.
template <typename T>
void ResampleChannels(const Tensor &in, const LinearSamples<Compute<T>> &samples, const Tensor &out,
                      const ParallelFor &parallel_for) {
  constexpr int64_t kOutputs = 32, kChannels = 128;  // of a tile
  const int64_t channels = in.shape[1], outputs = out.shape[2], pieces = CeilDiv(outputs, kOutputs);
  const int64_t step = in.strides[2];
  parallel_for(in.shape[0] * pieces, GrainOf(2 * channels * kOutputs), [&](int64_t begin, int64_t end) {
    const auto tile = AllocateAligned<T>(kOutputs * kChannels);
    for (int64_t item = begin; item < end; ++item) {
      const int64_t n = item / pieces, first = item % pieces * kOutputs;
      const int64_t last = std::min(first + kOutputs, outputs);
      const T *const from = static_cast<const T *>(in.data) + n * in.strides[0];
      T *const to = static_cast<T *>(out.data) + n * out.strides[0] + first * out.strides[2];
      if (out.strides[1] == 1) {
        MixChannels<T>(from, step, samples, first, last, channels, to, out.strides[2]);
        continue;
      }
      for (int64_t c = 0; c < channels; c += kChannels) {
        const int64_t count = std::min(kChannels, channels - c);
        MixChannels<T>(from + c, step, samples, first, last, count, tile.get(), kChannels);
        T *const rows = to + c * out.strides[1];
        if (out.strides[2] == 1) {
          ToChannelsLast(tile.get(), kChannels, last - first, count, rows, out.strides[1]);
          continue;
        }
        for (int64_t i = 0; i < last - first; ++i) {
          for (int64_t k = 0; k < count; ++k) {
            rows[k * out.strides[1] + i * out.strides[2]] = tile[i * kChannels + k];
          }
        }
      }
    }
  });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
