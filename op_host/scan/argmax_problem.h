// SPDX-License-Identifier: Apache-2.0
// A call of ArgMax and the ways to cut it, as its tiling sees them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/common/tiling/math.h"
#include "op_host/common/tiling/platform.h"
#include "op_kernel/scan/argmax_buffers.h"

namespace avo {

// The input as (outer, length, inner) around the searched axis, and what its dtype costs.
struct ArgmaxProblem {
  ArgmaxProblem(DType dtype, int64_t index_item, const Platform &platform)
      : item(DTypeSize(dtype)),
        format{static_cast<uint64_t>(item), dtype == DType::kInt32 || dtype == DType::kInt64,
               static_cast<uint64_t>(index_item)},
        platform(platform) {}

  int64_t outer = 1, length = 1, inner = 1;
  int64_t item;         // bytes of an element
  ArgmaxFormat format;  // what is compared, and what is given
  bool last = false;    // the last of equal elements wins
  const Platform &platform;

  static constexpr int64_t kRepeat = ArgmaxFormat::kRepeat;  // lanes
  static constexpr int64_t kMaxRepeats = 255;                // of an instruction
  static constexpr int64_t kTransposed = 16;                 // rows that a transposition takes at once

  // Elements from row to row in UB, for rows of `elements` elements.
  int64_t RowPitch(int64_t elements) const {
    return static_cast<int64_t>(WholeUnits(elements, CopyUnit(format.item)));
  }
  int64_t PartLength(int64_t parts) const {
    return std::min(length, AlignUp(CeilDiv(length, parts), kRepeat));
  }

  // Short lines: the distance between neighbours of a group (op_kernel/scan/short_lines.h).
  int64_t Apart() const {
    constexpr int64_t kKeyBlock = ArgmaxFormat::kKeyBlock;
    return std::lcm(length, kKeyBlock) / length;
  }
};

// A way to cut a call, into tiles of one of the three layouts.
struct ArgmaxCut {
  enum class Layout { kColumns, kLines, kShortLines };

  Layout layout;
  int64_t slices = 0;     // of a tile: slices, parts of lines, or short lines
  int64_t columns = 1;    // of each slice
  int64_t positions = 0;  // of the searched axis in UB at once; 0: no tile fits
  int64_t parts = 1;      // of a line
  double cycles = 0;      // modelled

  // columns: lanes of a position. Slices begin on whole data blocks of elements, keys and indices; positions
  // take pairs of repeats, for the sake of the banks of UB.
  // lines: elements from row to row.
  // short: lanes. Every group has whole transpositions of them, and all of them are pairs of repeats.
  int64_t Pitch(const ArgmaxProblem &problem) const {
    constexpr int64_t kPair = 2 * ArgmaxProblem::kRepeat;
    switch (layout) {
      case Layout::kColumns:
        return AlignUp(slices * problem.RowPitch(columns), kPair);
      case Layout::kLines:
        return problem.RowPitch(positions);
      case Layout::kShortLines:
        break;
    }
    const int64_t apart = problem.Apart();
    return AlignUp(apart * AlignUp(CeilDiv(slices, apart), ArgmaxProblem::kTransposed), kPair);
  }

  // The fields on which the sizes of buffers depend. The search tries thousands of cuts, and needs no others.
  ArgmaxTiling Sizes(const ArgmaxProblem &problem) const {
    constexpr int64_t kMostPartsAtOnce = 1024, kKeyBlock = ArgmaxFormat::kKeyBlock;
    ArgmaxTiling tiling{};
    tiling.length = problem.length;
    tiling.parts = parts;
    tiling.tileOuter = static_cast<uint32_t>(slices);
    tiling.tileLength = static_cast<uint32_t>(positions);
    tiling.pitch = static_cast<uint32_t>(Pitch(problem));
    tiling.apart = layout == Layout::kShortLines ? static_cast<uint32_t>(problem.Apart()) : 0;
    tiling.partsAtOnce = static_cast<uint32_t>(std::min(AlignUp(parts, kKeyBlock), kMostPartsAtOnce));
    return tiling;
  }

  // All fields but `bypass`.
  ArgmaxTiling Tiling(const ArgmaxProblem &problem) const {
    ArgmaxTiling tiling = Sizes(problem);
    tiling.outer = problem.outer;
    tiling.inner = problem.inner;
    tiling.outerTiles = CeilDiv(problem.outer * parts, slices);
    tiling.columnTiles = CeilDiv(problem.inner, columns);
    tiling.partLength = problem.PartLength(parts);
    tiling.tileColumns = static_cast<uint32_t>(columns);
    tiling.last = problem.last ? 1 : 0;
    return tiling;
  }

  // Bytes of UB that the kernel takes.
  uint64_t Bytes(const ArgmaxProblem &problem) const {
    const ArgmaxTiling tiling = Sizes(problem);
    switch (layout) {
      case Layout::kColumns:
        return BytesOf(ArgmaxColumnsBuffers(tiling, problem.format));
      case Layout::kLines:
        return BytesOf(ArgmaxLinesBuffers(tiling, problem.format));
      case Layout::kShortLines:
        break;
    }
    return BytesOf(ShortLinesBuffers(tiling, problem.format));
  }
};

}  // namespace avo
