// SPDX-License-Identifier: Apache-2.0
// Softmax of parts of rows, its gradient, and its logarithm. ints: rows, elements from row to row, elements
// of a row.
#include "work_cases.h"

#ifndef SIM_CANN_HEADERS
using namespace AscendC;

namespace {

TensorShape ShapeOf(const Case &c) { return TensorShape({c.Int(0), c.Int(1)}); }
SoftMaxShapeInfo InfoOf(const Case &c) { return {Size(c, 0), Size(c, 1), Size(c, 0), Size(c, 2)}; }

// int 3: whether earlier parts are there. Buffers: y, sum, max, x, factor, the old sum, the old maximum.
template <typename T, typename U>
void FlashCase(Case &c) {
  const uint32_t least = GetSoftMaxFlashMinTmpSize(ShapeOf(c), sizeof(T), c.Int(3) != 0, false);
  SoftMaxTiling tiling;
  SoftMaxFlashTilingFunc(ShapeOf(c), sizeof(T), least, tiling, c.Int(3) != 0);
  SoftmaxFlash<T>(c.Tensor<T>(0), c.Tensor<U>(1), c.Tensor<U>(2), c.Tensor<T>(3), c.Tensor<T>(4),
                  c.Tensor<U>(5), c.Tensor<U>(6), LeastWork(c, least), tiling, c.Int(3) != 0, InfoOf(c));
}

constexpr SoftmaxConfig kAlone(true, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC);

// int 4: whether the values of rows are one element each.
template <typename T, typename U>
void FlashV2Case(Case &c) {
  const uint32_t least = GetSoftMaxFlashV2MinTmpSize(ShapeOf(c), sizeof(T), sizeof(U), c.Int(3) != 0);
  SoftMaxTiling tiling;
  SoftMaxFlashV2TilingFunc(ShapeOf(c), sizeof(T), sizeof(U), least, tiling, c.Int(3) != 0);
  const auto run = [&](auto call) {
    call(c.Tensor<T>(0), c.Tensor<U>(1), c.Tensor<U>(2), c.Tensor<T>(3), c.Tensor<T>(4), c.Tensor<U>(5),
         c.Tensor<U>(6), LeastWork(c, least), tiling, InfoOf(c));
  };
  if (c.Int(4) != 0) {
    run([](auto... a) { SoftmaxFlashV2<T, true, false, false, false, kAlone>(a...); });
  } else if (c.Int(3) != 0) {
    run([](auto... a) { SoftmaxFlashV2<T, true>(a...); });
  } else {
    run([](auto... a) { SoftmaxFlashV2<T>(a...); });
  }
}

// The form with the maximum of this part alone, buffer 7. Values of rows are one element each. int 3: whether
// earlier parts are there.
void FlashV2MaxCase(Case &c) {
  const uint32_t least = GetSoftMaxFlashV2MinTmpSize(ShapeOf(c), 4, 4, c.Int(3) != 0);
  SoftMaxTiling tiling;
  SoftMaxFlashV2TilingFunc(ShapeOf(c), 4, 4, least, tiling, c.Int(3) != 0);
  const auto run = [&](auto call) {
    const auto at = [&](size_t i) { return c.Tensor<float>(i); };
    call(at(0), at(7), at(1), at(2), at(3), at(4), at(5), at(6), LeastWork(c, least), tiling, InfoOf(c));
  };
  if (c.Int(3) != 0) {
    run([](auto... a) { SoftmaxFlashV2<float, true, false, false, false, kAlone>(a...); });
  } else {
    run([](auto... a) { SoftmaxFlashV2<float, false, false, false, false, kAlone>(a...); });
  }
}

// int 3: the number of the call, 0 for the first one. Buffers: y, mean, sum, max, x, factor, and the old
// ones.
void FlashV3Case(Case &c) {
  uint32_t most = 0, least = 0;
  SoftMaxTiling tiling;
  GetSoftMaxFlashV3MaxMinTmpSize(ShapeOf(c), 2, 4, most, least, c.Int(3) != 0);
  SoftMaxFlashV3TilingFunc(ShapeOf(c), 2, 4, least, tiling, c.Int(3) != 0);
  SoftMaxParams params;
  params.srcM = params.oriSrcM = Size(c, 0);
  params.srcK = params.oriSrcK = Size(c, 1);
  params.loopCnt = std::max(1U, Size(c, 3));
  const auto run = [&](auto call) {
    call(c.Tensor<half>(0), c.Tensor<float>(1), c.Tensor<float>(2), c.Tensor<float>(3), c.Tensor<half>(4),
         c.Tensor<half>(5), c.Tensor<float>(6), c.Tensor<float>(7), c.Tensor<float>(8), LeastWork(c, least),
         tiling, params);
  };
  if (c.Int(3) != 0) {
    run([](auto... a) { SoftmaxFlashV3<half, float, true>(a...); });
  } else {
    run([](auto... a) { SoftmaxFlashV3<half, float>(a...); });
  }
}

// int 3: 0: the gradient, 1: the sums by SoftmaxGrad, 2: the sums by SoftmaxGradFront.
template <typename T>
void GradCase(Case &c) {
  const uint32_t least = GetSoftMaxGradMinTmpSize(ShapeOf(c), sizeof(T), c.Int(3) != 0, false);
  SoftMaxTiling tiling;
  SoftMaxGradTilingFunc(ShapeOf(c), sizeof(T), least, tiling, c.Int(3) != 0);
  const auto dst = c.Tensor<T>(0), grad = c.Tensor<T>(1), src = c.Tensor<T>(2);
  if (c.Int(3) == 2) {
    SoftmaxGradFront<T>(dst, grad, src, LeastWork(c, least), tiling, InfoOf(c));
  } else {
    SoftmaxGrad<T>(dst, grad, src, LeastWork(c, least), tiling, c.Int(3) != 0, InfoOf(c));
  }
}

template <typename T>
void LogCase(Case &c) {
  const uint32_t least = GetLogSoftMaxMinTmpSize(ShapeOf(c), sizeof(T), false);
  LogSoftMaxTiling tiling;
  LogSoftMaxTilingFunc(ShapeOf(c), sizeof(T), least, tiling);
  LogSoftMax<T>(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<T>(2), c.Tensor<T>(3), LeastWork(c, least), tiling,
                InfoOf(c));
}

#define FLASH(Name, Function)                             \
  {Name, [](Case &c) {                                    \
     (c.dtype == "float32"    ? Function<float, float>    \
      : c.dtype2 == "float32" ? Function<half, float>     \
                              : Function<half, half>)(c); \
   }}
const Register table{
    FLASH("SoftmaxFlash", FlashCase),
    FLASH("SoftmaxFlashV2", FlashV2Case),
    {"SoftmaxFlashV2Max", FlashV2MaxCase},
    {"SoftmaxFlashV3", FlashV3Case},
    {"SoftmaxGrad",
     [](Case &c) { ForType<half, float>(c.dtype, [&](auto type) { GradCase<decltype(type)>(c); }); }},
    {"LogSoftMax",
     [](Case &c) { ForType<half, float>(c.dtype, [&](auto type) { LogCase<decltype(type)>(c); }); }},
};

}  // namespace
#endif
