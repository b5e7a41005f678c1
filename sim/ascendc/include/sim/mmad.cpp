// SPDX-License-Identifier: Apache-2.0
#include "mmad.h"

#include <vector>

#include "../../engine/core_state.h"
#include "mmad_lanes.h"
#include "mmad_shape.h"
#include "sparse.h"
#include "unit_flags.h"

namespace sim {
namespace {

constexpr const char *kName = "Mmad";
constexpr uint32_t kChained = 10;  // fractals of C from which on products follow each other without a barrier
constexpr uint32_t kHf32DroppedBits = 12;  // 23 bits of mantissa less 11

// The operands of the m x n results in C: whole columns of fractals, and the columns of the last one.
void AddC(Core &core, const Shape &shape, const LocalTensorBase &dst, bool write, Where where,
          Instruction *instruction) {
  Operand whole = LocalOperand("dst", dst, write);
  whole.alignment = 1024;
  whole.row_bytes = shape.m * kSide * kResultBytes;
  whole.groups = shape.n / kSide;
  whole.group_stride = int64_t{shape.rows} * kSide * kSide * kResultBytes;
  if (whole.groups != 0) {
    CheckView(core, kName, whole, dst.bytes, where);
    instruction->Add(whole);
  }
  if (shape.n % kSide == 0) return;
  Operand tail = whole;
  const uint64_t skip = shape.OffsetC(0, shape.n / kSide * kSide);
  tail.address += skip;
  tail.groups = 1;
  tail.rows = shape.m;
  tail.row_bytes = shape.n % kSide * kResultBytes;
  tail.row_stride = kSide * kResultBytes;
  CheckView(core, kName, tail, dst.bytes - std::min(dst.bytes, skip), where);
  instruction->Add(tail);
}

float ToHf32(float value, bool ties_to_zero) {
  const uint32_t bits = FloatBits(value);
  if ((bits & 0x7F800000U) == 0x7F800000U) return value;
  const uint32_t half = 1U << (kHf32DroppedBits - 1);
  const uint32_t up = ties_to_zero ? half - 1 : half - 1 + ((bits >> kHf32DroppedBits) & 1U);
  return BitsFloat((bits + up) & ~((1U << kHf32DroppedBits) - 1));
}

struct Rounding {
  bool hf32 = false;
  bool ties_to_zero = false;
};

template <typename T>
auto Widen(T value, const Rounding &rounding) {
  if constexpr (std::is_same_v<T, int8_t>) {
    return static_cast<int32_t>(value);
  } else if constexpr (std::is_same_v<T, float>) {
    return rounding.hf32 ? ToHf32(value, rounding.ties_to_zero) : value;
  } else {
    return static_cast<float>(value);
  }
}

// Element `index` of a row; two elements of int4b_t lie in a byte.
template <typename T>
auto Load(const std::byte *bytes, uint32_t index) {
  if constexpr (std::is_same_v<T, AscendC::int4b_t>) {
    const auto bits = static_cast<uint32_t>(*bytes) >> (index % 2 * 4) & 0xFU;
    return static_cast<int8_t>(static_cast<int>(bits ^ 8U) - 8);
  } else {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }
}

// Adds over k in order, four rows and 16 columns at a time.
template <typename T>
void Product(Core &core, const Shape &shape, const Rounding &rounding, const LocalTensorBase &dst,
             const LocalTensorBase &fm, const LocalTensorBase &filter, const LocalTensorBase *bias,
             bool accumulate) {
  using R = decltype(Widen(Load<T>(nullptr, 0), rounding));
  static_assert(kSide == kPanelColumns);
  static const auto add_panel = PanelFunction<R>();
  const std::byte *a_bytes = core.Memory(fm.space, fm.address);
  const std::byte *b_bytes = core.Memory(filter.space, filter.address);
  const std::byte *bias_bytes = bias != nullptr ? core.Memory(bias->space, bias->address) : nullptr;
  std::byte *c_bytes = core.Memory(dst.space, dst.address);
  std::vector<R> a(uint64_t{shape.m} * shape.k);
  for (uint32_t row = 0; row < shape.m; ++row) {
    for (uint32_t i = 0; i < shape.k; ++i) {
      a[uint64_t{row} * shape.k + i] = Widen(Load<T>(a_bytes + shape.OffsetA(row, i), i), rounding);
    }
  }
  std::vector<R> b(uint64_t{shape.k} * kSide);
  for (uint32_t column = 0; column < shape.n; column += kSide) {
    const uint32_t columns = std::min(kSide, shape.n - column);
    for (uint32_t i = 0; i < shape.k; ++i) {
      for (uint32_t j = 0; j < columns; ++j) {
        b[uint64_t{i} * kSide + j] = Widen(Load<T>(b_bytes + shape.OffsetB(i, column + j), i), rounding);
      }
    }
    for (uint32_t row = 0; row < shape.m; row += kPanelRows) {
      const uint32_t rows = std::min(kPanelRows, shape.m - row);
      R sums[kPanelRows][kSide] = {};
      const R *a_rows[kPanelRows];
      for (uint32_t r = 0; r < kPanelRows; ++r) {
        const uint32_t there = std::min(r, rows - 1);  // rows beyond the last one repeat it, for nothing
        a_rows[r] = a.data() + uint64_t{row + there} * shape.k;
        const std::byte *c = c_bytes + shape.OffsetC(row + there, column);
        if (accumulate) std::memcpy(sums[r], c, columns * sizeof(R));
        if (bias != nullptr) std::memcpy(sums[r], bias_bytes + column * sizeof(R), columns * sizeof(R));
      }
      add_panel(a_rows, b.data(), shape.k, sums[0]);
      for (uint32_t r = 0; r < rows; ++r) {
        std::memcpy(c_bytes + shape.OffsetC(row + r, column), sums[r], columns * sizeof(R));
      }
    }
  }
}

// Each stored value of B meets one of four values of A, which its index chooses.
void SparseProduct(Core &core, const Shape &shape, const LocalTensorBase &dst, const LocalTensorBase &fm,
                   const LocalTensorBase &filter, bool accumulate, Where where) {
  const std::byte *a = core.Memory(fm.space, fm.address);
  const std::byte *b = core.Memory(filter.space, filter.address);
  std::byte *c = core.Memory(dst.space, dst.address);
  std::vector<uint32_t> places(shape.k_b);
  for (uint32_t column = 0; column < shape.n; ++column) {
    for (uint32_t i = 0; i < shape.k_b; ++i) {
      places[i] = SparsePlace(core, kName, filter.address + shape.OffsetB(i, column), i, where);
    }
    for (uint32_t row = 0; row < shape.m; ++row) {
      int32_t sum = 0;
      std::byte *to = c + shape.OffsetC(row, column);
      if (accumulate) std::memcpy(&sum, to, sizeof(sum));
      for (uint32_t i = 0; i < shape.k_b; ++i) {
        sum += Load<int8_t>(a + shape.OffsetA(row, places[i]), 0) *
               Load<int8_t>(b + shape.OffsetB(i, column), 0);
      }
      std::memcpy(to, &sum, sizeof(sum));
    }
  }
}

// A result depends on its row of A, its column of B, its bias and its old value.
void FlowProduct(Flows &flows, const Shape &shape, const LocalTensorBase &dst, const LocalTensorBase &fm,
                 const LocalTensorBase &filter, const LocalTensorBase *bias, bool accumulate) {
  const auto depend = [&](uint32_t row, uint32_t column, const BitRange &source) {
    if (flows.Undefined(source)) flows.Depend(BitsOf(dst, shape.OffsetC(row, column), kResultBytes), source);
  };
  // Finds the first undefined element of a row or column: all its results depend on that one.
  const auto undefined = [&](uint32_t k, auto part) {
    for (uint32_t i = 0; i < k; ++i) {
      if (flows.Undefined(part(i))) return part(i);
    }
    return BitRange{};
  };
  for (uint32_t row = 0; row < shape.m; ++row) {
    const BitRange a =
        undefined(shape.k, [&](uint32_t i) { return BitsOf(fm, shape.OffsetA(row, i), shape.width()); });
    for (uint32_t column = 0; column < shape.n; ++column) {
      depend(row, column, a);
      const uint64_t old = shape.OffsetC(row, column);
      if (accumulate) depend(row, column, BitsOf(dst, old, kResultBytes));
      if (bias != nullptr) depend(row, column, BitsOf(*bias, column * kResultBytes, kResultBytes));
    }
  }
  for (uint32_t column = 0; column < shape.n; ++column) {
    const BitRange b = undefined(
        shape.k_b, [&](uint32_t i) { return BitsOf(filter, shape.OffsetB(i, column), shape.width()); });
    for (uint32_t row = 0; row < shape.m; ++row) depend(row, column, b);
  }
}

void CheckProduct(Core &core, CubeKind kind, const LocalTensorBase &dst, const LocalTensorBase &fm,
                  const LocalTensorBase &filter, const LocalTensorBase *bias,
                  const AscendC::MmadParams &params, Where where) {
  if (kind == CubeKind::kNone) {
    core.Fail(FaultKind::kType, kName, where,
              "fm and filter must both be half, bfloat16_t or float and dst float, or both int8_t or int4b_t "
              "and dst int32_t; bias has the type of dst");
  }
  CheckMemory(core, kName, where, "dst", dst, {Space::L0C}, "L0C (CO1)");
  CheckMemory(core, kName, where, "fm", fm, {Space::L0A}, "L0A (A2)");
  CheckMemory(core, kName, where, "filter", filter, {Space::L0B}, "L0B (B2)");
  if (bias != nullptr) CheckMemory(core, kName, where, "bias", *bias, {Space::BT}, "the bias table (C2)");
  CheckRange(core, FaultKind::kCount_, kName, where, "m", params.m, 0, 4095);
  CheckRange(core, FaultKind::kCount_, kName, where, "n", params.n, 0, 4095);
  CheckRange(core, FaultKind::kCount_, kName, where, "k", params.k, 0, 4095);
  if (bias != nullptr && params.cmatrixInitVal) {
    core.Fail(FaultKind::kOther, kName, where,
              "cmatrixInitVal must be false where bias is the initial value of dst: true starts from zero");
  }
  CheckUnitFlag(core, kName, params.unitFlag, where);
}

}  // namespace

void Multiply(CubeKind kind, const LocalTensorBase &dst, const LocalTensorBase &fm,
              const LocalTensorBase &filter, const LocalTensorBase *bias, const AscendC::MmadParams &params,
              Where where, bool sparse) {
  Core &core = Core::Current();
  CheckProduct(core, kind, dst, fm, filter, bias, params, where);
  if (params.m == 0 || params.n == 0 || params.k == 0) return;
  if (sparse && core.registers.sparse_index.empty()) {
    core.Fail(FaultKind::kOther, kName, where, "filter has no index: missing LoadDataWithSparse");
  }
  const Shape shape = ShapeOf(kind, params, sparse);
  const Rounding rounding{kind == CubeKind::kFloat && core.registers.Control(kControlHf32),
                          core.registers.Control(kControlHf32ToZero)};
  const bool accumulate = bias == nullptr && (!params.cmatrixInitVal || params.isBias);

  Instruction instruction;
  instruction.name = kName;
  instruction.where = where;
  instruction.pipe = Pipe::M;
  instruction.work = Work::kCube;
  // A fractal of float has 8 k, and a step takes 4 of them.
  const uint32_t steps_per_fractal = kind == CubeKind::kFloat && !rounding.hf32 ? 2 : 1;
  instruction.steps = shape.rows * shape.columns * CeilDivide(shape.k_b, shape.k0) * steps_per_fractal;
  instruction.elements = uint64_t{shape.m} * shape.n * shape.k_b;
  instruction.chained = (shape.m / kSide) * (shape.n / kSide) >= kChained;
  Source a("fm", fm);
  Source b("filter", filter);
  DescribeA(shape, &a);
  DescribeB(shape, &b);
  CheckView(core, kName, a.operand(), fm.bytes, where);
  CheckView(core, kName, b.operand(), filter.bytes, where);
  instruction.Add(a.operand());
  instruction.Add(b.operand());
  if (bias != nullptr) {
    Operand operand = Run("bias", *bias, false, uint64_t{shape.n} * kResultBytes);
    operand.alignment = 64;
    CheckView(core, kName, operand, bias->bytes, where);
    instruction.Add(operand);
  }
  if (accumulate) AddC(core, shape, dst, false, where, &instruction);
  AddC(core, shape, dst, true, where, &instruction);
  AwaitUnitFlags(core, instruction, params.unitFlag);
  IssueWith(core, instruction,
            [&](Flows &flows) { FlowProduct(flows, shape, dst, fm, filter, bias, accumulate); });
  ChangeUnitFlags(core, instruction, params.unitFlag);
  if (!core.state().options->products) return;

  if (sparse) return SparseProduct(core, shape, dst, fm, filter, accumulate, where);
  switch (kind) {
    case CubeKind::kInt4:
      return Product<AscendC::int4b_t>(core, shape, rounding, dst, fm, filter, bias, accumulate);
    case CubeKind::kHalf:
      return Product<half>(core, shape, rounding, dst, fm, filter, bias, accumulate);
    case CubeKind::kBfloat16:
      return Product<bfloat16_t>(core, shape, rounding, dst, fm, filter, bias, accumulate);
    case CubeKind::kFloat:
      return Product<float>(core, shape, rounding, dst, fm, filter, bias, accumulate);
    default:
      return Product<int8_t>(core, shape, rounding, dst, fm, filter, bias, accumulate);
  }
}

}  // namespace sim
