// SPDX-License-Identifier: Apache-2.0
// Copies between GM and on-chip memories, and within UB.
#pragma once

#include "kernel_struct_data_copy.h"
#include "sim/copy_slices.h"
#include "sim/vector_op.h"

namespace AscendC {

// Copies blocks at a stride. Lengths and gaps count 32 bytes.
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                                const DataCopyParams &repeatParams, sim::Where where = sim::Where::Here()) {
  sim::CopyBlocks("DataCopy", sim::Side<T>("dst", dst, repeatParams.dstGap),
                  sim::Side<T>("src", src, repeatParams.srcGap), repeatParams, where);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                                const DataCopyParams &repeatParams, sim::Where where = sim::Where::Here()) {
  sim::CopyBlocks("DataCopy", sim::Side<T>("dst", dst, repeatParams.dstGap),
                  sim::Side<T>("src", src, repeatParams.srcGap), repeatParams, where);
}
template <typename T, typename U>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                                const DataCopyParams &repeatParams, sim::Where where = sim::Where::Here()) {
  sim::CopyBlocks("DataCopy", sim::Side<T>("dst", dst, repeatParams.dstGap),
                  sim::Side<U>("src", src, repeatParams.srcGap), repeatParams, where);
}

// The enhanced parameters change nothing on Atlas A2, says the documentation: a kernel that asks for a
// conversion does not get it, and has a fault.
template <typename D, typename S>
__aicore__ inline void DataCopy(const D &dst, const S &src, const DataCopyParams &intriParams,
                                const DataCopyEnhancedParams &enhancedParams,
                                sim::Where where = sim::Where::Here()) {
  if (enhancedParams.blockMode != BlockMode::BLOCK_MODE_NORMAL ||
      enhancedParams.deqScale != DeqScale::DEQ_NONE || enhancedParams.isRelu) {
    sim::Core::Current().Fail(
        sim::FaultKind::kOther, "DataCopy", where,
        "enhancedParams must be BLOCK_MODE_NORMAL without DeqScale and relu: Atlas A2 ignores them");
  }
  DataCopy(dst, src, intriParams, where);
}

// Copies `count` elements in one run; their bytes are a multiple of 32.
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count,
                                sim::Where where = sim::Where::Here()) {
  sim::CopyRun("DataCopy", sim::Side<T>("dst", dst), sim::Side<T>("src", src), count, where);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
                                sim::Where where = sim::Where::Here()) {
  sim::CopyRun("DataCopy", sim::Side<T>("dst", dst), sim::Side<T>("src", src), count, where);
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
                                sim::Where where = sim::Where::Here()) {
  sim::CopyRun("DataCopy", sim::Side<T>("dst", dst), sim::Side<T>("src", src), count, where);
}

// Copies row-major matrices (ND) to fractals (NZ). Columns from dValue to the end of the last 32 bytes become
// zero.
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                                const Nd2NzParams &intriParams, sim::Where where = sim::Where::Here()) {
  sim::CopyNdsToNz(sim::Side<T>("dst", dst), sim::Side<T>("src", src), intriParams, where);
}

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                const Nd2NzParams &intriParams, sim::Where where = sim::Where::Here()) {
  sim::CopyNdsToNz(sim::Side<T>("dst", dst), sim::Side<T>("src", src), intriParams, where);
}

// Copies columns of 16 elements (NZ) in UB to rows (ND).
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                                const Nz2NdParamsFull &intriParams, sim::Where where = sim::Where::Here()) {
  sim::CopyNzToNd(dst, src, intriParams, where);
}

// Copies slices of tensors with `dimValue` dimensions.
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                                const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                                const uint32_t dimValue = 1, sim::Where where = sim::Where::Here()) {
  sim::CopySlices<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue, where);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                                const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                                const uint32_t dimValue = 1, sim::Where where = sim::Where::Here()) {
  sim::CopySlices<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue, where);
}

// Copies rows of any number of bytes. In UB each row starts at a multiple of 32 bytes.
template <typename T>
__aicore__ inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                                   const DataCopyExtParams &dataCopyParams,
                                   const DataCopyPadExtParams<T> &padParams,
                                   sim::Where where = sim::Where::Here()) {
  sim::CopyPadIn("DataCopyPad", dst, src, dataCopyParams, padParams, where);
}
template <typename T>
__aicore__ inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                                   const DataCopyExtParams &dataCopyParams,
                                   sim::Where where = sim::Where::Here()) {
  sim::CopyPadOut("DataCopyPad", dst, src, dataCopyParams, where);
}
template <typename T>
__aicore__ inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                                   const DataCopyParams &dataCopyParams, const DataCopyPadParams &padParams,
                                   sim::Where where = sim::Where::Here()) {
  T value;
  std::memcpy(&value, &padParams.paddingValue, sizeof(T));
  const DataCopyPadExtParams<T> pad(padParams.isPad, padParams.leftPadding, padParams.rightPadding, value);
  sim::CopyPadIn("DataCopyPad", dst, src, sim::Extended(dataCopyParams), pad, where);
}
template <typename T>
__aicore__ inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                                   const DataCopyParams &dataCopyParams,
                                   sim::Where where = sim::Where::Here()) {
  sim::CopyPadOut("DataCopyPad", dst, src, sim::Extended(dataCopyParams), where);
}

// Sets the value that a DataCopyPad without isPad writes as padding.
template <typename T, TPosition pos = TPosition::MAX>
__aicore__ inline void SetPadValue(T paddingValue) {
  sim::Registers &registers = sim::Core::Current().registers;
  registers.has_pad_value = true;
  registers.pad_value = 0;
  std::memcpy(&registers.pad_value, &paddingValue, sizeof(T));
}

// Copies within UB under a mask. In counter mode the mask counts lanes of a repeat, and repeatTime still
// holds.
template <typename T, bool isSetMask = true>
__aicore__ inline void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[],
                            const uint8_t repeatTime, const CopyRepeatParams &repeatParams,
                            sim::Where where = sim::Where::Here()) {
  sim::CopyMasked(dst, src, isSetMask, mask, repeatTime, repeatParams, where);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask,
                            const uint8_t repeatTime, const CopyRepeatParams &repeatParams,
                            sim::Where where = sim::Where::Here()) {
  sim::CopyMasked(dst, src, isSetMask, mask, repeatTime, repeatParams, where);
}

}  // namespace AscendC
