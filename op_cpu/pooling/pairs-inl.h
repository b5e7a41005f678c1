// SPDX-License-Identifier: Apache-2.0
// Rows of images as pairs of columns: an even one and the odd one behind it. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_COMMON_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_PAIRS_INL_H_
#undef AVO_OP_CPU_COMMON_PAIRS_INL_H_
#else
#define AVO_OP_CPU_COMMON_PAIRS_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "hwy/highway.h"
#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/vectors/store_pair-inl.h"
#include "op_cpu/pooling/fold-inl.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What elements are compared by: themselves, where there are neither NaN nor infinities but those that stand
// for what lies beside the image.
template <typename C>
struct FiniteKeys {
  using Tag = hn::ScalableTag<C>;
  using Key = hn::Vec<Tag>;
  static constexpr C kLowest = -std::numeric_limits<C>::infinity();

  static HWY_INLINE Key Of(Key value) { return value; }
  static HWY_INLINE Key Rank(Key key, int) { return key; }
};

// Integers in the order of any elements, whatever lies beside the image below all of them and NaN above.
template <typename C>
struct AnyKeys {
  using Tag = hn::RebindToSigned<hn::ScalableTag<C>>;
  using Key = hn::Vec<Tag>;
  static constexpr hn::TFromD<Tag> kLowest = std::numeric_limits<hn::TFromD<Tag>>::min();
  static constexpr hn::TFromD<Tag> kNaN = std::numeric_limits<hn::TFromD<Tag>>::max() - 8;

  static HWY_INLINE Key Of(hn::Vec<hn::ScalableTag<C>> value) {
    const hn::ScalableTag<C> d;
    const Tag keys;
    const auto bits = hn::BitCast(keys, hn::Add(value, hn::Zero(d)));  // one zero, not two
    const auto flipped = hn::Xor(bits, hn::Set(keys, std::numeric_limits<hn::TFromD<Tag>>::max()));
    const auto key = hn::IfNegativeThenElse(bits, flipped, bits);
    return hn::IfThenElse(hn::RebindMask(keys, hn::IsNaN(value)), hn::Set(keys, kNaN), key);
  }
  // Of element `number` of a window: the last NaN is the largest.
  static HWY_INLINE Key Rank(Key key, int number) {
    const Tag keys;
    const auto nan = hn::Eq(key, hn::Set(keys, kNaN));
    return hn::IfThenElse(nan, hn::Set(keys, static_cast<hn::TFromD<Tag>>(kNaN + number)), key);
  }
};

// Neighbours in a vector are columns, or the pairs of a plane's row.
template <typename T>
class ColumnPairs {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  static constexpr int64_t kStep = kLanes;  // pairs in a vector

  explicit ColumnPairs(const WindowGradients &windows)
      : stream_(Streams(windows.out)), width_(windows.out.shape[3]), count_(windows.grad.shape[3]) {}

  static bool Suit(const WindowGradients &windows) {
    return windows.in.strides[3] == 1 && windows.grad.strides[3] == 1 && windows.out.strides[3] == 1;
  }
  // How many planes, how many elements a row of one has, and the place of one.
  static int64_t Planes(const Shape &shape) { return shape[0] * shape[1]; }
  static int64_t RowSize(const Shape &shape) { return shape[3]; }
  static T *Plane(const Tensor &images, int64_t i) {
    const int64_t n = i / images.shape[1], c = i % images.shape[1];
    return static_cast<T *>(images.data) + n * images.strides[0] + c * images.strides[1];
  }
  // A row is one line of vectors.
  static int64_t Lines(const Shape &) { return 1; }
  void Select(int64_t) {}

  // Pairs from x on of a row, nullptr beside the image; products of their elements with zero are added up.
  template <class Keys, typename Key>
  HWY_INLINE void Load(const T *row, int64_t x, Key &even, Key &odd, V &products) const {
    const typename Keys::Tag keys;
    const int64_t rest = row == nullptr ? 0 : width_ - 2 * x;
    const Key low = LoadKeys<Keys>(row, 2 * x, rest, products);
    const Key high = LoadKeys<Keys>(row, 2 * x + kLanes, rest - kLanes, products);
    even = hn::ConcatEven(keys, high, low);
    odd = hn::ConcatOdd(keys, high, low);
  }
  // Of windows from x on, 0 behind the last one.
  HWY_INLINE V LoadGrads(const T *row, int64_t x) const {
    const D d;
    const int64_t rest = row == nullptr ? 0 : count_ - x;
    return rest >= kLanes ? LoadFloat(d, row + x) : rest > 0 ? LoadFirst(d, row + x, rest) : hn::Zero(d);
  }
  HWY_INLINE void Store(V even, V odd, T *row, int64_t x) const {
    const D d;
    const V low = hn::InterleaveWholeLower(d, even, odd), high = hn::InterleaveWholeUpper(d, even, odd);
    const int64_t rest = width_ - 2 * x;
    T *to = row + 2 * x;
    if (rest >= 2 * kLanes) {
      if (stream_) {
        StorePair<true>(low, high, d, to);
      } else {
        StorePair<false>(low, high, d, to);
      }
    } else {
      PutFirst(low, rest, to);
      PutFirst(high, rest - kLanes, to + kLanes);
    }
  }

