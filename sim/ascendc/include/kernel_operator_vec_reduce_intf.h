// SPDX-License-Identifier: Apache-2.0
// Reductions.
#pragma once

#include "sim/reduce.h"
#include "sim/reduce_extreme.h"

namespace AscendC {

// Every reduction has two forms: the mask is a number of lanes, or bits.
#define SIM_BLOCK_REDUCE(Name, Type)                                                                        \
  template <typename T, bool isSetMask = true>                                                              \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                         \
                              const int32_t repeatTime, const int32_t mask, const int32_t dstRepStride,     \
                              const int32_t srcBlkStride, const int32_t srcRepStride,                       \
                              sim::Where where = sim::Where::Here()) {                                      \
    sim::BlockReduce(#Name, ReduceType::Type, dst, src, isSetMask, static_cast<uint64_t>(mask), repeatTime, \
                     dstRepStride, srcBlkStride, srcRepStride, where);                                      \
  }                                                                                                         \
  template <typename T, bool isSetMask = true>                                                              \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                         \
                              const int32_t repeatTime, const uint64_t mask[], const int32_t dstRepStride,  \
                              const int32_t srcBlkStride, const int32_t srcRepStride,                       \
                              sim::Where where = sim::Where::Here()) {                                      \
    sim::BlockReduce(#Name, ReduceType::Type, dst, src, isSetMask, mask, repeatTime, dstRepStride,          \
                     srcBlkStride, srcRepStride, where);                                                    \
  }
SIM_BLOCK_REDUCE(BlockReduceSum, SUM)
SIM_BLOCK_REDUCE(BlockReduceMax, MAX)
SIM_BLOCK_REDUCE(BlockReduceMin, MIN)
#undef SIM_BLOCK_REDUCE

template <typename T, bool isSetMask = true>
__aicore__ inline void PairReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                     const int32_t repeatTime, const int32_t mask, const int32_t dstRepStride,
                                     const int32_t srcBlkStride, const int32_t srcRepStride,
                                     sim::Where where = sim::Where::Here()) {
  sim::PairReduce(dst, src, isSetMask, static_cast<uint64_t>(mask), repeatTime, dstRepStride, srcBlkStride,
                  srcRepStride, where);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void PairReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                     const int32_t repeatTime, const uint64_t mask[],
                                     const int32_t dstRepStride, const int32_t srcBlkStride,
                                     const int32_t srcRepStride, sim::Where where = sim::Where::Here()) {
  sim::PairReduce(dst, src, isSetMask, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, where);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                       const int32_t repeatTime, const int32_t mask,
                                       const int32_t dstBlkStride, const int32_t srcBlkStride,
                                       const int32_t dstRepStride, const int32_t srcRepStride,
                                       sim::Where where = sim::Where::Here()) {
  (void)dstBlkStride;
  sim::WholeReduce("RepeatReduceSum", ReduceType::SUM, dst, src, isSetMask, static_cast<uint64_t>(mask),
                   repeatTime, dstRepStride, srcBlkStride, srcRepStride, ReduceOrder::ORDER_ONLY_VALUE,
                   where);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                      const int32_t mask, const int32_t repeatTime,
                                      const int32_t dstRepStride, const int32_t srcBlkStride,
                                      const int32_t srcRepStride, sim::Where where = sim::Where::Here()) {
  sim::WholeReduce("WholeReduceSum", ReduceType::SUM, dst, src, isSetMask, static_cast<uint64_t>(mask),
                   repeatTime, dstRepStride, srcBlkStride, srcRepStride, ReduceOrder::ORDER_ONLY_VALUE,
                   where);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                      const uint64_t mask[], const int32_t repeatTime,
                                      const int32_t dstRepStride, const int32_t srcBlkStride,
                                      const int32_t srcRepStride, sim::Where where = sim::Where::Here()) {
  sim::WholeReduce("WholeReduceSum", ReduceType::SUM, dst, src, isSetMask, mask, repeatTime, dstRepStride,
                   srcBlkStride, srcRepStride, ReduceOrder::ORDER_ONLY_VALUE, where);
}

