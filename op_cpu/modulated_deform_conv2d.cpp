// SPDX-License-Identifier: Apache-2.0
#include "op_host/modulated_deform_conv2d_args.h"

#include <algorithm>

#include "common/deform.h"
#include "common/parallel.h"
#include "op_host/common/math.h"

namespace avo::modulated_deform_conv2d {
namespace {

constexpr int64_t kBand = 64;    // positions whose samples are multiplied at a time
constexpr int64_t kFilters = 4;  // filters that share a load of samples

// Channels [first, first + count) of all taps: row (channel, tap), one column a position of the band.
template <typename T>
void SampleColumns(const DeformGrid<T> &grid, int64_t n, int64_t first, int64_t count, int64_t width,
                   const std::vector<std::vector<DeformSample<Compute<T>>>> &samples, Compute<T> *columns) {
  for (int64_t c = first; c < first + count; ++c) {
    const T *image = grid.Image(n, c);
    const DeformSample<Compute<T>> *sample = samples[c / grid.ChannelsPerDeformGroup()].data();
    for (int64_t tap = 0; tap < grid.taps; ++tap, columns += kBand) {
      for (int64_t p = 0; p < width; ++p, ++sample) {
        const auto value = [image](int64_t offset) { return Widen(image[offset]); };
        columns[p] = sample->mask * Interpolate(sample->corners, value);
      }
    }
  }
}

// sums (kFilters, kBand) += weight (kFilters, depth) x columns (depth, kBand); rows of weight are `depth`
// apart.
template <typename Value>
void Multiply(const Value *weight, int64_t filters, int64_t depth, const Value *columns,
              Value (&sums)[kFilters][kBand]) {
  for (int64_t d = 0; d < depth; ++d, columns += kBand) {
    for (int64_t f = 0; f < filters; ++f) {
      const Value factor = weight[f * depth + d];
      for (int64_t p = 0; p < kBand; ++p) sums[f][p] += factor * columns[p];
    }
  }
}

}  // namespace

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    using Value = Compute<T>;
    const DeformGrid<T> grid(args);
    const std::vector<Value> filters = DenseFilters<T>(args.weight);
    const int64_t depth = grid.ChannelsPerGroup() * grid.taps, bands = CeilDiv(grid.positions, kBand);
    const int64_t out_columns = args.out.shape[3];

    parallel_for(grid.batch * bands, 1, [&](int64_t begin, int64_t end) {
      std::vector<std::vector<DeformSample<Value>>> samples(grid.deform_groups);
      std::vector<Value> columns(depth * kBand);
      for (int64_t item = begin; item < end; ++item) {
        const int64_t n = item / bands, first = item % bands * kBand;
        const int64_t width = std::min(kBand, grid.positions - first);
        for (int64_t part = 0; part < grid.deform_groups; ++part) {
          grid.Sample(n, part, first, width, &samples[part]);
        }
        for (int64_t group = 0; group < grid.groups; ++group) {
          SampleColumns(grid, n, group * grid.ChannelsPerGroup(), grid.ChannelsPerGroup(), width, samples,
                        columns.data());
          const int64_t last = (group + 1) * grid.FiltersPerGroup();
          for (int64_t o = group * grid.FiltersPerGroup(); o < last; o += kFilters) {
            const int64_t count = std::min(kFilters, last - o);
            Value sums[kFilters][kBand] = {};
            Multiply(&filters[o * depth], count, depth, columns.data(), sums);
            for (int64_t f = 0; f < count; ++f) {
              const Value bias =
                  args.bias ? Widen(static_cast<const T *>(args.bias->data)[(o + f) * args.bias->strides[0]])
                            : Value{0};
              const Shape &s = args.out.strides;
              T *out = static_cast<T *>(args.out.data) + n * s[0] + (o + f) * s[1];
              for (int64_t p = 0; p < width; ++p) {
                const int64_t y = (first + p) / out_columns, x = (first + p) % out_columns;
                out[y * s[2] + x * s[3]] = Narrow<T>(sums[f][p] + bias);
              }
            }
          }
        }
      }
    });
  });
}

}  // namespace avo::modulated_deform_conv2d
