// SPDX-License-Identifier: Apache-2.0
// The bodies of LoadData and LoadDataWithTranspose. They load fractals of 512 bytes to L0A and L0B, in the
// order that the strides give. A fractal has rows of 32 bytes; it is copied as it is, or transposed.
#pragma once

#include "../kernel_struct_mm.h"
#include "copy.h"

namespace sim {

constexpr uint32_t kFractalBytes = 512;
constexpr uint32_t kFractalRows = 16;

// Fails unless the tensor lies in one of these memories. `expected` names them for the message.
inline void CheckMemory(Core &core, const char *name, Where where, const char *parameter,
                        const LocalTensorBase &tensor, std::initializer_list<Space> spaces,
                        const char *expected) {
  for (const Space space : spaces) {
    if (tensor.space == space) return;
  }
  core.Fail(FaultKind::kType, name, where,
            std::string(parameter) + " must be in " + expected + ", it is in " + SpaceName(tensor.space));
}

// The operand of src: a repeat reads one unit of `unit` bytes.
inline void SetRepeats(Core &core, const char *name, CopySide *src, uint32_t unit, uint32_t start,
                       uint32_t repeats, uint32_t stride, bool descending, Where where) {
  const uint32_t span = stride * (repeats - 1);
  if (descending && start < span) {
    core.Fail(FaultKind::kUbBounds, name, where,
              "startIndex " + std::to_string(start) + " lies below srcStride * (repeatTimes - 1), " +
                  std::to_string(span));
  }
  const uint64_t skip = uint64_t{descending ? start - span : start} * unit;
  src->operand.address += skip;
  src->view_bytes -= std::min(src->view_bytes, skip);
  src->operand.row_bytes = unit;
  src->operand.rows = stride == 0 ? 1 : repeats;
  src->operand.row_stride = static_cast<int64_t>(stride) * unit;
}

// Finds element (row, column) of a square of fractals. Fractals of one-byte types lie below each other, those
// of four-byte types side by side.
inline uint32_t SquareOffset(uint32_t width, uint32_t row, uint32_t column) {
  const uint32_t per_row = kBlockBytes / width;
  return width == 4 ? column / per_row * kFractalBytes + row * kBlockBytes + column % per_row * width
                    : row * kBlockBytes + column * width;
}

// Calls visit(target, source) for the elements of the transpose of a square, with `step` bytes from fractal
// to fractal of the target. Both are offsets in bytes.
template <typename Visit>
void ForTransposed(uint32_t width, uint64_t step, Visit visit) {
  const uint32_t side = width == 1 ? 32 : kFractalRows;
  for (uint32_t row = 0; row < side; ++row) {
    for (uint32_t column = 0; column < side; ++column) {
      const uint32_t offset = SquareOffset(width, row, column);
      visit(offset / kFractalBytes * step + offset % kFractalBytes, SquareOffset(width, column, row));
    }
  }
}

// The same for a square of 64 x 64 elements of half a byte: a byte of the transpose, and the two bytes that
// it comes from.
template <typename Visit>
void ForTransposedHalves(uint64_t step, Visit visit) {
  constexpr uint32_t kHalves = 64;
  for (uint32_t row = 0; row < kHalves; ++row) {
    for (uint32_t column = 0; column < kHalves; column += 2) {
      const uint64_t target = row / kFractalRows * step + row % kFractalRows * kBlockBytes + column / 2;
      visit(target, column * kBlockBytes + row / 2, row % 2 * 4);
    }
  }
}
inline void TransposeHalves(Core &core, Space from, uint64_t src, Space to, uint64_t dst, uint64_t step) {
  std::byte *out = core.Memory(to, dst);
  const std::byte *in = core.Memory(from, src);
  ForTransposedHalves(step, [&](uint64_t target, uint64_t source, int shift) {
    const std::byte low = in[source] >> shift & std::byte{0xF};
    const std::byte high = in[source + kBlockBytes] >> shift & std::byte{0xF};
    out[target] = low | high << 4;
  });
}
inline void FlowTransposedHalves(Flows &flows, Space from, uint64_t src, Space to, uint64_t dst,
                                 uint64_t step) {
  ForTransposedHalves(step, [&](uint64_t target, uint64_t source, int shift) {
    const auto bits = static_cast<uint8_t>(0xF << shift);
    flows.Depend({to, dst + target, 1, 0xF}, {from, src + source, 1, bits});
    flows.Depend({to, dst + target, 1, 0xF0}, {from, src + source + kBlockBytes, 1, bits});
  });
}

inline void TransposeSquare(Core &core, uint32_t width, Space from, uint64_t src, Space to, uint64_t dst,
                            uint64_t step) {
  std::byte *out = core.Memory(to, dst);
  const std::byte *in = core.Memory(from, src);
  ForTransposed(width, step,
                [&](uint64_t target, uint64_t source) { std::memcpy(out + target, in + source, width); });
}
inline void FlowTransposed(Flows &flows, uint32_t width, Space from, uint64_t src, Space to, uint64_t dst,
                           uint64_t step) {
  ForTransposed(width, step, [&](uint64_t target, uint64_t source) {
    flows.Move({to, dst + target, width}, {from, src + source, width});
  });
}

inline void LoadFractals(const LocalTensorBase &dst, CopySide to, CopySide from,
                         const AscendC::LoadData2DParams &params, Where where,
                         const char *name = "LoadData") {
  Core &core = Core::Current();
  const bool global = from.operand.space == Space::GM;
  const uint32_t width = from.element_bytes;
  if (global) {
    CheckMemory(core, name, where, "dst", dst, {Space::L1, Space::L0A, Space::L0B}, "L1, L0A or L0B");
  } else {
    CheckMemory(core, name, where, "dst", dst, {Space::L0A, Space::L0B}, "L0A (A2) or L0B (B2)");
  }
  if (params.ifTranspose && (global || width != 2)) {
    core.Fail(FaultKind::kType, name, where,
              "ifTranspose needs src in L1 and an element type of 2 bytes, the type has " +
                  std::to_string(width) + " (LoadDataWithTranspose moves others)");
  }
  if (params.repeatTimes == 0) return;
  const bool descending = params.addrMode == 1;
  to.operand.alignment = dst.space == Space::L1 ? kBlockBytes : kFractalBytes;
  to.operand.row_bytes = kFractalBytes;
  to.operand.rows = params.repeatTimes;
  to.operand.row_stride = (int64_t{params.dstGap} + 1) * kFractalBytes;
  const uint64_t base = from.operand.address;
  if (global) from.operand.alignment = 1;
  SetRepeats(core, name, &from, kFractalBytes, params.startIndex, params.repeatTimes, params.srcStride,
             descending, where);
  const auto each = [&](auto visit) {
    for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
      const int64_t step = int64_t{params.srcStride} * repeat;
      visit(to.operand.address + repeat * to.operand.row_stride,
            base + (params.startIndex + (descending ? -step : step)) * kFractalBytes);
    }
  };
  const Space space = from.operand.space;
  const FlowBy flow([&](Flows &flows) {
    each([&](uint64_t target, uint64_t src) {
      if (params.ifTranspose)
        return FlowTransposed(flows, width, space, src, dst.space, target, kFractalBytes);
      flows.Move({dst.space, target, kFractalBytes}, {space, src, kFractalBytes});
    });
  });
  IssueCopy(core, name, to, from, where, &flow);
  each([&](uint64_t target, uint64_t src) {
    if (params.ifTranspose) return TransposeSquare(core, width, space, src, dst.space, target, kFractalBytes);
    std::memcpy(core.Memory(dst.space, target), core.Memory(space, src), kFractalBytes);
  });
}

