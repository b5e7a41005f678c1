// SPDX-License-Identifier: Apache-2.0
// ReduceMax and ReduceMin as CANN composes them of WholeReduceMax or WholeReduceMin. Each gives the pairs of
// value and index of the repeats that it reads, and the next one reads the values of these pairs, which are
// every second lane:
//
//   src     | repeat 0 | repeat 1 | repeat 2 | …             1. lanes by the mask
//   work    | value index  value index  value index … |      2. lanes 0, 2, 4, …
//           | value index  … |                               3. lanes 0, 2, 4, …: the value
//
// The scalar unit then adds up the indices that the three steps found, and writes the result. A count that is
// no whole number of repeats is two reductions, of the whole repeats and of the rest, and one of the two
// results.
#pragma once

#include "../kernel_tensor.h"
#include "reduce.h"

namespace sim {

// Lets `to` wait for what `from` has so far, by a free event.
inline void WaitOnce(Pipe from, Pipe to, Where where) {
  Core &core = Core::Current();
  const int32_t event = core.FetchEventId(from, to, where);
  core.SetFlag(from, to, event, where);
  core.WaitFlag(from, to, event, where);
}

template <typename T>
class ExtremeFinder {
 public:
  using Tensor = LocalTensor<T>;

  ExtremeFinder(const char *name, ReduceType type, const Tensor &dst, const Tensor &work, bool index,
                Where where)
      : name_(name), type_(type), dst_(dst), work_(work), index_(index), where_(where) {}

  // repeats: of 256 bytes, `stride` data blocks apart; the mask chooses lanes in each.
  template <typename M>
  void FindInRepeats(const Tensor &src, M mask, int64_t repeats, uint32_t stride) const {
    CheckRange(Core::Current(), FaultKind::kStride, name_, where_, "srcRepStride", stride, 0, 65535);
    if (!CheckWork(repeats)) return;
    index_ ? FindWithIndex(src, mask, repeats, stride) : FindValue(src, mask, repeats, stride);
  }

  void FindInCount(const Tensor &src, int64_t count) const {
    const int64_t whole = count / kLanes, rest = count % kLanes;
    if (!CheckWork(count < 0 ? count
                             : static_cast<int64_t>(CeilDivide(static_cast<uint64_t>(count), kLanes)))) {
      return;
    }
    if (whole == 0) return FindInRepeats(src, static_cast<uint64_t>(count), 1, 8);
    FindInRepeats(src, uint64_t{kLanes}, whole, 8);
    if (rest > 0)
      JoinRest(src[static_cast<uint32_t>(whole * kLanes)], static_cast<uint64_t>(rest), whole * kLanes);
  }

 private:
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
  static constexpr uint32_t kLanes = kRepeatBytes / sizeof(T), kBlock = kBlockBytes / sizeof(T);

  // Says whether there is something to do; fails where the work tensor is too small for it.
  bool CheckWork(int64_t repeats) const {
    Core &core = Core::Current();
    if (repeats < 0)
      FailRange(core, FaultKind::kCount_, name_, where_, "count or repeatTime", ">= 0", repeats);
    const uint64_t elements = WorkElements<T>(static_cast<uint64_t>(repeats), index_);
    if (repeats > 0 && work_.bytes < elements * sizeof(T)) {
      FailRange(core, FaultKind::kCount_, name_, where_, "sharedTmpBuffer",
                "of at least " + std::to_string(elements) + " elements",
                static_cast<int64_t>(work_.bytes / sizeof(T)));
    }
    return repeats > 0;
  }

  template <typename M>
  void Reduce(const Tensor &to, const Tensor &from, M mask, int64_t repeats, uint32_t stride = 8) const {
    using Mask = std::conditional_t<std::is_integral_v<M>, uint64_t, const uint64_t *>;
    WholeReduce<T, Mask>(type_ == ReduceType::MAX ? "WholeReduceMax" : "WholeReduceMin", type_, to, from,
                         true, mask, static_cast<int32_t>(repeats), 1, 1, static_cast<int32_t>(stride),
                         ReduceOrder::ORDER_VALUE_INDEX, where_);
  }
  // The values of `pairs` pairs in one repeat, or in each of several.
  void ReducePairs(uint32_t to, uint32_t from, uint32_t pairs, int64_t repeats = 1) const {
    constexpr uint64_t kEven = 0x5555555555555555;
    const auto even = [](uint32_t count) {
      return count >= 32 ? kEven : kEven & ((uint64_t{1} << 2 * count) - 1);
    };
    const uint64_t mask[2] = {even(pairs), even(pairs > 32 ? pairs - 32 : 0)};
    Reduce(work_[to], work_[from], mask, repeats);
  }

  void Barrier() const { Core::Current().Barrier(Pipe::V, where_); }
  void Wait(Pipe from, Pipe to) const { WaitOnce(from, to, where_); }
  void WaitForScalars() const {
    Wait(Pipe::S, Pipe::V);
    Wait(Pipe::S, Pipe::MTE3);
  }

