// SPDX-License-Identifier: Apache-2.0
// The bodies of DataCopy and DataCopyPad. A copy has two sides, each with rows at a stride.
#pragma once

#include <functional>
#include <mutex>

#include "../kernel_struct_data_copy.h"
#include "../kernel_tensor.h"
#include "lane_functions.h"
#include "vector_op.h"

namespace sim {

// One end of a copy.
struct CopySide {
  Operand operand;
  uint64_t view_bytes = 0;  // on-chip: bytes of the LocalTensor
  uint32_t element_bytes = 1;
  uint32_t gap_blocks = 0;
  bool l2_bypass = false;
  bool tscm = false;      // L1 of the cube core, whatever core makes the copy
  bool fractals = false;  // of a destination: rows of a matrix become fractals on their way
  // In GM: says whether elements of this type may be combined by atomic copies of `type`.
  bool (*combines)(AtomicType type) = nullptr;
  void (*check_gm)(const void *tensor, const char *name, uint64_t address, uint64_t bytes,
                   Where where) = nullptr;
  const void *tensor = nullptr;
};

// The device combines what it copies by the type that SetAtomicType has set, whatever the tensors' type is.
// Unsigned types stand for bits of their width, and uint8_t for bytes of any type: so intrinsics have them.
template <typename T>
bool Combines(AtomicType type) {
  switch (type) {
    case AtomicType::kFloat:
      return kOneOf<T, float, uint32_t, uint8_t>;
    case AtomicType::kHalf:
      return kOneOf<T, half, uint16_t, uint8_t>;
    case AtomicType::kBfloat16:
      return kOneOf<T, bfloat16_t, uint16_t, uint8_t>;
    case AtomicType::kInt32:
      return kOneOf<T, int32_t, uint32_t, uint8_t>;
    case AtomicType::kInt16:
      return kOneOf<T, int16_t, uint16_t, uint8_t>;
    case AtomicType::kInt8:
      return kOneOf<T, int8_t, uint8_t>;
  }
  return false;
}

template <typename T>
CopySide Side(const char *name, const AscendC::LocalTensor<T> &tensor, uint32_t gap_blocks = 0) {
  CopySide side;
  side.operand = LocalOperand(name, tensor, name[0] == 'd');
  side.view_bytes = tensor.bytes;
  side.element_bytes = sizeof(T);
  side.gap_blocks = gap_blocks;
  side.tscm = tensor.position == AscendC::TPosition::TSCM;
  return side;
}

template <typename T>
CopySide Side(const char *name, const AscendC::GlobalTensor<T> &tensor, uint32_t gap_blocks = 0) {
  CopySide side;
  side.operand.name = name;
  side.operand.space = Space::GM;
  side.operand.write = name[0] == 'd';
  side.operand.address = reinterpret_cast<uint64_t>(tensor.address_);
  side.operand.alignment = sizeof(T);
  side.element_bytes = sizeof(T);
  side.gap_blocks = gap_blocks;
  side.l2_bypass = tensor.cacheMode_ == AscendC::CacheMode::CACHE_MODE_DISABLE;
  side.tensor = &tensor;
  side.combines = &Combines<T>;
  side.check_gm = [](const void *global, const char *name, uint64_t address, uint64_t bytes, Where where) {
    static_cast<const AscendC::GlobalTensor<T> *>(global)->CheckBounds(name, address, bytes, where);
  };
  return side;
}

// On a vector core: has the cube core of the block call copy(dst, src), whose destination is TSCM (tscm.h).
// The copy reads `bytes` of src, gaps included. On a cube core the function returns false.
bool CubeCopies(const char *name, const CopySide &dst, const CopySide &src, uint64_t bytes, Where where,
                const std::function<void(const CopySide &, const CopySide &)> &copy);

// Returns the pipe that moves data from one memory to another on Atlas A2.
inline Pipe CopyPipe(Space from, Space to) {
  if (from == Space::GM) {
    return Pipe::MTE2;
  }
  if (from == Space::UB) {
    return to == Space::UB ? Pipe::V : Pipe::MTE3;
  }
  if (from == Space::L0C || to == Space::FB) {
    return Pipe::FIX;
  }
  return from == Space::L1 && to == Space::GM ? Pipe::MTE3 : Pipe::MTE1;
}

inline void CheckSide(Core &core, const char *name, const CopySide &side, Where where) {
  if (side.check_gm != nullptr) {
    side.check_gm(side.tensor, name, side.operand.address, Reach(side.operand), where);
  } else {
    CheckView(core, name, side.operand, side.view_bytes, where);
  }
}

// Returns the number of the atomic operation of a copy (Instruction::atomic).
inline uint8_t AtomicOf(Core &core, const char *name, const CopySide &dst, Where where) {
  if (dst.operand.space != Space::GM || core.registers.atomic == Atomic::kNone) return 0;
  if (dst.combines != nullptr && !dst.combines(core.registers.atomic_type)) {
    core.Fail(
        FaultKind::kType, name, where,
        "SetAtomicType or SetAtomicAdd, SetAtomicMax, SetAtomicMin has set another type than that of dst: "
        "the device combines " +
            std::string(NameOf(core.registers.atomic_type)));
  }
  return core.registers.AtomicNumber();
}

// Judges a copy of `dst.operand` from `src.operand`, whose shapes are set. Without a `flow` both sides have
// the same bytes in the same order.
inline void IssueCopy(Core &core, const char *name, const CopySide &dst, const CopySide &src, Where where,
                      const FlowMap *flow = nullptr, bool leaves_holes = false) {
  CheckSide(core, name, dst, where);
  CheckSide(core, name, src, where);
  Instruction instruction;
  instruction.name = name;
  instruction.where = where;
  instruction.pipe = CopyPipe(src.operand.space, dst.operand.space);
  const bool global = src.operand.space == Space::GM || dst.operand.space == Space::GM;
  instruction.work = global ? Work::kCopy : (instruction.pipe == Pipe::V ? Work::kVector : Work::kLocalCopy);
  const uint64_t bytes = static_cast<uint64_t>(src.operand.row_bytes) * src.operand.rows * src.operand.groups;
  instruction.elements = bytes / src.element_bytes;
  instruction.repeats = static_cast<uint32_t>(CeilDivide(bytes, kRepeatBytes));
  instruction.l2_bypass = src.l2_bypass || dst.l2_bypass;
  instruction.converts = dst.fractals;
  instruction.atomic = AtomicOf(core, name, dst, where);
  instruction.Add(dst.operand);
  instruction.Add(src.operand);
  instruction.flow = ValueFlow::kBits;
  instruction.flow_map = flow;
  instruction.leaves_holes = leaves_holes;
  core.Issue(instruction);
}

template <typename T>
void Combine(Atomic atomic, std::byte *dst, const std::byte *src, uint64_t bytes) {
  for (uint64_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T old, value;
    std::memcpy(&old, dst + i, sizeof(T));
    std::memcpy(&value, src + i, sizeof(T));
    const Compute<T> a = old, b = value;
    const T result =
        static_cast<T>(atomic == Atomic::kAdd ? AddLane()(a, b)
                                              : (atomic == Atomic::kMax ? MaxLane()(a, b) : MinLane()(a, b)));
    std::memcpy(dst + i, &result, sizeof(T));
  }
}

// Writes a row to GM after SetAtomicAdd, SetAtomicMax or SetAtomicMin. Other blocks see it whole or not at
// all.
inline void CombineRow(const Registers &registers, std::byte *dst, const std::byte *src, uint64_t bytes) {
  static std::mutex memory;
  const std::lock_guard<std::mutex> lock(memory);
  switch (registers.atomic_type) {
    case AtomicType::kFloat:
      return Combine<float>(registers.atomic, dst, src, bytes);
    case AtomicType::kHalf:
      return Combine<half>(registers.atomic, dst, src, bytes);
    case AtomicType::kBfloat16:
      return Combine<bfloat16_t>(registers.atomic, dst, src, bytes);
    case AtomicType::kInt32:
      return Combine<int32_t>(registers.atomic, dst, src, bytes);
    case AtomicType::kInt16:
      return Combine<int16_t>(registers.atomic, dst, src, bytes);
    case AtomicType::kInt8:
      return Combine<int8_t>(registers.atomic, dst, src, bytes);
  }
}

inline void CopyRow(const Core &core, const CopySide &side, std::byte *dst, const std::byte *src,
                    uint64_t bytes) {
  if (side.operand.space == Space::GM && core.registers.atomic != Atomic::kNone) {
    CombineRow(core.registers, dst, src, bytes);
  } else {
    std::memmove(dst, src, bytes);
  }
}

// `bytes` of a side from byte `offset` on.
inline BitRange BitsOf(const CopySide &side, uint64_t offset, uint64_t bytes) {
  return {side.operand.space, side.operand.address + offset, bytes};
}

// Copies rows that have the same length on both sides.
inline void CopyRows(Core &core, const CopySide &dst, const CopySide &src) {
  std::byte *to = core.Memory(dst.operand.space, dst.operand.address);
  const std::byte *from = core.Memory(src.operand.space, src.operand.address);
  for (uint32_t row = 0; row < src.operand.rows; ++row) {
    CopyRow(core, dst, to + row * dst.operand.row_stride, from + row * src.operand.row_stride,
            src.operand.row_bytes);
  }
}

// Lengths and gaps count data blocks of 32 bytes, in the bias table 64 bytes and in the fix pipe's table 128.
inline uint32_t CopyUnit(Space space) {
  return space == Space::BT ? 2 * kBlockBytes : space == Space::FB ? 4 * kBlockBytes : kBlockBytes;
}

// Sets the rows of both sides of a copy of blocks. The length of a block counts units of the destination.
// Gaps lie between the end of a block and the start of the next; on the way to the fix pipe's table they
// count from start to start.
inline void SetBlocks(CopySide *dst, CopySide *src, const AscendC::DataCopyParams &params) {
  const uint32_t bytes = params.blockLen * CopyUnit(dst->operand.space);
  for (CopySide *side : {dst, src}) {
    side->operand.row_bytes = bytes;
    side->operand.rows = params.blockCount;
    const int64_t gap = int64_t{side->gap_blocks} * CopyUnit(side->operand.space);
    side->operand.row_stride = dst->operand.space == Space::FB ? gap : bytes + gap;
  }
}

inline void CopyBlocks(const char *name, CopySide dst, CopySide src, const AscendC::DataCopyParams &params,
                       Where where) {
  Core &core = Core::Current();
  CheckRange(core, FaultKind::kStride, name, where, "blockCount", params.blockCount, 0, 4095);
  if (params.blockCount == 0 || params.blockLen == 0) {
    return;
  }
  const auto copy = [&](const CopySide &to, const CopySide &from) {
    CopyBlocks(name, to, from, params, where);
  };
  SetBlocks(&dst, &src, params);
  if (dst.tscm && CubeCopies(name, dst, src, Reach(src.operand), where, copy)) return;
  const Space to = dst.operand.space;
  if (to == Space::BT || to == Space::FB) dst.operand.alignment = CopyUnit(to);
  IssueCopy(core, name, dst, src, where);
  CopyRows(core, dst, src);
}

// Copies blocks of half to the bias table, where they become float and take twice the length.
inline void CopyHalfsToTable(const char *name, CopySide dst, CopySide src,
                             const AscendC::DataCopyParams &params, Where where) {
  Core &core = Core::Current();
  CheckRange(core, FaultKind::kStride, name, where, "blockCount", params.blockCount, 0, 4095);
  if (params.blockCount == 0 || params.blockLen == 0) return;
  SetBlocks(&dst, &src, params);
  dst.operand.row_stride += dst.operand.row_bytes;
  dst.operand.row_bytes *= 2;
  dst.operand.alignment = CopyUnit(Space::BT);
  const FlowBy flow([&](Flows &flows) {
    for (uint32_t row = 0; row < params.blockCount; ++row) {
      for (uint32_t i = 0; i < src.operand.row_bytes / sizeof(half); ++i) {
        flows.Depend(BitsOf(dst, row * dst.operand.row_stride + i * sizeof(float), sizeof(float)),
                     BitsOf(src, row * src.operand.row_stride + i * sizeof(half), sizeof(half)));
      }
    }
  });
  IssueCopy(core, name, dst, src, where, &flow);
  for (uint32_t row = 0; row < params.blockCount; ++row) {
    const std::byte *from =
        core.Memory(src.operand.space, src.operand.address + row * src.operand.row_stride);
    std::byte *to = core.Memory(Space::BT, dst.operand.address + row * dst.operand.row_stride);
    for (uint32_t i = 0; i < src.operand.row_bytes / sizeof(half); ++i) {
      half value;
      std::memcpy(&value, from + i * sizeof(half), sizeof(half));
      const auto wide = static_cast<float>(value);
      std::memcpy(to + i * sizeof(float), &wide, sizeof(float));
    }
  }
}

inline void CopyRun(const char *name, CopySide dst, CopySide src, uint32_t count, Where where) {
  Core &core = Core::Current();
  const auto run = [&](const CopySide &to, const CopySide &from) { CopyRun(name, to, from, count, where); };
  const uint64_t asked = static_cast<uint64_t>(count) * src.element_bytes;
  const uint64_t bytes = asked / kBlockBytes * kBlockBytes;
  if (dst.tscm && CubeCopies(name, dst, src, bytes, where, run)) return;
  if (bytes != asked) {
    core.Report(FaultKind::kRoundedCopy, name, where,
                "count * sizeof(T) should be a multiple of 32 bytes (DataCopyPad moves others), got " +
                    std::to_string(asked) + ": the device copies " + std::to_string(bytes) + " bytes");
  }
  if (bytes == 0) {
    return;
  }
  dst.operand.row_bytes = src.operand.row_bytes = static_cast<uint32_t>(bytes);
  IssueCopy(core, name, dst, src, where);
  CopyRows(core, dst, src);
}

// The older parameters of DataCopyPad, whose fields for strides have fewer bits.
inline AscendC::DataCopyExtParams Extended(const AscendC::DataCopyParams &params) {
  return {params.blockCount, params.blockLen, params.srcStride, params.dstStride, 0};
}

inline void CheckPadParams(Core &core, const char *name, const AscendC::DataCopyExtParams &params,
                           uint32_t element_bytes, Where where) {
  CheckRange(core, FaultKind::kStride, name, where, "blockCount", params.blockCount, 0, 4095);
  CheckRange(core, FaultKind::kStride, name, where, "blockLen", params.blockLen, 0, 2097151);
  if (params.blockLen % element_bytes != 0) {
    FailRange(core, FaultKind::kAlignment, name, where, "blockLen",
              "a multiple of sizeof(T) = " + std::to_string(element_bytes), params.blockLen);
  }
}

template <typename T>
void CopyPadIn(const char *name, const AscendC::LocalTensor<T> &dst, const AscendC::GlobalTensor<T> &src,
               const AscendC::DataCopyExtParams &params, const AscendC::DataCopyPadExtParams<T> &pad,
               Where where) {
  Core &core = Core::Current();
  CheckPadParams(core, name, params, sizeof(T), where);
  CheckRange(core, FaultKind::kStride, name, where, "leftPadding", pad.leftPadding, 0,
             kBlockBytes / sizeof(T));
  CheckRange(core, FaultKind::kStride, name, where, "rightPadding", pad.rightPadding, 0,
             kBlockBytes / sizeof(T));
  if (params.blockCount == 0 || params.blockLen == 0) {
    return;
  }
  const uint32_t left = pad.leftPadding * sizeof(T), right = pad.rightPadding * sizeof(T);
  const uint32_t row = static_cast<uint32_t>(AlignUp(left + params.blockLen + right, kBlockBytes));
  const bool firsts = left == 0 && right == 0;  // the row ends in copies of its first element
  const bool padded = !firsts && (pad.isPad || core.registers.has_pad_value);

  CopySide to = Side<T>("dst", dst);
  to.operand.rows = params.blockCount;
  to.operand.row_stride = row + static_cast<int64_t>(params.dstStride) * kBlockBytes;
  to.operand.row_bytes = row;
  CheckSide(core, name, to, where);
  // Padding without a value holds anything: only the copied bytes count as written.
  if (!padded && !firsts) {
    to.operand.row_bytes = params.blockLen;
    if (left != 0) {
      to.operand.address += left;
      to.view_bytes -= left;
      to.operand.alignment = 1;
    }
  }
  CopySide from = Side<T>("src", src);
  from.operand.alignment = 1;
  from.operand.rows = params.blockCount;
  from.operand.row_bytes = params.blockLen;
  from.operand.row_stride = static_cast<int64_t>(params.blockLen) + params.srcStride;
  const FlowBy flow([&](Flows &flows) {
    for (uint32_t row = 0; row < params.blockCount; ++row) {
      flows.Move(BitsOf(dst, row * to.operand.row_stride + left, params.blockLen),
                 BitsOf(from, row * from.operand.row_stride, params.blockLen));
      if (firsts && params.blockLen < to.operand.row_bytes) {
        flows.Depend(BitsOf(dst, row * to.operand.row_stride + params.blockLen,
                            to.operand.row_bytes - params.blockLen),
                     BitsOf(from, row * from.operand.row_stride, sizeof(T)));
      }
    }
  });
  IssueCopy(core, name, to, from, where, &flow);

  T value = pad.paddingValue;
  if (!pad.isPad) {
    std::memcpy(&value, &core.registers.pad_value, sizeof(T));
  }
  std::byte *out = core.Memory(dst.space, dst.address);
  const std::byte *in = core.Memory(Space::GM, from.operand.address);
  for (uint32_t i = 0; i < params.blockCount; ++i) {
    std::byte *start = out + i * to.operand.row_stride;
    const std::byte *source = in + i * from.operand.row_stride;
    if (!padded) {
      std::memcpy(&value, source, sizeof(T));
    }
    const auto fill = [&](uint32_t byte, uint32_t end) {
      for (; byte < end; byte += sizeof(T)) std::memcpy(start + byte, &value, sizeof(T));
    };
    fill(0, left);
    fill(left + params.blockLen, row);
    std::memcpy(start + left, source, params.blockLen);
  }
}

template <typename T>
void CopyPadOut(const char *name, const AscendC::GlobalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                const AscendC::DataCopyExtParams &params, Where where) {
  Core &core = Core::Current();
  CheckPadParams(core, name, params, sizeof(T), where);
  if (params.blockCount == 0 || params.blockLen == 0) {
    return;
  }
  CopySide to = Side<T>("dst", dst), from = Side<T>("src", src);
  to.operand.alignment = 1;
  for (CopySide *side : {&to, &from}) {
    side->operand.rows = params.blockCount;
    side->operand.row_bytes = params.blockLen;
  }
  to.operand.row_stride = static_cast<int64_t>(params.blockLen) + params.dstStride;
  from.operand.row_stride = static_cast<int64_t>(AlignUp(params.blockLen, kBlockBytes)) +
                            static_cast<int64_t>(params.srcStride) * kBlockBytes;
  IssueCopy(core, name, to, from, where);
  CopyRows(core, to, from);
}

inline void CopyNdToNz(CopySide dst, CopySide src, const AscendC::Nd2NzParams &params, Where where) {
  Core &core = Core::Current();
  if (params.nValue == 0 || params.dValue == 0) {
    return;
  }
  CheckRange(core, FaultKind::kCount_, "DataCopy", where, "ndNum", params.ndNum, 0, 4095);
  CheckRange(core, FaultKind::kCount_, "DataCopy", where, "nValue", params.nValue, 0, 16384);
  CheckRange(core, FaultKind::kStride, "DataCopy", where, "srcDValue", params.srcDValue, 1, 65535);
  CheckRange(core, FaultKind::kStride, "DataCopy", where, "dstNzC0Stride", params.dstNzC0Stride, 1, 16384);
  CheckRange(core, FaultKind::kStride, "DataCopy", where, "dstNzNStride", params.dstNzNStride, 1, 16384);
  CheckRange(core, FaultKind::kStride, "DataCopy", where, "dstNzMatrixStride", params.dstNzMatrixStride, 0,
             16384);
  const uint32_t row_bytes = params.dValue * src.element_bytes;
  const uint32_t columns = static_cast<uint32_t>(CeilDivide(row_bytes, kBlockBytes));
  src.operand.rows = params.nValue;
  src.operand.row_bytes = row_bytes;
  src.operand.row_stride = static_cast<int64_t>(params.srcDValue) * src.element_bytes;
  dst.operand.rows = params.nValue;
  dst.operand.row_bytes = kBlockBytes;
  dst.operand.row_stride = static_cast<int64_t>(params.dstNzNStride) * kBlockBytes;
  dst.operand.groups = columns;
  dst.operand.group_stride = static_cast<int64_t>(params.dstNzC0Stride) * kBlockBytes;
  dst.fractals = true;
  const FlowBy flow([&](Flows &flows) {
    for (uint32_t n = 0; n < params.nValue; ++n) {
      for (uint32_t at = 0; at < row_bytes; at += kBlockBytes) {
        const uint32_t bytes = std::min(kBlockBytes, row_bytes - at);
        const uint64_t block = at / kBlockBytes * dst.operand.group_stride + n * dst.operand.row_stride;
        flows.Move(BitsOf(dst, block, bytes), BitsOf(src, n * src.operand.row_stride + at, bytes));
      }
    }
  });
  IssueCopy(core, "DataCopy", dst, src, where, &flow);
  std::byte *to = core.Memory(dst.operand.space, dst.operand.address);
  const std::byte *from = core.Memory(src.operand.space, src.operand.address);
  for (uint32_t n = 0; n < params.nValue; ++n) {
    for (uint32_t c = 0; c < columns; ++c) {
      std::byte *block = to + c * dst.operand.group_stride + n * dst.operand.row_stride;
      const uint32_t bytes = std::min(kBlockBytes, row_bytes - c * kBlockBytes);
      std::memset(block, 0, kBlockBytes);
      std::memcpy(block, from + n * src.operand.row_stride + static_cast<uint64_t>(c) * kBlockBytes, bytes);
    }
  }
}

// The same for all matrices of the parameters, one instruction each.
inline void CopyNdsToNz(const CopySide &dst, const CopySide &src, const AscendC::Nd2NzParams &params,
                        Where where) {
  const auto copy = [&](const CopySide &to, const CopySide &from) { CopyNdsToNz(to, from, params, where); };
  const auto end = [](uint32_t count, uint64_t stride) { return (std::max(count, 1U) - 1) * stride; };
  const uint64_t elements =
      end(params.ndNum, params.srcNdMatrixStride) + end(params.nValue, params.srcDValue) + params.dValue;
  const uint64_t bytes = elements * src.element_bytes;
  if (dst.tscm && CubeCopies("DataCopy", dst, src, bytes, where, copy)) return;
  for (uint32_t matrix = 0; matrix < params.ndNum; ++matrix) {
    CopySide to = dst, from = src;
    const uint64_t skip = uint64_t{matrix} * params.dstNzMatrixStride * dst.element_bytes;
    to.operand.address += skip;
    to.view_bytes -= std::min(to.view_bytes, skip);
    from.operand.address += uint64_t{matrix} * params.srcNdMatrixStride * src.element_bytes;
    CopyNdToNz(to, from, params, where);
  }
}

struct SameLane {
  template <typename T>
  T operator()(T value) const {
    return value;
  }
};

template <>
inline constexpr ValueFlow kFlowOf<SameLane> = ValueFlow::kBits;

// Copies bits, so that 16-bit floats are handled as integers.
template <typename T, typename M>
void CopyMasked(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src, bool set, M mask,
                uint8_t repeat, const AscendC::CopyRepeatParams &params, Where where) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Copy: element type not available on Atlas A2");
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
  Core &core = Core::Current();
  CheckRange(core, FaultKind::kStride, "Copy", where, "dstRepeatSize", params.dstRepeatSize, 0, 4095);
  CheckRange(core, FaultKind::kStride, "Copy", where, "srcRepeatSize", params.srcRepeatSize, 0, 4095);
  const bool counts = core.registers.mask_counts;
  core.registers.mask_counts = false;
  Unary("Copy", SameLane(), dst.template ReinterpretCast<Bits>(), src.template ReinterpretCast<Bits>(),
        Level0<M>{set,
                  mask,
                  repeat,
                  {Strides{params.dstStride, params.dstRepeatSize},
                   Strides{params.srcStride, params.srcRepeatSize},
                   {}}},
        where);
  core.registers.mask_counts = counts;
}

}  // namespace sim
