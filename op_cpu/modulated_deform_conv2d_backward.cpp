// SPDX-License-Identifier: Apache-2.0
#include "op_host/modulated_deform_conv2d_backward_args.h"

#include <algorithm>

#include "common/deform.h"
#include "common/parallel.h"
#include "op_host/common/math.h"

namespace avo::modulated_deform_conv2d_backward {
namespace {

constexpr int64_t kStretch = 1024;  // positions that are worked on at a time
constexpr int64_t kChannels = 8;    // channels of a task, of one deform group

template <typename T>
T Dot(const T *a, const T *b, int64_t count) {
  constexpr int64_t kLanes = 16;
  T sums[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) sums[j] += a[i + j] * b[i + j];
  }
  for (; i < count; ++i) sums[i % kLanes] += a[i] * b[i];
  T sum = 0;
  for (const T part : sums) sum += part;
  return sum;
}

// Gradients of one call. Tasks own channels: what they add to no other does, and what several add to, the
// gradients of offset and mask, is added up in the order of tasks.
template <typename T>
class Gradients {
  using Value = Compute<T>;

 public:
  Gradients(const Args &args, const ParallelFor &parallel_for)
      : args_(args),
        parallel_for_(parallel_for),
        grid_(args),
        filters_(DenseFilters<T>(args.weight)),
        tasks_of_part_(CeilDiv(grid_.ChannelsPerDeformGroup(), kChannels)),
        tasks_(tasks_of_part_ * grid_.deform_groups),
        pixels_(args.input.shape[2] * args.input.shape[3]),
        grad_weight_(filters_.size(), 0.0),
        grad_bias_(grid_.filters, 0.0),
        grads_(grid_.filters * kStretch),
        along_(tasks_ * 3 * grid_.taps * kStretch) {}

  void Run() {
    for (int64_t n = 0; n < grid_.batch; ++n) {
      grad_input_.assign(grid_.channels * pixels_, Value{0});
      for (int64_t first = 0; first < grid_.positions; first += kStretch) {
        const int64_t count = std::min(kStretch, grid_.positions - first);
        LoadGrads(n, first, count);
        parallel_for_(tasks_, 1, [&](int64_t begin, int64_t end) {
          for (int64_t task = begin; task < end; ++task) Task(n, task, first, count);
        });
        StoreAlong(n, first, count);
      }
      Store(args_.grad_input, n * grid_.channels * pixels_, grad_input_);
    }
    Store(args_.grad_weight, 0, grad_weight_);
    Store(args_.grad_bias, 0, grad_bias_);
  }

 private:
  void LoadGrads(int64_t n, int64_t first, int64_t count) {
    const int64_t columns = args_.offset.shape[3];
    for (int64_t o = 0; o < grid_.filters; ++o) {
      Value *row = &grads_[o * kStretch];
      for (int64_t p = 0; p < count; ++p) {
        row[p] = grid_.At(args_.grad_output, n, o, (first + p) / columns, (first + p) % columns);
        grad_bias_[o] += row[p];
      }
    }
  }

  void Task(int64_t n, int64_t task, int64_t first, int64_t count) {
    const int64_t part = task / tasks_of_part_, taps = grid_.taps;
    const int64_t begin = part * grid_.ChannelsPerDeformGroup() + task % tasks_of_part_ * kChannels;
    const int64_t end = std::min(begin + kChannels, (part + 1) * grid_.ChannelsPerDeformGroup());
    std::vector<DeformSample<Value>> samples;
    grid_.Sample(n, part, first, count, &samples);
    Value *along = &along_[task * 3 * taps * kStretch];
    std::fill(along, along + 3 * taps * kStretch, Value{0});
    std::vector<Value> into(kStretch), column(kStretch);
    for (int64_t c = begin; c < end; ++c) {
      const int64_t group = c / grid_.ChannelsPerGroup(), depth = grid_.ChannelsPerGroup() * taps;
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t at = c % grid_.ChannelsPerGroup() * taps + tap;
        const int64_t filter = group * grid_.FiltersPerGroup();
        // Gradient of the sample, its parts for the input, the offset and the mask, and that of the weights.
        std::fill(into.begin(), into.end(), Value{0});
        for (int64_t o = filter; o < filter + grid_.FiltersPerGroup(); ++o) {
          const Value weight = filters_[o * depth + at], *grads = &grads_[o * kStretch];
          for (int64_t p = 0; p < count; ++p) into[p] += weight * grads[p];
        }
        Spread(grid_.Image(n, c), &grad_input_[c * pixels_], &samples[tap * count], count, into.data(),
               along + tap * kStretch, column.data());
        for (int64_t o = filter; o < filter + grid_.FiltersPerGroup(); ++o) {
          grad_weight_[o * depth + at] += Dot(&grads_[o * kStretch], column.data(), count);
        }
      }
    }
  }

