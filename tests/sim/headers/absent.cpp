// SPDX-License-Identifier: Apache-2.0
// A library with two faults: it calls an intrinsic that is declared and not defined, as those of absent.h
// are, and one for a type of elements that the hardware has not.
#include "kernels.h"

#include "compiler/kernel_library.h"

template <typename... Arguments>
int64_t vno_such_instruction(Arguments...);

inline void CallsAbsent(void *const *) {
  vno_such_instruction(reinterpret_cast<__ubuf__ float *>(64), 1);
  vadd(reinterpret_cast<__ubuf__ double *>(64), reinterpret_cast<__ubuf__ double *>(64),
       reinterpret_cast<__ubuf__ double *>(64), 1, 1, 1, 1, 8, 8, 8);
}

inline constexpr sim::Kernel kAbsent[] = {{"small_add", CallsAbsent, sim::KernelType::kVector}};

SIM_KERNEL_LIBRARY(kAbsent)
