// SPDX-License-Identifier: Apache-2.0
// Instructions with operands that they may not have.
#include "harness.h"
#include "twice_plus.h"

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;

namespace {

// Two tensors in UB that are written, one that is not, and tensors in GM; each of them is a tile.
struct Setup {
  explicit Setup(const Arguments &arguments) {
    self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), kTile);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out), kTile);
    fresh.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.fresh), kTile);
    pipe.InitBuffer(buffer, 3 * kTile * sizeof(float));
    x = buffer.Get<float>(kTile);
    y = buffer.GetWithOffset<float>(kTile, kTile * sizeof(float));
    unwritten = buffer.GetWithOffset<float>(kTile, 2 * kTile * sizeof(float));
    AscendC::Duplicate(x, 1.0f, kTile);
    AscendC::Duplicate(y, 2.0f, kTile);
  }

  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  LocalTensor<float> x, y, unwritten;
  GlobalTensor<float> self, out, fresh;
};

void Alignment(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  AscendC::Adds(s.x[1], s.y, 1.0f, 64);
}

template <uint32_t count>
void CopyLength(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(EVENT_ID0);
  FAULT_HERE;
  AscendC::DataCopy(s.x, s.self, count);
}

// Of 60 bytes the device copies 32.
void RestOfRoundedCopy(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::DataCopy(s.unwritten, s.self, 15);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
  FAULT_HERE;
  AscendC::DataCopy(s.out, s.unwritten, 16);
}

void Repeat(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  AscendC::WholeReduceMax<float>(s.x, s.y, 64, 256, 1, 1, 8);
}

void Mask(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  AscendC::Add(s.x, s.x, s.y, uint64_t{65}, 1, {1, 1, 1, 8, 8, 8});
}

void Stride(const Arguments &arguments) {
  Setup s(arguments);
  const AscendC::DataCopyExtParams rows(4096, 4, 0, 0, 0);
  const AscendC::DataCopyPadExtParams<float> padding(false, 0, 0, 0);
  FAULT_HERE;
  AscendC::DataCopyPad(s.x, s.self, rows, padding);
}

void TensorBounds(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  AscendC::Add(s.x, s.x, s.y, kTile + 64);
}

// The last tensor of the buffer.
void BufferBounds(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  AscendC::Add(s.unwritten, s.x, s.y, kTile + 64);
}

// The lanes behind the tensor are those of the one that nobody wrote.
void LanesBehindTensor(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Adds(s.x, s.y[kTile - 64], 1.0f, 128);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  FAULT_HERE;
  AscendC::DataCopy(s.out, s.x, 128);
}

void MemoryBounds(const Arguments &) {
  LocalTensor<float> end(TPosition::VECCALC, 192 * 1024 - 256, 128);
  FAULT_HERE;
  AscendC::Duplicate(end, 1.0f, 128);
}

template <uint32_t first>
void GlobalTensorBounds(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(EVENT_ID0);
  FAULT_HERE;
  AscendC::DataCopy(s.x, s.self[first], kTile);
}

void AllocationBounds(const Arguments &arguments) {
  Setup s(arguments);
  GlobalTensor<float> everything;
  everything.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self));
  FAULT_HERE;
  AscendC::DataCopy(s.x, everything[uint64_t{4} * kTile * kTiles - 8], kTile);
}

void NoAllocation(const Arguments &arguments) {
  Setup s(arguments);
  GlobalTensor<float> nothing;
  nothing.SetGlobalBuffer(nullptr);
  FAULT_HERE;
  AscendC::DataCopy(nothing, s.x, kTile);
}

void Capacity(const Arguments &) {
  TPipe pipe;
  AscendC::TQue<TPosition::VECIN, 2> queue;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(queue, 2, 64 * 1024);
  FAULT_HERE;
  pipe.InitBuffer(buffer, 64 * 1024 + 32);
}

void UnwrittenUb(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Duplicate(s.unwritten, 0.0f, 100);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID1);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID1);
  FAULT_HERE;
  AscendC::DataCopy(s.out, s.unwritten, 128);
}

void UnwrittenGm(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  s.fresh.GetValue(0);
}

void WrongRoundMode(const Arguments &arguments) {
  Setup s(arguments);
  const auto narrow = s.y.ReinterpretCast<bfloat16_t>();
  FAULT_HERE;
  AscendC::Cast(narrow, s.x, AscendC::RoundMode::CAST_NONE, 64);
}

void CompareCount(const Arguments &arguments) {
  Setup s(arguments);
  const auto bits = s.unwritten.ReinterpretCast<uint8_t>();
  FAULT_HERE;
  AscendC::Compare(bits, s.x, s.y, AscendC::CMPMODE::LT, 100);
}

