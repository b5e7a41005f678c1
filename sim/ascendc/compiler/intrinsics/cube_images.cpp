// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "cube_images.h"

#include "../../include/sim/aipp.h"
#include "../../include/sim/img2col.h"

using namespace sim;

void set_fmatrix(uint64_t word) { Core::Current().registers.image[0] = word; }
void set_fmatrix_b(uint64_t word) { Core::Current().registers.image[1] = word; }
void set_l3d_rpt(uint64_t word) { Core::Current().registers.image_repeats = word; }
void set_padding(uint64_t value) { Core::Current().registers.image_padding = value; }

void set_l1_3d_size(uint64_t bytes) { SetImageBoundary(bytes, Unplaced()); }

#define SIM_AIPP(number) \
  void set_aipp_spr_##number(uint64_t word) { Core::Current().registers.aipp[number] = word; }
SIM_AIPP(0)
SIM_AIPP(1)
SIM_AIPP(2)
SIM_AIPP(3)
SIM_AIPP(4)
SIM_AIPP(5)
SIM_AIPP(6)
SIM_AIPP(7)
SIM_AIPP(8)
SIM_AIPP(9)
#undef SIM_AIPP

template <typename T>
void load_image_to_cbuf(T *dst, uint16_t horSize, uint16_t verSize, uint16_t horStartP, uint16_t verStartP,
                        uint16_t sHorRes, uint8_t topPadSize, uint8_t botPadSize, uint16_t lPadSize,
                        uint16_t rPadSize, uint8_t) {
  const auto size = [](uint16_t less_one) { return static_cast<uint16_t>(less_one + 1); };
  LoadPicture(Side("dst", OnChip<T>(Space::L1, dst)),
              {size(horSize), size(verSize), horStartP, verStartP, size(sHorRes), topPadSize, botPadSize,
               lPadSize, rPadSize},
              Unplaced());
}
#define SIM_LOAD(T)                                                                                   \
  template void load_image_to_cbuf<T>(T *, uint16_t, uint16_t, uint16_t, uint16_t, uint16_t, uint8_t, \
                                      uint8_t, uint16_t, uint16_t, uint8_t);
SIM_LOAD(half)
SIM_LOAD(int8_t)
#undef SIM_LOAD

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
