// SPDX-License-Identifier: Apache-2.0
// Enumerations that CANN's device compiler has built in: arguments of its intrinsics. Names and values are
// those of the compiler; a value that no intrinsic of this folder takes is here where CANN's headers name it.
#pragma once

#include <cstdint>

#include "../include/sim/pipes.h"
#include "../include/sim/quant_mode.h"

enum mem_dsb_t { DSB_ALL, DSB_DDR, DSB_UB, DSB_SEQ };
enum cache_line_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum dcci_dst_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

// Vector instructions.
enum Order_t { VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };
enum ub_addr8_t { VA0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };
enum vpart_t { L128, H128 };
enum vtype_t { b8, b16, b32, s8, s32, f16, fmix, f32 };
enum VSPR_t { DATA_EXP_0 = 48, DATA_EXP_1, DATA_EXP_2, DATA_EXP_3 };

// Copies.
enum mem_t { L1, L0A, L0B, L0C, UB, BT };
enum pad_t {
  PAD_NONE,
  PAD_MODE1,
  PAD_MODE2,
  PAD_MODE3,
  PAD_MODE4,
  PAD_MODE5,
  PAD_MODE6,
  PAD_MODE7,
  PAD_MODE8
};
enum bm_t { BM_DISABLE, BM_ENABLE };
enum atomic_type_t { ATOMIC_NONE, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum atomic_op_t { ATOMIC_SUM };

// The cube unit and the pipe that fixes its results.
enum addr_cal_mode_t { inc, dec };
enum csize_t { CSIZE0, CSIZE1 };
enum w_size_t { W_3, W_5 };
enum even0_7_t { e0 = 0, e2 = 2, e4 = 4, e6 = 6 };
enum unit_flag_t { UFMode0, Reserved, UFMode2, UFMode3 };
enum Relu_t { NoRELU, NormalRELU, LeakyRELU, PRELU };
enum Pool_t { NoPooling, AVGPooling, MAXPooling, GAVGPooling };
enum Req_t { NoREQ, REQ, VREQ };
enum CvtMode_t { NoConversion, CvtMode1, CvtMode2 };
enum DualMode_t { DUAL_MODE0, DUAL_MODE1, DUAL_MODE2, DUAL_MODE3, DUAL_MODE4 };
enum ConvRelu_t {
  CRMODE_NONE = 0,
  CRMODE_F32toF16_NONE = 1,
  CRMODE_F32toF16_RELU = 2,
  CRMODE_S32toF16_NONE = 3,
  CRMODE_F16toF32_NONE = 4,
  CRMODE_NONE_RELU = 5,
  CRMODE_F16_MUL = 6,
  CRMODE_S32toF16_DEQSCALE_SPR = 7,
  CRMODE_DEQSCALE_VDEQ8 = 8,
  CRMODE_DEQSCALE_DEQ8 = 9,
  CRMODE_DEQSCALE_VDEQ16 = 10,
  CRMODE_DEQSCALE_DEQ16 = 11,
  CRMODE_DEQSCALE_VDEQS16 = 12,
  CRMODE_DEQSCALE_DEQS16 = 13,
};
