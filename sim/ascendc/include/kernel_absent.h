// SPDX-License-Identifier: Apache-2.0
// Documented names of AscendC that the simulated device does not have, and why. To use one is a compile error
// that says so. docs/simulator_api.md lists what there is.
#pragma once

namespace sim {

template <auto...>
constexpr bool kModelled = false;
template <typename...>
constexpr bool kModelledType = false;

}  // namespace sim

#define SIM_ABSENT_TEXT(Name, why) \
  "AscendC::" #Name " is not modelled by the simulated device: " why "; docs/simulator_api.md lists what is"

// Takes any arguments, after up to three types and any values as template arguments. An overload of the
// kernel's own is preferred.
#define SIM_ABSENT(Name, why)                                                \
  template <typename... Types>                                               \
  int Name(...) {                                                            \
    static_assert(sim::kModelledType<Types...>, SIM_ABSENT_TEXT(Name, why)); \
    return 0;                                                                \
  }                                                                          \
  template <auto value, auto... values>                                      \
  int Name(...) {                                                            \
    static_assert(sim::kModelled<value>, SIM_ABSENT_TEXT(Name, why));        \
    return 0;                                                                \
  }                                                                          \
  template <typename T, auto value, auto... values>                          \
  int Name(...) {                                                            \
    static_assert(sim::kModelledType<T>, SIM_ABSENT_TEXT(Name, why));        \
    return 0;                                                                \
  }                                                                          \
  template <typename T, typename U, auto value, auto... values>              \
  int Name(...) {                                                            \
    static_assert(sim::kModelledType<T>, SIM_ABSENT_TEXT(Name, why));        \
    return 0;                                                                \
  }                                                                          \
  template <typename T, typename U, typename V, auto value, auto... values>  \
  int Name(...) {                                                            \
    static_assert(sim::kModelledType<T>, SIM_ABSENT_TEXT(Name, why));        \
    return 0;                                                                \
  }
#define SIM_ABSENT_CLASS(Name, why)                                          \
  template <typename... Types>                                               \
  class Name {                                                               \
    static_assert(sim::kModelledType<Types...>, SIM_ABSENT_TEXT(Name, why)); \
                                                                             \
   public:                                                                   \
    template <typename... Arguments>                                         \
    Name(Arguments &&...) {}                                                 \
  };

namespace AscendC {

// High-level: convolution
SIM_ABSENT_CLASS(Conv3D, "Matmul, LoadData and Mmad are, convolutions are not")
SIM_ABSENT_CLASS(Conv3DBackpropFilter, "Matmul, LoadData and Mmad are, convolutions are not")
SIM_ABSENT_CLASS(Conv3DBackpropInput, "Matmul, LoadData and Mmad are, convolutions are not")

// High-level: communication
SIM_ABSENT_CLASS(Hccl, "it moves data between devices, and the simulated device is one")

}  // namespace AscendC

#undef SIM_ABSENT_CLASS
#undef SIM_ABSENT
#undef SIM_ABSENT_TEXT
