// SPDX-License-Identifier: Apache-2.0
// scale (x + offset), with x of int8_t or int4b_t, in half, or in float for bfloat16_t. Scale and offset are
// one for all, or one for each channel and group.
//
//   not transposed: [k, n], and a row of n for each group of rows
//   transposed:     [n, k], and a value for each row and group of columns
#pragma once

#include "ascend_quant.h"

namespace AscendC {

struct AntiQuantShapeInfo {
  uint32_t offsetHeight{0};
  uint32_t offsetWidth{0};
  uint32_t scaleHeight{0};
  uint32_t scaleWidth{0};
};

}  // namespace AscendC

namespace sim {

template <typename T>
using AntiQuantLane = std::conditional_t<std::is_same_v<T, half>, half, float>;

// `count` elements from `at` on, computed with offset and scale as lanes or as numbers of the type of
// computation. Work memory: x, and what a tensor of bfloat16_t is converted to.
template <typename T, typename S>
class AntiQuantizer {
 public:
  using Lane = AntiQuantLane<T>;

  AntiQuantizer(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<S> &src, const Bytes *given,
                Where where)
      : dst_(dst), src_(src), where_(where), work_(WorkOf(given, where)) {
    CheckWork("AscendAntiQuant", work_, kParts * kRepeatBytes, where);
    repeats_ = static_cast<uint32_t>(work_.bytes / (kParts * kRepeatBytes));
  }
  uint32_t lanes() const { return repeats_ * static_cast<uint32_t>(kRepeatBytes / sizeof(float)); }

  template <typename Values>
  void Compute(uint32_t at, uint32_t count, const Values *offset, const Values &scale) const {
    const NarrowStage<Lane> v{static_cast<int32_t>(count), where_};
    const AscendC::LocalTensor<Lane> y = As<Lane>(Part(0));
    if constexpr (std::is_same_v<Lane, half>) {
      v.Convert(y, src_[at], RoundMode::CAST_NONE);
    } else {
      const AscendC::LocalTensor<half> narrow = As<half>(Part(1));
      v.Convert(narrow, src_[at], RoundMode::CAST_NONE);
      v.Convert(y, narrow, RoundMode::CAST_NONE);
    }
    if (offset != nullptr) v.Plus(y, Value(*offset, count));
    v.Times(y, Value(scale, count));
    v.Convert(dst_[at], y, RoundMode::CAST_RINT);
  }

 private:
  static constexpr uint32_t kParts = 2;

  Bytes Part(uint32_t i) const { return work_[static_cast<uint32_t>(i * repeats_ * kRepeatBytes)]; }
  Lane Value(T number, uint32_t) const { return static_cast<Lane>(static_cast<float>(number)); }
  AscendC::LocalTensor<Lane> Value(const AscendC::LocalTensor<T> &tensor, uint32_t count) const {
    if constexpr (std::is_same_v<Lane, T>) {
      return tensor;
    } else {
      const AscendC::LocalTensor<Lane> wide = As<Lane>(Part(1));
      NarrowStage<Lane>{static_cast<int32_t>(count), where_}.Convert(wide, tensor, RoundMode::CAST_NONE);
      return wide;
    }
  }

