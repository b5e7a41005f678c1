// SPDX-License-Identifier: Apache-2.0
// The cube unit: loads into L0A and L0B, the matrix product into L0C.
#pragma once

#include "kernel_struct_mm.h"
#include "sim/fill.h"
#include "sim/fractals.h"
#include "sim/img2col.h"
#include "sim/mmad.h"
#include "sim/sparse.h"

namespace AscendC {

template <typename T>
__aicore__ inline void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                const LoadData2DParams &loadDataParams,
                                sim::Where where = sim::Where::Here()) {
  sim::LoadFractals(dst, sim::Side<T>("dst", dst), sim::Side<T>("src", src), loadDataParams, where);
}
template <typename T>
__aicore__ inline void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                                const LoadData2DParams &loadDataParams,
                                sim::Where where = sim::Where::Here()) {
  sim::LoadFractals(dst, sim::Side<T>("dst", dst), sim::Side<T>("src", src), loadDataParams, where);
}

// A function of a later device.
template <typename Dst, typename Src>
__aicore__ inline void LoadData(const Dst &, const Src &, const LoadData2DParamsV2 &,
                                sim::Where where = sim::Where::Here()) {
  sim::Core::Current().Fail(sim::FaultKind::kType, "LoadData", where,
                            "Atlas A2 does not take LoadData2DParamsV2, but LoadData2DParams");
}

template <typename T>
__aicore__ inline void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                             const LoadData2dTransposeParams &loadDataParams,
                                             sim::Where where = sim::Where::Here()) {
  sim::LoadSquares(dst, src, sim::Side<T>("dst", dst), sim::Side<T>("src", src), loadDataParams, where,
                   std::is_same_v<T, int4b_t>);
}

// Loads stored values of a sparse right factor, and their index (sim/sparse.h).
template <typename T = int8_t, typename U = uint8_t>
__aicore__ inline void LoadDataWithSparse(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                          const LocalTensor<U> &idx, const LoadData2DParams &loadDataParam,
                                          sim::Where where = sim::Where::Here()) {
  static_assert(std::is_same_v<T, int8_t> && std::is_same_v<U, uint8_t>,
                "LoadDataWithSparse loads int8_t with an index of uint8_t");
  sim::LoadSparse(dst, sim::Side<T>("dst", dst), sim::Side<T>("src", src), idx, loadDataParam, where);
}

// Sizes and padding of the image for LoadData of an image, the value of the padding, and repeats.
__aicore__ inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4],
                                  const FmatrixMode &fmatrixMode) {
  sim::Core::Current().registers.image[fmatrixMode == FmatrixMode::FMATRIX_RIGHT ? 1 : 0] =
      sim::ImageWord(l1H, l1W, padList);
}
template <typename T>
__aicore__ inline void SetLoadDataPaddingValue(const T padValue) {
  uint64_t &word = sim::Core::Current().registers.image_padding;
  word = 0;
  std::memcpy(&word, &padValue, sizeof(T));
  if constexpr (std::is_same_v<T, int4b_t>) word = (word & 0xF) * 0x11;  // both halves of the byte
}
__aicore__ inline void SetLoadDataRepeat(const LoadDataRepeatParam &repeatParams) {
  sim::Core::Current().registers.image_repeats = uint64_t{repeatParams.repeatStride} |
                                                 uint64_t{repeatParams.repeatTime} << 16 |
                                                 uint64_t{repeatParams.repeatMode} << 24;
}

// L1 ends at this byte for LoadData of an image, which goes on at the first byte of L1. 0: all of L1.
__aicore__ inline void SetLoadDataBoundary(uint32_t boundaryValue, sim::Where where = sim::Where::Here()) {
  sim::SetImageBoundary(boundaryValue, where);
}

template <typename T, const IsResetLoad3dConfig &defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG>
__aicore__ inline void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                const LoadData3DParamsV2<T> &loadDataParams,
                                sim::Where where = sim::Where::Here()) {
  const LoadData3DParamsV2<T> &p = loadDataParams;
  if (defaultConfig.isSetFMatrix) SetFmatrix(p.l1H, p.l1W, p.padList, FmatrixMode(p.fMatrixCtrl));
  if (defaultConfig.isSetPadding) SetLoadDataPaddingValue(p.padValue);
  const auto filter_w = static_cast<uint16_t>(p.filterW + (p.filterSizeW ? 256 : 0));
  const auto filter_h = static_cast<uint16_t>(p.filterH + (p.filterSizeH ? 256 : 0));
  const auto channels = sim::MovedChannels<T>;
  sim::LoadImage(
      sim::Side<T>("dst", dst), sim::Side<T>("src", src),
      {channels(p.kExtension), p.mExtension, channels(p.kStartPt), p.mStartPt, p.strideW, p.strideH, filter_w,
       filter_h, p.dilationFilterW, p.dilationFilterH, p.enTranspose, p.fMatrixCtrl, channels(p.channelSize)},
      where);
}
template <typename T>
__aicore__ inline void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                const LoadData3DParamsV2Pro &loadDataParams,
                                sim::Where where = sim::Where::Here()) {
  const LoadData3DParamsV2Pro &p = loadDataParams;
  const auto channels = sim::MovedChannels<T>;
  const auto half_word = [&](int n) { return static_cast<uint16_t>(p.extConfig >> 16 * n); };
  const auto byte = [&](int n) { return static_cast<uint8_t>(p.filterConfig >> 8 * n); };
  const auto filter_w = static_cast<uint16_t>(byte(2) + (p.filterSizeW ? 256 : 0));
  const auto filter_h = static_cast<uint16_t>(byte(3) + (p.filterSizeH ? 256 : 0));
  sim::LoadImage(
      sim::Side<T>("dst", dst), sim::Side<T>("src", src),
      {channels(half_word(0)), half_word(1), channels(half_word(2)), half_word(3), byte(0), byte(1), filter_w,
       filter_h, byte(4), byte(5), p.enTranspose, p.fMatrixCtrl, channels(p.channelSize)},
      where);
}

