// SPDX-License-Identifier: Apache-2.0
// The eight event ids of a pair of pipes, and the flags between cores.
#include "harness.h"

using namespace AscendC;

namespace {

template <HardEvent event>
void Order(int32_t id = EVENT_ID0) {
  SetFlag<event>(id);
  WaitFlag<event>(id);
}

template <bool barrier>
void SetTwice(const Arguments &) {
  SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
  if (barrier) PipeBarrier<PIPE_ALL>();
  FAULT_HERE;
  SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
}

void CorrectSetAgain(const Arguments &) {
  for (int round = 0; round < 3; ++round) Order<HardEvent::MTE2_V>(EVENT_ID3);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID4);
  SetFlag<HardEvent::V_MTE2>(EVENT_ID3);
  WaitFlag<HardEvent::V_MTE2>(EVENT_ID3);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID4);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
}

constexpr uint32_t kMany = 9;

// A queue of small buffers.
template <uint32_t buffers = kMany>
struct Setup {
  explicit Setup(const Arguments &arguments) {
    self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), 64);
    pipe.InitBuffer(in, buffers, 64 * sizeof(float));
  }
  void Fill(uint32_t tensors) {
    for (uint32_t i = 0; i < tensors; ++i) {
      auto x = in.template AllocTensor<float>();
      DataCopy(x, self, 64);
      in.EnQue(x);
    }
  }
  void Empty(uint32_t tensors) {
    for (uint32_t i = 0; i < tensors; ++i) {
      auto x = in.template DeQue<float>();
      Adds(x, x, 1.0f, 64);
      in.FreeTensor(x);
    }
  }

  TPipe pipe;
  TQue<TPosition::VECIN, buffers> in;
  GlobalTensor<float> self;
};

void IdOfAQueue(const Arguments &arguments) {
  Setup<> s(arguments);
  s.Fill(1);
  FAULT_HERE;
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
}

void CorrectIdBesideAQueue(const Arguments &arguments) {
  Setup<> s(arguments);
  s.Fill(1);
  ASSERT(s.pipe.FetchEventID(HardEvent::MTE2_V) == 1);
  Order<HardEvent::MTE2_V>(s.pipe.FetchEventID(HardEvent::MTE2_V));
  s.Empty(1);
  ASSERT(s.pipe.FetchEventID(HardEvent::MTE2_V) == 0);
}

void NineInFlight(const Arguments &arguments) {
  Setup<> s(arguments);
  s.Fill(8);
  auto x = s.in.AllocTensor<float>();
  DataCopy(x, s.self, 64);
  FAULT_HERE;
  s.in.EnQue(x);
}

// The ids of the way back are others, and they are free when AllocTensor gives a buffer out again.
void CorrectEightInFlight(const Arguments &arguments) {
  Setup<kMany - 1> s(arguments);
  for (int round = 0; round < 4; ++round) {
    s.Fill(8);
    s.Empty(8);
  }
}

void NineFreed(const Arguments &arguments) {
  Setup<> s(arguments);
  s.Fill(8);
  s.Empty(7);
  s.Fill(1);  // the ninth buffer
  s.Empty(1);
  FAULT_HERE;
  s.Empty(1);
}

void NineTaken(const Arguments &) {
  TPipe pipe;
  for (int i = 0; i < 8; ++i) ASSERT(pipe.AllocEventID<HardEvent::V_S>() == i);
  pipe.ReleaseEventID<HardEvent::V_S>(5);
  ASSERT(pipe.AllocEventID<HardEvent::V_S>() == 5);
  FAULT_HERE;
  pipe.AllocEventID<HardEvent::V_S>();
}

// TPipe keeps M_MTE1 0 to 2 of a cube core for CANN's Matmul.
void IdOfThePipe(const Arguments &) {
  TPipe pipe;
  FAULT_HERE;
  SetFlag<HardEvent::M_MTE1>(EVENT_ID0);
}

void CorrectIdBesideThePipe(const Arguments &) {
  TPipe pipe;
  ASSERT(pipe.FetchEventID(HardEvent::M_MTE1) == 3);
  Order<HardEvent::M_MTE1>(EVENT_ID3);
}

// A tensor that is computed in place: MTE2 fills it, V changes it, MTE3 takes it.
template <bool positions>
void InPlace(const Arguments &arguments) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, 256);
  GlobalTensor<float> self, out;
  self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), 64);
  out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out), 64);
  auto x = queue.AllocTensor<float>();
  DataCopy(x, self, 64);
  if constexpr (positions) {
    queue.EnQue<TPosition::GM, TPosition::VECCALC>(x);
    x = queue.DeQue<TPosition::GM, TPosition::VECCALC, float>();
  } else {
    queue.EnQue(x);
    x = queue.DeQue<float>();
  }
  FAULT_HERE;
  Adds(x, x, 1.0f, 64);
  queue.EnQue<TPosition::VECCALC, TPosition::GM>(x);
  x = queue.DeQue<TPosition::VECCALC, TPosition::GM, float>();
  DataCopy(out, x, 64);
  queue.FreeTensor(x);
}

