// SPDX-License-Identifier: Apache-2.0
// Tiling data and keys, which CANN's kernel compiler puts before the source of an operator.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "../kernel_macros.h"
#include "operand.h"
#include "tiling_class.h"

namespace sim {

inline void LoadTiling(void *into, const void *tiling, size_t bytes, Where where) {
  Core &core = Core::Current();
  Instruction instruction;
  instruction.name = "GET_TILING_DATA";
  instruction.where = where;
  Operand source;
  source.name = "tiling";
  source.space = Space::GM;
  source.address = reinterpret_cast<uint64_t>(tiling);
  source.row_bytes = static_cast<uint32_t>(bytes);
  source.alignment = 1;
  instruction.Add(source);
  core.Issue(instruction);
  std::memcpy(into, core.Memory(Space::GM, source.address), bytes);
}

// Fills a struct, or a class of BEGIN_TILING_DATA_DEF, with tiling data in global memory.
template <typename T>
void GetTiling(T *into, const void *tiling, Where where) {
  FillTiling(into, [&](void *bytes, size_t count) { LoadTiling(bytes, tiling, count, where); });
}

// Copies a part of the tiling data: from global memory, or from what GET_TILING_DATA_PTR_WITH_STRUCT copied.
inline void CopyTiling(void *into, const void *from, size_t bytes, Where where) {
  if (Core::Current().InGlobalMemory(reinterpret_cast<uint64_t>(from))) {
    LoadTiling(into, from, bytes, where);
  } else {
    std::memcpy(into, from, bytes);
  }
}

template <typename T>
void CopyTilingStruct(T *into, const void *from, Where where) {
  if (Core::Current().InGlobalMemory(reinterpret_cast<uint64_t>(from))) {
    GetTiling(into, from, where);
  } else {
    CopyTilingOnCore(into, from);
  }
}

inline bool TilingKeyIn(std::initializer_list<uint64_t> keys) {
  return std::find(keys.begin(), keys.end(), Core::Current().TilingKey()) != keys.end();
}

}  // namespace sim

#define TILING_KEY_IS(key) (::sim::Core::Current().TilingKey() == static_cast<uint64_t>(key))
#define TILING_KEY_LIST(...) (::sim::TilingKeyIn({__VA_ARGS__}))

#define GET_TILING_DATA_WITH_STRUCT(tiling_struct, tiling_data, tiling_arg) \
  tiling_struct tiling_data;                                                \
  ::sim::GetTiling(&tiling_data, tiling_arg, ::sim::Where{__FILE__, __LINE__})

// Names the struct of GET_TILING_DATA, once at the start of the kernel.
#define REGISTER_TILING_DEFAULT(tiling_struct) using AscendcDefaultTiling [[maybe_unused]] = tiling_struct
#define REGISTER_TILING_FOR_TILINGKEY(expression, tiling_struct) static_assert(sizeof(tiling_struct) > 0)
#define GET_TILING_DATA(tiling_data, tiling_arg) \
  GET_TILING_DATA_WITH_STRUCT(AscendcDefaultTiling, tiling_data, tiling_arg)
#define GET_TILING_DATA_MEMBER(tiling_struct, member, var, tiling_arg)             \
  decltype(tiling_struct::member) var;                                             \
  ::sim::GetTiling(&var,                                                           \
                   reinterpret_cast<const uint8_t *>(tiling_arg) +                 \
                       ::sim::TilingOffset<tiling_struct>(&tiling_struct::member), \
                   ::sim::Where{__FILE__, __LINE__})

// The kernel reads its tiling data by pointers that it makes itself.
#define REGISTER_NONE_TILING

// Pointers to tiling data. The data are copied to the core at once, which no kernel can tell from reads of
// global memory.
#define __tiling_data_ptr__ const
#define GET_TILING_DATA_PTR_WITH_STRUCT(tiling_struct, dst_ptr, tiling_ptr)              \
  tiling_struct sim_tiling_##dst_ptr;                                                    \
  ::sim::GetTiling(&sim_tiling_##dst_ptr, tiling_ptr, ::sim::Where{__FILE__, __LINE__}); \
  const tiling_struct *dst_ptr = &sim_tiling_##dst_ptr
#define COPY_TILING_WITH_STRUCT(tiling_struct, src_ptr, dst_ptr)                             \
  tiling_struct sim_tiling_##dst_ptr;                                                        \
  ::sim::CopyTilingStruct(&sim_tiling_##dst_ptr, src_ptr, ::sim::Where{__FILE__, __LINE__}); \
  const tiling_struct *dst_ptr = &sim_tiling_##dst_ptr
#define COPY_TILING_WITH_ARRAY(arr_type, arr_count, src_ptr, dst_ptr)            \
  arr_type sim_tiling_##dst_ptr[arr_count];                                      \
  ::sim::CopyTiling(sim_tiling_##dst_ptr, src_ptr, sizeof(sim_tiling_##dst_ptr), \
                    ::sim::Where{__FILE__, __LINE__});                           \
  const arr_type(*dst_ptr)[arr_count] = &sim_tiling_##dst_ptr

// The launcher decides which cores start (sim::Kernel::type). This says whether they may meet.
#define KERNEL_TASK_TYPE_DEFAULT(value)     \
  static_assert((value) < KERNEL_TYPE_MAX); \
  ::sim::SetTaskType(value)
#define KERNEL_TASK_TYPE(key, value)        \
  static_assert((value) < KERNEL_TYPE_MAX); \
  if (TILING_KEY_IS(key)) ::sim::SetTaskType(value)

enum KernelMetaType : uint8_t {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
  KERNEL_TYPE_AICORE,
  KERNEL_TYPE_VECTORCORE,
  KERNEL_TYPE_MIX_AICORE,
  KERNEL_TYPE_MIX_VECTOR_CORE,
  KERNEL_TYPE_MAX,
};

namespace sim {

inline void SetTaskType(KernelMetaType type) {
  Core::Current().registers.alone = type == KERNEL_TYPE_AIV_ONLY || type == KERNEL_TYPE_AIC_ONLY;
}

}  // namespace sim

namespace AscendC {

// Returns the part of the workspace that belongs to the kernel: here all of it; with CANN what follows the
// part of the library.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }
// The part of the library, which nothing here needs. Kernels ask whether it is null, so that a kernel which
// nobody gave one gets an address that no access may use.
inline thread_local uint8_t *g_sysWorkspaceReserved = nullptr;
inline GM_ADDR GetSysWorkSpacePtr() {
  constexpr uint64_t kNoMemory = 64;
  return g_sysWorkspaceReserved != nullptr ? g_sysWorkspaceReserved : reinterpret_cast<GM_ADDR>(kNoMemory);
}
inline void SetSysWorkspace(GM_ADDR workspace) { g_sysWorkspaceReserved = workspace; }
inline void SetSysWorkspaceForce(GM_ADDR workspace) { g_sysWorkspaceReserved = workspace; }

}  // namespace AscendC

using AscendC::GetSysWorkSpacePtr;
