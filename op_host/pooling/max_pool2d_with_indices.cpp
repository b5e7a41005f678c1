// SPDX-License-Identifier: Apache-2.0
// Tiling of MaxPool2dWithIndices: the result is cut into groups of planes, rows and columns; where not even
// one window fits, the window is cut into pieces.
#include "op_host/max_pool2d_with_indices_args.h"

#include "op_host/common/tiling/tile_search.h"
#include "op_host/pooling/pool_cost.h"
#include "op_host/pooling/window_chunk.h"

namespace avo::max_pool2d_with_indices {
namespace {

struct Tile {
  int64_t rows, columns;          // of windows
  int64_t tap_rows, tap_columns;  // of a window that are loaded at once
  int64_t copy_bytes;             // of a plane that are copied at once, in whole rows
};

// How a tile lies in the Unified Buffer.
class Layout {
 public:
  static constexpr int64_t kLanes = WindowChunk::kLanes;

  Layout(const PoolProblem &pool, const Tile &tile)
      : pool_(pool), tile_(tile), chunk_{pool, tile.rows, tile.columns, tile.tap_rows, tile.tap_columns} {}

  const WindowChunk &Chunk() const { return chunk_; }

  // Elements of a plane that are loaded at once, in whole rows.
  int64_t PlaneElements() const {
    const int64_t row = AlignUp(LoadedColumns(), 32 / pool_.item);
    return row * RowsAtOnce(LoadedRows(), row * pool_.item);
  }
  // Rows of windows of a plane that are stored at once.
  int64_t StoredRows() const { return RowsAtOnce(tile_.rows, tile_.columns * pool_.index); }

  uint64_t Bytes() const {
    const auto size = [](int64_t n) { return static_cast<uint64_t>(n); };
    return BytesOf(MaxPool2dWithIndicesBuffers(
        {size(PlaneElements()), size(StoredRows() * AlignUp(tile_.columns, kLanes)),
         size(chunk_.RegionSlots()), size(tile_.rows * chunk_.Pitch()), size(chunk_.Pitch())},
        size(pool_.item), size(pool_.index)));
  }
  // Bytes of the Unified Buffer, or more than any has where one instruction does not reach all rows or
  // columns.
  uint64_t LimitedBytes() const {
    constexpr int64_t kMaxColumns = 2032, kMaxCopyRows = 4095;
    constexpr uint64_t kTooLarge = uint64_t{1} << 40;
    return chunk_.RegionColumns() > kMaxColumns || chunk_.RegionRows() > kMaxCopyRows ? kTooLarge : Bytes();
  }

  // Modelled cycles of the copies of a tile and of its instructions. Ten of these find the maxima of a tap.
  // bandwidth: bytes a cycle that a core reads.
  PoolCost Cost(double bandwidth) const {
    constexpr double kCopy = 600;       // cycles of a group of rows that is copied at once
    constexpr double kStoreBytes = 32;  // a cycle
    const auto real = [](int64_t n) { return static_cast<double>(n); };
    const int64_t loads = CeilDiv(LoadedRows(), RowsAtOnce(LoadedRows(), LoadedColumns() * pool_.item));
    const int64_t stores = CeilDiv(tile_.rows, StoredRows());
    const double taps = real(pool_.rows.kernel * pool_.columns.kernel);
    const double pitch = real(chunk_.Pitch()) / 4, rows = real(tile_.rows);
    const double transposed = real(LoadedRows()) + 2 * rows;
    return {real(kLanes * LoadedRows() * LoadedColumns() * pool_.item) / bandwidth + kCopy * real(loads),
            taps * VectorCycles(10, 5 * rows * pitch) + VectorCycles(2 * transposed, transposed * pitch),
            real(kLanes * tile_.rows * tile_.columns * (pool_.item + pool_.index)) / kStoreBytes +
                kCopy * real(stores)};
  }

 private:
  // Rows and columns of the image that are loaded, at most.
  int64_t LoadedRows() const { return pool_.rows.Inside(tile_.rows, tile_.tap_rows); }
  int64_t LoadedColumns() const { return pool_.columns.Inside(tile_.columns, tile_.tap_columns); }
  // How many of `rows` rows are copied at once.
  int64_t RowsAtOnce(int64_t rows, int64_t bytes) const {
    return std::min(rows, CeilDiv(tile_.copy_bytes, bytes));
  }

  const PoolProblem &pool_;
  Tile tile_;
  WindowChunk chunk_;
};

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
  t.planeGroups = CeilDiv(t.planes, Layout::kLanes);
  t.rowTiles = CeilDiv(t.outRows, tile.rows);
  t.columnTiles = CeilDiv(t.outColumns, tile.columns);
  t.chunkRows = static_cast<uint32_t>(tile.rows);
  t.chunkColumns = static_cast<uint32_t>(tile.columns);
  t.chunkPitch = static_cast<uint32_t>(layout.Chunk().Pitch());
  t.columnPlanes = static_cast<uint32_t>(layout.Chunk().ColumnPlanes());
  layout.Chunk().State(&t);
  t.planeElements = static_cast<uint32_t>(layout.PlaneElements());
  t.storedRows = static_cast<uint32_t>(layout.StoredRows());
  plan.tiling_key = kWindows;
  plan.ub_bytes = layout.Bytes();
  plan.block_dim = static_cast<uint32_t>(
      std::min<int64_t>(platform.vector_cores, t.planeGroups * t.rowTiles * t.columnTiles));
  return plan;
}

}  // namespace avo::max_pool2d_with_indices
