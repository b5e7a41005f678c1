// SPDX-License-Identifier: Apache-2.0
// Conversions, comparisons and selections.
#include "case.h"

using namespace AscendC;

namespace {

template <typename S, typename D>
void CastPairCase(Case &c) {
  if constexpr (sim::ModesOf(sim::CastPair<S, D>()) != 0) {
    const auto mode = static_cast<RoundMode>(c.Int(1));
    auto dst = c.Tensor<D>(0);
    auto src = c.Tensor<S>(1);
    uint64_t bits[2] = {(uint64_t)c.Int(0), (uint64_t)c.Int(2)};
    if (c.form == 2) {
      Cast(dst, src, mode, (uint32_t)c.Int(0));
    } else if (c.form == 0) {
      Cast(dst, src, mode, (uint64_t)c.Int(0), (uint8_t)c.Int(2), c.UnaryParams());
    } else {
      Cast(dst, src, mode, bits, 1, UnaryRepeatParams(1, 1, 8, 8));
    }
  } else {
    sim::Core::Current().Fail(sim::FaultKind::kType, "Cast", sim::Where::Here(), "no such pair");
  }
}

const Register table{
    {"Cast",
     [](Case &c) {
       ForType<float, half, bfloat16_t, int8_t, uint8_t, int16_t, int32_t, int64_t>(
           c.dtype, [&](auto source) {
             ForType<float, half, bfloat16_t, int8_t, uint8_t, int16_t, int32_t, int64_t>(
                 c.dtype2, [&](auto target) { CastPairCase<decltype(source), decltype(target)>(c); });
           });
     }},
    {"CastDeq",
     [](Case &c) {
       SetDeqScale(static_cast<half>(c.Float(0)));
       Cast(c.Tensor<half>(0), c.Tensor<int32_t>(1), RoundMode::CAST_NONE, (uint32_t)c.Int(0));
     }},
    {"Rounding",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         auto src = c.Tensor<T>(4);
         const uint32_t count = c.Int(0);
         TPipe pipe;  // work tensors lie behind its buffer, which covers those of the case
         TBuf<TPosition::VECCALC> used;
         pipe.InitBuffer(used, 16 * 1024);
         Ceil(c.Tensor<T>(0), src, count);
         Floor(c.Tensor<T>(1), src, c.Tensor<uint8_t>(5), count);
         Round(c.Tensor<T>(2), src, c.Tensor<uint8_t>(5), count);
         Trunc(c.Tensor<T>(3), src, count);
         pipe.Destroy();
       });
     }},
    {"Compare",
     [](Case &c) {
       ForType<half, float, int32_t>(c.dtype, [&](auto type) {
         using T = decltype(type);
         const auto mode = static_cast<CMPMODE>(c.Int(1));
         auto dst = c.Tensor<uint8_t>(0);
         auto src0 = c.Tensor<T>(1), src1 = c.Tensor<T>(2);
         if (c.form == 2) {
           Compare(dst, src0, src1, mode, (uint32_t)c.Int(0));
         } else {
           Compare(dst, src0, src1, mode, (uint64_t)(256 / sizeof(T)), (uint8_t)c.Int(2), c.BinaryParams());
         }
       });
     }},
    {"CompareScalar",
     [](Case &c) {
       ForType<half, float, int32_t>(c.dtype, [&](auto type) {
         using T = decltype(type);
         const auto mode = static_cast<CMPMODE>(c.Int(1));
         const T value = static_cast<T>(c.Float(0));
         if (c.form == 2) {
           CompareScalar(c.Tensor<uint8_t>(0), c.Tensor<T>(1), value, mode, (uint32_t)c.Int(0));
         } else {
           Compares(c.Tensor<uint8_t>(0), c.Tensor<T>(1), value, mode, (uint64_t)(256 / sizeof(T)),
                    (uint8_t)c.Int(2), c.UnaryParams());
         }
       });
     }},
    {"CompareRegister",
     [](Case &c) {
       Compare(c.Tensor<float>(1), c.Tensor<float>(2), static_cast<CMPMODE>(c.Int(1)), (uint64_t)64,
               BinaryRepeatParams(1, 1, 1, 8, 8, 8));
       GetCmpMask(c.Tensor<uint8_t>(0));
       Select<float, SELMODE::VSEL_CMPMASK_SPR>(c.Tensor<float>(3), c.Tensor<float>(1), c.Tensor<float>(2), 1,
                                                BinaryRepeatParams(1, 1, 1, 8, 8, 8));
     }},
    {"Select",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         const auto mode = static_cast<SELMODE>(c.Int(1));
         auto dst = c.Tensor<T>(0), src0 = c.Tensor<T>(2), src1 = c.Tensor<T>(3);
         auto mask = c.Tensor<uint8_t>(1);
         const uint64_t lanes = 256 / sizeof(T);
         if (mode == SELMODE::VSEL_TENSOR_SCALAR_MODE) {
           const T scalar = static_cast<T>(c.Float(0));
           if (c.form == 2) {
             Select(dst, mask, src0, scalar, mode, (uint32_t)c.Int(0));
           } else {
             Select(dst, mask, src0, scalar, mode, lanes, (uint8_t)c.Int(2), c.BinaryParams());
           }
         } else if (c.form == 2) {
           Select(dst, mask, src0, src1, mode, (uint32_t)c.Int(0));
         } else {
           Select(dst, mask, src0, src1, mode, lanes, (uint8_t)c.Int(2), c.BinaryParams());
         }
       });
     }},
    {"SelectRegister",
     [](Case &c) {
       // The register holds a scalar (mode 1), then the address of a mask (mode 2).
       const BinaryRepeatParams params(1, 1, 1, 8, 8, 8);
       SetCmpMask(c.Tensor<float>(4));
       Select<float, uint8_t>(c.Tensor<float>(0), c.Tensor<uint8_t>(1), c.Tensor<float>(2), 2, params);
       LocalTensor<uint64_t> address = c.Tensor<uint64_t>(5);
       address.SetValue(0, c.Tensor<uint8_t>(1).GetPhyAddr());
       PipeBarrier<PIPE_ALL>();
       SetCmpMask(address);
       Select<float, SELMODE::VSEL_TENSOR_TENSOR_MODE>(c.Tensor<float>(6), c.Tensor<float>(2),
                                                       c.Tensor<float>(3), 2, params);
     }},
};

}  // namespace
