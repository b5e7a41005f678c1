// SPDX-License-Identifier: Apache-2.0
// Calls of TPipe and TQue in a wrong order.
#include "adv_api/math/floor.h"
#include "harness.h"
#include "twice_plus.h"

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;

namespace {

struct Setup {
  explicit Setup(const Arguments &arguments) {
    self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), kTile);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out), kTile);
    pipe.InitBuffer(in, 1, kTile * sizeof(float));
    pipe.InitBuffer(results, 1, kTile * sizeof(float));
  }

  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> results;
  GlobalTensor<float> self, out;
};

void MissingEnQue(const Arguments &arguments) {
  Setup s(arguments);
  auto x = s.in.AllocTensor<float>();
  AscendC::DataCopy(x, s.self, kTile);
  FAULT_HERE;
  s.in.DeQue<float>();
}

void MissingDeQue(const Arguments &arguments) {
  Setup s(arguments);
  auto x = s.in.AllocTensor<float>();
  AscendC::DataCopy(x, s.self, kTile);
  s.in.EnQue(x);
  auto result = s.results.AllocTensor<float>();
  FAULT_HERE;
  AscendC::Muls(result, x, 2.0f, kTile);
  s.results.FreeTensor(result);
  s.in.DeQue<float>();
  s.in.FreeTensor(x);
}

void FreeBeforeDeQue(const Arguments &arguments) {
  Setup s(arguments);
  auto x = s.in.AllocTensor<float>();
  AscendC::DataCopy(x, s.self, kTile);
  s.in.EnQue(x);
  FAULT_HERE;
  s.in.FreeTensor(x);
}

void MissingFree(const Arguments &arguments) {
  Setup s(arguments);
  auto x = s.in.AllocTensor<float>();
  AscendC::DataCopy(x, s.self, kTile);
  s.in.EnQue(x);
  x = s.in.DeQue<float>();
  FAULT_HERE;
  s.in.AllocTensor<float>();
}

void LeftAtTheEnd(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  auto x = s.in.AllocTensor<float>();
  AscendC::DataCopy(x, s.self, kTile);
  s.in.EnQue(x);
}

void UseAfterFree(const Arguments &arguments) {
  Setup s(arguments);
  auto result = s.results.AllocTensor<float>();
  AscendC::Duplicate(result, 1.0f, kTile);
  s.results.EnQue(result);
  result = s.results.DeQue<float>();
  s.results.FreeTensor(result);
  FAULT_HERE;
  AscendC::DataCopy(s.out, result, kTile);
}

// Another tensor uses the buffer now.
void UseOfOldTensor(const Arguments &arguments) {
  Setup s(arguments);
  auto old = s.results.AllocTensor<float>();
  AscendC::Duplicate(old, 1.0f, kTile);
  s.results.EnQue(old);
  old = s.results.DeQue<float>();
  s.results.FreeTensor(old);
  auto result = s.results.AllocTensor<float>();
  FAULT_HERE;
  AscendC::Duplicate(old, 2.0f, kTile);
  s.results.FreeTensor(result);
}

void TwiceFree(const Arguments &arguments) {
  Setup s(arguments);
  auto x = s.in.AllocTensor<float>();
  s.in.FreeTensor(x);
  FAULT_HERE;
  s.in.FreeTensor(x);
}

void ForeignTensor(const Arguments &arguments) {
  Setup s(arguments);
  auto x = s.in.AllocTensor<float>();
  FAULT_HERE;
  s.results.EnQue(x);
}

void NoBuffers(const Arguments &) {
  TQue<TPosition::VECIN, 1> queue;
  FAULT_HERE;
  queue.AllocTensor<float>();
}

void AskedWithoutBuffers(const Arguments &) {
  TQue<TPosition::VECIN, 1> queue;
  FAULT_HERE;
  queue.HasIdleBuffer();
}

void TooManyBuffers(const Arguments &) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> queues[4];
  for (auto &queue : queues) pipe.InitBuffer(queue, 16, 32);
  AscendC::TBuf<TPosition::VECCALC> one_more;
  FAULT_HERE;
  pipe.InitBuffer(one_more, 32);
}

