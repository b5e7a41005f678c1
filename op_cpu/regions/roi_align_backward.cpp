// SPDX-License-Identifier: Apache-2.0
#include "op_host/roi_align_backward_args.h"

#include "op_cpu/regions/roi.h"

namespace avo::roi_align_backward {
namespace {

// Adds the gradients of the bins of a region to the sums of one plane of the feature map, in float64. The
// functions take grad(p, q), which reads the gradient of bin (p, q).
template <typename Value>
class RoiSpreading {
 public:
  RoiSpreading(const RoiRegion<Value> &region, double *plane, int64_t columns)
      : region_(region), plane_(plane), columns_(columns) {}

  // Mode avg: rows of bins are first spread along x, and the row that results then along y.
  template <typename Grad>
  void Mean(const int64_t (&bins)[2], const Grad &grad) const {
    const RoiAxis<Value> &y = region_.y, &x = region_.x;
    if (y.grid == 0) return;
    thread_local std::vector<double> row;
    for (int64_t p = 0; p < bins[0]; ++p) {
      row.assign(x.elements.size(), 0.0);
      bool finite = true;
      for (int64_t q = 0; q < bins[1]; ++q) {
        const double value = grad(p, q);
        finite &= std::isfinite(value);
        for (int32_t i = x.first_tap[q]; i < x.first_tap[q + 1]; ++i) {
          row[x.taps[i].slot] += x.taps[i].weight * value;
        }
      }
      if (!finite) {
        MeanOfSamples(p, bins[1], grad);
        continue;
      }
      for (int32_t i = y.first_tap[p]; i < y.first_tap[p + 1]; ++i) {
        double *target = plane_ + y.elements[y.taps[i].slot] * columns_;
        const double weight = y.taps[i].weight;
        for (size_t c = 0; c < x.elements.size(); ++c) target[x.elements[c]] += weight * row[c];
      }
    }
  }

  // Modes max and, with `corners`, onnx_max. `values` is the plane of the feature map.
  template <typename Grad>
  void Largest(const int64_t (&bins)[2], const Value *values, bool corners, const Grad &grad) const {
    const RoiAxis<Value> &y = region_.y, &x = region_.x;
    if (y.grid == 0) return;
    const auto value = [values](int64_t offset) { return values[offset]; };
    for (int64_t p = 0; p < bins[0]; ++p) {
      for (int64_t q = 0; q < bins[1]; ++q) {
        const int64_t rows = y.first_sample[p + 1] - y.first_sample[p];
        const int64_t columns = x.first_sample[q + 1] - x.first_sample[q];
        // Samples outside the feature map are 0. Where they are the maximum, no element gets the gradient.
        Value best = rows == y.grid && columns == x.grid ? -std::numeric_limits<Value>::infinity() : Value{0};
        BilinearSample<Value> from{};
        int first = 0, last = 0;
        bool none = true;
        region_.ForSamples(p, q, columns_, 1, [&](const BilinearSample<Value> &sample) {
          for (int n = 0; n < (corners ? 4 : 1); ++n) {
            const bool outside = sample.offset[n] == kOutside;
            const Value one = outside ? Value{0} : sample.weight[n] * value(sample.offset[n]);
            const Value candidate = corners ? one : Interpolate(sample, value);
            // A NaN becomes the maximum, and no element equals it.
            if (!(candidate > best || candidate != candidate || (none && candidate == best))) continue;
            if (corners && outside && candidate == best) continue;
            best = candidate;
            from = sample;
            first = corners ? n : 0;
            last = corners ? n + 1 : 4;
            none = outside && corners;
          }
        });
        if (best != best || none) continue;
        Add(from, first, last, double{grad(p, q)});
      }
    }
  }

 private:
  // Adds the gradients of row p of bins by the definition, sample by sample, where one is not finite: a
  // corner of weight 0 then gets NaN, which weights of elements, added up over samples, may hide.
  template <typename Grad>
  void MeanOfSamples(int64_t p, int64_t columns, const Grad &grad) const {
    const double count = static_cast<double>(region_.y.grid) * static_cast<double>(region_.x.grid);
    for (int64_t q = 0; q < columns; ++q) {
      const double of_sample = double{grad(p, q)} / count;
      region_.ForSamples(p, q, columns_, 1, [=](const auto &sample) { Add(sample, 0, 4, of_sample); });
    }
  }

  // Adds a gradient to corners [first, last) of a sample, by their weights.
  void Add(const BilinearSample<Value> &sample, int first, int last, double grad) const {
    for (int n = first; n < last; ++n) {
      if (sample.offset[n] != kOutside) plane_[sample.offset[n]] += sample.weight[n] * grad;
    }
  }

  const RoiRegion<Value> &region_;
  double *plane_;
  int64_t columns_;
};

}  // namespace

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  const int64_t bins[2] = {args.output_height, args.output_width};
  const std::optional<Tensor> no_indices;
  const RoiCall call{
      args.rois,          no_indices,         args.out.shape[0],   {args.out.shape[2], args.out.shape[3]},
      {bins[0], bins[1]}, args.spatial_scale, args.sampling_ratio, args.aligned};
  DispatchFloat(args.grad_output.dtype, [&](auto element) {
    using T = decltype(element);
    const auto regions = call.Regions(call.Places<T>());
    const Shape &strides = args.grad_output.strides, &out_strides = args.out.strides;
    const int64_t rows = args.out.shape[2], columns = args.out.shape[3];
    const auto spread = [&](int64_t image, int64_t channel, const Compute<T> *plane) {
      std::vector<double> sums(rows * columns, 0.0);
      for (size_t k = 0; k < regions.size(); ++k) {
        if (regions[k].image != image) continue;
        const T *grads = static_cast<const T *>(args.grad_output.data) +
                         static_cast<int64_t>(k) * strides[0] + channel * strides[1];
        const auto grad = [&](int64_t y, int64_t x) { return Widen(grads[y * strides[2] + x * strides[3]]); };
        const RoiSpreading<Compute<T>> spreading(regions[k], sums.data(), columns);
        if (args.mode == "avg") {
          spreading.Mean(bins, grad);
        } else {
          spreading.Largest(bins, plane, args.mode == "onnx_max", grad);
        }
      }
      T *out = static_cast<T *>(args.out.data) + image * out_strides[0] + channel * out_strides[1];
      for (int64_t y = 0; y < rows; ++y) {
        for (int64_t x = 0; x < columns; ++x) {
          const auto sum = static_cast<Compute<T>>(sums[y * columns + x]);
          out[y * out_strides[2] + x * out_strides[3]] = Narrow<T>(sum);
        }
      }
    };
    if (args.mode != "avg") return ForPlanes<T>(*args.input, parallel_for, spread);
    const int64_t channels = args.out.shape[1];
    parallel_for(args.out.shape[0] * channels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) spread(i / channels, i % channels, nullptr);
    });
  });
}

}  // namespace avo::roi_align_backward
