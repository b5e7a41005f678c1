// SPDX-License-Identifier: Apache-2.0
// Where samples of a grid lie along one axis of an image, positions as lanes: the neighbours of each and
// their weights, for all modes of interpolation and padding.
#if defined(AVO_OP_CPU_COMMON_GRID_AXIS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_GRID_AXIS_INL_H_
#undef AVO_OP_CPU_COMMON_GRID_AXIS_INL_H_
#else
#define AVO_OP_CPU_COMMON_GRID_AXIS_INL_H_
#endif

#include "hwy/highway.h"
#include "op_cpu/grid/grid_samples.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Neighbours along an axis: 1 of nearest, 2 of bilinear, 4 of bicubic.
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
  GridAxisRules(int64_t size, const GridRules &rules) : size_(size), rules_(rules) {}

  // Stores neighbour k of each coordinate and its weight `step` after those of neighbour k - 1. The index of
  // one outside the image is -1; its weight stays, so that NaN is passed on.
  HWY_INLINE void Locate(V coordinate, hn::TFromD<I> *index, Value *weight, int64_t step) const {
    const D d;
    const I i;
    V at = Unnormalize(coordinate);
    if (rules_.interpolation == Interpolation::kBicubic) {
      // Each neighbour is padded by itself.
      const V below = hn::Floor(at), offset = hn::Sub(at, below), one = hn::Set(d, 1);
      const V distances[4] = {hn::Add(offset, one), offset, hn::Sub(one, offset),
                              hn::Sub(hn::Set(d, 2), offset)};
      for (int k = 0; k < 4; ++k) {
        const V neighbour = Pad(hn::Add(below, hn::Set(d, static_cast<Value>(k - 1))));
        hn::StoreU(InsideOr(ToIndex(neighbour)), i, index + k * step);
        hn::StoreU(k == 0 || k == 3 ? FarCubic(distances[k]) : NearCubic(distances[k]), d, weight + k * step);
      }
      return;
    }
    at = Pad(at);
    if (rules_.interpolation == Interpolation::kNearest) {
      hn::StoreU(InsideOr(ToIndex(hn::Round(at))), i, index);
      hn::StoreU(hn::Set(d, 1), d, weight);
      return;
    }
    const V below = hn::Floor(at), fraction = hn::Sub(at, below);
    const VI low = ToIndex(below);
    hn::StoreU(InsideOr(low), i, index);
    hn::StoreU(InsideOr(hn::Add(low, hn::Set(i, 1))), i, index + step);
    hn::StoreU(hn::Sub(hn::Set(d, 1), fraction), d, weight);
    hn::StoreU(fraction, d, weight + step);
  }

 private:
  HWY_INLINE V Unnormalize(V coordinate) const {
    const D d;
    const V sum = hn::Add(coordinate, hn::Set(d, 1)), half = hn::Set(d, Value{0.5});
    const auto extent = static_cast<Value>(size_);
    if (rules_.align_corners) return hn::Mul(hn::Mul(sum, half), hn::Set(d, extent - 1));
    return hn::Mul(hn::Sub(hn::Mul(sum, hn::Set(d, extent)), hn::Set(d, 1)), half);
  }

  // Mirrored between -0.5 and size - 0.5, with align_corners between 0 and size - 1.
  HWY_INLINE V Reflect(V at) const {
    const D d;
    const V low = hn::Set(d, rules_.align_corners ? Value{0} : Value{-0.5});
    const V span = hn::Set(d, static_cast<Value>(rules_.align_corners ? size_ - 1 : size_));
    const V distance = hn::Abs(hn::Sub(at, low)), flips = hn::Floor(hn::Div(distance, span));
    const V extra = hn::NegMulAdd(flips, span, distance), half = hn::Mul(flips, hn::Set(d, Value{0.5}));
    const auto even = hn::Eq(half, hn::Floor(half));
    return hn::Add(hn::IfThenElse(even, extra, hn::Sub(span, extra)), low);
  }

  // Where padding moves a position; NaN becomes 0, as does what is divided by an extent of 0.
  HWY_INLINE V Pad(V at) const {
    const D d;
    if (rules_.padding == Padding::kZeros) return at;
    if (rules_.padding == Padding::kReflection) at = Reflect(at);
    const V last = hn::Set(d, static_cast<Value>(size_ - 1));
    return hn::IfThenElseZero(hn::Gt(at, hn::Zero(d)), hn::Min(at, last));
  }

  // Compared before it is converted: NaN and huge positions are no integers, and lie outside.
  HWY_INLINE VI ToIndex(V whole) const {
    const D d;
    const auto small = hn::Lt(hn::Abs(whole), hn::Set(d, Value{1 << 30}));
    return hn::ConvertTo(I(), hn::IfThenElse(small, whole, hn::Set(d, -2)));
  }

  HWY_INLINE VI InsideOr(VI index) const {
    const I i;
    const auto last = hn::Set(i, static_cast<hn::TFromD<I>>(std::min<int64_t>(size_ - 1, 1 << 30)));
    return hn::IfThenElse(hn::Gt(index, last), hn::Set(i, -1), hn::Max(index, hn::Set(i, -1)));
  }

  // Weights of neighbours up to 1 and from 1 to 2 away; A = -0.75.
  static HWY_INLINE V NearCubic(V x) {
    const D d;
    const V inner = hn::MulSub(x, hn::Set(d, Value{1.25}), hn::Set(d, Value{2.25}));
    return hn::MulAdd(hn::Mul(inner, x), x, hn::Set(d, 1));
  }
  static HWY_INLINE V FarCubic(V x) {
    const D d;
    const V inner = hn::MulAdd(x, hn::Set(d, Value{-0.75}), hn::Set(d, Value{3.75}));
    return hn::MulAdd(hn::MulSub(inner, x, hn::Set(d, 6)), x, hn::Set(d, 3));
  }

  const int64_t size_;
  const GridRules rules_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
