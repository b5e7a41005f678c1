// SPDX-License-Identifier: Apache-2.0
// Three kernels that use little of AscendC. They are compiled against the simulated device's own headers into
// small_kernels, and by tests against other headers into a library that takes their place.
#pragma once

#include <iterator>

#include "engine/launch.h"
#include "kernel_operator.h"

#ifdef SMALL_LIBRARY
constexpr int32_t kForm = 2;
#else
constexpr int32_t kForm = 1;
#endif

// count: elements of a block; tile: elements of a tensor of a queue, of which `count` is a multiple; index:
// the element of the Unified Buffer that scalars reads last; for the meeting 1 where blocks do not write
// their data cache back.
struct SmallTiling {
  uint32_t count;
  uint32_t tile;
  uint32_t index;
};

// out = x + y, tile by tile, each pipe ahead of the next.
inline void SmallAdd(GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR, GM_ADDR tiling) {
  using namespace AscendC;
  GET_TILING_DATA_WITH_STRUCT(SmallTiling, plan, tiling);
  TPipe pipe;
  TQue<TPosition::VECIN, 2> lefts, rights;
  TQue<TPosition::VECOUT, 2> sums;
  const uint32_t bytes = plan.tile * sizeof(float);
  pipe.InitBuffer(lefts, 2, bytes);
  pipe.InitBuffer(rights, 2, bytes);
  pipe.InitBuffer(sums, 2, bytes);
  GlobalTensor<float> left, right, sum;
  const uint64_t start = static_cast<uint64_t>(GetBlockIdx()) * plan.count;
  left.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x) + start);
  right.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y) + start);
  sum.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(out) + start);
  for (uint32_t done = 0; done < plan.count; done += plan.tile) {
    LocalTensor<float> a = lefts.AllocTensor<float>(), b = rights.AllocTensor<float>();
    DataCopy(a, left[done], plan.tile);
    DataCopy(b, right[done], plan.tile);
    lefts.EnQue(a);
    rights.EnQue(b);
    a = lefts.DeQue<float>();
    b = rights.DeQue<float>();
    LocalTensor<float> c = sums.AllocTensor<float>();
    Add(c, a, b, static_cast<int32_t>(plan.tile));
    sums.EnQue(c);
    lefts.FreeTensor(a);
    rights.FreeTensor(b);
    c = sums.DeQue<float>();
    DataCopy(sum[done], c, plan.tile);
    sums.FreeTensor(c);
  }
}

// out = 2 x + 1 of integers, by the scalar unit alone; y[0] = whether the kernel is linked to the
// program (1) or in a library (2), y[1] = an element of the Unified Buffer.
inline void SmallScalars(GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR, GM_ADDR tiling) {
  using namespace AscendC;
  GET_TILING_DATA_WITH_STRUCT(SmallTiling, plan, tiling);
  TPipe pipe;
  TQue<TPosition::VECOUT, 1> results;
  pipe.InitBuffer(results, 1, plan.count * sizeof(int32_t));
  GlobalTensor<int32_t> from, to, form;
  const uint64_t start = static_cast<uint64_t>(GetBlockIdx()) * plan.count;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(x) + start, plan.count);
  to.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(out) + start, plan.count);
  form.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(y), 2);
  LocalTensor<int32_t> result = results.AllocTensor<int32_t>();
  for (uint32_t i = 0; i < plan.count; ++i) result.SetValue(i, from.GetValue(i));
  for (uint32_t i = 0; i < plan.count; ++i) result.SetValue(i, 2 * result.GetValue(i) + 1);
  if (GetBlockIdx() == 0) {
    form.SetValue(0, kForm);
    form.SetValue(1, result.GetValue(plan.index));
  }
  SetFlag<HardEvent::S_MTE3>(0);
  WaitFlag<HardEvent::S_MTE3>(0);
  DataCopyPad(to, result, DataCopyExtParams{1, static_cast<uint32_t>(plan.count * sizeof(int32_t)), 0, 0, 0});
  results.EnQue(result);
  result = results.DeQue<int32_t>();
  results.FreeTensor(result);
}

// out[i] of block i = x of the next block, which that block wrote to the workspace.
inline void SmallMeeting(GM_ADDR x, GM_ADDR, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling) {
  using namespace AscendC;
  GET_TILING_DATA_WITH_STRUCT(SmallTiling, plan, tiling);
  GlobalTensor<int32_t> from, to, shared;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(x));
  to.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(out));
  shared.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(GetUserWorkspace(workspace)));
  constexpr uint32_t kLine = 16;  // elements of a cache line, so that no two blocks write to one
  const uint32_t block = static_cast<uint32_t>(GetBlockIdx());
  const uint32_t next = (block + 1) % static_cast<uint32_t>(GetBlockNum());
  shared.SetValue(block * kLine, from.GetValue(block * kLine));
  if (plan.index == 0) {
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(
        shared[block * kLine]);
  }
  SyncAll();
  to.SetValue(block * kLine, shared.GetValue(next * kLine));
}

template <void (*kernel)(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR)>
void InvokeSmall(void *const *args) {
  kernel(static_cast<GM_ADDR>(args[0]), static_cast<GM_ADDR>(args[1]), static_cast<GM_ADDR>(args[2]),
         static_cast<GM_ADDR>(args[3]), static_cast<GM_ADDR>(args[4]));
}

inline constexpr sim::Kernel kSmallKernels[] = {
    {"small_add", InvokeSmall<SmallAdd>, sim::KernelType::kVector},
    {"small_scalars", InvokeSmall<SmallScalars>, sim::KernelType::kVector},
    {"small_meeting", InvokeSmall<SmallMeeting>, sim::KernelType::kVector},
};
