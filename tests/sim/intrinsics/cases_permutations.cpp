// SPDX-License-Identifier: Apache-2.0
// Gathers, selections, sorts and transpositions. Numbers of a case follow those of the mask.
#include "intrinsic_case.h"

namespace {

template <typename F>
void ByWidth(Case &c, F function) {
  SetMasks(c);
  ForType<uint16_t, uint32_t>(
      c.dtype, [&](auto type) { function(Ub<decltype(type)>(c, 0), Ub<decltype(type)>(c, 1)); });
}

// Sets VA0 to VA3 from 32 addresses: of dst in the ints from `first` on, then of src.
void SetAddresses(const Case &c, int first) {
  for (int list = 0; list < 4; ++list) {
    uint64_t addresses[8];
    for (int i = 0; i < 8; ++i) {
      addresses[i] = reinterpret_cast<uint64_t>(Ub<uint8_t>(c, list / 2)) + c.Int(first + list * 8 + i);
    }
    set_va_reg_sb(static_cast<ub_addr8_t>(list), addresses);
  }
}

const Register registered{
    // buffers dst, table, offsets; ints: base in the table, dst repeat stride, dst block stride, repeat
    {"vgather",
     [](Case &c) {
       ByWidth(c, [&](auto *dst, auto *table) {
         vgather(dst, Ub<uint32_t>(c, 2), static_cast<uint32_t>(reinterpret_cast<uint64_t>(table) + c.Int(2)),
                 c.Int(3), c.Int(5));
       });
     }},
    {"vgatherb",
     [](Case &c) {
       ByWidth(c, [&](auto *dst, auto *table) {
         vgatherb(dst, Ub<uint32_t>(c, 2),
                  static_cast<uint32_t>(reinterpret_cast<uint64_t>(table) + c.Int(2)), c.Int(3), c.Int(4),
                  c.Int(5));
       });
     }},
    // buffers dst, src, bits, the number of elements in global memory; ints: repeat, block stride, pattern,
    // repeat
    // strides of src and of bits
    {"vreducev2",
     [](Case &c) {
       ByWidth(c, [&](auto *dst, auto *src) {
         using T = std::remove_pointer_t<decltype(dst)>;
         vreducev2(dst, src, Ub<T>(c, 2), c.Int(2), c.Int(3), c.Int(4), c.Int(5), c.Int(6));
       });
       st_dev(static_cast<uint64_t>(get_rsvd_cnt()), reinterpret_cast<uint64_t *>(c.gm[3]), 0);
     }},
    // ints: dst block stride, dst repeat stride, repeat
    {"vbrcb",
     [](Case &c) {
       ByWidth(c, [&](auto *dst, auto *src) { vbrcb(dst, src, c.Int(2), c.Int(3), c.Int(4)); });
     }},
    // ints: repeat, block strides, repeat strides
    {"vcopy",
     [](Case &c) {
       ByWidth(c, [&](auto *dst, auto *src) {
         vcopy(dst, src, c.Int(2), c.Int(3), c.Int(4), c.Int(5), c.Int(6));
       });
     }},
    // buffers dst, scores, indices; ints: repeat
    {"vbitsort",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         vbitsort(Ub<T>(c, 0), Ub<T>(c, 1), Ub<uint32_t>(c, 2), static_cast<uint64_t>(c.Int(2)));
       });
     }},
    // buffers dst, four lists, the numbers of pairs in global memory; ints: lengths, config
    {"vmrgsort4",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         T *lists[] = {Ub<T>(c, 1), Ub<T>(c, 2), Ub<T>(c, 3), Ub<T>(c, 4)};
         vmrgsort4(Ub<T>(c, 0), lists, static_cast<uint64_t>(c.Int(2)), static_cast<uint64_t>(c.Int(3)));
       });
       st_dev(static_cast<uint64_t>(get_vms4_sr()), reinterpret_cast<uint64_t *>(c.gm[5]), 0);
     }},
    // buffers dst, src; ints: repeat, dst stride, src stride, high half of dst, of src, 32 offsets
    {"scatter_vnchwconv_b8",
     [](Case &c) {
       SetAddresses(c, 7);
       scatter_vnchwconv_b8(VA0, VA2, c.Int(2), c.Int(3), c.Int(4), c.Int(5) != 0, c.Int(6) != 0);
     }},
    {"scatter_vnchwconv_b16",
     [](Case &c) {
       SetAddresses(c, 7);
       scatter_vnchwconv_b16(VA0, VA2, c.Int(2), c.Int(3), c.Int(4));
     }},
    {"scatter_vnchwconv_b32",
     [](Case &c) {
       SetAddresses(c, 7);
       scatter_vnchwconv_b32(VA0, VA2, c.Int(2), c.Int(3), c.Int(4));
     }},
    // buffers dst, src, 16 addresses of dst and 16 of src; ints: repeat, dst stride, src stride
    {"vld_va_reg",
     [](Case &c) {
       auto *addresses = Ub<uint64_t>(c, 2);
       vld_va_reg(VA4, addresses, L128);
       vld_va_reg(VA5, addresses, H128);
       vld_va_reg(VA6, addresses + 16, L128);
       vld_va_reg(VA7, addresses + 16, H128);
       scatter_vnchwconv_b16(VA4, VA6, c.Int(2), c.Int(3), c.Int(4));
     }},
    {"vtranspose", [](Case &c) { vtranspose(Ub<uint16_t>(c, 0), Ub<uint16_t>(c, 1)); }},
};

}  // namespace