// halves: the elements have half a byte, and a square is 64 x 64 of them.
inline void LoadSquares(const LocalTensorBase &dst, const LocalTensorBase &src, CopySide to, CopySide from,
                        const AscendC::LoadData2dTransposeParams &params, Where where, bool halves = false) {
  constexpr const char *kName = "LoadDataWithTranspose";
  Core &core = Core::Current();
  const uint32_t width = from.element_bytes;
  if (halves) {
    CheckMemory(core, kName, where, "dst", dst, {Space::L0B}, "L0B (B2), for int4b_t");
  } else {
    CheckMemory(core, kName, where, "dst", dst, {Space::L0A, Space::L0B}, "L0A (A2) or L0B (B2)");
  }
  CheckMemory(core, kName, where, "src", src, {Space::L1}, "L1 (A1, B1)");
  if (params.repeatTimes == 0) return;
  const uint32_t fractals = halves ? 4 : width == 2 ? 1 : 2;
  const uint32_t square = fractals * kFractalBytes;
  const uint32_t step = (params.dstFracGap + 1U) * kFractalBytes;
  const uint32_t repeat_step = (params.dstGap + 1U) * kFractalBytes;
  if (fractals != 1 && step % repeat_step == 0 && step / repeat_step < params.repeatTimes) {
    core.Fail(FaultKind::kStride, kName, where,
              "dst fractals of two repeats overlap: dstGap is " + std::to_string(params.dstGap) +
                  " and dstFracGap is " + std::to_string(params.dstFracGap));
  }
  const bool descending = params.addrMode == 1;
  to.operand.alignment = kFractalBytes;
  to.operand.row_bytes = kFractalBytes;
  to.operand.rows = fractals;
  to.operand.row_stride = step;
  to.operand.groups = params.repeatTimes;
  to.operand.group_stride = repeat_step;
  const uint64_t base = from.operand.address;
  SetRepeats(core, kName, &from, square, params.startIndex, params.repeatTimes, params.srcStride, descending,
             where);
  const auto each = [&](auto visit) {
    for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
      const int64_t stride = int64_t{params.srcStride} * repeat;
      visit(to.operand.address + uint64_t{repeat} * repeat_step,
            base + (params.startIndex + (descending ? -stride : stride)) * square);
    }
  };
  const FlowBy flow([&](Flows &flows) {
    each([&](uint64_t target, uint64_t source) {
      if (halves) return FlowTransposedHalves(flows, Space::L1, source, dst.space, target, step);
      FlowTransposed(flows, width, Space::L1, source, dst.space, target, step);
    });
  });
  IssueCopy(core, kName, to, from, where, &flow);
  each([&](uint64_t target, uint64_t source) {
    if (halves) return TransposeHalves(core, Space::L1, source, dst.space, target, step);
    TransposeSquare(core, width, Space::L1, source, dst.space, target, step);
  });
}

}  // namespace sim
