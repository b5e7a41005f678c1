// SPDX-License-Identifier: Apache-2.0
// The data cache of the scalar unit (engine/scalar_cache.h), and the instruction cache, which is not
// modelled: its functions take the time of an issue.
#pragma once

#include "kernel_tensor.h"

namespace sim {

inline void CacheInstruction(const char *name, Where where) {
  Instruction instruction;
  instruction.name = name;
  instruction.where = where;
  Core::Current().Issue(instruction);
}

}  // namespace sim

namespace AscendC {

template <typename T, CacheLine entireType, DcciDst dcciDst>
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst,
                                                sim::Where where = sim::Where::Here()) {
  // The other destinations are UB, and atomic operations, which Atlas A2 has not.
  if (dcciDst == DcciDst::CACHELINE_ALL || dcciDst == DcciDst::CACHELINE_OUT) {
    sim::Core::Current().CleanDataCache("DataCacheCleanAndInvalid",
                                        entireType == CacheLine::ENTIRE_DATA_CACHE,
                                        reinterpret_cast<uint64_t>(dst.GetPhyAddr()), where);
  } else {
    sim::CacheInstruction("DataCacheCleanAndInvalid", where);
  }
}
// Of the cache and UB.
template <typename T, CacheLine entireType, DcciDst dcciDst>
__aicore__ inline void DataCacheCleanAndInvalid(const LocalTensor<T> &,
                                                sim::Where where = sim::Where::Here()) {
  sim::CacheInstruction("DataCacheCleanAndInvalid", where);
}
template <typename T, CacheLine entireType>
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst,
                                                sim::Where where = sim::Where::Here()) {
  DataCacheCleanAndInvalid<T, entireType, DcciDst::CACHELINE_OUT>(dst, where);
}
template <typename T>
__aicore__ inline void DataCachePreload(const GlobalTensor<uint64_t> &, const T,
                                        sim::Where where = sim::Where::Here()) {
  sim::CacheInstruction("DataCachePreload", where);
}
__aicore__ inline void ICachePreLoad(const int64_t, sim::Where where = sim::Where::Here()) {
  sim::CacheInstruction("ICachePreLoad", where);
}
__aicore__ inline int64_t GetICachePreloadStatus() { return 0; }

}  // namespace AscendC
