// SPDX-License-Identifier: Apache-2.0
// Filters of a deformable convolution, packed as the second factor of the product with its samples.
#if defined(AVO_OP_CPU_COMMON_DEFORM_FILTERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_DEFORM_FILTERS_INL_H_
#undef AVO_OP_CPU_COMMON_DEFORM_FILTERS_INL_H_
#else
#define AVO_OP_CPU_COMMON_DEFORM_FILTERS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/copies/huge_pages.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/deform/deform_products-inl.h"
#include "op_cpu/deform/deform_tiles.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The filters are packed block by block (DeformBlock), as a product takes them. Rows are the elements of a
// block, columns are the filters of its group.
template <typename T, class Product>
class DeformFilters {
  using Value = Compute<T>;
  using Packed = typename Product::Packed;
  using D = ComputeTag<T>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  DeformFilters(const DeformSizes &sizes, const std::vector<DeformBlock> &blocks, const Tensor &weight,
                const ParallelFor &parallel_for)
      : vectors(CeilDiv(sizes.GroupFilters(), kLanes)),
        sizes_(sizes),
        weight_(weight),
        elements_(sizes.channels * sizes.Taps()) {
    int64_t rows = 0;
    for (const DeformBlock &block : blocks) {
      FindElements(block, rows);
      places_.push_back(rows * vectors * kLanes);
      rows += Rows(block);
    }
    const int64_t row = vectors * kLanes, all = Product::kTerms * rows;
    term_pitch_ = rows * row;
    packed_ = AllocateAligned<Packed>(all * row);
    AdviseHugePages(packed_.get(), all * row * sizeof(Packed));
    if (Product::kPackedDepth > 1) {
      parallel_for(all, GrainOf(row), [&](int64_t begin, int64_t end) {
        std::fill_n(&packed_[begin * row], (end - begin) * row, Packed{0});
      });
    }
    for (int64_t i = 1; i < sizes.Depth(); ++i) dense_ &= elements_[i].from == elements_[i - 1].from + 1;
    parallel_for(sizes.groups * vectors, GrainOf(sizes.Depth() * kLanes), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) Pack(i / vectors, i % vectors);
    });
  }

  const int64_t vectors;  // of the filters of a group; zeros fill the last one

  // The filters of block i.
  const Packed *Block(size_t i) const { return &packed_[places_[i]]; }

  // Elements from term to term of the filters (TileProduct).
  int64_t term_pitch() const { return term_pitch_; }

 private:
  // An element of a filter: where it is read, and where it goes.
  struct Element {
    int64_t from;             // elements from the start of the filter
    int64_t first_row, rows;  // rows of its block
    int64_t k;                // its number in the block
  };

  static int64_t Rows(const DeformBlock &block) {
    return Product::Filled(block.depth()) / Product::kPackedDepth;
  }

  // Lists the elements of a block, in the order in which they lie in memory. Either the taps or the channels
  // of a filter are contiguous.
  void FindElements(const DeformBlock &block, int64_t first_row) {
    const Shape &s = weight_.strides;
    const int64_t per_group = sizes_.GroupChannels(), channel = block.channel - block.group * per_group;
    for (int64_t k = 0; k < block.depth(); ++k) {
      const int64_t tap = block.tap + k / block.channels, c = channel + k % block.channels;
      const int64_t i = s[1] == 1 ? tap * per_group + c : c * sizes_.Taps() + tap;
      const int64_t from = c * s[1] + tap / sizes_.kernel[1] * s[2] + tap % sizes_.kernel[1] * s[3];
      elements_[block.group * sizes_.Depth() + i] = {from, first_row, Rows(block), k};
    }
  }

  // Packs one vector of the filters of a group.
  void Pack(int64_t group, int64_t vector) {
    const D d;
    const int64_t o = vector * kLanes, filters = std::min(kLanes, sizes_.GroupFilters() - o);
    const int64_t first = o / Product::kPanel * Product::kPanel;
    const int64_t columns = std::min(Product::kPanel, vectors * kLanes - first);
    const int64_t depth = sizes_.Depth(), stride = weight_.strides[0];
    const T *from = static_cast<const T *>(weight_.data) + (group * sizes_.GroupFilters() + o) * stride;
    const Element *elements = &elements_[group * depth];
    const auto pack = [&](const Element &e, hn::Vec<D> values) {
      const int64_t place = e.first_row * vectors * kLanes + first * e.rows;
      Product::Pack(values, e.k, &packed_[place + e.k / Product::kPackedDepth * columns + o - first],
                    term_pitch_);
    };
    // Squares are transposed in registers: 1.7 x for a whole call of 512 filters of 2048 channels on 13 x 13.
    const bool squares = dense_ && depth >= kLanes;
    for (int64_t next = 0; squares && next < depth; next += kLanes) {
      // The last square overlaps the one before it.
      const int64_t i = std::min(next, depth - kLanes);
      hn::Vec<D> rows[kLanes];
      for (int64_t f = 0; f < kLanes; ++f) {
        rows[f] = f < filters ? LoadFloat(d, from + f * stride + elements[i].from) : hn::Zero(d);
      }
      Transpose(d, rows);
      for (int64_t j = 0; j < kLanes; ++j) pack(elements[i + j], rows[j]);
    }
    for (int64_t i = 0; !squares && i < depth; ++i) {
      HWY_ALIGN Value values[kLanes] = {};
      for (int64_t f = 0; f < filters; ++f) values[f] = Widen(from[f * stride + elements[i].from]);
      pack(elements[i], hn::Load(d, values));
    }
  }

  const DeformSizes &sizes_;
  const Tensor &weight_;
  std::vector<Element> elements_;  // (group, element)
  bool dense_ = true;              // the elements of a filter are contiguous
  std::vector<int64_t> places_;    // where each block starts in packed_
  int64_t term_pitch_ = 0;
  hwy::AlignedFreeUniquePtr<Packed[]> packed_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
