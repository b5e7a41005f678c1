// SPDX-License-Identifier: Apache-2.0
// Finds the neighbours of grid samples along one axis of an image, their weights and the derivatives of
// these, for all modes of interpolation and padding. Samples are lanes.
#if defined(AVO_OP_CPU_GRID_GRID_AXIS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_AXIS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_AXIS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_AXIS_INL_H_
#endif

#include <algorithm>
#include <cmath>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/grid/grid_rules.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The number of neighbours along an axis: 1 for nearest, 2 for bilinear, 4 for bicubic.
inline int64_t NeighboursOf(Interpolation interpolation) {
  return interpolation == Interpolation::kNearest ? 1 : interpolation == Interpolation::kBilinear ? 2 : 4;
}

template <class D>
class GridAxisRules {
  using Value = hn::TFromD<D>;
  using I = hn::RebindToSigned<D>;
  using V = hn::Vec<D>;
  using VI = hn::Vec<I>;

 public:
  GridAxisRules(int64_t size, const GridRules &rules) : size_(size), rules_(rules) {
    // Rounding must not lead beyond the image.
    const int64_t last = std::min<int64_t>(size - 1, kFarthest);
    last_ = static_cast<Value>(last);
    if (static_cast<int64_t>(last_) > last) last_ = std::nextafter(last_, Value{0});
  }

  // Stores the index and the weight of each neighbour of a vector of coordinates; those of neighbour k lie k
  // * step elements behind those of neighbour 0. A neighbour outside the image has index -1. It keeps its
  // weight, which may be NaN, so that the sample becomes NaN.
  HWY_INLINE void Locate(V coordinate, hn::TFromD<I> *index, Value *weight, int64_t step) const {
    const D d;
    const I i;
    V at = Unnormalize(coordinate);
    if (rules_.interpolation == Interpolation::kBicubic) {
      // Padding moves each neighbour, not the position.
      const V below = hn::Floor(at);
      for (int k = 0; k < 4; ++k) {
        const V neighbour = Pad(hn::Add(below, hn::Set(d, static_cast<Value>(k - 1))));
        hn::StoreU(OrOutside(ToIndex(neighbour)), i, index + k * step);
      }
      return CubicWeights(hn::Sub(at, below), weight, step);
    }
    if (rules_.interpolation == Interpolation::kNearest) {
      hn::Mask<D> inside;
      const VI nearest = Nearest(coordinate, inside);
      hn::StoreU(hn::IfThenElse(hn::RebindMask(i, inside), nearest, hn::Set(i, -1)), i, index);
      hn::StoreU(hn::Set(d, 1), d, weight);
      return;
    }
    at = Pad(at);
    const V below = hn::Floor(at), fraction = hn::Sub(at, below);
    const VI low = ToIndex(below);
    hn::StoreU(OrOutside(low), i, index);
    hn::StoreU(OrOutside(hn::Add(low, hn::Set(i, 1))), i, index + step);
    hn::StoreU(hn::Sub(hn::Set(d, 1), fraction), d, weight);
    hn::StoreU(fraction, d, weight + step);
  }

  // The index of the pixel that is nearest to each coordinate, and whether it is inside the image; 0 where it
  // is not.
  HWY_INLINE VI Nearest(V coordinate, hn::Mask<D> &inside) const {
    const D d;
    const V at = hn::Round(Pad(Unnormalize(coordinate)));
    inside = hn::And(hn::Ge(at, hn::Zero(d)), hn::Le(at, hn::Set(d, last_)));
    return hn::ConvertInRangeTo(I(), hn::IfThenElseZero(inside, at));
  }

