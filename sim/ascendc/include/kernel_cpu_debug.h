// SPDX-License-Identifier: Apache-2.0
// CANN's way to run a kernel on a CPU: memory that the host and the kernel share, and a macro that runs a
// kernel to its end. It is for programs (sim/program.h), whose library defines these functions.
#pragma once

#include <cstddef>
#include <cstdint>

enum class KernelMode { MIX_MODE = 0, AIC_MODE, AIV_MODE };

namespace AscendC {

void *GmAlloc(size_t size);
void GmFree(void *ptr);
// The cores of the kernels that run next. Without it they are those that the source gives the kernel.
void SetKernelMode(KernelMode mode);

}  // namespace AscendC

#define ICPU_SET_TILING_KEY(tilingKey) ::sim::program::SetTilingKey(tilingKey)
#define ICPU_RUN_KF(func, numBlocks, ...) ::sim::program::RunOnCpu(func, #func, numBlocks, ##__VA_ARGS__)