#define SIM_WHOLE_REDUCE(Name, Type)                                                                         \
  template <typename T, bool isSetMask = true>                                                               \
  __aicore__ inline void Name(                                                                               \
      const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t mask, const int32_t repeatTime,    \
      const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,                    \
      ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, sim::Where where = sim::Where::Here()) {           \
    sim::WholeReduce(#Name, ReduceType::Type, dst, src, isSetMask, static_cast<uint64_t>(mask), repeatTime,  \
                     dstRepStride, srcBlkStride, srcRepStride, order, where);                                \
  }                                                                                                          \
  template <typename T, bool isSetMask = true>                                                               \
  __aicore__ inline void Name(                                                                               \
      const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[], const int32_t repeatTime, \
      const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,                    \
      ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, sim::Where where = sim::Where::Here()) {           \
    sim::WholeReduce(#Name, ReduceType::Type, dst, src, isSetMask, mask, repeatTime, dstRepStride,           \
                     srcBlkStride, srcRepStride, order, where);                                              \
  }
SIM_WHOLE_REDUCE(WholeReduceMax, MAX)
SIM_WHOLE_REDUCE(WholeReduceMin, MIN)
#undef SIM_WHOLE_REDUCE

// Newer names of the same instructions.
#define SIM_REDUCE_NAMES(Mask, Value)                                                                     \
  template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                         \
  __aicore__ inline void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<U> &src, Mask,      \
                                         const int32_t repeatTime, const int32_t dstRepStride,            \
                                         const int32_t srcBlkStride, const int32_t srcRepStride,          \
                                         sim::Where where = sim::Where::Here()) {                         \
    sim::BlockReduce("ReduceDataBlock", reduceType, dst, src, isSetMask, Value, repeatTime, dstRepStride, \
                     srcBlkStride, srcRepStride, where);                                                  \
  }                                                                                                       \
  template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                         \
  __aicore__ inline void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<U> &src, Mask,       \
                                        const int32_t repeatTime, const int32_t dstRepStride,             \
                                        const int32_t srcBlkStride, const int32_t srcRepStride,           \
                                        sim::Where where = sim::Where::Here()) {                          \
    static_assert(reduceType == ReduceType::SUM, "ReducePairElem: only sums");                            \
    sim::PairReduce(dst, src, isSetMask, Value, repeatTime, dstRepStride, srcBlkStride, srcRepStride,     \
                    where);                                                                               \
  }                                                                                                       \
  template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                         \
  __aicore__ inline void ReduceRepeat(                                                                    \
      const LocalTensor<T> &dst, const LocalTensor<U> &src, Mask, const int32_t repeatTime,               \
      const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,                 \
      ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, sim::Where where = sim::Where::Here()) {        \
    sim::WholeReduce("ReduceRepeat", reduceType, dst, src, isSetMask, Value, repeatTime, dstRepStride,    \
                     srcBlkStride, srcRepStride, order, where);                                           \
  }
SIM_REDUCE_NAMES(const int32_t mask, static_cast<uint64_t>(mask))
SIM_REDUCE_NAMES(const uint64_t mask[], mask)
#undef SIM_REDUCE_NAMES

