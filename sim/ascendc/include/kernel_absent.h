// SPDX-License-Identifier: Apache-2.0
// Documented names of AscendC that the simulated device does not have, and why. To use one is a compile error
// that says so. docs/simulator_api.md lists what there is.
#pragma once

namespace sim {

template <typename...>
constexpr bool kModelledType = false;

}  // namespace sim

// Takes any types, and is made of any arguments.
#define SIM_ABSENT_CLASS(Name, why)                                                  \
  template <typename... Types>                                                       \
  class Name {                                                                       \
    static_assert(sim::kModelledType<Types...>,                                      \
                  "AscendC::" #Name " is not modelled by the simulated device: " why \
                  "; docs/simulator_api.md lists what is");                          \
                                                                                     \
   public:                                                                           \
    template <typename... Arguments>                                                 \
    Name(Arguments &&...) {}                                                         \
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
