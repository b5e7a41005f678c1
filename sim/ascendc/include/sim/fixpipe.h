// SPDX-License-Identifier: Apache-2.0
// The body of Fixpipe. It copies columns of fractals (NZ) from L0C to GM or L1, as rows (ND) or as they lie,
// and converts and clips the values.
#pragma once

#include <vector>

#include "../kernel_struct_fixpipe.h"
#include "fixpipe_quant.h"
#include "fractals.h"
#include "unit_flags.h"

namespace sim {

// Columns that lie together in NZ: 16; 8 where fractals are split; 32 of one byte each, as Fixpipe merges two
// fractals.
template <typename T>
uint32_t FixpipeColumns(const AscendC::FixpipeParamsV220 &params) {
  return params.isChannelSplit ? 8 : sizeof(T) == 1 ? 32 : kFractalRows;
}

template <typename T, typename U>
void CheckFixpipe(Core &core, const char *name, const LocalTensorBase &src, bool to_l1,
                  AscendC::CO2Layout layout, const AscendC::FixpipeParamsV220 &params, Where where) {
  const bool rows = layout == AscendC::CO2Layout::ROW_MAJOR;
  CheckMemory(core, name, where, "src", src, {Space::L0C}, "L0C (CO1)");
  const bool known = std::is_same_v<U, float> || std::is_same_v<U, int32_t>;
  if (!known || !LegalQuant<T, U>(params.quantPre) || (to_l1 && sizeof(T) == 4)) {
    core.Fail(
        FaultKind::kType, name, where,
        std::string("quantPre must be NoQuant for equal types, F322F16 from float to half, F322BF16 from "
                    "float to bfloat16_t, (V)QF322B8_PRE from float to int8_t or uint8_t, (V)REQ8 from "
                    "int32_t to these, (V)DEQF16 from int32_t to half; Atlas A2 has no others") +
            (to_l1 ? ", and L1 takes no type of 4 bytes" : ""));
  }
  if (rows && to_l1) core.Fail(FaultKind::kOther, name, where, "the way to L1 needs CFG_NZ");
  if (params.isChannelSplit && (rows || !std::is_same_v<T, float>)) {
    core.Fail(FaultKind::kOther, name, where, "isChannelSplit needs CFG_NZ and float");
  }
  CheckUnitFlag(core, name, params.unitFlag, where);
  CheckRange(core, FaultKind::kCount_, name, where, "nSize", params.nSize, 0, 4095);
  if (rows) CheckRange(core, FaultKind::kCount_, name, where, "mSize", params.mSize, 0, 8192);
  if (rows) CheckRange(core, FaultKind::kStride, name, where, "srcNdStride", params.srcNdStride, 0, 512);
  const uint32_t unit = FixpipeColumns<T>(params);
  if (!rows && params.nSize % unit != 0) {
    FailRange(core, FaultKind::kCount_, name, where, "nSize",
              "a multiple of " + std::to_string(unit) + " for NZ", params.nSize);
  }
  if (params.dstStride == 0) FailRange(core, FaultKind::kStride, name, where, "dstStride", "positive", 0);
}

// The values that are read: whole columns of 16, and those of the last column.
template <typename U>
void AddFixpipeSource(Core &core, const char *name, const LocalTensorBase &src,
                      const AscendC::FixpipeParamsV220 &params, Use use, Where where,
                      Instruction *instruction) {
  Operand whole = LocalOperand("src", src, false);
  whole.alignment = 64;
  whole.use = use;
  whole.row_bytes = params.mSize * kFractalRows * sizeof(U);
  whole.groups = params.nSize / kFractalRows;
  whole.group_stride = int64_t{params.srcStride} * kFractalRows * sizeof(U);
  if (whole.groups != 0) {
    CheckView(core, name, whole, src.bytes, where);
    instruction->Add(whole);
  }
  const uint32_t left = params.nSize % kFractalRows;
  if (left == 0) return;
  Operand tail = whole;
  const uint64_t skip = whole.groups * static_cast<uint64_t>(whole.group_stride);
  tail.address += skip;
  tail.groups = 1;
  tail.rows = params.mSize;
  tail.row_bytes = left * sizeof(U);
  tail.row_stride = kFractalRows * sizeof(U);
  CheckView(core, name, tail, src.bytes - std::min(src.bytes, skip), where);
  instruction->Add(tail);
}

// Copies one matrix of L0C. The address and the memory of `dst` are set.
template <typename T, typename U>
void FixpipeMatrix(Core &core, const char *name, CopySide dst, const LocalTensorBase &src, bool rows,
                   const AscendC::FixpipeParamsV220 &params, Where where) {
  const uint32_t unit = rows ? params.nSize : FixpipeColumns<T>(params);
  dst.operand.alignment = rows ? 1 : kBlockBytes;
  dst.operand.rows = params.mSize;
  dst.operand.row_bytes = unit * sizeof(T);
  dst.operand.row_stride = rows ? int64_t{params.dstStride} * sizeof(T) : int64_t{unit} * sizeof(T);
  dst.operand.groups = params.nSize / unit;
  dst.operand.group_stride = int64_t{params.dstStride} * kBlockBytes;
  CheckSide(core, name, dst, where);

  Instruction instruction;
  instruction.name = name;
  instruction.where = where;
  instruction.pipe = Pipe::FIX;
  const bool global = dst.operand.space == Space::GM;
  instruction.work = global ? Work::kCopy : Work::kLocalCopy;
  instruction.elements = uint64_t{params.mSize} * params.nSize;
  instruction.l2_bypass = dst.l2_bypass;
  instruction.atomic = AtomicOf(core, name, dst, where);
  instruction.Add(dst.operand);
  // In NZ the last fractal may have columns that nobody computed.
  const Use use = global && !rows ? Use::kPadding : Use::kValue;
  AddFixpipeSource<U>(core, name, src, params, use, where, &instruction);
  const FixpipeFactors factors(core, params.quantPre);
  factors.AddTo(&instruction, params.nSize);
  AwaitUnitFlags(core, instruction, params.unitFlag);
  const auto place_of = [&](uint32_t row, uint32_t column) {
    return (uint64_t{column / kFractalRows} * params.srcStride + row) * kFractalRows + column % kFractalRows;
  };
  IssueWith(core, instruction, [&](Flows &flows) {
    for (uint32_t column = 0; !global && column < dst.operand.groups * unit; ++column) {
      for (uint32_t i = 0; i < params.mSize; ++i) {
        const uint64_t offset =
            column / unit * dst.operand.group_stride + i * dst.operand.row_stride + column % unit * sizeof(T);
        const BitRange result = BitsOf(dst, offset, sizeof(T));
        flows.Depend(result, BitsOf(src, place_of(i, column) * sizeof(U), sizeof(U)));
        flows.Depend(result, factors.BitsOf(column));
      }
    }
  });
  ChangeUnitFlags(core, instruction, params.unitFlag);

  std::byte *out = core.Memory(dst.operand.space, dst.operand.address);
  const std::byte *in = core.Memory(Space::L0C, src.address);
  std::vector<T> row(unit);
  for (uint32_t group = 0; group < dst.operand.groups; ++group) {
    for (uint32_t i = 0; i < params.mSize; ++i) {
      std::byte *target = out + group * dst.operand.group_stride + i * dst.operand.row_stride;
      for (uint32_t j = 0; j < unit; ++j) {
        const uint32_t column = group * unit + j;
        U value;
        std::memcpy(&value, in + place_of(i, column) * sizeof(U), sizeof(U));
        row[j] = FixpipeValue<T>(value, factors.Of(column), params.reluEn);
      }
      CopyRow(core, dst, target, reinterpret_cast<const std::byte *>(row.data()), row.size() * sizeof(T));
    }
  }
}

// Fixpipe takes the factor for all columns from its register.
inline void SetFactor(const AscendC::FixpipeParamsV220 &params) {
  const QuantMode_t mode = params.quantPre;
  if (mode == DEQF16 || mode == QF322B8_PRE || mode == REQ8) {
    Core::Current().registers.factor = params.deqScalar;
  }
}

template <typename T, typename U>
void FixpipeOut(CopySide dst, const LocalTensorBase &src, AscendC::CO2Layout layout,
                const AscendC::FixpipeParamsV220 &params, Where where) {
  constexpr const char *kName = "Fixpipe";
  Core &core = Core::Current();
  const bool rows = layout == AscendC::CO2Layout::ROW_MAJOR;
  CheckFixpipe<T, U>(core, kName, src, dst.operand.space == Space::L1, layout, params, where);
  if (params.nSize == 0 || params.mSize == 0) return;
  for (uint32_t matrix = 0; matrix < (rows ? params.ndNum : 1U); ++matrix) {
    CopySide to = dst;
    LocalTensorBase from = src;
    const uint64_t skip = uint64_t{matrix} * params.srcNdStride * kFractalRows * kFractalRows * sizeof(U);
    to.operand.address += uint64_t{matrix} * params.dstNdStride * sizeof(T);
    from.address += skip;
    from.bytes -= std::min(from.bytes, skip);
    FixpipeMatrix<T, U>(core, kName, to, from, rows, params, where);
  }
}

// The same with the parameters of the intrinsic, which takes the numbers and strides of matrices from their
// register.
template <typename T, typename U>
void FixpipeByRegisters(const CopySide &dst, const LocalTensorBase &src, AscendC::FixpipeParamsV220 params,
                        uint8_t relu, bool rows, Where where) {
  Core &core = Core::Current();
  if (relu > 1) {
    core.Fail(FaultKind::kOther, "Fixpipe", where, "ReLUPRE must be 0 or 1, others are not modelled");
  }
  params.reluEn = relu != 0;
  if (rows) {
    const uint64_t matrices = core.registers.matrices;
    params.ndNum = matrices & 0xFFFF;
    params.srcNdStride = matrices >> 16 & 0xFFFF;
    params.dstNdStride = matrices >> 32 & 0xFFFF;
  }
  FixpipeOut<T, U>(dst, src, rows ? AscendC::CO2Layout::ROW_MAJOR : AscendC::CO2Layout::NZ, params, where);
}
// What SetFixPipeConfig and set_fpc write: where factors lie, and in bit 63 that unit flags are cleared.
inline void SetFactorTable(uint64_t word) {
  Core::Current().registers.factor_table = word;
  if ((word >> 63) != 0) ClearUnitFlags(Core::Current());
}

}  // namespace sim
