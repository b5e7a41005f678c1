// SPDX-License-Identifier: Apache-2.0
// Reads by address. Each element that is touched is judged, not the range around all of them.
#pragma once

#include <vector>

#include "../kernel_struct_gather.h"
#include "vector_op.h"

namespace sim {

using AscendC::LocalTensor;

// A map of the elements of a table that one instruction touches.
class TouchMap {
 public:
  explicit TouchMap(uint64_t elements) : words_((elements + 63) / 64, 0) {}
  void Add(uint64_t element) { words_[element / 64] |= uint64_t{1} << (element % 64); }
  const uint64_t *data() const { return words_.data(); }

 private:
  std::vector<uint64_t> words_;
};

// Offsets count bytes from src. The offsets are judged first, as they decide what is read.
template <typename T, typename Level>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets,
            uint32_t base, const Level &level, Where where) {
  static_assert(kOneOf<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                "Gather: element type not available on Atlas A2");
  VectorOp op("Gather", sizeof(T), where);
  if (!level.Apply(op)) {
    return;
  }
  Core &core = op.core();
  auto to = op.Write<T>("dst", dst, level.template Of<T>(op, 0));
  op.Share(Sharing::kNone);
  // Offsets lie densely: 4 bytes for each lane, whatever the width of an element.
  op.Reads(Use::kAddress);
  auto from = op.Read<uint32_t>("srcOffset", offsets, op.Dense<uint32_t>());
  op.Reads(Use::kValue);
  from.Resolve(core);

  const uint64_t elements = src.bytes / sizeof(T);
  TouchMap touched(elements);
  const auto each = [&](auto visit) {
    for (uint32_t r = 0; r < op.repeats(); ++r) {
      for (uint32_t lane = 0; lane < op.LanesOf(r); ++lane) {
        if (op.counted() || op.Active(lane)) {
          visit(r, lane, static_cast<uint64_t>(base) + *from.At(r, lane));
        }
      }
    }
  };
  uint64_t last = 0;
  each([&](uint32_t r, uint32_t lane, uint64_t byte) {
    if (byte % sizeof(T) != 0 || byte + sizeof(T) > src.bytes) {
      op.Issue();  // where nothing wrote an offset, that is the report
      const std::string name = "srcBaseOffset + srcOffset[" + std::to_string(r * op.lanes() + lane) + "]";
      const bool aligned = byte % sizeof(T) == 0;
      FailRange(core, aligned ? FaultKind::kUbBounds : FaultKind::kAlignment, "Gather", where, name.c_str(),
                aligned ? "a byte offset inside src, which has " + std::to_string(src.bytes) + " bytes"
                        : "a multiple of sizeof(T) = " + std::to_string(sizeof(T)),
                static_cast<int64_t>(byte));
    }
    touched.Add(byte / sizeof(T));
    last = std::max(last, byte / sizeof(T));
  });
  Operand table = Run("src", src, false, (last + 1) * sizeof(T));
  table.element_bytes = sizeof(T);
  table.elements = touched.data();
  op.Add(table, src);
  op.IssueWith([&](Flows &flows) {
    each([&](uint32_t r, uint32_t lane, uint64_t byte) {
      flows.Depend(op.BitsOf(to, r, lane), BitsOf(src, byte, sizeof(T)));
    });
  });
  to.Resolve(core);
  const std::byte *bytes = core.Memory(src.space, src.address);
  each([&](uint32_t r, uint32_t lane, uint64_t byte) {
    std::memcpy(to.At(r, lane), bytes + byte, sizeof(T));
  });
}

// Gather of a count: whole repeats, then the elements after them. CANN keeps the number of repeats in 8 bits,
// so that of more than 255 it gathers some alone.
template <typename T>
void GatherCount(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets,
                 uint32_t base, uint32_t count, Where where) {
  constexpr uint32_t kLanes = kRepeatBytes / sizeof(T), kMostRepeats = 255;
  const uint32_t whole = count / kLanes, rest = count % kLanes;
  if (whole > kMostRepeats) {
    FailRange(Core::Current(), FaultKind::kCount_, "Gather", where, "count",
              "less than " + std::to_string((kMostRepeats + 1) * kLanes) +
                  ", because CANN keeps the number of repeats in 8 bits",
              count);
  }
  const auto gather = [&](uint32_t first, uint64_t lanes, uint32_t repeats) {
    Gather(dst[first], src, offsets[first], base, Level0<uint64_t>{true, lanes, repeats, {Strides()}}, where);
  };
  if (whole > 0) gather(0, kLanes, whole);
  if (rest > 0) gather(whole * kLanes, rest, 1);
}

