// SPDX-License-Identifier: Apache-2.0
// The k greatest or least elements of each row, in order, and where they were: rows are sorted as the sorting
// instructions do it, and the first k are taken. Equal elements keep their order, and a NaN comes first.
//
//   normal mode   rows of the results begin at multiples of 32 bytes; all rows have the same indices
//   small mode    rows have 32 elements; rows of the results have no gaps, each row has its own indices;
//                 no row is finished
#pragma once

#include "../../kernel_operator_proposal_intf.h"
#include "../../kernel_operator_vec_createvecindex_intf.h"
#include "../../kernel_operator_vec_gather_mask_intf.h"
#include "../../kernel_tiling/sim_vector_tiling.h"
#include "../activation/sim_row_value.h"
#include "../index/arithprogression.h"
#include "topk_utils.h"

namespace sim {

template <typename T>
struct TopKOperands {
  const AscendC::LocalTensor<T> &values;
  const AscendC::LocalTensor<int32_t> &indices;
  const AscendC::LocalTensor<T> &src;
  const AscendC::LocalTensor<int32_t> &src_indices;
  const AscendC::LocalTensor<bool> &finish;
  uint32_t k;
  bool largest;
  Where where;
};

// Work memory of `count` elements; a pair of a value and an index has 8 bytes:
//
//   bytes for each element   |    8    |    4     |    4     |   4    |
//   before the pairs                   | negative |
//   while pairs are merged   |  pairs  |       scratch       | counted
//   behind that              |  pairs  |  values  |  indices | counted
//
// `counted`, for kernels without indices, is there for the next row too. Groups are not merged and have no
// next row, so that theirs lies where the indices come later.
template <typename T>
class TopKSorter {
 public:
  TopKSorter(const Bytes &work, uint32_t count, bool groups, bool indexed, Where where)
      : work_(work), count_(count), counted_at_(groups ? 12 : 16), where_(where) {
    CheckWork("TopK", work, uint64_t{count} * (groups || indexed ? 16 : 20), where);
  }

  AscendC::LocalTensor<T> values() const { return As<T>(Part(8)); }
  AscendC::LocalTensor<uint32_t> indices() const { return As<uint32_t>(Part(12)); }
  AscendC::LocalTensor<int32_t> counted() const { return As<int32_t>(Part(counted_at_)); }

  // Sorts groups of 32, or all as one row. The least come first where the signs change.
  void Sort(const AscendC::LocalTensor<T> &src, const AscendC::LocalTensor<int32_t> &indices, bool largest,
            bool full) const {
    const auto groups = static_cast<int32_t>(count_ / 32);
    const AscendC::LocalTensor<T> pairs = As<T>(Part(0)), negative = As<T>(Part(8)), scratch = negative;
    if (!largest) Negate(negative, src);
    AscendC::Sort32(pairs, largest ? src : negative, As<uint32_t>(indices), groups, where_);
    if (full && groups > 1) MergeAll(pairs, scratch, static_cast<uint32_t>(groups), where_);
    AscendC::PipeBarrier<PIPE_V>(where_);
    AscendC::Extract(values(), this->indices(), pairs, groups, where_);
    AscendC::PipeBarrier<PIPE_V>(where_);
    if (!largest) Negate(values(), values());
  }

 private:
  Bytes Part(uint32_t bytes_before) const { return work_[count_ * bytes_before]; }
  void Negate(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src) const {
    AscendC::Muls(dst, src, static_cast<T>(-1.0F), static_cast<int32_t>(count_), where_);
    AscendC::PipeBarrier<PIPE_V>(where_);
  }

