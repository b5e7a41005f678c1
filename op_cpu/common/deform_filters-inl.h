// SPDX-License-Identifier: Apache-2.0
// Filters of a deformable convolution as the second factor of the product with its samples.
#if defined(AVO_OP_CPU_COMMON_DEFORM_FILTERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_DEFORM_FILTERS_INL_H_
#undef AVO_OP_CPU_COMMON_DEFORM_FILTERS_INL_H_
#else
#define AVO_OP_CPU_COMMON_DEFORM_FILTERS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "hwy/highway.h"
#include "op_cpu/common/deform_tiles.h"
#include "op_cpu/common/huge_pages.h"
#include "op_cpu/common/parallel.h"
#include "op_cpu/common/product-inl.h"
#include "op_cpu/common/simd-inl.h"
#include "op_cpu/common/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Block by block as MultiplyAdd takes them: rows are elements of a block, columns the filters of its group.
template <typename T>
class DeformFilters {
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  DeformFilters(const DeformSizes &sizes, const std::vector<DeformBlock> &blocks, const Tensor &weight,
                const ParallelFor &parallel_for)
      : vectors(CeilDiv(sizes.GroupFilters(), kLanes)),
        sizes_(sizes),
        weight_(weight),
        elements_(sizes.channels * sizes.Taps()) {
    const int64_t packed = sizes.channels * sizes.Taps() * vectors * kLanes;
    packed_ = hwy::AllocateAligned<Value>(packed);
    AdviseHugePages(packed_.get(), packed * sizeof(Value));
    for (const DeformBlock &block : blocks) FindElements(block);
    for (int64_t i = 1; i < sizes.Depth(); ++i) dense_ &= elements_[i].from == elements_[i - 1].from + 1;
    parallel_for(sizes.groups * vectors, GrainOf(sizes.Depth() * kLanes), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) Pack(i / vectors, i % vectors);
    });
  }

  const int64_t vectors;  // of filters of a group, the last one filled up

  const Value *Of(const DeformBlock &block) const { return &packed_[Place(block)]; }

 private:
  // Of a filter: where it is, and its row of the block from `block` on.
  struct Element {
    int64_t from, block, depth, row;
  };

  int64_t Place(const DeformBlock &block) const {
    return (block.group * sizes_.Depth() + block.before) * vectors * kLanes;
  }

  // Elements are taken in the order of memory, of which there are two: taps or channels next to each other.
  void FindElements(const DeformBlock &block) {
    const Shape &s = weight_.strides;
    const int64_t per_group = sizes_.GroupChannels(), channel = block.channel - block.group * per_group;
    for (int64_t row = 0; row < block.depth(); ++row) {
      const int64_t tap = block.tap + row / block.channels, c = channel + row % block.channels;
      const int64_t i = s[1] == 1 ? tap * per_group + c : c * sizes_.Taps() + tap;
      const int64_t from = c * s[1] + tap / sizes_.kernel[1] * s[2] + tap % sizes_.kernel[1] * s[3];
      elements_[block.group * sizes_.Depth() + i] = {from, Place(block), block.depth(), row};
    }
  }

  // One vector of filters.
  void Pack(int64_t group, int64_t vector) {
    const D d;
    constexpr int64_t kPanel = kProductVectors * kLanes;
    const int64_t o = vector * kLanes, filters = std::min(kLanes, sizes_.GroupFilters() - o);
    const int64_t first = o / kPanel * kPanel, columns = std::min(kPanel, vectors * kLanes - first);
    const int64_t depth = sizes_.Depth(), stride = weight_.strides[0];
    const T *from = static_cast<const T *>(weight_.data) + (group * sizes_.GroupFilters() + o) * stride;
    const Element *elements = &elements_[group * depth];
    const auto row = [&](int64_t i) {
      const Element &e = elements[i];
      return &packed_[e.block + first * e.depth + e.row * columns + o - first];
    };
    // Squares turned in registers: 1.7 x for a whole call of 512 filters of 2048 channels on 13 x 13.
    const bool squares = dense_ && depth >= kLanes;
    for (int64_t next = 0; squares && next < depth; next += kLanes) {
      // The last square overlaps the one before it.
      const int64_t i = std::min(next, depth - kLanes);
      hn::Vec<D> rows[kLanes];
      for (int64_t f = 0; f < kLanes; ++f) {
        rows[f] = f < filters ? LoadFloat(d, from + f * stride + elements[i].from) : hn::Zero(d);
      }
      Transpose(d, rows);
      for (int64_t j = 0; j < kLanes; ++j) hn::Store(rows[j], d, row(i + j));
    }
    for (int64_t i = 0; !squares && i < depth; ++i) {
      for (int64_t f = 0; f < kLanes; ++f) {
        row(i)[f] = f < filters ? Widen(from[f * stride + elements[i].from]) : Value{0};
      }
    }
  }

  const DeformSizes &sizes_;
  const Tensor &weight_;
  std::vector<Element> elements_;  // (group, element)
  bool dense_ = true;              // elements follow each other in memory
  hwy::AlignedFreeUniquePtr<Value[]> packed_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
