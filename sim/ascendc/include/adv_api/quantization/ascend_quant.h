// SPDX-License-Identifier: Apache-2.0
// x scale + offset in half, rounded to the nearest int8_t. Scale and offset are one for all, or one for each
// column of rows of as many elements. float is rounded to half first.
#pragma once

#include "../sim_stage.h"

namespace AscendC {

struct AscendQuantConfig {
  constexpr AscendQuantConfig(const uint32_t calcCountIn, const uint32_t offsetCountIn,
                              const uint32_t scaleCountIn, const uint32_t workLocalSizeIn)
      : calcCount(calcCountIn),
        offsetCount(offsetCountIn),
        scaleCount(scaleCountIn),
        workLocalSize(workLocalSizeIn) {}

  uint32_t calcCount = 0;
  uint32_t offsetCount = 0;
  uint32_t scaleCount = 0;
  uint32_t workLocalSize = 0;
};
constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

}  // namespace AscendC

namespace sim {

// Instructions on lanes of a narrow type. Each one waits for the one before it.
template <typename T>
struct NarrowStage {
  using Tensor = AscendC::LocalTensor<T>;

  int32_t count;
  Where where;

  // `by` is a tensor or a scalar.
  void Times(const Tensor &y, const Tensor &by) const {
    AscendC::Mul(y, y, by, count, where);
    AscendC::PipeBarrier<PIPE_V>(where);
  }
  void Times(const Tensor &y, T by) const {
    AscendC::Muls(y, y, by, count, where);
    AscendC::PipeBarrier<PIPE_V>(where);
  }
  void Plus(const Tensor &y, const Tensor &by) const {
    AscendC::Add(y, y, by, count, where);
    AscendC::PipeBarrier<PIPE_V>(where);
  }
  void Plus(const Tensor &y, T by) const {
    AscendC::Adds(y, y, by, count, where);
    AscendC::PipeBarrier<PIPE_V>(where);
  }
  // To or from another type, or a copy.
  template <typename D, typename S>
  void Convert(const AscendC::LocalTensor<D> &y, const AscendC::LocalTensor<S> &x, RoundMode mode) const {
    if constexpr (std::is_same_v<D, S>) {
      AscendC::Muls(y, x, static_cast<D>(1.0F), count, where);
    } else {
      AscendC::Cast(y, x, mode, static_cast<uint32_t>(count), where);
    }
    AscendC::PipeBarrier<PIPE_V>(where);
  }
};

// Elements [at, at + count) of what stands for each column, as half: a scalar, or a tensor, which becomes
// half in `memory` where it is float.
template <typename T>
half ForColumns(T scalar, uint32_t, uint32_t, const AscendC::LocalTensor<half> &, Where) {
  return static_cast<half>(scalar);
}
inline AscendC::LocalTensor<half> ForColumns(const AscendC::LocalTensor<half> &tensor, uint32_t at, uint32_t,
                                             const AscendC::LocalTensor<half> &, Where) {
  return tensor[at];
}
inline AscendC::LocalTensor<half> ForColumns(const Floats &tensor, uint32_t at, uint32_t count,
                                             const AscendC::LocalTensor<half> &memory, Where where) {
  NarrowStage<half>{static_cast<int32_t>(count), where}.Convert(memory, tensor[at], RoundMode::CAST_RINT);
  return memory;
}

// Work memory: pieces of x, of scales and of offsets as half.
template <typename T, typename Scale, typename Offset>
void Quantize(const AscendC::LocalTensor<int8_t> &dst, const AscendC::LocalTensor<T> &src, const Bytes *given,
              const Scale &scale, const Offset &offset, uint32_t columns, uint32_t count, Where where) {
  static_assert(kOneOf<T, half, float>, "AscendQuant: half or float to int8_t on Atlas A2");
  CheckRange(Core::Current(), FaultKind::kCount_, "AscendQuant", where, "calCount", count, 1, src.GetSize());
  CheckRange(Core::Current(), FaultKind::kCount_, "AscendQuant", where, "scaleCount", columns, 1, count);
  constexpr uint32_t kLanes = kRepeatBytes / sizeof(half);
  const Bytes work = WorkOf(given, where);
  CheckWork("AscendQuant", work, 3 * kRepeatBytes, where);
  const auto repeats = static_cast<uint32_t>(work.bytes / (3 * kRepeatBytes));
  const uint32_t lanes = repeats * kLanes;
  const auto part = [&](uint32_t i) {
    return As<half>(work[static_cast<uint32_t>(i * repeats * kRepeatBytes)]);
  };
  for (uint32_t row = 0; row < count; row += columns) {
    const uint32_t width = std::min(columns, count - row);
    for (uint32_t done = 0; done < width; done += lanes) {
      const uint32_t n = std::min(lanes, width - done);
      const NarrowStage<half> v{static_cast<int32_t>(n), where};
      const AscendC::LocalTensor<half> y = part(0);
      v.Convert(y, src[row + done], RoundMode::CAST_RINT);
      v.Times(y, ForColumns(scale, done, n, part(1), where));
      v.Plus(y, ForColumns(offset, done, n, part(2), where));
      v.Convert(dst[row + done], y, RoundMode::CAST_RINT);
    }
  }
}

}  // namespace sim

