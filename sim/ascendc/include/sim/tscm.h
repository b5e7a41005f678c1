// SPDX-License-Identifier: Apache-2.0
// TSCM: L1 of the cube core, as its vector cores see it. They have no L1, so that the cube core of the block
// makes their copies, between calls of Matmul (engine/cube_service.h). What comes from UB takes the way
// through GM.
//
//   L1   |buffers of Matmul              |TSCM of vector core 1|TSCM of vector core 0|
//         half of it                      a quarter             a quarter
#pragma once

#include "../../engine/cube_service.h"
#include "../kernel_operator_data_copy_intf.h"

namespace sim {

// Sends a call after what MTE3 and S have done.
CubeCallPtr SendOrdered(uint32_t object, CubeCallBody body, const char *name, Where where);

// The place of a tensor of a vector core in L1 of the cube core.
LocalTensorBase PlaceOnCubeCore(const LocalTensorBase &tensor, const char *name, Where where);
template <typename T>
AscendC::LocalTensor<T> OnCubeCore(const AscendC::LocalTensor<T> &tensor, const char *name, Where where) {
  return AscendC::LocalTensor<T>(PlaceOnCubeCore(tensor, name, where));
}

// Copies a tensor from UB to GM, after what the vector unit has done.
template <typename T>
void CopyFromUb(const AscendC::GlobalTensor<T> &gm, const AscendC::LocalTensor<T> &tensor, Where where) {
  Core &core = Core::Current();
  const int32_t id = core.FetchEventId(Pipe::V, Pipe::MTE3, where);
  core.SetFlag(Pipe::V, Pipe::MTE3, id, where);
  core.WaitFlag(Pipe::V, Pipe::MTE3, id, where);
  const auto blocks = static_cast<uint16_t>(tensor.bytes / kBlockBytes);
  AscendC::DataCopy(gm, tensor, AscendC::DataCopyParams(1, blocks, 0, 0), where);
}

}  // namespace sim
