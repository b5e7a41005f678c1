// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of any windows, with channels as lanes. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_TILE_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_TILE_GRADIENTS_INL_H_
#undef AVO_OP_CPU_POOLING_TILE_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_POOLING_TILE_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <type_traits>
#include <vector>

#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/with_constant-inl.h"
#include "op_cpu/pooling/keys-inl.h"
#include "op_cpu/pooling/pixel_squares-inl.h"
#include "op_cpu/pooling/tile_rows.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A tile holds the keys of some rows of a block of channels, and the sums of what they receive. It holds what
// lies beside the image too, so that all windows have all taps, at the same distances from their first tap:
//
//   2 x 2 windows, padding 1, 2 x 3 pixels         .  .  .  .
//   a tap lies in the tile at 0, 1, 4 or 5         .  a  b  c
//   pixels from the start of its window            .  d  e  f
//
// A window loads its taps once, and adds its gradient to the sum of its maximum. The windows follow each
// other in row-major order, so each sum has its terms in this order.
template <typename T>
class TileGradients {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  static constexpr int64_t kBlock = kPixelBlock<T>, kLanes = hn::MaxLanes(D());

 public:
  explicit TileGradients(const WindowGradients &windows)
      : windows_(windows),
        rows_(windows.rows),
        columns_(windows.columns),
        count_(windows.grad.shape[3]),
        pitch_(std::max(columns_.Start(count_ - 1) + columns_.Reach(), columns_.size) + columns_.padding),
        band_(RowsTogether(rows_, kPixels / pitch_)) {
    const Shape &grad = windows.grad.shape;
    const int64_t plane = std::max(rows_.Start(grad[2] - 1) + rows_.Reach(), rows_.size) + rows_.padding;
    keys_.resize(std::min(plane, band_ + 2 * (rows_.Reach() - 1)) * pitch_ * kBlock);
    const int64_t window_rows = std::min(grad[2], (band_ + rows_.Reach() - 2) / rows_.stride + 2);
    sums_.resize(keys_.size());
    grads_.resize(window_rows * count_ * kBlock);
    for (int64_t i = 0; i < window_rows * count_; ++i) grad_places_.push_back(i * kBlock);
    for (int64_t i = 0; i < rows_.kernel; ++i) {
      for (int64_t j = 0; j < columns_.kernel; ++j) {
        const int64_t y = i * rows_.dilation, x = j * columns_.dilation;
        taps_.push_back((y * pitch_ + x) * kBlock);
      }
    }
  }

  // Computes rows [first, last) of channels [channel, channel + channels) of image n of the result.
  void operator()(int64_t n, int64_t channel, int64_t channels, int64_t first, int64_t last) {
    for (; first < last; first += band_) {
      SelectBand(first, std::min(first + band_, last));
      // Elements that are not finite are seldom alone, so the next tile expects them too.
      if (finite_) finite_ = ComputeBand<FiniteKeys<C>>(n, channel, channels);
      if (!finite_) finite_ = ComputeBand<AnyKeys<C>>(n, channel, channels);
    }
  }

 private:
  // Pixels of a tile, which then stays in the second cache.
  static constexpr int64_t kPixels = 1024;

  void SelectBand(int64_t first, int64_t last) {
    if (first == at_.first && last == at_.last) return;
    at_ = TileRows::Of(rows_, windows_.grad.shape[2], first, last);
    cleared_ = kNothing;
    places_.clear();
    from_ = std::min(first, at_.in_first);
    for (int64_t y = from_; y < std::max(last, at_.in_last); ++y) {
      for (int64_t x = 0; x < columns_.size; ++x) {
        places_.push_back(((y + rows_.padding - at_.start) * pitch_ + x + columns_.padding) * kBlock);
      }
    }
  }

