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
constexpr int32_t K_MAX_DIM = 8;
constexpr float PI = 3.14159265358979323846F;
constexpr uint32_t TOTAL_L1_SIZE = 512 * 1024;
constexpr uint32_t TOTAL_L0A_SIZE = 64 * 1024;
constexpr uint32_t TOTAL_L0B_SIZE = 64 * 1024;
constexpr int32_t TOTAL_VEC_LOCAL_SIZE = 184 * 1024;
constexpr uint32_t TMP_UB_SIZE = 8 * 1024;
constexpr uint32_t TMP_UB_OFFSET = 184 * 1024;
constexpr uint32_t MAX_SLICE_SIZE = 6 * 256;

// Elements of 1, 2, 4 and 8 bytes, in a data block and in a repeat.
constexpr int32_t ONE_BYTE_BIT_SIZE = 8;
constexpr uint8_t B8_BYTE_SIZE = 1;
constexpr uint8_t B16_BYTE_SIZE = 2;
constexpr uint8_t B32_BYTE_SIZE = 4;
constexpr uint8_t B64_BYTE_SIZE = 8;
constexpr uint8_t B16_DATA_NUM_PER_BLOCK = 16;
constexpr uint8_t B32_DATA_NUM_PER_BLOCK = 8;
constexpr int32_t B16_DATA_NUM_PER_REPEAT = 128;
constexpr int32_t B32_DATA_NUM_PER_REPEAT = 64;
constexpr uint32_t ONE_BLK_HALF_NUM = 16;
constexpr uint32_t ONE_BLK_FLOAT_NUM = 8;
constexpr uint32_t ONE_REPEAT_HALF_SIZE = 128;
constexpr uint32_t ONE_REPEAT_FLOAT_SIZE = 64;
constexpr uint32_t HALF_REPEAT_SIZE = 128;
constexpr uint32_t FLOAT_REPEAT_SIZE = 64;
constexpr uint32_t MAX_REPEAT_HALF_SIZE = ONE_REPEAT_HALF_SIZE * MAX_REPEAT_TIMES;
constexpr uint32_t MAX_REPEAT_FLOAT_SIZE = ONE_REPEAT_FLOAT_SIZE * MAX_REPEAT_TIMES;
constexpr uint32_t BRCB_BROADCAST_NUMBER = 8;  // elements that a repeat of Brcb takes
constexpr uint32_t BRCB_MAX_REPEAT_SIZE = BRCB_BROADCAST_NUMBER * MAX_REPEAT_TIMES;

constexpr int32_t MIN_REPEAT_TIMES = 0;
constexpr uint8_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr uint8_t ONE_FOURTH_DEFAULT_REPEAT_STRIDE = 2;
constexpr int32_t DEFAULT_REDUCE_DST_REP_SRIDE = 1;  // spelt so in CANN
constexpr bool DEFAULT_REPEAT_STRIDE_MODE = false;
constexpr bool STRIDE_SIZE_MODE = false;
constexpr int32_t FULL_MASK_LEN = 128;
constexpr int32_t HLAF_MASK_LEN = 64;  // spelt so in CANN
constexpr uint16_t MAX_HALF_MASK_LEN = 64;
constexpr uint64_t CONST_MASK_VALUE = 0x8000000000000000;
constexpr int32_t DEFAULT_BLOCK_SIZE = 256;
constexpr int32_t HALF_FACTOR = 2;
constexpr int32_t DOUBLE_FACTOR = 2;
constexpr uint8_t PAD_SIZE = 4;
constexpr uint16_t VALUE_512 = 512;
constexpr uint16_t UINT12_MAX = 4095;
constexpr uint16_t UINT15_MAX = 32767;
constexpr int32_t MAX_BLOCK_COUNT = 4095;
constexpr int32_t MAX_BLOCK_LEN = 65535;
constexpr uint32_t F32_INF = 0x7F800000;
constexpr uint32_t F32_NEG_INF = 0xFF800000;
constexpr uint32_t F32_NAN = 0x7FC00000;
constexpr int32_t CTRL_46_BIT = 46;
constexpr int32_t CTRL_47_BIT = 47;
constexpr int32_t CTRL_48_BIT = 48;
constexpr int32_t CTRL_53_BIT = 53;

enum class Hardware : uint8_t { GM = 0, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };
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
