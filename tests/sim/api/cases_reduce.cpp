// SPDX-License-Identifier: Apache-2.0
// Reductions, sorts and the scalar unit.
#include "case.h"

using namespace AscendC;

namespace {

// ints: mask, mask high, repeat, dstRepStride, srcBlkStride, srcRepStride, order
#define REDUCE(Name, call, bits_call)                               \
  {#Name, [](Case &c) {                                             \
     ForType<half, float>(c.dtype, [&](auto type) {                 \
       using T = decltype(type);                                    \
       auto dst = c.Tensor<T>(0), src = c.Tensor<T>(1);             \
       uint64_t bits[2] = {(uint64_t)c.Int(0), (uint64_t)c.Int(1)}; \
       const int32_t mask = c.Int(0), repeat = c.Int(2);            \
       if (c.form == 0) {                                           \
         Name call;                                                 \
       } else {                                                     \
         Name bits_call;                                            \
       }                                                            \
       (void)mask, (void)bits;                                      \
     });                                                            \
   }}
#define STRIDES (int32_t)c.Int(3), (int32_t)c.Int(4), (int32_t)c.Int(5)

#define TOTAL(Name)                                                                            \
  {#Name, [](Case &c) {                                                                        \
     ForType<half, float>(c.dtype, [&](auto type) {                                            \
       using T = decltype(type);                                                               \
       auto dst = c.Tensor<T>(0), src = c.Tensor<T>(1), work = c.Tensor<T>(2);                 \
       uint64_t bits[2] = {(uint64_t)c.Int(0), (uint64_t)c.Int(1)};                            \
       const bool index = c.Int(4) != 0;                                                       \
       if (c.form == 2) {                                                                      \
         Name(dst, src, work, (int32_t)c.Int(0), index);                                       \
       } else if (c.form == 0) {                                                               \
         Name(dst, src, work, (int32_t)c.Int(0), (int32_t)c.Int(2), (int32_t)c.Int(3), index); \
       } else {                                                                                \
         Name(dst, src, work, bits, (int32_t)c.Int(2), (int32_t)c.Int(3), index);              \
       }                                                                                       \
     });                                                                                       \
   }}

