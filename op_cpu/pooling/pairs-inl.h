// SPDX-License-Identifier: Apache-2.0
// Rows of images as pairs of columns: an even column and the odd column behind it. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_POOLING_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_PAIRS_INL_H_
#undef AVO_OP_CPU_POOLING_PAIRS_INL_H_
#else
#define AVO_OP_CPU_POOLING_PAIRS_INL_H_
#endif

#include <algorithm>

#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/common/vectors/store_pair-inl.h"
#include "op_cpu/pooling/keys-inl.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Loads `count` elements of a row from `at` on, at most a vector, and gives their keys; of the other lanes
// the lowest key. Adds the products of the elements with zero to `products`: NaN where an element is not
// finite.
template <class Keys, typename T, typename V>
HWY_INLINE typename Keys::Key LoadKeys(const T *row, int64_t at, int64_t count, V &products) {
  const hn::ScalableTag<Compute<T>> d;
  const typename Keys::Tag keys;
  const int64_t lanes = hn::Lanes(d);
  const auto lowest = hn::Set(keys, Keys::kLowest);
  if (count <= 0) return lowest;
  const auto value = LoadUpTo(d, row + at, count);
  products = hn::MulAdd(value, hn::Zero(d), products);
  const auto key = Keys::Of(value);
  return count >= lanes ? key : hn::IfThenElse(hn::FirstN(keys, count), key, lowest);
}

// Pairs of a plane's row: lane i of a vector is pair x + i.
//
//   row        e0 o0 e1 o1 e2 o2 e3 o3
//   vectors    even: e0 e1 e2 e3      odd: o0 o1 o2 o3
template <typename T>
class ColumnPairs {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  static constexpr int64_t kStep = kLanes;  // pairs of a vector

  explicit ColumnPairs(const WindowGradients &windows)
      : stream_(Streams(windows.out)), width_(windows.out.shape[3]), count_(windows.grad.shape[3]) {}

  // Shorter rows leave most lanes of their vectors empty. All instruction sets choose as those with the
  // longest vectors do, because a sum of a single term keeps the sign of zero here.
  static bool Suit(const WindowGradients &windows) {
    // Blocks of planes (scattered_maxima-inl.h) take less time for shorter rows.
    const bool large = windows.columns.kernel > 2;
    const int64_t shortest = sizeof(T) == 2 ? 32 : sizeof(T) == 4 ? (large ? 28 : 20) : (large ? 20 : 10);
    return windows.AreNeighbours(3) && windows.grad.shape[3] >= shortest;
  }
  // How many planes there are, where plane i lies, and how many elements a row of one has.
  static int64_t Planes(const Shape &shape) { return shape[0] * shape[1]; }
  static T *Plane(const Tensor &images, int64_t i) { return PlaneOf<T>(images, i); }
  static int64_t RowSize(const Shape &shape) { return shape[3]; }
  // A row is one line of vectors.
  static int64_t Lines(const Shape &) { return 1; }
  void Select(int64_t) {}

  // Loads the keys of the pairs from x on. row: nullptr beside the image.
  template <class Keys, typename Key>
  HWY_INLINE void Load(const T *row, int64_t x, Key &even, Key &odd, V &products) const {
    const typename Keys::Tag keys;
    const int64_t left = row == nullptr ? 0 : width_ - 2 * x;
    const Key low = LoadKeys<Keys>(row, 2 * x, left, products);
    const Key high = LoadKeys<Keys>(row, 2 * x + kLanes, left - kLanes, products);
    even = hn::ConcatEven(keys, high, low);
    odd = hn::ConcatOdd(keys, high, low);
  }
  // Loads the gradients of the windows from x on, 0 behind the last window.
  HWY_INLINE V LoadGrads(const T *row, int64_t x) const {
    return row == nullptr ? hn::Zero(D()) : LoadUpTo(D(), row + x, count_ - x);
  }
  // Stores pairs from x on. Whole vectors of a row's end go around the caches too: a line of the caches that
  // was read among others that were not costs as much as several.
  HWY_INLINE void Store(V even, V odd, T *row, int64_t x) const {
    const D d;
    const V low = hn::InterleaveWholeLower(d, even, odd), high = hn::InterleaveWholeUpper(d, even, odd);
    const int64_t left = width_ - 2 * x;
    T *to = row + 2 * x;
    if (left < 2 * kLanes) {
      StoreUpTo(low, d, to, left, stream_);
      StoreUpTo(high, d, to + kLanes, left - kLanes, stream_);
    } else if (stream_) {
      StorePair<true>(low, high, d, to);
    } else {
      StorePair<false>(low, high, d, to);
    }
  }

