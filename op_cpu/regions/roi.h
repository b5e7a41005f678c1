// SPDX-License-Identifier: Apache-2.0
// Regions of interest on the CPU. Samples lie on a grid and are bilinear, so both axes of a region are
// independent: an element at row y and column x counts for a mean with the product of its weights along y and
// along x.
//
// For each bin along an axis there is a list of taps: the elements that the samples of the bin read, and
// their weights in the mean. Elements that several samples read are in it once. The maxima need the samples
// themselves:
//
//   elements       0     1     2     3     4          slots 0 to 4 of `elements`
//   samples          * *    |   * *   |               two bins with two samples each
//   taps of bin 0  .25  .75                           (slot 0, .25), (slot 1, .75)
//   taps of bin 1        .1   .6   .3                 (slot 1, .1), (slot 2, .6), (slot 3, .3)
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
#include "op_cpu/regions/roi_place.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

template <typename Weight>
struct RoiTap {
  int32_t slot;  // place in `elements`
  Weight weight;
};

template <typename Weight>
struct RoiAxis {
  int64_t grid = 0;                         // samples of a bin, those outside the feature map included
  std::vector<int32_t> elements;            // rows or columns that samples read, ascending
  std::vector<RoiTap<Weight>> taps;         // bin by bin
  std::vector<int32_t> first_tap;           // of each bin, and the number of all taps
  std::vector<AxisSample<Weight>> samples;  // those inside the feature map, bin by bin
  std::vector<int32_t> first_sample;        // of each bin, and the number of all samples

  int64_t Size() const { return static_cast<int64_t>(elements.size()); }
  double Samples() const { return static_cast<double>(samples.size()); }

  // Reserves memory for `bins` bins and about `count` samples.
  void Reserve(int64_t bins, int64_t count) {
    elements.reserve(2 * count);
    taps.reserve(2 * count + bins);
    samples.reserve(count);
    first_tap.reserve(bins + 1);
    first_sample.reserve(bins + 1);
  }

  // The slot of an element, which it adds if it is new. Samples ascend, so an element that is not new is one
  // of the last two.
  int32_t Slot(int64_t element) {
    for (size_t back = 1; back <= std::min<size_t>(2, elements.size()); ++back) {
      if (elements[elements.size() - back] == element) return static_cast<int32_t>(elements.size() - back);
    }
    elements.push_back(static_cast<int32_t>(element));
    return static_cast<int32_t>(elements.size()) - 1;
  }

  // Begins the next bin; after the last bin it marks the end.
  void NextBin() {
    first_tap.push_back(static_cast<int32_t>(taps.size()));
    first_sample.push_back(static_cast<int32_t>(samples.size()));
  }

  // Adds a sample to the bin, if it reads anything.
  void AddSample(const AxisSample<Weight> &sample) {
    if (sample.Empty()) return;
    samples.push_back(sample);
    for (int n = 0; n < 2; ++n) {
      if (sample.index[n] == kOutside) continue;
      AddTap(sample.index[n], sample.weight[n] / static_cast<double>(grid));
    }
  }

  // Adds an element to the taps of the bin, or its weight to the tap that the bin has for it: one of the last
  // two.
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
  RoiAxis<Weight> y, x;  // both empty where the region has no samples

  // Calls body(sample) for the samples of bin (p, q) that lie inside the feature map, row by row.
  template <typename Body>
  void ForSamples(int64_t p, int64_t q, int64_t row_stride, int64_t column_stride, const Body &body) const {
    for (int32_t i = y.first_sample[p]; i < y.first_sample[p + 1]; ++i) {
      for (int32_t j = x.first_sample[q]; j < x.first_sample[q + 1]; ++j) {
        body(Corners(y.samples[i], x.samples[j], row_stride, column_stride));
      }
    }
  }
};

// How many samples a call may compute, since anybody may send a region of 1e30 elements, or a sampling_ratio
// of 2^40. Ordinary regions have at most about one for each element of the map and each bin along an axis.
struct RoiLimits {
  static constexpr double kAxis = 1 << 16;  // of a region along an axis, more than 4 for each element and bin
  static constexpr double kTotal = 1 << 24;     // of all regions along both axes, likewise
  static constexpr double kProducts = 1 << 30;  // of all regions, likewise with products of both axes
};

// The arguments of a call that concern all of its regions; [0] is along y, [1] along x.
struct RoiCall {
  const Tensor &rois;
  const std::optional<Tensor> &batch_indices;
  int64_t images, size[2], bins[2];  // N, (H, W), (output_height, output_width)
  double scale;
  int64_t sampling_ratio;
  bool aligned;

  // The samples of a region that reaches from `begin` to `end` along an axis. Positions are computed in Real,
  // in the order of the definition (op_host/regions/roi_align.yaml).
  template <typename Real>
  RoiSpan<Real> Span(Real begin, Real end, int axis) const {
    const Real ratio = static_cast<Real>(scale), offset = aligned ? Real{0.5} : Real{0};
    const Real start = begin * ratio - offset;
    Real length = end * ratio - offset - start;
    if (!std::isfinite(length) || (aligned && length < 0)) return {};
    if (!aligned) length = std::max(length, Real{1});
    const Real bin = length / static_cast<Real>(bins[axis]);
    constexpr Real kMostGrid = 1e15;
    return {start, bin,
            sampling_ratio > 0 ? sampling_ratio : static_cast<int64_t>(std::ceil(std::min(bin, kMostGrid)))};
  }

  // The samples that a region may have along an axis without being limited.
  int64_t OrdinarySamples(int axis) const { return 4 * (size[axis] + bins[axis]); }

