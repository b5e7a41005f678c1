// SPDX-License-Identifier: Apache-2.0
// Samples of a deformable convolution, channels as lanes: the neighbours of a position and their weights are
// found once for all channels of a deform group.
#if defined(AVO_OP_CPU_COMMON_DEFORM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_DEFORM_INL_H_
#undef AVO_OP_CPU_COMMON_DEFORM_INL_H_
#else
#define AVO_OP_CPU_COMMON_DEFORM_INL_H_
#endif

#include <vector>

#include "hwy/aligned_allocator.h"
#include "hwy/highway.h"
#include "op_cpu/common/deform_tiles.h"
#include "op_cpu/common/simd-inl.h"
#include "op_cpu/common/tiles.h"
#include "op_cpu/common/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Pixels of one image whose channels are neighbours, rows and columns of pixels any number of elements apart.
template <typename T>
struct DeformImage {
  const T *data;
  int64_t row, column;
};

template <typename T>
class DeformSampler {
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  using I = hn::RebindToSigned<D>;
  using Index = hn::TFromD<I>;
  using V = hn::Vec<D>;

 public:
  DeformSampler(const DeformSizes &sizes, const Tensor &offset, const Tensor *mask, int64_t most_positions)
      : sizes_(sizes),
        offset_(offset),
        mask_(mask),
        most_(AlignUp<int64_t>(most_positions, hn::MaxLanes(D()))),
        zeros_(sizes.channels + hn::MaxLanes(D())),
        starts_(2 * most_),
        moves_(2 * most_),
        masks_(most_, Value{1}),
        indices_(4 * most_),
        corners_(sizes.Taps() * most_ * 4),
        weights_(sizes.Taps() * 4 * most_) {}

  void Move(const Tile &tile, const DeformImage<T> &image) {
    tile_ = tile;
    image_ = image;
    int64_t p = 0;
    for (int64_t y = tile.row; y < tile.row + tile.rows; ++y) {
      for (int64_t x = tile.column; x < tile.column + tile.columns; ++x, ++p) {
        starts_[p] = static_cast<Index>(y * sizes_.stride[0] - sizes_.padding[0]);
        starts_[most_ + p] = static_cast<Index>(x * sizes_.stride[1] - sizes_.padding[1]);
      }
    }
  }

  // Finds the neighbours of all positions of the tile for all taps of deform group `part`.
  void Locate(int64_t part) {
    for (int64_t tap = 0; tap < sizes_.Taps(); ++tap) {
      const int64_t k = part * sizes_.Taps() + tap;
      Read(offset_, 2 * k, moves_.data());
      Read(offset_, 2 * k + 1, moves_.data() + most_);
      if (mask_ != nullptr) Read(*mask_, k, masks_.data());
      const int64_t taps[2] = {tap / sizes_.kernel[1] * sizes_.dilation[0],
                               tap % sizes_.kernel[1] * sizes_.dilation[1]};
      Weigh(taps, &weights_[tap * 4 * most_]);
      Point(&corners_[tap * 4 * most_]);
    }
  }

  // Channels [first, first + channels) of tap `tap`, masked: position p's from to + p * stride on. Whole
  // vectors are read and written.
  void Sample(int64_t tap, int64_t first, int64_t channels, Value *to, int64_t stride) const {
    const D d;
    const Value *weight = &weights_[tap * 4 * most_];
    const T *const *corner = &corners_[tap * 4 * most_];
    const int64_t lanes = hn::Lanes(d), count = tile_.positions();
    for (int64_t p = 0; p < count; ++p, corner += 4, ++weight, to += stride) {
      const T *from[4] = {corner[0] + first, corner[1] + first, corner[2] + first, corner[3] + first};
      const V w0 = hn::Set(d, weight[0]), w1 = hn::Set(d, weight[most_]);
      const V w2 = hn::Set(d, weight[2 * most_]), w3 = hn::Set(d, weight[3 * most_]);
      for (int64_t c = 0; c < channels; c += lanes) {
        V sum = hn::Mul(w0, LoadFloat(d, from[0] + c));
        sum = hn::MulAdd(w1, LoadFloat(d, from[1] + c), sum);
        sum = hn::MulAdd(w2, LoadFloat(d, from[2] + c), sum);
        hn::StoreU(hn::MulAdd(w3, LoadFloat(d, from[3] + c), sum), d, to + c);
      }
    }
  }

 private:
  // A channel of offset or mask at the positions of the tile.
  void Read(const Tensor &tensor, int64_t channel, Value *to) const {
    const D d;
    const Shape &s = tensor.strides;
    const int64_t lanes = hn::Lanes(d);
    const T *from = static_cast<const T *>(tensor.data) + tile_.image * s[0] + channel * s[1] +
                    tile_.row * s[2] + tile_.column * s[3];
    for (int64_t y = 0; y < tile_.rows; ++y, from += s[2], to += tile_.columns) {
      int64_t x = 0;
      if (s[3] == 1) {
        for (; x + lanes <= tile_.columns; x += lanes) hn::StoreU(LoadFloat(d, from + x), d, to + x);
      }
      for (; x < tile_.columns; ++x) to[x] = Widen(from[x * s[3]]);
    }
  }

