// SPDX-License-Identifier: Apache-2.0
// Helpers that kernels take from CANN's headers, operators of tensors, functions of several instructions, and
// copies of slices.
#include "case.h"

using namespace AscendC;

namespace {

constexpr uint32_t kNumbers = 24;

// Writes what the helpers give for fixed arguments, in the order of test_helpers.
void Helpers(Case &c) {
  auto out = c.Tensor<float>(0);
  const float f = -1.75f;
  const half h = (half)-2.5f;
  const int32_t i = -3;
  const float values[kNumbers] = {
      static_cast<float>(abs(f)),
      static_cast<float>(abs(h)),
      static_cast<float>(abs(i)),
      static_cast<float>(sqrt(2.25f)),
      static_cast<float>(min(2, 1)),
      static_cast<float>(max(1.5f, 2.5f)),
      static_cast<float>(min(3u, 4u)),
      static_cast<float>(max((half)1.0f, (half)2.0f)),
      static_cast<float>(AlignUp(33, 32)),
      static_cast<float>(DivCeil(33, 32)),
      static_cast<float>(Ceil((uint32_t)5, (uint32_t)2)),
      static_cast<float>(CeilDivision(7, 2)),
      static_cast<float>(CeilDivision(7, 0)),
      static_cast<float>(sbitset1(1, 3)),
      static_cast<float>(sbitset0(15, 0)),
      static_cast<float>(IsSameType<half, half>::value),
      static_cast<float>(IsSameType<half, float>::value),
      static_cast<float>(SupportType<half, float, half>()),
      static_cast<float>(B32_DATA_NUM_PER_BLOCK),
      static_cast<float>(B16_DATA_NUM_PER_REPEAT),
      static_cast<float>(ONE_REPEAT_FLOAT_SIZE),
      static_cast<float>(AscendCUtils::GetBitSize(4)),
      static_cast<float>(block_idx + 1),
      static_cast<float>(block_num),
  };
  for (uint32_t n = 0; n < kNumbers; ++n) out.SetValue(n, values[n]);
}

#define OPERATOR(Name, op, ...)                     \
  {#Name, [](Case &c) {                             \
     ForType<__VA_ARGS__>(c.dtype, [&](auto type) { \
       using T = decltype(type);                    \
       auto dst = c.Tensor<T>(0);                   \
       dst = c.Tensor<T>(1) op c.Tensor<T>(2);      \
     });                                            \
   }}
#define COMPARISON(Name, op)                        \
  {#Name, [](Case &c) {                             \
     ForType<half, float>(c.dtype, [&](auto type) { \
       using T = decltype(type);                    \
       auto dst = c.Tensor<uint8_t>(0);             \
       dst = c.Tensor<T>(1) op c.Tensor<T>(2);      \
     });                                            \
   }}

#define FORMS(call, params)                                    \
  uint64_t bits[2] = {(uint64_t)c.Int(0), (uint64_t)c.Int(1)}; \
  if (c.form == 2) {                                           \
    call((uint32_t)c.Int(0));                                  \
  } else if (c.form == 0) {                                    \
    call((uint64_t)c.Int(0), (uint8_t)c.Int(2), c.params());   \
  } else {                                                     \
    call(bits, (uint8_t)c.Int(2), c.params());                 \
  }
#define COMPUTED_CAST(Name, Dst, Src, text)                                       \
  {text, [](Case &c) {                                                            \
     auto dst = c.Tensor<Dst>(0);                                                 \
     auto src0 = c.Tensor<Src>(1), src1 = c.Tensor<Src>(2);                       \
     auto call = [&](auto... rest) { Name<Dst, Src>(dst, src0, src1, rest...); }; \
     FORMS(call, BinaryParams)                                                    \
   }}

// ints: count or mask, mask high, repeat, strides. floats: scale.
void AddDeqReluCase(Case &c) {
  SetDeqScale(static_cast<half>(c.Float(0)));
  auto dst = c.Tensor<half>(0);
  auto src0 = c.Tensor<int32_t>(1), src1 = c.Tensor<int32_t>(2);
  uint64_t bits[2] = {(uint64_t)c.Int(0), (uint64_t)c.Int(1)};
  if (c.form == 2) {
    AddDeqRelu(dst, src0, src1, (int32_t)c.Int(0));
  } else if (c.form == 0) {
    AddDeqRelu(dst, src0, src1, (uint64_t)c.Int(0), (uint8_t)c.Int(2), c.BinaryParams());
  } else {
    AddDeqRelu(dst, src0, src1, bits, (uint8_t)c.Int(2), c.BinaryParams());
  }
}

// ints: count, offset, sign. floats: scale. Halves of data blocks: the second one, then the first one.
template <typename T>
void CastDequantCase(Case &c) {
  SetDeqScale(static_cast<float>(c.Float(0)), (int16_t)c.Int(1), c.Int(2) != 0);
  CastDequant<T, int16_t, false, true>(c.Tensor<T>(0), c.Tensor<int16_t>(1), (uint32_t)c.Int(0));
  PipeBarrier<PIPE_V>();
  CastDequant<T, int16_t, false, false>(c.Tensor<T>(0), c.Tensor<int16_t>(2), (uint32_t)c.Int(0));
}

