// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "cube_products.h"

#include "../../include/sim/mmad.h"

using namespace sim;

namespace {

template <typename C, typename A, typename B>
void Product(C *c, A *a, B *b, uint64_t bias, AscendC::MmadParams params) {
  const LocalTensorBase table = MemoryFrom(Space::BT, bias);
  const bool biased = params.cmatrixSource && !params.cmatrixInitVal;
  Multiply(CubeKindOf<C, A, B>(), OnChip<C>(Space::L0C, c), OnChip<A>(Space::L0A, a),
           OnChip<B>(Space::L0B, b), biased ? &table : nullptr, params, Unplaced());
}

AscendC::MmadParams Params(uint16_t m, uint16_t n, uint16_t k, uint8_t unit_flag, bool align, bool source,
                           bool init) {
  AscendC::MmadParams params(m, n, k, unit_flag, source, init);
  params.kDirectionAlign = align;
  return params;
}

}  // namespace

#define SIM_MAD(C, T)                                                                                    \
  template <>                                                                                            \
  void mad(C *c, T *a, T *b, uint16_t m, uint16_t k, uint16_t n, uint8_t unitFlag, bool kDirectionAlign, \
           bool cmatrixSource, bool cmatrixInitVal) {                                                    \
    Product(c, a, b, 0, Params(m, n, k, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal));      \
  }                                                                                                      \
  template <>                                                                                            \
  void mad(C *c, T *a, T *b, uint64_t bias, uint16_t m, uint16_t k, uint16_t n, uint8_t unitFlag,        \
           bool kDirectionAlign, bool cmatrixSource, bool cmatrixInitVal) {                              \
    Product(c, a, b, bias, Params(m, n, k, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal));   \
  }
SIM_MAD(float, half)
SIM_MAD(float, bfloat16_t)
SIM_MAD(float, float)
SIM_MAD(int32_t, int8_t)

void mad_s4(int32_t *c, void *a, void *b, uint16_t m, uint16_t k, uint16_t n, uint8_t unitFlag,
            bool kDirectionAlign, bool cmatrixSource, bool cmatrixInitVal) {
  Multiply(CubeKind::kInt4, OnChip<int32_t>(Space::L0C, c), OnChip<AscendC::int4b_t>(Space::L0A, a),
           OnChip<AscendC::int4b_t>(Space::L0B, b), nullptr,
           Params(m, n, k, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal), Unplaced());
}
void mad_sp(int32_t *c, int8_t *a, int8_t *b, uint16_t m, uint16_t k, uint16_t n, uint8_t unitFlag,
            bool cmatrixSource, bool cmatrixInitVal) {
  Multiply(CubeKind::kInt8, OnChip<int32_t>(Space::L0C, c), OnChip<int8_t>(Space::L0A, a),
           OnChip<int8_t>(Space::L0B, b), nullptr,
           Params(m, n, k, unitFlag, false, cmatrixSource, cmatrixInitVal), Unplaced(), true);
}
