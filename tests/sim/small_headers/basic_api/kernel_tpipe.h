// SPDX-License-Identifier: Apache-2.0
// The Unified Buffer in parts, and queues that let one pipe work on a part after another:
//
//     VECIN    AllocTensor ─MTE2 copies in─▶ EnQue ─flag MTE2_V─▶ DeQue ─V reads─▶ FreeTensor ─flag V_MTE2─▶
//     AllocTensor VECOUT   AllocTensor ─V writes─▶ EnQue ─flag V_MTE3─▶ DeQue ─MTE3 copies out─▶ FreeTensor
//     ─flag MTE3_V─▶ AllocTensor
#pragma once

namespace AscendC {

template <HardEvent event>
struct PipesOf;
#define PIPES_OF(event, from, to)                   \
  template <>                                       \
  struct PipesOf<HardEvent::event> {                \
    static constexpr pipe_t kFrom = from, kTo = to; \
  };
PIPES_OF(MTE2_V, PIPE_MTE2, PIPE_V)
PIPES_OF(V_MTE2, PIPE_V, PIPE_MTE2)
PIPES_OF(V_MTE3, PIPE_V, PIPE_MTE3)
PIPES_OF(MTE3_V, PIPE_MTE3, PIPE_V)
PIPES_OF(S_MTE3, PIPE_S, PIPE_MTE3)
PIPES_OF(MTE2_S, PIPE_MTE2, PIPE_S)
#undef PIPES_OF

template <HardEvent event>
__aicore__ inline void SetFlag(int32_t id) {
  set_flag(PipesOf<event>::kFrom, PipesOf<event>::kTo, static_cast<event_t>(id));
}
template <HardEvent event>
__aicore__ inline void WaitFlag(int32_t id) {
  wait_flag(PipesOf<event>::kFrom, PipesOf<event>::kTo, static_cast<event_t>(id));
}

template <TPosition position, int depth>
class TQue;

class TPipe {
 public:
  template <TPosition position, int depth>
  __aicore__ void InitBuffer(TQue<position, depth> &queue, uint8_t number, uint32_t bytes) {
    queue.start_ = used_;
    queue.bytes_ = (bytes + 31) / 32 * 32;
    queue.number_ = number;
    queue.first_event_ = events_;
    used_ += queue.number_ * queue.bytes_;
    events_ += number;
  }

 private:
  uint32_t used_ = 0;  // bytes of the Unified Buffer
  int32_t events_ = 0;
};

template <TPosition position, int depth>
class TQue {
 public:
  // Leaves no flag behind that nobody waits for.
  ~TQue() {
    for (uint32_t slot = 0; slot < number_; ++slot) WaitUntilFree(slot);
  }

  template <typename T>
  __aicore__ LocalTensor<T> AllocTensor() {
    const uint32_t slot = next_++ % number_;
    WaitUntilFree(slot);
    return {start_ + slot * bytes_, slot};
  }
  template <typename T>
  __aicore__ bool EnQue(const LocalTensor<T> &tensor) {
    SetFlag<kFilled>(first_event_ + tensor.Slot());
    return true;
  }
  template <typename T>
  __aicore__ LocalTensor<T> DeQue() {
    const uint32_t slot = first_++ % number_;
    WaitFlag<kFilled>(first_event_ + slot);
    return {start_ + slot * bytes_, slot};
  }
  template <typename T>
  __aicore__ void FreeTensor(const LocalTensor<T> &tensor) {
    SetFlag<kEmptied>(first_event_ + tensor.Slot());
    freed_[tensor.Slot()] = true;
  }

 private:
  friend class TPipe;
  static constexpr bool kIn = position == TPosition::VECIN;
  static constexpr HardEvent kFilled = kIn ? HardEvent::MTE2_V : HardEvent::V_MTE3;
  static constexpr HardEvent kEmptied = kIn ? HardEvent::V_MTE2 : HardEvent::MTE3_V;

  void WaitUntilFree(uint32_t slot) {
    if (!freed_[slot]) return;
    WaitFlag<kEmptied>(first_event_ + slot);
    freed_[slot] = false;
  }

  uint32_t start_ = 0;
  uint32_t bytes_ = 0;
  uint32_t number_ = 0;
  uint32_t next_ = 0;   // tensors that AllocTensor gave
  uint32_t first_ = 0;  // tensors that DeQue gave
  int32_t first_event_ = 0;
  bool freed_[8] = {};
};

}  // namespace AscendC