  // The pair before each lane: the last lane of `last`, then all lanes of `now` but the last.
  template <class Keys, typename Key>
  static HWY_INLINE Key Before(Key now, Key last) {
    const typename Keys::Tag keys;
    const hn::RebindToUnsigned<typename Keys::Tag> numbers;
    return hn::TwoTablesLookupLanes(keys, last, now, hn::IndicesFromVec(keys, hn::Iota(numbers, kLanes - 1)));
  }
  // The pair behind each lane: all lanes of `now` but the first, then the first lane of `next`.
  static HWY_INLINE V Behind(V now, V next) {
    const D d;
    return hn::TwoTablesLookupLanes(d, now, next,
                                    hn::IndicesFromVec(d, hn::Iota(hn::RebindToUnsigned<D>(), 1)));
  }

 private:
  const bool stream_;
  const int64_t width_, count_;  // columns of the image, and of windows
};

// Pairs of channels-last images: lanes are channels, and a vector has one pair.
template <typename T>
class ChannelPairs {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  static constexpr int64_t kStep = 1;

  explicit ChannelPairs(const WindowGradients &windows)
      : windows_(windows), stream_(StreamsLines(windows.out)) {}

  static bool Suit(const WindowGradients &windows) {
    return windows.AreNeighbours(1) && windows.in.shape[1] >= kLanes;
  }
  static int64_t Planes(const Shape &shape) { return shape[0]; }
  static T *Plane(const Tensor &images, int64_t i) { return PlaneOf<T>(images, i, 0); }
  static int64_t RowSize(const Shape &shape) { return shape[1] * shape[3]; }
  // A line has as many channels as a vector has lanes; the last line overlaps the one before it.
  static int64_t Lines(const Shape &shape) { return CeilDiv(shape[1], kLanes); }
  void Select(int64_t line) { channel_ = std::min(line * kLanes, windows_.in.shape[1] - kLanes); }

  template <class Keys, typename Key>
  HWY_INLINE void Load(const T *row, int64_t x, Key &even, Key &odd, V &products) const {
    const int64_t step = windows_.in.strides[3], left = row == nullptr ? 0 : windows_.in.shape[3] - 2 * x;
    const int64_t at = 2 * x * step + channel_;
    even = LoadKeys<Keys>(row, at, left > 0 ? kLanes : 0, products);
    odd = LoadKeys<Keys>(row, at + step, left > 1 ? kLanes : 0, products);
  }
  HWY_INLINE V LoadGrads(const T *row, int64_t x) const {
    if (row == nullptr || x >= windows_.grad.shape[3]) return hn::Zero(D());
    return LoadFloat(D(), row + x * windows_.grad.strides[3] + channel_);
  }
  HWY_INLINE void Store(V even, V odd, T *row, int64_t x) const {
    const int64_t step = windows_.out.strides[3], left = windows_.out.shape[3] - 2 * x;
    T *to = row + 2 * x * step + channel_;
    if (left > 0) StoreUpTo(even, D(), to, kLanes, stream_);
    if (left > 1) StoreUpTo(odd, D(), to + step, kLanes, stream_);
  }
  template <class Keys, typename Key>
  static HWY_INLINE Key Before(Key, Key last) {
    return last;
  }
  static HWY_INLINE V Behind(V, V next) { return next; }

 private:
  // Only whole lines of the caches, 64 bytes, go around them.
  static bool StreamsLines(const Tensor &out) { return kLanes * sizeof(T) == 64 && Streams(out); }

  const WindowGradients &windows_;
  const bool stream_;
  int64_t channel_ = 0;  // first one of the selected line
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
