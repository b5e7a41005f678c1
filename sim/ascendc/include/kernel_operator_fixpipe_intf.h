// SPDX-License-Identifier: Apache-2.0
// Fixpipe copies results out of L0C.
#pragma once

#include "kernel_struct_fixpipe.h"
#include "sim/fixpipe.h"

namespace sim {

inline AscendC::FixpipeParamsV220 AsFixpipe(const AscendC::DataCopyCO12DstParams &p) {
  return {p.nSize, p.mSize, p.srcStride, p.dstStride, false,      p.quantPre,
          0,       1,       0,           0,           p.unitFlag, p.channelSplit};
}

// Copies the factors of `columns` columns to the start of the fix pipe's table.
inline void LoadFactors(const AscendC::LocalTensor<uint64_t> &factors, uint32_t columns, Where where) {
  const uint32_t lines = static_cast<uint32_t>(CeilDivide(columns * sizeof(uint64_t), CopyUnit(Space::FB)));
  const AscendC::LocalTensor<uint64_t> table(AscendC::TPosition::C2PIPE2GM, 0,
                                             lines * CopyUnit(Space::FB) / sizeof(uint64_t));
  CopyBlocks("Fixpipe", Side<uint64_t>("dst", table), Side<uint64_t>("src", factors),
             {1, static_cast<uint16_t>(lines), 0, 0}, where);
  Core::Current().Barrier(Pipe::FIX, where);
  SetFactorTable(0);
}

}  // namespace sim

namespace AscendC {

template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
                               const FixpipeParamsV220 &intriParams, sim::Where where = sim::Where::Here()) {
  sim::SetFactor(intriParams);
  sim::FixpipeOut<T, U>(sim::Side<T>("dst", dst), src, config.format, intriParams, where);
}
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                               const FixpipeParamsV220 &intriParams, sim::Where where = sim::Where::Here()) {
  sim::CheckMemory(sim::Core::Current(), "Fixpipe", where, "dst", dst, {sim::Space::L1}, "GM or L1 (A1, B1)");
  sim::SetFactor(intriParams);
  sim::FixpipeOut<T, U>(sim::Side<T>("dst", dst), src, config.format, intriParams, where);
}

// Factors for each column: 64-bit words in L1, which are copied to the fix pipe's table first.
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
                               const LocalTensor<uint64_t> &cbufWorkspace,
                               const FixpipeParamsV220 &intriParams, sim::Where where = sim::Where::Here()) {
  sim::LoadFactors(cbufWorkspace, intriParams.nSize, where);
  Fixpipe<T, U, config>(dst, src, intriParams, where);
}
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                               const LocalTensor<uint64_t> &cbufWorkspace,
                               const FixpipeParamsV220 &intriParams, sim::Where where = sim::Where::Here()) {
  sim::LoadFactors(cbufWorkspace, intriParams.nSize, where);
  Fixpipe<T, U, config>(dst, src, intriParams, where);
}

// The registers of the way out of L0C: matrices of NZ to ND, the factor for all columns, and where the fix
// pipe's table has factors of columns.
__aicore__ inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride) {
  sim::Core::Current().registers.matrices =
      uint64_t{ndNum} | uint64_t{srcNdStride} << 16 | uint64_t{dstNdStride} << 32;
}
__aicore__ inline void SetFixpipePreQuantFlag(uint64_t config) {
  sim::Core::Current().registers.factor = config;
}
template <typename T>
__aicore__ inline void SetFixPipeConfig(const LocalTensor<T> &reluPre, const LocalTensor<T> &quantPre,
                                        bool isUnitFlag = false) {
  sim::SetFactorTable(reluPre.GetPhyAddr() / 64 | quantPre.GetPhyAddr() / 128 << 8 |
                      uint64_t{isUnitFlag} << 63);
}
template <typename T, bool setRelu = false>
__aicore__ inline void SetFixPipeConfig(const LocalTensor<T> &preTensor, bool isUnitFlag = false) {
  sim::SetFactorTable((setRelu ? preTensor.GetPhyAddr() / 64 : preTensor.GetPhyAddr() / 128 << 8) |
                      uint64_t{isUnitFlag} << 63);
}

// Fixpipe with the parameters of DataCopy.
template <typename T, typename U>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
                                const DataCopyCO12DstParams &intriParams,
                                sim::Where where = sim::Where::Here()) {
  sim::FixpipeByRegisters<T, U>(sim::Side<T>("dst", dst), src, sim::AsFixpipe(intriParams),
                                intriParams.reluPre, intriParams.nz2ndEn, where);
}
template <typename T, typename U>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                                const DataCopyCO12DstParams &intriParams,
                                sim::Where where = sim::Where::Here()) {
  sim::CheckMemory(sim::Core::Current(), "DataCopy", where, "dst", dst, {sim::Space::L1},
                   "GM or L1 (A1, B1)");
  sim::FixpipeByRegisters<T, U>(sim::Side<T>("dst", dst), src, sim::AsFixpipe(intriParams),
                                intriParams.reluPre, intriParams.nz2ndEn, where);
}

}  // namespace AscendC
