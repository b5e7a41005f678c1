// SPDX-License-Identifier: Apache-2.0
// The data cache of the scalar unit, and the instruction cache. GM is coherent here, so that these functions
// do nothing but take the time of an issue.
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
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &,
                                                sim::Where where = sim::Where::Here()) {
  sim::CacheInstruction("DataCacheCleanAndInvalid", where);
}
template <typename T, CacheLine entireType, DcciDst dcciDst>
__aicore__ inline void DataCacheCleanAndInvalid(const LocalTensor<T> &,
                                                sim::Where where = sim::Where::Here()) {
  sim::CacheInstruction("DataCacheCleanAndInvalid", where);
}
template <typename T, CacheLine entireType>
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &,
                                                sim::Where where = sim::Where::Here()) {
  sim::CacheInstruction("DataCacheCleanAndInvalid", where);
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
