// SPDX-License-Identifier: Apache-2.0
// What CANN's build scripts generate around a kernel: access to tiling data, the tiling key, the kernel type.
// For kernels that are compiled against CANN's own headers; the definitions are in kernel_scope.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "include/sim/tiling_class.h"

namespace sim {

uint64_t TilingKeyOfLaunch();
bool TilingKeyOfLaunchIn(std::initializer_list<uint64_t> keys);
// Copies tiling data out of global memory, as the scalar unit does.
void LoadTilingData(void *into, const __gm__ void *tiling, size_t bytes);
// The same where the data may have been copied to the core before.
void CopyTilingData(void *into, const void *from, size_t bytes);
// Says whether an address lies in global memory.
bool IsGlobal(const void *address);
template <typename T>
void GetTiling(T *into, const __gm__ void *tiling) {
  FillTiling(into, [&](void *bytes, size_t count) { LoadTilingData(bytes, tiling, count); });
}
template <typename T>
void CopyTilingStruct(T *into, const void *from) {
  if (IsGlobal(from)) {
    GetTiling(into, from);
  } else {
    CopyTilingOnCore(into, from);
  }
}
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
  ::sim::GetTiling(&tiling_data, tiling_arg)

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
  ::sim::GetTiling(&var, (tiling_arg) + ::sim::TilingOffset<tiling_struct>(&tiling_struct::member))

#undef TILING_KEY_LIST
#define TILING_KEY_LIST(...) (::sim::TilingKeyOfLaunchIn({__VA_ARGS__}))
#undef REGISTER_NONE_TILING
#define REGISTER_NONE_TILING

// Pointers to tiling data, which are copied to the core at once.
#undef __tiling_data_ptr__
#define __tiling_data_ptr__ const
#undef GET_TILING_DATA_PTR_WITH_STRUCT
#define GET_TILING_DATA_PTR_WITH_STRUCT(tiling_struct, dst_ptr, tiling_ptr) \
  tiling_struct sim_tiling_##dst_ptr;                                       \
  ::sim::GetTiling(&sim_tiling_##dst_ptr, tiling_ptr);                      \
  const tiling_struct *dst_ptr = &sim_tiling_##dst_ptr
#undef COPY_TILING_WITH_STRUCT
#define COPY_TILING_WITH_STRUCT(tiling_struct, src_ptr, dst_ptr) \
  tiling_struct sim_tiling_##dst_ptr;                            \
  ::sim::CopyTilingStruct(&sim_tiling_##dst_ptr, src_ptr);       \
  const tiling_struct *dst_ptr = &sim_tiling_##dst_ptr
#undef COPY_TILING_WITH_ARRAY
#define COPY_TILING_WITH_ARRAY(arr_type, arr_count, src_ptr, dst_ptr)                 \
  arr_type sim_tiling_##dst_ptr[arr_count];                                           \
  ::sim::CopyTilingData(sim_tiling_##dst_ptr, src_ptr, sizeof(sim_tiling_##dst_ptr)); \
  const arr_type(*dst_ptr)[arr_count] = &sim_tiling_##dst_ptr

#undef KERNEL_TASK_TYPE_DEFAULT
#define KERNEL_TASK_TYPE_DEFAULT(value) \
  ::sim::SetCoresAlone((value) == KERNEL_TYPE_AIV_ONLY || (value) == KERNEL_TYPE_AIC_ONLY)
#undef KERNEL_TASK_TYPE
#define KERNEL_TASK_TYPE(key, value) \
  if (TILING_KEY_IS(key)) KERNEL_TASK_TYPE_DEFAULT(value)