  // Returns whether all that was read is finite; where it is not, the results of FiniteKeys are void.
  template <class Keys>
  bool ComputeBand(int64_t n, int64_t channel, int64_t channels) {
    using Key = hn::TFromD<typename Keys::Tag>;
    constexpr bool kFinite = std::is_same_v<Keys, FiniteKeys<C>>;
    const D d;
    auto *keys = reinterpret_cast<Key *>(keys_.data());
    if (cleared_ != (kFinite ? kLowestNumber : kLowestKey)) {
      std::fill_n(keys, at_.height * pitch_ * kBlock, Keys::kLowest);
      cleared_ = kFinite ? kLowestNumber : kLowestKey;
    }
    // The largest magnitude as bits, twice, so that the signs are gone: infinity and NaN are above all
    // others.
    const hn::RebindToUnsigned<D> bits;
    auto largest = hn::Zero(bits);
    LoadPixels<T>(windows_.in, n, channel, channels, at_.in_first, at_.in_last,
                  places_.data() + (at_.in_first - from_) * columns_.size, [&](int64_t at, V value) HWY_ATTR {
                    const auto raw = hn::BitCast(bits, value);
                    largest = hn::Max(largest, hn::Add(raw, raw));
                    hn::Store(Keys::Of(value), typename Keys::Tag(), keys + at);
                  });
    const auto infinity = hn::BitCast(bits, hn::Inf(d));
    const bool finite = hn::AllTrue(bits, hn::Lt(largest, hn::Add(infinity, infinity)));
    if (kFinite && !finite) return false;
    LoadPixels<T>(windows_.grad, n, channel, channels, at_.top, at_.bottom, grad_places_.data(),
                  [&](int64_t at, V value) HWY_ATTR { hn::Store(value, d, grads_.data() + at); });
    std::fill_n(sums_.data(), at_.height * pitch_ * kBlock, C{0});
    // 0 stands for all numbers of taps that there is no code for.
    WithConstant<2, 3, 4, 6, 9, 0>(static_cast<int64_t>(taps_.size()), [&](auto taps) {
      GiveGradients<Keys, static_cast<size_t>(decltype(taps)::value)>(keys);
    });
    StorePixels<T>(sums_.data(), places_.data() + (at_.first - from_) * columns_.size, windows_.out, n,
                   channel, channels, at_.first, at_.last);
    return finite;
  }

  // Adds the gradients of all windows of the tile to the sums. kTaps: how many taps a window has, or 0 where
  // the compiler does not know it.
  template <class Keys, size_t kTaps>
  void GiveGradients(const hn::TFromD<typename Keys::Tag> *keys) {
    // The compiler keeps a local copy of few distances in registers.
    int64_t few[kTaps + 1];
    std::copy_n(taps_.data(), kTaps, few);
    const int64_t *taps = kTaps == 0 ? taps_.data() : few;
    const C *grad = grads_.data();
    for (int64_t row = at_.top; row < at_.bottom; ++row) {
      int64_t at = (row * rows_.stride - at_.start) * pitch_ * kBlock;
      for (int64_t x = 0; x < count_; ++x, at += columns_.stride * kBlock, grad += kBlock) {
        for (int64_t c = 0; c < kBlock; c += kLanes) {
          GiveGradient<Keys, kTaps>(keys + at + c, taps, taps_.size(), hn::Load(D(), grad + c),
                                    sums_.data() + at + c);
        }
      }
    }
  }

  // Adds the gradients of the windows of a vector of channels to the sums of their maxima.
  template <class Keys, size_t kTaps>
  static HWY_INLINE void GiveGradient(const hn::TFromD<typename Keys::Tag> *keys, const int64_t *taps,
                                      size_t count, V grad, C *sums) {
    const D d;
    const typename Keys::Tag tag;
    if (kTaps != 0) count = kTaps;
    typename Keys::Key tap[kTaps + 1];
#pragma GCC unroll 9
    for (size_t k = 0; k < kTaps; ++k) tap[k] = hn::Load(tag, keys + taps[k]);
    const auto key = [&](size_t k) HWY_ATTR { return kTaps == 0 ? hn::Load(tag, keys + taps[k]) : tap[k]; };
    auto best = key(0);
#pragma GCC unroll 9
    for (size_t k = 1; k < count; ++k) best = hn::Max(best, key(k));
    // Of the windows in `open`, the tap is the maximum that is equal to `best`. Takes them out of it.
    const auto give = [&](size_t k, auto &open) HWY_ATTR {
      const auto here = hn::MaskedEq(open, key(k), best);
      open = hn::AndNot(here, open);
      const V sum = hn::Load(d, sums + taps[k]);
      hn::Store(hn::MaskedAddOr(sum, hn::RebindMask(d, here), sum, grad), d, sums + taps[k]);
    };
    auto open = hn::Not(hn::MaskFalse(tag));
    if constexpr (std::is_same_v<Keys, AnyKeys<C>>) {
      auto nan = hn::Eq(best, hn::Set(tag, Keys::kNaN));
      open = hn::Not(nan);
      if (!hn::AllFalse(tag, nan)) {
        for (size_t k = count; k-- > 0;) give(k, nan);
      }
    }
#pragma GCC unroll 9
    for (size_t k = 0; k < count; ++k) give(k, open);
  }

  const WindowGradients &windows_;
  const WindowAxis rows_, columns_;
  const int64_t count_;  // windows of a row
  const int64_t pitch_;  // pixels from row to row of the tile
  const int64_t band_;   // the most rows of the result that a tile has
  TileRows at_{};
  int64_t from_ = 0;             // the first row of places_
  std::vector<int64_t> places_;  // of the pixels of the image in the tile
  std::vector<int64_t> grad_places_;
  std::vector<int64_t> taps_;  // elements from the start of a window in the tile
  AlignedVector<C> keys_, sums_, grads_;
  // What lies beside the image in keys_.
  enum { kNothing, kLowestNumber, kLowestKey } cleared_ = kNothing;
  bool finite_ = true;  // whether all elements of the tile before were finite
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
