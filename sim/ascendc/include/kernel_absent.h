// SPDX-License-Identifier: Apache-2.0
// Documented names of AscendC that the simulated device does not have. To use one is a compile error that
// says so by name. docs/simulator_api.md lists what there is.
#pragma once

namespace sim {

template <auto...>
constexpr bool kModelled = false;
template <typename...>
constexpr bool kModelledType = false;

}  // namespace sim

#define SIM_ABSENT_TEXT(Name) \
  "AscendC::" #Name " is not modelled by the simulated device; docs/simulator_api.md lists what is"

// Takes any arguments, after up to three types and any values as template arguments. An overload of the
// kernel's own is preferred.
#define SIM_ABSENT(Name)                                                    \
  template <typename... Types>                                              \
  int Name(...) {                                                           \
    static_assert(sim::kModelledType<Types...>, SIM_ABSENT_TEXT(Name));     \
    return 0;                                                               \
  }                                                                         \
  template <auto value, auto... values>                                     \
  int Name(...) {                                                           \
    static_assert(sim::kModelled<value>, SIM_ABSENT_TEXT(Name));            \
    return 0;                                                               \
  }                                                                         \
  template <typename T, auto value, auto... values>                         \
  int Name(...) {                                                           \
    static_assert(sim::kModelledType<T>, SIM_ABSENT_TEXT(Name));            \
    return 0;                                                               \
  }                                                                         \
  template <typename T, typename U, auto value, auto... values>             \
  int Name(...) {                                                           \
    static_assert(sim::kModelledType<T>, SIM_ABSENT_TEXT(Name));            \
    return 0;                                                               \
  }                                                                         \
  template <typename T, typename U, typename V, auto value, auto... values> \
  int Name(...) {                                                           \
    static_assert(sim::kModelledType<T>, SIM_ABSENT_TEXT(Name));            \
    return 0;                                                               \
  }
#define SIM_ABSENT_CLASS(Name)                                          \
  template <typename... Types>                                          \
  class Name {                                                          \
    static_assert(sim::kModelledType<Types...>, SIM_ABSENT_TEXT(Name)); \
                                                                        \
   public:                                                              \
    template <typename... Arguments>                                    \
    Name(Arguments &&...) {}                                            \
  };

namespace AscendC {

// Groups of cube cores
SIM_ABSENT_CLASS(CubeResGroupHandle)
SIM_ABSENT_CLASS(GroupBarrier)
SIM_ABSENT_CLASS(KfcWorkspace)

// Vector: arithmetic

// Vector: compound arithmetic

// Special registers
SIM_ABSENT(GetSaturationFlag)
SIM_ABSENT(SetSaturationFlag)

// Cube: products
SIM_ABSENT(MmadWithSparse)

// Cube: results

// Cube: loads
SIM_ABSENT(LoadImageToLocal)
SIM_ABSENT(SetAippFunctions)
SIM_ABSENT(SetLoadDataBoundary)
SIM_ABSENT(LoadDataWithSparse)

// Debugging on the CPU
SIM_ABSENT(GmAlloc)
SIM_ABSENT(GmFree)
SIM_ABSENT(SetKernelMode)

// Descriptions of tensors
SIM_ABSENT(MakeTensorTrait)
SIM_ABSENT_CLASS(TensorTrait)
SIM_ABSENT(is_tensorTrait)

// High-level: convolution
SIM_ABSENT_CLASS(Conv3D)
SIM_ABSENT_CLASS(Conv3DBackpropFilter)
SIM_ABSENT_CLASS(Conv3DBackpropInput)

// High-level: communication
SIM_ABSENT_CLASS(Hccl)

}  // namespace AscendC

#undef SIM_ABSENT_CLASS
#undef SIM_ABSENT

// Macros.
#define SIM_ABSENT_MACRO(Name) static_assert(false, SIM_ABSENT_TEXT(Name))
#define COPY_TILING_WITH_ARRAY(...) SIM_ABSENT_MACRO(COPY_TILING_WITH_ARRAY)
#define COPY_TILING_WITH_STRUCT(...) SIM_ABSENT_MACRO(COPY_TILING_WITH_STRUCT)
#define EXTERN_IMPL_BUFPOOL(...) SIM_ABSENT_MACRO(EXTERN_IMPL_BUFPOOL)
#define GET_TILING_DATA_PTR_WITH_STRUCT(...) SIM_ABSENT_MACRO(GET_TILING_DATA_PTR_WITH_STRUCT)
#define ICPU_RUN_KF(...) SIM_ABSENT_MACRO(ICPU_RUN_KF)
#define MATMUL_POLICY_DEFAULT_OF(...) SIM_ABSENT_MACRO(MATMUL_POLICY_DEFAULT_OF)
#define REGISTER_NONE_TILING(...) SIM_ABSENT_MACRO(REGISTER_NONE_TILING)
#define TILING_KEY_LIST(...) SIM_ABSENT_MACRO(TILING_KEY_LIST)
