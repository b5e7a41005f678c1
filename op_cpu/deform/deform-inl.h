// SPDX-License-Identifier: Apache-2.0
// Samples of a deformable convolution, channels as lanes: the neighbours of a position and their weights are
// found once for all channels of a deform group.
#if defined(AVO_OP_CPU_COMMON_DEFORM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_DEFORM_INL_H_
#undef AVO_OP_CPU_COMMON_DEFORM_INL_H_
#else
#define AVO_OP_CPU_COMMON_DEFORM_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/copies/tiles.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/deform/deform_reads-inl.h"
#include "op_cpu/deform/deform_tiles.h"
#include "op_cpu/deform/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Of a tile: what memory allows, but `most` and all there are at the most; in multiples of `rows`, of which a
// product takes that many at a time.
inline int64_t MostPositions(const DeformSizes &sizes, int64_t memory, int64_t most, int64_t rows) {
  const int64_t all = AlignUp(sizes.out[0] * sizes.out[1], rows);
  return std::clamp(memory / rows * rows, rows, std::min(most, all));
}

template <typename T>
class DeformSampler {
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  using I = hn::RebindToSigned<D>;
  using Index = hn::TFromD<I>;
  using V = hn::Vec<D>;

 public:
  template <class Args>
  DeformSampler(const DeformSizes &sizes, const Args &args, int64_t most_positions)
      : most(AlignUp<int64_t>(most_positions, hn::MaxLanes(D()))),
        sizes_(sizes),
        offset_(args.offset),
        mask_(args.mask ? &*args.mask : nullptr),
        zeros_(sizes.channels + hn::MaxLanes(D())),
        starts_(2 * most),
        moves_(2 * most),
        indices_(sizes.Taps() * 4 * most),
        corners_(sizes.Taps() * 4 * most),
        weights_(sizes.Taps() * kWeights * most) {}

  const int64_t most;  // elements from one weight of a tap to the next: positions, and some

  // What weights there are of a tap: of the four corners, masked; then those they are made of.
  enum { kCorners = 0, kTop = 4, kBottom, kLeft, kRight, kMask, kWeights };
  const Value *Weights(int64_t tap) const { return &weights_[tap * kWeights * most]; }

  // Four for each position: (above, left), (above, right), (below, left), (below, right).
  const T *const *Corners(int64_t tap) const { return &corners_[tap * 4 * most]; }

  const Tile &tile() const { return tile_; }
  const T *zeros() const { return zeros_.data(); }

  void Move(const Tile &tile, const ChannelImage<const T> &image) {
    tile_ = tile;
    image_ = image;
    int64_t p = 0;
    for (int64_t y = tile.row; y < tile.row + tile.rows; ++y) {
      for (int64_t x = tile.column; x < tile.column + tile.columns; ++x, ++p) {
        starts_[p] = static_cast<Index>(y * sizes_.stride[0] - sizes_.padding[0]);
        starts_[most + p] = static_cast<Index>(x * sizes_.stride[1] - sizes_.padding[1]);
      }
    }
  }

  // Finds the neighbours of all positions of the tile for all taps of deform group `part`.
  void Locate(int64_t part) {
    const D d;
    for (int64_t tap = 0; tap < sizes_.Taps(); ++tap) {
      const int64_t k = part * sizes_.Taps() + tap;
      ReadTile<T>(offset_, tile_, 2 * k, moves_.data());
      ReadTile<T>(offset_, tile_, 2 * k + 1, moves_.data() + most);
      Value *to = &weights_[tap * kWeights * most];
      if (mask_ != nullptr) {
        ReadTile<T>(*mask_, tile_, k, to + kMask * most);
      } else {
        std::fill_n(to + kMask * most, most, Value{1});
      }
      for (int64_t p = 0; p < tile_.positions(); p += hn::Lanes(d)) {
        Neighbours(0, tap, tap / sizes_.kernel[1], p);
        Neighbours(1, tap, tap % sizes_.kernel[1], p);
        const V mask = hn::LoadU(d, to + kMask * most + p);
        for (int64_t i = 0; i < 4; ++i) {
          const V row = hn::LoadU(d, to + (kTop + i / 2) * most + p);
          const V column = hn::LoadU(d, to + (kLeft + i % 2) * most + p);
          hn::StoreU(hn::Mul(hn::Mul(row, mask), column), d, to + i * most + p);
        }
      }
      Point(tap, image_, zeros_.data(), &corners_[tap * 4 * most]);
    }
  }

