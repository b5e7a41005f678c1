// SPDX-License-Identifier: Apache-2.0
// Sorts pairs (score, index) of 8 bytes, the largest score first; equal scores keep their order. The
// documentation does not say where NaN goes; here it is less than everything.
#pragma once

#include <vector>

#include "../kernel_struct_proposal.h"
#include "copy.h"
#include "vector_op.h"

namespace sim {

using AscendC::LocalTensor;

constexpr uint32_t kPairBytes = 8;
constexpr uint32_t kSortLanes = 32;

template <typename T>
struct SortPair {
  T score;
  uint8_t gap[4 - sizeof(T)];
  uint32_t index;
};
template <>
struct SortPair<float> {
  float score;
  uint32_t index;
};
static_assert(sizeof(SortPair<half>) == kPairBytes && sizeof(SortPair<float>) == kPairBytes,
              "a pair is 8 bytes");

template <typename T>
bool Before(const SortPair<T> &a, const SortPair<T> &b) {
  const float x = a.score, y = b.score;
  return x == x && (y != y || x > y);
}

template <typename T>
void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src1,
            int32_t repeat, Where where) {
  static_assert(kOneOf<T, half, float>, "Sort32: element type not available on Atlas A2");
  VectorOp op("Sort32", sizeof(T), where);
  Core &core = op.core();
  CheckRange(core, FaultKind::kRepeat, "Sort32", where, "repeatTime", repeat, 0, 255);
  if (repeat == 0) {
    return;
  }
  const uint32_t count = kSortLanes * static_cast<uint32_t>(repeat);
  const auto add = [&](const char *operand, const LocalTensorBase &tensor, bool write, uint32_t bytes) {
    Operand run = Run(operand, tensor, write, count * bytes);
    run.repeat_bytes = kSortLanes * bytes;
    op.Add(run, tensor);
  };
  op.Share(Sharing::kWiden);
  add("dst", dst, true, kPairBytes);
  add("src0", src0, false, sizeof(T));
  op.Share(Sharing::kNone);
  op.Add(Run("src1", src1, false, count * sizeof(uint32_t)), src1);
  op.instruction().repeats = static_cast<uint32_t>(repeat);
  op.instruction().elements = count;
  const T *scores = Pointer<T>(core, src0);
  const uint32_t *indices = Pointer<uint32_t>(core, src1);
  // Sorts 32 scores; index(i) is the index of number i.
  const auto sorted = [&](uint32_t start, auto index) {
    std::array<SortPair<T>, kSortLanes> pairs{};
    for (uint32_t i = 0; i < kSortLanes; ++i) {
      pairs[i].score = scores[i + start];
      pairs[i].index = index(i + start);
    }
    std::stable_sort(pairs.begin(), pairs.end(), Before<T>);
    return pairs;
  };
  sim::IssueWith(core, op.instruction(), [&](Flows &flows) {
    for (uint32_t start = 0; start < count; start += kSortLanes) {
      const auto places = sorted(start, [](uint32_t i) { return i; });
      // The order depends on all scores.
      flows.Depend(BitsOf(dst, start * kPairBytes, kSortLanes * kPairBytes),
                   BitsOf(src0, start * sizeof(T), kSortLanes * sizeof(T)));
      for (uint32_t i = 0; i < kSortLanes; ++i) {
        flows.Move(BitsOf(dst, (start + i) * kPairBytes + 4, sizeof(uint32_t)),
                   BitsOf(src1, places[i].index * sizeof(uint32_t), sizeof(uint32_t)));
      }
    }
  });
  auto *to = Pointer<SortPair<T>>(core, dst);
  for (uint32_t start = 0; start < count; start += kSortLanes) {
    const auto pairs = sorted(start, [&](uint32_t i) { return indices[i]; });
    std::copy(pairs.begin(), pairs.end(), to + start);
  }
}

// Merges the lists whose bit of `valid` is set. With `suspend` it stops when one of them is used up. Returns
// how many pairs each list gave.
template <typename T>
std::array<uint16_t, 4> MergeLists(SortPair<T> *to, const std::array<const SortPair<T> *, 4> &lists,
                                   const std::array<uint32_t, 4> &lengths, bool suspend) {
  std::array<uint16_t, 4> taken{};
  const auto left = [&](int i) { return taken[i] < lengths[i]; };
  while (true) {
    int best = -1;
    bool exhausted = false;
    for (int i = 0; i < 4; ++i) {
      exhausted = exhausted || (lengths[i] != 0 && !left(i));
      if (left(i) && (best < 0 || Before(lists[i][taken[i]], lists[best][taken[best]]))) {
        best = i;
      }
    }
    if (best < 0 || (suspend && exhausted)) {
      return taken;
    }
    *to++ = lists[best][taken[best]++];
  }
}

