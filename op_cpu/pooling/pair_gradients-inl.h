// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of the commonest windows, at strides of 2: 2 x 2, and 3 x 3 with padding 1. Compiled
// once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_PAIR_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_PAIR_GRADIENTS_INL_H_
#undef AVO_OP_CPU_POOLING_PAIR_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_POOLING_PAIR_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <utility>

#include "hwy/highway.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/pooling/pairs-inl.h"
#include "op_cpu/pooling/parallel_images.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A window belongs to a pair of rows and a pair of columns. It has the taps a, b and c of each of its rows:
//
//                    pair x - 1      pair x
//                    even  odd     even  odd
//   odd row above           a        b    c      row 0    3 x 3 windows alone
//   even row                a        b    c      row 1
//   odd row                 a        b    c      row 2
//                          3 x 3
//                          alone
//
// So an element of an even column is a tap of one window, and one of an odd column is tap c of its own pair's
// window and, of 3 x 3 windows, tap a of the next one. The same holds for rows. A row of windows is read,
// compared and given its gradients in registers, and each element of the result is written once: what the odd
// row receives waits in a line for the windows below.
//
// Pairs is ColumnPairs<T> or ChannelPairs<T>. Measured at AVX-512 for 8 x 64 images of 112 x 112, this is 1.9
// x as fast as ColumnGradients for 3 x 3 windows, and 1.6 x for 2 x 2; channels-last 3.3 x and 4 x as fast as
// rows of channels, and 3 x for images of 28 x 28.
template <typename T, int kKernel, class Pairs>
class PairGradients {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  static constexpr int kFirst = 3 - kKernel;  // the first row of a window
  static constexpr int64_t kStep = Pairs::kStep, kLanes = hn::MaxLanes(D());
  // Lines take turns of a few pairs, so that memory is read and written from front to back. For 64 to 512
  // channels at AVX-512, this is 1.3 x as fast for 3 x 3 windows as a line at a time, and 1.6 x for 2 x 2.
  static constexpr int64_t kTurn = kKernel == 3 ? 4 : 1;

 public:
  explicit PairGradients(const WindowGradients &windows)
      : windows_(windows),
        pairs_(windows),
        lines_(Pairs::Lines(windows.in.shape)),
        count_(std::max(windows.grad.shape[3], CeilDiv<int64_t>(windows.out.shape[3], 2))),
        line_(CeilDiv(count_, kStep) * kLanes),
        turn_(lines_ == 1 ? count_ : kTurn),
        paused_(9 * lines_ * kLanes),
        above_(2 * lines_ * line_),
        below_(2 * lines_ * line_) {}

  // Computes pairs of rows [first, last) of a plane.
  void operator()(int64_t plane, int64_t first, int64_t last) {
    std::fill(above_.begin(), above_.end(), C{0});
    // The windows below these rows give to the last odd row too.
    const bool more = kKernel == 3 && last < windows_.grad.shape[2];
    for (int64_t row = first; row < last + more; ++row) {
      ComputeRow(RowsOf(plane, row, first, last));
      std::swap(above_, below_);
    }
    const int64_t y = 2 * last - 1;
    if (kKernel == 3 && !more && y < windows_.in.shape[2]) {
      StoreLine(Pairs::Plane(windows_.out, plane) + y * windows_.out.strides[2]);
    }
  }

 private:
  // What a row of windows reads and writes. A row is nullptr where it lies beside the image, or where another
  // call writes it.
  struct Rows {
    const T *in[3], *grads;
    T *out[3];
    const C *above;  // what the windows above gave row 0 of these: even columns, then odd columns
    C *below;        // the same of row 2, for the windows below
    C *paused;       // State::given of a line between its turns
  };

  // The keys of a vector of windows: their taps, and the largest tap, for each row of the windows.
  template <class Keys>
  struct WindowKeys {
    using Key = typename Keys::Key;
    Key a[3], b[3], c[3], largest[3];

    HWY_INLINE Key Best() const {
      const Key best = hn::Max(largest[1], largest[2]);
      return kKernel == 3 ? hn::Max(largest[0], best) : best;
    }
  };

  // What the pairs of a vector leave for those behind them, for each row of the windows.
  template <class Keys>
  struct State {
    typename Keys::Key odd_keys[3];
    V given[3][3];  // what their windows give taps a, b and c
  };

