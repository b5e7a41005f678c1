// SPDX-License-Identifier: Apache-2.0
// Loads of images as matrices (img2col), and the registers that describe the image.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"

// Width in bits 0 to 15, height in 16 to 31, then padding of 8 bits each: left, right, top, bottom.
void set_fmatrix(uint64_t word);
void set_fmatrix_b(uint64_t word);
// Stride of repeats in bits 0 to 15, their number in 16 to 23, 24: along k.
void set_l3d_rpt(uint64_t word);
void set_padding(uint64_t value);
// Where addresses in L1 start again from the image's first byte; 0: nowhere.
void set_l1_3d_size(uint64_t bytes);

// What the unit that prepares images does with a picture (include/sim/aipp.h).
void set_aipp_spr_0(uint64_t word);
void set_aipp_spr_1(uint64_t word);
void set_aipp_spr_2(uint64_t word);
void set_aipp_spr_3(uint64_t word);
void set_aipp_spr_4(uint64_t word);
void set_aipp_spr_5(uint64_t word);
void set_aipp_spr_6(uint64_t word);
void set_aipp_spr_7(uint64_t word);
void set_aipp_spr_8(uint64_t word);
void set_aipp_spr_9(uint64_t word);
// Loads a part of the picture. Its width and height, and the width of the picture, are less by one.
template <typename T>
void load_image_to_cbuf(__cbuf__ T *dst, uint16_t horSize, uint16_t verSize, uint16_t horStartP,
                        uint16_t verStartP, uint16_t sHorRes, uint8_t topPadSize, uint8_t botPadSize,
                        uint16_t lPadSize, uint16_t rPadSize, uint8_t sid);

#define SIM_IMAGE(name, to)                                                                           \
  template <typename T>                                                                               \
  void name(to T *dst, __cbuf__ T *src, uint16_t stepK, uint16_t stepM, uint16_t posK, uint16_t posM, \
            uint8_t strideW, uint8_t strideH, uint8_t filterW, uint8_t filterH, uint8_t dilationW,    \
            uint8_t dilationH, bool filterSizeW, bool filterSizeH, bool transpose, bool fmatrixCtrl,  \
            uint16_t channels);
SIM_IMAGE(img2colv2_cbuf_to_ca, __ca__)
SIM_IMAGE(img2colv2_cbuf_to_cb, __cb__)
#undef SIM_IMAGE
