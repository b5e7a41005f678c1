// SPDX-License-Identifier: Apache-2.0
// Vectors of elements from any places of memory. Compiled once for each instruction set.
//
// There is an instruction that gathers elements. On processors of AMD it takes longer than loading them one
// by one: on Zen 4, 16 float32 take 7 ns by the instruction, and 4 ns by loads. The places should have been
// in memory for some time: from a vector that was just computed, they would have to be taken out lane by
// lane.
#if defined(AVO_OP_CPU_COMMON_GATHER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_GATHER_INL_H_
#undef AVO_OP_CPU_COMMON_GATHER_INL_H_
#else
#define AVO_OP_CPU_COMMON_GATHER_INL_H_
#endif

#include <atomic>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/of_blocks-inl.h"
#include "op_cpu/common/vectors/simd.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Loads elements of 4 or 8 bytes one by one: at(lane) gives the bytes from `base` to the element of a lane.
template <class D, class At>
HWY_INLINE hn::Vec<D> LoadEach(D d, const void *base, const At &at) {
  using T = hn::TFromD<D>;
  const hn::CappedTag<T, 16 / sizeof(T)> one;
  constexpr int64_t kSize = hn::MaxLanes(one);
  // For several planes, compilers would keep all places of a vector in registers, which takes longer than
  // loading them again.
  std::atomic_signal_fence(std::memory_order_acq_rel);
  const auto element = [&](int64_t lane) HWY_ATTR {
    T value;
    std::memcpy(&value, static_cast<const uint8_t *>(base) + at(lane), sizeof(T));
    return hn::Set(one, value);
  };
  return OfBlocks(d, [&](int64_t block) HWY_ATTR {
    const int64_t lane = block * kSize;
    const auto low = hn::OddEven(element(lane + 1), element(lane));
    if constexpr (kSize == 2) {
      return low;
    } else {
      return hn::ConcatUpperLower(one, hn::OddEven(element(lane + 3), element(lane + 2)), low);
    }
  });
}

// Gives the elements that lie `places` times kUnit bytes behind `base`, for each lane one. Places have at
// most as many bits as elements.
template <int64_t kUnit, class D, typename Place>
HWY_INLINE hn::Vec<D> GatherAt(D d, const hn::TFromD<D> *base, const Place *places) {
  using T = hn::TFromD<D>;
  static_assert(kUnit == 1 || kUnit == sizeof(T));
  if (LoadsElements()) {
    return LoadEach(d, base, [&](int64_t lane) { return int64_t{places[lane]} * kUnit; });
  }
  const hn::RebindToSigned<D> i;
  auto at = hn::Zero(i);
  if constexpr (sizeof(Place) == sizeof(T)) {
    at = hn::LoadU(i, places);
  } else {
    at = hn::PromoteTo(i, hn::LoadU(hn::Rebind<Place, D>(), places));
  }
  if constexpr (kUnit == 1) {
    return hn::GatherOffset(d, base, at);
  } else {
    return hn::GatherIndex(d, base, at);
  }
}

// Gives pairs of float64 that are neighbours in memory: their first elements, and their second ones. at(lane)
// gives the place of a pair behind `base`. No instruction gathers them, as two elements are a block.
template <class D, class At>
HWY_INLINE void LoadNeighbours(D d, const double *base, const At &at, hn::Vec<D> *first, hn::Vec<D> *second) {
  const hn::CappedTag<double, 2> block;
  const auto pair = [&](int64_t lane) HWY_ATTR { return hn::LoadU(block, base + at(lane)); };
  const auto even_lanes = OfBlocks(d, [&](int64_t i) HWY_ATTR { return pair(2 * i); });
  const auto odd_lanes = OfBlocks(d, [&](int64_t i) HWY_ATTR { return pair(2 * i + 1); });
  *first = hn::InterleaveLower(d, even_lanes, odd_lanes);
  *second = hn::InterleaveUpper(d, even_lanes, odd_lanes);
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
