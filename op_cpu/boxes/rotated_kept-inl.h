// SPDX-License-Identifier: Apache-2.0
// The kept boxes of a non-maximum suppression of rotated boxes. A new box is compared with all of them, a
// vector at a time. Compiled once for each instruction set.
//
// Seen along its own sides, a kept box lies between -w and w, and between -h and h. The area that another box
// shares with it is a sum over the four sides of that box: for each the integral of its height, clamped to
// -h … h, over the part that lies between -w and w. Sides that lead to the left count the other way.
//
//        +-------+  h
//        |  l----+----.  t   the side above adds t (w - l), the side below adds h (w - l), since its height
//        is |  |####|    |      clamped to -h; the other two sides lead neither to the left nor to the right
//        +--+----+    |  -h
//       -w  '----w----'
#if defined(AVO_OP_CPU_BOXES_ROTATED_KEPT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_BOXES_ROTATED_KEPT_INL_H_
#undef AVO_OP_CPU_BOXES_ROTATED_KEPT_INL_H_
#else
#define AVO_OP_CPU_BOXES_ROTATED_KEPT_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/boxes/rotated_box.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

class RotatedKept {
  static constexpr size_t kLanes = 8;
  using D = hn::CappedTag<double, kLanes>;
  using V = hn::Vec<D>;

 public:
  explicit RotatedKept(double threshold) : threshold_(threshold) {}

  void Add(const RotatedBox &box) {
    const size_t lane = count_++ % kLanes;
    if (lane == 0) blocks_.emplace_back();
    Block &block = blocks_.back();
    block.x[lane] = box.x;
    block.y[lane] = box.y;
    block.half_width[lane] = box.half_width;
    block.half_height[lane] = box.half_height;
    block.cosine[lane] = box.cosine;
    block.sine[lane] = box.sine;
    block.area[lane] = box.area;
    block.radius[lane] = box.radius;
  }

  // Returns whether the overlap of a kept box with `box` is above the threshold.
  bool Suppress(const RotatedBox &box) const {
    const D d;
    for (const Block &block : blocks_) {
      for (size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
        const V x = hn::Sub(hn::Set(d, box.x), hn::LoadU(d, block.x + i));
        const V y = hn::Sub(hn::Set(d, box.y), hn::LoadU(d, block.y + i));
        // Boxes whose circles do not meet have an overlap of 0, which is above a negative threshold alone.
        const V radii = hn::Add(hn::Set(d, box.radius), hn::LoadU(d, block.radius + i));
        const auto apart = hn::Gt(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(radii, radii));
        if (threshold_ >= 0 && hn::AllTrue(d, apart)) continue;
        const V overlap = Overlap(block, i, x, y, box);
        if (!hn::AllFalse(d, hn::Gt(overlap, hn::Set(d, threshold_)))) return true;
      }
    }
    return false;
  }

 private:
  struct Block {
    double x[kLanes]{}, y[kLanes]{}, half_width[kLanes]{}, half_height[kLanes]{}, cosine[kLanes]{},
        sine[kLanes]{}, area[kLanes], radius[kLanes]{};
    // A lane without a box has a NaN area, which suppresses nothing.
    Block() { std::fill_n(area, kLanes, std::numeric_limits<double>::quiet_NaN()); }
  };

  // The overlap of `box` with each kept box; (x, y) leads from their middles to its middle.
  static HWY_INLINE V Overlap(const Block &block, size_t i, V x, V y, const RotatedBox &box) {
    const D d;
    const V cosine = hn::LoadU(d, block.cosine + i), sine = hn::LoadU(d, block.sine + i);
    const V width = hn::LoadU(d, block.half_width + i), height = hn::LoadU(d, block.half_height + i);
    const V own_cosine = hn::Set(d, box.cosine), own_sine = hn::Set(d, box.sine);
    // Its middle, and the halves of its sides u and v, along the sides of the kept box.
    const V px = hn::Add(hn::Mul(cosine, x), hn::Mul(sine, y));
    const V py = hn::Sub(hn::Mul(cosine, y), hn::Mul(sine, x));
    const V turn_cosine = hn::Add(hn::Mul(cosine, own_cosine), hn::Mul(sine, own_sine));
    const V turn_sine = hn::Sub(hn::Mul(cosine, own_sine), hn::Mul(sine, own_cosine));
    const V half_width = hn::Set(d, box.half_width), half_height = hn::Set(d, box.half_height);
    const V ux = hn::Mul(turn_cosine, half_width), uy = hn::Mul(turn_sine, half_width);
    const V vx = hn::Neg(hn::Mul(turn_sine, half_height)), vy = hn::Mul(turn_cosine, half_height);
    const V xs[4] = {hn::Add(hn::Add(px, ux), vx), hn::Add(hn::Sub(px, ux), vx), hn::Sub(hn::Sub(px, ux), vx),
                     hn::Sub(hn::Add(px, ux), vx)};
    const V ys[4] = {hn::Add(hn::Add(py, uy), vy), hn::Add(hn::Sub(py, uy), vy), hn::Sub(hn::Sub(py, uy), vy),
                     hn::Sub(hn::Add(py, uy), vy)};
    V sum = hn::Zero(d);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      sum = hn::Add(sum, Side(xs[k], ys[k], xs[(k + 1) % 4], ys[(k + 1) % 4], width, height));
    }
    const V both = hn::Add(hn::LoadU(d, block.area + i), hn::Set(d, box.area));
    const V area = hn::Abs(sum);
    // Less than this is rounding.
    const auto some = hn::Ge(area, hn::Mul(hn::Set(d, 1e-12), both));
    const V shared = hn::IfThenElseZero(some, area);
    return hn::Div(shared, hn::Sub(both, shared));
  }

  // The integral of the clamped height of the side from (x0, y0) to (x1, y1).
  static HWY_INLINE V Side(V x0, V y0, V x1, V y1, V width, V height) {
    const D d;
    const V from = Clamp(x0, hn::Neg(width), width), to = Clamp(x1, hn::Neg(width), width);
    const V slope = hn::Div(hn::Sub(y1, y0), hn::Sub(x1, x0));
    const V lowest = hn::Min(y0, y1), highest = hn::Max(y0, y1);
    const V first = Clamp(hn::Add(y0, hn::Mul(slope, hn::Sub(from, x0))), lowest, highest);
    const V last = Clamp(hn::Add(y0, hn::Mul(slope, hn::Sub(to, x0))), lowest, highest);
    const V low = hn::Min(first, last), high = hn::Max(first, last);
    const V bottom = Clamp(low, hn::Neg(height), height), top = Clamp(high, hn::Neg(height), height);
    // The part of the side below -h counts as -h, the part above h as h, and the rest as its middle.
    const V below = hn::Max(hn::Zero(d), hn::Sub(hn::Min(high, hn::Neg(height)), low));
    const V above = hn::Max(hn::Zero(d), hn::Sub(high, hn::Max(low, height)));
    const V rest = hn::Mul(hn::Mul(hn::Sub(top, bottom), hn::Add(top, bottom)), hn::Set(d, 0.5));
    const V mean = hn::Div(hn::Add(hn::Mul(height, hn::Sub(above, below)), rest), hn::Sub(high, low));
    const V level = hn::IfThenElse(hn::Gt(high, low), mean, bottom);
    const V run = hn::Sub(to, from);
    return hn::IfThenElseZero(hn::Ne(run, hn::Zero(d)), hn::Mul(run, level));
  }

  static HWY_INLINE V Clamp(V value, V least, V most) { return hn::Min(hn::Max(value, least), most); }

  double threshold_;
  size_t count_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