constexpr BitRange kMerged{kRegisterFile, kMergedAt, 8};

// The order of `result`, and how many pairs each list gives, depend on all scores. An index goes to where its
// pair goes. `skip`: bytes of the lists before those of this repeat.
template <typename T>
void FlowMerged(Flows &flows, const BitRange &result, const LocalTensor<T> *const tensors[4],
                const std::array<const SortPair<T> *, 4> &lists, const std::array<uint32_t, 4> &lengths,
                uint64_t skip, bool suspend) {
  std::vector<SortPair<T>> pairs[4], merged(result.bytes / kPairBytes);
  std::array<const SortPair<T> *, 4> numbered{};
  std::vector<BitRange> indices;
  for (int list = 0; list < 4; ++list) {
    for (uint32_t i = 0; i < lengths[list]; ++i) {
      const uint64_t pair = skip + uint64_t{i} * kPairBytes;
      for (const BitRange &of_score : {result, kMerged}) {
        flows.Depend(of_score, BitsOf(*tensors[list], pair, sizeof(T)));
      }
      pairs[list].push_back(lists[list][i]);
      pairs[list].back().index = static_cast<uint32_t>(indices.size());
      indices.push_back(BitsOf(*tensors[list], pair + 4, sizeof(uint32_t)));
    }
    numbered[list] = pairs[list].data();
  }
  uint64_t count = 0;
  for (const uint16_t taken : MergeLists(merged.data(), numbered, lengths, suspend)) count += taken;
  for (uint64_t i = 0; i < count; ++i) {
    const BitRange index{result.space, result.address + i * kPairBytes + 4, sizeof(uint32_t)};
    flows.Move(index, indices[merged[i].index]);
  }
}

template <typename T>
void MrgSort(const LocalTensor<T> &dst, const AscendC::MrgSortSrcList<T> &src,
             const AscendC::MrgSort4Info &params, Where where) {
  static_assert(kOneOf<T, half, float>, "MrgSort: element type not available on Atlas A2");
  VectorOp op("MrgSort", sizeof(T), where);
  Core &core = op.core();
  if (params.validBit != 3 && params.validBit != 7 && params.validBit != 15) {
    FailRange(core, FaultKind::kOther, "MrgSort", where, "validBit", "3, 7 or 15", params.validBit);
  }
  if (params.repeatTimes == 0) {
    return;
  }
  const LocalTensor<T> *tensors[4] = {&src.src1, &src.src2, &src.src3, &src.src4};
  const char *names[4] = {"src1", "src2", "src3", "src4"};
  std::array<uint32_t, 4> lengths{};
  uint32_t total = 0;
  for (int i = 0; i < 4; ++i) {
    if ((params.validBit >> i) & 1U) {
      CheckRange(core, FaultKind::kCount_, "MrgSort", where, "elementLengths", params.elementLengths[i], 0,
                 4095);
      lengths[i] = params.elementLengths[i];
      total += lengths[i];
    }
  }
  const uint32_t repeats = params.repeatTimes;
  if (repeats > 1) {
    const bool equal = lengths[0] == lengths[1] && lengths[1] == lengths[2] && lengths[2] == lengths[3];
    bool dense = true;
    for (int i = 1; i < 4; ++i) {
      dense = dense &&
              tensors[i]->address == tensors[0]->address + static_cast<uint64_t>(i) * lengths[0] * kPairBytes;
    }
    if (params.validBit != 15 || params.ifExhaustedSuspension || !equal || !dense) {
      FailRange(
          core, FaultKind::kRepeat, "MrgSort", where, "repeatTimes",
          "1 unless four lists of equal length lie one after the other and ifExhaustedSuspension is false",
          repeats);
    }
  }
  op.Share(Sharing::kNone);
  Operand result = Run("dst", dst, true, static_cast<uint64_t>(total) * kPairBytes * repeats);
  op.Add(result, dst);
  for (int i = 0; i < 4; ++i) {
    if (lengths[i] != 0) {
      Operand list = Run(names[i], *tensors[i], false, lengths[i] * kPairBytes);
      list.groups = repeats;
      list.group_stride = static_cast<int64_t>(total) * kPairBytes;
      list.alignment = kPairBytes;
      op.Add(list, *tensors[i]);
    }
  }
  op.instruction().repeats =
      static_cast<uint32_t>(CeilDivide(static_cast<uint64_t>(total) * kPairBytes * repeats, kRepeatBytes));
  op.instruction().elements = static_cast<uint64_t>(total) * repeats;
  const auto lists_of = [&](uint32_t r) {
    std::array<const SortPair<T> *, 4> lists{};
    for (int i = 0; i < 4; ++i) {
      lists[i] = lengths[i] == 0 ? nullptr : Pointer<SortPair<T>>(core, *tensors[i]) + r * total;
    }
    return lists;
  };
  sim::IssueWith(core, op.instruction(), [&](Flows &flows) {
    flows.Define(kMerged);
    for (uint32_t r = 0; r < repeats; ++r) {
      FlowMerged(flows, BitsOf(dst, uint64_t{r} * total * kPairBytes, total * kPairBytes), tensors,
                 lists_of(r), lengths, uint64_t{r} * total * kPairBytes, params.ifExhaustedSuspension);
    }
  });
  auto *to = Pointer<SortPair<T>>(core, dst);
  for (uint32_t r = 0; r < repeats; ++r) {
    const auto lists = lists_of(r);
    core.registers.merged = MergeLists(to + r * total, lists, lengths, params.ifExhaustedSuspension);
  }
}

