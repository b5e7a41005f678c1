// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"

struct FirstElementsTiling {
  uint32_t tensors;
  uint32_t count;
};

extern "C" __global__ __aicore__ void first_elements(GM_ADDR x, GM_ADDR count, GM_ADDR rows,
                                                     GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(FirstElementsTiling, data, tiling);
  AscendC::TPipe pipe;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, data.count * sizeof(float));
  AscendC::ListTensorDesc list(x);
  AscendC::GlobalTensor<float> from, to;
  to.SetGlobalBuffer((__gm__ float *)rows, data.tensors * data.count);
  for (uint32_t i = 0; i < data.tensors; ++i) {
    from.SetGlobalBuffer(list.GetDataPtr<float>(i), data.count);
    AscendC::LocalTensor<float> row = queue.AllocTensor<float>();
    AscendC::DataCopy(row, from, data.count);
    queue.EnQue(row);
    row = queue.DeQue<float>();
    AscendC::DataCopy(to[i * data.count], row, data.count);
    queue.FreeTensor(row);
  }
}
