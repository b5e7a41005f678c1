// SPDX-License-Identifier: Apache-2.0
// Loads of fractals of 512 bytes. `baseIdx` and `srcStride` count fractals (squares of 16 x 16 elements with
// _transpose, 32 x 32 of one byte), `dstStride` fractals between the end of one and the start of the next.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"

#define SIM_LOAD(name, to)                                                                                \
  template <typename T>                                                                                   \
  void name(to T *dst, __cbuf__ T *src, uint16_t baseIdx, uint8_t repeat, uint16_t srcStride,             \
            uint16_t dstStride, uint8_t sid, bool transpose, addr_cal_mode_t addrMode);                   \
  template <typename T>                                                                                   \
  void name##_transpose(to T *dst, __cbuf__ T *src, uint16_t indexID, uint8_t repeat, uint16_t srcStride, \
                        uint16_t dstStride, bool addrMode, uint16_t dstFracStride);
SIM_LOAD(load_cbuf_to_ca, __ca__)
SIM_LOAD(load_cbuf_to_cb, __cb__)
#undef SIM_LOAD

#define SIM_LOAD_GM(name, to)                                                               \
  template <typename T>                                                                     \
  void name(to T *dst, __gm__ T *src, uint16_t baseIdx, uint8_t repeat, uint16_t srcStride, \
            uint16_t dstStride, uint8_t sid, addr_cal_mode_t addrMode);
SIM_LOAD_GM(load_gm_to_ca, __ca__)
SIM_LOAD_GM(load_gm_to_cb, __cb__)
SIM_LOAD_GM(load_gm_to_cbuf, __cbuf__)
#undef SIM_LOAD_GM

// The same for int4b_t, of which two lie in a byte; a square has 64 x 64 of them.
void load_cbuf_to_ca_s4(__ca__ void *dst, __cbuf__ void *src, uint16_t baseIdx, uint8_t repeat,
                        uint16_t srcStride, uint16_t dstStride, uint8_t sid, bool transpose,
                        addr_cal_mode_t addrMode);
void load_cbuf_to_cb_s4(__cb__ void *dst, __cbuf__ void *src, uint16_t baseIdx, uint8_t repeat,
                        uint16_t srcStride, uint16_t dstStride, uint8_t sid, bool transpose,
                        addr_cal_mode_t addrMode);
void load_cbuf_to_cb_transpose_s4(__cb__ void *dst, __cbuf__ void *src, uint16_t indexID, uint8_t repeat,
                                  uint16_t srcStride, uint16_t dstStride, bool addrMode,
                                  uint16_t dstFracStride);

// Fractals of which two of four values along k are stored, and their index. The low half of `src` is the
// address of the values, the high half that of the index.
void load_cbuf_to_cb_sp(__cb__ int8_t *dst, __cbuf__ int8_t *src, uint16_t baseIdx, uint8_t repeat);
