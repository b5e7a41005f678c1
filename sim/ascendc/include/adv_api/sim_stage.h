// SPDX-License-Identifier: Apache-2.0
// What functions of the high-level API consist of: float instructions on pieces of the data, in as much work
// memory as the caller gives. The functions that documents list are those of CANN; the sequences of
// instructions are ours, so that their time is not that of CANN's.
#pragma once

#include <array>
#include <string>

#include "../kernel_operator_vec_binary_intf.h"
#include "../kernel_operator_vec_binary_scalar_intf.h"
#include "../kernel_operator_vec_duplicate_intf.h"
#include "../kernel_operator_vec_unary_intf.h"
#include "../kernel_operator_vec_vconv_intf.h"
#include "../kernel_tpipe.h"
#include "../sim/order.h"

namespace sim {

using Floats = AscendC::LocalTensor<float>;
using Bytes = AscendC::LocalTensor<uint8_t>;

constexpr uint32_t kFloatLanes = kRepeatBytes / sizeof(float);

// The float instructions on one piece. Each one waits for the one before it, as the next step needs its
// result.
class Stage {
 public:
  Stage(uint32_t count, Where where) : count_(static_cast<int32_t>(count)), where_(where) {}

#define SIM_STAGE(Name)                                                  \
  void Name(const Floats &dst, const Floats &a, const Floats &b) const { \
    AscendC::Name(dst, a, b, count_, where_);                            \
    Then();                                                              \
  }
  SIM_STAGE(Add)
  SIM_STAGE(Sub)
  SIM_STAGE(Mul)
  SIM_STAGE(Div)
  SIM_STAGE(Max)
#undef SIM_STAGE
#define SIM_STAGE(Name)                                          \
  void Name(const Floats &dst, const Floats &a, float b) const { \
    AscendC::Name(dst, a, b, count_, where_);                    \
    Then();                                                      \
  }
  SIM_STAGE(Adds)
  SIM_STAGE(Muls)
  SIM_STAGE(Maxs)
  SIM_STAGE(Mins)
#undef SIM_STAGE
#define SIM_STAGE(Name)                                 \
  void Name(const Floats &dst, const Floats &a) const { \
    AscendC::Name(dst, a, count_, where_);              \
    Then();                                             \
  }
  SIM_STAGE(Abs)
  SIM_STAGE(Exp)
  SIM_STAGE(Ln)
  SIM_STAGE(Sqrt)
#undef SIM_STAGE
  void Fill(const Floats &dst, float value) const {
    AscendC::Duplicate(dst, value, count_, where_);
    Then();
  }
  template <typename D, typename S>
  void Convert(const AscendC::LocalTensor<D> &dst, const AscendC::LocalTensor<S> &src, RoundMode mode) const {
    AscendC::Cast(dst, src, mode, static_cast<uint32_t>(count_), where_);
    Then();
  }
  void Floor(const Floats &dst, const Floats &a) const { Convert(dst, a, RoundMode::CAST_FLOOR); }
  void Rint(const Floats &dst, const Floats &a) const { Convert(dst, a, RoundMode::CAST_RINT); }
  void Trunc(const Floats &dst, const Floats &a) const { Convert(dst, a, RoundMode::CAST_TRUNC); }
  // A NaN stays one.
  void Clamp(const Floats &dst, const Floats &a, float low, float high) const {
    Maxs(dst, a, low);
    Mins(dst, dst, high);
  }
  // -1, 0 or 1 by the sign. Two factors of 2^127 bring the least number above 1.
  void Sign(const Floats &dst, const Floats &a) const {
    Muls(dst, a, 0x1p127F);
    Muls(dst, dst, 0x1p127F);
    Clamp(dst, dst, -1, 1);
  }
  // dst = c[0] + c[1] x + c[2] x^2 + …
  template <size_t n>
  void Polynomial(const Floats &dst, const Floats &x, const float (&c)[n]) const {
    Muls(dst, x, c[n - 1]);
    for (size_t i = n - 2; i > 0; --i) {
      Adds(dst, dst, c[i]);
      Mul(dst, dst, x);
    }
    Adds(dst, dst, c[0]);
  }

 private:
  void Then() const { AscendC::PipeBarrier<PIPE_V>(where_); }

  int32_t count_;
  Where where_;
};

// Work memory in parts of equal size.
class Parts {
 public:
  Parts(const Bytes &work, uint64_t part_bytes) : work_(work), part_bytes_(part_bytes) {}
  Floats operator[](size_t i) const {
    Bytes part = work_[static_cast<uint32_t>(i * part_bytes_)];
    part.bytes = part_bytes_;
    return part.ReinterpretCast<float>();
  }
  Parts From(size_t first) const { return {work_[static_cast<uint32_t>(first * part_bytes_)], part_bytes_}; }

