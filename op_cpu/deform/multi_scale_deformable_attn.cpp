// SPDX-License-Identifier: Apache-2.0
#include "op_host/multi_scale_deformable_attn_args.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "op_cpu/common/sampling/bilinear.h"
#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/deform/multi_scale_deformable_attn.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/sampling/pixel_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::multi_scale_deformable_attn::HWY_NAMESPACE {
using namespace avo::HWY_NAMESPACE;

struct Level {
  int64_t height, width, start;
};

// Reads where maps lie. Throws where a map does not lie within the positions of `value`.
template <typename I>
std::vector<Level> Levels(const Args &args) {
  const Tensor &shapes = args.value_spatial_shapes, &starts = args.value_level_start_index;
  const int64_t positions = args.value.shape[1];
  std::vector<Level> levels;
  for (int64_t l = 0; l < starts.shape[0]; ++l) {
    const I *row = static_cast<const I *>(shapes.data) + l * shapes.strides[0];
    const Level level{row[0], row[shapes.strides[1]],
                      static_cast<const I *>(starts.data)[l * starts.strides[0]]};
    const bool proper = level.height >= 0 && level.width >= 0 && level.start >= 0 && level.start <= positions;
    // Compared by a division, as a product may overflow.
    if (!proper || (level.height > 0 && level.width > (positions - level.start) / level.height)) {
      throw std::invalid_argument(
          "value_spatial_shapes: expected maps within the " + std::to_string(positions) +
          " positions of value, got " + std::to_string(level.height) + " x " + std::to_string(level.width) +
          " from position " + std::to_string(level.start) + " in row " + std::to_string(l));
    }
    levels.push_back(level);
  }
  return levels;
}

// Each query and head reads some pixels; all channels of the head read the same ones.
template <typename T>
class Attention {
 public:
  Attention(const Args &args, const std::vector<Level> &levels) : args_(args), levels_(levels) {}

  // Computes all channels of one query and head. pixels, sums: memory of the thread.
  void Head(int64_t image, int64_t query, int64_t head, std::vector<WeightedPixel> *pixels,
            std::vector<T> *sums) const {
    Find(image, query, head, pixels);
    const Shape &strides = args_.value.strides, &to = args_.out.strides;
    const T *first = static_cast<const T *>(args_.value.data) + image * strides[0] + head * strides[2];
    const int64_t channels = args_.value.shape[3];
    T *out = static_cast<T *>(args_.out.data) + image * to[0] + query * to[1] + head * channels * to[2];
    if (to[2] == 1) return SumPixels(first, strides[3], *pixels, channels, out);
    sums->resize(channels);
    SumPixels(first, strides[3], *pixels, channels, sums->data());
    for (int64_t c = 0; c < channels; ++c) out[c * to[2]] = (*sums)[c];
  }

 private:
  // Lists the pixels that the samples of a query and head read.
  void Find(int64_t image, int64_t query, int64_t head, std::vector<WeightedPixel> *pixels) const {
    const Shape &by = args_.sampling_locations.strides, &weights_by = args_.attention_weights.strides;
    const T *locations =
        static_cast<const T *>(args_.sampling_locations.data) + image * by[0] + query * by[1] + head * by[2];
    const T *weights = static_cast<const T *>(args_.attention_weights.data) + image * weights_by[0] +
                       query * weights_by[1] + head * weights_by[2];
    const int64_t points = args_.sampling_locations.shape[4], step = args_.value.strides[1];
    pixels->clear();
    for (const Level &level : levels_) {
      for (int64_t p = 0; p < points; ++p) {
        const T *location = locations + p * by[4];
        const float x = Widen(location[0]) * static_cast<float>(level.width) - 0.5f;
        const float y = Widen(location[by[5]]) * static_cast<float>(level.height) - 0.5f;
        const auto sample = Corners(ZeroPaddedAxis<float>(y, level.height),
                                    ZeroPaddedAxis<float>(x, level.width), level.width * step, step);
        AddCorners(sample, level.start * step, Widen(weights[p * weights_by[4]]), pixels);
      }
      locations += by[3];
      weights += weights_by[3];
    }
  }

  const Args &args_;
  const std::vector<Level> &levels_;
};

void Run(const Args &args, const ParallelFor &parallel_for) {
  const bool wide = args.value_spatial_shapes.dtype == DType::kInt64;
  const std::vector<Level> levels = wide ? Levels<int64_t>(args) : Levels<int32_t>(args);
  const int64_t queries = args.sampling_locations.shape[1], heads = args.value.shape[2];
  const int64_t samples = args.sampling_locations.shape[3] * args.sampling_locations.shape[4];
  constexpr int64_t kFinding =
      16;  // channels that are read in the time in which the pixels of a sample are found
  DispatchFloat32(args.value.dtype, [&](auto element) {
    using T = decltype(element);
    const Attention<T> attention(args, levels);
    const int64_t grain = GrainOf(samples * (args.value.shape[3] + kFinding));
    parallel_for(args.value.shape[0] * queries * heads, grain, [&](int64_t begin, int64_t end) {
      std::vector<WeightedPixel> pixels;
      std::vector<T> sums;
      for (int64_t i = begin; i < end; ++i) {
        attention.Head(i / heads / queries, i / heads % queries, i % heads, &pixels, &sums);
      }
    });
  });
}

}  // namespace avo::multi_scale_deformable_attn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::multi_scale_deformable_attn {
AVO_RUN_CPU(Run)
}  // namespace avo::multi_scale_deformable_attn
#endif
