// SPDX-License-Identifier: Apache-2.0
// Atomic copies, whose operation and type must fit to each other; and calls by addresses, around which the
// compiler adds no synchronisation.
#include "harness.h"
#include "twice_plus.h"

using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;

namespace {

struct Setup {
  explicit Setup(const Arguments &arguments) {
    self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), kTile);
    pipe.InitBuffer(buffer, 2 * kTile * sizeof(float));
    x = buffer.Get<float>(kTile);
    y = buffer.GetWithOffset<float>(kTile, kTile * sizeof(float));
    AscendC::Duplicate(x, 1.0f, kTile);
    AscendC::Duplicate(y, 1.0f, kTile);
    AscendC::PipeBarrier<PIPE_ALL>();
  }

  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  LocalTensor<float> x, y;
  GlobalTensor<float> self;
};

void AddThenMax(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::SetAtomicAdd<float>();
  AscendC::DataCopy(s.self, s.x, kTile);
  AscendC::SetAtomicMax<float>();
  FAULT_HERE;
  AscendC::DataCopy(s.self, s.x, kTile);
}

void AddBarrierMax(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::SetAtomicAdd<float>();
  AscendC::DataCopy(s.self, s.x, kTile);
  AscendC::SetAtomicMax<float>();
  AscendC::PipeBarrier<PIPE_MTE3>();
  AscendC::DataCopy(s.self, s.x, kTile);
}

void AddTwice(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::SetAtomicAdd<float>();
  AscendC::DataCopy(s.self, s.x, kTile);
  AscendC::DataCopy(s.self, s.x, kTile);
}

void AddThenPlain(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::SetAtomicAdd<float>();
  AscendC::DataCopy(s.self, s.x, kTile);
  AscendC::SetAtomicNone();
  FAULT_HERE;
  AscendC::DataCopy(s.self, s.x, kTile);
}

void BlocksAddAndMax(const Arguments &arguments) {
  Setup s(arguments);
  if (AscendC::GetBlockIdx() == 0) {
    AscendC::SetAtomicAdd<float>();
  } else {
    AscendC::SetAtomicMax<float>();
  }
  FAULT_HERE;
  AscendC::DataCopy(s.self, s.x, kTile);
}

void AddOfAnotherType(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::SetAtomicAdd<half>();
  FAULT_HERE;
  AscendC::DataCopy(s.self, s.x, kTile);
}

void ChangedType(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::SetAtomicAdd<half>();
  AscendC::SetAtomicType<float>();
  AscendC::DataCopy(s.self, s.x, kTile);
}

// Transposes the first 16 data blocks of x into y, given by their addresses.
void TransposeByAddress(const Setup &s) {
  uint64_t dst[16], src[16];
  for (int i = 0; i < 16; ++i) {
    dst[i] = s.y.GetPhyAddr() + i * 32;
    src[i] = s.x.GetPhyAddr() + i * 32;
  }
  AscendC::TransDataTo5HD<half>(dst, src, {false, false, 1, 0, 0});
}

void AddressAfterTensor(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Adds(s.x, s.x, 1.0f, kTile);
  TransposeByAddress(s);
}

void TensorAfterAddress(const Arguments &arguments) {
  Setup s(arguments);
  TransposeByAddress(s);
  FAULT_HERE;
  AscendC::Adds(s.x, s.y, 1.0f, kTile);
}

// Automatic synchronisation orders the second Adds after the first, which says nothing about the
// transposition.
void TensorsAroundAddress(const Arguments &arguments) {
  Setup s(arguments);
  TransposeByAddress(s);
  AscendC::Adds(s.x[512], s.x[512], 1.0f, 64);
  AscendC::Adds(s.x[512], s.x[512], 1.0f, 64);
  FAULT_HERE;
  AscendC::Adds(s.y, s.y, 1.0f, kTile);
}

void AddressBetweenBarriers(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Adds(s.x, s.x, 1.0f, kTile);
  AscendC::PipeBarrier<PIPE_V>();
  TransposeByAddress(s);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Adds(s.x, s.y, 1.0f, kTile);
}

void ScalarThenAddress(const Arguments &arguments) {
  Setup s(arguments);
  s.x.SetValue(0, 2.0f);
  TransposeByAddress(s);
}

void AddressThenScalar(const Arguments &arguments) {
  Setup s(arguments);
  TransposeByAddress(s);
  FAULT_HERE;
  s.y.GetValue(0);
}

void AddressAndScalarWithFlags(const Arguments &arguments) {
  Setup s(arguments);
  s.x.SetValue(0, 2.0f);
  AscendC::SetFlag<HardEvent::S_V>(EVENT_ID0);
  AscendC::WaitFlag<HardEvent::S_V>(EVENT_ID0);
  TransposeByAddress(s);
  AscendC::SetFlag<HardEvent::V_S>(EVENT_ID0);
  AscendC::WaitFlag<HardEvent::V_S>(EVENT_ID0);
  s.y.GetValue(0);
}

void TensorLists(const Arguments &arguments) {
  Setup s(arguments);
  LocalTensor<half> dst[16], src[16];
  for (int i = 0; i < 16; ++i) {
    dst[i] = s.y.ReinterpretCast<half>()[i * 16];
    src[i] = s.x.ReinterpretCast<half>()[i * 16];
  }
  AscendC::Adds(s.x, s.x, 1.0f, kTile);
  AscendC::TransDataTo5HD<half>(dst, src, {false, false, 1, 0, 0});
  AscendC::Adds(s.x, s.y, 1.0f, kTile);
}

}  // namespace

const std::vector<FaultCase> &AtomicCases() {
  using K = sim::FaultKind;
  const std::string advice = "missing PipeBarrier<PIPE_V>, which the compiler adds for tensors alone";
  static const std::vector<FaultCase> cases = {
      {"atomic_add_then_max",
       K::kMissingSync,
       AddThenMax,
       {"writes (atomic max of float)", "writes (atomic add of float)", "missing PipeBarrier<PIPE_MTE3>"}},
      {"atomic_add_barrier_max", K::kOther, AddBarrierMax, {}},
      {"atomic_add_twice", K::kOther, AddTwice, {}, 4},
      {"atomic_add_then_plain",
       K::kMissingSync,
       AddThenPlain,
       {"MTE3 writes GM", "writes (atomic add of float)", "missing PipeBarrier<PIPE_MTE3>"}},
      {"atomic_blocks_add_and_max",
       K::kBlockConflict,
       BlocksAddAndMax,
       {"(atomic max of float)", "(atomic add of float)", "missing SyncAll"},
       2},
      {"atomic_of_another_type", K::kType, AddOfAnotherType, {"DataCopy", "the device combines half"}},
      {"atomic_changed_type", K::kOther, ChangedType, {}},
      {"address_after_tensor", K::kMissingSync, AddressAfterTensor, {"TransDataTo5HD", "Adds", advice}},
      {"tensor_after_address", K::kMissingSync, TensorAfterAddress, {"Adds", "reads src", advice}},
      {"tensors_around_address", K::kMissingSync, TensorsAroundAddress, {"Adds", "TransDataTo5HD", advice}},
      {"address_between_barriers", K::kOther, AddressBetweenBarriers, {}},
      {"scalar_then_address", K::kMissingSync, ScalarThenAddress, {"SetValue", "HardEvent::S_V"}},
      {"address_then_scalar", K::kMissingSync, AddressThenScalar, {"GetValue", "HardEvent::V_S"}},
      {"address_and_scalar_flags", K::kOther, AddressAndScalarWithFlags, {}},
      {"address_tensor_lists", K::kOther, TensorLists, {}},
  };
  return cases;
}
