// SPDX-License-Identifier: Apache-2.0
// Groups of cube cores, to which vector cores send messages through GM. Each vector core has a queue of four
// places; the cube core to which the queue belongs looks at them in turn, one place of each queue at a time.
//
//   queues      0  1  2 │ 3  4        a cube core of three queues, and the last one of two
//   place 0     0  1  2 │ 12 13       a message lies at its number times the bytes of a message
//   place 1     3  4  5 │ 15 16
//   …
//
// The state of a message says whose turn it is: a vector core writes into a place that is FREE, and the cube
// core makes it FREE again.
#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <type_traits>

#include "kernel_operator_cache_intf.h"
#include "kernel_operator_data_copy_intf.h"
#include "kernel_operator_group_barrier_intf.h"
#include "kernel_operator_sys_var_intf.h"
#include "kernel_tpipe.h"

namespace AscendC {

enum class CubeMsgState : uint8_t { FREE = 0, VALID, QUIT, FAKE };

// The first member of each message, with the name `head`.
struct CubeGroupMsgHead {
  volatile CubeMsgState msgState = CubeMsgState::FREE;
  volatile uint8_t aivID;
};

// Chooses between functions of a callback by the number of a message's function.
template <int32_t ActualFuncId, int32_t ExpectFuncId>
struct IsEqual {};
template <int32_t FuncId>
struct IsEqual<FuncId, FuncId> {
  using Type = void;
};

// Divides workspace, which holds zeros, into the queues of groups.
class KfcWorkspace {
 public:
  explicit KfcWorkspace(GM_ADDR workspace, sim::Where where = sim::Where::Here()) : start_(workspace) {
    if (sim::Core::Current().IsCube()) return;
    event_ = GetTPipePtr()->AllocEventID<HardEvent::MTE3_S>(where);
    SetFlag<HardEvent::MTE3_S>(event_, where);
  }
  KfcWorkspace(const KfcWorkspace &) = delete;
  KfcWorkspace &operator=(const KfcWorkspace &) = delete;
  ~KfcWorkspace() noexcept(false) {
    if (sim::Core::Current().IsCube() || std::uncaught_exceptions() != 0) return;
    WaitFlag<HardEvent::MTE3_S>(event_);
    GetTPipePtr()->ReleaseEventID<HardEvent::MTE3_S>(event_);
  }

  void UpdateKfcWorkspace(uint32_t offset) { start_ += offset; }
  GM_ADDR GetKfcWorkspace() { return start_; }

 private:
  friend uint8_t GetEventId(KfcWorkspace &desc) { return static_cast<uint8_t>(desc.event_); }

  GM_ADDR start_;
  TEventID event_ = 0;
};

template <typename CubeMsgType>
class CubeResGroupHandle {
  static_assert(sizeof(CubeMsgType) % 64 == 0,
                "CubeMsgType: the bytes of a message must be a multiple of 64");
  static_assert(std::is_same_v<decltype(CubeMsgType::head), CubeGroupMsgHead> &&
                    offsetof(CubeMsgType, head) == 0,
                "CubeMsgType: the first member must be CubeGroupMsgHead head");

 public:
  CubeResGroupHandle() = default;
  // blockStart and blockSize count two for each cube core.
  CubeResGroupHandle(GM_ADDR workspace, uint8_t blockStart, uint8_t blockSize, uint8_t msgQueueSize,
                     uint8_t evtIDIn, sim::Where where = sim::Where::Here())
      : event_(evtIDIn) {
    const sim::CubeGroup group{workspace, blockStart, blockSize, msgQueueSize};
    sim::CheckCubeGroup(group, sizeof(CubeMsgType), where);
    queues_ = msgQueueSize;
    cubes_ = blockSize / 2;
    per_cube_ = (queues_ + cubes_ - 1) / cubes_;
    start_ = head_ = reinterpret_cast<__gm__ CubeMsgType *>(workspace);
    const auto block = static_cast<uint32_t>(GetBlockIdx());
    serves_ = sim::Core::Current().IsCube() && block >= blockStart / 2U && block < blockStart / 2U + cubes_;
    if (serves_) TakeCube(block - blockStart / 2U);
  }