// Gathers whole data blocks by their offsets in bytes; a repeat has eight.
template <typename T>
void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets,
             uint8_t repeat, const AscendC::GatherRepeatParams &params, Where where) {
  static_assert(kOneOf<T, uint16_t, uint32_t>, "Gatherb: element type not available on Atlas A2");
  VectorOp op("Gatherb", sizeof(T), where);
  if (!op.Mask(true, kRepeatBytes / sizeof(T), repeat)) {
    return;
  }
  Core &core = op.core();
  const uint32_t block = params.dstBlkStride == 0 ? 1 : params.dstBlkStride;
  auto to = op.Write<T>("dst", dst, Strides{block, params.dstRepStride});
  const uint32_t count = repeat * 8U;
  op.Share(Sharing::kNone);
  op.Reads(Use::kAddress);
  op.Add(Run("offset", offsets, false, count * sizeof(uint32_t)), offsets);
  op.Reads(Use::kValue);
  const uint32_t *offset = Pointer<uint32_t>(core, offsets);
  TouchMap touched(src.bytes / kBlockBytes + 1);
  uint64_t last = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const bool aligned = offset[i] % kBlockBytes == 0;
    if (!aligned || static_cast<uint64_t>(offset[i]) + kBlockBytes > src.bytes) {
      op.Issue();
      FailRange(core, aligned ? FaultKind::kUbBounds : FaultKind::kAlignment, "Gatherb", where, "offset",
                aligned ? "a byte offset inside src, which has " + std::to_string(src.bytes) + " bytes"
                        : std::string("a multiple of 32 bytes"),
                offset[i]);
    }
    touched.Add(offset[i] / kBlockBytes);
    last = std::max<uint64_t>(last, offset[i] / kBlockBytes);
  }
  Operand table = Run("src", src, false, (last + 1) * kBlockBytes);
  table.element_bytes = kBlockBytes;
  table.elements = touched.data();
  op.Add(table, src);
  op.IssueWith([&](Flows &flows) {
    for (uint32_t i = 0; i < count; ++i) {
      BitRange block = op.BitsOf(to, i / 8, (i % 8) * Lanes<T>::kPerBlock);
      block.bytes = kBlockBytes;
      flows.Move(block, BitsOf(src, offset[i], kBlockBytes));
    }
  });
  to.Resolve(core);
  const std::byte *bytes = core.Memory(src.space, src.address);
  for (uint32_t i = 0; i < count; ++i) {
    std::memcpy(to.At(i / 8, (i % 8) * Lanes<T>::kPerBlock), bytes + offset[i], kBlockBytes);
  }
}

// Packs the elements whose bit is 1. bit(r, e) is the bit of element e of repeat r.
// part(r, e) is where that bit lies.
template <typename T, typename AddPattern, typename Bit, typename PartOfBit>
void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, bool reduce_mode, uint32_t mask,
                const AscendC::GatherMaskParams &params, uint64_t &kept, Where where, AddPattern add_pattern,
                Bit bit, PartOfBit part) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "GatherMask: element type not available on Atlas A2");
  VectorOp op("GatherMask", sizeof(T), where);
  Core &core = op.core();
  kept = 0;
  if (params.repeatTimes == 0) {
    return;
  }
  if (reduce_mode && mask == 0) {
    FailRange(core, FaultKind::kMask, "GatherMask", where, "mask", "at least 1 in reduceMode", mask);
  }
  const uint32_t count = reduce_mode ? mask : kRepeatBytes / sizeof(T);  // elements a repeat
  const uint64_t bytes = static_cast<uint64_t>(count) * sizeof(T);
  // Whole blocks, then the rest of the last one.
  Operand whole = LocalOperand("src0", src, false);
  whole.groups = params.repeatTimes;
  whole.group_stride = static_cast<int64_t>(params.src0RepeatStride) * kBlockBytes;
  whole.rows = static_cast<uint32_t>(bytes / kBlockBytes);
  whole.row_bytes = kBlockBytes;
  whole.row_stride = static_cast<int64_t>(params.src0BlockStride) * kBlockBytes;
  op.Share(Sharing::kPack);
  if (whole.rows > 0) {
    op.Add(whole, src);
  }
  if (bytes % kBlockBytes != 0) {
    Operand tail = whole;
    const uint64_t start = static_cast<uint64_t>(whole.rows) * whole.row_stride;
    tail.address += start;
    tail.rows = 1;
    tail.row_bytes = static_cast<uint32_t>(bytes % kBlockBytes);
    LocalTensorBase rest = src;
    rest.bytes -= std::min(rest.bytes, start);
    op.Add(tail, rest);
  }
  op.Share(Sharing::kNone);
  add_pattern(op, count);
  const auto element = [&](uint32_t r, uint32_t e) {
    constexpr uint32_t kPerBlock = Lanes<T>::kPerBlock;
    return r * whole.group_stride + static_cast<int64_t>(e / kPerBlock) * whole.row_stride +
           e % kPerBlock * sizeof(T);
  };
  uint64_t total = 0;
  for (uint32_t r = 0; r < params.repeatTimes; ++r) {
    for (uint32_t e = 0; e < count; ++e) {
      total += bit(r, e) ? 1 : 0;
    }
  }
  op.Add(Run("dst", dst, true, total * sizeof(T)), dst);
  op.instruction().repeats = static_cast<uint32_t>(CeilDivide(bytes * params.repeatTimes, kRepeatBytes));
  op.instruction().elements = static_cast<uint64_t>(count) * params.repeatTimes;
  sim::IssueWith(core, op.instruction(), [&](Flows &flows) {
    uint64_t packed = 0;
    for (uint32_t r = 0; r < params.repeatTimes; ++r) {
      for (uint32_t e = 0; e < count; ++e) {
        flows.Decide(part(r, e), "chooses elements by src1Pattern");
        if (bit(r, e)) {
          flows.Move(BitsOf(dst, packed++ * sizeof(T), sizeof(T)), BitsOf(src, element(r, e), sizeof(T)));
        }
      }
    }
  });
  std::byte *to = core.Memory(dst.space, dst.address);
  const std::byte *from = core.Memory(src.space, src.address);
  for (uint32_t r = 0; r < params.repeatTimes; ++r) {
    for (uint32_t e = 0; e < count; ++e) {
      if (bit(r, e)) {
        std::memcpy(to + kept * sizeof(T), from + element(r, e), sizeof(T));
        ++kept;
      }
    }
  }
}

