// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "cube_loads.h"

#include "../../include/sim/fractals.h"
#include "../../include/sim/sparse.h"

using namespace sim;

namespace {

template <typename T>
void Load(Space space, T *dst, const CopySide &src, const AscendC::LoadData2DParams &params) {
  const auto to = OnChip<T>(space, dst);
  LoadFractals(to, Side("dst", to), src, params, Unplaced());
}

template <typename T>
void LoadTransposed(Space space, T *dst, T *src, const AscendC::LoadData2dTransposeParams &params,
                    bool halves = false) {
  const auto to = OnChip<T>(space, dst), from = OnChip<T>(Space::L1, src);
  LoadSquares(to, from, Side("dst", to), Side("src", from), params, Unplaced(), halves);
}

// A fractal of int4b_t is moved as its bytes.
void LoadHalves(Space space, void *dst, void *src, const AscendC::LoadData2DParams &params) {
  if (params.ifTranspose) {
    Core::Current().Fail(FaultKind::kType, "LoadData", Unplaced(), "int4b_t is not transposed");
  }
  Load(space, static_cast<int8_t *>(dst), Side("src", OnChip<int8_t>(Space::L1, src)), params);
}

}  // namespace

#define SIM_LOAD(name, space, T)                                                                       \
  template <>                                                                                          \
  void name(T *dst, T *src, uint16_t baseIdx, uint8_t repeat, uint16_t srcStride, uint16_t dstStride,  \
            uint8_t, bool transpose, addr_cal_mode_t addrMode) {                                       \
    Load(space, dst, Side("src", OnChip<T>(Space::L1, src)),                                           \
         {baseIdx, repeat, srcStride, 0, dstStride, transpose, static_cast<uint8_t>(addrMode)});       \
  }                                                                                                    \
  template <>                                                                                          \
  void name##_transpose(T *dst, T *src, uint16_t indexID, uint8_t repeat, uint16_t srcStride,          \
                        uint16_t dstStride, bool addrMode, uint16_t dstFracStride) {                   \
    LoadTransposed(space, dst, src, {indexID, repeat, srcStride, dstStride, dstFracStride, addrMode}); \
  }
#define SIM_LOAD_GM(name, space, T)                                                                   \
  template <>                                                                                         \
  void name(T *dst, T *src, uint16_t baseIdx, uint8_t repeat, uint16_t srcStride, uint16_t dstStride, \
            uint8_t, addr_cal_mode_t addrMode) {                                                      \
    Load(space, dst, Side("src", InGm<T>(src)),                                                       \
         {baseIdx, repeat, srcStride, 0, dstStride, false, static_cast<uint8_t>(addrMode)});          \
  }
#define SIM_LOADS(T)                        \
  SIM_LOAD(load_cbuf_to_ca, Space::L0A, T)  \
  SIM_LOAD(load_cbuf_to_cb, Space::L0B, T)  \
  SIM_LOAD_GM(load_gm_to_ca, Space::L0A, T) \
  SIM_LOAD_GM(load_gm_to_cb, Space::L0B, T) \
  SIM_LOAD_GM(load_gm_to_cbuf, Space::L1, T)
SIM_LOADS(half)
SIM_LOADS(bfloat16_t)
SIM_LOADS(float)
SIM_LOADS(int8_t)
SIM_LOADS(uint8_t)
SIM_LOADS(int16_t)
SIM_LOADS(uint16_t)
SIM_LOADS(int32_t)
SIM_LOADS(uint32_t)

void load_cbuf_to_ca_s4(void *dst, void *src, uint16_t baseIdx, uint8_t repeat, uint16_t srcStride,
                        uint16_t dstStride, uint8_t, bool transpose, addr_cal_mode_t addrMode) {
  LoadHalves(Space::L0A, dst, src,
             {baseIdx, repeat, srcStride, 0, dstStride, transpose, static_cast<uint8_t>(addrMode)});
}
void load_cbuf_to_cb_s4(void *dst, void *src, uint16_t baseIdx, uint8_t repeat, uint16_t srcStride,
                        uint16_t dstStride, uint8_t, bool transpose, addr_cal_mode_t addrMode) {
  LoadHalves(Space::L0B, dst, src,
             {baseIdx, repeat, srcStride, 0, dstStride, transpose, static_cast<uint8_t>(addrMode)});
}
void load_cbuf_to_cb_transpose_s4(void *dst, void *src, uint16_t indexID, uint8_t repeat, uint16_t srcStride,
                                  uint16_t dstStride, bool addrMode, uint16_t dstFracStride) {
  LoadTransposed(Space::L0B, static_cast<int8_t *>(dst), static_cast<int8_t *>(src),
                 {indexID, repeat, srcStride, dstStride, dstFracStride, addrMode}, true);
}

void load_cbuf_to_cb_sp(int8_t *dst, int8_t *src, uint16_t baseIdx, uint8_t repeat) {
  constexpr uint64_t kHalf = 0xFFFFFFFF;
  const auto both = reinterpret_cast<uint64_t>(src);
  const auto to = OnChip<int8_t>(Space::L0B, dst);
  AscendC::LocalTensor<int8_t> values(MemoryFrom(Space::L1, both & kHalf));
  LoadSparse(to, Side("dst", to), Side("src", values), MemoryFrom(Space::L1, both >> 32),
             {baseIdx, repeat, 1, 0, 0, false, 0}, Unplaced());
}
