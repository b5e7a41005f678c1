// SPDX-License-Identifier: Apache-2.0
// A call of ArgMax and the ways to cut it, as its tiling sees them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>

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
        tree_item(item == 4 || dtype == DType::kBFloat16 || dtype == DType::kInt16 ? 4 : 2),
        half(dtype == DType::kFloat16),
        bfloat16(dtype == DType::kBFloat16),
        format{static_cast<uint64_t>(item), dtype == DType::kInt32 || dtype == DType::kInt64,
               static_cast<uint64_t>(index_item)},
        platform(platform) {}

  int64_t outer = 1, length = 1, inner = 1;
  int64_t item;         // bytes of an element
  int64_t tree_item;    // bytes of what a tree compares in place of it (op_kernel/scan/line_tree.h)
  bool half, bfloat16;  // elements are float16, bfloat16
  ArgmaxFormat format;  // what is compared, and what is given
  bool last = false;    // the last of equal elements wins
  const Platform &platform;

  static constexpr int64_t kRepeat = ArgmaxFormat::kRepeat;  // lanes
  static constexpr int64_t kMaxRepeats = 255;                // of an instruction
  static constexpr int64_t kTransposed = 16;                 // rows that a transposition takes at once

  // Throws std::invalid_argument where an index does not fit: the kernel counts along columns in 32 bits.
  void CheckIndices() const {
    constexpr int64_t kMost = int64_t{1} << 31;
    if (length <= kMost || (inner == 1 && format.index_item == sizeof(int64_t))) return;
    throw std::invalid_argument("self: expected at most " + std::to_string(kMost) +
                                " elements along dim, got " + std::to_string(length) +
                                "; indices of int64 along the last dimension have no limit");
  }

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

// The tree of a line: `top` data blocks, halved `levels` times.
struct TreeShape {
  // blocks: of the line. A line is halved at least once, so that it is whole data blocks of its elements too.
  explicit TreeShape(int64_t blocks) {
    constexpr int64_t kMostTop = LineTreeBuffers::kChildren;
    while (CeilDiv(blocks, int64_t{1} << levels) > kMostTop) ++levels;
    top = CeilDiv(blocks, int64_t{1} << levels);
  }
  int64_t Blocks() const { return top << levels; }
  int64_t Steps() const { return CeilDiv<int64_t>(levels, LineTreeBuffers::kStep); }

  int64_t levels = 1, top = 0;
};

// A way to cut a call, into tiles of one of the five layouts.
struct ArgmaxCut {
  enum class Layout { kColumns, kHalfColumns, kLines, kTrees, kShortLines };

  Layout layout;
  int64_t slices = 0;     // of a tile: slices, parts of lines, or short lines
  int64_t columns = 1;    // of each slice
  int64_t positions = 0;  // of the searched axis in UB at once; 0: no tile fits
  int64_t parts = 1;      // of a line
  int64_t piece = 0;      // trees: data blocks that are halved at once
  int64_t queue = 2;      // trees: tiles in UB at once
  double cycles = 0;      // modelled

  bool IsColumns() const { return layout == Layout::kColumns || layout == Layout::kHalfColumns; }
  TreeShape Tree(const ArgmaxProblem &problem) const {
    constexpr int64_t kBlock = 32;
    return TreeShape(CeilDiv(positions * problem.tree_item, kBlock));
  }

  // columns, half columns: lanes of a position. Slices begin on whole data blocks of elements, keys and
  // indices; positions take pairs of repeats, for the sake of the banks of UB. lines, trees: elements from
  // row to row. short: lanes. Every group has whole transpositions of them, and all of them are an odd number
  // of repeats.
  int64_t Pitch(const ArgmaxProblem &problem) const {
    constexpr int64_t kPair = 2 * ArgmaxProblem::kRepeat;
    switch (layout) {
      case Layout::kColumns:
        return AlignUp(slices * problem.RowPitch(columns), kPair);
      case Layout::kHalfColumns:
        return AlignUp<int64_t>(slices * problem.RowPitch(columns), HalfColumnsBuffers::kPitchUnit);
      case Layout::kLines:
        return AlignUp(positions, ArgmaxProblem::kRepeat);
      case Layout::kTrees:
        return Tree(problem).Blocks() * 32 / problem.tree_item;
      case Layout::kShortLines:
        break;
    }
    const int64_t apart = problem.Apart();
    const int64_t lanes = apart * AlignUp(CeilDiv(slices, apart), ArgmaxProblem::kTransposed);
    return AlignUp(lanes - ArgmaxProblem::kRepeat, kPair) + ArgmaxProblem::kRepeat;
  }

  // The fields on which the sizes of buffers depend. The search tries thousands of cuts, and needs no others.
  ArgmaxTiling Sizes(const ArgmaxProblem &problem) const {
    constexpr int64_t kMostPartsAtOnce = 1024, kMostColumnParts = 32, kKeyBlock = ArgmaxFormat::kKeyBlock;
    const int64_t at_once = layout == Layout::kColumns ? kMostColumnParts : kMostPartsAtOnce;
    ArgmaxTiling tiling{};
    tiling.length = problem.length;
    tiling.parts = parts;
    tiling.tileOuter = static_cast<uint32_t>(slices);
    tiling.tileLength = static_cast<uint32_t>(positions);
    tiling.pitch = static_cast<uint32_t>(Pitch(problem));
    tiling.apart = layout == Layout::kShortLines ? static_cast<uint32_t>(problem.Apart()) : 0;
    if (layout == Layout::kTrees) {
      const TreeShape tree = Tree(problem);
      tiling.top = static_cast<uint32_t>(tree.top);
      tiling.levels = static_cast<uint32_t>(tree.levels);
      tiling.piece = static_cast<uint32_t>(piece);
      tiling.queue = static_cast<uint32_t>(queue);
    }
    tiling.partsAtOnce = static_cast<uint32_t>(std::min(AlignUp(parts, kKeyBlock), at_once));
    return tiling;
  }

  // All fields but `bypass`.
  ArgmaxTiling Tiling(const ArgmaxProblem &problem) const {
    ArgmaxTiling tiling = Sizes(problem);
    tiling.outer = problem.outer;
    tiling.inner = problem.inner;
    tiling.outerTiles = CeilDiv(IsColumns() ? problem.outer : problem.outer * parts, slices);
    tiling.columnTiles = CeilDiv(problem.inner, columns);
    tiling.partLength = IsColumns() ? CeilDiv(problem.length, parts) : problem.PartLength(parts);
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
      case Layout::kHalfColumns:
        return BytesOf(HalfColumnsBuffers(tiling, problem.format.index_item));
      case Layout::kLines:
        return BytesOf(ArgmaxLinesBuffers(tiling, problem.format));
      case Layout::kTrees:
        return BytesOf(TreeLinesBuffers(tiling, problem.format, problem.item == problem.tree_item));
      case Layout::kShortLines:
        break;
    }
    return BytesOf(ShortLinesBuffers(tiling, problem.format));
  }
};

}  // namespace avo