void TypeOnDevice(const Arguments &arguments) {
  Setup s(arguments);
  const auto bits = s.unwritten.ReinterpretCast<uint8_t>();
  const auto x = s.x.ReinterpretCast<int32_t>();
  FAULT_HERE;
  AscendC::Compare(bits, x, x, AscendC::CMPMODE::LT, 64);
}

void Assertion(const Arguments &) {
  const uint32_t rows = 3;
  FAULT_HERE;
  ASSERT(rows % 2 == 0);
}

void Exception(const Arguments &) { throw std::runtime_error("table of 0 rows"); }

}  // namespace

const std::vector<FaultCase> &LegalityCases() {
  using K = sim::FaultKind;
  static const std::vector<FaultCase> cases = {
      {"alignment",
       K::kAlignment,
       Alignment,
       {"Adds", "dst must start on a multiple of 32 bytes", "UB offset 4"}},
      {"copy_length",
       K::kRoundedCopy,
       CopyLength<15>,
       {"DataCopy", "should be a multiple of 32 bytes", "got 60: the device copies 32 bytes"}},
      {"copy_length_of_nothing", K::kRoundedCopy, CopyLength<7>, {"got 28: the device copies 0 bytes"}},
      {"correct_copy_length", K::kOther, CopyLength<8>, {}},
      {"rest_of_a_rounded_copy",
       K::kUninitialised,
       RestOfRoundedCopy,
       {"DataCopy", "from src, UB bytes [8192, 8256)", "nothing wrote byte 8224"}},
      {"repeat", K::kRepeat, Repeat, {"WholeReduceMax", "repeat", "[0, 255]", "got 256"}},
      {"mask", K::kMask, Mask, {"Add", "mask must be in [1, 64], got 65"}},
      {"stride", K::kStride, Stride, {"DataCopyPad", "blockCount must be in [0, 4095], got 4096"}},
      {"tensor_bounds",
       K::kBeyondTensor,
       TensorBounds,
       {"Add", "takes 4352 bytes", "its LocalTensor has 4096"}},
      {"buffer_bounds",
       K::kUbBounds,
       BufferBounds,
       {"Add", "dst takes 4352 bytes", "its LocalTensor has 4096"}},
      {"lanes_behind_tensor",
       K::kUninitialised,
       LanesBehindTensor,
       {"DataCopy", "through Adds (", "which nothing wrote"}},
      {"memory_bounds",
       K::kUbBounds,
       MemoryBounds,
       {"Duplicate", "UB bytes [196352, 196864)", "the memory has 196608"}},
      {"global_tensor_bounds",
       K::kBeyondTensor,
       GlobalTensorBounds<8>,
       {"DataCopy", "4096 bytes at byte 32 of a GlobalTensor of 4096 bytes, in its allocation"}},
      {"global_tensor_in_another_allocation",
       K::kGmBounds,
       GlobalTensorBounds<5 * kTile * kTiles>,
       {"DataCopy", "4096 bytes at byte 81920 of a GlobalTensor of 4096 bytes, in another allocation"}},
      {"global_tensor_and_allocation_bounds",
       K::kGmBounds,
       GlobalTensorBounds<4 * kTile * kTiles - 8>,
       {"DataCopy", "src reads GM bytes [65504, 69600) of an allocation of 65536 bytes"}},
      {"correct_global_tensor_bounds", K::kOther, GlobalTensorBounds<0>, {}},
      {"allocation_bounds",
       K::kGmBounds,
       AllocationBounds,
       {"DataCopy", "src reads GM bytes [65504, 69600) of an allocation of 65536 bytes"}},
      {"no_allocation",
       K::kGmBounds,
       NoAllocation,
       {"DataCopy", "dst writes 4096 bytes at a GM address that lies in no allocation"}},
      {"ub_capacity",
       K::kUbCapacity,
       Capacity,
       {"InitBuffer", "65568 bytes does not fit in UB: 131072 of 196608 bytes are taken"}},
      {"unwritten_ub",
       K::kUninitialised,
       UnwrittenUb,
       {"DataCopy", "writes dst, GM bytes [0, 512), from src, UB bytes [8192, 8704) of buffer",
        "but nothing wrote byte 8592"}},
      {"unwritten_gm",
       K::kUninitialised,
       UnwrittenGm,
       {"GetValue", "reads src, GM bytes [0, 4), but nothing wrote byte 0"}},
      {"round_mode",
       K::kRoundMode,
       WrongRoundMode,
       {"Cast", "roundMode must be one of", "CAST_RINT", "got CAST_NONE"}},
      {"compare_count", K::kCount_, CompareCount, {"Compare", "256"}},
      {"type", K::kType, TypeOnDevice, {"Compare", "EQ for int32_t"}},
      {"assert", K::kAssert, Assertion, {"ASSERT", "rows % 2 == 0 does not hold"}},
      {"exception", K::kOther, Exception, {"the kernel threw an exception: table of 0 rows"}},
  };
  return cases;
}
