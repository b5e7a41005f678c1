// SPDX-License-Identifier: Apache-2.0
#include "op_host/upsample_linear1d_args.h"

#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/resample/upsample_linear1d.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "op_cpu/common/copies/dense-inl.h"
#include "op_cpu/resample/copy_rows-inl.h"
#include "op_cpu/resample/linear-inl.h"
#include "op_cpu/resample/linear_channels-inl.h"
#include "op_cpu/resample/linear_positions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::upsample_linear1d::HWY_NAMESPACE {
namespace cpu = avo::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

// Rows that are resampled together, so that positions and weights are loaded once for them: 1.2 to 1.7 x at
// AVX-512.
constexpr int64_t kRows = 4;
template <typename T, size_t kCount>
using Rows = cpu::LinearRows<T, kCount>;

template <typename T, size_t kCount>
Rows<T, kCount> At(const Tensor &tensor, int64_t row) {
  Rows<T, kCount> rows;
  const auto step = RowStep(tensor);
  for (size_t r = 0; r < kCount; ++r) {
    const int64_t at = row + static_cast<int64_t>(r);
    // A step saves divisions, which take longer than some rows.
    rows[r] = step ? static_cast<T *>(tensor.data) + at * *step : RowAt<T>(tensor, at).data;
  }
  return rows;
}

// Resamples rows [row, end).
template <typename T, bool kStream>
void ResampleRows(const Tensor &in, const cpu::LinearVectors<T> &vectors, int64_t row, int64_t end,
                  const Tensor &out) {
  // Results are fetched for the next rows that are at least so many bytes ahead, where rows are short.
  constexpr int64_t kFetched = 2048;
  const int64_t bytes = kRows * out.shape[2] * static_cast<int64_t>(sizeof(T));
  const int64_t ahead = std::max<int64_t>(1, kFetched / bytes) * kRows;
  // Inputs that the second cache holds need not be fetched.
  const int64_t next = OutgrowsSecondCache(in) ? kRows : 0;
  for (; row + kRows <= end; row += kRows) {
    vectors.template Resample<kStream>(At<const T, kRows>(in, row), At<T, kRows>(out, row),
                                       At<const T, kRows>(in, std::min(row + next, end - kRows)),
                                       At<T, kRows>(out, std::min(row + ahead, end - kRows)));
  }
  for (; row < end; ++row) {
    const auto last = At<const T, 1>(in, row);
    const auto to = At<T, 1>(out, row);
    vectors.template Resample<kStream>(last, to, last, to);
  }
  if (kStream) hwy::FlushStream();
}

// Calls body(resample), where resample(in, begin, end, out) resamples rows [begin, end) of tensors whose rows
// lie as those of `in` and `args.out`.
template <typename T, class Body>
void WithResampling(const Args &args, const Tensor &in, const Body &body) {
  const int64_t length = in.shape[2], out_length = args.out.shape[2];
  if constexpr (!std::is_same_v<T, double>) {  // LinearVectors computes in float32
    const bool runs = in.strides[2] == 1 && args.out.strides[2] == 1;
    if (runs && out_length >= cpu::LinearVectors<T>::kLanes) {
      const auto resample = Streams(args.out) ? ResampleRows<T, true> : ResampleRows<T, false>;
      const auto vectors = [&](int64_t begin, int64_t end) {
        return cpu::LinearVectors<T>(length, out_length, args.align_corners, args.scales, begin, end);
      };
      const int64_t count = CeilDiv(out_length, cpu::LinearVectors<T>::kLanes);
      // What is known of the vectors of long rows fills the caches, and few rows need it: 1.4 x for 5 rows of
      // 131220 outputs.
      constexpr int64_t kFewRows = 32, kTogether = 256;
      if (args.self.shape[0] * args.self.shape[1] <= kFewRows && count > 2 * kTogether) {
        return body([&](const Tensor &from, int64_t begin, int64_t end, const Tensor &to) {
          for (int64_t v = 0; v < count; v += kTogether)
            resample(from, vectors(v, v + kTogether), begin, end, to);
        });
      }
      const auto all = vectors(0, count);
      return body([&](const Tensor &from, int64_t begin, int64_t end, const Tensor &to) {
        resample(from, all, begin, end, to);
      });
    }
  }
  const auto samples =
      cpu::SampleLinear<Compute<T>>(length, out_length, args.align_corners, args.scales, 0, out_length);
  constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<Compute<T>>());
  if (out_length < kLanes && RowStep(in) && RowStep(args.out)) {
    return body([&](const Tensor &from, int64_t begin, int64_t end, const Tensor &to) {
      cpu::SampleFew<T>(from, samples, begin, end, to);
    });
  }
  body(
      [&, fetch = OutgrowsSecondCache(in)](const Tensor &from, int64_t begin, int64_t end, const Tensor &to) {
        ForRows<T>(from, to, begin, end, [&](const Row<const T> &row, const Row<T> &results) {
          cpu::SampleOneByOne(row, samples, fetch ? from.strides[1] : 0, out_length, results);
        });
      });
}

