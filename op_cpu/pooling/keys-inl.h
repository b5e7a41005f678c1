// SPDX-License-Identifier: Apache-2.0
// What the elements of windows are compared by. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_KEYS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_KEYS_INL_H_
#undef AVO_OP_CPU_POOLING_KEYS_INL_H_
#else
#define AVO_OP_CPU_POOLING_KEYS_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Keys are what elements are compared by. Of finite elements the keys are the elements; what lies beside the
// image is minus infinity.
template <typename C>
struct FiniteKeys {
  using Tag = hn::ScalableTag<C>;
  using Key = hn::Vec<Tag>;
  static constexpr C kLowest = -std::numeric_limits<C>::infinity();

  static HWY_INLINE Key Of(Key value) { return value; }
  static HWY_INLINE Key AsTap(Key key, int) { return key; }
};

// Of any elements the keys are integers in the same order. What lies beside the image is below all of them,
// and NaN is above all of them.
template <typename C>
struct AnyKeys {
  using Tag = hn::RebindToSigned<hn::ScalableTag<C>>;
  using Key = hn::Vec<Tag>;
  static constexpr hn::TFromD<Tag> kLowest = std::numeric_limits<hn::TFromD<Tag>>::min();
  static constexpr hn::TFromD<Tag> kNaN = std::numeric_limits<hn::TFromD<Tag>>::max() - 8;

  static HWY_INLINE Key Of(hn::Vec<hn::ScalableTag<C>> value) {
    const hn::ScalableTag<C> d;
    const Tag keys;
    const auto bits = hn::BitCast(keys, hn::Add(value, hn::Zero(d)));  // -0 becomes 0
    const auto flipped = hn::Xor(bits, hn::Set(keys, std::numeric_limits<hn::TFromD<Tag>>::max()));
    const auto key = hn::IfNegativeThenElse(bits, flipped, bits);
    return hn::IfThenElse(hn::RebindMask(keys, hn::IsNaN(value)), hn::Set(keys, kNaN), key);
  }
  // Raises NaN by the number of the tap, so that the last NaN of a window is its largest key.
  static HWY_INLINE Key AsTap(Key key, int number) {
    const Tag keys;
    const auto nan = hn::Eq(key, hn::Set(keys, kNaN));
    return hn::IfThenElse(nan, hn::Set(keys, static_cast<hn::TFromD<Tag>>(kNaN + number)), key);
  }
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