  // Stores the first of four neighbours that follow each other, as padding has not moved them, and the
  // weights of all. Bicubic. Where samples are so far from the image that all neighbours are outside it, or
  // are the pixel at its border, these are moved beside the image; with a reflection, to kFar pixels away.
  HWY_INLINE void LocateFirst(V coordinate, hn::TFromD<I> *first, Value *weight, int64_t step) const {
    const D d;
    const V at = Unnormalize(coordinate), below = hn::Floor(at);
    const bool endless = rules_.padding == Padding::kReflection;
    const V least = hn::Set(d, endless ? -Value{kFar} : Value{-4});
    const V most = hn::Set(d, static_cast<Value>(endless ? kFar : size_));
    V from = hn::Sub(below, hn::Set(d, 1));
    from = hn::IfThenElse(hn::Gt(from, most), most, from);
    from = hn::IfThenElse(hn::Gt(from, least), from, least);  // also where it is NaN
    hn::StoreU(hn::ConvertTo(I(), from), I(), first);
    CubicWeights(hn::Sub(at, below), weight, step);
  }
  static constexpr int kFar = 1 << 20;

  // Where padding moves pixel `at`; -1 is outside the image.
  hn::TFromD<I> Neighbour(int64_t at) const {
    return hn::GetLane(OrOutside(ToIndex(Pad(hn::Set(D(), static_cast<Value>(at))))));
  }

  // Stores the derivatives of Locate's weights by the coordinate, bilinear or bicubic. A position that
  // padding moved to the border has derivative 0.
  HWY_INLINE void Differentiate(V coordinate, Value *slope, int64_t step) const {
    const D d;
    const V at = Unnormalize(coordinate);
    const auto extent = static_cast<Value>(rules_.align_corners ? size_ - 1 : size_);
    const V by_coordinate = hn::Set(d, extent / 2);
    if (rules_.interpolation == Interpolation::kBicubic) {
      V distances[4];
      Distances(hn::Sub(at, hn::Floor(at)), distances);
      for (int k = 0; k < 4; ++k) {
        // The distance to a neighbour below grows with the position.
        const V direction = k < 2 ? by_coordinate : hn::Neg(by_coordinate);
        const V by_distance = k == 0 || k == 3 ? FarCubicSlope(distances[k]) : NearCubicSlope(distances[k]);
        hn::StoreU(hn::Mul(by_distance, direction), d, slope + k * step);
      }
      return;
    }
    const V moved = PadSlope(at, by_coordinate);
    hn::StoreU(hn::Neg(moved), d, slope);
    hn::StoreU(moved, d, slope + step);
  }

 private:
  // The distances of a position to its four neighbours; `offset` is that to the second one.
  static HWY_INLINE void Distances(V offset, V (&distances)[4]) {
    const D d;
    const V one = hn::Set(d, 1);
    distances[0] = hn::Add(offset, one);
    distances[1] = offset;
    distances[2] = hn::Sub(one, offset);
    distances[3] = hn::Sub(hn::Set(d, 2), offset);
  }

  // Stores the weights of four neighbours.
  static HWY_INLINE void CubicWeights(V offset, Value *weight, int64_t step) {
    V distances[4];
    Distances(offset, distances);
    for (int k = 0; k < 4; ++k) {
      hn::StoreU(k == 0 || k == 3 ? FarCubic(distances[k]) : NearCubic(distances[k]), D(), weight + k * step);
    }
  }

  // The position in pixels of a coordinate in [-1, 1].
  HWY_INLINE V Unnormalize(V coordinate) const {
    const D d;
    const V sum = hn::Add(coordinate, hn::Set(d, 1)), half = hn::Set(d, Value{0.5});
    const auto extent = static_cast<Value>(size_);
    if (rules_.align_corners) return hn::Mul(hn::Mul(sum, half), hn::Set(d, extent - 1));
    return hn::Mul(hn::Sub(hn::Mul(sum, hn::Set(d, extent)), hn::Set(d, 1)), half);
  }

  // Where positions are mirrored: at Low(), and Span() above it. That is -0.5 and size - 0.5, or with
  // align_corners 0 and size - 1.
  HWY_INLINE V Low() const { return hn::Set(D(), rules_.align_corners ? Value{0} : Value{-0.5}); }
  HWY_INLINE V Span() const {
    return hn::Set(D(), static_cast<Value>(rules_.align_corners ? size_ - 1 : size_));
  }

  static HWY_INLINE hn::Mask<D> IsEven(V whole) {
    const V half = hn::Mul(whole, hn::Set(D(), Value{0.5}));
    return hn::Eq(half, hn::Floor(half));
  }