// Reduces all elements to one. With calIndex its index follows, in the bits of an element.
#define SIM_REDUCE_EXTREME(Name, Type)                                                                     \
  template <typename T>                                                                                    \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                        \
                              const LocalTensor<T> &sharedTmpBuffer, const int32_t mask,                   \
                              const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = false, \
                              sim::Where where = sim::Where::Here()) {                                     \
    sim::ExtremeFinder<T>(#Name, ReduceType::Type, dst, sharedTmpBuffer, calIndex, where)                  \
        .FindInRepeats(src, static_cast<uint64_t>(mask), repeatTime, static_cast<uint32_t>(srcRepStride)); \
  }                                                                                                        \
  template <typename T>                                                                                    \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                        \
                              const LocalTensor<T> &sharedTmpBuffer, const uint64_t mask[],                \
                              const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = false, \
                              sim::Where where = sim::Where::Here()) {                                     \
    sim::ExtremeFinder<T>(#Name, ReduceType::Type, dst, sharedTmpBuffer, calIndex, where)                  \
        .FindInRepeats(src, mask, repeatTime, static_cast<uint32_t>(srcRepStride));                        \
  }                                                                                                        \
  template <typename T>                                                                                    \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                        \
                              const LocalTensor<T> &sharedTmpBuffer, const int32_t count,                  \
                              bool calIndex = false, sim::Where where = sim::Where::Here()) {              \
    sim::ExtremeFinder<T>(#Name, ReduceType::Type, dst, sharedTmpBuffer, calIndex, where)                  \
        .FindInCount(src, count);                                                                          \
  }
SIM_REDUCE_EXTREME(ReduceMax, MAX)
SIM_REDUCE_EXTREME(ReduceMin, MIN)
#undef SIM_REDUCE_EXTREME

template <typename T>
__aicore__ inline void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                 const LocalTensor<T> &sharedTmpBuffer, const int32_t mask,
                                 const int32_t repeatTime, const int32_t srcRepStride,
                                 sim::Where where = sim::Where::Here()) {
  sim::ReduceTotal(
      dst, src, sharedTmpBuffer, true,
      sim::ReduceMask<uint64_t>{static_cast<uint64_t>(mask), repeatTime, static_cast<uint32_t>(srcRepStride)},
      where);
}
template <typename T>
__aicore__ inline void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                 const LocalTensor<T> &sharedTmpBuffer, const uint64_t mask[],
                                 const int32_t repeatTime, const int32_t srcRepStride,
                                 sim::Where where = sim::Where::Here()) {
  sim::ReduceTotal(dst, src, sharedTmpBuffer, true,
                   sim::ReduceMask<const uint64_t *>{mask, repeatTime, static_cast<uint32_t>(srcRepStride)},
                   where);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &,
                                 const int32_t count, sim::Where where = sim::Where::Here()) {
  sim::SumOfCount(dst, src, count, where);
}

// Returns the results of the last reduction, which are in special registers.
template <typename T>
__aicore__ inline void GetReduceRepeatMaxMinSpr(T &maxMinValue, T &maxMinIndex,
                                                sim::Where where = sim::Where::Here()) {
  sim::ReadReduced("GetReduceRepeatMaxMinSpr", where);
  const sim::Registers &registers = sim::Core::Current().registers;
  std::memcpy(&maxMinValue, &registers.reduced_value, sizeof(T));
  maxMinIndex = sim::IndexBits<T>(static_cast<uint32_t>(registers.reduced_index));
}
template <typename T>
__aicore__ inline void GetReduceRepeatMaxMinSpr(T &maxMinValue, sim::Where where = sim::Where::Here()) {
  sim::ReadReduced("GetReduceRepeatMaxMinSpr", where);
  std::memcpy(&maxMinValue, &sim::Core::Current().registers.reduced_value, sizeof(T));
}
template <typename T>
__aicore__ inline void GetReduceMaxMinCount(T &maxMinValue, T &maxMinIndex,
                                            sim::Where where = sim::Where::Here()) {
  GetReduceRepeatMaxMinSpr(maxMinValue, maxMinIndex, where);
}
template <typename T>
__aicore__ inline void GetReduceMaxMinCount(T &maxMinValue, sim::Where where = sim::Where::Here()) {
  GetReduceRepeatMaxMinSpr(maxMinValue, where);
}
template <typename T>
__aicore__ inline T GetReduceRepeatSumSpr(sim::Where where = sim::Where::Here()) {
  sim::ReadReduced("GetReduceRepeatSumSpr", where);
  T value;
  std::memcpy(&value, &sim::Core::Current().registers.reduced_sum, sizeof(T));
  return value;
}
template <typename T>
__aicore__ inline T GetAccVal(sim::Where where = sim::Where::Here()) {
  return GetReduceRepeatSumSpr<T>(where);
}

}  // namespace AscendC