  // On vector cores. Each queue needs one core.
  void AssignQueue(uint8_t queueIdIn, sim::Where where = sim::Where::Here()) {
    sim::Core &core = sim::Core::Current();
    if (core.IsCube()) return;
    sim::CheckRange(core, sim::FaultKind::kFlag, "AssignQueue", where, "queueIdIn", queueIdIn, 0,
                    queues_ - 1);
    TakeCube(queueIdIn / per_cube_);
    column_ = queueIdIn % per_cube_;
    head_ += column_;
    assigned_ = true;
  }
  // On vector cores: the next place, when it is FREE.
  template <PipeMode pipeMode = PipeMode::SCALAR_MODE>
  __gm__ CubeMsgType *AllocMessage(sim::Where where = sim::Where::Here()) {
    __gm__ CubeMsgType *const message = head_ + row_ * per_cube_;
    sim::Core &core = sim::Core::Current();
    if (core.IsCube()) return message;
    if (!assigned_) {
      core.Fail(sim::FaultKind::kFlag, "AllocMessage", where, "the handle needs AssignQueue before");
    }
    if constexpr (pipeMode == PipeMode::MTE3_MODE) WaitFlag<HardEvent::MTE3_S>(event_, where);
    while (FreshState(message, where) != CubeMsgState::FREE) {
    }
    row_ = (row_ + 1) % kPlaces;
    return message;
  }
  // On vector cores. The result is what Wait takes.
  template <PipeMode pipeMode = PipeMode::SCALAR_MODE>
  uint16_t PostMessage(__gm__ CubeMsgType *msg, CubeMsgType &msgInput,
                       sim::Where where = sim::Where::Here()) {
    static_assert(pipeMode == PipeMode::SCALAR_MODE || pipeMode == PipeMode::MTE3_MODE,
                  "PostMessage: pipeMode must be PipeMode::SCALAR_MODE or PipeMode::MTE3_MODE");
    if (sim::Core::Current().IsCube()) return OffsetOf(msg);
    uint64_t words[kWords];
    std::memcpy(words, &msgInput, sizeof(words));
    if constexpr (pipeMode == PipeMode::SCALAR_MODE) {
      const GlobalTensor<uint64_t> message = WordsOf(msg);
      // The state comes last, in memory and out of the data cache.
      for (uint32_t i = kWords; i > 0; --i) message.SetValue(i - 1, words[i - 1], where);
      for (uint32_t i = kWords; i > 0; i -= kLineWords) CleanLine(message[i - kLineWords], where);
    } else {
      CopyToGm(msg, words, where);
    }
    return OffsetOf(msg);
  }
  // On vector cores: a message that the cube core skips.
  uint16_t PostFakeMsg(__gm__ CubeMsgType *msg, sim::Where where = sim::Where::Here()) {
    if (!sim::Core::Current().IsCube()) SetState(msg, CubeMsgState::FAKE, where);
    return OffsetOf(msg);
  }
  // On vector cores: the cube core looks at this queue no more.
  void SetQuit(__gm__ CubeMsgType *msg, sim::Where where = sim::Where::Here()) {
    if (sim::Core::Current().IsCube()) return;
    BytesOf(msg).SetValue(offsetof(CubeGroupMsgHead, aivID), static_cast<uint8_t>(column_), where);
    SetState(msg, CubeMsgState::QUIT, where);
  }
  // On vector cores: whether the place is FREE again, after it is with sync.
  template <bool sync = true>
  bool Wait(uint16_t offset, sim::Where where = sim::Where::Here()) {
    if (sim::Core::Current().IsCube()) return true;
    __gm__ CubeMsgType *const message = head_ + offset;
    bool free = FreshState(message, where) == CubeMsgState::FREE;
    while (sync && !free) free = FreshState(message, where) == CubeMsgState::FREE;
    return free;
  }
  // On cube cores, in the callback.
  uint16_t FreeMessage(__gm__ CubeMsgType *msg, sim::Where where = sim::Where::Here()) {
    if (sim::Core::Current().IsCube()) SetState(msg, CubeMsgState::FREE, where);
    return OffsetOf(msg);
  }
  uint16_t FreeMessage(__gm__ CubeMsgType *msg, CubeMsgState waitState,
                       sim::Where where = sim::Where::Here()) {
    if (!sim::Core::Current().IsCube()) return OffsetOf(msg);
    while (FreshState(msg, where) != waitState) {
    }
    return FreeMessage(msg, where);
  }
  // On cube cores, in the callback: the messages of the next queues are FAKE, and free already.
  void SetSkipMsg(uint8_t skipCnt, sim::Where where = sim::Where::Here()) {
    sim::Core &core = sim::Core::Current();
    if (!core.IsCube()) return;
    sim::CheckRange(core, sim::FaultKind::kFlag, "SetSkipMsg", where, "skipCnt", skipCnt, 0,
                    served_ - 1 - column_);
    column_ += skipCnt;
  }

 private:
  static constexpr uint32_t kPlaces = 4;     // of a queue
  static constexpr uint32_t kLineWords = 8;  // of the data cache
  static constexpr uint32_t kWords = sizeof(CubeMsgType) / sizeof(uint64_t);

  template <int groupID, class MatmulApiType, template <class, class> class CallBack, typename Message>
  friend CubeResGroupHandle<Message> CreateCubeResGroup(KfcWorkspace &desc, uint8_t blockStart,
                                                        uint8_t blockSize, uint8_t msgQueueSize,
                                                        GM_ADDR tiling, sim::Where where);

  // Goes to the queues of a cube core of the group.
  void TakeCube(uint32_t cube) {
    head_ = start_ + cube * per_cube_ * kPlaces;
    served_ = cube + 1 < cubes_ ? per_cube_ : queues_ - (cubes_ - 1) * per_cube_;
  }
  uint32_t Messages() const { return per_cube_ * cubes_ * kPlaces; }

