// SPDX-License-Identifier: Apache-2.0
// The template arguments of scaled_power that a tiling key chooses. FACTOR 5 is declared, and nothing is
// compiled for it.
#pragma once

#include "ascendc/host_api/tiling/template_argument.h"

#define SMALL_FACTOR 2
#define LARGE_FACTOR (SMALL_FACTOR * 4)

struct ScaledPowerTiling {
  uint32_t size;
  uint32_t tile;
};

ASCENDC_TPL_ARGS_DECL(ScaledPower,
                      ASCENDC_TPL_DATATYPE_DECL(T, C_DT_FLOAT, C_DT_FLOAT16, ASCENDC_TPL_INPUT(0)),
                      ASCENDC_TPL_UINT_DECL(FACTOR, ASCENDC_TPL_4_BW, ASCENDC_TPL_UI_MIX, 2, 4, 5, 10, 11,
                                            LARGE_FACTOR, SMALL_FACTOR),
                      ASCENDC_TPL_BOOL_DECL(SQUARED, 0, 1), );

ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY),
                                     ASCENDC_TPL_DATATYPE_SEL(T, C_DT_FLOAT),
                                     ASCENDC_TPL_UINT_SEL(FACTOR, ASCENDC_TPL_UI_LIST, LARGE_FACTOR,
                                                          SMALL_FACTOR),
                                     ASCENDC_TPL_BOOL_SEL(SQUARED, 0, 1),
                                     ASCENDC_TPL_TILING_STRUCT_SEL(ScaledPowerTiling)),
                ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_BOOL_SEL(SQUARED, 0),
                                     ASCENDC_TPL_UINT_SEL(FACTOR, ASCENDC_TPL_UI_RANGE, 1, 10, 11),
                                     ASCENDC_TPL_DATATYPE_SEL(T, C_DT_FLOAT16),
                                     ASCENDC_TPL_TILING_STRUCT_SEL(ScaledPowerTiling)), );
