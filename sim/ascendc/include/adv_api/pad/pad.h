// SPDX-License-Identifier: Apache-2.0
// Adds columns to the left and to the right of each row of a matrix, so that rows begin at multiples of 32
// bytes; or, where they do already, fills in columns at the end of each row that have no meaning.
//
//   |abcde|                   |.abcde..|
//   |fghij|  ──▶              |.fghij..|        leftPad is 1, rightPad is 2
#pragma once

#include "../../kernel_tiling/sim_vector_tiling.h"
#include "../sim_permute.h"

namespace AscendC {

struct PadParams {
  PadParams() {}
  PadParams(const uint16_t leftPadIn, const uint16_t rightPadIn, const int32_t padValueIn)
      : leftPad(leftPadIn), rightPad(rightPadIn), padValue(padValueIn) {}

  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
  int32_t padValue = 0;
};

}  // namespace AscendC

namespace sim {

template <typename T>
void PadRows(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
             const AscendC::PadParams &params, const AscendC::tiling::PadTiling &tiling, Where where) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Pad: elements of 2 or 4 bytes on Atlas A2");
  constexpr auto kPerBlock = static_cast<uint32_t>(kBlockBytes / sizeof(T));
  const uint32_t rows = tiling.srcHeight, columns = tiling.srcWidth, kept = tiling.srcOriWidth;
  const bool aligned = columns % kPerBlock == 0;
  const auto width = static_cast<uint32_t>(AlignUp(columns, kPerBlock));
  const auto check = [&](const char *what, uint32_t value, int64_t most) {
    CheckRange(Core::Current(), FaultKind::kOther, "Pad", where, what, value, 0, most);
  };
  check("padParams.leftPad", params.leftPad, aligned ? 0 : width - columns);
  check("padParams.rightPad", params.rightPad, aligned ? columns : width - columns - params.leftPad);
  const uint32_t end = aligned ? std::min(kept, columns - params.rightPad) : columns;
  // Only columns that were asked for are written, and those of the source.
  const uint32_t written = aligned ? columns : columns + params.leftPad + params.rightPad;
  Permute(
      {"Pad", where}, dst, uint64_t{rows} * width, src, uint64_t{rows} * columns,
      [&](uint64_t to) -> int64_t {
        const auto row = static_cast<int64_t>(to / width), column = static_cast<int64_t>(to % width);
        if (column >= written) return kKeep;
        const int64_t from = column - params.leftPad;
        return from < 0 || from >= end ? kFill : row * columns + from;
      },
      static_cast<T>(params.padValue));
}

}  // namespace sim

namespace AscendC {

template <typename T>
__aicore__ inline void Pad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                           PadParams &padParams, PadTiling &tiling, sim::Where where = sim::Where::Here()) {
  sim::PadRows(dstTensor, srcTensor, padParams, tiling, where);
}
template <typename T>
__aicore__ inline void Pad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                           PadParams &padParams, const LocalTensor<uint8_t> &, PadTiling &tiling,
                           sim::Where where = sim::Where::Here()) {
  sim::PadRows(dstTensor, srcTensor, padParams, tiling, where);
}

}  // namespace AscendC
