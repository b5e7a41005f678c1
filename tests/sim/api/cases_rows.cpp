// SPDX-License-Identifier: Apache-2.0
// Functions of the high-level API on the rows of a matrix: sums, means, softmax, and rows without padding.
// ints: rows, elements from row to row, elements of a row.
#include "case.h"
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
  SimpleSoftMax<T>(c.Tensor<T>(0), c.Tensor<U>(1), c.Tensor<U>(2), c.Tensor<T>(3), c.Tensor<uint8_t>(4), tiling,
                   SoftMaxShapeOf(c));
}

const Register table{
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
