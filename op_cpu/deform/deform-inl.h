// SPDX-License-Identifier: Apache-2.0
// Samples of a deformable convolution. Channels are lanes. DeformSampler finds the four corners of each
// sample and their weights once for all channels of a deform group.
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
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/deform/deform_reads-inl.h"
#include "op_cpu/deform/deform_tiles.h"
#include "op_cpu/deform/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Returns the positions of a tile: a multiple of `rows`, as a product takes so many positions at a time.
// `memory` is how many there is memory for; a tile has at most `most`, and no more than the result has.
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
        offsets_(2 * most),
        indices_(sizes.Taps() * 4 * most),
        corners_(sizes.Taps() * 4 * most),
        weights_(sizes.Taps() * kWeights * most) {}

  const int64_t most;  // positions of a tile, rounded up to vectors: elements from plane to plane of weights

  // The planes of weights of a tap: four masked weights of corners; then the weights along each axis, and the
  // mask.
  enum { kCorners = 0, kTop = 4, kBottom, kLeft, kRight, kMask, kWeights };
  const Value *Weights(int64_t tap) const { return &weights_[tap * kWeights * most]; }

  // The corners of a tap, four for each position: (above, left), (above, right), (below, left), (below,
  // right).
  const T *const *Corners(int64_t tap) const { return &corners_[tap * 4 * most]; }

  const Tile &tile() const { return tile_; }
  const T *zeros() const { return zeros_.data(); }

  // Chooses the tile of the result, and its image, for the functions below.
  void SetTile(const Tile &tile, const ChannelImage<const T> &image) {
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

  // Finds corners and weights of all taps of a deform group, for all positions of the tile.
  void Locate(int64_t deform_group) {
    const D d;
    for (int64_t tap = 0; tap < sizes_.Taps(); ++tap) {
      const int64_t k = deform_group * sizes_.Taps() + tap;
      ReadTile<T>(offset_, tile_, 2 * k, offsets_.data());
      ReadTile<T>(offset_, tile_, 2 * k + 1, offsets_.data() + most);
      Value *to = &weights_[tap * kWeights * most];
      if (mask_ != nullptr) {
        ReadTile<T>(*mask_, tile_, k, to + kMask * most);
      } else {
        std::fill_n(to + kMask * most, most, Value{1});
      }
      for (int64_t p = 0; p < tile_.positions(); p += hn::Lanes(d)) {
        FindNeighbours(0, tap, tap / sizes_.kernel[1], p);
        FindNeighbours(1, tap, tap % sizes_.kernel[1], p);
        const V mask = hn::LoadU(d, to + kMask * most + p);
        for (int64_t i = 0; i < 4; ++i) {
          const V row = hn::LoadU(d, to + (kTop + i / 2) * most + p);
          const V column = hn::LoadU(d, to + (kLeft + i % 2) * most + p);
          hn::StoreU(hn::Mul(hn::Mul(row, mask), column), d, to + i * most + p);
        }
      }
      PointCorners(tap, image_, zeros_.data(), &corners_[tap * 4 * most]);
    }
  }

  // Sets `corners` to the addresses of the corners of a tap in an image, and to `outside` for corners beyond
  // it. Samples read zeros there, and not pixels of weight 0, so that 0 x infinity never enters a sum.
  template <typename Pixel>
  void PointCorners(int64_t tap, const ChannelImage<Pixel> &image, Pixel *outside, Pixel **corners) const {
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

  // The corners of one sample and their weights. Its value is their weighted sum.
  struct Mixture {
    const T *c0, *c1, *c2, *c3;
    V w0, w1, w2, w3;

    // Returns the sample's channels from channel c on, one vector.
    HWY_INLINE V At(int64_t c) const {
      const D d;
      V sum = hn::Mul(w0, LoadFloat(d, c0 + c));
      sum = FusedMulAdd(w1, LoadFloat(d, c1 + c), sum);
      sum = FusedMulAdd(w2, LoadFloat(d, c2 + c), sum);
      return FusedMulAdd(w3, LoadFloat(d, c3 + c), sum);
    }

    // Stores the sample's channels from channel c on, two vectors, rounded to bfloat16.
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
      even = FusedMulAdd(weight, hn::BitCast(d, hn::ShiftLeft<16>(pair)), even);
      odd = FusedMulAdd(weight, hn::BitCast(d, hn::And(pair, hn::Set(bits, 0xffff0000u))), odd);
    }

    // Rounds so that the upper half of each lane is the nearest bfloat16. The lower half of a NaN is 0 here,
    // as it comes from a bfloat16 or from the processor, so it stays a NaN.
    static HWY_INLINE hn::Vec<Bits> Rounded(V value) {
      const Bits bits;
      const auto raw = hn::BitCast(bits, value);
      const auto last = hn::And(hn::ShiftRight<16>(raw), hn::Set(bits, 1));
      return hn::Add(hn::Add(raw, hn::Set(bits, 0x7fff)), last);
    }
  };

  // The sample of a tap at position p of the tile. Its channel 0 is channel `channel` of the image.
  HWY_INLINE Mixture At(int64_t tap, int64_t p, int64_t channel) const {
    const D d;
    const T *const *corner = Corners(tap) + 4 * p;
    const Value *weight = Weights(tap) + p;
    return {corner[0] + channel,          corner[1] + channel,         corner[2] + channel,
            corner[3] + channel,          hn::Set(d, weight[0]),       hn::Set(d, weight[most]),
            hn::Set(d, weight[2 * most]), hn::Set(d, weight[3 * most])};
  }

  // Samples channels [first, first + channels) of a tap, as a factor of a product. The channels of position p
  // go to to + p * stride, and term i of them (TileProduct) goes i * term_pitch further. Reads and writes
  // whole vectors.
  template <class Product>
  void Sample(int64_t tap, int64_t first, int64_t channels, typename Product::Sample *to, int64_t stride,
              int64_t term_pitch) const {
    const int64_t lanes = hn::Lanes(D()), count = tile_.positions();
    for (int64_t p = 0; p < count; ++p, to += stride) {
      const Mixture mixture = At(tap, p, first);
      int64_t c = 0;
      if constexpr (std::is_same_v<T, BFloat16> && std::is_same_v<typename Product::Sample, BFloat16>) {
        // Even and odd channels are computed in two vectors, so that lanes need no rearrangement: 1.4 x for a
        // whole call of 64 channels of 50 x 76.
        for (; c + 2 * lanes <= channels; c += 2 * lanes) mixture.StorePairs(c, to + c);
      }
      for (; c < channels; c += lanes) Product::Store(mixture.At(c), to + c, term_pitch);
    }
  }

 private:
  // Finds the two neighbours along an axis of a vector of positions, from position p on: their indices (-1
  // outside the image) and weights (0 there). `place` is the row or column of the tap. An offset is split
  // into whole part and fraction before the position is added, so that the weights are exact in images of any
  // size.
  void FindNeighbours(int axis, int64_t tap, int64_t place, int64_t p) {
    const D d;
    const I index;
    const V moved = hn::LoadU(d, &offsets_[axis * most + p]), below = hn::Floor(moved);
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
    // A position of exactly -1 does not count.
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
  std::vector<Index> starts_;   // rows, then columns, at which the windows of the tile start
  std::vector<Value> offsets_;  // offsets of one tap: rows, then columns
  std::vector<Index>
      indices_;  // for each tap, planes of positions: rows above and below, columns left and right
  std::vector<const T *> corners_;
  std::vector<Value> weights_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
