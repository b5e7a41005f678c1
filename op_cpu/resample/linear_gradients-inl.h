// SPDX-License-Identifier: Apache-2.0
// Gradients of linear resampling. Compiled once for each instruction set.
//
// Along a row, left samples never decrease. So two sums are open at a time, that of the left sample and that
// of the input behind it; all inputs before them have their results. This needs no memory for sums:
//
//   left samples   0 0 0 1 1 1 3 3     of outputs 0, 1, 2 and so on
//   open sums      0 1   1 2   3 4     results of 0, 1 and 2 are stored before that of 3 is begun
#if defined(AVO_OP_CPU_RESAMPLE_LINEAR_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_RESAMPLE_LINEAR_GRADIENTS_INL_H_
#undef AVO_OP_CPU_RESAMPLE_LINEAR_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_RESAMPLE_LINEAR_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/resample/linear.h"
#include "op_cpu/resample/rows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums the gradients of rows. Sums are float64 and are made in the order of the outputs, because an input may
// receive from all of them; they are rounded only at the end.
template <typename T>
class LinearGradients {
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D()), kTile = 64;

 public:
  static constexpr int64_t kTogether = 2 * kLanes;  // rows that are summed together

  // Memory for SumTogether, which it uses again for the next rows.
  struct Tiles {
    T grads[kTile * kTogether] = {}, results[kTile * kTogether];
  };

  LinearGradients(const Tensor &grads, const Tensor &out, const LinearSamples<double> &samples)
      : grads_(grads), out_(out), samples_(samples) {
    const auto &[left, right, left_weight, right_weight] = samples;
    const auto outputs = static_cast<int64_t>(left.size());
    while (apart_ + 1 < outputs && left[apart_] < right[apart_] && right[apart_] < left[apart_ + 1]) ++apart_;
  }

  // Sums `count` rows, at most kTogether, from row `first` on. They are lanes, so they are transposed to
  // tiles that hold one element of each row, then the next element of each row.
  void SumTogether(int64_t first, int64_t count, Tiles *tiles) const {
    const D d;
    const int64_t length = out_.shape[2], outputs = grads_.shape[2];
    T *const grads = tiles->grads, *const results = tiles->results;
    V sum0 = hn::Zero(d), sum1 = hn::Zero(d), next0 = hn::Zero(d), next1 = hn::Zero(d);
    int64_t at = 0;  // the input whose sum is open, with that of the next input
    const auto finish = [&]() HWY_ATTR {
      StorePair(sum0, sum1, results + at % kTile * kTogether);
      sum0 = next0;
      sum1 = next1;
      next0 = next1 = hn::Zero(d);
      if (++at % kTile == 0) StoreRows(results, first, count, at - kTile, kTile);
    };
    for (int64_t begin = 0; begin < outputs; begin += kTile) {
      const int64_t end = std::min(begin + kTile, outputs);
      LoadRows(first, count, begin, end - begin, grads);
      const T *from = grads;
      for (int64_t i = begin; i < end; ++i, from += kTogether) {
        while (at < samples_.left[i]) finish();
        V grad0, grad1;
        LoadPair(from, grad0, grad1);
        const V left = hn::Set(d, samples_.left_weight[i]), right = hn::Set(d, samples_.right_weight[i]);
        sum0 = hn::Add(sum0, hn::Mul(left, grad0));
        sum1 = hn::Add(sum1, hn::Mul(left, grad1));
        // The last input is its own right neighbour.
        const bool last = samples_.right[i] == at;
        V &to0 = last ? sum0 : next0, &to1 = last ? sum1 : next1;
        to0 = hn::Add(to0, hn::Mul(right, grad0));
        to1 = hn::Add(to1, hn::Mul(right, grad1));
      }
    }
    while (at < length) finish();
    const int64_t rest = length % kTile;
    if (rest > 0) StoreRows(results, first, count, length - rest, rest);
  }

  // Sums one row in the same order. It stores zeros first, and then only the results that are not zero.
  void SumAlone(int64_t row) const {
    const auto grads = RowAt<const T>(grads_, row);
    const auto out = RowAt<T>(out_, row);
    const int64_t length = out_.shape[2], outputs = grads_.shape[2];
    if (out.stride == 1) {
      std::fill_n(out.data, length, T{});
    } else {
      for (int64_t i = 0; i < length; ++i) out[i] = T{};
    }
    const auto store = [&](int64_t i, double sum) { out[i] = Narrow<T>(static_cast<Compute<T>>(sum)); };
    int64_t i = 0;
    for (; grads.stride == 1 && i + kTogether <= apart_; i += kTogether) ScatterApart(grads.data + i, i, out);
    double sum = 0, next = 0;
    int64_t at = samples_.left[i];
    for (; i < outputs; ++i) {
      const int64_t left = samples_.left[i], right = samples_.right[i];
      if (left != at) {
        store(at, sum);
        if (left != at + 1) store(at + 1, std::exchange(next, 0.0));
        sum = std::exchange(next, 0.0);
        at = left;
      }
      const double grad = Widen(grads[i]);
      sum += samples_.left_weight[i] * grad;
      (right == at ? sum : next) += samples_.right_weight[i] * grad;
    }
    store(at, sum);
    if (at + 1 < length) store(at + 1, next);
  }

 private:
  // Loads the elements of kTogether rows at one position as two vectors, and stores them.
  static HWY_INLINE void LoadPair(const T *from, V &low, V &high) {
    const D d;
    if constexpr (std::is_same_v<T, double>) {
      low = hn::LoadU(d, from);
      high = hn::LoadU(d, from + kLanes);
    } else {
      const auto both = LoadFloat(hn::ScalableTag<float>(), from);
      low = hn::PromoteLowerTo(d, both);
      high = hn::PromoteUpperTo(d, both);
    }
  }
  static HWY_INLINE void StorePair(V low, V high, T *to) {
    const D d;
    if constexpr (std::is_same_v<T, double>) {
      hn::StoreU(low, d, to);
      hn::StoreU(high, d, to + kLanes);
    } else {
      const hn::ScalableTag<float> both;
      const hn::Half<decltype(both)> half;
      StoreFloat(hn::Combine(both, hn::DemoteTo(half, high), hn::DemoteTo(half, low)), both, to);
    }
  }

  // Stores the results that kTogether gradients give, the first of which is that of output i. No two of them
  // share an input.
  void ScatterApart(const T *grads, int64_t i, const Row<T> &out) const {
    const D d;
    V low, high;
    LoadPair(grads, low, high);
    T lefts[kTogether], rights[kTogether];
    const auto store = [&](const std::vector<double> &weights, T *results) HWY_ATTR {
      // A sum, as all results are: -0 becomes 0.
      StorePair(hn::Add(hn::Zero(d), hn::Mul(hn::LoadU(d, &weights[i]), low)),
                hn::Add(hn::Zero(d), hn::Mul(hn::LoadU(d, &weights[i + kLanes]), high)), results);
    };
    store(samples_.left_weight, lefts);
    store(samples_.right_weight, rights);
    for (int64_t k = 0; k < kTogether; ++k) {
      out[samples_.left[i + k]] = lefts[k];
      out[samples_.right[i + k]] = rights[k];
    }
  }

  // Loads gradients [begin, begin + outputs) of some rows as a tile.
  void LoadRows(int64_t first, int64_t count, int64_t begin, int64_t outputs, T *tile) const {
    const auto row = RowAt<const T>(grads_, first);
    if (const auto step = RowStep(grads_); step && row.stride == 1) {
      return ToChannelsLast(row.data + begin, *step, count, outputs, tile, kTogether);
    }
    for (int64_t r = 0; r < count; ++r) {
      const auto from = RowAt<const T>(grads_, first + r);
      for (int64_t i = 0; i < outputs; ++i) tile[i * kTogether + r] = from[begin + i];
    }
  }

  // Stores a tile as inputs [begin, begin + inputs) of some rows.
  void StoreRows(const T *tile, int64_t first, int64_t count, int64_t begin, int64_t inputs) const {
    const auto row = RowAt<T>(out_, first);
    if (const auto step = RowStep(out_); step && row.stride == 1) {
      return ToChannelsLast(tile, kTogether, inputs, count, row.data + begin, *step);
    }
    for (int64_t r = 0; r < count; ++r) {
      const auto to = RowAt<T>(out_, first + r);
      for (int64_t i = 0; i < inputs; ++i) to[begin + i] = tile[i * kTogether + r];
    }
  }

  const Tensor &grads_, &out_;
  const LinearSamples<double> &samples_;
  int64_t apart_ = 0;  // the outputs, from the first one on, whose samples are no samples of another output
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
