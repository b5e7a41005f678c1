// SPDX-License-Identifier: Apache-2.0
// The cube unit: fractals as tests lay them out in L1, and whole products from rows in GM.
#include "../faults/mixed_product.h"
#include "case.h"

using namespace AscendC;

namespace {

// The numbers of a case; each call returns the next one.
struct Numbers {
  const Case &c;
  size_t at = 0;
  int64_t Next() { return c.Int(at++); }
};

// startIndex, repeatTimes, srcStride, dstGap, then ifTranspose or dstFracGap, addrMode; `square` first.
template <typename T>
void Load(const LocalTensor<T> &dst, const LocalTensor<T> &src, Numbers *numbers) {
  const bool square = numbers->Next() != 0;
  const auto start = numbers->Next(), repeats = numbers->Next(), stride = numbers->Next();
  const auto gap = numbers->Next(), last = numbers->Next(), mode = numbers->Next();
  if (square) {
    LoadDataWithTranspose(dst, src, LoadData2dTransposeParams(start, repeats, stride, gap, last, mode));
  } else {
    LoadData(dst, src, LoadData2DParams(start, repeats, stride, 0, gap, last != 0, mode));
  }
}

// Copies bytes to L1 as they are, loads L0A and L0B once, multiplies once, and writes m x n results.
template <typename T, typename R>
void RawProduct(Case &c) {
  Numbers numbers{c};
  MmadParams product;
  product.m = numbers.Next(), product.n = numbers.Next(), product.k = numbers.Next();
  product.kDirectionAlign = numbers.Next() != 0;
  const auto size_a = static_cast<uint32_t>(c.buffers[0].bytes / sizeof(T));
  const auto size_b = static_cast<uint32_t>(c.buffers[1].bytes / sizeof(T));
  auto a1 = LocalAt<T>(TPosition::A1, 0, size_a);
  auto b1 = LocalAt<T>(TPosition::B1, 256 * 1024, size_b);
  auto a2 = LocalAt<T>(TPosition::A2, 0, 32768 / sizeof(T));
  auto b2 = LocalAt<T>(TPosition::B2, 0, 32768 / sizeof(T));
  auto c1 = LocalAt<R>(TPosition::CO1, 0, 16384);
  DataCopy(a1, c.Global<T>(0), size_a);
  DataCopy(b1, c.Global<T>(1), size_b);
  Order<HardEvent::MTE2_MTE1>();
  Load(a2, a1, &numbers);
  Load(b2, b1, &numbers);
  Order<HardEvent::MTE1_M>();
  Mmad(c1, a2, b2, product);
  Order<HardEvent::M_FIX>();
  const uint16_t rows = (product.m + 15) / 16 * 16;
  Fixpipe(c.Global<R>(2), c1, FixpipeParamsV220(product.n, product.m, rows, product.n, false));
}

uint32_t Align(uint32_t value, uint32_t step) { return (value + step - 1) / step * step; }

// Multiplies A (m x k) by B^T (n x k), both rows in GM, in steps of k. The results are m x n of type O.
template <typename T, typename O>
void RowProduct(Case &c, QuantMode_t quant) {
  const uint32_t m = c.Int(0), n = c.Int(1), k = c.Int(2), step = c.Int(3);
  const bool with_bias = c.Int(4) != 0, relu = c.Int(5) != 0;
  constexpr uint32_t c0 = 32 / sizeof(T);
  const uint32_t mm = Align(m, 16), nn = Align(n, 16), kk = Align(step, c0);
  auto a1 = LocalAt<T>(TPosition::A1, 0, mm * kk);
  auto b1 = LocalAt<T>(TPosition::B1, 128 * 1024, nn * kk);
  auto a2 = LocalAt<T>(TPosition::A2, 0, mm * kk);
  auto b2 = LocalAt<T>(TPosition::B2, 0, nn * kk);
  auto bias1 = LocalAt<float>(TPosition::C1, 256 * 1024, nn);
  auto bias2 = LocalAt<float>(TPosition::C2, 0, nn);
  auto c1 = LocalAt<float>(TPosition::CO1, 0, mm * nn);
  if (c.form == 1) SetHF32Mode(HF32Mode::ENABLE);
  if (with_bias) {
    DataCopy(bias1, c.Global<float>(3), Nd2NzParams(1, 1, n, 0, n, 1, 1, 0));
    Order<HardEvent::MTE2_MTE1>();
    DataCopy(bias2, bias1, DataCopyParams(1, nn / 16, 0, 0));
  }
  for (uint32_t at = 0; at < k; at += step) {
    const uint16_t part = std::min(step, k - at);
    const uint16_t depth = Align(part, c0) / c0;
    DataCopy(a1, c.Global<T>(0)[at], Nd2NzParams(1, m, part, 0, k, mm, 1, 0));
    DataCopy(b1, c.Global<T>(1)[at], Nd2NzParams(1, n, part, 0, k, nn, 1, 0));
    Order<HardEvent::MTE2_MTE1>();
    for (uint32_t row = 0; row < mm / 16; ++row) {
      LoadData(a2[row * depth * 16 * c0], a1[row * 16 * c0],
               LoadData2DParams(0, depth, mm / 16, 0, 0, false, 0));
    }
    LoadData(b2, b1, LoadData2DParams(0, depth * (nn / 16), 1, 0, 0, false, 0));
    Order<HardEvent::MTE1_M>();
    const MmadParams product(m, n, part, 0, false, at == 0 && !with_bias);
    if (at == 0 && with_bias) {
      Mmad(c1, a2, b2, bias2, product);
    } else {
      Mmad(c1, a2, b2, product);
    }
    PipeBarrier<PIPE_M>();
    Order<HardEvent::M_MTE1>();
    Order<HardEvent::MTE1_MTE2>();
  }
  SetHF32Mode(HF32Mode::DISABLE);
  Order<HardEvent::M_FIX>();
  FixpipeParamsV220 out(n, m, mm, n, relu);
  out.quantPre = quant;
  Fixpipe(c.Global<O>(2), c1, out);
}

// Makes 16 x 16 values by a product with a unit matrix and writes them as NZ; by way of L1 where `form` is 1.
void NzOut(Case &c) {
  const uint16_t m = c.Int(0), n = c.Int(1);
  auto a1 = LocalAt<half>(TPosition::A1, 0, m * 16);
  auto b1 = LocalAt<half>(TPosition::B1, 65536, n * 16);
  auto a2 = LocalAt<half>(TPosition::A2, 0, m * 16);
  auto b2 = LocalAt<half>(TPosition::B2, 0, n * 16);
  auto c1 = LocalAt<float>(TPosition::CO1, 0, m * n);
  DataCopy(a1, c.Global<half>(0), m * 16U);
  DataCopy(b1, c.Global<half>(1), n * 16U);
  Order<HardEvent::MTE2_MTE1>();
  LoadData(a2, a1, LoadData2DParams(0, m / 16, 1, 0, 0, false, 0));
  LoadData(b2, b1, LoadData2DParams(0, n / 16, 1, 0, 0, false, 0));
  Order<HardEvent::MTE1_M>();
  Mmad(c1, a2, b2, MmadParams(m, n, 16, 0, false, true));
  Order<HardEvent::M_FIX>();
  FixpipeParamsV220 params(n, m, m, 0, false);
  if (c.form == 1) {
    auto l1 = LocalAt<half>(TPosition::A1, 131072, m * n);
    params.quantPre = QuantMode_t::F322F16;
    params.dstStride = m;
    Fixpipe<half, float, CFG_NZ>(l1, c1, params);
    Order<HardEvent::FIX_MTE3>();
    DataCopy(c.Global<half>(2), l1, (uint32_t)m * n);
    return;
  }
  params.isChannelSplit = c.Int(2) != 0;
  params.dstStride = params.isChannelSplit ? m : 2 * m;
  Fixpipe<float, float, CFG_NZ>(c.Global<float>(2), c1, params);
}

void ForKind(Case &c, void (*half_case)(Case &), void (*bfloat16_case)(Case &), void (*float_case)(Case &),
             void (*int8_case)(Case &)) {
  (c.dtype == "float16"    ? half_case
   : c.dtype == "bfloat16" ? bfloat16_case
   : c.dtype == "float32"  ? float_case
                           : int8_case)(c);
}

const Register table{
    {"RawProduct",
     [](Case &c) {
       ForKind(c, RawProduct<half, float>, RawProduct<bfloat16_t, float>, RawProduct<float, float>,
               RawProduct<int8_t, int32_t>);
     },
     sim::KernelType::kCube},
    {"RowProduct",
     [](Case &c) {
       ForType<half, bfloat16_t, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         if (c.dtype2 == "float16") return RowProduct<T, half>(c, QuantMode_t::F322F16);
         if (c.dtype2 == "bfloat16") return RowProduct<T, bfloat16_t>(c, QuantMode_t::F322BF16);
         return RowProduct<T, float>(c, QuantMode_t::NoQuant);
       });
     },
     sim::KernelType::kCube},
    {"NzOut", NzOut, sim::KernelType::kCube},
    {"MixedProduct",
     [](Case &c) {
       TPipe pipe;
       MixedProduct op;
       op.Init(c.gm[0], c.gm[1], c.gm[2], c.gm[3], c.gm[4], &pipe);
       op.Process();
     },
     sim::KernelType::kMixed12},
};

}  // namespace
