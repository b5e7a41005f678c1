// SPDX-License-Identifier: Apache-2.0
// Loads and stores of tiles of (N, C, H, W) tensors: offsets, masks, grad_output.
#if defined(AVO_OP_CPU_COMMON_DEFORM_READS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_DEFORM_READS_INL_H_
#undef AVO_OP_CPU_COMMON_DEFORM_READS_INL_H_
#else
#define AVO_OP_CPU_COMMON_DEFORM_READS_INL_H_
#endif

#include "hwy/highway.h"
#include "op_cpu/common/copies/channel_images-inl.h"
#include "op_cpu/common/copies/tiles.h"
#include "op_cpu/deform/deform_tiles.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Loads a channel of a tensor at the positions of a tile, (rows, columns) without gaps.
template <typename T>
void ReadTile(const Tensor &tensor, const Tile &tile, int64_t channel, Compute<T> *to) {
  const ComputeTag<T> d;
  const Shape &s = tensor.strides;
  const int64_t lanes = hn::Lanes(d);
  const T *from = static_cast<const T *>(tensor.data) + tile.image * s[0] + channel * s[1] + tile.row * s[2] +
                  tile.column * s[3];
  for (int64_t y = 0; y < tile.rows; ++y, from += s[2], to += tile.columns) {
    if (s[3] == 1 && tile.columns >= lanes) {
      // The last vector overlaps the one before it.
      for (int64_t next = 0; next < tile.columns; next += lanes) {
        const int64_t x = std::min(next, tile.columns - lanes);
        hn::StoreU(LoadFloat(d, from + x), d, to + x);
      }
    } else {
      for (int64_t x = 0; x < tile.columns; ++x) to[x] = Widen(from[x * s[3]]);
    }
  }
}

// Stores to a channel of a tensor at the positions of a tile.
template <typename T>
void StoreTile(const Compute<T> *from, const Tensor &tensor, const Tile &tile, int64_t channel) {
  const Shape &s = tensor.strides;
  T *to = static_cast<T *>(tensor.data) + tile.image * s[0] + channel * s[1] + tile.row * s[2] +
          tile.column * s[3];
  for (int64_t y = 0; y < tile.rows; ++y, to += s[2]) {
    for (int64_t x = 0; x < tile.columns; ++x, ++from) to[x * s[3]] = Narrow<T>(*from);
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
