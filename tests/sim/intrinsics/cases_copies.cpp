// SPDX-License-Identifier: Apache-2.0
// Copies, and values that the scalar unit converts or keeps. Numbers of a case follow those of the mask.
#include "intrinsic_case.h"

// As CANN's headers declare it.
struct OpSystemRunCfg {
  uint64_t l2Cacheoffset;
};
extern OpSystemRunCfg g_opSystemRunCfg;

namespace {

// Stores words to buffer 0, in global memory.
void Store(const Case &c, std::initializer_list<int64_t> values) {
  int16_t offset = 0;
  for (const int64_t value : values) {
    st_dev(static_cast<uint64_t>(value), reinterpret_cast<uint64_t *>(c.gm[0]), offset);
    offset += sizeof(uint64_t);
  }
}

void SetType(const std::string &type) {
  if (type == "float32") set_atomic_f32();
  if (type == "float16") set_atomic_f16();
  if (type == "bfloat16") set_atomic_bf16();
  if (type == "int32") set_atomic_s32();
  if (type == "int16") set_atomic_s16();
  if (type == "int8") set_atomic_s8();
}

// ints: bursts, length, gap of src, gap of dst; padding left, right, has a value, the value
template <typename Copy>
void Aligned(const Case &c, Copy copy) {
  if (c.Int(8) != 0) set_mov_pad_val(static_cast<uint64_t>(c.Int(9)));
  copy(Ub<uint8_t>(c, 0), reinterpret_cast<uint8_t *>(c.gm[1]), 0, c.Int(2), c.Int(3), c.Int(6), c.Int(7),
       c.Int(4), c.Int(5));
}

const Register registered{
    {"copy_gm_to_ubuf",
     [](Case &c) {
       copy_gm_to_ubuf(Ub<uint8_t>(c, 0), reinterpret_cast<uint8_t *>(c.gm[1]), 0, c.Int(2), c.Int(3),
                       c.Int(4), c.Int(5));
     }},
    {"copy_ubuf_to_gm",
     [](Case &c) {
       copy_ubuf_to_gm(reinterpret_cast<uint8_t *>(c.gm[0]), Ub<uint8_t>(c, 1), 0, c.Int(2), c.Int(3),
                       c.Int(4), c.Int(5));
     }},
    {"copy_ubuf_to_ubuf",
     [](Case &c) {
       copy_ubuf_to_ubuf(Ub<uint8_t>(c, 0), Ub<uint8_t>(c, 1), 0, c.Int(2), c.Int(3), c.Int(4), c.Int(5));
     }},
    // Reads the same bytes twice, by the address that CANN's headers make where the hint disables the L2
    // cache. ints: data blocks, whether it does
    {"l2_hint",
     [](Case &c) {
       const uint64_t offset = c.Int(3) != 0 ? g_opSystemRunCfg.l2Cacheoffset : 0;
       auto *address = reinterpret_cast<uint8_t *>(reinterpret_cast<uint64_t>(c.gm[1]) + offset);
       for (int time = 0; time < 2; ++time) {
         copy_gm_to_ubuf(Ub<uint8_t>(c, 0), address, 0, 1, c.Int(2), 0, 0);
         pipe_barrier(PIPE_ALL);
       }
     }},
    {"copy_gm_to_ubuf_align_b8", [](Case &c) { Aligned(c, copy_gm_to_ubuf_align_b8); }},
    {"copy_gm_to_ubuf_align_b16", [](Case &c) { Aligned(c, copy_gm_to_ubuf_align_b16); }},
    {"copy_gm_to_ubuf_align_b32", [](Case &c) { Aligned(c, copy_gm_to_ubuf_align_b32); }},
    {"copy_ubuf_to_gm_align_b8",
     [](Case &c) {
       copy_ubuf_to_gm_align_b8(reinterpret_cast<uint8_t *>(c.gm[0]), Ub<uint8_t>(c, 1), 0, c.Int(2),
                                c.Int(3), 0, 0, c.Int(4), c.Int(5));
     }},
    // ints: bytes, operation (0 none, 1 add, 2 max, 3 min)
    {"atomic",
     [](Case &c) {
       if (c.Int(3) == 1) set_atomic_add();
       if (c.Int(3) == 2) set_atomic_max();
       if (c.Int(3) == 3) set_atomic_min();
       SetType(c.dtype);
       if (c.Int(3) == 0) set_atomic_none();
       copy_ubuf_to_gm_align_b8(reinterpret_cast<uint8_t *>(c.gm[0]), Ub<uint8_t>(c, 1), 0, 1, c.Int(2), 0, 0,
                                0, 0);
     }},
    {"conversions",
     [](Case &c) {
       const auto value = static_cast<float>(c.Float(0));
       Store(c, {conv_f322s32a(value), conv_f322s32c(value), conv_f322s32f(value), conv_f322s32r(value),
                 conv_f322f16o(value).bits});
     }},
    {"registers",
     [](Case &c) {
       set_condition_flag(c.Int(2));
       set_lpcnt(c.Int(3));
       set_st_atomic_cfg(ATOMIC_S16, ATOMIC_SUM);
       Store(c, {get_condition_flag(), get_lpcnt(), get_st_atomic_cfg(), get_status(),
                 static_cast<int64_t>(ld_dev(reinterpret_cast<uint16_t *>(c.gm[1]), 2))});
     }},
};

}  // namespace
