// SPDX-License-Identifier: Apache-2.0
// Normalisations.
#include "work_cases.h"

#ifndef SIM_CANN_HEADERS
using namespace AscendC;

namespace {

// ints: rows, elements from row to row, elements of a row.
TensorShape RowsShape(const Case &c) { return TensorShape({1, c.Int(0), c.Int(1), c.Int(2)}); }

template <typename T>
void LayerNormCase(Case &c) {
  uint32_t most = 0, least = 0;
  LayerNormTiling tiling;
  GetLayerNormMaxMinTmpSize(RowsShape(c), sizeof(T), false, most, least);
  GetLayerNormNDTilingInfo(RowsShape(c), least, sizeof(T), false, tiling);
  LayerNorm<T, false>(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<T>(2), c.Tensor<T>(3), c.Tensor<T>(4),
                      c.Tensor<T>(5), LeastWork(c, least), static_cast<T>(c.Float(0)), tiling);
}

constexpr LayerNormConfig kNoBeta = {true, false, false, true};

template <typename T, typename U>
void SeparateCase(Case &c) {
  uint32_t most = 0, least = 0;
  LayerNormSeparateTiling tiling;
  const TensorShape shape({c.Int(0), c.Int(2)});
  GetLayerNormMaxMinTmpSize(shape, sizeof(T), false, true, false, most, least);
  GetLayerNormNDTilingInfo(shape, least, sizeof(T), false, true, tiling);
  const LayerNormPara para{Size(c, 0), Size(c, 2), Size(c, 1)};
  const auto run = [&](auto call) {
    call(c.Tensor<T>(0), c.Tensor<float>(1), c.Tensor<float>(2), c.Tensor<T>(3), c.Tensor<U>(4),
         c.Tensor<U>(5), static_cast<float>(c.Float(0)), LeastWork(c, least), para, tiling);
  };
  if (c.Int(3) == 0) {
    run([](auto... a) { LayerNorm<U, T>(a...); });
  } else {
    run([](auto... a) { LayerNorm<U, T, false, kNoBeta>(a...); });
  }
}

template <typename T>
void LayerNormGradCase(Case &c) {
  uint32_t most = 0, least = 0;
  LayerNormGradTiling tiling;
  GetLayerNormGradMaxMinTmpSize(RowsShape(c), sizeof(T), false, most, least);
  GetLayerNormGradNDTilingInfo(RowsShape(c), least, sizeof(T), false, tiling);
  LayerNormGrad<T>(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<T>(2), c.Tensor<T>(3), c.Tensor<T>(4),
                   c.Tensor<T>(5), c.Tensor<T>(6), LeastWork(c, least), static_cast<T>(c.Float(0)), tiling);
}

template <typename T>
void LayerNormGradBetaCase(Case &c) {
  uint32_t most = 0, least = 0;
  LayerNormGradBetaTiling tiling;
  GetLayerNormGradBetaMaxMinTmpSize(RowsShape(c), sizeof(T), false, most, least);
  GetLayerNormGradBetaNDTilingInfo(RowsShape(c), least, sizeof(T), false, tiling);
  LayerNormGradBeta<T>(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<T>(2), c.Tensor<T>(3), LeastWork(c, least),
                       tiling);
}

template <typename T, typename U>
void NormalizeCase(Case &c) {
  uint32_t most = 0, least = 0;
  GetNormalizeMaxMinTmpSize(TensorShape({c.Int(0), c.Int(2)}), sizeof(U), sizeof(T), false, true, false, most,
                            least);
  const NormalizePara para{Size(c, 0), Size(c, 2), Size(c, 1)};
  Normalize<U, T>(c.Tensor<T>(0), c.Tensor<float>(1), c.Tensor<float>(2), c.Tensor<float>(3), c.Tensor<T>(4),
                  c.Tensor<U>(5), c.Tensor<U>(6), LeastWork(c, least), static_cast<float>(c.Float(0)), para);
}

template <typename T>
void DeepNormCase(Case &c) {
  uint32_t most = 0, least = 0;
  DeepNormTiling tiling;
  const TensorShape shape({1, c.Int(0), c.Int(1)}), original({1, c.Int(0), c.Int(2)});
  GetDeepNormMaxMinTmpSize(shape, sizeof(T), false, false, most, least);
  GetDeepNormTilingInfo(shape, original, least, sizeof(T), false, false, tiling);
  DeepNorm<T>(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<T>(2), c.Tensor<T>(3), c.Tensor<T>(4), c.Tensor<T>(5),
              c.Tensor<T>(6), LeastWork(c, least), static_cast<T>(c.Float(1)), static_cast<T>(c.Float(0)),
              tiling);
}

// ints: rows, elements of a row.
template <typename T>
void BatchNormCase(Case &c) {
  uint32_t most = 0, least = 0;
  BatchNormTiling tiling;
  const TensorShape shape({c.Int(0), 1, c.Int(1)});
  GetBatchNormMaxMinTmpSize(shape, shape, sizeof(T), false, most, least);
  GetBatchNormNDTilingInfo(shape, shape, least, sizeof(T), false, tiling);
  BatchNorm<T>(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<T>(2), c.Tensor<T>(3), c.Tensor<T>(4), c.Tensor<T>(5),
               LeastWork(c, least), static_cast<T>(c.Float(0)), tiling);
}

// ints: images, channels, elements of a channel, groups.
template <typename T>
void GroupNormCase(Case &c) {
  uint32_t most = 0, least = 0;
  GroupNormTiling tiling;
  const TensorShape shape({c.Int(0), c.Int(1), c.Int(2), 1});
  GetGroupNormMaxMinTmpSize(shape, sizeof(T), false, Size(c, 3), most, least);
  GetGroupNormNDTilingInfo(shape, least, sizeof(T), false, Size(c, 3), tiling);
  GroupNorm<T>(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<T>(2), c.Tensor<T>(3), c.Tensor<T>(4), c.Tensor<T>(5),
               LeastWork(c, least), static_cast<T>(c.Float(0)), tiling);
}

constexpr WelfordUpdateConfig kInPlace = {true};

// ints: calls, lanes, lanes that are computed, whether the other lanes are those of the sources, and whether
// the mean lies where the old one lies.
template <typename T>
void WelfordUpdateCase(Case &c) {
  uint32_t most = 0, least = 0;
  GetWelfordUpdateMaxMinTmpSize(TensorShape({1, c.Int(1)}), sizeof(T), 4, false, false, most, least);
  const WelfordUpdateParam para{Size(c, 0), Size(c, 1), Size(c, 2), static_cast<float>(c.Float(0))};
  const auto run = [&](auto call) {
    call(c.Tensor<float>(c.Int(4) != 0 ? 2 : 0), c.Tensor<float>(1), c.Tensor<float>(2), c.Tensor<float>(3),
         c.Tensor<T>(4), LeastWork(c, least), para);
  };
  if (c.Int(3) == 0) {
    run([](auto... a) { WelfordUpdate<T, float>(a...); });
  } else {
    run([](auto... a) { WelfordUpdate<T, float, false, kInPlace>(a...); });
  }
}

// ints: calls, lanes, elements of the first lanes, their number, elements of the others, their number, and
// whether a tensor says how many elements a lane has.
void WelfordFinalizeCase(Case &c) {
  uint32_t most = 0, least = 0;
  GetWelfordFinalizeMaxMinTmpSize(TensorShape({c.Int(1)}), 4, false, most, least);
  WelfordFinalizePara para{Size(c, 0),
                           Size(c, 1),
                           Size(c, 2),
                           Size(c, 3),
                           Size(c, 4),
                           Size(c, 5),
                           static_cast<float>(c.Float(0)),
                           static_cast<float>(c.Float(1))};
  const auto mean = c.Tensor<float>(0), variance = c.Tensor<float>(1), means = c.Tensor<float>(2),
             sums = c.Tensor<float>(3);
  if (c.Int(6) == 0) {
    WelfordFinalize(mean, variance, means, sums, LeastWork(c, least), para);
  } else {
    WelfordFinalize(mean, variance, means, sums, c.Tensor<int32_t>(4), LeastWork(c, least), para);
  }
}

#define NORM(Name) \
  {#Name, [](Case &c) { ForType<half, float>(c.dtype, [&](auto type) { Name##Case<decltype(type)>(c); }); }}
// gamma and beta may be wider than the rest.
#define NORM_OF_TWO(Name, Function)                       \
  {Name, [](Case &c) {                                    \
     (c.dtype == "float32"    ? Function<float, float>    \
      : c.dtype2 == "float32" ? Function<half, float>     \
                              : Function<half, half>)(c); \
   }}
const Register table{
    NORM(LayerNorm),
    NORM_OF_TWO("LayerNormSeparate", SeparateCase),
    NORM(LayerNormGrad),
    NORM(LayerNormGradBeta),
    NORM_OF_TWO("Normalize", NormalizeCase),
    NORM(DeepNorm),
    NORM(BatchNorm),
    NORM(GroupNorm),
    NORM(WelfordUpdate),
    {"WelfordFinalize", WelfordFinalizeCase},
};

}  // namespace
#endif