  HWY_INLINE V Reflect(V at) const {
    const V low = Low(), span = Span();
    const V distance = hn::Abs(hn::Sub(at, low)), flips = hn::Floor(hn::Div(distance, span));
    const V extra = FusedNegMulAdd(flips, span, distance);
    return hn::Add(hn::IfThenElse(IsEven(flips), extra, hn::Sub(span, extra)), low);
  }

  // Moves positions as the padding says. With a border or a reflection NaN becomes 0. Reflect divides by 0
  // for an image of one pixel with align_corners, which gives NaN and so 0.
  HWY_INLINE V Pad(V at) const {
    const D d;
    if (rules_.padding == Padding::kZeros) return at;
    if (rules_.padding == Padding::kReflection) at = Reflect(at);
    const V last = hn::Set(d, static_cast<Value>(size_ - 1));
    return hn::IfThenElseZero(hn::Gt(at, hn::Zero(d)), hn::Min(at, last));
  }

  // The derivative of Pad by the coordinate; `slope` is that of the position `at` before it.
  HWY_INLINE V PadSlope(V at, V slope) const {
    const D d;
    if (rules_.padding == Padding::kZeros) return slope;
    if (rules_.padding == Padding::kReflection) {
      const V low = Low(), flips = hn::Floor(hn::Div(hn::Abs(hn::Sub(at, low)), Span()));
      const auto backwards = hn::Xor(hn::Lt(at, low), hn::Not(IsEven(flips)));
      slope = hn::IfThenElse(backwards, hn::Neg(slope), slope);
      at = Reflect(at);
    }
    const V last = hn::Set(d, static_cast<Value>(size_ - 1));
    return hn::IfThenElseZero(hn::And(hn::Gt(at, hn::Zero(d)), hn::Lt(at, last)), slope);
  }

  // Converts whole numbers to integers. It compares first, because NaN and huge numbers are no integers: they
  // become -2, which is outside.
  HWY_INLINE VI ToIndex(V whole) const {
    const D d;
    const auto small = hn::Lt(hn::Abs(whole), hn::Set(d, Value{kFarthest}));
    return hn::ConvertTo(I(), hn::IfThenElse(small, whole, hn::Set(d, -2)));
  }

  // Replaces an index outside the image by -1.
  HWY_INLINE VI OrOutside(VI index) const {
    const I i;
    const auto last = hn::Set(i, static_cast<hn::TFromD<I>>(std::min<int64_t>(size_ - 1, kFarthest)));
    return hn::IfThenElse(hn::Gt(index, last), hn::Set(i, -1), hn::Max(index, hn::Set(i, -1)));
  }

  // The weight of a neighbour at distance x: NearCubic for x up to 1, FarCubic from 1 to 2, with A = -0.75.
  static HWY_INLINE V NearCubic(V x) {
    const D d;
    const V inner = FusedMulSub(x, hn::Set(d, Value{1.25}), hn::Set(d, Value{2.25}));
    return FusedMulAdd(hn::Mul(inner, x), x, hn::Set(d, 1));
  }
  static HWY_INLINE V FarCubic(V x) {
    const D d;
    const V inner = FusedMulAdd(x, hn::Set(d, Value{-0.75}), hn::Set(d, Value{3.75}));
    return FusedMulAdd(FusedMulSub(inner, x, hn::Set(d, 6)), x, hn::Set(d, 3));
  }
  // Their derivatives by the distance.
  static HWY_INLINE V NearCubicSlope(V x) {
    const D d;
    return hn::Mul(FusedMulSub(x, hn::Set(d, Value{3.75}), hn::Set(d, Value{4.5})), x);
  }
  static HWY_INLINE V FarCubicSlope(V x) {
    const D d;
    const V inner = FusedMulAdd(x, hn::Set(d, Value{-2.25}), hn::Set(d, Value{7.5}));
    return FusedMulSub(inner, x, hn::Set(d, 6));
  }

  static constexpr int kFarthest = 1 << 30;  // the last index that is found

  const int64_t size_;
  Value last_;  // the last pixel that Value holds
  const GridRules rules_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
