// SPDX-License-Identifier: Apache-2.0
// Sizes, modes and other named constants of the AscendC API on Atlas A2.
#pragma once

#include <cstdint>

namespace AscendC {

constexpr uint32_t ONE_BLK_SIZE = 32;          // bytes of a data block
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;  // bytes of a repeat
constexpr int32_t DEFAULT_BLK_NUM = 8;         // data blocks of a repeat
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr int32_t DEFAULT_REDUCE_DST_REP_STRIDE = 1;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr uint8_t DEFAULT_DATA_COPY_NBURST = 1;
constexpr uint8_t DEFAULT_DATA_COPY_STRIDE = 0;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr int32_t BLOCK_CUBE = 16;
constexpr int32_t CUBE_MAX_SIZE = 256;
constexpr int32_t BYTE_PER_FRACTAL = 512;
constexpr uint8_t MRG_SORT_ELEMENT_LEN = 4;
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
constexpr uint64_t FULL_MASK = ~uint64_t{0};
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};
constexpr uint32_t TOTAL_UB_SIZE = 192 * 1024;
constexpr uint32_t TOTAL_L0C_SIZE = 128 * 1024;
constexpr uint32_t CACHE_LINE_SIZE = 64;
constexpr uint32_t K_MAX_SHAPE_DIM = 8;

enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class ReduceType { NONE = -1, SUM = 0, MAX, MIN };
enum class ReduceOrder : uint8_t {
  ORDER_VALUE_INDEX = 0,
  ORDER_INDEX_VALUE,
  ORDER_ONLY_VALUE,
  ORDER_ONLY_INDEX
};
enum class RoundMode : uint8_t {
  CAST_NONE = 0,  // no rounding, or the default of the pair of types
  CAST_RINT,      // to nearest, ties to even
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,  // to nearest, ties away from zero
  CAST_TRUNC,
  CAST_ODD,  // to odd (von Neumann)
};
enum class CacheMode : uint8_t { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL };
enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class PaddingMode : uint8_t { Normal = 0, Compact };

}  // namespace AscendC
