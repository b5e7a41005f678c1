// SPDX-License-Identifier: Apache-2.0
#include "op_host/grid_sampler_args.h"

#include "common/channels_last.h"
#include "common/grid_samples.h"

namespace avo::grid_sampler {

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  constexpr int64_t kBlock = 64;  // samples of a block
  const int64_t channels = args.input.shape[1], height = args.input.shape[2], width = args.input.shape[3];
  const GridRules rules{static_cast<Interpolation>(args.interpolation_mode),
                        static_cast<Padding>(args.padding_mode), args.align_corners};
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    // The channels of a neighbour are then one run of memory.
    const auto pixels = ToChannelsLast<T>(args.input, parallel_for);
    ForPixelBlocks(args.out, kBlock, parallel_for,
                   [&](int64_t n, int64_t first, int64_t count, const int64_t *offsets) {
                     thread_local std::vector<Compute<T>> results;
                     results.resize(count * channels);
                     const Compute<T> *image = pixels.data() + n * height * width * channels;
                     for (int64_t p = 0; p < count; ++p) {
                       const auto sample = SampleAt<T>(args.grid, n, first + p, height, width, rules);
                       Compute<T> *sum = results.data() + p * channels;
                       std::fill_n(sum, channels, sample.outside);
                       for (int tap = 0; tap < sample.taps; ++tap) {
                         const Compute<T> *value = image + sample.pixel[tap] * channels;
                         const Compute<T> weight = sample.weight[tap];
                         for (int64_t c = 0; c < channels; ++c) sum[c] += weight * value[c];
                       }
                     }
                     StorePixels<T>(results.data(), channels, count, args.out, offsets);
                   });
  });
}

}  // namespace avo::grid_sampler
