// SPDX-License-Identifier: Apache-2.0
// What CANN's build scripts generate around a kernel: access to tiling data, the tiling key, the kernel type.
// For kernels that are compiled against CANN's own headers; the definitions are in kernel_scope.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim {

uint64_t TilingKeyOfLaunch();
// Copies tiling data out of global memory, as the scalar unit does.
void LoadTilingData(void *into, const __gm__ void *tiling, size_t bytes);
// Says whether the cores of this kernel type may meet: KERNEL_TYPE_AIV_ONLY and KERNEL_TYPE_AIC_ONLY may not.
void SetCoresAlone(bool alone);
// Says whether the block of this core has vector cores.
bool HasVectorCores();

}  // namespace sim

#undef TILING_KEY_IS
#define TILING_KEY_IS(key) (::sim::TilingKeyOfLaunch() == static_cast<uint64_t>(key))

#undef GET_TILING_DATA_WITH_STRUCT
#define GET_TILING_DATA_WITH_STRUCT(tiling_struct, tiling_data, tiling_arg) \
  tiling_struct tiling_data;                                                \
  ::sim::LoadTilingData(&tiling_data, tiling_arg, sizeof(tiling_struct))

#undef REGISTER_TILING_DEFAULT
#define REGISTER_TILING_DEFAULT(tiling_struct) using AscendcDefaultTiling [[maybe_unused]] = tiling_struct
#undef REGISTER_TILING_FOR_TILINGKEY
#define REGISTER_TILING_FOR_TILINGKEY(expression, tiling_struct) static_assert(sizeof(tiling_struct) > 0)
#undef GET_TILING_DATA
#define GET_TILING_DATA(tiling_data, tiling_arg) \
  GET_TILING_DATA_WITH_STRUCT(AscendcDefaultTiling, tiling_data, tiling_arg)
#undef GET_TILING_DATA_MEMBER
#define GET_TILING_DATA_MEMBER(tiling_struct, member, var, tiling_arg) \
  decltype(tiling_struct::member) var;                                 \
  ::sim::LoadTilingData(&var, (tiling_arg) + offsetof(tiling_struct, member), sizeof(var))

#undef KERNEL_TASK_TYPE_DEFAULT
#define KERNEL_TASK_TYPE_DEFAULT(value) \
  ::sim::SetCoresAlone((value) == KERNEL_TYPE_AIV_ONLY || (value) == KERNEL_TYPE_AIC_ONLY)
#undef KERNEL_TASK_TYPE
#define KERNEL_TASK_TYPE(key, value) \
  if (TILING_KEY_IS(key)) KERNEL_TASK_TYPE_DEFAULT(value)