template <typename T>
void Resample(const Args &args, const ParallelFor &parallel_for) {
  const Tensor &in = args.self, &out = args.out;
  WithResampling<T>(args, in, [&](const auto &resample) {
    parallel_for(in.shape[0] * in.shape[1], GrainOf(std::max(in.shape[2], out.shape[2])),
                 [&](int64_t begin, int64_t end) { resample(in, begin, end, out); });
  });
}

// Copies some rows at a time, and resamples the copies. Rows in pieces are copied, because vectors are
// computed of whole rows alone: 2 to 7 x for channels-last signals.
template <typename T>
void ResampleCopies(const Args &args, const ParallelFor &parallel_for) {
  constexpr int64_t kElements = 16384;  // of copies that stay in the caches
  constexpr int64_t kTogether = 16;     // rows that are worth while to transpose together
  const Tensor &in = args.self, &out = args.out;
  const int64_t signals = in.shape[0], channels = in.shape[1], length = in.shape[2];
  // A piece is some channels of a signal, or some whole signals.
  const int64_t rows = std::max(kTogether, kElements / length / kTogether * kTogether);
  const int64_t across = std::min(rows, channels), deep = std::clamp<int64_t>(rows / channels, 1, signals);
  const int64_t pieces = CeilDiv(channels, across);
  Tensor dense{in.dtype, {deep, across, length}, ContiguousStrides({deep, across, length}), nullptr};
  WithResampling<T>(args, dense, [&](const auto &resample) {
    parallel_for(CeilDiv(signals, deep) * pieces, GrainOf(rows * std::max(length, out.shape[2])),
                 [&](int64_t begin, int64_t end) {
                   const auto memory = AllocateAligned<T>(deep * across * length);
                   for (int64_t item = begin; item < end; ++item) {
                     const int64_t n = item / pieces * deep, c = item % pieces * across;
                     const Shape shape{std::min(deep, signals - n), std::min(across, channels - c), length};
                     const auto part = [&](const Tensor &of) {
                       return Tensor{of.dtype,
                                     {shape[0], shape[1], of.shape[2]},
                                     of.strides,
                                     static_cast<T *>(of.data) + n * of.strides[0] + c * of.strides[1]};
                     };
                     cpu::CopyDense(part(in), memory.get(), SerialFor);
                     resample({in.dtype, shape, ContiguousStrides(shape), memory.get()}, 0,
                              shape[0] * shape[1], part(out));
                   }
                 });
  });
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  const Tensor &in = args.self, &out = args.out;
  DispatchFloat(in.dtype, [&](auto element) {
    using T = decltype(element);
    constexpr bool kWide = std::is_same_v<T, double>;
    constexpr int64_t kFewChannels = 8;  // fewer leave most lanes idle
    // Where most inputs are read by no output, a copy would take longer. So it would for float64, whose rows
    // are not computed by vectors of float32: channels as lanes are 2 x as fast, if they fill vectors.
    const bool in_place = kWide || 2 * out.shape[2] < in.shape[2];
    const bool lanes = in.strides[1] == 1 && (!kWide || in.shape[1] >= kFewChannels);
    if (in.shape[2] == out.shape[2]) {
      cpu::CopyRows<T>(in, out, parallel_for);
    } else if (in.strides[2] == 1 || (in_place && !lanes)) {
      Resample<T>(args, parallel_for);
    } else if (in_place) {
      const auto samples = cpu::SampleLinear<Compute<T>>(in.shape[2], out.shape[2], args.align_corners,
                                                         args.scales, 0, out.shape[2]);
      cpu::ResampleChannels<T>(in, samples, out, parallel_for);
    } else if constexpr (!kWide) {
      ResampleCopies<T>(args, parallel_for);
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