// --- between the cores of a mixed block

template <bool wait>
void TwoModes(const Arguments &) {
  if ASCEND_IS_AIC {
    CrossCoreWaitFlag(3);
    return;
  }
  CrossCoreSetFlag<1, PIPE_MTE3>(3);
  if (wait) CrossCoreWaitFlag(3);
  FAULT_HERE;
  CrossCoreSetFlag<2, PIPE_MTE3>(3);
  if (!wait) CrossCoreWaitFlag(3);
}

// Flags 11 to 14 are those of SyncAll.
template <uint16_t flag, bool before>
void OverSyncAll(const Arguments &) {
  if ASCEND_IS_AIV {
    CrossCoreSetFlag<2, PIPE_MTE3>(flag);
  } else if (before) {
    CrossCoreWaitFlag(flag);
  }
  FAULT_HERE;
  SyncAll<false>();
  if (ASCEND_IS_AIC && !before) CrossCoreWaitFlag(flag);
}

// Every second time the receiver answers, so that the sender knows that the counter is empty.
template <int times, bool answer>
void ManySettings(const Arguments &) {
  for (int i = 0; i < times; ++i) {
    if ASCEND_IS_AIV {
      FAULT_HERE;
      CrossCoreSetFlag<2, PIPE_MTE3>(5);
      if (answer && i % 2 == 1) CrossCoreWaitFlag(6);
    } else {
      CrossCoreWaitFlag(5);
      if (answer && i % 2 == 1) CrossCoreSetFlag<2, PIPE_FIX>(6);
    }
  }
}

using Group = GroupBarrier<PipeMode::MTE3_MODE>;

// A group of this many cores that arrive and wait, whose words lie `offset` bytes behind the start of GM.
template <uint32_t arrives, uint32_t waits, uint32_t offset>
void GroupOf(const Arguments &arguments) {
  FAULT_HERE;
  const Group group(arguments.self + offset, arrives, waits);
}

// One core arrives and waits in a group of its own, `rounds` times.
template <uint32_t arrive, uint32_t wait, int rounds>
void AloneInGroup(const Arguments &arguments) {
  Group group(arguments.self, 1, 1);
  for (int i = 0; i < rounds; ++i) {
    if (arrive != 0) FAULT_HERE;
    group.Arrive(arrive);
    if (wait != 0) FAULT_HERE;
    group.Wait(wait);
  }
}

void ArriveTwice(const Arguments &arguments) {
  Group group(arguments.self, 1, 1);
  group.Arrive(0);
  FAULT_HERE;
  group.Arrive(0);
}

// A group beside buffers that leave `room` bytes at the end of UB.
template <uint32_t room>
void GroupBesideBuffers(const Arguments &arguments) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 192 * 1024 - room);
  FAULT_HERE;
  Group group(arguments.self, 1, 1);
  group.Arrive(0);
  group.Wait(0);
}

void UsedWorkspace(const Arguments &arguments) {
  GlobalTensor<int32_t> words;
  words.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(arguments.self), 128);
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 32);
  const auto ones = buffer.Get<int32_t>();
  Duplicate(ones, 1, 8);
  Order<HardEvent::V_MTE3>();
  DataCopy(words[16], ones, 8);
  PipeBarrier<PIPE_ALL>();
  Group group(arguments.self, 1, 1);
  FAULT_HERE;
  group.Arrive(0);
}

template <SaturationMode mode, bool flag>
void Saturates(const Arguments &) {
  FAULT_HERE;
  SetSaturationFlag<mode>(flag);
}

}  // namespace