  uint16_t OffsetOf(const __gm__ CubeMsgType *msg) const { return static_cast<uint16_t>(msg - head_); }
  static GlobalTensor<uint64_t> WordsOf(__gm__ CubeMsgType *msg) {
    GlobalTensor<uint64_t> words;
    words.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t *>(msg), kWords);
    return words;
  }
  static GlobalTensor<uint8_t> BytesOf(__gm__ CubeMsgType *msg) {
    GlobalTensor<uint8_t> bytes;
    bytes.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t *>(msg), sizeof(CubeMsgType));
    return bytes;
  }
  template <typename T>
  static void CleanLine(const GlobalTensor<T> &line, sim::Where where) {
    DataCacheCleanAndInvalid<T, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(line, where);
  }
  static CubeMsgState FreshState(__gm__ CubeMsgType *msg, sim::Where where) {
    const GlobalTensor<uint8_t> bytes = BytesOf(msg);
    CleanLine(bytes, where);
    return static_cast<CubeMsgState>(bytes.GetValue(0, where));
  }
  static void SetState(__gm__ CubeMsgType *msg, CubeMsgState state, sim::Where where) {
    const GlobalTensor<uint8_t> bytes = BytesOf(msg);
    bytes.SetValue(0, static_cast<uint8_t>(state), where);
    CleanLine(bytes, where);
  }
  // Sends a message behind all that MTE3 has written.
  void CopyToGm(__gm__ CubeMsgType *msg, const uint64_t *words, sim::Where where) {
    const uint64_t place = sim::EndOfUb("PostMessage", sizeof(CubeMsgType), where);
    LocalTensor<uint64_t> copy(TPosition::VECOUT, static_cast<uint32_t>(place), kWords);
    for (uint32_t i = 0; i < kWords; ++i) copy.SetValue(i, words[i], where);
    const TEventID written = GetTPipePtr()->FetchEventID(HardEvent::S_MTE3, where);
    SetFlag<HardEvent::S_MTE3>(written, where);
    WaitFlag<HardEvent::S_MTE3>(written, where);
    PipeBarrier<PIPE_MTE3>(where);
    DataCopy(WordsOf(msg), copy, kWords, where);
    SetFlag<HardEvent::MTE3_S>(event_, where);
  }

  // On a cube core: calls the callback for each message, until all queues have quit.
  template <typename Callback, typename Calculator>
  void Serve(Callback &callback, Calculator &calculator, sim::Where where) {
    uint64_t open = served_ == 64 ? ~uint64_t{0} : (uint64_t{1} << served_) - 1;
    while (open != 0) {
      if ((open >> column_ & 1) != 0) {
        __gm__ CubeMsgType *const message = head_ + row_ * per_cube_ + column_;
        CubeMsgState state = FreshState(message, where);
        while (state == CubeMsgState::FREE) state = FreshState(message, where);
        if (state == CubeMsgState::QUIT) {
          open &= ~(uint64_t{1} << BytesOf(message).GetValue(offsetof(CubeGroupMsgHead, aivID), where));
        } else {
          callback.Call(calculator, message, *this);
        }
      }
      if (++column_ < served_) continue;
      column_ = 0;
      row_ = (row_ + 1) % kPlaces;
    }
  }

  __gm__ CubeMsgType *start_ = nullptr;  // the messages of the group
  __gm__ CubeMsgType *head_ = nullptr;   // of a cube core: its first message; of a vector core: of its queue
  uint32_t queues_ = 0;
  uint32_t cubes_ = 0;
  uint32_t per_cube_ = 0;  // queues of a cube core, but for the last one
  uint32_t served_ = 0;    // queues of this cube core
  uint32_t row_ = 0;
  uint32_t column_ = 0;
  TEventID event_ = 0;  // MTE3 to S
  bool serves_ = false;
  bool assigned_ = false;
};

// Makes a group. The cube cores of the group serve it here, until all queues have quit.
template <int groupID, class MatmulApiType, template <class, class> class CallBack, typename CubeMsgType>
CubeResGroupHandle<CubeMsgType> CreateCubeResGroup(KfcWorkspace &desc, uint8_t blockStart, uint8_t blockSize,
                                                   uint8_t msgQueueSize, GM_ADDR tiling,
                                                   sim::Where where = sim::Where::Here()) {
  CubeResGroupHandle<CubeMsgType> handle(desc.GetKfcWorkspace(), blockStart, blockSize, msgQueueSize,
                                         GetEventId(desc), where);
  desc.UpdateKfcWorkspace(handle.Messages() * static_cast<uint32_t>(sizeof(CubeMsgType)));
  if (!handle.serves_) return handle;
  MatmulApiType calculator;
  CallBack<MatmulApiType, CubeMsgType> callback;
  callback.Init(callback, calculator, tiling);
  handle.Serve(callback, calculator, where);
  return handle;
}

}  // namespace AscendC