  void Spread(const T *image, Value *grad, const DeformSample<Value> *sample, int64_t count,
              const Value *into, Value *along, Value *column) const {
    const int64_t plane = grid_.taps * kStretch, width = args_.input.shape[3];
    for (int64_t p = 0; p < count; ++p, ++sample) {
      const Value step = into[p] * sample->mask;
      Value value = 0, by_row = 0, by_column = 0;
      for (int i = 0; i < 4; ++i) {
        if (sample->corners.offset[i] == kOutside) continue;
        const Value pixel = Widen(image[sample->corners.offset[i]]);
        value += sample->corners.weight[i] * pixel;
        by_row += (i / 2 == 0 ? -pixel : pixel) * sample->column.weight[i % 2];
        by_column += (i % 2 == 0 ? -pixel : pixel) * sample->row.weight[i / 2];
        grad[sample->row.index[i / 2] * width + sample->column.index[i % 2]] +=
            step * sample->corners.weight[i];
      }
      along[p] += step * by_row;
      along[plane + p] += step * by_column;
      along[2 * plane + p] += into[p] * value;
      column[p] = sample->mask * value;
    }
  }

  // Gradients of offset and mask, summed over tasks.
  void StoreAlong(int64_t n, int64_t first, int64_t count) {
    for (int64_t k = 0; k < grid_.deform_groups * grid_.taps; ++k) {
      const int64_t part = k / grid_.taps, tap = k % grid_.taps;
      for (int64_t kind = 0; kind < 3; ++kind) {
        const Tensor &out = kind < 2 ? args_.grad_offset : args_.grad_mask;
        const int64_t channel = kind < 2 ? 2 * k + kind : k, columns = args_.offset.shape[3];
        for (int64_t p = 0; p < count; ++p) {
          Value sum = 0;
          for (int64_t task = part * tasks_of_part_; task < (part + 1) * tasks_of_part_; ++task) {
            sum += along_[((task * 3 + kind) * grid_.taps + tap) * kStretch + p];
          }
          const int64_t y = (first + p) / columns, x = (first + p) % columns;
          const Shape &s = out.strides;
          static_cast<T *>(out.data)[n * s[0] + channel * s[1] + y * s[2] + x * s[3]] = Narrow<T>(sum);
        }
      }
    }
  }

  // Dense values, from element `first` of a tensor on.
  template <typename Sum>
  static void Store(const Tensor &out, int64_t first, const std::vector<Sum> &values) {
    for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
      int64_t rest = first + i, offset = 0;
      for (int64_t d = out.rank() - 1; d >= 0; --d) {
        offset += rest % out.shape[d] * out.strides[d];
        rest /= out.shape[d];
      }
      static_cast<T *>(out.data)[offset] = Narrow<T>(static_cast<Value>(values[i]));
    }
  }

  const Args &args_;
  const ParallelFor &parallel_for_;
  const DeformGrid<T> grid_;
  const std::vector<Value> filters_;
  const int64_t tasks_of_part_, tasks_, pixels_;
  std::vector<double> grad_weight_, grad_bias_;
  std::vector<Value> grad_input_, grads_, along_;
};

}  // namespace

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  DispatchFloat(args.input.dtype,
                [&](auto element) { Gradients<decltype(element)>(args, parallel_for).Run(); });
}

}  // namespace avo::modulated_deform_conv2d_backward
