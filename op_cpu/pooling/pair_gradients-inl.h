// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of the commonest windows: 2 x 2, and 3 x 3 around their middle, at strides of 2.
// Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_PAIR_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_PAIR_GRADIENTS_INL_H_
#undef AVO_OP_CPU_COMMON_PAIR_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_COMMON_PAIR_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <utility>

#include "hwy/aligned_allocator.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/pooling/pairs-inl.h"
#include "op_cpu/pooling/window_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Pairs is ColumnPairs<T> or ChannelPairs<T>. A window has the elements of a pair of columns and a pair of
// rows, and at kKernel = 3 of the column and the row before them. A row of windows is read, compared and
// shared out in registers, and each element of the result is written once; sums for the row that the next
// windows have too wait in a line. At AVX-512 1.9 x for 3 x 3 windows of 8 x 64 images of 112 x 112 and 1.6 x
// for 2 x 2 of what ColumnGradients takes; 3.3 x and 4 x of LargestGradients channels-last, 3 x of 28 x 28.
template <typename T, int kKernel, class Pairs>
class PairGradients {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  static constexpr int kFirst = 3 - kKernel;  // of the row before the pair, its even one, and its odd one
  static constexpr int64_t kStep = Pairs::kStep, kLanes = hn::MaxLanes(D());
  // Lines take turns every few pairs, so that memory is read and written from front to back: 1.3 x for 3 x 3
  // windows of 64 to 512 channels at AVX-512, 1.6 x for 2 x 2, of a line at a time.
  static constexpr int64_t kPart = kKernel == 3 ? 4 : 1;

 public:
  explicit PairGradients(const WindowGradients &windows)
      : windows_(windows),
        pairs_(windows),
        lines_(Pairs::Lines(windows.in.shape)),
        count_(std::max(windows.grad.shape[3], CeilDiv<int64_t>(windows.out.shape[3], 2))),
        line_(CeilDiv(count_, kStep) * kLanes),
        part_(lines_ == 1 ? count_ : kPart),
        shares_(9 * lines_ * kLanes),
        above_(2 * lines_ * line_),
        below_(2 * lines_ * line_) {}

  // Pairs of rows [first, last) of a plane.
  void operator()(int64_t plane, int64_t first, int64_t last) {
    const Tensor &in = windows_.in, &grad = windows_.grad, &out = windows_.out;
    const T *image = Pairs::Plane(in, plane), *grads = Pairs::Plane(grad, plane);
    T *to = Pairs::Plane(out, plane);
    std::fill(above_.begin(), above_.end(), C{0});
    // And the windows behind them, for their shares of the last row.
    const bool more = kKernel == 3 && last < grad.shape[2];
    for (int64_t row = first; row < last + more; ++row) {
      Rows rows{};
      for (int i = kFirst; i < 3; ++i) {
        const int64_t y = 2 * row - 1 + i;
        if (y < 0 || y >= in.shape[2]) continue;
        rows.in[i] = image + y * in.strides[2];
        if (i == 0 ? row > first : row < last) rows.out[i] = to + y * out.strides[2];
      }
      if (row < grad.shape[2]) rows.grads = grads + row * grad.strides[2];
      for (int64_t begin = 0; begin < count_; begin += part_) {
        const int64_t end = std::min(begin + part_, count_);
        for (int64_t i = 0; i < lines_; ++i) {
          pairs_.Select(i);
          rows.above = above_.data() + 2 * i * line_;
          rows.below = below_.data() + 2 * i * line_;
          rows.shares = shares_.data() + 9 * i * kLanes;
          // What is not finite is seldom alone.
          if (finite_) finite_ = Share<FiniteKeys<C>>(rows, begin, end);
          if (!finite_) finite_ = Share<AnyKeys<C>>(rows, begin, end);
        }
      }
      std::swap(above_, below_);
    }
    const int64_t y = 2 * last - 1;
    if (kKernel == 2 || more || y >= in.shape[2]) return;
    for (int64_t i = 0; i < lines_; ++i) {
      pairs_.Select(i);
      const C *line = above_.data() + 2 * i * line_;
      for (int64_t x = 0; x < line_; x += kLanes) {
        pairs_.Store(hn::Load(D(), line + x), hn::Load(D(), line + line_ + x), to + y * out.strides[2],
                     x / kLanes * kStep);
      }
    }
  }

 private:
  // Of a row of windows: nullptr is beside the image, or for others to write.
  struct Rows {
    const T *in[3], *grads;
    T *out[3];
    const C *above;
    C *below, *shares;
  };

