// SPDX-License-Identifier: Apache-2.0
// Parameters of the loads into L0A and L0B and of the matrix product.
#pragma once

#include <cstdint>

#include "kernel_constants.h"

namespace AscendC {

// A repeat loads one fractal of 512 bytes. startIndex, srcStride and dstGap count fractals; the gap lies
// between the end of a fractal and the start of the next.
struct LoadData2DParams {
  LoadData2DParams() {}
  LoadData2DParams(uint16_t start_index, uint8_t repeat_times, uint16_t src_stride, uint8_t sid_in,
                   uint16_t dst_gap, bool if_transpose, uint8_t addr_mode)
      : startIndex(start_index),
        dstGap(dst_gap),
        srcStride(src_stride),
        ifTranspose(if_transpose),
        repeatTimes(repeat_times),
        sid(sid_in),
        addrMode(addr_mode) {}

  uint16_t startIndex = 0;
  uint16_t dstGap = 0;
  uint16_t srcStride = 0;
  bool ifTranspose = false;
  uint8_t repeatTimes = 0;
  uint8_t sid = 0;
  uint8_t addrMode = 0;  // 1: towards lower addresses of src
};
using LoadData2dParams = LoadData2DParams;

// A repeat loads one square of 16 x 16 elements (32 x 32 of one-byte types), which is one or two fractals.
// startIndex and srcStride count squares. The gaps count fractals: dstGap lies between the first fractals of
// two repeats, dstFracGap between the fractals of one square.
struct LoadData2dTransposeParams {
  LoadData2dTransposeParams() {}
  LoadData2dTransposeParams(uint16_t start_index, uint8_t repeat_times, uint16_t src_stride, uint16_t dst_gap,
                            uint16_t dst_frac_gap, uint8_t addr_mode = 0)
      : startIndex(start_index),
        repeatTimes(repeat_times),
        srcStride(src_stride),
        dstGap(dst_gap),
        dstFracGap(dst_frac_gap),
        addrMode(addr_mode) {}

  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0;
  uint16_t dstGap = 0;
  uint16_t dstFracGap = 0;
  uint8_t addrMode = 0;
};

// Loads part of the matrix of windows on an image (sim/img2col.h): kExtension columns and mExtension rows
// from kStartPt and mStartPt on.
template <typename T>
struct LoadData3DParamsV2 {
  LoadData3DParamsV2() {}
  LoadData3DParamsV2(const uint8_t padding[4], uint16_t l1_h, uint16_t l1_w, uint16_t channel_size,
                     uint16_t k_extension, uint16_t m_extension, uint16_t k_start, uint16_t m_start,
                     uint8_t stride_w, uint8_t stride_h, uint8_t filter_w, uint8_t filter_h,
                     uint8_t dilation_w, uint8_t dilation_h, bool transpose, bool small_k, T pad_value)
      : l1H(l1_h),
        l1W(l1_w),
        channelSize(channel_size),
        kExtension(k_extension),
        mExtension(m_extension),
        kStartPt(k_start),
        mStartPt(m_start),
        strideW(stride_w),
        strideH(stride_h),
        filterW(filter_w),
        filterH(filter_h),
        dilationFilterW(dilation_w),
        dilationFilterH(dilation_h),
        enTranspose(transpose),
        enSmallK(small_k),
        padValue(pad_value) {
    for (int i = 0; i < 4; ++i) padList[i] = padding[i];
  }

  uint8_t padList[4] = {0, 0, 0, 0};  // left, right, top, bottom
  uint16_t l1H = 0;
  uint16_t l1W = 0;
  uint16_t channelSize = 0;
  uint16_t kExtension = 0;
  uint16_t mExtension = 0;
  uint16_t kStartPt = 0;
  uint16_t mStartPt = 0;
  uint8_t strideW = 1;
  uint8_t strideH = 1;
  uint8_t filterW = 1;
  uint8_t filterH = 1;
  uint8_t dilationFilterW = 1;
  uint8_t dilationFilterH = 1;
  bool enTranspose = false;
  bool enSmallK = false;
  T padValue{};
  bool filterSizeW = false;  // 256 more
  bool filterSizeH = false;
  bool fMatrixCtrl = false;  // the sizes of FMATRIX_RIGHT
};

// Fractals of a later device. Sources for both devices fill the struct.
struct LoadData2DParamsV2 {
  LoadData2DParamsV2() {}
  LoadData2DParamsV2(uint32_t m_start, uint32_t k_start, uint16_t m_step, uint16_t k_step, int32_t src_stride,
                     uint16_t dst_stride, bool transpose, uint8_t id)
      : mStartPosition(m_start),
        kStartPosition(k_start),
        mStep(m_step),
        kStep(k_step),
        srcStride(src_stride),
        dstStride(dst_stride),
        ifTranspose(transpose),
        sid(id) {}

