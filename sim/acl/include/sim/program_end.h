// SPDX-License-Identifier: Apache-2.0
// What `avo sim build` puts behind a source with kernels that is compiled against CANN's own headers.
#pragma once

#include "kernel_operator.h"

#include "compiler/kernel_library.h"
#include "engine/positions.h"

namespace sim::program {

static void SetWorkspaceOfCore(void *workspace) { SetWorkspace(workspace); }

__attribute__((constructor)) static void TellHeaderFolders() {
  RegisterKernels({nullptr, 0, kCubeCode, SetWorkspace, SIM_HEADER_FOLDERS, kKernelLibraryHeader, kMarked});
}

template <typename T>
void Dump(const AscendC::LocalTensor<T> &tensor, uint32_t desc, uint32_t offset, uint32_t count,
          const std::vector<uint32_t> &shape) {
  const auto space = SpaceOf(static_cast<AscendC::TPosition>(tensor.GetPosition()));
  DumpElements<T>(space, reinterpret_cast<uint64_t>(tensor.GetPhyAddr(offset)), desc, count, shape);
}
template <typename T>
void Dump(const AscendC::GlobalTensor<T> &tensor, uint32_t desc, uint32_t offset, uint32_t count,
          const std::vector<uint32_t> &shape) {
  DumpElements<T>(Space::GM, reinterpret_cast<uint64_t>(tensor.GetPhyAddr(offset)), desc, count, shape);
}

template <typename Tensor>
void DumpTensor(const Tensor &tensor, uint32_t desc, uint32_t count) {
  Dump(tensor, desc, 0, count, {});
}
template <typename Tensor, typename Shape>
void DumpTensor(const Tensor &tensor, uint32_t desc, uint32_t count, const Shape &shape) {
  Dump(tensor, desc, 0, count, {shape.shape, shape.shape + shape.shapeDim});
}
template <typename Tensor>
void DumpAccChkPoint(const Tensor &tensor, uint32_t desc, uint32_t offset, uint32_t count) {
  Dump(tensor, desc, offset, count, {});
}

}  // namespace sim::program
