// SPDX-License-Identifier: Apache-2.0
// Reductions of data blocks, of pairs, of repeats, and of all elements.
#pragma once

#include <limits>
#include <vector>

#include "lane_functions.h"
#include "vector_op.h"

namespace sim {

using AscendC::LocalTensor;
using AscendC::ReduceOrder;
using AscendC::ReduceType;

// Adds in the documented order: neighbours first, then neighbours of these sums. Each sum is rounded to T.
template <typename T>
T TreeSum(T *values, uint32_t count) {
  for (uint32_t width = count; width > 1; width /= 2) {
    for (uint32_t i = 0; i < width / 2; ++i) {
      values[i] = static_cast<T>(Widen(values[2 * i]) + Widen(values[2 * i + 1]));
    }
  }
  return values[0];
}

// The largest (or smallest) element so far and its index. Of equal elements it keeps the first; a NaN wins,
// and of several NaN the first.
template <typename T>
struct Best {
  bool found = false;
  T value{};
  uint32_t index = 0;

  void Offer(ReduceType type, T candidate, uint32_t at) {
    const Compute<T> now = Widen(value), next = Widen(candidate);
    const bool better = type == ReduceType::MAX ? next > now : next < now;
    if (!found || (now == now && (better || next != next))) {
      found = true;
      value = candidate;
      index = at;
    }
  }
};

// Returns an index as the device stores it: in the bits of an element.
template <typename T>
T IndexBits(uint32_t index) {
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
  return __builtin_bit_cast(T, static_cast<Bits>(index));
}

template <typename T>
void CheckReduce(const char *name, Core &core, int32_t dst_repeat, int32_t src_block, int32_t src_repeat,
                 Where where) {
  static_assert(kOneOf<T, half, float>, "reduction: element type not available on Atlas A2");
  CheckRange(core, FaultKind::kStride, name, where, "dstRepStride", dst_repeat, 0, 65535);
  CheckRange(core, FaultKind::kStride, name, where, "srcBlkStride", src_block, 0, 65535);
  CheckRange(core, FaultKind::kStride, name, where, "srcRepStride", src_repeat, 0, 65535);
}

// The operand of the results of a reduction: repeat r writes up to `results` elements of T from dst + r *
// stride bytes on, those whose bit is set.
template <typename T>
void AddResults(VectorOp &op, const LocalTensor<T> &dst, uint32_t results, uint64_t written,
                uint64_t stride_bytes, uint32_t alignment) {
  Operand operand = Run("dst", dst, true, results * sizeof(T));
  operand.groups = op.repeats();
  operand.group_stride = static_cast<int64_t>(stride_bytes);
  operand.alignment = alignment;
  const uint64_t all = results == 64 ? ~uint64_t{0} : (uint64_t{1} << results) - 1;
  if (results <= 64 && written != all) {
    operand.element_bytes = sizeof(T);
    operand.lanes = {written, 0, 0, 0};
  }
  op.Add(operand, dst);
}

// Says whether a lane is active in repeat r; in counter mode the last repeat may have fewer lanes.
inline bool LaneOn(const VectorOp &op, uint32_t r, uint32_t lane) {
  return op.counted() ? lane < op.LanesOf(r) : op.Active(lane);
}

// Writes eight results in a repeat, one for each data block. The result of a block without an active lane
// stays.
template <typename T, typename M>
void BlockReduce(const char *name, ReduceType type, const LocalTensor<T> &dst, const LocalTensor<T> &src,
                 bool set, M mask, int32_t repeat, int32_t dst_repeat, int32_t src_block, int32_t src_repeat,
                 Where where) {
  VectorOp op(name, sizeof(T), where);
  CheckReduce<T>(name, op.core(), dst_repeat, src_block, src_repeat, where);
  if (!op.Mask(set, mask, repeat)) {
    return;
  }
  constexpr uint32_t kPerBlock = Lanes<T>::kPerBlock;
  op.Share(Sharing::kShrink);
  auto from =
      op.Read<T>("src", src, Strides{static_cast<uint32_t>(src_block), static_cast<uint32_t>(src_repeat)});
  uint64_t blocks = 0;
  for (uint32_t lane = 0; lane < op.lanes(); ++lane) {
    blocks |= static_cast<uint64_t>(LaneOn(op, 0, lane) ? 1 : 0) << (lane / kPerBlock);
  }
  AddResults(op, dst, 8, blocks, dst_repeat * 8 * sizeof(T), 8 * sizeof(T));
  op.IssueWith([&](Flows &flows) {
    ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
      flows.Depend(BitsOf(dst, (uint64_t{r} * dst_repeat * 8 + lane / kPerBlock) * sizeof(T), sizeof(T)),
                   op.BitsOf(from, r, lane));
    });
  });
  from.Resolve(op.core());
  T *to = Pointer<T>(op.core(), dst);
  for (uint32_t r = 0; r < op.repeats(); ++r) {
    T results[8];  // the device reads a repeat before it writes it
    uint32_t found = 0;
    for (uint32_t block = 0; block < 8; ++block) {
      T sum[kPerBlock];
      Best<T> best;
      for (uint32_t i = 0; i < kPerBlock; ++i) {
        const uint32_t lane = block * kPerBlock + i;
        const bool on = LaneOn(op, r, lane);
        sum[i] = on ? *from.At(r, lane) : T(0);
        if (on) {
          best.Offer(type, sum[i], i);
        }
      }
      results[block] = type == ReduceType::SUM ? TreeSum(sum, kPerBlock) : best.value;
      found |= static_cast<uint32_t>(best.found ? 1 : 0) << block;
    }
    for (uint32_t block = 0; block < 8; ++block) {
      if ((found >> block & 1U) != 0) to[(r * dst_repeat) * 8 + block] = results[block];
    }
  }
}