  // The corners of a tap in an image; `outside` for those that lie beyond it. Zeros are read there, not
  // pixels of weight 0, so that 0 x infinity never enters a sum.
  template <typename Pixel>
  void Point(int64_t tap, const ChannelImage<Pixel> &image, Pixel *outside, Pixel **corners) const {
    const Index *index = &indices_[tap * 4 * most];
    for (int64_t p = 0; p < tile_.positions(); ++p, corners += 4) {
      const int64_t above = index[p], below = index[most + p];
      const int64_t left = index[2 * most + p], right = index[3 * most + p];
      Pixel *const top = image.data + above * image.row, *const bottom = image.data + below * image.row;
      const int64_t west = left * image.column, east = right * image.column;
      corners[0] = (above | left) < 0 ? outside : top + west;
      corners[1] = (above | right) < 0 ? outside : top + east;
      corners[2] = (below | left) < 0 ? outside : bottom + west;
      corners[3] = (below | right) < 0 ? outside : bottom + east;
    }
  }

  // The four corners of a position and their weights, from a channel on.
  struct Mixture {
    const T *c0, *c1, *c2, *c3;
    V w0, w1, w2, w3;

    // A vector of channels.
    HWY_INLINE V At(int64_t c) const {
      const D d;
      V sum = hn::Mul(w0, LoadFloat(d, c0 + c));
      sum = hn::MulAdd(w1, LoadFloat(d, c1 + c), sum);
      sum = hn::MulAdd(w2, LoadFloat(d, c2 + c), sum);
      return hn::MulAdd(w3, LoadFloat(d, c3 + c), sum);
    }

    // Two vectors of channels of bfloat16, rounded to it.
    HWY_INLINE void StorePairs(int64_t c, BFloat16 *to) const {
      V even = hn::Zero(D()), odd = even;
      AddPairs(c0 + c, w0, even, odd);
      AddPairs(c1 + c, w1, even, odd);
      AddPairs(c2 + c, w2, even, odd);
      AddPairs(c3 + c, w3, even, odd);
      const hn::Repartition<uint16_t, D> halves;
      const auto low = hn::BitCast(halves, hn::ShiftRight<16>(Rounded(even)));
      hn::StoreU(hn::OddEven(hn::BitCast(halves, Rounded(odd)), low), halves,
                 reinterpret_cast<uint16_t *>(to));
    }

   private:
    using Bits = hn::RebindToUnsigned<D>;

    static HWY_INLINE void AddPairs(const T *from, V weight, V &even, V &odd) {
      const D d;
      const Bits bits;
      const auto pair = hn::BitCast(
          bits, hn::LoadU(hn::Repartition<uint16_t, D>(), reinterpret_cast<const uint16_t *>(from)));
      even = hn::MulAdd(weight, hn::BitCast(d, hn::ShiftLeft<16>(pair)), even);
      odd = hn::MulAdd(weight, hn::BitCast(d, hn::And(pair, hn::Set(bits, 0xffff0000u))), odd);
    }

    // The upper half is that of the nearest bfloat16. A NaN came from a bfloat16 or from the processor: its
    // lower half is 0, and it stays one.
    static HWY_INLINE hn::Vec<Bits> Rounded(V value) {
      const Bits bits;
      const auto raw = hn::BitCast(bits, value);
      const auto last = hn::And(hn::ShiftRight<16>(raw), hn::Set(bits, 1));
      return hn::Add(hn::Add(raw, hn::Set(bits, 0x7fff)), last);
    }
  };