  // Whether no limit can concern an axis, since it has few samples even where all lie inside the feature map.
  template <typename Real>
  bool Ordinary(const RoiSpan<Real> &span, int axis) const {
    const int64_t most = OrdinarySamples(axis);
    return span.grid <= most && span.grid * bins[axis] <= most;
  }
  template <typename Real>
  bool Ordinary(const RoiPlace<Real> &place) const {
    return Ordinary(place.y, 0) && Ordinary(place.x, 1);
  }

  // Makes an axis of region `k`. Throws where it has more samples than RoiLimits allow, before it computes
  // any.
  template <typename Real>
  void MakeAxis(int64_t k, const RoiSpan<Real> &span, int axis, RoiAxis<Real> *made) const {
    made->grid = span.grid;
    if (span.grid == 0) return;
    const double step = static_cast<double>(span.bin) / static_cast<double>(span.grid);
    // Rounding moves a sample by less than this.
    const double length = static_cast<double>(span.bin) * static_cast<double>(bins[axis]);
    const double margin =
        std::max<double>(std::abs(span.start), length) * std::numeric_limits<Real>::epsilon() * 4;
    // The samples of a bin [first, last), without those that certainly lie outside the feature map.
    const auto first = [&](Real origin) {
      return ClampedCount((-1 - origin - margin) / step - 1, span.grid);
    };
    const auto last = [&](Real origin) {
      return ClampedCount((static_cast<double>(size[axis]) - origin + margin) / step + 1, span.grid);
    };
    double count = 0;
    for (int64_t b = 0; b < bins[axis]; ++b) {
      const Real origin = span.Origin(b);
      count += static_cast<double>(last(origin)) - static_cast<double>(first(origin));
    }
    const double most = RoiLimits::kAxis + static_cast<double>(OrdinarySamples(axis));
    if (count > most) {
      throw std::invalid_argument("rois: expected at most " + std::to_string(static_cast<int64_t>(most)) +
                                  " samples along an axis of " + std::to_string(size[axis]) +
                                  " elements, got " + std::to_string(count) + " with sampling_ratio " +
                                  std::to_string(sampling_ratio) + " in row " + std::to_string(k));
    }
    made->Reserve(bins[axis], std::min(static_cast<int64_t>(count), 2 * size[axis]));
    for (int64_t b = 0; b < bins[axis]; ++b) {
      made->NextBin();
      const Real origin = span.Origin(b);
      for (int64_t i = first(origin), end = last(origin); i < end; ++i) {
        made->AddSample(ClampedAxis<Real>(span.Position(origin, i), size[axis]));
      }
    }
    made->NextBin();
  }

  // A number of samples in [0, grid]. NaN, which a step of 0 makes, is 0.
  static int64_t ClampedCount(double samples, int64_t grid) {
    if (std::isnan(samples)) return 0;
    return static_cast<int64_t>(std::clamp(samples, 0.0, static_cast<double>(grid)));
  }

  // Where region `k` lies. Throws where there is no such feature map.
  template <typename T>
  RoiPlace<Compute<T>> Place(int64_t k) const {
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
    RoiPlace<Compute<T>> place{static_cast<int64_t>(image), Span(value(corner + 1), value(corner + 3), 0),
                               Span(value(corner), value(corner + 2), 1)};
    if (place.y.grid == 0 || place.x.grid == 0) place.y = place.x = {};
    return place;
  }

  template <typename T>
  std::vector<RoiPlace<Compute<T>>> Places() const {
    std::vector<RoiPlace<Compute<T>>> places(rois.shape[0]);
    for (int64_t k = 0; k < rois.shape[0]; ++k) places[k] = Place<T>(k);
    return places;
  }

  // Region `k`, which lies at a place. Throws as MakeAxis does.
  template <typename Real>
  RoiRegion<Real> Region(int64_t k, const RoiPlace<Real> &place) const {
    RoiRegion<Real> region{place.image, {}, {}};
    MakeAxis(k, place.y, 0, &region.y);
    MakeAxis(k, place.x, 1, &region.x);
    return region;
  }

  template <typename Real>
  std::vector<RoiRegion<Real>> Regions(const std::vector<RoiPlace<Real>> &places) const {
    std::vector<RoiRegion<Real>> regions;
    regions.reserve(places.size());
    const double ordinary[2] = {static_cast<double>(OrdinarySamples(0)),
                                static_cast<double>(OrdinarySamples(1))};
    double total = RoiLimits::kTotal, products = RoiLimits::kProducts;
    for (int64_t k = 0; k < rois.shape[0]; ++k) {
      regions.push_back(Region(k, places[k]));
      const double y = regions.back().y.Samples(), x = regions.back().x.Samples();
      total -= std::max(0.0, y + x - ordinary[0] - ordinary[1]);
      products -= std::max(0.0, y * x - ordinary[0] * ordinary[1]);
      if (total < 0 || products < 0) {
        throw std::invalid_argument("rois: expected fewer samples; rows up to " + std::to_string(k) +
                                    " have too many for a call, with sampling_ratio " +
                                    std::to_string(sampling_ratio));
      }
    }
    return regions;
  }
};

// The mean of bin (p, q) by the definition, sample by sample. Kernels call it for means that are not finite:
// where a sample's corner has weight 0 and is infinite, the sample is NaN. Weights of elements, added up over
// samples, may hide such a corner, or make NaN where no sample is.
template <typename T>
Compute<T> RoiMean(const RoiRegion<Compute<T>> &region, const T *plane, int64_t row_stride,
                   int64_t column_stride, int64_t p, int64_t q) {
  using Value = Compute<T>;
  const RoiAxis<Value> &y = region.y, &x = region.x;
  // If the weighted elements add up to a finite mean, it is right. A bin has fewer elements than its samples
  // have corners.
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

// Calls body(image, channel, plane) for every plane (H, W) of images (N, C, H, W). The plane is dense, and of
// the type in which results are computed.
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