  // Row `row` of windows, where the pairs of rows [first, last) are computed.
  Rows RowsOf(int64_t plane, int64_t row, int64_t first, int64_t last) const {
    const Tensor &in = windows_.in, &grad = windows_.grad, &out = windows_.out;
    Rows rows{};
    for (int i = kFirst; i < 3; ++i) {
      const int64_t y = 2 * row - 1 + i;
      if (y < 0 || y >= in.shape[2]) continue;
      rows.in[i] = Pairs::Plane(in, plane) + y * in.strides[2];
      if (i == 0 ? row > first : row < last) rows.out[i] = Pairs::Plane(out, plane) + y * out.strides[2];
    }
    if (row < grad.shape[2]) rows.grads = Pairs::Plane(grad, plane) + row * grad.strides[2];
    return rows;
  }

  // Computes a row of windows.
  void ComputeRow(Rows rows) {
    for (int64_t begin = 0; begin < count_; begin += turn_) {
      const int64_t end = std::min(begin + turn_, count_);
      for (int64_t i = 0; i < lines_; ++i) {
        pairs_.Select(i);
        rows.above = above_.data() + 2 * i * line_;
        rows.below = below_.data() + 2 * i * line_;
        rows.paused = paused_.data() + 9 * i * kLanes;
        // Elements that are not finite are seldom alone, so the next turn expects them too.
        if (finite_) finite_ = ComputePairs<FiniteKeys<C>>(rows, begin, end);
        if (!finite_) finite_ = ComputePairs<AnyKeys<C>>(rows, begin, end);
      }
    }
  }

  // Stores what the last odd row of the image received, as there are no windows below it.
  void StoreLine(T *to) {
    for (int64_t i = 0; i < lines_; ++i) {
      pairs_.Select(i);
      const C *line = above_.data() + 2 * i * line_;
      for (int64_t x = 0; x < line_; x += kLanes) {
        pairs_.Store(hn::Load(D(), line + x), hn::Load(D(), line + line_ + x), to, x / kLanes * kStep);
      }
    }
  }