// Adds neighbours. The result of a pair without an active lane stays.
template <typename T, typename M>
void PairReduce(const LocalTensor<T> &dst, const LocalTensor<T> &src, bool set, M mask, int32_t repeat,
                int32_t dst_repeat, int32_t src_block, int32_t src_repeat, Where where) {
  VectorOp op("PairReduceSum", sizeof(T), where);
  CheckReduce<T>("PairReduceSum", op.core(), dst_repeat, src_block, src_repeat, where);
  if (!op.Mask(set, mask, repeat)) {
    return;
  }
  op.Share(Sharing::kShrink);
  auto from =
      op.Read<T>("src", src, Strides{static_cast<uint32_t>(src_block), static_cast<uint32_t>(src_repeat)});
  uint64_t pairs = 0;
  for (uint32_t lane = 0; lane < op.lanes(); ++lane) {
    pairs |= static_cast<uint64_t>(LaneOn(op, 0, lane) ? 1 : 0) << (lane / 2);
  }
  AddResults(op, dst, op.lanes() / 2, pairs, dst_repeat * kRepeatBytes / 2, kBlockBytes);
  op.IssueWith([&](Flows &flows) {
    ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
      const uint64_t pair = uint64_t{r} * dst_repeat * op.lanes() / 2 + lane / 2;
      flows.Depend(BitsOf(dst, pair * sizeof(T), sizeof(T)), op.BitsOf(from, r, lane));
    });
  });
  from.Resolve(op.core());
  T *to = Pointer<T>(op.core(), dst);
  for (uint32_t r = 0; r < op.repeats(); ++r) {
    Compute<T> values[kRepeatBytes / sizeof(T)];
    for (uint32_t lane = 0; lane < op.lanes(); ++lane) {
      values[lane] = LaneOn(op, r, lane) ? Widen(*from.At(r, lane)) : Compute<T>(0);
    }
    for (uint32_t pair = 0; pair < op.lanes() / 2; ++pair) {
      if (LaneOn(op, r, 2 * pair) || LaneOn(op, r, 2 * pair + 1)) {
        to[r * dst_repeat * op.lanes() / 2 + pair] = static_cast<T>(values[2 * pair] + values[2 * pair + 1]);
      }
    }
  }
}

template <typename T>
T SumOfRepeat(const VectorOp &op, const Lanes<T> &from, uint32_t r) {
  T values[kRepeatBytes / sizeof(T)];
  for (uint32_t lane = 0; lane < op.lanes(); ++lane) {
    values[lane] = LaneOn(op, r, lane) ? *from.At(r, lane) : T(0);
  }
  return TreeSum(values, op.lanes());
}

template <typename T>
Best<T> BestOfRepeat(const VectorOp &op, ReduceType type, const Lanes<T> &from, uint32_t r) {
  Best<T> best;
  for (uint32_t lane = 0; lane < op.lanes(); ++lane) {
    if (LaneOn(op, r, lane)) {
      best.Offer(type, *from.At(r, lane), lane);
    }
  }
  return best;
}

// The registers of Remember.
constexpr BitRange kReduced{kRegisterFile, kReducedAt, 24};

inline void ReadReduced(const char *name, Where where) {
  Core::Current().ReadRegisters(name, where, kReduced.address, kReduced.bytes);
}