  const AscendC::LocalTensor<T> &dst_;
  const AscendC::LocalTensor<S> &src_;
  Where where_;
  Bytes work_;
  uint32_t repeats_ = 0;
};

// One offset and one scale for all.
template <bool, typename T, typename S>
void AntiQuantize(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<S> &src, const T *offset,
                  const T &scale, const Bytes *given, uint32_t, const AscendC::AntiQuantShapeInfo &,
                  Where where) {
  const AntiQuantizer<T, S> quantizer(dst, src, given, where);
  const uint32_t count = src.GetSize();
  for (uint32_t done = 0; done < count; done += quantizer.lanes()) {
    quantizer.Compute(done, std::min(quantizer.lanes(), count - done), offset, scale);
  }
}

template <bool transposed, typename T, typename S>
void AntiQuantize(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<S> &src,
                  const AscendC::LocalTensor<T> *offset, const AscendC::LocalTensor<T> &scale,
                  const Bytes *given, uint32_t k, const AscendC::AntiQuantShapeInfo &info, Where where) {
  const AntiQuantizer<T, S> quantizer(dst, src, given, where);
  CheckRange(Core::Current(), FaultKind::kCount_, "AscendAntiQuant", where, "k", k, 1, src.GetSize());
  const uint32_t n = src.GetSize() / k, given_values = info.scaleHeight * info.scaleWidth;
  const uint32_t values = given_values == 0 ? scale.GetSize() : given_values;
  CheckRange(Core::Current(), FaultKind::kCount_, "AscendAntiQuant", where, "elements of scale", values, n,
             int64_t{n} * k);
  const uint32_t groups = values / n, group = std::max(k / groups, 1U);
  if (values % n != 0 || k % groups != 0) {
    FailRange(Core::Current(), FaultKind::kCount_, "AscendAntiQuant", where, "elements of scale",
              "n (" + std::to_string(n) + ") times a divisor of k (" + std::to_string(k) + ")", values);
  }
  const uint32_t shifts = info.offsetHeight * info.offsetWidth;
  if (offset != nullptr && shifts != 0 && shifts != values) {
    FailRange(Core::Current(), FaultKind::kCount_, "AscendAntiQuant", where, "elements of offset",
              std::to_string(values) + ", as many as of scale", shifts);
  }
  const auto pieces = [&](uint32_t at, uint32_t count, const auto &compute) {
    for (uint32_t done = 0; done < count; done += quantizer.lanes()) {
      compute(at + done, done, std::min(quantizer.lanes(), count - done));
    }
  };
  if constexpr (!transposed) {
    for (uint32_t row = 0; row < k; ++row) {
      const uint32_t first = row / group * n;
      pieces(row * n, n, [&](uint32_t at, uint32_t done, uint32_t count) {
        const AscendC::LocalTensor<T> by = scale[first + done],
                                      shift = (offset == nullptr ? scale : *offset)[first + done];
        quantizer.Compute(at, count, offset == nullptr ? nullptr : &shift, by);
      });
    }
  } else {
    Order(Pipe::V, Pipe::S, where);
    for (uint32_t i = 0; i < values; ++i) {
      const T by = scale.GetValue(i, where), shift = offset == nullptr ? by : offset->GetValue(i, where);
      pieces(i / groups * k + i % groups * group, group, [&](uint32_t at, uint32_t, uint32_t count) {
        quantizer.Compute(at, count, offset == nullptr ? nullptr : &shift, by);
      });
    }
  }
}

}  // namespace sim

namespace AscendC {

#define SIM_ANTI_QUANT_TEMPLATE template <typename InputDataType, typename OutputDataType, bool isTranspose>
#define SIM_ANTI_QUANT(Values, memory, ...)                                                         \
  SIM_ANTI_QUANT_TEMPLATE                                                                           \
  __aicore__ inline void AscendAntiQuant(                                                           \
      const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src, Values offset, \
      Values scale __VA_ARGS__, const uint32_t k, const AntiQuantShapeInfo &shapeInfo = {},         \
      sim::Where where = sim::Where::Here()) {                                                      \
    sim::AntiQuantize<isTranspose>(dst, src, &offset, scale, memory, k, shapeInfo, where);          \
  }
// Without an offset, which only the forms with work memory have.
#define SIM_ANTI_QUANT_SCALE(Values)                                                               \
  SIM_ANTI_QUANT_TEMPLATE                                                                          \
  __aicore__ inline void AscendAntiQuant(                                                          \
      const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src, Values scale, \
      const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t k,                               \
      const AntiQuantShapeInfo &shapeInfo = {}, sim::Where where = sim::Where::Here()) {           \
    const std::remove_reference_t<Values> *none = nullptr;                                         \
    sim::AntiQuantize<isTranspose>(dst, src, none, scale, &sharedTmpBuffer, k, shapeInfo, where);  \
  }
SIM_ANTI_QUANT(const LocalTensor<OutputDataType> &, nullptr)
SIM_ANTI_QUANT(const LocalTensor<OutputDataType> &, &sharedTmpBuffer, ,
               const LocalTensor<uint8_t> &sharedTmpBuffer)
SIM_ANTI_QUANT(const OutputDataType, nullptr)
SIM_ANTI_QUANT(const OutputDataType, &sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
SIM_ANTI_QUANT_SCALE(const LocalTensor<OutputDataType> &)
SIM_ANTI_QUANT_SCALE(const OutputDataType)
#undef SIM_ANTI_QUANT_SCALE
#undef SIM_ANTI_QUANT
#undef SIM_ANTI_QUANT_TEMPLATE

}  // namespace AscendC