const std::vector<FaultCase> &FlagCases() {
  using K = sim::FaultKind;
  constexpr auto kCube = sim::KernelType::kCube, kMixed = sim::KernelType::kMixed12;
  auto mixed = [](const char *name, K kind, void (*kernel)(const Arguments &),
                  std::vector<std::string> texts) {
    return FaultCase{name, kind, kernel, std::move(texts), 2, false, kMixed};
  };
  const std::vector<std::string> over = {"SyncAll", "sets and waits for flag 12 too, which CrossCoreSetFlag",
                                         "SyncAll uses the flags 11 to 14"};
  const std::vector<std::string> twice = {"SetFlag", "MTE2_V with eventID 3 is set already, by SetFlag (",
                                          "missing WaitFlag"};
  static const std::vector<FaultCase> cases = {
      {"set_twice", K::kFlag, SetTwice<false>, twice},
      {"set_twice_over_barrier", K::kFlag, SetTwice<true>, twice},
      {"correct_set_again", K::kOther, CorrectSetAgain, {}},
      {"id_of_a_queue",
       K::kFlag,
       IdOfAQueue,
       {"SetFlag", "MTE2_V with eventID 0 is set already, by EnQue (flag_cases.cpp:"}},
      {"correct_id_beside_a_queue", K::kOther, CorrectIdBesideAQueue, {}},
      {"nine_in_flight",
       K::kFlag,
       NineInFlight,
       {"EnQue", "all 8 event ids of HardEvent::MTE2_V are taken", "0 set by EnQue (", "7 set by EnQue ("}},
      {"correct_eight_in_flight", K::kOther, CorrectEightInFlight, {}},
      {"nine_freed", K::kFlag, NineFreed, {"FreeTensor", "event ids of HardEvent::V_MTE2 are taken"}},
      {"nine_taken",
       K::kFlag,
       NineTaken,
       {"AllocEventID", "all 8 event ids of HardEvent::V_S are taken: missing ReleaseEventID",
        "7 taken by AllocEventID ("}},
      {"id_of_the_pipe",
       K::kFlag,
       IdOfThePipe,
       {"SetFlag", "M_MTE1 with eventID 0 is set already, by TPipe ("},
       1,
       false,
       kCube},
      {"correct_id_beside_the_pipe", K::kOther, CorrectIdBesideThePipe, {}, 1, false, kCube},
      {"in_place_without_positions", K::kMissingSync, InPlace<false>, {"Adds", "HardEvent::MTE2_V"}},
      {"correct_in_place", K::kOther, InPlace<true>, {}},
      mixed("two_modes", K::kFlag, TwoModes<false>,
            {"CrossCoreSetFlag", "flag 3 is set in mode 2", "in mode 1 is over"}),
      mixed("correct_two_modes", K::kOther, TwoModes<true>, {}),
      mixed("over_sync_all", K::kFlag, OverSyncAll<12, false>, over),
      mixed("correct_before_sync_all", K::kOther, OverSyncAll<12, true>, {}),
      mixed("correct_other_flag_over_sync_all", K::kOther, OverSyncAll<4, false>, {}),
      mixed("sixteen_settings", K::kFlag, ManySettings<16, false>,
            {"CrossCoreSetFlag", "flag 5 may be set 16 times before a CrossCoreWaitFlag"}),
      mixed("correct_fifteen_settings", K::kOther, ManySettings<15, false>, {}),
      mixed("correct_answered_settings", K::kOther, ManySettings<40, true>, {}),
      {"group_misaligned",
       K::kAlignment,
       GroupOf<1, 1, 32>,
       {"GroupBarrier", "groupWorkspace must start on a multiple of 512 bytes"}},
      {"group_of_no_arrivals",
       K::kFlag,
       GroupOf<0, 1, 0>,
       {"GroupBarrier", "arriveSizeIn must be in [1, 1], got 0"}},
      {"group_of_two_waits",
       K::kFlag,
       GroupOf<1, 2, 0>,
       {"GroupBarrier", "waitSizeIn must be in [1, 1], got 2"}},
      {"group_arrive_index",
       K::kFlag,
       AloneInGroup<1, 0, 1>,
       {"GroupBarrier::Arrive", "arriveIndex must be in [0, 0], got 1"}},
      {"group_wait_index",
       K::kFlag,
       AloneInGroup<0, 1, 1>,
       {"GroupBarrier::Wait", "waitIndex must be in [0, 0], got 1"}},
      {"correct_group", K::kOther, AloneInGroup<0, 0, 2>, {}},
      {"group_without_room",
       K::kUbCapacity,
       GroupBesideBuffers<1568>,
       {"GroupBarrier", "takes the last 1600 bytes of the Unified Buffer, from byte 195008 on",
        "take 195040 bytes"}},
      {"correct_group_beside_buffers", K::kOther, GroupBesideBuffers<1600>, {}},
      {"group_arrives_twice", K::kFlag, ArriveTwice, {"GroupBarrier::Arrive", "missing Wait"}},
      {"group_of_used_workspace",
       K::kFlag,
       UsedWorkspace,
       {"GroupBarrier::Arrive", "groupWorkspace must hold zeros", "byte 64 is 1"}},
      {"saturated_floats",
       K::kOther,
       Saturates<SaturationMode::FLOAT, true>,
       {"SetSaturationFlag", "FLOAT must be false"}},
      {"wrapped_conversions",
       K::kOther,
       Saturates<SaturationMode::CAST, false>,
       {"SetSaturationFlag", "CAST must be true"}},
      {"correct_saturated_conversions", K::kOther, Saturates<SaturationMode::CAST, true>, {}},
  };
  return cases;
}
