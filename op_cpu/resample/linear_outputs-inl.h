// SPDX-License-Identifier: Apache-2.0
// Linear resampling of rows of any strides, an output at a time. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_RESAMPLE_LINEAR_OUTPUTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_RESAMPLE_LINEAR_OUTPUTS_INL_H_
#undef AVO_OP_CPU_RESAMPLE_LINEAR_OUTPUTS_INL_H_
#else
#define AVO_OP_CPU_RESAMPLE_LINEAR_OUTPUTS_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/common/memory/prefetch.h"
#include "op_cpu/common/tensors/element.h"
#include "op_cpu/common/vectors/gather-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/resample/linear.h"
#include "op_cpu/resample/rows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Brings inputs to the caches that outputs some places behind output `i` read, in this row or in the next
// one, which begins `next` elements behind it. Some processors fetch nothing ahead of single loads: on Zen 4,
// rows of 1000 float64 take half of the time, and 35000 of 900000 inputs too.
HWY_INLINE void FetchSamples(const double *row, int64_t next, const LinearSamples<double> &samples, int64_t i,
                             int64_t count) {
  constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<double>());
  constexpr int64_t kLine = 64 / sizeof(double), kBytesAhead = 4096, kOutputsAhead = 64;
  const int32_t *lefts = &samples.left[i];
  const int64_t inputs = samples.right[i + kLanes - 1] - lefts[0] + 1;
  if (inputs <= kLanes * kLine) return PrefetchRun(row + lefts[0] + kBytesAhead / sizeof(double), inputs);
  // Only lines that have a sample.
  int64_t ahead = i + kOutputsAhead;
  if (ahead + kLanes > count) {
    ahead = std::clamp<int64_t>(ahead - count, 0, count - kLanes);
    row += next;
  }
  lefts = &samples.left[ahead];
  for (int64_t lane = 0; lane < kLanes; ++lane) hwy::Prefetch(row + lefts[lane]);
}

// Computes the outputs of a row, one by one. Samples may be far apart, and strides may be any. next: elements
// to the next row where inputs are fetched ahead; 0 where they are not, because the second cache holds them:
// these would take 1.1 x the time.
template <typename T>
void SampleOneByOne(const Row<const T> &in, const LinearSamples<Compute<T>> &samples,
                    [[maybe_unused]] int64_t next, int64_t count, const Row<T> &out) {
  int64_t i = 0;
  if constexpr (std::is_same_v<T, double>) {
    const hn::ScalableTag<double> d;
    const int64_t lanes = hn::Lanes(d);
    for (; in.stride == 1 && out.stride == 1 && i + lanes <= count; i += lanes) {
      if (next != 0) FetchSamples(in.data, next, samples, i, count);
      const int32_t *const lefts = &samples.left[i], *const rights = &samples.right[i];
      hn::Vec<decltype(d)> left, right;
      // Nothing lies behind the last input, which is its own right sample.
      if (lefts[lanes - 1] == rights[lanes - 1]) {
        left = GatherAt<sizeof(T)>(d, in.data, lefts);
        right = GatherAt<sizeof(T)>(d, in.data, rights);
      } else {
        LoadNeighbours(d, in.data, [&](int64_t lane) { return lefts[lane]; }, &left, &right);
      }
      left = hn::Mul(hn::LoadU(d, &samples.left_weight[i]), left);
      right = hn::Mul(hn::LoadU(d, &samples.right_weight[i]), right);
      hn::StoreU(hn::Add(left, right), d, out.data + i);
    }
  }
  for (; i < count; ++i) {
    const Compute<T> left = Widen(in[samples.left[i]]), right = Widen(in[samples.right[i]]);
    out[i] = Narrow<T>(samples.left_weight[i] * left + samples.right_weight[i] * right);
  }
}

// Computes outputs of rows [begin, end), which lie at equal distances, where a row has fewer outputs than a
// vector has lanes: an output of several rows, then the next output of them. So its sample and its weights
// stay in registers: 2 x for one output of each row.
template <typename T>
void SampleFew(const Tensor &in, const LinearSamples<Compute<T>> &samples, int64_t begin, int64_t end,
               const Tensor &out) {
  constexpr int64_t kTogether = 16;
  const int64_t in_step = *RowStep(in), out_step = *RowStep(out);
  for (int64_t first = begin; first < end; first += kTogether) {
    const int64_t last = std::min(first + kTogether, end);
    for (int64_t i = 0; i < out.shape[2]; ++i) {
      const T *const left = static_cast<const T *>(in.data) + samples.left[i] * in.strides[2];
      const T *const right = static_cast<const T *>(in.data) + samples.right[i] * in.strides[2];
      const Compute<T> left_weight = samples.left_weight[i], right_weight = samples.right_weight[i];
      T *const to = static_cast<T *>(out.data) + i * out.strides[2];
      if constexpr (sizeof(T) == 2) {
        // Half types are converted a vector at a time: 5 x for 8 outputs of float16.
        const hn::ScalableTag<float> d;
        T lefts[kTogether] = {}, rights[kTogether] = {}, results[kTogether];
        for (int64_t row = first; row < last; ++row) {
          lefts[row - first] = left[row * in_step];
          rights[row - first] = right[row * in_step];
        }
        for (int64_t r = 0; r < kTogether; r += hn::MaxLanes(d)) {
          const auto product = hn::Mul(hn::Set(d, left_weight), LoadFloat(d, lefts + r));
          const auto other = hn::Mul(hn::Set(d, right_weight), LoadFloat(d, rights + r));
          StoreFloat(hn::Add(product, other), d, results + r);
        }
        for (int64_t row = first; row < last; ++row) to[row * out_step] = results[row - first];
      } else {
        for (int64_t row = first; row < last; ++row) {
          to[row * out_step] = left_weight * left[row * in_step] + right_weight * right[row * in_step];
        }
      }
    }
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
