// SPDX-License-Identifier: Apache-2.0
// The workspace of a suppression of boxes: what cores hand over to each other in global memory.
#pragma once

#include <cstdint>

#include "op_host/boxes/boxes_problem.h"
#include "op_host/common/tiling/math.h"
#include "op_kernel/boxes/strip_buffers.h"

namespace avo {

// Places the pieces of the workspace one behind the other and returns their bytes.
template <typename Tiling>
uint64_t PlanWorkspace(const BoxesProblem &problem, int64_t blocks, Tiling *tiling) {
  constexpr int64_t kLine = 512;  // each piece starts at a multiple of this many bytes
  uint64_t end = 0;
  const auto place = [&end](int64_t *start, int64_t bytes) {
    *start = static_cast<int64_t>(end);
    end += AlignUp(bytes, kLine);
  };
  constexpr int64_t kPair = kPairBytes;
  const int64_t band = tiling->band, planes = SortedPlanesOf(problem.classes);
  tiling->pitch = AlignUp(problem.boxes, 2 * kLanes);
  // The kept boxes of each band start at a multiple of 64 lanes.
  tiling->keptPitch = AlignUp(problem.boxes, kLanes) + kLanes * CeilDiv(problem.boxes, band);
  place(&tiling->runs, 2 * static_cast<int64_t>(tiling->chunks) * tiling->chunk * kPair);
  place(&tiling->merged, 2 * problem.boxes * kPair);
  place(&tiling->lengths, 2 * static_cast<int64_t>(tiling->chunks) * 4);
  place(&tiling->sorted, planes * tiling->pitch * 4);
  place(&tiling->kept, planes * tiling->keptPitch * 4);
  place(&tiling->masks, blocks * band / 8);
  place(&tiling->words, band / kLanes * band * 8);
  place(&tiling->state, kBlock);
  if (tiling->strip > 0) {
    const StripSizes sizes = StripSizesOf(*tiling, static_cast<uint64_t>(problem.item), problem.classes);
    place(&tiling->guesses, static_cast<int64_t>(sizes.Sides() * sizes.Strips() * sizes.GuessBytes()));
  }
  return end;
}

}  // namespace avo