  // Pairs [begin, end), after those before them; whether all that was read is finite.
  template <class Keys>
  bool Share(const Rows &rows, int64_t begin, int64_t end) const {
    using Key = typename Keys::Key;
    const D d;
    const typename Keys::Tag keys;
    const auto zero = hn::Zero(d);
    auto products = zero;
    // Of the pairs before: the odd columns, and what the elements of their windows get.
    Key last[3];
    V before[3], even[3], odd[3];
#pragma GCC unroll 3
    for (int i = kFirst; i < 3; ++i) {
      last[i] = hn::Set(keys, Keys::kLowest);
      before[i] = even[i] = odd[i] = zero;
      if (kKernel == 2 || begin == 0) continue;
      Key unused;
      pairs_.template Load<Keys>(rows.in[i], begin - kStep, unused, last[i], products);
      before[i] = hn::Load(d, rows.shares + 3 * i * kLanes);
      even[i] = hn::Load(d, rows.shares + (3 * i + 1) * kLanes);
      odd[i] = hn::Load(d, rows.shares + (3 * i + 2) * kLanes);
    }
    for (int64_t x = begin; x < end; x += kStep) {
      Key a[3], b[3], c[3], largest[3];
#pragma GCC unroll 3
      for (int i = kFirst; i < 3; ++i) {
        const int number = (i - kFirst) * kKernel;
        pairs_.template Load<Keys>(rows.in[i], x, b[i], c[i], products);
        if (kKernel == 3) a[i] = Keys::Rank(Pairs::template Before<Keys>(c[i], last[i]), number);
        last[i] = c[i];
        b[i] = Keys::Rank(b[i], number + kKernel - 2);
        c[i] = Keys::Rank(c[i], number + kKernel - 1);
        largest[i] = hn::Max(b[i], c[i]);
        if (kKernel == 3) largest[i] = hn::Max(a[i], largest[i]);
      }
      auto best = hn::Max(largest[1], largest[2]);
      if (kKernel == 3) best = hn::Max(largest[0], best);
      const auto grad = pairs_.LoadGrads(rows.grads, x);
      auto rest = hn::Not(hn::MaskFalse(keys));
#pragma GCC unroll 3
      for (int i = kFirst; i < 3; ++i) {
        auto leads = i == 2 ? rest : hn::MaskedEq(rest, largest[i], best);
        rest = hn::AndNot(leads, rest);
        auto first = zero;
        if (kKernel == 3) {
          const auto is_a = hn::MaskedEq(leads, a[i], best);
          first = hn::IfThenElseZero(hn::RebindMask(d, is_a), grad);
          leads = hn::AndNot(is_a, leads);
          if (x > 0) Put(rows, i, x - kStep, even[i], hn::Add(odd[i], Pairs::Behind(before[i], first)));
        }
        const auto is_b = hn::MaskedEq(leads, b[i], best);
        auto second = hn::IfThenElseZero(hn::RebindMask(d, is_b), grad);
        auto third = hn::IfThenElseZero(hn::RebindMask(d, hn::AndNot(is_b, leads)), grad);
        if (i == 0) {
          const C *above = rows.above + x / kStep * kLanes;
          second = hn::Add(hn::Load(d, above), second);
          third = hn::Add(hn::Load(d, above + line_), third);
        }
        if (kKernel == 2) Put(rows, i, x, second, third);
        before[i] = first;
        even[i] = second;
        odd[i] = third;
      }
    }
    const bool finite = hn::AllTrue(d, hn::Eq(products, zero));
    if (std::is_same_v<Keys, FiniteKeys<C>> && !finite) return false;
    if (kKernel == 3) {
      const int64_t x = (line_ / kLanes - 1) * kStep;
#pragma GCC unroll 3
      for (int i = kFirst; i < 3; ++i) {
        if (end == count_) {
          Put(rows, i, x, even[i], hn::Add(odd[i], Pairs::Behind(before[i], zero)));
        } else {
          hn::Store(before[i], d, rows.shares + 3 * i * kLanes);
          hn::Store(even[i], d, rows.shares + (3 * i + 1) * kLanes);
          hn::Store(odd[i], d, rows.shares + (3 * i + 2) * kLanes);
        }
      }
    }
    return finite;
  }

  HWY_INLINE void Put(const Rows &rows, int i, int64_t x, V even, V odd) const {
    if (kKernel == 3 && i == 2) {
      C *below = rows.below + x / kStep * kLanes;
      hn::Store(even, D(), below);
      hn::Store(odd, D(), below + line_);
    } else if (rows.out[i] != nullptr) {
      pairs_.Store(even, odd, rows.out[i], x);
    }
  }

  const WindowGradients &windows_;
  Pairs pairs_;
  // Lines of vectors in a row, pairs in a line, its elements of one column of each pair, pairs at a time.
  const int64_t lines_, count_, line_, part_;
  hwy::AlignedVector<C> shares_, above_, below_;
  bool finite_ = true;
};

template <typename T, int kKernel, class Pairs>
void SharePairs(const WindowGradients &windows, const ParallelFor &parallel_for) {
  const Shape &shape = windows.out.shape;
  const int64_t rows = CeilDiv<int64_t>(shape[2], 2);
  parallel_for(
      Pairs::Planes(shape) * rows, GrainOf(2 * Pairs::RowSize(shape)), [&](int64_t begin, int64_t end) {
        PairGradients<T, kKernel, Pairs> gradients(windows);
        ForImages(begin, end, rows,
                  [&](int64_t plane, int64_t first, int64_t last) { gradients(plane, first, last); });
        hwy::FlushStream();
      });
}

// Whether these are such windows, whose gradients are computed then.
template <typename T, int kKernel>
bool PoolPairs(const WindowGradients &windows, const ParallelFor &parallel_for) {
  for (const WindowAxis &axis : {windows.rows, windows.columns}) {
    if (axis.kernel != kKernel || axis.stride != 2 || axis.padding != kKernel - 2 || axis.dilation != 1)
      return false;
  }
  if (ColumnPairs<T>::Suit(windows)) {
    SharePairs<T, kKernel, ColumnPairs<T>>(windows, parallel_for);
  } else if (ChannelPairs<T>::Suit(windows)) {
    SharePairs<T, kKernel, ChannelPairs<T>>(windows, parallel_for);
  } else {
    return false;
  }
  return true;
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