// Splits pairs into scores and indices.
template <typename T>
void Extract(const LocalTensor<T> &values, const LocalTensor<uint32_t> &indices, const LocalTensor<T> &sorted,
             int32_t repeat, Where where) {
  VectorOp op("Extract", sizeof(T), where);
  CheckRange(op.core(), FaultKind::kRepeat, "Extract", where, "repeatTime", repeat, 0, 255);
  if (repeat == 0) {
    return;
  }
  const uint32_t count = kSortLanes * static_cast<uint32_t>(repeat);
  op.Add(Run("dstValue", values, true, count * sizeof(T)), values);
  op.Add(Run("dstIndex", indices, true, count * sizeof(uint32_t)), indices);
  op.Share(Sharing::kNone);
  op.Add(Run("sorted", sorted, false, count * kPairBytes), sorted);
  op.instruction().repeats = 2 * static_cast<uint32_t>(repeat);
  op.instruction().elements = 2 * count;
  sim::IssueWith(op.core(), op.instruction(), [&](Flows &flows) {
    for (uint32_t i = 0; i < count; ++i) {
      flows.Move(BitsOf(values, i * sizeof(T), sizeof(T)), BitsOf(sorted, i * kPairBytes, sizeof(T)));
      flows.Move(BitsOf(indices, i * sizeof(uint32_t), sizeof(uint32_t)),
                 BitsOf(sorted, i * kPairBytes + 4, sizeof(uint32_t)));
    }
  });
  const auto *pairs = Pointer<SortPair<T>>(op.core(), sorted);
  T *scores = Pointer<T>(op.core(), values);
  uint32_t *order = Pointer<uint32_t>(op.core(), indices);
  for (uint32_t i = 0; i < count; ++i) {
    const SortPair<T> pair = pairs[i];
    scores[i] = pair.score;
    order[i] = pair.index;
  }
}

// Merges the lists of 32 sorted pairs in `pairs` into one, four at a time; each round copies to `tmp` or
// back.
template <typename T>
void MergeAll(const LocalTensor<T> &pairs, const LocalTensor<T> &tmp, uint32_t lists, Where where) {
  constexpr uint32_t kPerPair = kPairBytes / sizeof(T);
  LocalTensor<T> from = pairs, to = tmp;
  uint32_t length = kSortLanes;
  const uint32_t total = lists * kSortLanes;
  while (length < total) {
    for (uint32_t start = 0; start < total; start += 4 * length) {
      AscendC::MrgSort4Info info;
      LocalTensor<T> list[4];
      uint32_t valid = 0;
      for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t begin = start + i * length;
        list[i] = from[std::min(begin, total) * kPerPair];
        info.elementLengths[i] = static_cast<uint16_t>(begin < total ? std::min(length, total - begin) : 0);
        valid += begin < total ? 1 : 0;
      }
      if (valid == 1) {
        CopyRun("Sort", Side<T>("dst", to[start * kPerPair]), Side<T>("src", list[0]),
                info.elementLengths[0] * kPerPair, where);
        continue;
      }
      info.validBit = static_cast<uint16_t>((1U << valid) - 1);
      sim::MrgSort(to[start * kPerPair], AscendC::MrgSortSrcList<T>(list[0], list[1], list[2], list[3]), info,
                   where);
    }
    std::swap(from, to);
    length *= 4;
  }
  if (from.address != pairs.address) {
    CopyRun("Sort", Side<T>("dst", pairs), Side<T>("src", from), total * kPerPair, where);
  }
}

}  // namespace sim
