// SPDX-License-Identifier: Apache-2.0
// Functions that move, choose, sort, add up or convert elements.
#include "work_cases.h"

#ifndef SIM_CANN_HEADERS
using namespace AscendC;

namespace {

// Host functions take it and do not look at it.
constexpr int kPlatform = 0;

// ints: rows, elements from row to row, elements of a row, k, whether the indices are given, whether the
// greatest are wanted, 0: normal mode, 1: with finished rows, 2: small mode, 3: both. Buffers: values,
// indices, x, indices, finish.
template <typename T>
void TopKCase(Case &c) {
  const TopKMode mode = c.Int(6) == 2 ? TopKMode::TOPK_NSMALL : TopKMode::TOPK_NORMAL;
  const auto rows = static_cast<int32_t>(c.Int(0)), inner = static_cast<int32_t>(c.Int(1)),
             k = static_cast<int32_t>(c.Int(3));
  uint32_t most = 0, least = 0;
  GetTopKMaxMinTmpSize(kPlatform, inner, rows, false, c.Int(4) != 0, mode, true, sizeof(T), most, least);
  TopkTiling tiling;
  TopKTilingFunc(kPlatform, inner, rows, k, sizeof(T), true, mode, true, tiling);
  const TopKInfo info{rows, inner, static_cast<int32_t>(c.Int(2))};
  const auto run = [&](auto call) {
    call(c.Tensor<T>(0), c.Tensor<int32_t>(1), c.Tensor<T>(2), c.Tensor<int32_t>(3), c.Tensor<bool>(4),
         LeastWork(c, least), k, tiling, info, c.Int(5) != 0);
  };
  constexpr auto kNormal = TopKMode::TOPK_NORMAL, kSmall = TopKMode::TOPK_NSMALL;
  const bool indexed = c.Int(4) != 0;
  if (c.Int(6) == 2 && indexed) run([](auto... a) { TopK<T, true, false, false, kSmall>(a...); });
  if (c.Int(6) == 2 && !indexed) run([](auto... a) { TopK<T, false, false, false, kSmall>(a...); });
  if (c.Int(6) == 1) run([](auto... a) { TopK<T, true, true, false, kNormal>(a...); });
  if (c.Int(6) == 3) run([](auto... a) { TopK<T, true, true, false, kSmall>(a...); });
  if (c.Int(6) == 0 && indexed) run([](auto... a) { TopK<T, true>(a...); });
  if (c.Int(6) == 0 && !indexed) run([](auto... a) { TopK<T>(a...); });
}

constexpr CumSumConfig kOverRows = {false, false, true}, kWithoutLast = {true, false, false};

// ints: rows, elements of a row, 0: along rows, 1: over rows, 2: along rows without the last one.
template <typename T>
void CumSumCase(Case &c) {
  uint32_t most = 0, least = 0;
  GetCumSumMaxMinTmpSize(TensorShape({c.Int(0), c.Int(1)}), sizeof(T), c.Int(2) != 1, false, most, least);
  const CumSumInfo info{Size(c, 0), Size(c, 1)};
  const auto dst = c.Tensor<T>(0), last = c.Tensor<T>(1), src = c.Tensor<T>(2);
  const auto work = LeastWork(c, least);
  if (c.Int(2) == 0) CumSum<T>(dst, last, src, work, info);
  if (c.Int(2) == 1) CumSum<T, kOverRows>(dst, last, src, work, info);
  if (c.Int(2) == 2) CumSum<T, kWithoutLast>(dst, last, src, work, info);
}

// ints: rows, elements of a row, elements of a row that have a meaning, columns to the left, to the right.
template <typename T>
void PadCase(Case &c) {
  PadTiling tiling;
  PadTilingFunc(TensorShape({c.Int(0), c.Int(1)}), TensorShape({c.Int(0), c.Int(2)}), 0, sizeof(T), tiling);
  PadParams params(static_cast<uint16_t>(c.Int(3)), static_cast<uint16_t>(c.Int(4)), -3);
  Pad<T>(c.Tensor<T>(0), c.Tensor<T>(1), params, tiling);
}

// Pad, and then all columns of the result that one row may have are read.
void PadAndReadCase(Case &c) {
  PadCase<float>(c);
  Adds(c.Tensor<float>(2), c.Tensor<float>(0), 1.0F, static_cast<int32_t>(c.Int(0) * 8));
}

// ints: rows, elements of a row, bytes of a row of the mask, mode.
template <typename T>
void DropOutCase(Case &c) {
  uint32_t most = 0, least = 0;
  GetDropOutMaxMinTmpSize(TensorShape({c.Int(0), c.Int(1)}), sizeof(T), false, most, least);
  DropOutShapeInfo info;
  info.firstAxis = Size(c, 0);
  info.srcLastAxis = Size(c, 1);
  info.maskLastAxis = Size(c, 2);
  const auto dst = c.Tensor<T>(0), src = c.Tensor<T>(1);
  const auto mask = c.Tensor<uint8_t>(2), work = LeastWork(c, least);
  const auto keep = static_cast<float>(c.Float(0));
  if (c.Int(3) == 0) DropOut<T>(dst, src, mask, work, keep, info);
  if (c.Int(3) == 1) DropOut<T, false, 1>(dst, src, mask, work, keep, info);
  if (c.Int(3) == 3) DropOut<T, false, 3>(dst, src, mask, work, keep, info);
  if (c.Int(3) == 4) DropOut<T, false, 4>(dst, src, mask, work, keep, info);
}

// ints: 0: one scale and offset, 1: scales, 2: scales and offsets; elements of a row, elements.
template <typename T>
void QuantCase(Case &c) {
  uint32_t most = 0, least = 0;
  GetAscendQuantMaxMinTmpSize(TensorShape({c.Int(2)}), sizeof(T), most, least);
  const auto dst = c.Tensor<int8_t>(0);
  const auto src = c.Tensor<T>(1), scale = c.Tensor<T>(2), offset = c.Tensor<T>(3);
  const auto work = LeastWork(c, least);
  const uint32_t columns = Size(c, 1), count = Size(c, 2);
  const auto s = static_cast<float>(c.Float(0)), o = static_cast<float>(c.Float(1));
  if (c.Int(0) == 0) AscendQuant<T>(dst, src, work, s, o, count);
  if (c.Int(0) == 1) AscendQuant<T>(dst, src, work, scale, static_cast<T>(o), columns, count);
  if (c.Int(0) == 2) AscendQuant<T>(dst, src, work, scale, offset, columns, columns, count);
}

// ints: k, n, groups, 0: values for channels, 1: transposed, 2: one value, 3: values without an offset.
template <typename T>
void AntiQuantCase(Case &c) {
  uint32_t most = 0, least = 0;
  const bool transposed = c.Int(3) == 1;
  const TensorShape shape({c.Int(0), c.Int(1)}), scales({c.Int(2), c.Int(1)});
  GetAscendAntiQuantMaxMinTmpSize(shape, scales, transposed, ge::DT_INT8, ge::DT_FLOAT16, most, least);
  const auto dst = c.Tensor<T>(0), offset = c.Tensor<T>(2), scale = c.Tensor<T>(3);
  const auto src = c.Tensor<int8_t>(1);
  const auto work = LeastWork(c, least);
  const uint32_t k = Size(c, 0), n = Size(c, 1), groups = Size(c, 2);
  const AntiQuantShapeInfo info =
      transposed ? AntiQuantShapeInfo{n, groups, n, groups} : AntiQuantShapeInfo{groups, n, groups, n};
  if (c.Int(3) == 0) AscendAntiQuant<int8_t, T, false>(dst, src, offset, scale, work, k, info);
  if (c.Int(3) == 1) AscendAntiQuant<int8_t, T, true>(dst, src, offset, scale, work, k, info);
  if (c.Int(3) == 2) {
    AscendAntiQuant<int8_t, T, false>(dst, src, offset.GetValue(0), scale.GetValue(0), work, k, info);
  }
  if (c.Int(3) == 3) AscendAntiQuant<int8_t, T, false>(dst, src, scale, work, k, info);
}

// ints: rows, elements of a row, whether rows are reduced.
template <typename T, typename Axis>
void LogicCase(Case &c, const std::string &name) {
  uint32_t most = 0, least = 0;
  GetReduceProdMaxMinTmpSize(TensorShape({c.Int(0), c.Int(1)}), ge::DT_FLOAT, ReducePattern::AR, true, false,
                             most, least);
  const uint32_t shape[2] = {Size(c, 0), Size(c, 1)};
  const auto dst = c.Tensor<T>(0), src = c.Tensor<T>(1);
  const auto work = LeastWork(c, std::max(least, shape[1] * 4));
  if (name == "all") ReduceAll<T, Axis>(dst, src, work, shape, true);
  if (name == "any") ReduceAny<T, Axis>(dst, src, work, shape, true);
  if constexpr (std::is_same_v<T, float>) {
    if (name == "prod") ReduceProd<T, Axis>(dst, src, work, shape, true);
  }
}
void LogicCase(Case &c, const std::string &name) {
  ForType<uint8_t, float>(c.dtype, [&](auto type) {
    using T = decltype(type);
    c.Int(2) != 0 ? LogicCase<T, Pattern::Reduce::RA>(c, name) : LogicCase<T, Pattern::Reduce::AR>(c, name);
  });
}

// ints: the sizes of [B, N, S, H/N], and the type.
template <typename T>
void TransposeCase(Case &c) {
  ConfusionTransposeTiling tiling;
  GetTransposeTilingInfo(TensorShape({c.Int(0), c.Int(1), c.Int(2), c.Int(3)}), 0, sizeof(T), Size(c, 4),
                         tiling);
  Transpose(c.Tensor<T>(0), c.Tensor<T>(1), static_cast<TransposeType>(c.Int(4)), tiling);
}

constexpr TransDataConfig kToBlocks = {DataFormat::NCDHW, DataFormat::NDC1HWC0},
                          kFromBlocks = {DataFormat::NDC1HWC0, DataFormat::NCDHW},
                          kToFractals = {DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D},
                          kFromFractals = {DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};

// ints: n, c, d, h, w, and 0: to NDC1HWC0, 1: from it, 2: to FRACTAL_Z_3D, 3: from it.
void TransDataCase(Case &c) {
  const uint32_t n = Size(c, 0), d = Size(c, 2), h = Size(c, 3), w = Size(c, 4);
  const uint32_t c1 = (Size(c, 1) + 15) / 16, n1 = (n + 15) / 16;
  const auto plain = MakeLayout(MakeShape(n, Size(c, 1), d, h, w), MakeStride());
  const auto blocks = MakeLayout(MakeShape(n, d, c1, h, w, 16U), MakeStride());
  const auto fractals = MakeLayout(MakeShape(d, c1, h, w, n1, 16U, 16U), MakeStride());
  const auto dst = c.Tensor<half>(0), src = c.Tensor<half>(1);
  const auto work = LeastWork(c, 1024);
  if (c.Int(5) == 0) {
    TransData<kToBlocks>(dst, src, work, TransDataParams<decltype(plain), decltype(blocks)>{plain, blocks});
  } else if (c.Int(5) == 1) {
    TransData<kFromBlocks>(dst, src, work, TransDataParams<decltype(blocks), decltype(plain)>{blocks, plain});
  } else if (c.Int(5) == 2) {
    TransData<kToFractals>(dst, src, work,
                           TransDataParams<decltype(plain), decltype(fractals)>{plain, fractals});
  } else {
    TransData<kFromFractals>(dst, src, TransDataParams<decltype(fractals), decltype(plain)>{fractals, plain});
  }
}

// ints: elements.
#define GAMMA(Name)                                                                     \
  {#Name, [](Case &c) {                                                                 \
     ForType<half, float>(c.dtype, [&](auto type) {                                     \
       using T = decltype(type);                                                        \
       uint32_t most = 0, least = 0;                                                    \
       Get##Name##MaxMinTmpSize(TensorShape({c.Int(0)}), sizeof(T), true, most, least); \
       const auto work = LeastWork(c, least);                                           \
       Name<T>(c.Tensor<T>(0), c.Tensor<T>(1), work, Size(c, 0));                       \
     });                                                                                \
   }}