  // Computes the pairs [begin, end) of a line. Returns whether all that was read is finite; where it is not,
  // the results of FiniteKeys are void.
  template <class Keys>
  bool ComputePairs(const Rows &rows, int64_t begin, int64_t end) const {
    const D d;
    // A sum for each row, as each addition waits for the one before it.
    V products[3] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    State<Keys> state;
    Resume(rows, begin, state, products);
    for (int64_t x = begin; x < end; x += kStep) {
      const WindowKeys<Keys> keys = LoadWindows(rows, x, state, products);
      const auto best = keys.Best();
      const V grad = pairs_.LoadGrads(rows.grads, x);
      // The windows whose maximum is not in a row before.
      auto open = hn::Not(hn::MaskFalse(typename Keys::Tag()));
#pragma GCC unroll 3
      for (int i = kFirst; i < 3; ++i) {
        V given[3];
        GiveRow(keys, i, best, grad, open, given);
        if (i == 0) {
          const C *above = rows.above + x / kStep * kLanes;
          given[1] = hn::Add(hn::Load(d, above), given[1]);
          given[2] = hn::Add(hn::Load(d, above + line_), given[2]);
        }
        if (kKernel == 2) Put(rows, i, x, given[1], given[2]);
        if (kKernel == 3 && x > 0) Finish(rows, i, x - kStep, state, given[0]);
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) state.given[i][k] = given[k];
      }
    }
    const V all = hn::Add(hn::Add(products[0], products[1]), products[2]);
    const bool finite = hn::AllTrue(d, hn::Eq(all, hn::Zero(d)));
    if (std::is_same_v<Keys, FiniteKeys<C>> && !finite) return false;
    if (kKernel == 3) Pause(rows, end, state);
    return finite;
  }

  // Loads the keys of the windows from x on.
  template <class Keys>
  HWY_INLINE WindowKeys<Keys> LoadWindows(const Rows &rows, int64_t x, State<Keys> &state,
                                          V (&products)[3]) const {
    WindowKeys<Keys> keys;
#pragma GCC unroll 3
    for (int i = kFirst; i < 3; ++i) {
      const int number = (i - kFirst) * kKernel;  // of the row's first tap
      auto &a = keys.a[i], &b = keys.b[i], &c = keys.c[i], &largest = keys.largest[i];
      pairs_.template Load<Keys>(rows.in[i], x, b, c, products[i]);
      if (kKernel == 3) a = Keys::AsTap(Pairs::template Before<Keys>(c, state.odd_keys[i]), number);
      state.odd_keys[i] = c;
      b = Keys::AsTap(b, number + kKernel - 2);
      c = Keys::AsTap(c, number + kKernel - 1);
      largest = hn::Max(b, c);
      if (kKernel == 3) largest = hn::Max(a, largest);
    }
    return keys;
  }

  // Computes what row i of windows gives its taps a, b and c: the gradient where the tap is the first one
  // whose key is `best`. open: the windows whose maximum is not in a row before; these windows are taken out
  // where it is here.
  template <class Keys, typename Mask>
  HWY_INLINE void GiveRow(const WindowKeys<Keys> &keys, int i, typename Keys::Key best, V grad, Mask &open,
                          V (&given)[3]) const {
    const D d;
    auto here = i == 2 ? open : hn::MaskedEq(open, keys.largest[i], best);
    open = hn::AndNot(here, open);
    given[0] = hn::Zero(d);
    if (kKernel == 3) {
      const auto is_a = hn::MaskedEq(here, keys.a[i], best);
      given[0] = hn::IfThenElseZero(hn::RebindMask(d, is_a), grad);
      here = hn::AndNot(is_a, here);
    }
    const auto is_b = hn::MaskedEq(here, keys.b[i], best);
    given[1] = hn::IfThenElseZero(hn::RebindMask(d, is_b), grad);
    given[2] = hn::IfThenElseZero(hn::RebindMask(d, hn::AndNot(is_b, here)), grad);
  }

  // The state before pair `begin`: that of a new line, or what Pause kept.
  template <class Keys>
  HWY_INLINE void Resume(const Rows &rows, int64_t begin, State<Keys> &state, V (&products)[3]) const {
    const D d;
#pragma GCC unroll 3
    for (int i = kFirst; i < 3; ++i) {
      state.odd_keys[i] = hn::Set(typename Keys::Tag(), Keys::kLowest);
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) state.given[i][k] = hn::Zero(d);
      if (kKernel == 2 || begin == 0) continue;
      typename Keys::Key unused;
      pairs_.template Load<Keys>(rows.in[i], begin - kStep, unused, state.odd_keys[i], products[i]);
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) state.given[i][k] = hn::Load(d, rows.paused + (3 * i + k) * kLanes);
    }
  }

  // Keeps the state before pair `end` for the next turn, or finishes the line.
  template <class Keys>
  HWY_INLINE void Pause(const Rows &rows, int64_t end, const State<Keys> &state) const {
    const D d;
#pragma GCC unroll 3
    for (int i = kFirst; i < 3; ++i) {
      if (end == count_) {
        Finish(rows, i, (line_ / kLanes - 1) * kStep, state, hn::Zero(d));
        continue;
      }
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) hn::Store(state.given[i][k], d, rows.paused + (3 * i + k) * kLanes);
    }
  }

  // Stores the pairs from x on in row i: their odd columns are tap a of the windows behind them. next: what
  // the windows of the next vector give tap a.
  template <class Keys>
  HWY_INLINE void Finish(const Rows &rows, int i, int64_t x, const State<Keys> &state, V next) const {
    const V(&given)[3] = state.given[i];
    Put(rows, i, x, given[1], hn::Add(given[2], Pairs::Behind(given[0], next)));
  }

  // Stores the pairs from x on in row i, or keeps them for the windows below.
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
  const int64_t lines_;  // lines of vectors of a row
  const int64_t count_;  // pairs of a line
  const int64_t line_;   // elements of the even columns of a line
  const int64_t turn_;   // pairs of a turn
  AlignedVector<C> paused_, above_, below_;
  bool finite_ = true;  // whether all elements of the turn before were finite
};

template <typename T, int kKernel, class Pairs>
void PoolPairGradients(const WindowGradients &windows, const ParallelFor &parallel_for) {
  const Shape &shape = windows.out.shape;
  ParallelImages<PairGradients<T, kKernel, Pairs>>(windows, Pairs::Planes(shape),
                                                   CeilDiv<int64_t>(shape[2], 2),
                                                   GrainOf(2 * Pairs::RowSize(shape)), parallel_for);
}

// Computes the gradients if these are such windows; returns whether they are.
template <typename T, int kKernel>
bool PoolPairs(const WindowGradients &windows, const ParallelFor &parallel_for) {
  for (const WindowAxis &axis : {windows.rows, windows.columns}) {
    if (axis.kernel != kKernel || axis.stride != 2 || axis.padding != kKernel - 2 || axis.dilation != 1)
      return false;
  }
  if (ColumnPairs<T>::Suit(windows)) {
    PoolPairGradients<T, kKernel, ColumnPairs<T>>(windows, parallel_for);
  } else if (ChannelPairs<T>::Suit(windows)) {
    PoolPairGradients<T, kKernel, ChannelPairs<T>>(windows, parallel_for);
  } else {
    return false;
  }
  return true;
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
