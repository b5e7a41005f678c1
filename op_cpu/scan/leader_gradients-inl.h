// SPDX-License-Identifier: Apache-2.0
// Gradients of a running extreme. An element that leads is the result at its own index and at those behind
// it, up to the next element that leads. It receives the gradients of all of them:
//
//   values      3  3  4  4  4  5        scanned from left to right
//   leads       1  0  1  0  0  1
//   gradients   a  b  c  d  e  f
//   sums        a+b   c+d+e    f        summed from right to left; the others receive 0
//
// This file is compiled once for each instruction set.
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

// Loads Lanes(d) elements as float64 or int64.
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

// Stores float64 as elements of T.
template <class D, typename T>
HWY_INLINE void StoreWide(hn::Vec<D> value, D d, T *to) {
  if constexpr (std::is_same_v<T, double>) {
    hn::StoreU(value, d, to);
  } else {
    const hn::Rebind<float, D> narrow;
    StoreFloat(hn::DemoteTo(narrow, value), narrow, to);
  }
}

// Sums gradients. Tensor 0 holds gradients of type T, tensor N is the result. The N - 1 tensors between them
// hold elements of type E that say who leads: Leads::One(elements, index) says whether the element at `index`
// leads, from one element of each of these tensors; Leads::Lanes(d, elements, index) does so for vectors.
template <typename T, typename E, size_t N, class Leads>
class LeaderSums {
 public:
  // backward: sums go from the last index of `axis` to the first one, because the scan went the other way.
  LeaderSums(const std::array<const Tensor *, N + 1> &tensors, int64_t axis, bool backward)
      : tensors_(tensors), axis_(axis), backward_(backward) {
    const Tensor &out = *tensors[N];
    length_ = out.rank() == 0 ? 1 : out.shape[axis];
    for (size_t t = 0; t <= N && out.rank() > 0; ++t) strides_[t] = tensors[t]->strides[axis];
  }

  void Run(const ParallelFor &parallel_for) const {
    ForLines<N + 1>(tensors_, axis_, kColumns, parallel_for, [this](const Block &block) {
      const bool contiguous =
          std::all_of(block.steps.begin(), block.steps.end(), [](int64_t step) { return step == 1; });
      int64_t j = 0;
      if (block.side_by_side && contiguous && block.lines >= kLanes) {
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

  int64_t IndexOf(int64_t step) const { return backward_ ? length_ - 1 - step : step; }
  template <typename Element>
  Element *At(size_t t, const Block &block, int64_t line, int64_t index) const {
    return static_cast<Element *>(tensors_[t]->data) + block.offsets[t] + line * block.steps[t] +
           index * strides_[t];
  }

  void Line(const Block &block, int64_t line) const {
    double sum = 0;
    for (int64_t k = 0; k < length_; ++k) {
      const int64_t index = IndexOf(k);
      std::array<E, N - 1> elements;
      for (size_t t = 1; t < N; ++t) elements[t - 1] = *At<const E>(t, block, line, index);
      sum += Widen(*At<const T>(0, block, line, index));
      const bool leads = Leads::One(elements, index);
      *At<T>(N, block, line, index) = Narrow<T>(static_cast<Compute<T>>(leads ? sum : 0.0));
      if (leads) sum = 0;
    }
  }

  // Sums kVectors vectors of lines that lie side by side, from `line` on: 2 x as fast at AVX-512 as line by
  // line.
  template <size_t kVectors>
  void Columns(const Block &block, int64_t line) const {
    const D d;
    const DE de;
    hn::Vec<D> sums[kVectors];
    for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
    for (int64_t k = 0; k < length_; ++k) {
      const int64_t index = IndexOf(k);
      for (size_t v = 0; v < kVectors; ++v) {
        const int64_t first = line + v * kLanes;
        hn::Vec<DE> elements[N - 1];
        for (size_t t = 1; t < N; ++t) elements[t - 1] = LoadWide(de, At<const E>(t, block, first, index));
        const auto sum = hn::Add(sums[v], LoadWide(d, At<const T>(0, block, first, index)));
        const auto leads = hn::RebindMask(d, Leads::Lanes(de, elements, index));
        StoreWide(hn::IfThenElseZero(leads, sum), d, At<T>(N, block, first, index));
        sums[v] = hn::IfThenZeroElse(leads, sum);
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
