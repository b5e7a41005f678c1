// SPDX-License-Identifier: Apache-2.0
// The cases are written in AscendC as CANN 9 has it. They are also compiled against CANN's own headers of any
// version (SIM_CANN_HEADERS). This file has what differs: how a tensor at a plain address is made, and
// functions that CANN 8.1 has under an older name. A case for what 8.1 does not have at all stands in `#if
// !SIM_OLDER_API`; its tests are skipped.
#pragma once

#include "include/sim/cast_modes.h"

#if defined(SIM_CANN_HEADERS) && __has_include("interface/kernel_operator_intf.h")
#define SIM_OLDER_API 1  // the layout of folders of CANN 8.1
#else
#define SIM_OLDER_API 0
#endif

// A tensor of `elements` elements at byte `address` of the memory of a position.
template <typename T>
AscendC::LocalTensor<T> LocalAt(AscendC::TPosition position, uint32_t address, uint32_t elements) {
#ifdef SIM_CANN_HEADERS
  AscendC::TBuffAddr place{};
  place.logicPos = static_cast<uint8_t>(position);
  place.bufferAddr = address;
  place.dataLen = elements * sizeof(T);
  AscendC::LocalTensor<T> tensor;
  tensor.SetAddr(place);
  return tensor;
#else
  return {position, address, elements};
#endif
}

#if SIM_OLDER_API
namespace AscendC {

template <typename T>
T GetReduceRepeatSumSpr() {
  return GetAccVal<T>();
}
template <typename T>
void GetReduceRepeatMaxMinSpr(T &value, T &index) {
  GetReduceMaxMinCount<T>(value, index);
}
enum class HF32Mode { DISABLE, ENABLE };
inline void SetHF32Mode(HF32Mode mode) { SetHF32Mode(mode == HF32Mode::ENABLE); }
template <typename... Arguments>
void Compares(Arguments &&...arguments) {
  CompareScalar(static_cast<Arguments &&>(arguments)...);
}

}  // namespace AscendC
#endif