  // Indices (-1 outside the image) and weights (0 there) of the two neighbours of positions p, p + 1, … along
  // an axis. The whole and the fraction of an offset are exact, so that of the position is, however large.
  void Neighbours(int axis, int64_t p, int64_t tap, V *low_weight, V *high_weight) {
    const D d;
    const I index;
    const V moved = hn::LoadU(d, &moves_[axis * most_ + p]), below = hn::Floor(moved);
    const V fraction = hn::Sub(moved, below);
    const auto finite = hn::Le(hn::Abs(moved), hn::Set(d, Value{1 << 29}));
    const auto whole = hn::ConvertTo(index, hn::IfThenElseZero(finite, below));
    const auto start =
        hn::Add(hn::LoadU(index, &starts_[axis * most_ + p]), hn::Set(index, static_cast<Index>(tap)));
    const auto low = hn::Add(start, whole), high = hn::Add(low, hn::Set(index, 1));
    const auto size = hn::Set(index, static_cast<Index>(sizes_.size[axis]));
    const auto zero = hn::Zero(index), none = hn::Set(index, -1);
    const auto known = hn::RebindMask(index, finite);
    const auto low_inside = hn::And(known, hn::And(hn::Ge(low, zero), hn::Lt(low, size)));
    // At -1 exactly nothing counts.
    const auto moves = hn::RebindMask(index, hn::Gt(fraction, hn::Zero(d)));
    const auto high_inside = hn::And(
        known, hn::And(hn::Lt(high, size), hn::Or(hn::Gt(high, zero), hn::And(hn::Eq(high, zero), moves))));
    hn::StoreU(hn::IfThenElse(low_inside, low, none), index, &indices_[2 * axis * most_ + p]);
    hn::StoreU(hn::IfThenElse(high_inside, high, none), index, &indices_[(2 * axis + 1) * most_ + p]);
    *low_weight = hn::IfThenElseZero(hn::RebindMask(d, low_inside), hn::Sub(hn::Set(d, Value{1}), fraction));
    *high_weight = hn::IfThenElseZero(hn::RebindMask(d, high_inside), fraction);
  }

  void Weigh(const int64_t (&taps)[2], Value *weights) {
    const D d;
    for (int64_t p = 0; p < tile_.positions(); p += hn::Lanes(d)) {
      V top, bottom, left, right;
      Neighbours(0, p, taps[0], &top, &bottom);
      Neighbours(1, p, taps[1], &left, &right);
      const V mask = hn::LoadU(d, &masks_[p]);
      top = hn::Mul(top, mask);
      bottom = hn::Mul(bottom, mask);
      hn::StoreU(hn::Mul(top, left), d, weights + p);
      hn::StoreU(hn::Mul(top, right), d, weights + most_ + p);
      hn::StoreU(hn::Mul(bottom, left), d, weights + 2 * most_ + p);
      hn::StoreU(hn::Mul(bottom, right), d, weights + 3 * most_ + p);
    }
  }

  // What lies outside is read as zeros, so that 0 x infinity never enters a sum.
  void Point(const T **corners) const {
    const Index *index = indices_.data();
    const T *const zeros = zeros_.data();
    for (int64_t p = 0; p < tile_.positions(); ++p, corners += 4) {
      const int64_t above = index[p], below = index[most_ + p];
      const int64_t left = index[2 * most_ + p], right = index[3 * most_ + p];
      const T *const top = image_.data + above * image_.row, *const bottom = image_.data + below * image_.row;
      const int64_t west = left * image_.column, east = right * image_.column;
      corners[0] = (above | left) < 0 ? zeros : top + west;
      corners[1] = (above | right) < 0 ? zeros : top + east;
      corners[2] = (below | left) < 0 ? zeros : bottom + west;
      corners[3] = (below | right) < 0 ? zeros : bottom + east;
    }
  }

  const DeformSizes &sizes_;
  const Tensor &offset_;
  const Tensor *const mask_;
  const int64_t most_;
  const std::vector<T> zeros_;
  Tile tile_{};
  DeformImage<T> image_{};
  std::vector<Index> starts_;         // rows, then columns, where the windows of the tile begin
  std::vector<Value> moves_, masks_;  // of a tap: rows, then columns
  std::vector<Index> indices_;        // of a tap: rows above and below, columns left and right
  std::vector<const T *> corners_;    // (tap, position, corner)
  std::vector<Value> weights_;        // (tap, corner, position), masked
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