  // 1. of the drawing; returns the elements that it writes to the work tensor.
  template <typename M>
  uint32_t ReduceSource(const Tensor &src, M mask, int64_t repeats, uint32_t stride) const {
    constexpr int64_t kMost = 255;
    for (int64_t first = 0; first < repeats; first += kMost) {
      Reduce(work_[static_cast<uint32_t>(2 * first)], src[static_cast<uint32_t>(first) * stride * kBlock],
             mask, std::min(kMost, repeats - first), stride);
    }
    Barrier();
    return static_cast<uint32_t>(2 * repeats);
  }
  // 2. of the drawing: from `from` to `to`, and returns the elements there.
  uint32_t ReduceWork(uint32_t to, uint32_t from, uint32_t elements) const {
    const uint32_t whole = elements / kLanes, rest = elements % kLanes;
    if (whole > 0) ReducePairs(to, from, kLanes / 2, whole);
    if (rest > 0) ReducePairs(to + 2 * whole, from + whole * kLanes, rest / 2);
    Barrier();
    return 2 * (whole + (rest > 0 ? 1 : 0));
  }

  template <typename M>
  void FindValue(const Tensor &src, M mask, int64_t repeats, uint32_t stride) const {
    if (repeats == 1) {
      Reduce(work_, src, mask, 1, stride);
    } else {
      uint32_t elements = ReduceWork(0, 0, ReduceSource(src, mask, repeats, stride));
      if (elements > kLanes) elements = ReduceWork(0, 0, elements);
      ReducePairs(0, 0, elements / 2);
    }
    Wait(Pipe::V, Pipe::S);
    dst_.SetValue(0, work_.GetValue(0, where_), where_);
    WaitForScalars();
  }

  template <typename M>
  void FindWithIndex(const Tensor &src, M mask, int64_t repeats, uint32_t stride) const {
    if (repeats == 1) return Reduce(dst_, src, mask, 1, stride);
    uint32_t elements = ReduceSource(src, mask, repeats, stride);
    const uint32_t second = AlignUp(elements, kBlock);
    elements = ReduceWork(second, 0, elements);
    if (elements > kLanes) {
      FailRange(Core::Current(), FaultKind::kRepeat, name_, where_, "repeatTime",
                "at most " + std::to_string(kLanes * kLanes / 4) + " with an index", repeats);
    }
    const uint32_t third = AlignUp(second + elements, kBlock);
    if (elements > 2) ReducePairs(third, second, elements / 2);
    Wait(Pipe::V, Pipe::S);
    const uint32_t found = elements > 2 ? third : second;
    const uint32_t last = IndexAt(found), pairs = elements > 2 ? second : 0, before = IndexAt(pairs + last);
    const uint32_t pair = elements > 2 ? kLanes * (last / 2) + before : last;  // in what step 1 wrote
    const uint32_t lane = elements > 2 ? IndexAt(pair) : before;
    dst_.SetValue(0, work_.GetValue(found, where_), where_);
    dst_.SetValue(1, IndexBits<T>(lane + kBlock * stride * (pair / 2)), where_);
    WaitForScalars();
  }
  // The index of the pair at this element of the work tensor.
  uint32_t IndexAt(uint32_t pair) const { return __builtin_bit_cast(Bits, work_.GetValue(pair + 1, where_)); }

  // Reduces the rest of a count and joins it with what dst_ holds; `begin` is the rest's first index.
  void JoinRest(const Tensor &rest, uint64_t count, int64_t begin) const {
    const auto result = [this](uint32_t i) { return i == 0 || index_ ? dst_.GetValue(i, where_) : T(0); };
    Wait(Pipe::V, Pipe::S);
    const T value = result(0), at = result(1);
    FindInRepeats(rest, count, 1, 8);
    Wait(Pipe::V, Pipe::S);
    const T value_of_rest = result(0), at_of_rest = result(1);
    work_.SetValue(0, value, where_);
    work_.SetValue(1, value_of_rest, where_);
    Wait(Pipe::S, Pipe::V);
    FindInRepeats(work_, uint64_t{2}, 1, 8);
    if (!index_) return;
    Wait(Pipe::V, Pipe::S);
    const bool is_rest = __builtin_bit_cast(Bits, dst_.GetValue(1, where_)) == 1;
    const uint32_t of_rest = static_cast<uint32_t>(begin) + __builtin_bit_cast(Bits, at_of_rest);
    dst_.SetValue(1, is_rest ? IndexBits<T>(of_rest) : at, where_);
    WaitForScalars();
  }

  const char *const name_;
  const ReduceType type_;
  const Tensor dst_, work_;
  const bool index_;
  const Where where_;
};

// ReduceSum of a count: the scalar unit takes the sum from its register and writes it once more.
template <typename T>
void SumOfCount(const LocalTensor<T> &dst, const LocalTensor<T> &src, int64_t count, Where where) {
  ReduceTotal(dst, src, LocalTensor<T>(), false, ReduceCount{count}, where);
  if (count == 0) return;
  Core &core = Core::Current();
  T total;
  std::memcpy(&total, &core.registers.reduced_sum, sizeof(T));
  WaitOnce(Pipe::V, Pipe::S, where);
  dst.SetValue(0, total, where);
  core.StoreRegisters(dst.space, dst.address, kReducedAt, sizeof(T));
  WaitOnce(Pipe::S, Pipe::V, where);
  WaitOnce(Pipe::S, Pipe::MTE3, where);
}

}  // namespace sim
