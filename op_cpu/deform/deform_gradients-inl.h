// SPDX-License-Identifier: Apache-2.0
// Gradients of pixels, offsets and masks from the gradients of the samples of a tile. Channels are lanes.
#if defined(AVO_OP_CPU_COMMON_DEFORM_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_DEFORM_GRADIENTS_INL_H_
#undef AVO_OP_CPU_COMMON_DEFORM_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_COMMON_DEFORM_GRADIENTS_INL_H_
#endif

#include "hwy/highway.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/fold_lanes-inl.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/deform/deform-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Returns a vector whose lane i is the sum of the lanes of vectors[i], as FoldLanes adds them. Each step
// interleaves pairs of vectors and adds them, so that the next step has half as many. Overwrites `vectors`.
template <class D>
HWY_INLINE hn::Vec<D> SumsOfLanes(D d, hn::Vec<D> (&vectors)[hn::MaxLanes(D())]) {
  for (size_t half = hn::MaxLanes(d) / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) {
      vectors[i] = hn::Add(hn::InterleaveWholeLower(d, vectors[i], vectors[i + half]),
                           hn::InterleaveWholeUpper(d, vectors[i], vectors[i + half]));
    }
  }
  return vectors[0];
}

template <typename T>
class DeformGradients {
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  using V = hn::Vec<D>;
  using Sampler = DeformSampler<T>;
  static constexpr int64_t kLanes = hn::MaxLanes(D()), kVectors = kLongVectors<D>;

 public:
  DeformGradients(const Sampler &sampler, int64_t most_channels)
      : sampler_(sampler),
        outside_(AlignUp(most_channels, kLanes)),
        corners_(4 * sampler.most),
        products_(4 * sampler.most * kLanes),
        sums_(4 * sampler.most) {}

  // Handles channels [first, first + channels) of a tap, for all positions of the tile:
  //   sample_grads  read: gradients of the samples; those of position p start at p * stride
  //   grads         added to: gradients of the pixels; its channel 0 is channel `first`
  //   columns       written: the masked samples, laid out as sample_grads
  //   offset_grads  added to: planes of positions, `plane` elements apart: gradients of row offset, column
  //                 offset and mask
  void Scatter(int64_t tap, int64_t first, int64_t channels, const Value *sample_grads, int64_t stride,
               const ChannelImage<Value> &grads, Value *columns, Value *offset_grads, int64_t plane) {
    sampler_.PointCorners(tap, grads, outside_.data(), corners_.data());
    const int64_t count = sampler_.tile().positions();
    for (int64_t p = 0; p < count; ++p) {
      ScatterPosition(tap, p, first, channels, sample_grads + p * stride, columns + p * stride);
    }
    AddOffsetGrads(tap, offset_grads, plane);
  }

 private:
  void ScatterPosition(int64_t tap, int64_t p, int64_t first, int64_t channels, const Value *sample_grads,
                       Value *columns) {
    const D d;
    const Value *weight = sampler_.Weights(tap) + p;
    const T *const *corner = sampler_.Corners(tap) + 4 * p;
    const T *from[4] = {corner[0] + first, corner[1] + first, corner[2] + first, corner[3] + first};
    Value *const *to = &corners_[4 * p];
    const V weights[4] = {hn::Set(d, weight[0]), hn::Set(d, weight[sampler_.most]),
                          hn::Set(d, weight[2 * sampler_.most]), hn::Set(d, weight[3 * sampler_.most])};
    V products[4][kVectors];
    for (auto &of_corner : products) std::fill_n(of_corner, kVectors, hn::Zero(d));
    // Adds vector v of kVectors, whose first channel is c. inside(vector) has 0 behind the last channel.
    const auto add = [&](int64_t c, int64_t v, const auto &inside) HWY_ATTR {
      const V grad = inside(hn::LoadU(d, sample_grads + c));
      V sample = hn::Zero(d);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        const V pixel = inside(LoadFloat(d, from[i] + c));
        sample = FusedMulAdd(weights[i], pixel, sample);
        products[i][v] = FusedMulAdd(grad, pixel, products[i][v]);
        hn::StoreU(FusedMulAdd(weights[i], grad, hn::LoadU(d, to[i] + c)), d, to[i] + c);
      }
      hn::StoreU(sample, d, columns + c);
    };
    int64_t c = 0;
    for (; c + kVectors * kLanes <= channels; c += kVectors * kLanes) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) add(c + v * kLanes, v, [](V value) HWY_ATTR { return value; });
    }
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v, c += kLanes) {
      if (c >= channels) continue;
      const auto inside = hn::FirstN(d, channels - c);
      add(c, v, [=](V value) HWY_ATTR { return hn::IfThenElseZero(inside, value); });
    }
    for (int i = 0; i < 4; ++i) {
      const V product = corner[i] == sampler_.zeros() ? hn::Zero(d) : FoldVectors<Total>(products[i]);
      hn::Store(product, d, &products_[(4 * p + i) * kLanes]);
    }
  }

  void AddOffsetGrads(int64_t tap, Value *offset_grads, int64_t plane) {
    const D d;
    const int64_t count = sampler_.tile().positions();
    for (int64_t i = 0; i < 4 * count; i += kLanes) {
      V vectors[kLanes];
      for (int64_t j = 0; j < kLanes; ++j) vectors[j] = hn::Load(d, &products_[(i + j) * kLanes]);
      hn::Store(SumsOfLanes(d, vectors), d, &sums_[i]);
    }
    const Value *weights = sampler_.Weights(tap), *sum = sums_.data();
    const auto weight = [&](int which, int64_t p) { return weights[which * sampler_.most + p]; };
    for (int64_t p = 0; p < count; ++p, sum += 4) {
      const Value left = weight(Sampler::kLeft, p), right = weight(Sampler::kRight, p);
      const Value top = weight(Sampler::kTop, p), bottom = weight(Sampler::kBottom, p);
      const Value above = left * sum[0] + right * sum[1], below = left * sum[2] + right * sum[3];
      const Value west = top * sum[0] + bottom * sum[2], east = top * sum[1] + bottom * sum[3];
      const Value mask = weight(Sampler::kMask, p);
      offset_grads[p] += mask * (below - above);
      offset_grads[plane + p] += mask * (east - west);
      offset_grads[2 * plane + p] += top * above + bottom * below;
    }
  }

  const Sampler &sampler_;
  std::vector<Value> outside_;     // takes the gradients of pixels beyond the image; nothing reads it
  std::vector<Value *> corners_;   // gradients of the corners of each position
  AlignedVector<Value> products_;  // (position, corner, lane): gradients of samples times pixels
  AlignedVector<Value> sums_;      // (position, corner): the same, summed over the lanes
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
