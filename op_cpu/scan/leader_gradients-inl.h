// SPDX-License-Identifier: Apache-2.0
// Gradients of a running extreme: an element that leads receives the gradients of the places it leads.
// Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_LEADER_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_LEADER_GRADIENTS_INL_H_
#undef AVO_OP_CPU_COMMON_LEADER_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_COMMON_LEADER_GRADIENTS_INL_H_
#endif

#include "hwy/highway.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/scan/lines.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elements in 64 bits, float64 or int64.
template <class D, typename E>
HWY_INLINE hn::Vec<D> LoadWide(D d, const E *from) {
  if constexpr (std::is_same_v<hn::TFromD<D>, E>) {
    return hn::LoadU(d, from);
  } else if constexpr (std::is_same_v<hn::TFromD<D>, double>) {
    return hn::PromoteTo(d, LoadFloat(hn::Rebind<float, D>(), from));
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<E, D>(), from));
  }
}

template <class D, typename T>
HWY_INLINE void StoreWide(hn::Vec<D> value, D d, T *to) {
  if constexpr (std::is_same_v<T, double>) {
    hn::StoreU(value, d, to);
  } else {
    const hn::Rebind<float, D> narrow;
    StoreFloat(hn::DemoteTo(narrow, value), narrow, to);
  }
}

// The tensors are gradients of T and N - 1 more, of E; the last is the result. Leads says from the elements
// of these at a place, one of each or vectors of them, and the place, whether the element there leads.
template <typename T, typename E, size_t N, class Leads>
class LeaderSums {
 public:
  // Sums run from the last position of `axis` to the first, against the scan, where `backward`.
  LeaderSums(const std::array<const Tensor *, N + 1> &tensors, int64_t axis, bool backward)
      : tensors_(tensors), axis_(axis), backward_(backward) {
    const Tensor &out = *tensors[N];
    length_ = out.rank() == 0 ? 1 : out.shape[axis];
    for (size_t t = 0; t <= N && out.rank() > 0; ++t) strides_[t] = tensors[t]->strides[axis];
  }

  void Run(const ParallelFor &parallel_for) const {
    ForLines<N + 1>(tensors_, axis_, kColumns, parallel_for, [this](const Block &block) {
      const bool neighbours =
          std::all_of(block.steps.begin(), block.steps.end(), [](int64_t step) { return step == 1; });
      int64_t j = 0;
      if (block.side_by_side && neighbours && block.lines >= kLanes) {
        for (; j + kColumns <= block.lines; j += kColumns) Columns<kColumns / kLanes>(block, j);
        // The last vector overlaps the one before it.
        for (; j < block.lines; j += kLanes) Columns<1>(block, std::min(j, block.lines - kLanes));
      }
      for (; j < block.lines; ++j) Line(block, j);
    });
  }

 private:
  using Block = LineBlock<N + 1>;
  using D = hn::ScalableTag<double>;
  using DE = hn::ScalableTag<std::conditional_t<std::is_integral_v<E>, int64_t, double>>;
  static constexpr int64_t kLanes = hn::MaxLanes(D()), kColumns = 64;

  int64_t Place(int64_t k) const { return backward_ ? length_ - 1 - k : k; }
  template <typename Element>
  Element *At(size_t t, const Block &block, int64_t line, int64_t place) const {
    return static_cast<Element *>(tensors_[t]->data) + block.offsets[t] + line * block.steps[t] +
           place * strides_[t];
  }

  void Line(const Block &block, int64_t line) const {
    double sum = 0;
    for (int64_t k = 0; k < length_; ++k) {
      const int64_t place = Place(k);
      std::array<E, N - 1> elements;
      for (size_t t = 1; t < N; ++t) elements[t - 1] = *At<const E>(t, block, line, place);
      sum += Widen(*At<const T>(0, block, line, place));
      const bool takes = Leads::One(elements, place);
      *At<T>(N, block, line, place) = Narrow<T>(static_cast<Compute<T>>(takes ? sum : 0.0));
      if (takes) sum = 0;
    }
  }

  // kVectors vectors of neighbouring lines from `line` on, walked side by side: 2 x at AVX-512.
  template <size_t kVectors>
  void Columns(const Block &block, int64_t line) const {
    const D d;
    const DE de;
    hn::Vec<D> sums[kVectors];
    for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
    for (int64_t k = 0; k < length_; ++k) {
      const int64_t place = Place(k);
      for (size_t v = 0; v < kVectors; ++v) {
        const int64_t first = line + v * kLanes;
        hn::Vec<DE> elements[N - 1];
        for (size_t t = 1; t < N; ++t) elements[t - 1] = LoadWide(de, At<const E>(t, block, first, place));
        const auto sum = hn::Add(sums[v], LoadWide(d, At<const T>(0, block, first, place)));
        const auto takes = hn::RebindMask(d, Leads::Lanes(de, elements, place));
        StoreWide(hn::IfThenElseZero(takes, sum), d, At<T>(N, block, first, place));
        sums[v] = hn::IfThenZeroElse(takes, sum);
      }
    }
  }

  std::array<const Tensor *, N + 1> tensors_;
  int64_t axis_;
  bool backward_;
  int64_t length_;
  std::array<int64_t, N + 1> strides_{};
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
