// SPDX-License-Identifier: Apache-2.0
// Conversions whose narrow side is no array of whole elements in whole data blocks: int4b_t, of which two lie
// in a byte, and CastDequant, which fills one half of each data block.
#pragma once

#include "cast.h"

namespace sim {

using AscendC::LocalTensor;

// How the lanes of a repeat lie in memory: `lanes_per_byte` in a byte, and `run_bytes` bytes from the start
// of each data block on, moved by `offset` bytes.
//
//   CastDequant, high half:   |................|lanes 0..15     |................|lanes 16..31    |   run 16,
//   offset 16 int4b_t:                  |lanes 0..63                      |lanes 64..127                    |
//   run 32, offset 0
struct Packing {
  uint32_t lanes_per_byte;
  uint32_t run_bytes;
  uint32_t offset;
};

class PackedLanes {
 public:
  PackedLanes(Packing packing, Strides strides) : packing_(packing), strides_(strides) {}

  // Describes the operand to `op`: the bytes with an active lane.
  void AddTo(VectorOp &op, const char *name, const LocalTensorBase &tensor, bool write) const {
    const uint32_t tail = op.counted() ? op.active() % op.lanes() : 0;
    const uint32_t whole = tail > 0 ? op.repeats() - 1 : op.repeats();
    if (whole > 0) AddRepeats(op, LocalOperand(name, tensor, write), tensor, 0, whole);
    if (tail > 0) AddRepeats(op, LocalOperand(name, tensor, write), tensor, whole, 1);
  }

  // The byte of a lane, counted from the operand's address.
  uint64_t ByteOf(uint32_t repeat, uint32_t lane) const {
    const uint32_t byte = lane / packing_.lanes_per_byte;
    return (uint64_t{repeat} * strides_.repeat + uint64_t{byte / packing_.run_bytes} * strides_.block) *
               kBlockBytes +
           packing_.offset + byte % packing_.run_bytes;
  }

 private:
  void AddRepeats(VectorOp &op, Operand operand, LocalTensorBase view, uint32_t first,
                  uint32_t repeats) const {
    const uint64_t start = ByteOf(first, 0);
    operand.address += start;
    operand.alignment = packing_.offset == 0 ? kBlockBytes : packing_.offset;
    view.bytes -= std::min(view.bytes, start);
    operand.row_bytes = packing_.run_bytes;
    operand.rows = op.lanes() / packing_.lanes_per_byte / packing_.run_bytes;
    operand.row_stride = int64_t{strides_.block} * kBlockBytes;
    operand.groups = repeats;
    operand.first_repeat = first;
    operand.group_stride = int64_t{strides_.repeat} * kBlockBytes;
    operand.element_bytes = 1;
    for (uint32_t lane = 0; lane < op.LanesOf(first); ++lane) {
      const uint32_t byte = lane / packing_.lanes_per_byte;
      if (op.counted() || op.Active(lane)) operand.lanes[byte / 64] |= uint64_t{1} << (byte % 64);
    }
    op.Add(operand, view);
  }

  Packing packing_;
  Strides strides_;
};

constexpr Packing kInt4{2, kBlockBytes, 0};

// Values beyond the range of int4b_t, -8 to 7, become the nearest one; NaN becomes 0.
template <RoundMode mode, typename Level>
void CastToInt4(const LocalTensor<uint8_t> &dst, const LocalTensor<half> &src, const Level &level,
                Where where) {
  VectorOp op("Cast", sizeof(half), where);
  if (!level.Apply(op)) return;
  op.Share(Sharing::kShrink);
  const PackedLanes to(kInt4, level.template Of<uint8_t>(op, 0));
  to.AddTo(op, "dst", dst, true);
  auto from = op.Read<half>("src", src, level.template Of<half>(op, 1));
  op.IssueWith([&](Flows &flows) {
    ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
      const auto half_of_byte = static_cast<uint8_t>(15U << lane % 2 * 4);
      flows.Depend(BitsOf(dst, to.ByteOf(r, lane), 1, half_of_byte), op.BitsOf(from, r, lane));
    });
  });
  from.Resolve(op.core());
  uint8_t *bytes = Pointer<uint8_t>(op.core(), dst);
  ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
    const int8_t wide = CastLane<int8_t, half, mode>()(*from.At(r, lane));
    const uint32_t value = std::clamp<int>(wide, -8, 7) & 15;
    const uint32_t shift = lane % 2 * 4;
    uint8_t &byte = bytes[to.ByteOf(r, lane)];
    byte = static_cast<uint8_t>((byte & ~(15U << shift)) | value << shift);
  });
}

template <typename Level>
void CastFromInt4(const LocalTensor<half> &dst, const LocalTensor<uint8_t> &src, const Level &level,
                  Where where) {
  VectorOp op("Cast", sizeof(half), where);
  if (!level.Apply(op)) return;
  op.Share(Sharing::kWiden);
  auto to = op.Write<half>("dst", dst, level.template Of<half>(op, 0));
  const PackedLanes from(kInt4, level.template Of<uint8_t>(op, 1));
  from.AddTo(op, "src", src, false);
  op.IssueWith([&](Flows &flows) {
    ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
      const auto half_of_byte = static_cast<uint8_t>(15U << lane % 2 * 4);
      flows.Depend(op.BitsOf(to, r, lane), BitsOf(src, from.ByteOf(r, lane), 1, half_of_byte));
    });
  });
  to.Resolve(op.core());
  const uint8_t *bytes = Pointer<uint8_t>(op.core(), src);
  ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
    const int value = bytes[from.ByteOf(r, lane)] >> (lane % 2 * 4) & 15;
    *to.At(r, lane) = half(value >= 8 ? value - 16 : value);
  });
}