  // The neighbour before each lane, or behind it.
  template <class Keys, typename Key>
  static HWY_INLINE Key Before(Key now, Key last) {
    const typename Keys::Tag keys;
    const hn::RebindToUnsigned<typename Keys::Tag> numbers;
    return hn::TwoTablesLookupLanes(keys, last, now, hn::IndicesFromVec(keys, hn::Iota(numbers, kLanes - 1)));
  }
  static HWY_INLINE V Behind(V now, V next) {
    const D d;
    return hn::TwoTablesLookupLanes(d, now, next,
                                    hn::IndicesFromVec(d, hn::Iota(hn::RebindToUnsigned<D>(), 1)));
  }

 private:
  template <class Keys>
  static HWY_INLINE typename Keys::Key LoadKeys(const T *row, int64_t at, int64_t rest, V &products) {
    const D d;
    const typename Keys::Tag keys;
    const auto lowest = hn::Set(keys, Keys::kLowest);
    if (rest <= 0) return lowest;
    const auto value = rest >= kLanes ? LoadFloat(d, row + at) : LoadFirst(d, row + at, rest);
    products = hn::MulAdd(value, hn::Zero(d), products);
    const auto key = Keys::Of(value);
    return rest >= kLanes ? key : hn::IfThenElse(hn::FirstN(keys, rest), key, lowest);
  }

  // Whole vectors around the caches here too: a line within that others surround costs as much as several.
  HWY_INLINE void PutFirst(V value, int64_t rest, T *to) const {
    if (rest >= kLanes && stream_) {
      StreamFloat(value, D(), to);
    } else if (rest > 0) {
      StoreFirst(value, D(), to, std::min(rest, kLanes));
    }
  }

  const bool stream_;
  const int64_t width_, count_;
};

// Neighbours in a vector are channels.
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
    return windows.in.strides[1] == 1 && windows.grad.strides[1] == 1 && windows.out.strides[1] == 1 &&
           windows.in.shape[1] >= kLanes;
  }
  static int64_t Planes(const Shape &shape) { return shape[0]; }
  static int64_t RowSize(const Shape &shape) { return shape[1] * shape[3]; }
  static T *Plane(const Tensor &images, int64_t i) {
    return static_cast<T *>(images.data) + i * images.strides[0];
  }
  // A line is of as many channels as a vector has lanes; the last one overlaps that before it.
  static int64_t Lines(const Shape &shape) { return CeilDiv(shape[1], kLanes); }
  void Select(int64_t line) { channel_ = std::min(line * kLanes, windows_.in.shape[1] - kLanes); }

  template <class Keys, typename Key>
  HWY_INLINE void Load(const T *row, int64_t x, Key &even, Key &odd, V &products) const {
    const int64_t step = windows_.in.strides[3], rest = row == nullptr ? 0 : windows_.in.shape[3] - 2 * x;
    const int64_t at = 2 * x * step + channel_;
    even = LoadKeys<Keys>(row, at, rest > 0, products);
    odd = LoadKeys<Keys>(row, at + step, rest > 1, products);
  }
  HWY_INLINE V LoadGrads(const T *row, int64_t x) const {
    if (row == nullptr || x >= windows_.grad.shape[3]) return hn::Zero(D());
    return LoadFloat(D(), row + x * windows_.grad.strides[3] + channel_);
  }
  HWY_INLINE void Store(V even, V odd, T *row, int64_t x) const {
    const int64_t step = windows_.out.strides[3], rest = windows_.out.shape[3] - 2 * x;
    T *to = row + 2 * x * step + channel_;
    if (rest > 0) Put(even, to);
    if (rest > 1) Put(odd, to + step);
  }
  template <class Keys, typename Key>
  static HWY_INLINE Key Before(Key, Key last) {
    return last;
  }
  static HWY_INLINE V Behind(V, V next) { return next; }

 private:
  // Around the caches go whole lines of them alone.
  static bool StreamsLines(const Tensor &out) { return kLanes * sizeof(T) == 64 && Streams(out); }

  template <class Keys>
  static HWY_INLINE typename Keys::Key LoadKeys(const T *row, int64_t at, bool inside, V &products) {
    if (!inside) return hn::Set(typename Keys::Tag(), Keys::kLowest);
    const auto value = LoadFloat(D(), row + at);
    products = hn::MulAdd(value, hn::Zero(D()), products);
    return Keys::Of(value);
  }
  HWY_INLINE void Put(V value, T *to) const {
    if (stream_) {
      StreamFloat(value, D(), to);
    } else {
      StoreFloat(value, D(), to);
    }
  }

  const WindowGradients &windows_;
  const bool stream_;
  int64_t channel_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