// The device stores the length of the tensor through a pointer that InitBuffer would have set.
void BufferWithoutMemory(const Arguments &) {
  TPipe pipe;
  AscendC::TBuf<TPosition::VECCALC> never;
  FAULT_HERE;
  never.Get<float>();
}

// Select writes to a place in UB that the kernel's buffer takes.
void BufferOverSelect(const Arguments &) {
  TPipe pipe;
  AscendC::TBuf<TPosition::VECCALC> most;
  pipe.InitBuffer(most, 184 * 1024 + 32);
  const auto values = most.Get<float>();
  const auto bits = values[kTile].ReinterpretCast<uint8_t>();
  AscendC::Duplicate(values, 0.0f, 2 * kTile);
  FAULT_HERE;
  AscendC::Select(values, bits, values, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
}

// The kernel's buffers take all but `left` bytes of UB.
struct Crowded {
  explicit Crowded(uint32_t left) { pipe.InitBuffer(most, 192 * 1024 - left); }
  TPipe pipe;
  AscendC::TBuf<TPosition::VECCALC> most;
};

// What is left is taken for messages.
void StackBehindBuffers(const Arguments &) {
  Crowded crowded(64);
  LocalTensor<float> rest;
  FAULT_HERE;
  AscendC::PopStackBuffer<float, TPosition::LCM>(rest);
}

// Floor of half works on floats, which lie in what is left of UB.
void FloorOnStack(uint32_t left) {
  Crowded crowded(left);
  const auto values = crowded.most.Get<half>();
  AscendC::Duplicate(values, half(1), kTile);
  FAULT_HERE;
  AscendC::Floor(values, values[kTile / 2], 64);
}
void FloorWithoutRoom(const Arguments &) { FloorOnStack(128 + 64); }
void FloorWithRoom(const Arguments &) { FloorOnStack(128 + 128); }

// Reset frees the memory, but V may still compute on it.
void ResetWithoutBarrier(const Arguments &arguments) {
  TPipe pipe;
  AscendC::TBuf<TPosition::VECCALC> sums;
  pipe.InitBuffer(sums, kTile * sizeof(float));
  AscendC::Duplicate(sums.Get<float>(), 1.0f, kTile);
  pipe.Reset();
  TQue<TPosition::VECIN, 1> in;
  pipe.InitBuffer(in, 1, kTile * sizeof(float));
  GlobalTensor<float> self;
  self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), kTile);
  auto x = in.AllocTensor<float>();
  FAULT_HERE;
  AscendC::DataCopy(x, self, kTile);
  in.EnQue(x);
  x = in.DeQue<float>();
  in.FreeTensor(x);
}

// What PopStackBuffer gives out is what no buffer takes at the time.
template <bool before>
void StackAndBuffer(const Arguments &) {
  TPipe pipe;
  LocalTensor<float> rest;
  AscendC::TBuf<TPosition::VECCALC> sums;
  if (before) AscendC::PopStackBuffer<float, TPosition::LCM>(rest);
  pipe.InitBuffer(sums, kTile * sizeof(float));
  if (!before) AscendC::PopStackBuffer<float, TPosition::LCM>(rest);
  FAULT_HERE;
  AscendC::Duplicate(rest, 1.0f, kTile);
}

void StackInStack(const Arguments &) {
  LocalTensor<float> outer, inner;
  AscendC::PopStackBuffer<float, TPosition::LCM>(outer);
  AscendC::Duplicate(outer, 1.0f, kTile);
  AscendC::PopStackBuffer<float, TPosition::LCM>(inner);
  AscendC::Duplicate(inner, 1.0f, kTile);
  FAULT_HERE;
  AscendC::Adds(outer, outer, 1.0f, kTile);
}

class HandlePool {
 public:
  EXTERN_IMPL_BUFPOOL(HandlePool, TPosition::VECCALC, 4);
};

template <uint8_t offset>
void HandleOfPool(const Arguments &) {
  HandlePool pool;
  FAULT_HERE;
  pool.GetBufHandle(offset);
}

}  // namespace