  HWY_INLINE Mixture At(int64_t tap, int64_t p, int64_t channel) const {
    const D d;
    const T *const *corner = Corners(tap) + 4 * p;
    const Value *weight = Weights(tap) + p;
    return {corner[0] + channel,          corner[1] + channel,         corner[2] + channel,
            corner[3] + channel,          hn::Set(d, weight[0]),       hn::Set(d, weight[most]),
            hn::Set(d, weight[2 * most]), hn::Set(d, weight[3 * most])};
  }

  // Channels [first, first + channels) of a tap, masked, as factors of a product: position p's from
  // to + p * stride on, parts that far from each other. Whole vectors are read and written.
  template <class Product>
  void Sample(int64_t tap, int64_t first, int64_t channels, typename Product::Sample *to, int64_t stride,
              int64_t part) const {
    const int64_t lanes = hn::Lanes(D()), count = tile_.positions();
    for (int64_t p = 0; p < count; ++p, to += stride) {
      const Mixture mixture = At(tap, p, first);
      int64_t c = 0;
      if constexpr (std::is_same_v<T, BFloat16> && std::is_same_v<typename Product::Sample, BFloat16>) {
        // Even and odd channels apart mix no lanes: 1.4 x for a whole call of 64 channels of 50 x 76.
        for (; c + 2 * lanes <= channels; c += 2 * lanes) mixture.StorePairs(c, to + c);
      }
      for (; c < channels; c += lanes) Product::Store(mixture.At(c), to + c, part);
    }
  }

 private:
  // Indices (-1 outside the image) and weights (0 there) of the two neighbours of positions p, p + 1, … along
  // an axis. The whole and the fraction of an offset are exact, so that of the position is, however large.
  void Neighbours(int axis, int64_t tap, int64_t place, int64_t p) {
    const D d;
    const I index;
    const V moved = hn::LoadU(d, &moves_[axis * most + p]), below = hn::Floor(moved);
    const V fraction = hn::Sub(moved, below);
    const auto finite = hn::Le(hn::Abs(moved), hn::Set(d, Value{1 << 29}));
    const auto whole = hn::ConvertTo(index, hn::IfThenElseZero(finite, below));
    const auto start = hn::Add(hn::LoadU(index, &starts_[axis * most + p]),
                               hn::Set(index, static_cast<Index>(place * sizes_.dilation[axis])));
    const auto low = hn::Add(start, whole), high = hn::Add(low, hn::Set(index, 1));
    const auto size = hn::Set(index, static_cast<Index>(sizes_.size[axis]));
    const auto zero = hn::Zero(index), none = hn::Set(index, -1);
    const auto known = hn::RebindMask(index, finite);
    const auto low_inside = hn::And(known, hn::And(hn::Ge(low, zero), hn::Lt(low, size)));
    // At -1 exactly nothing counts.
    const auto moves = hn::RebindMask(index, hn::Gt(fraction, hn::Zero(d)));
    const auto high_inside = hn::And(
        known, hn::And(hn::Lt(high, size), hn::Or(hn::Gt(high, zero), hn::And(hn::Eq(high, zero), moves))));
    Index *indices = &indices_[(tap * 4 + 2 * axis) * most + p];
    hn::StoreU(hn::IfThenElse(low_inside, low, none), index, indices);
    hn::StoreU(hn::IfThenElse(high_inside, high, none), index, indices + most);
    Value *weights = &weights_[(tap * kWeights + kTop + 2 * axis) * most + p];
    const V rest = hn::Sub(hn::Set(d, Value{1}), fraction);
    hn::StoreU(hn::IfThenElseZero(hn::RebindMask(d, low_inside), rest), d, weights);
    hn::StoreU(hn::IfThenElseZero(hn::RebindMask(d, high_inside), fraction), d, weights + most);
  }

  const DeformSizes &sizes_;
  const Tensor &offset_;
  const Tensor *const mask_;
  const std::vector<T> zeros_;
  Tile tile_{};
  ChannelImage<const T> image_{};
  std::vector<Index> starts_;   // rows, then columns, where the windows of the tile begin
  std::vector<Value> moves_;    // of a tap: rows, then columns
  std::vector<Index> indices_;  // (tap, position): rows above and below, columns left and right
  std::vector<const T *> corners_;
  std::vector<Value> weights_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
