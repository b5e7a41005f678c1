// SPDX-License-Identifier: Apache-2.0
// Regions of interest on the CPU. Bilinear samples of a grid are separable: each axis of a region has, for
// every bin, the elements its samples read and their weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/common/sampling/bilinear.h"
#include "op_cpu/common/tensors/element.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

template <typename Weight>
struct RoiTap {
  int32_t slot;  // into `elements`
  Weight weight;
};

template <typename Weight>
struct RoiAxis {
  int64_t grid = 0;                         // samples of a bin
  std::vector<int32_t> elements;            // that samples read, ascending
  std::vector<RoiTap<Weight>> taps;         // of the mean of a bin's samples, bin by bin
  std::vector<int32_t> first_tap;           // of each bin, and the end
  std::vector<AxisSample<Weight>> samples;  // those inside the feature map, bin by bin
  std::vector<int32_t> first_sample;

  int64_t Size() const { return static_cast<int64_t>(elements.size()); }

  // Room for about as many samples.
  void Reserve(int64_t bins, int64_t count) {
    elements.reserve(2 * count);
    taps.reserve(2 * count + bins);
    samples.reserve(count);
    first_tap.reserve(bins + 1);
    first_sample.reserve(bins + 1);
  }

  // Neighbours ascend from sample to sample, so an element met before is one of the last two.
  int32_t Slot(int64_t element) {
    for (size_t back = 1; back <= std::min<size_t>(2, elements.size()); ++back) {
      if (elements[elements.size() - back] == element) return static_cast<int32_t>(elements.size() - back);
    }
    elements.push_back(static_cast<int32_t>(element));
    return static_cast<int32_t>(elements.size()) - 1;
  }

  void AddTap(int64_t element, double weight) {
    const int32_t slot = Slot(element);
    for (size_t i = taps.size(); i > static_cast<size_t>(first_tap.back()); --i) {
      if (taps[i - 1].slot == slot) {
        taps[i - 1].weight += static_cast<Weight>(weight);
        return;
      }
      if (taps.size() - i == 1) break;
    }
    taps.push_back({slot, static_cast<Weight>(weight)});
  }
};

template <typename Weight>
struct RoiRegion {
  int64_t image = 0;
  RoiAxis<Weight> y, x;  // no samples where the region has none

  // Calls body(sample) for those of bin (p, q) that lie inside the feature map, row by row.
  template <typename Body>
  void ForSamples(int64_t p, int64_t q, int64_t row_stride, int64_t column_stride, const Body &body) const {
    for (int32_t i = y.first_sample[p]; i < y.first_sample[p + 1]; ++i) {
      for (int32_t j = x.first_sample[q]; j < x.first_sample[q + 1]; ++j) {
        body(Corners(y.samples[i], x.samples[j], row_stride, column_stride));
      }
    }
  }
};

// What a call says of all of its regions.
struct RoiCall {
  const Tensor &rois;
  const std::optional<Tensor> &batch_indices;
  int64_t images, size[2], bins[2];
  double scale;
  int64_t sampling_ratio;
  bool aligned;

  // The axis of a region from `begin` to `end`; false where it has no samples. Positions are computed in
  // Real, in the order of the definition (op_host/regions/roi_align.yaml).
  template <typename Real>
  bool MakeAxis(Real begin, Real end, int axis, RoiAxis<Real> *made) const {
    const Real ratio = static_cast<Real>(scale), offset = aligned ? Real{0.5} : Real{0};
    const Real start = begin * ratio - offset;
    Real length = end * ratio - offset - start;
    if (!std::isfinite(length) || (aligned && length < 0)) return false;
    if (!aligned) length = std::max(length, Real{1});
    const Real bin = length / static_cast<Real>(bins[axis]);
    constexpr Real kMostGrid = 1e15;
    made->grid =
        sampling_ratio > 0 ? sampling_ratio : static_cast<int64_t>(std::ceil(std::min(bin, kMostGrid)));
    if (made->grid == 0) return false;
    const Real grid = static_cast<Real>(made->grid);
    const double step = static_cast<double>(bin) / static_cast<double>(made->grid);
    // As far as rounding moves a sample, or further.
    const double margin =
        std::max<double>(std::abs(start), length) * std::numeric_limits<Real>::epsilon() * 4;
    made->Reserve(bins[axis], std::min(made->grid * bins[axis], 2 * size[axis]));
    for (int64_t b = 0; b < bins[axis]; ++b) {
      made->first_tap.push_back(static_cast<int32_t>(made->taps.size()));
      made->first_sample.push_back(static_cast<int32_t>(made->samples.size()));
      // Samples far beyond the feature map are passed over.
      const Real origin = start + static_cast<Real>(b) * bin;
      const int64_t last =
          Bounded((static_cast<double>(size[axis]) - origin + margin) / step + 1, made->grid);
      for (int64_t i = Bounded((-1 - origin - margin) / step - 1, made->grid); i < last; ++i) {
        const Real position = origin + (static_cast<Real>(i) + Real{0.5}) * bin / grid;
        const auto sample = ClampedAxis<Real>(position, size[axis]);
        if (sample.Empty()) continue;
        made->samples.push_back(sample);
        for (int n = 0; n < 2; ++n) {
          if (sample.index[n] == kOutside) continue;
          made->AddTap(sample.index[n], sample.weight[n] / static_cast<double>(made->grid));
        }
      }
    }
    made->first_tap.push_back(static_cast<int32_t>(made->taps.size()));
    made->first_sample.push_back(static_cast<int32_t>(made->samples.size()));
    return true;
  }