const Register table{
    REDUCE(BlockReduceSum, (dst, src, repeat, mask, STRIDES), (dst, src, repeat, bits, STRIDES)),
    REDUCE(BlockReduceMax, (dst, src, repeat, mask, STRIDES), (dst, src, repeat, bits, STRIDES)),
    REDUCE(BlockReduceMin, (dst, src, repeat, mask, STRIDES), (dst, src, repeat, bits, STRIDES)),
    REDUCE(PairReduceSum, (dst, src, repeat, mask, STRIDES), (dst, src, repeat, bits, STRIDES)),
    REDUCE(WholeReduceSum, (dst, src, mask, repeat, STRIDES), (dst, src, bits, repeat, STRIDES)),
    REDUCE(WholeReduceMax, (dst, src, mask, repeat, STRIDES, (ReduceOrder)c.Int(6)),
           (dst, src, bits, repeat, STRIDES, (ReduceOrder)c.Int(6))),
    REDUCE(WholeReduceMin, (dst, src, mask, repeat, STRIDES, (ReduceOrder)c.Int(6)),
           (dst, src, bits, repeat, STRIDES, (ReduceOrder)c.Int(6))),
    REDUCE(RepeatReduceSum,
           (dst, src, repeat, mask, 0, (int32_t)c.Int(4), (int32_t)c.Int(3), (int32_t)c.Int(5)),
           (dst, src, repeat, mask, 0, (int32_t)c.Int(4), (int32_t)c.Int(3), (int32_t)c.Int(5))),
#if !SIM_OLDER_API
    REDUCE(ReduceDataBlock<ReduceType::SUM>, (dst, src, mask, repeat, STRIDES),
           (dst, src, bits, repeat, STRIDES)),
    REDUCE(ReducePairElem<ReduceType::SUM>, (dst, src, mask, repeat, STRIDES),
           (dst, src, bits, repeat, STRIDES)),
    REDUCE(ReduceRepeat<ReduceType::SUM>, (dst, src, mask, repeat, STRIDES),
           (dst, src, bits, repeat, STRIDES)),
#endif
    TOTAL(ReduceMax),
    TOTAL(ReduceMin),
    {"ReduceSum",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         auto dst = c.Tensor<T>(0), src = c.Tensor<T>(1), work = c.Tensor<T>(2);
         uint64_t bits[2] = {(uint64_t)c.Int(0), (uint64_t)c.Int(1)};
         if (c.form == 2) {
           ReduceSum(dst, src, work, (int32_t)c.Int(0));
         } else if (c.form == 0) {
           ReduceSum(dst, src, work, (int32_t)c.Int(0), (int32_t)c.Int(2), (int32_t)c.Int(3));
         } else {
           ReduceSum(dst, src, work, bits, (int32_t)c.Int(2), (int32_t)c.Int(3));
         }
         c.Tensor<float>(3).SetValue(0, static_cast<float>(GetReduceRepeatSumSpr<T>()));
       });
     }},
    {"ReduceRegisters",
     [](Case &c) {
       WholeReduceMax(c.Tensor<float>(0), c.Tensor<float>(1), 64, 1, 1, 1, 8);
       float value = 0, index = 0;
       GetReduceRepeatMaxMinSpr<float>(value, index);
       c.Tensor<float>(2).SetValue(0, value);
       c.Tensor<float>(2).SetValue(1, index);
     }},
    {"Sort32",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         Sort32(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<uint32_t>(2), (int32_t)c.Int(0));
         Extract(c.Tensor<T>(3), c.Tensor<uint32_t>(4), c.Tensor<T>(0), (int32_t)c.Int(0));
       });
     }},
    {"MrgSort",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         uint16_t lengths[4], taken[4];
         LocalTensor<T> lists[4];
         uint32_t start = 0;
         for (int i = 0; i < 4; ++i) {
           lengths[i] = c.Int(i);
           lists[i] = c.Tensor<T>(1)[GetSortOffset<T>(start)];
           start += lengths[i];
         }
         MrgSort(c.Tensor<T>(0), MrgSortSrcList<T>(lists[0], lists[1], lists[2], lists[3]),
                 MrgSort4Info(lengths, c.Int(5) != 0, c.Int(4), c.Int(6)));
         GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
         for (int i = 0; i < 4; ++i) {
           c.Tensor<int32_t>(2).SetValue(i, taken[i]);
         }
       });
     }},
    {"Sort",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         LocalTensor<T> work = c.Tensor<T>(3), joined;
         Concat(joined, c.Tensor<T>(1), work, (int32_t)c.Int(0));
         Sort<T, true>(c.Tensor<T>(0), joined, c.Tensor<uint32_t>(2), work, (int32_t)c.Int(0));
       });
     }},
    {"Scalars",
     [](Case &c) {
       auto out = c.Tensor<int32_t>(0);
       const auto bits = static_cast<uint64_t>(c.Int(0));
       int32_t i = 0;
       for (const int64_t value :
            {ScalarGetCountOfValue<1>(bits), ScalarGetCountOfValue<0>(bits), ScalarCountLeadingZero(bits),
             ScalarGetSFFValue<1>(bits), ScalarGetSFFValue<0>(bits),
             CountBitsCntSameAsSignBit(static_cast<int64_t>(bits)),
             static_cast<int64_t>(
                 ScalarCast<float, int32_t, RoundMode::CAST_RINT>(static_cast<float>(c.Float(0))))}) {
         out.SetValue(i++, static_cast<int32_t>(value));
       }
     }},
#if !SIM_OLDER_API
    {"Limits",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         auto out = c.Tensor<T>(0);
         NumericLimits<T>::Infinity(out, c.Int(0));
         out.SetValue(0, NumericLimits<T>::Max());
         out.SetValue(1, NumericLimits<T>::Lowest());
         out.SetValue(2, NumericLimits<T>::Min());
         out.SetValue(3, NumericLimits<T>::NegativeInfinity());
         out.SetValue(4, NumericLimits<T>::QuietNaN());
         out.SetValue(5, NumericLimits<T>::DeNormMin());
       });
     }},
#endif
    {"Elements",
     [](Case &c) {
       // operator() of both tensors reads and writes.
       auto local = c.Tensor<float>(0);
       local(1) = local(0) + 1.0F;
       local.SetSize(4);
       local(2) = static_cast<float>(local.GetSize());
       GlobalTensor<float> global = c.Global<float>(1);
       local(3) = global(0);
       global.SetValue(1, static_cast<float>(local[3].GetValue(0)) * 2.0F);
     }},
};

}  // namespace
