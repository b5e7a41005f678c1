// SPDX-License-Identifier: Apache-2.0
// Tensors [N, C, D, H, W] to and from the formats NDC1HWC0 and FRACTAL_Z_3D of 16-bit elements. C0 and N0 are
// 16; rows of H W begin at multiples of 32 bytes in NCDHW. Channels and images that the tensor does not have
// become 0.
//
//   NDC1HWC0       [N, D, C1, H W, C0]
//   FRACTAL_Z_3D   [D, C1, H W, N1, N0, C0]
#pragma once

#include "../../kernel_layout.h"
#include "../../kernel_tensor.h"
#include "../sim_permute.h"

#ifndef ASCC_PARAM_TRANSDATACONFIG
#define ASCC_PARAM_TRANSDATACONFIG
namespace AscendC {

struct TransDataConfig {
  DataFormat srcFormat;
  DataFormat dstFormat;
};

}  // namespace AscendC
#endif

namespace AscendC {

template <typename T, typename U>
struct TransDataParams {
  T srcLayout;
  U dstLayout;
};

}  // namespace AscendC

namespace sim {

struct ImageShape {
  static constexpr uint64_t kLanes = 16;  // of a channel block, and of a block of images

  uint64_t n;
  uint64_t c;
  uint64_t d;
  uint64_t area;

  uint64_t c1() const { return CeilDivide(c, kLanes); }
  uint64_t n1() const { return CeilDivide(n, kLanes); }
  uint64_t row() const { return AlignUp(area, kLanes); }
  uint64_t Plain(uint64_t in, uint64_t ic, uint64_t id, uint64_t at) const {
    return ((in * c + ic) * d + id) * row() + at;
  }
  uint64_t Blocks(uint64_t in, uint64_t ic, uint64_t id, uint64_t at) const {
    return (((in * d + id) * c1() + ic / kLanes) * area + at) * kLanes + ic % kLanes;
  }
  uint64_t Fractals(uint64_t in, uint64_t ic, uint64_t id, uint64_t at) const {
    return (((id * c1() + ic / kLanes) * area + at) * n1() * kLanes + in) * kLanes + ic % kLanes;
  }
  uint64_t PlainSize() const { return n * c * d * row(); }
  uint64_t BlocksSize() const { return n * d * c1() * area * kLanes; }
  uint64_t FractalsSize() const { return d * c1() * area * n1() * kLanes * kLanes; }
};

// `fractals`: the other format is FRACTAL_Z_3D, else NDC1HWC0.
template <typename T>
void TransData(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
               const ImageShape &shape, bool fractals, bool to_plain, Where where) {
  static_assert(sizeof(T) == 2, "TransData: elements of 2 bytes on Atlas A2");
  const uint64_t blocks = fractals ? shape.FractalsSize() : shape.BlocksSize();
  const uint64_t dst_count = to_plain ? shape.PlainSize() : blocks;
  std::vector<int64_t> map(dst_count, to_plain ? kKeep : kFill);
  for (uint64_t n = 0; n < shape.n; ++n) {
    for (uint64_t c = 0; c < shape.c; ++c) {
      for (uint64_t d = 0; d < shape.d; ++d) {
        for (uint64_t at = 0; at < shape.area; ++at) {
          const uint64_t plain = shape.Plain(n, c, d, at);
          const uint64_t other = fractals ? shape.Fractals(n, c, d, at) : shape.Blocks(n, c, d, at);
          map[to_plain ? plain : other] = static_cast<int64_t>(to_plain ? other : plain);
        }
      }
    }
  }
  Permute({"TransData", where}, dst, dst_count, src, to_plain ? blocks : shape.PlainSize(),
          [&](uint64_t i) { return map[i]; });
}

template <const AscendC::TransDataConfig &config, typename Params>
ImageShape TransDataShape(const Params &params) {
  using AscendC::DataFormat;
  constexpr bool kToPlain = config.dstFormat == DataFormat::NCDHW;
  constexpr DataFormat kOther = kToPlain ? config.srcFormat : config.dstFormat;
  static_assert(kToPlain != (config.srcFormat == DataFormat::NCDHW) &&
                    (kOther == DataFormat::NDC1HWC0 || kOther == DataFormat::FRACTAL_Z_3D),
                "TransData: NCDHW to or from NDC1HWC0 or FRACTAL_Z_3D");
  const auto shape = [&] {
    if constexpr (kToPlain) {
      return params.dstLayout.GetShape();
    } else {
      return params.srcLayout.GetShape();
    }
  }();
  const auto at = [&](auto i) { return static_cast<uint64_t>(AscendC::Std::get<decltype(i)::value>(shape)); };
  return {at(std::integral_constant<size_t, 0>()), at(std::integral_constant<size_t, 1>()),
          at(std::integral_constant<size_t, 2>()),
          at(std::integral_constant<size_t, 3>()) * at(std::integral_constant<size_t, 4>())};
}

}  // namespace sim

namespace AscendC {

#define SIM_TRANS_DATA(...)                                                         \
  template <const TransDataConfig &config, typename T, typename U, typename S>      \
  __aicore__ inline void TransData(                                                 \
      const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor __VA_ARGS__, \
      const TransDataParams<U, S> &params, sim::Where where = sim::Where::Here()) { \
    constexpr bool kToPlain = config.dstFormat == DataFormat::NCDHW;                \
    constexpr DataFormat kOther = kToPlain ? config.srcFormat : config.dstFormat;   \
    sim::TransData(dstTensor, srcTensor, sim::TransDataShape<config>(params),       \
                   kOther == DataFormat::FRACTAL_Z_3D, kToPlain, where);            \
  }
SIM_TRANS_DATA()
SIM_TRANS_DATA(, const LocalTensor<uint8_t> &)
#undef SIM_TRANS_DATA

}  // namespace AscendC