namespace AscendC {

// `memory` is the address of the work memory, which stands among the parameters or not.
#define SIM_QUANT_TEMPLATE                          \
  template <typename T, bool isReuseSource = false, \
            const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
#define SIM_QUANT(memory, ...)                                                                               \
  SIM_QUANT_TEMPLATE                                                                                         \
  __aicore__ inline void AscendQuant(                                                                        \
      const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor __VA_ARGS__, const float scale,  \
      const float offset, const uint32_t calCount, sim::Where where = sim::Where::Here()) {                  \
    sim::Quantize(dstTensor, srcTensor, memory, scale, offset, calCount, calCount, where);                   \
  }                                                                                                          \
  SIM_QUANT_TEMPLATE                                                                                         \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor,                                   \
                                     const LocalTensor<T> &srcTensor __VA_ARGS__, const float scale,         \
                                     const float offset, sim::Where where = sim::Where::Here()) {            \
    const uint32_t count = srcTensor.GetSize();                                                              \
    sim::Quantize(dstTensor, srcTensor, memory, scale, offset, count, count, where);                         \
  }                                                                                                          \
  SIM_QUANT_TEMPLATE                                                                                         \
  __aicore__ inline void AscendQuant(                                                                        \
      const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor __VA_ARGS__,                     \
      const LocalTensor<T> &scaleTensor, const T offset, const uint32_t scaleCount, const uint32_t calCount, \
      sim::Where where = sim::Where::Here()) {                                                               \
    sim::Quantize(dstTensor, srcTensor, memory, scaleTensor, offset, scaleCount, calCount, where);           \
  }                                                                                                          \
  SIM_QUANT_TEMPLATE                                                                                         \
  __aicore__ inline void AscendQuant(                                                                        \
      const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor __VA_ARGS__,                     \
      const LocalTensor<T> &scaleTensor, const T offset, sim::Where where = sim::Where::Here()) {            \
    sim::Quantize(dstTensor, srcTensor, memory, scaleTensor, offset, scaleTensor.GetSize(),                  \
                  srcTensor.GetSize(), where);                                                               \
  }                                                                                                          \
  SIM_QUANT_TEMPLATE                                                                                         \
  __aicore__ inline void AscendQuant(                                                                        \
      const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor __VA_ARGS__,                     \
      const LocalTensor<T> &scaleTensor, const LocalTensor<T> &offsetTensor, const uint32_t scaleCount,      \
      const uint32_t, const uint32_t calCount, sim::Where where = sim::Where::Here()) {                      \
    sim::Quantize(dstTensor, srcTensor, memory, scaleTensor, offsetTensor, scaleCount, calCount, where);     \
  }                                                                                                          \
  SIM_QUANT_TEMPLATE                                                                                         \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor,                                   \
                                     const LocalTensor<T> &srcTensor __VA_ARGS__,                            \
                                     const LocalTensor<T> &scaleTensor, const LocalTensor<T> &offsetTensor,  \
                                     sim::Where where = sim::Where::Here()) {                                \
    sim::Quantize(dstTensor, srcTensor, memory, scaleTensor, offsetTensor, scaleTensor.GetSize(),            \
                  srcTensor.GetSize(), where);                                                               \
  }
SIM_QUANT(nullptr)
SIM_QUANT(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_QUANT
#undef SIM_QUANT_TEMPLATE

}  // namespace AscendC
