// SPDX-License-Identifier: Apache-2.0
// int32_t times a factor, for each column or one for all, in float, rounded once. As uint64_t a factor is a
// float in the lower 32 bits.
#pragma once

#include "../../kernel_operator_vec_gather_mask_intf.h"
#include "../activation/sim_row_value.h"

namespace AscendC {

enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };

struct DequantParams {
  uint32_t m;         // rows
  uint32_t n;         // elements from row to row of the source, of which the bytes are a multiple of 32
  uint32_t calCount;  // elements of a row that are computed
};

}  // namespace AscendC

namespace sim {

inline float FactorOf(uint64_t word) {
  const auto low = static_cast<uint32_t>(word);
  float factor = 0;
  std::memcpy(&factor, &low, sizeof(factor));
  return factor;
}
inline float FactorOf(float factor) { return factor; }
inline float FactorOf(bfloat16_t factor) { return static_cast<float>(factor); }

// The factors of the columns as floats, which may be where they are, or in `wide`.
inline Floats FactorsIn(const Floats &, const Floats &factors, uint32_t, Where) { return factors; }
inline Floats FactorsIn(const Floats &wide, const AscendC::LocalTensor<bfloat16_t> &factors, uint32_t count,
                        Where where) {
  Stage(count, where).Convert(wide, factors, RoundMode::CAST_NONE);
  return wide;
}
inline Floats FactorsIn(const Floats &wide, const AscendC::LocalTensor<uint64_t> &factors, uint32_t count,
                        Where where) {
  // The lower halves of the words are the even ones of twice as many floats.
  uint64_t kept = 0;
  const AscendC::GatherMaskParams params(1, 1, 8, 0);
  AscendC::GatherMask(wide, As<float>(factors), 1, true, 2 * count, params, kept, where);
  AscendC::PipeBarrier<PIPE_V>(where);
  return wide;
}

template <typename T>
struct Dequantizer {
  AscendC::LocalTensor<T> dst;
  AscendC::LocalTensor<int32_t> src;
  AscendC::DequantParams params;
  bool single_rows;  // one row of n may be n / calCount rows of calCount
  Where where;

  AscendC::DequantParams Shape() const {
    const AscendC::DequantParams &p = params;
    CheckRange(Core::Current(), FaultKind::kCount_, "AscendDequant", where, "params.calCount", p.calCount, 1,
               p.n);
    const bool splits = single_rows && p.m == 1 && p.calCount % kBlockLanes<T> == 0 && p.n % p.calCount == 0;
    return splits ? AscendC::DequantParams{p.n / p.calCount, p.calCount, p.calCount} : p;
  }
  // Calls multiply(stage, results, floats of a row).
  template <typename Multiply>
  void Rows(const Floats &wide, const Multiply &multiply) const {
    const AscendC::DequantParams shape = Shape();
    const auto dst_stride = static_cast<uint32_t>(AlignUp(shape.n, kBlockLanes<T>));
    const Stage stage(shape.calCount, where);
    for (uint32_t row = 0; row < shape.m; ++row) {
      stage.Convert(wide, src[row * shape.n], RoundMode::CAST_RINT);
      const AscendC::LocalTensor<T> to = dst[row * dst_stride];
      if constexpr (std::is_same_v<T, float>) {
        multiply(stage, to, wide);
      } else {
        multiply(stage, wide, wide);
        stage.Convert(to, wide, RoundMode::CAST_RINT);
      }
    }
  }
  // The work memory holds a row and the factors as floats.
  template <typename S>
  void By(const AscendC::LocalTensor<S> &factors, const Bytes *given) const {
    const auto row_bytes = static_cast<uint32_t>(AlignUp(Shape().n * sizeof(float), kBlockBytes));
    const uint32_t columns = Shape().calCount;
    const Bytes work = WorkOf(given, where);
    CheckWork("AscendDequant", work, row_bytes + columns * sizeof(float), where);
    const Floats by = FactorsIn(As<float>(work[row_bytes]), factors, columns, where);
    Rows(As<float>(work), [&](const Stage &v, const Floats &y, const Floats &x) { v.Mul(y, x, by); });
  }
  template <typename S>
  void By(S scalar, const Bytes *given) const {
    const Bytes work = WorkOf(given, where);
    CheckWork("AscendDequant", work, AlignUp(Shape().n * sizeof(float), kBlockBytes), where);
    const float factor = FactorOf(scalar);
    Rows(As<float>(work), [&](const Stage &v, const Floats &y, const Floats &x) { v.Muls(y, x, factor); });
  }
};

template <AscendC::DeQuantMode mode, typename T, typename S>
void Dequantize(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<int32_t> &src, const S &scale,
                const Bytes *work, const AscendC::DequantParams &params, Where where) {
  static_assert(kOneOf<T, half, bfloat16_t, float>,
                "AscendDequant: to half, bfloat16_t or float on Atlas A2");
  constexpr bool kSingle = mode == AscendC::DeQuantMode::DEQUANT_WITH_SINGLE_ROW;
  Dequantizer<T>{dst, src, params, kSingle, where}.By(scale, work);
}

}  // namespace sim

namespace AscendC {

// Scale is a tensor of factors, or one factor.
#define SIM_DEQUANT(Scale)                                                                                \
  template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>      \
  __aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor,                                \
                                       const LocalTensor<int32_t> &srcTensor, Scale deqScale,             \
                                       const LocalTensor<uint8_t> &sharedTmpBuffer, DequantParams params, \
                                       sim::Where where = sim::Where::Here()) {                           \
    sim::Dequantize<mode>(dstTensor, srcTensor, deqScale, &sharedTmpBuffer, params, where);               \
  }                                                                                                       \
  template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>      \
  __aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor,                                \
                                       const LocalTensor<int32_t> &srcTensor, Scale deqScale,             \
                                       DequantParams params, sim::Where where = sim::Where::Here()) {     \
    sim::Dequantize<mode>(dstTensor, srcTensor, deqScale, nullptr, params, where);                        \
  }
SIM_DEQUANT(const LocalTensor<scaleT> &)
SIM_DEQUANT(const scaleT)
#undef SIM_DEQUANT

// The older forms, for one row: a count of elements, or as many as there are factors.
#define SIM_DEQUANT_ROW(count, ...)                                                                  \
  template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW> \
  __aicore__ inline void AscendDequant(                                                              \
      const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,                     \
      const LocalTensor<scaleT> &deqScale, const LocalTensor<uint8_t> &sharedTmpBuffer __VA_ARGS__,  \
      sim::Where where = sim::Where::Here()) {                                                       \
    sim::Dequantize<mode>(dstTensor, srcTensor, deqScale, &sharedTmpBuffer,                          \
                          DequantParams{1, srcTensor.GetSize(), count}, where);                      \
  }                                                                                                  \
  template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW> \
  __aicore__ inline void AscendDequant(                                                              \
      const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,                     \
      const LocalTensor<scaleT> &deqScale __VA_ARGS__, sim::Where where = sim::Where::Here()) {      \
    sim::Dequantize<mode>(dstTensor, srcTensor, deqScale, nullptr,                                   \
                          DequantParams{1, srcTensor.GetSize(), count}, where);                      \
  }
SIM_DEQUANT_ROW(calCount, , const uint32_t calCount)
SIM_DEQUANT_ROW(deqScale.GetSize())
#undef SIM_DEQUANT_ROW

}  // namespace AscendC
