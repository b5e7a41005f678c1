// SPDX-License-Identifier: Apache-2.0
// Functions of the high-level API on the rows of a matrix: sums, means, softmax, and rows without padding.
// ints: rows, elements from row to row, elements of a row.
#include "adv_cases.h"

using namespace AscendC;

namespace {

template <typename Params>
Params RowsOf(const Case &c) {
  Params params;
  params.outter = static_cast<uint32_t>(c.Int(0));
  params.inner = static_cast<uint32_t>(c.Int(1));
  params.n = static_cast<uint32_t>(c.Int(2));
  return params;
}

SoftMaxShapeInfo SoftMaxShapeOf(const Case &c) {
  const auto rows = static_cast<uint32_t>(c.Int(0));
  return {rows, static_cast<uint32_t>(c.Int(1)), rows, static_cast<uint32_t>(c.Int(2))};
}

// The tiling in which all rows are computed at once.
SoftMaxTiling SoftMaxTilingOf(const Case &c, uint32_t block) {
  SoftMaxTiling t;
  t.srcM = t.outMaxM = t.splitM = t.reduceM = static_cast<uint32_t>(c.Int(0));
  t.srcK = t.splitK = static_cast<uint32_t>(c.Int(1));
  t.srcSize = t.splitSize = t.srcM * t.srcK;
  t.outMaxK = t.reduceK = block;
  t.outMaxSize = t.reduceSize = t.srcM * block;
  t.rangeM = 1;
  return t;
}

template <typename T, typename U>
void SoftMaxCase(Case &c) {
  const SoftMaxTiling tiling = SoftMaxTilingOf(c, 32 / sizeof(U));
  SoftMax<T>(c.Tensor<T>(0), c.Tensor<U>(1), c.Tensor<U>(2), c.Tensor<T>(3), c.Tensor<uint8_t>(4), tiling,
             SoftMaxShapeOf(c));
}

template <typename T, typename U>
void SimpleSoftMaxCase(Case &c) {
  const SoftMaxTiling tiling = SoftMaxTilingOf(c, 32 / sizeof(U));
  SimpleSoftMax<T>(c.Tensor<T>(0), c.Tensor<U>(1), c.Tensor<U>(2), c.Tensor<T>(3), c.Tensor<uint8_t>(4),
                   tiling, SoftMaxShapeOf(c));
}

template <typename T, typename U>
void SelectCase(Case &c) {
  SelectWithBytesMaskShapeInfo info;
  info.firstAxis = static_cast<uint32_t>(c.Int(0));
  info.srcLastAxis = static_cast<uint32_t>(c.Int(1));
  info.maskLastAxis = static_cast<uint32_t>(c.Int(2));
  const auto dst = c.Tensor<T>(0), src = c.Tensor<T>(1);
  const auto mask = c.Tensor<U>(2);
  const auto work = c.Tensor<uint8_t>(3);
  const auto scalar = static_cast<T>(c.Float(0));
  c.Int(3) == 0 ? SelectWithBytesMask(dst, src, scalar, mask, work, info)
                : SelectWithBytesMask(dst, scalar, src, mask, work, info);
}

#if !SIM_OLDER_API
template <typename T, typename Axis, bool reuse>
void ReduceCase(Case &c, const std::string &name) {
  const uint32_t shape[2] = {static_cast<uint32_t>(c.Int(0)), static_cast<uint32_t>(c.Int(2))};
  const auto dst = c.Tensor<T>(0), src = c.Tensor<T>(1);
  const auto work = c.Tensor<uint8_t>(2);
  const bool padded = c.Int(5) == 0;
  if (name == "max") ReduceMax<T, Axis, reuse>(dst, src, work, shape, padded);
  if (name == "min") ReduceMin<T, Axis, reuse>(dst, src, work, shape, padded);
  if constexpr (std::is_same_v<T, float>) {
    if (name == "sum") ReduceSum<T, Axis, reuse>(dst, src, work, shape, padded);
    if (name == "mean") ReduceMean<T, Axis, reuse>(dst, src, work, shape, padded);
  }
}

// ints behind the shape: whether the first axis is reduced, whether the source may be overwritten, whether
// the rows have no padding.
template <typename T>
void ReduceCase(Case &c, const std::string &name) {
  using namespace Pattern::Reduce;
  if (c.Int(3) != 0) return ReduceCase<T, RA, false>(c, name);
  c.Int(4) != 0 ? ReduceCase<T, AR, true>(c, name) : ReduceCase<T, AR, false>(c, name);
}

#define REDUCE(Case_, text) \
  {Case_,                   \
   [](Case &c) { ForType<half, float>(c.dtype, [&](auto type) { ReduceCase<decltype(type)>(c, text); }); }}
#endif

template <typename T, typename S>
void DequantCase(Case &c) {
  const DequantParams params{static_cast<uint32_t>(c.Int(0)), static_cast<uint32_t>(c.Int(1)),
                             static_cast<uint32_t>(c.Int(2))};
  const auto dst = c.Tensor<T>(0);
  const auto src = c.Tensor<int32_t>(1);
  const auto work = c.Tensor<uint8_t>(3);
  if (c.Int(3) == 0) {
    AscendDequant(dst, src, c.Tensor<S>(2), work, params);
  } else if constexpr (std::is_same_v<S, float>) {
    AscendDequant(dst, src, static_cast<S>(0.125f), work, params);
  }
}

const Register table{
#if !SIM_OLDER_API
    REDUCE("MatrixSum", "sum"),
    REDUCE("MatrixMean", "mean"),
    REDUCE("MatrixMax", "max"),
    REDUCE("MatrixMin", "min"),
#endif
    {"AscendDequant",
     [](Case &c) {
       if (c.dtype == "float32") return DequantCase<float, float>(c);
       c.dtype == "float16" ? DequantCase<half, uint64_t>(c) : DequantCase<bfloat16_t, bfloat16_t>(c);
     }},
    // ints: rows, elements of a row, elements of a row of the mask, whether the scalar is the first source.
    {"SelectWithBytesMask",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         ForType<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>(
             c.dtype2, [&](auto number) { SelectCase<decltype(type), decltype(number)>(c); });
       });
     }},
    {"RmsNorm",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         RmsNormTiling t;
         t.bLength = 1;
         t.sLength = static_cast<uint32_t>(c.Int(0));
         t.hLength = static_cast<uint32_t>(c.Int(1));
         t.originalHLength = static_cast<uint32_t>(c.Int(2));
         t.reciprocalOfHLength = 1.0f / static_cast<float>(t.originalHLength);
         // One row at a time.
         t.mainBshLength = t.hLength;
         t.mainBsLength = 1;
         t.mainBsLengthAlign = 8;
         t.loopRound = t.sLength;
         t.inputTailPos = t.sLength * t.hLength;
         RmsNorm(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<T>(2), c.Tensor<uint8_t>(3),
                 static_cast<T>(c.Float(0)), t);
       });
     }},
    {"Sum",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         Sum(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<uint8_t>(2), RowsOf<SumParams>(c));
       });
     }},
    {"Mean",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         const auto params = RowsOf<MeanParams>(c);
         if (c.dtype2 == "float32") {
           Mean<T, float>(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<uint8_t>(2), params);
         } else {
           Mean<T>(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<uint8_t>(2), params);
         }
       });
     }},
    {"SoftMax",
     [](Case &c) {
       (c.dtype == "float32"    ? SoftMaxCase<float, float>
        : c.dtype2 == "float32" ? SoftMaxCase<half, float>
                                : SoftMaxCase<half, half>)(c);
     }},
    {"SimpleSoftMax",
     [](Case &c) {
       (c.dtype == "float32"    ? SimpleSoftMaxCase<float, float>
        : c.dtype2 == "float32" ? SimpleSoftMaxCase<half, float>
                                : SimpleSoftMaxCase<half, half>)(c);
     }},
    {"SoftMaxAlone",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         SoftMax<T>(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<uint8_t>(2), SoftMaxTilingOf(c, 32 / sizeof(T)),
                    SoftMaxShapeOf(c));
       });
     }},
    // ints: the bits of the maximum that is looked for. Writes whether a row had it to buffer 2.
    {"AdjustSoftMaxRes",
     [](Case &c) {
       const bool found = AdjustSoftMaxRes<float, float>(
           c.Tensor<float>(0), c.Tensor<float>(1), static_cast<uint32_t>(c.Int(3)), 7.0f, SoftMaxShapeOf(c));
       c.Tensor<int32_t>(2).SetValue(0, found ? 1 : 0);
     }},
    {"UnPad",
     [](Case &c) {
       ForType<half, float, int16_t, int32_t>(c.dtype, [&](auto type) {
         using T = decltype(type);
         UnPadTiling tiling;
         tiling.srcHeight = static_cast<uint32_t>(c.Int(0));
         tiling.srcWidth = static_cast<uint32_t>(c.Int(1));
         UnPadParams params(static_cast<uint16_t>(c.Int(3)), static_cast<uint16_t>(c.Int(2)));
         UnPad(c.Tensor<T>(0), c.Tensor<T>(1), params, tiling);
       });
     }},
};

}  // namespace
