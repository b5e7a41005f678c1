// SPDX-License-Identifier: Apache-2.0
// Writes firstValue, firstValue + 1, … to the lanes.
#pragma once

#include "kernel_operator_vec_binary_scalar_intf.h"
#include "sim/lane_functions.h"
#include "sim/vector_op.h"

namespace sim {

// Lane i of repeat r gets first + step * (r * lanes + i), rounded once.
template <typename T, typename Level>
void Sequence(const char *name, const AscendC::LocalTensor<T> &dst, T first, T step, const Level &level,
              Where where) {
  static_assert(kOneOf<T, int16_t, half, int32_t, float>,
                "CreateVecIndex: element type not available on Atlas A2");
  VectorOp op(name, sizeof(T), where);
  if (!level.Apply(op)) {
    return;
  }
  auto to = op.Write<T>("dst", dst, level.template Of<T>(op, 0));
  op.Issue();
  to.Resolve(op.core());
  using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, float>;
  for (uint32_t r = 0; r < op.repeats(); ++r) {
    for (uint32_t lane = 0; lane < op.LanesOf(r); ++lane) {
      if (op.counted() || op.Active(lane)) {
        const auto index = static_cast<Wide>(static_cast<int64_t>(r) * op.lanes() + lane);
        *to.At(r, lane) =
            static_cast<T>(static_cast<Wide>(Widen(first)) + static_cast<Wide>(Widen(step)) * index);
      }
    }
  }
}

// What CreateVecIndex consists of: the scalar unit writes the first data block. Then Adds writes blocks from
// the block before, and repeats from the repeat before, each followed by a barrier.
template <typename T>
class IndexWriter {
 public:
  static_assert(kOneOf<T, int16_t, half, int32_t, float>,
                "CreateVecIndex: element type not available on Atlas A2");
  using Tensor = AscendC::LocalTensor<T>;
  static constexpr uint32_t kBlock = kBlockBytes / sizeof(T), kRepeat = kRepeatBytes / sizeof(T);

  IndexWriter(const Tensor &dst, T first, Where where) : dst_(dst), first_(first), where_(where) {}

  void WriteCount(uint32_t count) const {
    WriteScalars(kBlock, [](uint32_t i) { return i; });
    if (count <= kBlock) return;
    const uint32_t in_repeat = std::min(count, kRepeat);
    for (uint32_t at = kBlock; at < in_repeat; at += kBlock) {
      Step(at, at - kBlock, kBlock, std::min(kBlock, in_repeat - at), Strides());
    }
    for (uint32_t at = kRepeat; at < count; at += kRepeat) {
      const uint32_t lanes = std::min(kRepeat, count - at);
      Step(at, at - kRepeat, kRepeat, lanes, Strides(), lanes == kRepeat);
    }
  }

  // Lanes by the mask, with the strides of dst.
  void WriteRepeats(uint64_t mask, uint32_t repeats, Strides strides) const {
    WriteScalars(static_cast<uint32_t>(std::min<uint64_t>(mask, kBlock)), [](uint32_t i) { return i; });
    const uint32_t whole = static_cast<uint32_t>(mask) / kBlock, step = strides.block * kBlock;
    for (uint32_t block = 1; block < whole; ++block)
      Step(block * step, (block - 1) * step, kBlock, kBlock, Strides());
    if (mask % kBlock > 0) Step(whole * step, (whole - 1) * step, kBlock, mask % kBlock, strides);
    StepRepeats(mask, repeats, strides);
  }
  void WriteRepeats(const uint64_t mask[], uint32_t repeats, Strides strides) const {
    WriteScalars(
        kRepeat, [&](uint32_t lane) { return lane / kBlock * kBlock * strides.block + lane % kBlock; }, mask);
    StepRepeats(mask, repeats, strides);
  }

 private:
  // Writes the elements of the first `lanes` lanes, which the mask chooses, and lets V wait for that.
  template <typename Place>
  void WriteScalars(uint32_t lanes, Place place, const uint64_t *mask = nullptr) const {
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      if (mask != nullptr && ((mask[lane / 64] >> (lane % 64)) & 1U) == 0) continue;
      dst_.SetValue(place(lane), static_cast<float>(first_) + static_cast<float>(lane), where_);
    }
    Core &core = Core::Current();
    const int32_t event = core.FetchEventId(Pipe::S, Pipe::V, where_);
    core.SetFlag(Pipe::S, Pipe::V, event, where_);
    core.WaitFlag(Pipe::S, Pipe::V, event, where_);
  }

  template <typename M>
  void StepRepeats(M mask, uint32_t repeats, Strides strides) const {
    const uint32_t step = strides.repeat * kBlock;
    for (uint32_t r = 1; r < repeats; ++r) Step(r * step, (r - 1) * step, kRepeat, mask, strides);
  }

  // One instruction: element `to` and those after it become `distance` more than element `from` and those
  // after it.
  template <typename M>
  void Step(uint32_t to, uint32_t from, uint32_t distance, M mask, Strides strides,
            bool barrier = true) const {
    using Mask = std::conditional_t<std::is_integral_v<M>, uint64_t, const uint64_t *>;
    const Strides each{strides.block, 8};
    Unary("Adds", WithScalar<AddLane, T>{{}, static_cast<T>(static_cast<float>(distance))}, dst_[to],
          dst_[from], Level0<Mask>{true, mask, 1, {each, each}}, where_);
    if (barrier) Core::Current().Barrier(Pipe::V, where_);
  }

  const Tensor dst_;
  const T first_;
  const Where where_;
};

}  // namespace sim

namespace AscendC {

template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> &dst, const T &firstValue, uint64_t mask,
                                      uint8_t repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride,
                                      sim::Where where = sim::Where::Here()) {
  sim::IndexWriter<T>(dst, firstValue, where).WriteRepeats(mask, repeatTime, {dstBlkStride, dstRepStride});
}
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> &dst, const T &firstValue, uint64_t mask[],
                                      uint8_t repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride,
                                      sim::Where where = sim::Where::Here()) {
  sim::IndexWriter<T>(dst, firstValue, where).WriteRepeats(mask, repeatTime, {dstBlkStride, dstRepStride});
}
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> dst, const T &firstValue, uint32_t count,
                                      sim::Where where = sim::Where::Here()) {
  sim::IndexWriter<T>(dst, firstValue, where).WriteCount(count);
}

}  // namespace AscendC