#define TENSOR(Name, Function) \
  {Name, [](Case &c) { ForType<half, float>(c.dtype, [&](auto type) { Function<decltype(type)>(c); }); }}
const Register table{
    GAMMA(Lgamma),
    GAMMA(Digamma),
    TENSOR("TopK", TopKCase),
    TENSOR("CumSum", CumSumCase),
    TENSOR("DropOut", DropOutCase),
    TENSOR("AscendQuant", QuantCase),
    {"Pad",
     [](Case &c) {
       ForType<half, float, int16_t, int32_t>(c.dtype, [&](auto type) { PadCase<decltype(type)>(c); });
     }},
    {"PadAndRead", PadAndReadCase},
    {"AscendAntiQuant",
     [](Case &c) {
       ForType<half, bfloat16_t>(c.dtype, [&](auto type) { AntiQuantCase<decltype(type)>(c); });
     }},
    {"ReduceAll", [](Case &c) { LogicCase(c, "all"); }},
    {"ReduceAny", [](Case &c) { LogicCase(c, "any"); }},
    {"ReduceProd", [](Case &c) { LogicCase(c, "prod"); }},
    {"ReduceXorSum",
     [](Case &c) {
       ReduceXorSum<int16_t>(c.Tensor<int16_t>(0), c.Tensor<int16_t>(1), c.Tensor<int16_t>(2),
                             LeastWork(c, 768), Size(c, 0));
     }},
    TENSOR("TransposeByTiling", TransposeCase),
    {"TransData", TransDataCase},
};

}  // namespace
#endif
