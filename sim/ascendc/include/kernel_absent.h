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
SIM_ABSENT_CLASS(KfcWorkspace)

// Vector: arithmetic

// Vector: compound arithmetic

// Cube: products

// Cube: results

// Cube: loads
SIM_ABSENT(LoadImageToLocal)
SIM_ABSENT(SetAippFunctions)

// High-level: convolution
SIM_ABSENT_CLASS(Conv3D)
SIM_ABSENT_CLASS(Conv3DBackpropFilter)
SIM_ABSENT_CLASS(Conv3DBackpropInput)

// High-level: communication
SIM_ABSENT_CLASS(Hccl)

}  // namespace AscendC

#undef SIM_ABSENT_CLASS
#undef SIM_ABSENT
#undef SIM_ABSENT_TEXT