  uint32_t mStartPosition = 0;
  uint32_t kStartPosition = 0;
  uint16_t mStep = 0;
  uint16_t kStep = 0;
  int32_t srcStride = 0;
  uint16_t dstStride = 0;
  bool ifTranspose = false;
  uint8_t sid = 0;
};

// An image as LoadData3DParamsV2 describes it, in two words; SetFmatrix and SetLoadDataPaddingValue describe
// the image.
struct LoadData3DParamsV2Pro {
  LoadData3DParamsV2Pro() {}
  LoadData3DParamsV2Pro(uint16_t channel_size, bool transpose, bool small_k, bool filter_size_w,
                        bool filter_size_h, bool fmatrix_ctrl, uint64_t ext_config, uint64_t filter_config)
      : channelSize(channel_size),
        enTranspose(transpose),
        enSmallK(small_k),
        filterSizeW(filter_size_w),
        filterSizeH(filter_size_h),
        fMatrixCtrl(fmatrix_ctrl),
        extConfig(ext_config),
        filterConfig(filter_config) {}

  uint16_t channelSize = 0;
  bool enTranspose = false;
  bool enSmallK = false;
  bool filterSizeW = false;
  bool filterSizeH = false;
  bool fMatrixCtrl = false;
  uint64_t extConfig = 0;  // 16 bits for each of kExtension, mExtension, kStartPt, mStartPt, from bit 0 on
  // 8 bits for each of strideW, strideH, filterW, filterH, dilationFilterW, dilationFilterH.
  uint64_t filterConfig = 0x010101010101;
};

// Says which of the image's properties LoadData sets itself.
struct IsResetLoad3dConfig {
  bool isSetFMatrix = true;
  bool isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

// Repeats of `blockNum` blocks, with `dstGap` blocks between two of them. A block has 32 bytes in L1, 512 in
// L0A and L0B.
template <typename T>
struct InitConstValueParams {
  InitConstValueParams() {}
  InitConstValueParams(uint16_t repeat_times, uint16_t block_num, uint16_t dst_gap, T value)
      : repeatTimes(repeat_times), blockNum(block_num), dstGap(dst_gap), initValue(value) {}
  InitConstValueParams(uint16_t repeat_times, T value) : repeatTimes(repeat_times), initValue(value) {}

  uint16_t repeatTimes = 0;
  uint16_t blockNum = 0;
  uint16_t dstGap = 0;
  T initValue = T(0);
};

enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };

// LoadData of an image repeats along m (repeatMode 0, repeatStride counts 16 rows) or along k (1, data
// blocks).
struct LoadDataRepeatParam {
  LoadDataRepeatParam() {}
  LoadDataRepeatParam(uint16_t stride, uint8_t times, uint8_t mode)
      : repeatStride(stride), repeatTime(times), repeatMode(mode) {}

  uint16_t repeatStride = 0;
  uint8_t repeatTime = 1;
  uint8_t repeatMode = 0;
};

struct MmadParams {
  MmadParams() {}
  MmadParams(uint16_t m_in, uint16_t n_in, uint16_t k_in, bool is_bias, int32_t fm_offset, bool en_ssparse,
             bool en_winograd_a, bool en_winograd_b)
      : m(m_in),
        n(n_in),
        k(k_in),
        isBias(is_bias),
        fmOffset(fm_offset),
        enSsparse(en_ssparse),
        enWinogradA(en_winograd_a),
        enWinogradB(en_winograd_b) {}
  MmadParams(uint16_t m_in, uint16_t n_in, uint16_t k_in, uint8_t unit_flag, bool cmatrix_source,
             bool cmatrix_init_val)
      : m(m_in),
        n(n_in),
        k(k_in),
        unitFlag(unit_flag),
        cmatrixSource(cmatrix_source),
        cmatrixInitVal(cmatrix_init_val) {}

  uint16_t m = 0;
  uint16_t n = 0;
  uint16_t k = 0;
  bool isBias = false;  // older name of !cmatrixInitVal
  int32_t fmOffset = 0;
  bool enSsparse = false;
  bool enWinogradA = false;
  bool enWinogradB = false;
  uint8_t unitFlag = 0;
  bool kDirectionAlign = false;  // float: each row of fractals in L0A has a multiple of 16 k
  bool cmatrixSource = false;    // the initial C comes from the bias table
  bool cmatrixInitVal = true;    // the initial C is zero
};

}  // namespace AscendC
