// SPDX-License-Identifier: Apache-2.0
// How to compute vectors of linearly resampled outputs. Compiled once for each instruction set.
//
// A vector of outputs reads two windows of a row: a vector of inputs that holds all left samples, and one
// that holds all right samples. Permutations bring the samples to their lanes, and weights mix them:
//
//   left window    x4 x5 x6 x7   →   x4 x4 x5 x5    times left weights
//   right window   x5 x6 x7 x8   →   x5 x5 x6 x6    times right weights
//   outputs                          y8 y9 y10 y11
#if defined(AVO_OP_CPU_COMMON_LINEAR_MIXTURES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_LINEAR_MIXTURES_INL_H_
#undef AVO_OP_CPU_COMMON_LINEAR_MIXTURES_INL_H_
#else
#define AVO_OP_CPU_COMMON_LINEAR_MIXTURES_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/resample/linear.h"
#include "op_cpu/resample/linear_positions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The mixtures of all vectors of a row. They are the same for all rows.
class LinearMixtures {
  using F32 = hn::ScalableTag<float>;
  using Positions = LinearPositions<float>;

 public:
  static constexpr int64_t kLanes = hn::MaxLanes(F32());

  // Permutations and weights of a vector of outputs.
  struct alignas(64) Mixture {
    int32_t left_lanes[kLanes], right_lanes[kLanes];
    float left_weights[kLanes], right_weights[kLanes];
  };
  // Where the outputs of a vector and both of its windows start, and the index of its mixture. `right` is
  // kWideWindow, or kWidestWindow for one of twice as many inputs, where both windows are one of several
  // vectors, which begins at `left`. Of a row that is shorter than this window, the second half of the window
  // ends with the row. The index is -1 where the samples are too far apart for that, too.
  struct Place {
    int32_t out, left, right, mixture;

    bool Usual() const { return mixture >= 0 && right >= 0; }
  };
  static constexpr int32_t kWideWindow = -1, kWidestWindow = -2;

  // Finds vectors [begin, end) of a row, at least one. The last vector of the row overlaps the one before it,
  // and `end` may lie behind it. wide: inputs of a wide window; 0 where there is none. widest: those of the
  // widest window.
  LinearMixtures(int64_t length, int64_t out_length, bool align_corners, double scales, int64_t wide,
                 int64_t widest, int64_t begin, int64_t end)
      : length_(length), out_length_(out_length), wide_(wide), widest_(widest) {
    end = std::min<int64_t>(end, hwy::DivCeil(out_length, kLanes));
    const int64_t whole = std::min(out_length / kLanes, end);
    const auto append = [&](int64_t from, int64_t to) {
      std::optional<Positions> positions;
      for (int64_t v = from; v < to; ++v) {
        // The last vector may begin between two multiples of the lanes.
        if (v == from || v == whole) positions.emplace(length, out_length, align_corners, scales, Out(v));
        Append(static_cast<int32_t>(Out(v)), &*positions);
      }
    };
    places_.reserve(end - begin);
    // Where the lengths are in a small ratio, mixtures repeat after a few vectors. Then they are computed
    // once and stay in L1: 1.4 x for 80 rows of 3000.
    const auto ratio = RatioOf(length, out_length, align_corners, scales);
    int64_t repeating = end;        // the first vector whose mixture is that of an earlier one
    int64_t period = 0, shift = 0;  // vectors, and inputs, from a mixture to the same one
    if (ratio && length >= std::max(kLanes, out_length >= length ? 0 : wide)) {
      const int64_t common = std::gcd(ratio->step, ratio->denominator), outputs = ratio->denominator / common;
      period = outputs / std::gcd(outputs, kLanes);
      shift = period * kLanes / outputs * (ratio->step / common);
      // Positions before the first input are moved to it, so the vectors there do not repeat.
      const int64_t before = hwy::DivCeil(std::max<int64_t>(-ratio->first, 0), ratio->step * kLanes);
      repeating = period + std::max<int64_t>(begin, before);
    }
    if (repeating + period > whole) {
      repeating = end;
      period = 0;
    }
    mixtures_.reserve(repeating - begin + period);
    append(begin, repeating);
    int64_t v = repeating, moved = shift;
    for (const Place *from = places_.data() + v - begin - period; v < whole && End(*from) + moved < length;
         ++v) {
      const auto right = static_cast<int32_t>(from->right < 0 ? from->right : from->right + moved);
      places_.push_back(
          {static_cast<int32_t>(Out(v)), static_cast<int32_t>(from->left + moved), right, from->mixture});
      if (++from < &places_[repeating - begin]) continue;
      from -= period;
      moved += shift;
    }
    append(v, end);
    const auto far_apart = [](const Place &place) { return place.mixture < 0; };
    if (std::none_of(places_.begin(), places_.end(), far_apart)) return;
    first_ = Out(begin);
    samples_ = SampleLinear<float>(length, out_length, align_corners, scales, first_,
                                   std::min(end * kLanes, out_length));
  }