  Bytes work_;
  uint32_t count_;
  uint32_t counted_at_;
  Where where_;
};

// Row by row. Rows that are finished have n as their indices.
template <bool has_finish, typename T>
void TopKOfRows(const TopKOperands<T> &o, const Bytes &work, const AscendC::TopKInfo &info, bool indexed) {
  const auto inner = static_cast<uint32_t>(info.inner);
  const TopKSorter<T> sorter(work, inner, false, indexed, o.where);
  if (!indexed) AscendC::Arange(sorter.counted(), 0, 1, info.inner, o.where);
  if (has_finish) Order(Pipe::V, Pipe::S, o.where);
  const auto padded = [&](uint32_t lanes) { return static_cast<uint32_t>(AlignUp(o.k, lanes)); };
  const auto k = static_cast<int32_t>(o.k);
  const uint32_t values = padded(kBlockLanes<T>), indices = padded(kBlockLanes<int32_t>);
  for (uint32_t row = 0; row < static_cast<uint32_t>(info.outter); ++row) {
    AscendC::PipeBarrier<PIPE_V>(o.where);
    sorter.Sort(o.src[row * inner], indexed ? o.src_indices : sorter.counted(), o.largest, true);
    AscendC::Muls(o.values[row * values], sorter.values(), static_cast<T>(1.0F), k, o.where);
    const AscendC::LocalTensor<int32_t> to = o.indices[row * indices];
    if (has_finish && o.finish.GetValue(row, o.where)) {
      AscendC::Duplicate(to, info.n, k, o.where);
    } else {
      AscendC::Adds(to, As<int32_t>(sorter.indices()), 0, k, o.where);
    }
  }
  AscendC::PipeBarrier<PIPE_V>(o.where);
}

// All rows at once.
template <typename T>
void TopKOfGroups(const TopKOperands<T> &o, const Bytes &work, const AscendC::TopKInfo &info, bool indexed) {
  const auto rows = static_cast<uint32_t>(info.outter);
  const TopKSorter<T> sorter(work, rows * 32, true, indexed, o.where);
  for (uint32_t row = 0; !indexed && row < rows; ++row) {
    AscendC::Arange(sorter.counted()[row * 32], 0, 1, 32, o.where);
  }
  AscendC::PipeBarrier<PIPE_V>(o.where);
  sorter.Sort(o.src, indexed ? o.src_indices : sorter.counted(), o.largest, false);
  const auto pack = [&](const auto &dst, const auto &src, uint64_t element_bytes) {
    const auto blocks = static_cast<uint16_t>(32 * element_bytes / kBlockBytes);
    const AscendC::GatherMaskParams params(1, static_cast<uint16_t>(rows), blocks, 0);
    uint64_t kept = 0;
    AscendC::GatherMask(dst, src, 7, true, o.k, params, kept, o.where);
    AscendC::PipeBarrier<PIPE_V>(o.where);
  };
  pack(o.values, sorter.values(), sizeof(T));
  pack(As<uint32_t>(o.indices), sorter.indices(), sizeof(uint32_t));
}

template <bool indexed, bool has_finish, AscendC::TopKMode mode, typename T>
void TopK(const TopKOperands<T> &o, const Bytes *given, const AscendC::TopKInfo &info) {
  static_assert(kOneOf<T, half, float>, "TopK: for half and float on Atlas A2");
  constexpr bool kSmall = mode == AscendC::TopKMode::TOPK_NSMALL;
  const auto check = [&](const char *what, int64_t value, int64_t least, int64_t most) {
    CheckRange(Core::Current(), FaultKind::kCount_, "TopK", o.where, what, value, least, most);
  };
  // A kernel may have calls of both modes for one set of template arguments, of which only one is reached.
  if constexpr (kSmall && has_finish) {
    FailRange(Core::Current(), FaultKind::kCount_, "TopK", o.where, "isHasfinish", "false with TOPK_NSMALL",
              1);
  }
  check("topKInfo.inner", info.inner, 32, kSmall ? 32 : 4096);
  check("topKInfo.n", info.n, 1, info.inner);
  check("topKInfo.outter", info.outter, 1, INT32_MAX);
  check("k", static_cast<int32_t>(o.k), 1, info.n);
  if (info.inner % 32 != 0) {
    FailRange(Core::Current(), FaultKind::kCount_, "TopK", o.where, "topKInfo.inner", "a multiple of 32",
              info.inner);
  }
  const Bytes work = WorkOf(given, o.where);
  if constexpr (kSmall) {
    TopKOfGroups(o, work, info, indexed);
  } else {
    TopKOfRows<has_finish>(o, work, info, indexed);
  }
}

}  // namespace sim

namespace AscendC {

#define SIM_TOPK(memory, ...)                                                                             \
  template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,      \
            enum TopKMode topkMode = TopKMode::TOPK_NORMAL, const TopKConfig &config = defaultTopKConfig> \
  __aicore__ inline void TopK(                                                                            \
      const LocalTensor<T> &dstValueLocal, const LocalTensor<int32_t> &dstIndexLocal,                     \
      const LocalTensor<T> &srcLocal, const LocalTensor<int32_t> &srcIndexLocal,                          \
      const LocalTensor<bool> &finishLocal __VA_ARGS__, const int32_t k, const TopkTiling &,              \
      const TopKInfo &topKInfo, const bool isLargest = true, sim::Where where = sim::Where::Here()) {     \
    static_assert(config.algo == TopKAlgo::MERGE_SORT, "TopK: Atlas A2 sorts by merging");                \
    sim::TopK<isInitIndex, isHasfinish, topkMode>(                                                        \
        sim::TopKOperands<T>{dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal, finishLocal,          \
                             static_cast<uint32_t>(k), isLargest, where},                                 \
        memory, topKInfo);                                                                                \
  }
SIM_TOPK(nullptr)
SIM_TOPK(&tmpLocal, , const LocalTensor<uint8_t> &tmpLocal)
#undef SIM_TOPK

}  // namespace AscendC
