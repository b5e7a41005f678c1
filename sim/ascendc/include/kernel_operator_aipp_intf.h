// SPDX-License-Identifier: Apache-2.0
// Pictures that are prepared on their way from GM to L1 (sim/aipp.h).
#pragma once

#include "kernel_struct_aipp.h"
#include "kernel_tensor.h"
#include "sim/aipp.h"

namespace AscendC {

// `src1`: U and V of a picture of YUV420SP.
template <typename T, typename U>
__aicore__ inline void SetAippFunctions(const GlobalTensor<T> &src0, const GlobalTensor<T> &src1,
                                        AippInputFormat format, AippParams<U> config,
                                        sim::Where where = sim::Where::Here()) {
  static_assert(std::is_same_v<T, uint8_t>, "SetAippFunctions: pictures have elements of uint8_t");
  static_assert(std::is_same_v<U, int8_t> || std::is_same_v<U, half>,
                "SetAippFunctions: Atlas A2 gives int8_t or half");
  const auto first = reinterpret_cast<uint64_t>(src0.GetPhyAddr());
  const auto second = reinterpret_cast<uint64_t>(src1.GetPhyAddr());
  sim::CheckAippSource("src0", first, format, where);
  if (format == AippInputFormat::YUV420SP_U8) sim::CheckAippSource("src1", second, format, where);
  sim::SetAipp(first, second, format, config);
}
template <typename T, typename U>
__aicore__ inline void SetAippFunctions(const GlobalTensor<T> &src0, AippInputFormat format,
                                        AippParams<U> config, sim::Where where = sim::Where::Here()) {
  SetAippFunctions(src0, GlobalTensor<T>{}, format, config, where);
}

template <typename T>
__aicore__ inline void LoadImageToLocal(const LocalTensor<T> &dst,
                                        const LoadImageToLocalParams &loadDataParams,
                                        sim::Where where = sim::Where::Here()) {
  static_assert(std::is_same_v<T, int8_t> || std::is_same_v<T, half>,
                "LoadImageToLocal: Atlas A2 gives int8_t or half");
  sim::LoadPicture(sim::Side<T>("dst", dst), loadDataParams, where);
}

}  // namespace AscendC