  const std::vector<Place> &places() const { return places_; }
  // Whether both windows are the same everywhere.
  bool one_window() const { return one_window_; }
  const Mixture *mixtures() const { return mixtures_.data(); }
  // The samples of all these outputs, from output `first` on. Only valid where some mixture has the index -1.
  const LinearSamples<float> &samples() const { return samples_; }
  int64_t first() const { return first_; }

 private:
  int64_t End(const Place &place) const {
    return place.left + (place.right >= 0 ? kLanes : place.right == kWideWindow ? wide_ : widest_);
  }
  int64_t Out(int64_t v) const { return std::min(v * kLanes, out_length_ - kLanes); }

  // Appends the vector of outputs that starts at output `out`, whose samples `positions` gives next.
  void Append(int32_t out, Positions *positions) {
    constexpr int64_t kHalf = Positions::kLanes;
    static_assert(kLanes == 2 * kHalf);
    const auto low = positions->Next(), high = positions->Next();
    const int32_t first_left = hn::GetLane(low.left), last_left = hn::ExtractLane(high.left, kHalf - 1);
    const int32_t first_right = hn::GetLane(low.right), last_right = hn::ExtractLane(high.right, kHalf - 1);
    // The right window is the left one where that holds all samples. A row that is shorter than a vector is
    // one window.
    const auto end = static_cast<int32_t>(std::max<int64_t>(length_ - kLanes, 0));
    auto left = std::min(first_left, end);
    int32_t right = last_right - left < kLanes ? left : std::min(first_right, end);
    int32_t first_behind = std::numeric_limits<int32_t>::max(), shift = 0;
    if (last_left - left >= kLanes || last_right - right >= kLanes) {
      one_window_ = false;
      const auto fits = [&](int64_t inputs) {
        if (2 * length_ < inputs) return false;
        const int64_t within = std::min(inputs, length_);
        left = std::min(first_left, static_cast<int32_t>(length_ - within));
        first_behind = static_cast<int32_t>(inputs / 2);
        shift = static_cast<int32_t>(inputs - within);
        return last_right - left < within;
      };
      const bool wide = fits(wide_);
      if (!wide && !fits(widest_)) return places_.push_back({out, 0, 0, -1});
      right = wide ? kWideWindow : kWidestWindow;
    }
    one_window_ &= left == right;
    places_.push_back({out, left, right, static_cast<int32_t>(mixtures_.size())});
    Mixture &mixture = mixtures_.emplace_back();
    const typename Positions::I32 lanes;
    const typename Positions::W weights;
    const auto to_left = hn::Set(lanes, left), to_right = hn::Set(lanes, right < 0 ? left : right);
    const auto store = [&](auto inputs, auto window, int32_t *to) HWY_ATTR {
      const auto from = hn::Sub(inputs, window);
      const auto behind = hn::Ge(from, hn::Set(lanes, first_behind));
      hn::Store(hn::Add(from, hn::IfThenElseZero(behind, hn::Set(lanes, shift))), lanes, to);
    };
    store(low.left, to_left, mixture.left_lanes);
    store(high.left, to_left, mixture.left_lanes + kHalf);
    store(low.right, to_right, mixture.right_lanes);
    store(high.right, to_right, mixture.right_lanes + kHalf);
    hn::Store(low.left_weight, weights, mixture.left_weights);
    hn::Store(high.left_weight, weights, mixture.left_weights + kHalf);
    hn::Store(low.right_weight, weights, mixture.right_weights);
    hn::Store(high.right_weight, weights, mixture.right_weights + kHalf);
  }

  const int64_t length_, out_length_, wide_, widest_;
  bool one_window_ = true;
  LinearSamples<float> samples_;
  int64_t first_ = 0;  // the output that the first sample is of
  std::vector<Place> places_;
  std::vector<Mixture> mixtures_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
