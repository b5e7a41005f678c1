// SPDX-License-Identifier: Apache-2.0
// Reductions. Buffers: dst, src, a register in global memory. After the mask: repeat, dst repeat stride, src
// block stride, src repeat stride, then what the intrinsic adds.
#include "intrinsic_case.h"

namespace {

template <typename F>
void Reduction(Case &c, F function) {
  SetMasks(c);
  ForType<half, float>(c.dtype, [&](auto type) {
    using T = decltype(type);
    function(Ub<T>(c, 0), Ub<T>(c, 1), static_cast<uint8_t>(c.Int(2)), static_cast<uint16_t>(c.Int(3)),
             static_cast<uint16_t>(c.Int(4)), static_cast<uint16_t>(c.Int(5)));
  });
}

#define REDUCTION(name, ...)                                                                               \
  {#name, [](Case &c) {                                                                                    \
     Reduction(                                                                                            \
         c, [&](auto *dst, auto *src, uint8_t repeat, uint16_t dstRepeat, uint16_t block,                  \
                uint16_t srcRepeat) { name(dst, src, repeat, dstRepeat, block, srcRepeat __VA_ARGS__); }); \
   }}

// A register of 64 bits goes to buffer 2, in global memory.
void Store(Case &c, int64_t value) {
  st_dev(static_cast<uint64_t>(value), reinterpret_cast<uint64_t *>(c.gm[2]), 0);
}

const Register registered{
    REDUCTION(vcgadd),
    REDUCTION(vcgmax),
    REDUCTION(vcgmin),
    REDUCTION(vcpadd),
    {"vcadd",
     [](Case &c) {
       Reduction(c, [&](auto *dst, auto *src, uint8_t repeat, uint16_t dstRepeat, uint16_t block,
                        uint16_t srcRepeat) {
         vcadd(dst, src, repeat, dstRepeat, block, srcRepeat, c.Int(6) != 0);
       });
       Store(c, get_acc_val());
     }},
    {"vcmax",
     [](Case &c) {
       Reduction(c, [&](auto *dst, auto *src, uint8_t repeat, uint16_t dstRepeat, uint16_t block,
                        uint16_t srcRepeat) {
         vcmax(dst, src, repeat, dstRepeat, block, srcRepeat, static_cast<Order_t>(c.Int(6)));
       });
       Store(c, get_max_min_cnt());
     }},
    {"vcmin",
     [](Case &c) {
       Reduction(c, [&](auto *dst, auto *src, uint8_t repeat, uint16_t dstRepeat, uint16_t block,
                        uint16_t srcRepeat) {
         vcmin(dst, src, repeat, dstRepeat, block, srcRepeat, static_cast<Order_t>(c.Int(6)));
       });
       Store(c, get_max_min_cnt());
     }},
};

}  // namespace