// Level 2 for a pair of types of which one is int4b_t, which lies dense too: 64 bytes in a repeat.
struct Int4Count {
  int64_t count;
  bool Apply(VectorOp &op) const { return op.Count(count); }
  template <typename T>
  Strides Of(const VectorOp &, int) const {
    return {1, sizeof(T) == 1 ? 2U : 8U};
  }
};

template <typename Level>
void CastToInt4(const LocalTensor<uint8_t> &dst, const LocalTensor<half> &src, RoundMode mode,
                const Level &level, Where where) {
  switch (mode) {
    case RoundMode::CAST_FLOOR:
      return CastToInt4<RoundMode::CAST_FLOOR>(dst, src, level, where);
    case RoundMode::CAST_CEIL:
      return CastToInt4<RoundMode::CAST_CEIL>(dst, src, level, where);
    case RoundMode::CAST_ROUND:
      return CastToInt4<RoundMode::CAST_ROUND>(dst, src, level, where);
    case RoundMode::CAST_TRUNC:
      return CastToInt4<RoundMode::CAST_TRUNC>(dst, src, level, where);
    case RoundMode::CAST_ODD:
      Core::Current().Fail(FaultKind::kRoundMode, "Cast", where,
                           "roundMode must not be CAST_ODD for this pair of types");
    default:
      return CastToInt4<RoundMode::CAST_RINT>(dst, src, level, where);
  }
}

// One word of quantisation parameters: scale in bits 0 to 31, of which the device reads 10 bits of mantissa,
// offset in bits 37 to 45, sign of the result in bit 46.
struct DeqWord {
  uint64_t bits;
  static DeqWord Of(float scale, int16_t offset, bool is_signed) {
    return {uint64_t{FloatBits(scale)} | (static_cast<uint64_t>(offset) & 0x1FF) << 37 |
            uint64_t{is_signed} << 46};
  }
  float Scale() const { return BitsFloat(static_cast<uint32_t>(bits) & 0xFFFFE000U); }
  float Offset() const {
    const int offset = static_cast<int>(bits >> 37 & 0x1FF);
    return static_cast<float>(offset >= 256 ? offset - 512 : offset);
  }
  bool Signed() const { return (bits >> 46 & 1) != 0; }
};

// dst = Cast(src * scale + offset) in one half of each data block of dst. The parameters are DEQSCALE itself,
// or with `by_lane` 16 words in UB, one for each lane of a data block of src. DEQSCALE then counts data
// blocks up to them.
template <typename D, typename Level>
void CastDequant(const LocalTensor<D> &dst, const LocalTensor<int16_t> &src, bool by_lane, bool high_half,
                 const Level &level, Where where) {
  constexpr uint32_t kWords = 16;
  VectorOp op("CastDequant", sizeof(int16_t), where);
  if (!level.Apply(op)) return;
  op.Share(Sharing::kShrink);
  Core &core = op.core();
  const PackedLanes to({1, kBlockBytes / 2, high_half ? kBlockBytes / 2 : 0}, level.template Of<D>(op, 0));
  to.AddTo(op, "dst", dst, true);
  auto from = op.Read<int16_t>("src", src, level.template Of<int16_t>(op, 1));
  const uint64_t config = core.registers.deq_config;
  LocalTensorBase words;
  words.address = (config & 0x3FFF) * kBlockBytes;
  words.bytes = core.BytesOf(Space::UB) - std::min(core.BytesOf(Space::UB), words.address);
  op.Share(Sharing::kNone);
  if (by_lane) op.Add(Run("vdeq", words, false, kWords * sizeof(uint64_t)), words);
  op.IssueWith([&](Flows &flows) {
    ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
      const BitRange result = BitsOf(dst, to.ByteOf(r, lane), 1);
      flows.Depend(result, op.BitsOf(from, r, lane));
      if (by_lane) flows.Depend(result, BitsOf(words, lane % kWords * sizeof(uint64_t), sizeof(uint64_t)));
    });
  });
  from.Resolve(core);
  auto *bytes = Pointer<uint8_t>(core, dst);
  const uint64_t *table = by_lane ? Pointer<uint64_t>(core, words) : nullptr;
  ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
    const DeqWord word{by_lane ? table[lane % kWords] : config};
    if (word.Signed() != std::is_signed_v<D>) {
      core.Fail(FaultKind::kType, op.name(), where,
                "signMode must be true for int8_t, and false for uint8_t");
    }
    const float value = static_cast<float>(*from.At(r, lane)) * word.Scale() + word.Offset();
    bytes[to.ByteOf(r, lane)] = static_cast<uint8_t>(SaturateFloat<D>(Integral<RoundMode::CAST_RINT>(value)));
  });
}

}  // namespace sim