// Keeps the results for GetReduceRepeatMaxMinSpr and GetReduceRepeatSumSpr in the special registers.
template <typename T>
void Remember(Core &core, T value, uint32_t index) {
  core.registers.reduced_value = 0;
  std::memcpy(&core.registers.reduced_value, &value, sizeof(T));
  core.registers.reduced_sum = core.registers.reduced_value;
  core.registers.reduced_index = index;
}

// Writes one result for each repeat: a sum, or the extreme and its index within the repeat.
template <typename T, typename M>
void WholeReduce(const char *name, ReduceType type, const LocalTensor<T> &dst, const LocalTensor<T> &src,
                 bool set, M mask, int32_t repeat, int32_t dst_repeat, int32_t src_block, int32_t src_repeat,
                 ReduceOrder order, Where where) {
  VectorOp op(name, sizeof(T), where);
  CheckReduce<T>(name, op.core(), dst_repeat, src_block, src_repeat, where);
  if (!op.Mask(set, mask, repeat)) {
    return;
  }
  const bool both = type != ReduceType::SUM &&
                    (order == ReduceOrder::ORDER_VALUE_INDEX || order == ReduceOrder::ORDER_INDEX_VALUE);
  const bool only_index = type != ReduceType::SUM && order == ReduceOrder::ORDER_ONLY_INDEX;
  const uint32_t bytes = both ? 2 * sizeof(T) : (only_index ? sizeof(uint32_t) : sizeof(T));
  op.Share(Sharing::kShrink);
  auto from =
      op.Read<T>("src", src, Strides{static_cast<uint32_t>(src_block), static_cast<uint32_t>(src_repeat)});
  Operand result = Run("dst", dst, true, bytes);
  result.groups = op.repeats();
  result.group_stride = static_cast<int64_t>(dst_repeat) * bytes;
  result.alignment = bytes;
  op.Add(result, dst);
  op.IssueWith([&](Flows &flows) {
    flows.Define(kReduced);
    ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
      const BitRange source = op.BitsOf(from, r, lane);
      flows.Depend(BitsOf(dst, uint64_t{r} * dst_repeat * bytes, bytes), source);
      if (r + 1 == op.repeats()) flows.Depend(kReduced, source);
    });
  });
  from.Resolve(op.core());
  std::byte *to = op.core().Memory(dst.space, dst.address);
  for (uint32_t r = 0; r < op.repeats(); ++r) {
    std::byte *place = to + r * result.group_stride;
    if (type == ReduceType::SUM) {
      const T sum = SumOfRepeat(op, from, r);
      std::memcpy(place, &sum, sizeof(T));
      Remember(op.core(), sum, 0);
      continue;
    }
    const Best<T> best = BestOfRepeat(op, type, from, r);
    const T index = IndexBits<T>(best.index);
    if (only_index) {
      std::memcpy(place, &best.index, sizeof(uint32_t));
    } else {
      const bool value_first = order != ReduceOrder::ORDER_INDEX_VALUE;
      std::memcpy(place + (value_first ? 0 : sizeof(T)), &best.value, sizeof(T));
      if (both) {
        std::memcpy(place + (value_first ? sizeof(T) : 0), &index, sizeof(T));
      }
    }
    Remember(op.core(), best.value, best.index);
  }
}

// Returns the elements of the work tensor that ReduceMax and ReduceMin need for `repeats` repeats: a value
// and an index for each repeat, in every round until one is left. Without an index all rounds use the same
// space.
template <typename T>
uint64_t WorkElements(uint64_t repeats, bool index) {
  constexpr uint64_t kPerBlock = kBlockBytes / sizeof(T), kPerRepeat = kRepeatBytes / sizeof(T);
  uint64_t outputs = std::max<uint64_t>(repeats, 1) * 2;
  uint64_t total = AlignUp(outputs, kPerBlock);
  while (index && outputs > 2) {
    outputs = CeilDivide(outputs, kPerRepeat) * 2;
    total += AlignUp(outputs, kPerBlock);
  }
  return total;
}

// A kernel may not rely on what a work tensor holds afterwards.
template <typename T>
void AddWork(VectorOp &op, const LocalTensor<T> &work, uint64_t elements) {
  if (work.bytes < elements * sizeof(T)) {
    FailRange(op.core(), FaultKind::kCount_, op.name(), op.where(), "sharedTmpBuffer",
              "of at least " + std::to_string(elements) + " elements",
              static_cast<int64_t>(work.bytes / sizeof(T)));
  }
  op.Add(Run("sharedTmpBuffer", work, true, elements * sizeof(T)), work);
}

