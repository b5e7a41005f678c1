// SPDX-License-Identifier: Apache-2.0
// Parameters of the copies between memories.
#pragma once

#include <cstdint>

#include "kernel_constants.h"

namespace AscendC {

enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };
enum class BlockMode : uint8_t {
  BLOCK_MODE_NORMAL = 0,
  BLOCK_MODE_MATRIX,
  BLOCK_MODE_VECTOR,
  BLOCK_MODE_SMALL_CHANNEL,
  BLOCK_MODE_DEPTHWISE
};
enum class DeqScale : uint8_t { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };

// Blocks of blockLen x 32 bytes. A gap lies between the end of a block and the start of the next, and counts
// 32 bytes. With DataCopyPad blockLen and the gap in GM count bytes.
struct DataCopyParams {
  DataCopyParams() {}
  DataCopyParams(uint16_t count, uint16_t len, uint16_t src_gap, uint16_t dst_gap)
      : blockCount(count), blockLen(len), srcGap(src_gap), dstGap(dst_gap) {}

  uint16_t blockCount = DEFAULT_DATA_COPY_NBURST;
  uint16_t blockLen = 0;
  union {
    uint16_t srcGap = 0;
    uint16_t srcStride;
  };
  union {
    uint16_t dstGap = 0;
    uint16_t dstStride;
  };
};

struct DataCopyEnhancedParams {
  BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
  DeqScale deqScale = DeqScale::DEQ_NONE;
  uint64_t deqValue = 0;
  uint8_t sidStoreMode = 0;
  bool isRelu = false;
};

// blockLen and the gap in GM count bytes, the gap in UB counts 32 bytes.
struct DataCopyExtParams {
  DataCopyExtParams() {}
  DataCopyExtParams(uint16_t count, uint32_t len, uint32_t src_stride, uint32_t dst_stride, uint32_t reserved)
      : blockCount(count), blockLen(len), srcStride(src_stride), dstStride(dst_stride), rsv(reserved) {}

  uint16_t blockCount = DEFAULT_DATA_COPY_NBURST;
  uint32_t blockLen = 0;
  uint32_t srcStride = DEFAULT_DATA_COPY_STRIDE;
  uint32_t dstStride = DEFAULT_DATA_COPY_STRIDE;
  uint32_t rsv = 0;
};

// leftPadding and rightPadding count elements.
struct DataCopyPadParams {
  DataCopyPadParams() {}
  DataCopyPadParams(bool is_pad, uint8_t left, uint8_t right, uint64_t value)
      : isPad(is_pad), leftPadding(left), rightPadding(right), paddingValue(value) {}

  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;
};

template <typename T>
struct DataCopyPadExtParams {
  DataCopyPadExtParams() {}
  DataCopyPadExtParams(bool is_pad, uint8_t left, uint8_t right, T value)
      : isPad(is_pad), leftPadding(left), rightPadding(right), paddingValue(value) {}

  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  T paddingValue = T(0);
};

// From row-major matrices (ND) to fractals (NZ). Strides count elements, those on the side of NZ 32 bytes
// (C0).
struct Nd2NzParams {
  Nd2NzParams() {}
  Nd2NzParams(uint16_t nd_num, uint16_t n_value, uint16_t d_value, uint16_t src_nd_matrix_stride,
              uint16_t src_d_value, uint16_t dst_nz_c0_stride, uint16_t dst_nz_n_stride,
              uint16_t dst_nz_matrix_stride)
      : ndNum(nd_num),
        nValue(n_value),
        dValue(d_value),
        srcNdMatrixStride(src_nd_matrix_stride),
        srcDValue(src_d_value),
        dstNzC0Stride(dst_nz_c0_stride),
        dstNzNStride(dst_nz_n_stride),
        dstNzMatrixStride(dst_nz_matrix_stride) {}

  uint16_t ndNum = 0;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 0;
  uint16_t srcDValue = 0;
  uint16_t dstNzC0Stride = 0;
  uint16_t dstNzNStride = 0;
  uint16_t dstNzMatrixStride = 0;
};

// From columns of 16 elements (NZ) to rows (ND). srcNdMatrixStride counts 256 elements, srcNStride, from one
// column to the next, 16 elements; the strides on the side of ND count elements.
struct Nz2NdParamsFull {
  Nz2NdParamsFull() {}
  Nz2NdParamsFull(uint16_t nd_num, uint16_t n_value, uint16_t d_value, uint16_t src_nd_matrix_stride,
                  uint16_t src_n_stride, uint16_t dst_d_stride, uint16_t dst_nd_matrix_stride)
      : ndNum(nd_num),
        nValue(n_value),
        dValue(d_value),
        srcNdMatrixStride(src_nd_matrix_stride),
        srcNStride(src_n_stride),
        dstDStride(dst_d_stride),
        dstNdMatrixStride(dst_nd_matrix_stride) {}

  uint16_t ndNum = 1;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 1;
  uint16_t srcNStride = 0;
  uint16_t dstDStride = 0;
  uint16_t dstNdMatrixStride = 1;
};

// Strides in 32 B data blocks.
struct CopyRepeatParams {
  CopyRepeatParams() {}
  CopyRepeatParams(uint16_t dst_stride, uint16_t src_stride, uint16_t dst_repeat, uint16_t src_repeat)
      : dstStride(dst_stride), srcStride(src_stride), dstRepeatSize(dst_repeat), srcRepeatSize(src_repeat) {}

  uint16_t dstStride = DEFAULT_DATA_COPY_STRIDE;
  uint16_t srcStride = DEFAULT_DATA_COPY_STRIDE;
  uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE;
  uint16_t srcRepeatSize = DEFAULT_REPEAT_STRIDE;
};

// One dimension of a strided slice: the elements startIndex to endIndex in runs of burstLen x 32 bytes, with
// `stride` elements from run to run.
struct SliceInfo {
  SliceInfo() {}
  SliceInfo(uint32_t start, uint32_t end, uint32_t stride_elements, uint32_t burst, uint32_t shape = 0)
      : startIndex(start), endIndex(end), stride(stride_elements), burstLen(burst), shapeValue(shape) {}

  uint32_t startIndex = 0;
  uint32_t endIndex = ONE_BLK_SIZE - 1;
  uint32_t stride = 0;
  uint32_t burstLen = ONE_BLK_SIZE;
  uint32_t shapeValue = 0;
};

}  // namespace AscendC
