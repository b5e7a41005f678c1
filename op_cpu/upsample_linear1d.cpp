// SPDX-License-Identifier: Apache-2.0
#include "op_host/upsample_linear1d_args.h"

#include "op_cpu/common/linear.h"
#include "op_cpu/common/rows.h"
#include "op_cpu/common/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/upsample_linear1d.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::upsample_linear1d::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using avo::HWY_NAMESPACE::LoadFloat;
using avo::HWY_NAMESPACE::StoreFloat;

using F32 = hn::ScalableTag<float>;
using I32 = hn::RebindToSigned<F32>;
template <typename T>
using Samples = LinearSamples<Compute<T>>;

// Whether the samples of outputs i, i + 1, … are neighbours within one vector of the row, and the next to
// their right.
bool InWindow(const LinearSamples<float> &samples, int64_t i, int64_t length) {
  const int64_t lanes = hn::Lanes(F32()), first = samples.left[i], last = samples.left[i + lanes - 1];
  return last - first < lanes && first + lanes < length;
}

// Outputs i, i + 1, … from two loads, whose elements a permutation brings to their lanes.
template <typename T>
void FromWindow(const T *in, const LinearSamples<float> &samples, int64_t i, T *out) {
  const F32 d;
  const int32_t first = samples.left[i];
  const auto lanes =
      hn::IndicesFromVec(d, hn::Sub(hn::LoadU(I32(), &samples.left[i]), hn::Set(I32(), first)));
  const auto left = hn::TableLookupLanes(LoadFloat(d, in + first), lanes);
  const auto right = hn::TableLookupLanes(LoadFloat(d, in + first + 1), lanes);
  const auto sum = hn::Mul(hn::LoadU(d, &samples.right_weight[i]), right);
  StoreFloat(hn::MulAdd(hn::LoadU(d, &samples.left_weight[i]), left, sum), d, out + i);
}

// Outputs [begin, end) of any samples and strides.
template <typename T>
void OneByOne(const Row<const T> &in, const Samples<T> &samples, int64_t begin, int64_t end,
              const Row<T> &out) {
  for (int64_t i = begin; i < end; ++i) {
    const Compute<T> left = Widen(in[samples.left[i]]), right = Widen(in[samples.right[i]]);
    out[i] = Narrow<T>(samples.left_weight[i] * left + samples.right_weight[i] * right);
  }
}

// Outputs i, i + 1, … of any samples: two gathers, which there are for float32.
template <typename T>
void FromAnywhere(const T *in, const LinearSamples<float> &samples, int64_t i, T *out) {
  const F32 d;
  if constexpr (std::is_same_v<T, float>) {
    const auto left = hn::GatherIndex(d, in, hn::LoadU(I32(), &samples.left[i]));
    const auto right = hn::GatherIndex(d, in, hn::LoadU(I32(), &samples.right[i]));
    const auto sum = hn::Mul(hn::LoadU(d, &samples.right_weight[i]), right);
    hn::StoreU(hn::MulAdd(hn::LoadU(d, &samples.left_weight[i]), left, sum), d, out + i);
  } else {
    OneByOne<T>({in, 1}, samples, i, i + hn::Lanes(d), {out, 1});
  }
}

template <typename T>
void ResampleVectors(const Args &args, const LinearSamples<float> &samples, const ParallelFor &parallel_for) {
  const int64_t length = args.self.shape[2], out_length = args.out.shape[2], lanes = hn::Lanes(F32());
  // The last vector overlaps the one before it.
  const int64_t vectors = out_length < lanes ? 0 : (out_length + lanes - 1) / lanes;
  const auto start = [&](int64_t vector) { return std::min(vector * lanes, out_length - lanes); };
  std::vector<char> in_window(vectors);
  for (int64_t v = 0; v < vectors; ++v) in_window[v] = InWindow(samples, start(v), length);

  ForRows<T>(args.self, args.out, parallel_for, [&](const Row<const T> &in, const Row<T> &out) {
    if (in.stride != 1 || out.stride != 1 || vectors == 0) {
      OneByOne(in, samples, 0, out_length, out);
      return;
    }
    for (int64_t v = 0; v < vectors; ++v) {
      (in_window[v] ? FromWindow<T> : FromAnywhere<T>)(in.data, samples, start(v), out.data);
    }
  });
}

template <typename T>
void Resample(const Args &args, const Samples<T> &samples, const ParallelFor &parallel_for) {
  if constexpr (std::is_same_v<T, double>) {
    // Vectors are of float32.
    ForRows<T>(args.self, args.out, parallel_for, [&](const Row<const T> &in, const Row<T> &out) {
      OneByOne(in, samples, 0, args.out.shape[2], out);
    });
  } else {
    ResampleVectors<T>(args, samples, parallel_for);
  }
}

template <typename T>
void Copy(const Args &args, const ParallelFor &parallel_for) {
  ForRows<T>(args.self, args.out, parallel_for, [&](const Row<const T> &in, const Row<T> &out) {
    for (int64_t i = 0; i < args.out.shape[2]; ++i) out[i] = in[i];
  });
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  const int64_t length = args.self.shape[2], out_length = args.out.shape[2];
  DispatchFloat(args.self.dtype, [&](auto element) {
    using T = decltype(element);
    if (length == out_length) {
      Copy<T>(args, parallel_for);
    } else {
      Resample<T>(args, SampleLinear<Compute<T>>(length, out_length, args.align_corners, args.scales),
                  parallel_for);
    }
  });
}

}  // namespace avo::upsample_linear1d::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::upsample_linear1d {
AVO_RUN_CPU(Run)
}  // namespace avo::upsample_linear1d
#endif
