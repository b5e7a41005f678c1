// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "cube_images.h"

#include "../../include/sim/img2col.h"

using namespace sim;

void set_fmatrix(uint64_t word) { Core::Current().registers.image[0] = word; }
void set_fmatrix_b(uint64_t word) { Core::Current().registers.image[1] = word; }
void set_l3d_rpt(uint64_t word) { Core::Current().registers.image_repeats = word; }
void set_padding(uint64_t value) { Core::Current().registers.image_padding = value; }

void set_l1_3d_size(uint64_t bytes) { SetImageBoundary(bytes, Unplaced()); }

namespace {

template <typename T>
void Load(Space space, T *dst, T *src, const Img2Col &params) {
  LoadImage(Side("dst", OnChip<T>(space, dst)), Side("src", OnChip<T>(Space::L1, src)), params, Unplaced());
}

uint16_t FilterSize(uint8_t size, bool large) { return static_cast<uint16_t>(size + (large ? 256 : 0)); }

}  // namespace

#define SIM_IMAGE(name, space, T)                                                                          \
  template <>                                                                                              \
  void name(T *dst, T *src, uint16_t stepK, uint16_t stepM, uint16_t posK, uint16_t posM, uint8_t strideW, \
            uint8_t strideH, uint8_t filterW, uint8_t filterH, uint8_t dilationW, uint8_t dilationH,       \
            bool filterSizeW, bool filterSizeH, bool transpose, bool fmatrixCtrl, uint16_t channels) {     \
    Load(space, dst, src,                                                                                  \
         {stepK, stepM, posK, posM, strideW, strideH, FilterSize(filterW, filterSizeW),                    \
          FilterSize(filterH, filterSizeH), dilationW, dilationH, transpose, fmatrixCtrl, channels});      \
  }
#define SIM_IMAGES(T)                            \
  SIM_IMAGE(img2colv2_cbuf_to_ca, Space::L0A, T) \
  SIM_IMAGE(img2colv2_cbuf_to_cb, Space::L0B, T)
SIM_IMAGES(half)
SIM_IMAGES(float)
SIM_IMAGES(int32_t)
SIM_IMAGES(uint32_t)
SIM_IMAGE(img2colv2_cbuf_to_ca, Space::L0A, int8_t)
SIM_IMAGE(img2colv2_cbuf_to_ca, Space::L0A, uint8_t)
