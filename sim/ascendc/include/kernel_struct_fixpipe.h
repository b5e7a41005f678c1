// SPDX-License-Identifier: Apache-2.0
// Parameters of Fixpipe, which copies results out of L0C.
#pragma once

#include <cstdint>

#include "kernel_constants.h"
#include "sim/quant_mode.h"

namespace AscendC {

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };

struct FixpipeConfig {
  CO2Layout format;
  bool isToUB = false;  // the way from L0C to UB, which Atlas A2 has not
  constexpr FixpipeConfig(CO2Layout layout) : format(layout) {}
  constexpr FixpipeConfig(CO2Layout layout, bool to_ub) : format(layout), isToUB(to_ub) {}
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

// srcStride: from one column of fractals in L0C to the next; it counts rows of 16 values.
// dstStride: for NZ from column to column, in units of 32 bytes; for ND from row to row, in elements.
// srcNdStride counts 16 rows of 16 values, dstNdStride elements.
struct FixpipeParamsV220 {
  FixpipeParamsV220() {}
  FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src_stride, uint32_t dst_stride, bool relu)
      : nSize(n), mSize(m), srcStride(src_stride), dstStride(dst_stride), reluEn(relu) {}
  FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src_stride, uint32_t dst_stride, bool relu,
                    QuantMode_t quant, int64_t deq_scalar, uint16_t nd_num, uint16_t src_nd_stride,
                    uint16_t dst_nd_stride, uint8_t unit_flag, bool channel_split = false)
      : nSize(n),
        mSize(m),
        srcStride(src_stride),
        dstStride(dst_stride),
        quantPre(quant),
        deqScalar(static_cast<uint64_t>(deq_scalar)),
        ndNum(nd_num),
        srcNdStride(src_nd_stride),
        dstNdStride(dst_nd_stride),
        reluEn(relu),
        unitFlag(unit_flag),
        isChannelSplit(channel_split) {}

  uint16_t nSize = 0;
  uint16_t mSize = 0;
  uint16_t srcStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;
  uint16_t ndNum = 1;
  uint16_t srcNdStride = 0;
  uint16_t dstNdStride = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;
};

// Parameters of the DataCopy out of L0C. It takes factors and numbers of matrices from registers
// (SetFixpipePreQuantFlag, SetFixPipeConfig, SetFixpipeNz2ndFlag).
struct DataCopyCO12DstParams {
  DataCopyCO12DstParams() {}
  DataCopyCO12DstParams(uint16_t n, uint16_t m, uint32_t dst_stride, uint16_t src_stride, QuantMode_t quant,
                        uint8_t relu, bool channel_split, bool nz2nd)
      : nSize(n),
        mSize(m),
        dstStride(dst_stride),
        srcStride(src_stride),
        quantPre(quant),
        reluPre(relu),
        channelSplit(channel_split),
        nz2ndEn(nz2nd) {}

  uint8_t sid = 0;
  uint16_t nSize = 0;
  uint16_t mSize = 0;
  uint32_t dstStride = 0;
  uint16_t srcStride = 0;
  uint8_t unitFlag = 0;
  uint8_t clipReluPre = 0;
  uint8_t eltWiseOp = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint8_t reluPre = 0;
  bool channelSplit = false;
  bool nz2ndEn = false;
};

}  // namespace AscendC
