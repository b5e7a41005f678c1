// SPDX-License-Identifier: Apache-2.0
// Tiling of MaxPool2dWithIndices: the result is cut into groups of planes, rows and columns; where not even
// one window fits, the window is cut into pieces.
#include "op_host/max_pool2d_with_indices_args.h"

#include "op_host/common/tiling/tile_search.h"
#include "op_host/pooling/max_pool2d_with_indices_layout.h"

namespace avo::max_pool2d_with_indices {
namespace {

// Searches the tile with the fewest modelled cycles.
class Search {
 public:
  Search(const PoolProblem &pool, const Platform &platform) : pool_(pool), platform_(platform) {}

  Tile Find() const {
    const int64_t across = Fit(pool_.columns.out, [&](int64_t n) { return Whole(1, n, kLeastCopy); });
    if (across == 0) return FindPiece();
    Choice best{Whole(1, across, kLeastCopy), 0};
    for (int64_t tiles = CeilDiv(pool_.columns.out, across);;) {
      const int64_t columns = CeilDiv(pool_.columns.out, tiles);
      for (const int64_t bytes : {kLeastCopy, 4 * kLeastCopy, 16 * kLeastCopy})
        KeepBest(columns, bytes, &best);
      if (columns <= kFewColumns) return best.tile;
      tiles = std::max(tiles + 1, tiles * 3 / 2);
    }
  }

 private:
  // Bytes of a plane from which copies have nearly full speed, and columns from which instructions have.
  static constexpr int64_t kLeastCopy = 448, kFewColumns = 64;

  struct Choice {
    Tile tile;
    double cycles;  // 0 for none
  };

  // Tries tiles of `columns` columns, and keeps one that takes fewer cycles than `best`.
  void KeepBest(int64_t columns, int64_t copy_bytes, Choice *best) const {
    const int64_t groups = CeilDiv(pool_.planes, Layout::kLanes) * CeilDiv(pool_.columns.out, columns);
    const int64_t most = Fit(pool_.rows.out, [&](int64_t n) { return Whole(n, columns, copy_bytes); });
    for (int64_t n = most; n > 0; n = n * 4 / 5) {
      const Tile tile = Whole(CeilDiv(pool_.rows.out, CeilDiv(pool_.rows.out, n)), columns, copy_bytes);
      const int64_t tiles = groups * CeilDiv(pool_.rows.out, tile.rows);
      const double cycles = Layout(pool_, tile)
                                .Cost(PoolBandwidth(platform_))
                                .Cycles(CeilDiv<int64_t>(tiles, platform_.vector_cores));
      if (best->cycles == 0 || cycles < best->cycles) *best = {tile, cycles};
    }
  }

  // A tile of whole windows.
  Tile Whole(int64_t rows, int64_t columns, int64_t copy_bytes) const {
    return {rows, columns, pool_.rows.kernel, pool_.columns.kernel, copy_bytes};
  }

  // The largest extent up to `limit` that the device holds. tile_of(n): the tile with extent n.
  template <typename TileOf>
  int64_t Fit(int64_t limit, TileOf tile_of) const {
    return LargestFit(limit, platform_.ub_bytes,
                      [&](int64_t n) { return Layout(pool_, tile_of(n)).LimitedBytes(); });
  }

  // A piece of one window.
  Tile FindPiece() const {
    const auto columns = [](int64_t n) { return Tile{1, 1, 1, n, kLeastCopy}; };
    const int64_t across = Fit(pool_.columns.kernel, columns);
    if (across == 0) ThrowUbTooSmall(platform_, Layout(pool_, columns(1)).LimitedBytes());
    const auto rows = [&](int64_t n) { return Tile{1, 1, n, across, kLeastCopy}; };
    return rows(Fit(pool_.rows.kernel, rows));
  }

  const PoolProblem &pool_;
  const Platform &platform_;
};

}  // namespace

Plan<MaxPool2dWithIndicesTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  PoolProblem pool(args.input, args.out, args.kernel_size, args.stride, args.padding, args.dilation);
  if (pool.planes == 0) return {};
  pool.index = DTypeSize(args.indices.dtype);
  const Tile tile = Search(pool, platform).Find();
  const Layout layout(pool, tile);
  Plan<MaxPool2dWithIndicesTiling> plan;
  MaxPool2dWithIndicesTiling &t = plan.tiling;
  pool.State(&t);
  plan.block_dim = StateTiles(t.outRows, t.outColumns, {Layout::kLanes, tile.rows, tile.columns},
                              platform.vector_cores, &t);
  t.chunkRows = static_cast<uint32_t>(tile.rows);
  t.chunkColumns = static_cast<uint32_t>(tile.columns);
  t.chunkPitch = static_cast<uint32_t>(layout.Chunk().Pitch());
  t.columnPlanes = static_cast<uint32_t>(layout.Chunk().ColumnPlanes());
  layout.Chunk().State(&t);
  t.planeElements = static_cast<uint32_t>(layout.PlaneElements());
  t.storedRows = static_cast<uint32_t>(layout.StoredRows());
  plan.tiling_key = kWindows;
  plan.ub_bytes = layout.Bytes();
  return plan;
}

}  // namespace avo::max_pool2d_with_indices
