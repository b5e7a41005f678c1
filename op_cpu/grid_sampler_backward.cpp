// SPDX-License-Identifier: Apache-2.0
#include "op_host/grid_sampler_backward_args.h"

#include "common/channels_last.h"
#include "common/grid_samples.h"

namespace avo::grid_sampler_backward {
namespace {

constexpr int64_t kGroup = 32;         // channels that a thread adds up at a time
constexpr int64_t kGrainSamples = 64;  // below this many a thread costs more than it computes

template <typename T>
T Dot(const T *a, const T *b, int64_t count) {
  T sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  const int64_t channels = args.input.shape[1], height = args.input.shape[2], width = args.input.shape[3];
  const int64_t samples = args.grid.shape[1] * args.grid.shape[2], columns = args.grid.shape[2];
  const GridRules rules{static_cast<Interpolation>(args.interpolation_mode),
                        static_cast<Padding>(args.padding_mode), args.align_corners};
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    const auto pixels = ToChannelsLast<T>(args.input, parallel_for);
    const auto grads = ToChannelsLast<T>(args.grad_output, parallel_for);

    parallel_for(args.grid.shape[0] * samples, kGrainSamples, [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const int64_t n = item / samples, position = item % samples;
        const auto sample = SampleAt<T>(args.grid, n, position, height, width, rules);
        Compute<T> by_x = sample.outside_by_x, by_y = sample.outside_by_y;
        for (int tap = 0; tap < sample.taps && rules.interpolation != Interpolation::kNearest; ++tap) {
          const Compute<T> *pixel = pixels.data() + (n * height * width + sample.pixel[tap]) * channels;
          const Compute<T> along = Dot(pixel, grads.data() + item * channels, channels);
          by_x += along * sample.by_x[tap];
          by_y += along * sample.by_y[tap];
        }
        T *to = static_cast<T *>(args.grad_grid.data) + n * args.grad_grid.strides[0] +
                position / columns * args.grad_grid.strides[1] +
                position % columns * args.grad_grid.strides[2];
        to[0] = Narrow<T>(by_x);
        to[args.grad_grid.strides[3]] = Narrow<T>(by_y);
      }
    });

    // A thread owns channels of an image, so that every sum runs in the order of the samples.
    std::vector<Compute<T>> sums(args.grad_input.numel());
    const int64_t groups = (channels + kGroup - 1) / kGroup;
    parallel_for(args.input.shape[0] * groups, 1, [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const int64_t n = item / groups, first = item % groups * kGroup;
        const int64_t count = std::min(kGroup, channels - first);
        for (int64_t position = 0; position < samples; ++position) {
          const auto sample = SampleAt<T>(args.grid, n, position, height, width, rules);
          const Compute<T> *grad = grads.data() + (n * samples + position) * channels + first;
          for (int tap = 0; tap < sample.taps; ++tap) {
            Compute<T> *sum = sums.data() + (n * height * width + sample.pixel[tap]) * channels + first;
            for (int64_t c = 0; c < count; ++c) sum[c] += sample.weight[tap] * grad[c];
          }
        }
      }
    });
    FromChannelsLast<T>(sums, args.grad_input, parallel_for);
  });
}

}  // namespace avo::grid_sampler_backward
