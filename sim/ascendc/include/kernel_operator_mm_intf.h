// SPDX-License-Identifier: Apache-2.0
// The cube unit: loads into L0A and L0B, the matrix product into L0C.
#pragma once

#include "kernel_struct_mm.h"
#include "sim/fractals.h"
#include "sim/mmad.h"

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

template <typename T>
__aicore__ inline void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                             const LoadData2dTransposeParams &loadDataParams,
                                             sim::Where where = sim::Where::Here()) {
  sim::LoadSquares(dst, src, sim::Side<T>("dst", dst), sim::Side<T>("src", src), loadDataParams, where);
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

enum class HF32Mode { ENABLE, DISABLE };
enum class HF32TransMode { NEAREST_ZERO, NEAREST_EVEN };  // how ties are rounded

__aicore__ inline void SetHF32Mode(HF32Mode mode) {
  sim::Core::Current().registers.hf32 = mode == HF32Mode::ENABLE;
}
__aicore__ inline void SetHF32Mode(bool hf32Mode) { sim::Core::Current().registers.hf32 = hf32Mode; }
__aicore__ inline void SetHF32TransMode(HF32TransMode mode) {
  sim::Core::Current().registers.hf32_to_zero = mode == HF32TransMode::NEAREST_ZERO;
}
__aicore__ inline void SetHF32TransMode(bool hf32TransMode) {
  sim::Core::Current().registers.hf32_to_zero = hf32TransMode;
}

// The order in which a product fills L0C: no result depends on it.
__aicore__ inline void SetMMRowMajor() {}
__aicore__ inline void SetMMColumnMajor() {}

}  // namespace AscendC
