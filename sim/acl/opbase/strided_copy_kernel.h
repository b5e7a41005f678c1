// SPDX-License-Identifier: Apache-2.0
// An AscendC kernel that copies one strided view to another. Tiles of rows go through UB; gaps in GM are
// skipped.
#pragma once

#include <cstdint>

#include "kernel_operator.h"

constexpr int32_t kStridedCopyDims = 8;

// All sizes and strides are in bytes. A tile has up to tileRows rows of up to pieceBytes. Tiles are numbered:
// first along the pieces of a row, then along the groups of rows, then along the outer dimensions from the
// last to the first.
struct StridedCopyTiling {
  int64_t rowBytes;                     // bytes that follow each other on both sides
  int64_t pieceBytes;                   // of a row, in one tile
  int64_t pieces;                       // of a row
  int64_t rows;                         // of the row dimension
  int64_t tileRows;                     // rows in one tile
  int64_t rowGroups;                    // tiles along the row dimension
  int64_t srcRowStride;                 // from row to row in the source
  int64_t dstRowStride;                 // from row to row in the destination
  int64_t tiles;                        // all
  int64_t outer;                        // number of outer dimensions
  int64_t outerSize[kStridedCopyDims];  // sizes of the outer dimensions
  int64_t srcStride[kStridedCopyDims];  // their strides in the source
  int64_t dstStride[kStridedCopyDims];  // their strides in the destination
};

class StridedCopy {
 public:
  __aicore__ inline void Init(GM_ADDR src, GM_ADDR dst, const StridedCopyTiling &tiling,
                              AscendC::TPipe *pipe) {
    t_ = tiling;
    src_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t *>(src));
    dst_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t *>(dst));
    pipe->InitBuffer(queue_, kBuffers, t_.tileRows * AlignUp(t_.pieceBytes));
  }

  __aicore__ inline void Process() {
    const int64_t blocks = AscendC::GetBlockNum();
    const int64_t block = AscendC::GetBlockIdx();
    const int64_t end = t_.tiles * (block + 1) / blocks;
    for (int64_t tile = t_.tiles * block / blocks; tile < end; ++tile) CopyTile(tile);
  }

 private:
  static constexpr int32_t kBuffers = 2;
  static constexpr int64_t kBlockBytes = 32;

  __aicore__ static inline int64_t AlignUp(int64_t bytes) {
    return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  }

  __aicore__ inline void CopyTile(int64_t tile) {
    const int64_t piece = tile % t_.pieces * t_.pieceBytes;
    const int64_t row = tile / t_.pieces % t_.rowGroups * t_.tileRows;
    int64_t src = piece + row * t_.srcRowStride;
    int64_t dst = piece + row * t_.dstRowStride;
    int64_t index = tile / t_.pieces / t_.rowGroups;
    for (int64_t i = t_.outer - 1; i >= 0; --i) {
      src += index % t_.outerSize[i] * t_.srcStride[i];
      dst += index % t_.outerSize[i] * t_.dstStride[i];
      index /= t_.outerSize[i];
    }
    const int64_t bytes = t_.rowBytes - piece < t_.pieceBytes ? t_.rowBytes - piece : t_.pieceBytes;
    const int64_t rows = t_.rows - row < t_.tileRows ? t_.rows - row : t_.tileRows;
    CopyIn(src, rows, bytes);
    CopyOut(dst, rows, bytes);
  }

  // A gap lies between the end of a row and the start of the next. A single row has none.
  __aicore__ static inline uint32_t Gap(int64_t stride, int64_t rows, int64_t bytes) {
    return rows > 1 ? static_cast<uint32_t>(stride - bytes) : 0;
  }

  __aicore__ inline void CopyIn(int64_t offset, int64_t rows, int64_t bytes) {
    auto tile = queue_.AllocTensor<uint8_t>();
    const AscendC::DataCopyExtParams params(static_cast<uint16_t>(rows), static_cast<uint32_t>(bytes),
                                            Gap(t_.srcRowStride, rows, bytes), 0, 0);
    AscendC::DataCopyPad(tile, src_[offset], params, AscendC::DataCopyPadExtParams<uint8_t>(false, 0, 0, 0));
    queue_.EnQue(tile);
  }

  __aicore__ inline void CopyOut(int64_t offset, int64_t rows, int64_t bytes) {
    auto tile = queue_.DeQue<uint8_t>();
    const AscendC::DataCopyExtParams params(static_cast<uint16_t>(rows), static_cast<uint32_t>(bytes), 0,
                                            Gap(t_.dstRowStride, rows, bytes), 0);
    AscendC::DataCopyPad(dst_[offset], tile, params);
    queue_.FreeTensor(tile);
  }

  StridedCopyTiling t_;
  AscendC::GlobalTensor<uint8_t> src_;
  AscendC::GlobalTensor<uint8_t> dst_;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue_;
};