const std::vector<FaultCase> &QueueCases() {
  using K = sim::FaultKind;
  static const std::vector<FaultCase> cases = {
      {"missing_enque", K::kQueueBalance, MissingEnQue, {"DeQue", "the queue in is empty: missing EnQue"}},
      {"missing_deque",
       K::kMissingSync,
       MissingDeQue,
       {"Muls", "DataCopy", "reads src", "UB bytes [0, 4096)", "HardEvent::MTE2_V> (or EnQue/DeQue"}},
      {"free_before_deque",
       K::kQueueBalance,
       FreeBeforeDeQue,
       {"FreeTensor", "still in the queue in: missing DeQue"}},
      {"missing_free",
       K::kQueueBalance,
       MissingFree,
       {"AllocTensor", "all 1 buffers of the queue in", "dequeued and not freed: missing FreeTensor"}},
      {"left_at_the_end",
       K::kQueueBalance,
       LeftAtTheEnd,
       {"TPipe ends with a buffer of in, position VECIN", "AllocTensor", "is enqueued and not dequeued"}},
      {"use_after_free",
       K::kUseAfterFree,
       UseAfterFree,
       {"DataCopy", "src reads UB bytes [4096, 8192) of results", "VECOUT that FreeTensor gave back"}},
      {"use_of_old_tensor",
       K::kUseAfterFree,
       UseOfOldTensor,
       {"Duplicate", "VECOUT that FreeTensor gave back"}},
      {"twice_free", K::kUseAfterFree, TwiceFree, {"FreeTensor", "has given this tensor back already"}},
      {"foreign_tensor", K::kQueueBalance, ForeignTensor, {"EnQue", "none of the buffers of this queue"}},
      {"no_buffers", K::kQueueBalance, NoBuffers, {"AllocTensor", "missing TPipe::InitBuffer"}},
      {"asked_without_buffers",
       K::kQueueBalance,
       AskedWithoutBuffers,
       {"HasIdleBuffer", "missing TPipe::InitBuffer"}},
      {"buffer_without_memory",
       K::kUbBounds,
       BufferWithoutMemory,
       {"TBuf::Get", "the TBuf has no memory", "missing TPipe::InitBuffer"}},
      {"buffer_over_select",
       K::kUbCapacity,
       BufferOverSelect,
       {"Select", "writes UB bytes [188416, 188544)", "the kernel's buffers take 188448 bytes; leave 8 KiB"}},
      {"stack_behind_buffers",
       K::kUbCapacity,
       StackBehindBuffers,
       {"PopStackBuffer", "the last 128 bytes of the Unified Buffer",
        "the kernel's buffers take 196544 bytes"}},
      {"floor_without_room", K::kUbCapacity, FloorWithoutRoom, {"Floor", "at least 128 bytes", "got 64"}},
      {"floor_with_room", K::kOther, FloorWithRoom, {}},
      {"reset_without_barrier",
       K::kMissingSync,
       ResetWithoutBarrier,
       {"DataCopy", "Duplicate", "writes dst", "UB bytes [0, 4096)"}},
      {"stack_before_buffer",
       K::kUseAfterFree,
       StackAndBuffer<true>,
       {"Duplicate", "dst writes UB bytes [0, 4096) of sums", "memory of PopStackBuffer that InitBuffer (",
        "has given to sums since"}},
      {"correct_stack_after_buffer", K::kOther, StackAndBuffer<false>, {}},
      {"stack_in_stack",
       K::kUseAfterFree,
       StackInStack,
       {"Adds", "a later PopStackBuffer (queue_cases.cpp:", "may not be nested"}},
      {"too_many_buffers", K::kUbCapacity, TooManyBuffers, {"InitBuffer", "a kernel may have 64 buffers"}},
      {"handle_behind_pool",
       K::kUbCapacity,
       HandleOfPool<4>,
       {"GetBufHandle", "offset must be below 4", "got 4"}},
      {"correct_handle_of_pool", K::kOther, HandleOfPool<3>, {}},
  };
  return cases;
}