// Chooses the lanes of reductions of a whole tensor, whose repeatTime has 32 bits. `first` repeats are done
// already.
template <typename M>
struct ReduceMask {
  M mask;
  int64_t repeat;
  uint32_t stride;
  bool Apply(VectorOp &op, int64_t first) const {
    return op.Mask(true, mask, std::min<int64_t>(255, repeat - first));
  }
  int64_t Repeats(uint32_t) const { return repeat; }
  Strides Source() const { return {1, stride}; }
};
// One instruction takes any count.
struct ReduceCount {
  int64_t count;
  bool Apply(VectorOp &op, int64_t) const { return op.Count(count); }
  int64_t Repeats(uint32_t) const { return count < 0 ? -1 : count > 0 ? 1 : 0; }
  Strides Source() const { return {1, 8}; }
};
// The mask registers choose the lanes of the one instruction that does all repeats.
struct ReduceRegisters {
  uint8_t repeat;
  Strides source;
  bool Apply(VectorOp &op, int64_t) const { return op.Mask(false, uint64_t{0}, repeat); }
  int64_t Repeats(uint32_t) const {
    const Registers &registers = Core::Current().registers;
    return (registers.mask_counts ? registers.mask[0] : repeat) == 0 ? 0 : 1;
  }
  Strides Source() const { return source; }
};

template <typename T, typename Choice, typename Visit>
void ReduceInChunks(const char *name, const LocalTensor<T> &dst, const LocalTensor<T> &src,
                    const LocalTensor<T> &work, uint64_t work_elements, uint32_t results, uint32_t alignment,
                    const Choice &choice, Where where, Visit visit) {
  static_assert(kOneOf<T, half, float>, "reduction: element type not available on Atlas A2");
  constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
  const int64_t repeats = choice.Repeats(kLanes);
  for (int64_t first = 0; first < repeats; first += 255) {
    VectorOp op(name, sizeof(T), where);
    if (!choice.Apply(op, first)) {
      return;
    }
    const Strides strides = choice.Source();
    const uint32_t start = static_cast<uint32_t>(first) * strides.repeat * (kBlockBytes / sizeof(T));
    op.Share(Sharing::kPack);
    auto from = op.Read<T>("src", src[start], strides);
    if (work_elements > 0) {
      AddWork(op, work, work_elements);
    }
    Operand result = Run("dst", dst, true, results * sizeof(T));
    result.alignment = alignment;
    op.Add(result, dst);
    op.IssueWith([&](Flows &flows) {
      if (first == 0) flows.Define(kReduced);
      ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
        flows.Depend(BitsOf(dst, 0, results * sizeof(T)), op.BitsOf(from, r, lane));
        flows.Depend(kReduced, op.BitsOf(from, r, lane));
      });
      // The instructions after the first one add to its result.
      if (first != 0) flows.Depend(BitsOf(dst, 0, results * sizeof(T)), kReduced);
    });
    from.Resolve(op.core());
    visit(op, from, static_cast<uint32_t>(first));
  }
}

// By count it adds the sums of the repeats one after the other and needs no work tensor. By mask it adds them
// as a tree.
template <typename T, typename Choice>
void ReduceTotal(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, bool tree,
                 const Choice &choice, Where where) {
  Core &core = Core::Current();
  constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
  const int64_t repeats = choice.Repeats(kLanes);
  if (repeats < 0) {
    FailRange(core, FaultKind::kCount_, "ReduceSum", where, "count or repeatTime", ">= 0", repeats);
  }
  if (repeats == 0) {
    return;
  }
  std::vector<T> sums;
  const uint64_t elements = tree ? AlignUp(repeats, kBlockBytes / sizeof(T)) : 0;
  ReduceInChunks("ReduceSum", dst, src, work, elements, 1, sizeof(T), choice, where,
                 [&](const VectorOp &op, const Lanes<T> &from, uint32_t) {
                   for (uint32_t r = 0; r < op.repeats(); ++r) {
                     sums.push_back(SumOfRepeat(op, from, r));
                   }
                 });
  // The tree over repeats has the same steps of 256 bytes as the first round.
  while (tree && sums.size() > 1) {
    std::vector<T> next;
    for (size_t i = 0; i < sums.size(); i += kLanes) {
      std::vector<T> values(kLanes, T(0));
      std::copy_n(sums.begin() + i, std::min<size_t>(kLanes, sums.size() - i), values.begin());
      next.push_back(TreeSum(values.data(), kLanes));
    }
    sums = std::move(next);
  }
  T total = sums[0];
  for (size_t i = 1; i < sums.size(); ++i) {
    total = static_cast<T>(Widen(total) + Widen(sums[i]));
  }
  if (elements > 0) {
    std::memset(core.Memory(work.space, work.address), 0xA5, elements * sizeof(T));
  }
  *Pointer<T>(core, dst) = total;
  Remember(core, total, 0);
}

}  // namespace sim
