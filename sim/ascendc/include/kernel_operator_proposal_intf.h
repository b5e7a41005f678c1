// SPDX-License-Identifier: Apache-2.0
// Sorts: groups of 32 elements, merges of sorted lists, and whole tensors.
#pragma once

#include "sim/sort.h"

namespace AscendC {

template <typename T>
__aicore__ inline void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                              const LocalTensor<uint32_t> &src1, const int32_t repeatTime,
                              sim::Where where = sim::Where::Here()) {
  sim::Sort32(dst, src0, src1, repeatTime, where);
}
template <typename T>
__aicore__ inline void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src,
                               const MrgSort4Info &params, sim::Where where = sim::Where::Here()) {
  sim::MrgSort(dst, src, params, where);
}
// The same with single parameters. sortedNum receives how many elements each list gave.
template <typename T, bool isExhaustedSuspension = false>
__aicore__ inline void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &sortList,
                               const uint16_t elementCountList[4], uint32_t sortedNum[4], uint16_t validBit,
                               const int32_t repeatTime, sim::Where where = sim::Where::Here()) {
  sim::MrgSort(
      dst, sortList,
      MrgSort4Info(elementCountList, isExhaustedSuspension, validBit, static_cast<uint16_t>(repeatTime)),
      where);
  std::copy_n(sim::Core::Current().registers.merged.data(), 4, sortedNum);
}
__aicore__ inline void GetMrgSortResult(uint16_t &mrgSortList1, uint16_t &mrgSortList2,
                                        uint16_t &mrgSortList3, uint16_t &mrgSortList4,
                                        sim::Where where = sim::Where::Here()) {
  sim::Core::Current().ReadRegisters("GetMrgSortResult", where, sim::kMergedAt, 8);
  const auto &merged = sim::Core::Current().registers.merged;
  mrgSortList1 = merged[0];
  mrgSortList2 = merged[1];
  mrgSortList3 = merged[2];
  mrgSortList4 = merged[3];
}

// Atlas A2 sorts scores as they are, so that there is nothing to combine.
template <typename T>
__aicore__ inline void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &tmp,
                              const int32_t repeatTime) {
  (void)tmp;
  (void)repeatTime;
  concat = src;
}
template <typename T>
__aicore__ inline void Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex,
                               const LocalTensor<T> &sorted, const int32_t repeatTime,
                               sim::Where where = sim::Where::Here()) {
  sim::Extract(dstValue, dstIndex, sorted, repeatTime, where);
}
// Sorts each of repeatTime groups of 32, or all of them as one list with isFullSort.
template <typename T, bool isFullSort>
__aicore__ inline void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat,
                            const LocalTensor<uint32_t> &index, LocalTensor<T> &tmp, const int32_t repeatTime,
                            sim::Where where = sim::Where::Here()) {
  sim::Sort32(dst, concat, index, repeatTime, where);
  if (isFullSort && repeatTime > 1) {
    sim::MergeAll(dst, tmp, static_cast<uint32_t>(repeatTime), where);
  }
}

// Returns how many elements of T elemOffset, or elemCount, sorted pairs take.
template <typename T>
__aicore__ inline uint32_t GetSortOffset(const uint32_t elemOffset) {
  return elemOffset * (sim::kPairBytes / sizeof(T));
}
template <typename T>
__aicore__ inline uint32_t GetSortLen(const uint32_t elemCount) {
  return elemCount * (sim::kPairBytes / sizeof(T));
}

}  // namespace AscendC