// A repeat takes the bits of `bits` one after the other.
template <typename T, typename U>
void GatherMaskByBits(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<U> &bits,
                      bool reduce_mode, uint32_t mask, const AscendC::GatherMaskParams &params,
                      uint64_t &kept, Where where) {
  const auto pattern = [&] { return Pointer<uint8_t>(Core::Current(), bits); };
  const int64_t stride = static_cast<int64_t>(params.src1RepeatStride) * kBlockBytes;
  GatherMask(
      dst, src0, reduce_mode, mask, params, kept, where,
      [&](VectorOp &op, uint32_t count) {
        Operand operand = Run("src1Pattern", bits, false, CeilDivide(count, 8));
        operand.groups = params.repeatTimes;
        operand.group_stride = stride;
        op.Add(operand, bits);
      },
      [&](uint32_t r, uint32_t e) { return ((pattern()[r * stride + e / 8] >> (e % 8)) & 1U) != 0; },
      [&](uint32_t r, uint32_t e) {
        return BitsOf(bits, r * stride + e / 8, 1, static_cast<uint8_t>(1U << e % 8));
      });
}

// Pattern 1: even elements; 2: odd ones; 3 to 6: the first to the fourth of each four; 7: all.
template <typename T>
void GatherMaskByPattern(const LocalTensor<T> &dst, const LocalTensor<T> &src0, uint8_t pattern,
                         bool reduce_mode, uint32_t mask, const AscendC::GatherMaskParams &params,
                         uint64_t &kept, Where where) {
  CheckRange(Core::Current(), FaultKind::kOther, "GatherMask", where, "src1Pattern", pattern, 1, 7);
  GatherMask(
      dst, src0, reduce_mode, mask, params, kept, where, [](VectorOp &, uint32_t) {},
      [=](uint32_t, uint32_t e) {
        return pattern == 7 || (pattern <= 2 ? e % 2 == pattern - 1U : e % 4 == pattern - 3U);
      },
      [](uint32_t, uint32_t) { return BitRange{}; });
}

// Each element of src fills a data block of dst; a repeat has eight.
template <typename T>
void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint8_t repeat,
          const AscendC::BrcbRepeatParams &params, Where where) {
  static_assert(kOneOf<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                "Brcb: element type not available on Atlas A2");
  VectorOp op("Brcb", sizeof(T), where);
  if (!op.Mask(true, kRepeatBytes / sizeof(T), repeat)) {
    return;
  }
  if (params.dstBlkStride == 0) {
    FailRange(op.core(), FaultKind::kStride, "Brcb", where, "dstBlkStride", "at least 1", 0);
  }
  auto to = op.Write<T>("dst", dst, Strides{params.dstBlkStride, params.dstRepStride});
  op.Share(Sharing::kNone);
  op.Add(Run("src", src, false, repeat * 8 * sizeof(T)), src);
  op.IssueWith([&](Flows &flows) {
    ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
      const uint64_t source = r * 8 + lane / Lanes<T>::kPerBlock;
      flows.Move(op.BitsOf(to, r, lane), BitsOf(src, source * sizeof(T), sizeof(T)));
    });
  });
  to.Resolve(op.core());
  const T *from = Pointer<T>(op.core(), src);
  for (uint32_t i = 0; i < repeat * 8U; ++i) {
    const T value = from[i];
    T *block = to.At(i / 8, (i % 8) * Lanes<T>::kPerBlock);
    std::fill(block, block + Lanes<T>::kPerBlock, value);
  }
}

}  // namespace sim