// Fills blocks of L1, L0A or L0B with one value.
template <typename T>
__aicore__ inline void Fill(const LocalTensor<T> &dst, const InitConstValueParams<T> &initConstValueParams,
                            sim::Where where = sim::Where::Here()) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Fill: element type not available on Atlas A2");
  const InitConstValueParams<T> &p = initConstValueParams;
  sim::CheckMemory(sim::Core::Current(), "Fill", where, "dst", dst,
                   {sim::Space::L1, sim::Space::L0A, sim::Space::L0B}, "L1 (A1, B1), L0A (A2) or L0B (B2)");
  sim::FillBlocks(sim::Side<T>("dst", dst), &p.initValue, {p.repeatTimes, p.blockNum, p.dstGap}, where);
}
template <typename T>
__aicore__ inline void InitConstValue(const LocalTensor<T> &dst,
                                      const InitConstValueParams<T> &initConstValueParams,
                                      sim::Where where = sim::Where::Here()) {
  Fill(dst, initConstValueParams, where);
}

// dst (m x n) = fm (m x k) x filter (k x n), added to what dst holds where cmatrixInitVal is false.
template <typename T, typename U, typename S>
__aicore__ inline void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
                            const MmadParams &mmadParams, sim::Where where = sim::Where::Here()) {
  constexpr sim::CubeKind kind = sim::CubeKindOf<T, U, S>();
  sim::LocalTensorBase table;  // the start of the bias table
  table.space = sim::Space::BT;
  table.bytes = sim::Core::Current().BytesOf(sim::Space::BT);
  const bool biased = !mmadParams.cmatrixInitVal && mmadParams.cmatrixSource;
  sim::Multiply(kind, dst, fm, filter, biased ? &table : nullptr, mmadParams, where);
}

// The same product, added to the bias of n values in each row.
template <typename T, typename U, typename S, typename V>
__aicore__ inline void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
                            const LocalTensor<V> &bias, const MmadParams &mmadParams,
                            sim::Where where = sim::Where::Here()) {
  constexpr sim::CubeKind kind = std::is_same_v<T, V> ? sim::CubeKindOf<T, U, S>() : sim::CubeKind::kNone;
  sim::Multiply(kind, dst, fm, filter, &bias, mmadParams, where);
}

// The product with a filter of k / 2 x n stored values, whose index LoadDataWithSparse has loaded.
template <typename T = int32_t, typename U = int8_t>
__aicore__ inline void MmadWithSparse(const LocalTensor<T> &dst, const LocalTensor<U> &fm,
                                      const LocalTensor<U> &filter, const MmadParams &mmadParams,
                                      sim::Where where = sim::Where::Here()) {
  static_assert(std::is_same_v<T, int32_t> && std::is_same_v<U, int8_t>,
                "MmadWithSparse multiplies int8_t to int32_t");
  sim::Multiply(sim::CubeKind::kInt8, dst, fm, filter, nullptr, mmadParams, where, true);
}

enum class HF32Mode { ENABLE, DISABLE };
enum class HF32TransMode { NEAREST_ZERO, NEAREST_EVEN };  // how ties are rounded

__aicore__ inline void SetHF32Mode(HF32Mode mode) {
  sim::Core::Current().registers.SetControl(sim::kControlHf32, mode == HF32Mode::ENABLE);
}
__aicore__ inline void SetHF32Mode(bool hf32Mode) {
  sim::Core::Current().registers.SetControl(sim::kControlHf32, hf32Mode);
}
__aicore__ inline void SetHF32TransMode(HF32TransMode mode) {
  sim::Core::Current().registers.SetControl(sim::kControlHf32ToZero, mode == HF32TransMode::NEAREST_ZERO);
}
__aicore__ inline void SetHF32TransMode(bool hf32TransMode) {
  sim::Core::Current().registers.SetControl(sim::kControlHf32ToZero, hf32TransMode);
}

// The order in which a product fills L0C: no result depends on it.
__aicore__ inline void SetMMRowMajor() {}
__aicore__ inline void SetMMColumnMajor() {}

}  // namespace AscendC