 private:
  Bytes work_;
  uint64_t part_bytes_;
};

inline void CheckWork(const char *name, const Bytes &work, uint64_t least, Where where) {
  if (work.bytes >= least) return;
  Core::Current().Fail(
      FaultKind::kUbCapacity, name, where,
      "sharedTmpBuffer must have at least " + std::to_string(least) +
          " bytes, or as many must lie between the kernel's buffers and the last 128 bytes of "
          "the Unified Buffer, got " +
          std::to_string(work.bytes));
}

// The caller's work memory, or what the kernel's buffers leave of UB.
inline Bytes WorkOf(const Bytes *given, Where where) {
  if (given != nullptr) return *given;
  Bytes rest;
  AscendC::PopStackBuffer<uint8_t, AscendC::TPosition::LCM>(rest, where);
  return rest;
}

// Elements of a piece where `parts` float tensors of work memory belong to it.
inline uint32_t PieceLanes(const char *name, const Bytes &work, uint32_t parts, Where where) {
  CheckWork(name, work, uint64_t{parts} * kRepeatBytes, where);
  return static_cast<uint32_t>(work.bytes / (parts * kRepeatBytes)) * kFloatLanes;
}

// Calls body(stage, y, work parts, x…) for each piece, where y is what it computes from the sources. The
// memory of y may be that of the first source: the body has read this source before it writes to y. half and
// bfloat16_t are converted to float first, and rounded once.
template <uint32_t parts, typename T, typename Body, typename... Sources>
void InPieces(const char *name, const Bytes *given, uint32_t count, Where where, const Body &body,
              const AscendC::LocalTensor<T> &dst, const Sources &...sources) {
  static_assert(kOneOf<T, half, bfloat16_t, float>, "this function is for half and float on Atlas A2");
  constexpr bool kNarrow = !std::is_same_v<T, float>;
  constexpr uint32_t kAll = parts + (kNarrow ? static_cast<uint32_t>(sizeof...(Sources)) : 0);
  const Bytes work = kAll == 0 ? Bytes() : WorkOf(given, where);
  const uint32_t lanes = kAll == 0 ? count : PieceLanes(name, work, kAll, where);
  for (uint32_t done = 0; done < count; done += lanes) {
    const Stage stage(std::min(lanes, count - done), where);
    const Parts all(work, uint64_t{lanes} * sizeof(float));
    if constexpr (kNarrow) {
      size_t i = 0;
      const auto widen = [&](const AscendC::LocalTensor<T> &source) {
        const Floats wide = all[i++];
        stage.Convert(wide, source[done], RoundMode::CAST_NONE);
        return wide;
      };
      const std::array<Floats, sizeof...(Sources)> wide{widen(sources)...};
      std::apply([&](const auto &...x) { body(stage, wide[0], all.From(sizeof...(Sources)), x...); }, wide);
      stage.Convert(dst[done], wide[0], RoundMode::CAST_RINT);
    } else {
      body(stage, dst[done], all, sources[done]...);
    }
  }
}

}  // namespace sim

// Functions with one source: with work memory or without, for a count of elements or for all of the source.
// Call(name, work, count, where, dst, src) computes them.
#define SIM_UNARY_FUNCTION(Name, Call)                                                              \
  namespace AscendC {                                                                               \
  template <typename T, bool isReuseSource = false>                                                 \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,     \
                              const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount, \
                              sim::Where where = sim::Where::Here()) {                              \
    Call<isReuseSource>(#Name, &sharedTmpBuffer, calCount, where, dstTensor, srcTensor);            \
  }                                                                                                 \
  template <typename T, bool isReuseSource = false>                                                 \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,     \
                              const LocalTensor<uint8_t> &sharedTmpBuffer,                          \
                              sim::Where where = sim::Where::Here()) {                              \
    Call<isReuseSource>(#Name, &sharedTmpBuffer, srcTensor.GetSize(), where, dstTensor, srcTensor); \
  }                                                                                                 \
  template <typename T, bool isReuseSource = false>                                                 \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,     \
                              const uint32_t calCount, sim::Where where = sim::Where::Here()) {     \
    Call<isReuseSource>(#Name, nullptr, calCount, where, dstTensor, srcTensor);                     \
  }                                                                                                 \
  template <typename T, bool isReuseSource = false>                                                 \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,     \
                              sim::Where where = sim::Where::Here()) {                              \
    Call<isReuseSource>(#Name, nullptr, srcTensor.GetSize(), where, dstTensor, srcTensor);          \
  }                                                                                                 \
  }

// The same for two sources, each of which is a tensor or a scalar. `First` and `Second` are their types.
#define SIM_BINARY_FUNCTION(Name, Call, First, Second, size)                                          \
  namespace AscendC {                                                                                 \
  template <typename T, bool isReuseSource = false>                                                   \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const First &src0, const Second &src1, \
                              const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount,   \
                              sim::Where where = sim::Where::Here()) {                                \
    Call(#Name, &sharedTmpBuffer, calCount, where, dstTensor, src0, src1);                            \
  }                                                                                                   \
  template <typename T, bool isReuseSource = false>                                                   \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const First &src0, const Second &src1, \
                              const LocalTensor<uint8_t> &sharedTmpBuffer,                            \
                              sim::Where where = sim::Where::Here()) {                                \
    Call(#Name, &sharedTmpBuffer, size.GetSize(), where, dstTensor, src0, src1);                      \
  }                                                                                                   \
  template <typename T, bool isReuseSource = false>                                                   \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const First &src0, const Second &src1, \
                              const uint32_t calCount, sim::Where where = sim::Where::Here()) {       \
    Call(#Name, nullptr, calCount, where, dstTensor, src0, src1);                                     \
  }                                                                                                   \
  template <typename T, bool isReuseSource = false>                                                   \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const First &src0, const Second &src1, \
                              sim::Where where = sim::Where::Here()) {                                \
    Call(#Name, nullptr, size.GetSize(), where, dstTensor, src0, src1);                               \
  }                                                                                                   \
  }

// Defines the four overloads of a function whose body is a lambda of (stage, y, work parts, x).
#define SIM_LANE_FUNCTION(Name, parts, ...)                                                   \
  namespace sim {                                                                             \
  template <bool reuse, typename T>                                                           \
  void Name##Pieces(const char *name, const Bytes *work, uint32_t count, Where where,         \
                    const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src) { \
    InPieces<parts>(name, work, count, where, __VA_ARGS__, dst, src);                         \
  }                                                                                           \
  }                                                                                           \
  SIM_UNARY_FUNCTION(Name, sim::Name##Pieces)