  // A number of samples in [0, grid]; NaN, of a step of 0, leaves all.
  static int64_t Bounded(double samples, int64_t grid) {
    if (std::isnan(samples)) return 0;
    return static_cast<int64_t>(std::clamp(samples, 0.0, static_cast<double>(grid)));
  }

  template <typename T>
  RoiRegion<Compute<T>> Region(int64_t k) const {
    const T *row = static_cast<const T *>(rois.data) + k * rois.strides[0];
    const auto value = [&](int64_t i) { return Widen(row[i * rois.strides[1]]); };
    const int64_t corner = batch_indices ? 0 : 1;
    const double image = batch_indices ? static_cast<double>(static_cast<const int32_t *>(
                                             batch_indices->data)[k * batch_indices->strides[0]])
                                       : static_cast<double>(value(0));
    if (!(image >= 0 && image < static_cast<double>(images))) {
      throw std::invalid_argument("rois: expected an index of a feature map in [0, " +
                                  std::to_string(images) + "), got " + std::to_string(image) + " in row " +
                                  std::to_string(k));
    }
    RoiRegion<Compute<T>> region{static_cast<int64_t>(image), {}, {}};
    if (!MakeAxis(value(corner + 1), value(corner + 3), 0, &region.y) ||
        !MakeAxis(value(corner), value(corner + 2), 1, &region.x)) {
      region.y = region.x = {};
    }
    return region;
  }

  template <typename T>
  std::vector<RoiRegion<Compute<T>>> Regions() const {
    std::vector<RoiRegion<Compute<T>>> regions;
    regions.reserve(rois.shape[0]);
    for (int64_t k = 0; k < rois.shape[0]; ++k) regions.push_back(Region<T>(k));
    return regions;
  }
};

// The mean of one bin by the definition, for results that are not finite though no element is NaN: a
// neighbour of weight 0 makes NaN of an infinity, which weights of elements instead of samples hide, or make
// up.
template <typename T>
Compute<T> RoiMean(const RoiRegion<Compute<T>> &region, const T *plane, int64_t row_stride,
                   int64_t column_stride, int64_t p, int64_t q) {
  using Value = Compute<T>;
  const RoiAxis<Value> &y = region.y, &x = region.x;
  // Elements of a bin are fewer than neighbours of its samples: they alone tell whether all is finite.
  Value sum = 0;
  for (int32_t i = y.first_tap[p]; i < y.first_tap[p + 1]; ++i) {
    const T *row = plane + y.elements[y.taps[i].slot] * row_stride;
    for (int32_t j = x.first_tap[q]; j < x.first_tap[q + 1]; ++j) {
      sum += y.taps[i].weight * x.taps[j].weight * Widen(row[x.elements[x.taps[j].slot] * column_stride]);
    }
  }
  if (std::isfinite(sum)) return sum;
  sum = 0;
  region.ForSamples(p, q, row_stride, column_stride, [&](const BilinearSample<Value> &sample) {
    sum += Interpolate(sample, [&](int64_t offset) { return Widen(plane[offset]); });
  });
  return sum / static_cast<Value>(y.grid * x.grid);
}

// Calls body(image, channel, plane) for every plane (H, W) of images (N, C, H, W), dense and of what is
// computed in.
template <typename T, typename Body>
void ForPlanes(const Tensor &images, const ParallelFor &parallel_for, const Body &body) {
  const int64_t channels = images.shape[1], rows = images.shape[2], columns = images.shape[3];
  parallel_for(images.shape[0] * channels, 1, [&](int64_t begin, int64_t end) {
    std::vector<Compute<T>> dense;
    for (int64_t i = begin; i < end; ++i) {
      const T *first = static_cast<const T *>(images.data) + i / channels * images.strides[0] +
                       i % channels * images.strides[1];
      if constexpr (std::is_same_v<T, Compute<T>>) {
        if (images.strides[3] == 1 && images.strides[2] == columns) {
          body(i / channels, i % channels, first);
          continue;
        }
      }
      dense.resize(rows * columns);
      for (int64_t y = 0; y < rows; ++y) {
        const T *row = first + y * images.strides[2];
        for (int64_t x = 0; x < columns; ++x) dense[y * columns + x] = Widen(row[x * images.strides[3]]);
      }
      body(i / channels, i % channels, dense.data());
    }
  });
}

}  // namespace avo
