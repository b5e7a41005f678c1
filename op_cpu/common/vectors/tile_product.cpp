// SPDX-License-Identifier: Apache-2.0
// The only file with intrinsics of one instruction set, as Highway has vectors but no tiles.
#include "op_cpu/common/vectors/tile_product.h"

#if defined(__linux__) && defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#define AVO_TILES __attribute__((target("amx-tile,amx-bf16")))

namespace avo {
namespace {

// Whether the processor has tiles of bfloat16, and Linux lets this process use them.
bool RequestTiles() {
  constexpr unsigned kBFloat16 = 1u << 22, kTiles = 1u << 24;
  constexpr unsigned kBoth = kBFloat16 | kTiles;
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || (edx & kBoth) != kBoth) return false;
  // The registers are 8 KB more of a thread to save. Linux saves them only for processes that ask for it.
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// The format that the processor reads. Each register has all of its 16 rows of 64 bytes.
struct alignas(64) Configuration {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};
// In constant memory, because the compiler believes that the instruction reads only 8 bytes, and would not
// write the others of a local variable.
constexpr Configuration kConfiguration = {
    1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
static_assert(sizeof(Configuration) == 64);

AVO_TILES void Configure() { _tile_loadconfig(&kConfiguration); }
AVO_TILES void Release() { _tile_release(); }

// Multiplies two tiles of rows with two tiles of columns. Each tile that is loaded takes part in two
// products, which hides the loads. Registers:
//
//                 columns 6   columns 7
//   rows 4        sums 0      sums 1
//   rows 5        sums 2      sums 3
AVO_TILES void MultiplySquare(const BFloat16 *a, int64_t a_stride, const BFloat16 *b, int64_t depth,
                              float *sums, int64_t sums_stride) {
  const BFloat16 *a_below = a + 16 * a_stride, *b_right = b + depth * kTileProductColumns;
  float *below = sums + 16 * sums_stride;
  const int64_t sum_bytes = sums_stride * sizeof(float), a_bytes = a_stride * sizeof(BFloat16);
  _tile_loadd(0, sums, sum_bytes);
  _tile_loadd(1, sums + 16, sum_bytes);
  _tile_loadd(2, below, sum_bytes);
  _tile_loadd(3, below + 16, sum_bytes);
  for (int64_t k = 0; k < depth; k += kTileProductDepth) {
    _tile_loadd(4, a + k, a_bytes);
    _tile_loadd(6, b + k * kTileProductColumns, 64);
    _tile_loadd(7, b_right + k * kTileProductColumns, 64);
    _tile_loadd(5, a_below + k, a_bytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sums, sum_bytes);
  _tile_stored(1, sums + 16, sum_bytes);
  _tile_stored(2, below, sum_bytes);
  _tile_stored(3, below + 16, sum_bytes);
}

// Multiplies two tiles of rows with one tile of columns.
AVO_TILES void MultiplyLast(const BFloat16 *a, int64_t a_stride, const BFloat16 *b, int64_t depth,
                            float *sums, int64_t sums_stride) {
  const BFloat16 *a_below = a + 16 * a_stride;
  float *below = sums + 16 * sums_stride;
  const int64_t sum_bytes = sums_stride * sizeof(float), a_bytes = a_stride * sizeof(BFloat16);
  _tile_loadd(0, sums, sum_bytes);
  _tile_loadd(2, below, sum_bytes);
  for (int64_t k = 0; k < depth; k += kTileProductDepth) {
    _tile_loadd(4, a + k, a_bytes);
    _tile_loadd(6, b + k * kTileProductColumns, 64);
    _tile_loadd(5, a_below + k, a_bytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(2, 5, 6);
  }
  _tile_stored(0, sums, sum_bytes);
  _tile_stored(2, below, sum_bytes);
}

}  // namespace

bool HasTileProduct() {
  static const bool has = RequestTiles();
  return has;
}

TileRegisters::TileRegisters() { Configure(); }
TileRegisters::~TileRegisters() { Release(); }

void MultiplyAddTiles(const BFloat16 *a, int64_t a_stride, int64_t rows, const BFloat16 *b, int64_t depth,
                      int64_t columns, float *sums, int64_t sums_stride) {
  // The compiler does not know that these instructions read and write memory.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  depth = (depth + kTileProductDepth - 1) / kTileProductDepth * kTileProductDepth;
  for (int64_t c = 0; c < columns; c += 2 * kTileProductColumns) {
    const auto multiply = c + kTileProductColumns < columns ? MultiplySquare : MultiplyLast;
    for (int64_t r = 0; r < rows; r += kTileProductRows) {
      multiply(a + r * a_stride, a_stride, b + c * depth, depth, sums + r * sums_stride + c, sums_stride);
    }
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace avo

#else

namespace avo {

bool HasTileProduct() { return false; }
TileRegisters::TileRegisters() = default;
TileRegisters::~TileRegisters() = default;
void MultiplyAddTiles(const BFloat16 *, int64_t, int64_t, const BFloat16 *, int64_t, int64_t, float *,
                      int64_t) {}

}  // namespace avo

#endif
