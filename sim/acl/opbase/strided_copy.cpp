// SPDX-License-Identifier: Apache-2.0
#include "strided_copy.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "report.h"
#include "strided_copy_kernel.h"
#include "tiling/platform/platform_ascendc.h"

extern "C" __global__ __aicore__ void strided_copy(GM_ADDR src, GM_ADDR dst, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(StridedCopyTiling, tilingData, tiling);
  AscendC::TPipe pipe;
  StridedCopy op;
  op.Init(src, dst, tilingData, &pipe);
  op.Process();
}

namespace sim::opbase {
namespace {

// A dimension; strides are in bytes.
struct Dim {
  int64_t size;
  int64_t src;
  int64_t dst;
};

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Returns the dimensions in the order of the destination's memory. Two of them become one where they follow
// each other without a gap on both sides.
std::vector<Dim> Merge(std::vector<Dim> dims) {
  dims.erase(std::remove_if(dims.begin(), dims.end(), [](const Dim &dim) { return dim.size == 1; }),
             dims.end());
  std::stable_sort(dims.begin(), dims.end(), [](const Dim &a, const Dim &b) { return a.dst > b.dst; });
  std::vector<Dim> merged;
  for (const Dim &dim : dims) {
    if (!merged.empty() && merged.back().src == dim.src * dim.size &&
        merged.back().dst == dim.dst * dim.size) {
      merged.back() = {merged.back().size * dim.size, dim.src, dim.dst};
    } else {
      merged.push_back(dim);
    }
  }
  return merged;
}

// Says whether one copy can take rows of `bytes` along this dimension: they must not overlap, and the gaps
// must fit in the fields of the parameters.
bool HoldsRows(const Dim &dim, int64_t bytes) {
  constexpr int64_t kMaxGap = std::numeric_limits<uint32_t>::max();
  return dim.src >= bytes && dim.dst >= bytes && dim.src - bytes <= kMaxGap && dim.dst - bytes <= kMaxGap;
}

// Removes the dimension with the most rows from `dims` and returns it; one row where there is none.
Dim TakeRows(std::vector<Dim> *dims, int64_t bytes) {
  auto best = dims->end();
  for (auto dim = dims->begin(); dim != dims->end(); ++dim) {
    if (HoldsRows(*dim, bytes) && (best == dims->end() || dim->size >= best->size)) best = dim;
  }
  if (best == dims->end()) return {1, 0, 0};
  const Dim rows = *best;
  dims->erase(best);
  return rows;
}

void SetTiles(StridedCopyTiling *tiling, int64_t ub_bytes, int64_t cores) {
  constexpr int64_t kBlockBytes = 32;
  constexpr int64_t kFullSpeedBytes = 512;  // GM moves at full speed from this size on
  constexpr int64_t kMaxRows = 4095;        // of one DataCopyPad
  const int64_t tile_bytes = ub_bytes / 2 / kBlockBytes * kBlockBytes;
  int64_t outer = 1;
  for (int64_t i = 0; i < tiling->outer; ++i) outer *= tiling->outerSize[i];

  // Tiles fill half of UB, but leave work for every core.
  const int64_t wanted_pieces = CeilDiv(cores, outer * tiling->rows);
  const int64_t piece = CeilDiv(CeilDiv(tiling->rowBytes, wanted_pieces), kFullSpeedBytes) * kFullSpeedBytes;
  tiling->pieceBytes = std::min({tiling->rowBytes, tile_bytes, piece});
  tiling->pieces = CeilDiv(tiling->rowBytes, tiling->pieceBytes);
  const int64_t fitting_rows = tile_bytes / (CeilDiv(tiling->pieceBytes, kBlockBytes) * kBlockBytes);
  const int64_t wanted_rows = CeilDiv(tiling->rows * outer * tiling->pieces, cores);
  tiling->tileRows = std::min({tiling->rows, fitting_rows, kMaxRows, wanted_rows});
  tiling->rowGroups = CeilDiv(tiling->rows, tiling->tileRows);
  tiling->tiles = outer * tiling->rowGroups * tiling->pieces;
}

const Kernel &StridedCopyKernel() {
  static const Kernel kernel = [] {
    Kernel made;
    made.name = "strided_copy";
    made.invoke = [](void *const *args) {
      strided_copy(static_cast<GM_ADDR>(args[0]), static_cast<GM_ADDR>(args[1]),
                   static_cast<GM_ADDR>(args[2]));
    };
    return made;
  }();
  return kernel;
}

}  // namespace

runtime::Status PlanStridedCopy(const std::vector<int64_t> &shape, const std::vector<int64_t> &src_strides,
                                const std::vector<int64_t> &dst_strides, uint64_t item_bytes,
                                runtime::KernelLaunch *launch) {
  const auto item = static_cast<int64_t>(item_bytes);
  std::vector<Dim> dims;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (dst_strides[i] == 0 && shape[i] > 1) {
      return {kParamInvalid,
              runtime::Text("an output must not overlap itself: stride[", i, "] is 0, size ", shape[i])};
    }
    dims.push_back({shape[i], src_strides[i] * item, dst_strides[i] * item});
  }
  dims = Merge(std::move(dims));

  StridedCopyTiling tiling{};
  tiling.rowBytes = item;
  if (!dims.empty() && dims.back().src == item && dims.back().dst == item) {
    tiling.rowBytes *= dims.back().size;
    dims.pop_back();
  }
  const Dim rows = TakeRows(&dims, tiling.rowBytes);
  if (dims.size() > kStridedCopyDims) {
    return {kParamInvalid, runtime::Text("views of more than ", kStridedCopyDims,
                                         " independent dimensions cannot be copied")};
  }
  tiling.rows = rows.size;
  tiling.srcRowStride = rows.src;
  tiling.dstRowStride = rows.dst;
  tiling.outer = static_cast<int64_t>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    tiling.outerSize[i] = dims[i].size;
    tiling.srcStride[i] = dims[i].src;
    tiling.dstStride[i] = dims[i].dst;
  }

  const auto &platform = *platform_ascendc::PlatformAscendCManager::GetInstance();
  uint64_t ub_bytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub_bytes);
  const int64_t cores = platform.GetCoreNumAiv();
  SetTiles(&tiling, static_cast<int64_t>(ub_bytes), cores);
  launch->kernel = &StridedCopyKernel();
  launch->block_dim = static_cast<uint32_t>(std::min(cores, tiling.tiles));
  launch->tiling_key = 0;
  launch->tiling.resize(sizeof(tiling));
  std::memcpy(launch->tiling.data(), &tiling, sizeof(tiling));
  return {};
}

}  // namespace sim::opbase