// ints: hRepeat, vRepeat, repeatMode, vROffset.
void Bilinear(Case &c) {
  BilinearInterpolation(c.Tensor<half>(0), c.Tensor<half>(1), c.Tensor<uint32_t>(2), c.Tensor<half>(3),
                        (uint64_t)128, (uint8_t)c.Int(0), c.Int(2) != 0, 1, (uint16_t)c.Int(3),
                        (uint8_t)c.Int(1), c.Tensor<uint8_t>(4));
}

SliceInfo InfoAt(const Case &c, size_t first) {
  return SliceInfo{(uint32_t)c.Int(first), (uint32_t)c.Int(first + 1), (uint32_t)c.Int(first + 2),
                   (uint32_t)c.Int(first + 3), (uint32_t)c.Int(first + 4)};
}

// ints: 0 into UB or 1 out of it, then two SliceInfo of dst and two of src.
void SlicesCase(Case &c) {
  SliceInfo to[2] = {InfoAt(c, 1), InfoAt(c, 6)}, from[2] = {InfoAt(c, 11), InfoAt(c, 16)};
  if (c.Int(0) == 0) {
    DataCopy(c.Tensor<float>(0), c.Global<float>(1), to, from, 2);
  } else {
    DataCopy(c.Global<float>(0), c.Tensor<float>(1), to, from, 2);
  }
}

// ints: the fields of Nz2NdParamsFull.
template <typename T>
void NzToNd(Case &c) {
  DataCopy(c.Global<T>(0), c.Tensor<T>(1),
           Nz2NdParamsFull((uint16_t)c.Int(0), (uint16_t)c.Int(1), (uint16_t)c.Int(2), (uint16_t)c.Int(3),
                           (uint16_t)c.Int(4), (uint16_t)c.Int(5), (uint16_t)c.Int(6)));
}

// Reads a word past the data cache and writes it to the next place.
void PastTheCache(Case &c) {
  auto *words = reinterpret_cast<__gm__ uint32_t *>(c.gm.at(0));
  WriteGmByPassDCache(words + 1, ReadGmByPassDCache(words));
}

// Bits 8 to 11 of CTRL, and all of them.
void Control(Case &c) {
  auto out = c.Tensor<int32_t>(0);
  SetCtrlSpr<8, 11>(5);
  out.SetValue(0, (int32_t)GetCtrlSpr<8, 11>());
  out.SetValue(1, (int32_t)(GetCtrlSpr<0, 63>() >> 8 & 15));
}

#if !defined(SIM_CANN_HEADERS)
// half to int4b_t and back.
void Int4(Case &c) {
  auto packed = c.Tensor<int4b_t>(1);
  Cast(packed, c.Tensor<half>(0), RoundMode::CAST_RINT, (uint32_t)c.Int(0));
  PipeBarrier<PIPE_V>();
  Cast(c.Tensor<half>(2), packed, RoundMode::CAST_NONE, (uint32_t)c.Int(0));
  c.Tensor<int32_t>(3).SetValue(0, (int32_t)packed.GetSize());
}
#endif

const Register table{
    {"Helpers", Helpers},
    OPERATOR(operator_add, +, half, float, int16_t, int32_t),
    OPERATOR(operator_sub, -, half, float, int16_t, int32_t),
    OPERATOR(operator_mul, *, half, float, int16_t, int32_t),
    OPERATOR(operator_div, /, half, float),
    OPERATOR(operator_and, &, int16_t, uint16_t),
    OPERATOR(operator_or, |, int16_t, uint16_t),
    COMPARISON(operator_lt, <),
    COMPARISON(operator_gt, >),
    COMPARISON(operator_eq, ==),
    COMPARISON(operator_le, <=),
    COMPARISON(operator_ge, >=),
    COMPARISON(operator_ne, !=),
    COMPUTED_CAST(AddReluCast, int8_t, half, "AddReluCast_half"),
    COMPUTED_CAST(AddReluCast, half, float, "AddReluCast_float"),
    COMPUTED_CAST(AddReluCast, int8_t, int16_t, "AddReluCast_int16"),
    COMPUTED_CAST(SubReluCast, int8_t, half, "SubReluCast_half"),
    COMPUTED_CAST(SubReluCast, half, float, "SubReluCast_float"),
    COMPUTED_CAST(SubReluCast, int8_t, int16_t, "SubReluCast_int16"),
    COMPUTED_CAST(MulCast, int8_t, half, "MulCast_int8"),
    COMPUTED_CAST(MulCast, uint8_t, half, "MulCast_uint8"),
    {"AddDeqRelu", AddDeqReluCase},
    {"CastDequant_int8", CastDequantCase<int8_t>},
    {"CastDequant_uint8", CastDequantCase<uint8_t>},
    {"BilinearInterpolation", Bilinear},
    {"DataCopySlices", SlicesCase},
    {"NzToNd_half", NzToNd<half>},
    {"NzToNd_float", NzToNd<float>},
    {"PastTheCache", PastTheCache},
    {"Control", Control},
#if !defined(SIM_CANN_HEADERS)
    {"Int4", Int4},
#endif
};

}  // namespace
