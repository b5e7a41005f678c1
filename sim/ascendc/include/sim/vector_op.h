// SPDX-License-Identifier: Apache-2.0
// Vector instructions. A VectorOp makes an Instruction from a mask, repeats and strides (level 0) or from a
// count (level 2), and has the one loop that applies a function to lanes.
#pragma once

#include <algorithm>
#include <type_traits>

#include "../kernel_tensor.h"
#include "lane_functions.h"

// Apply computes lanes in any order: a result lies exactly on its own source, or on none.
#if defined(__clang__)
#define SIM_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define SIM_LANES _Pragma("GCC ivdep")
#endif

namespace sim {

template <typename T, typename... Allowed>
constexpr bool kOneOf = (std::is_same_v<T, Allowed> || ...);

// The same bytes, read as lanes of another type.
template <typename U, typename T>
AscendC::LocalTensor<U> As(const AscendC::LocalTensor<T> &tensor) {
  return tensor.template ReinterpretCast<U>();
}

template <typename T, typename U>
constexpr bool kMulAddTypes =
    (std::is_same_v<T, U> && kOneOf<T, half, float>) || (std::is_same_v<T, float> && std::is_same_v<U, half>);

template <typename T>
constexpr Compute<T> Widen(T value) {
  return static_cast<Compute<T>>(value);
}

// The strides of one operand in data blocks of 32 bytes: from block to block in a repeat, and from repeat to
// repeat.
struct Strides {
  uint32_t block = 1;
  uint32_t repeat = 8;
};

// Finds lane `lane` of repeat `r` of one operand. `base` is set after Issue has judged the address.
template <typename T>
struct Lanes {
  static constexpr uint32_t kPerBlock = kBlockBytes / sizeof(T);
  LocalTensorBase tensor;
  int64_t block;
  int64_t repeat;
  T *base = nullptr;

  const Lanes &Resolve(Core &core) {
    base = Pointer<T>(core, tensor);
    return *this;
  }
  // In elements, from `base` on.
  int64_t Offset(uint32_t r, uint32_t lane) const {
    return r * repeat + static_cast<int64_t>(lane / kPerBlock) * block + lane % kPerBlock;
  }
  T *At(uint32_t r, uint32_t lane) const { return base + Offset(r, lane); }
};

// Builds a vector instruction. Call Mask… or Count, then one function for each operand, then Issue, then Map.
class VectorOp {
 public:
  // `lane_bytes`: of an element of the widest operand; a repeat of 256 bytes has 256 / lane_bytes lanes.
  VectorOp(const char *name, uint32_t lane_bytes, Where where)
      : core_(Core::Current()), lanes_(kRepeatBytes / lane_bytes) {
    instruction_.name = name;
    instruction_.pipe = Pipe::V;
    instruction_.where = where;
    instruction_.work = Work::kVector;
    instruction_.element_bytes = lane_bytes;
  }

  Core &core() { return core_; }
  const char *name() const { return instruction_.name; }
  Where where() const { return instruction_.where; }
  Instruction &instruction() { return instruction_; }
  uint32_t lanes() const { return lanes_; }
  uint32_t repeats() const { return repeats_; }
  uint32_t active() const { return active_; }
  bool counted() const { return counted_; }

  // For level 0. Returns false where the call does nothing (repeatTime 0). `set` is the template parameter
  // isSetMask: without it the mask registers decide, and the argument has no meaning.
  bool Mask(bool set, uint64_t mask, int64_t repeat) {
    Registers &registers = core_.registers;
    if (set && registers.mask_counts) {
      registers.mask = {mask, 0};
    } else if (set) {
      CheckRange(core_, FaultKind::kMask, name(), where(), "mask", static_cast<int64_t>(mask), 1, lanes_);
      const uint64_t low = mask >= 64 ? ~uint64_t{0} : (uint64_t{1} << mask) - 1;
      const uint64_t high = mask <= 64 ? 0 : (mask >= 128 ? ~uint64_t{0} : (uint64_t{1} << (mask - 64)) - 1);
      registers.mask = {low, high};
    }
    return FromRegisters(repeat);
  }
  bool Mask(bool set, const uint64_t mask[], int64_t repeat) {
    if (set) {
      const bool wide = lanes_ <= 64 && !core_.registers.mask_counts;
      core_.registers.mask = {mask[0], wide ? 0 : mask[1]};
      if (wide && lanes_ < 64) {
        core_.registers.mask[0] &= (uint64_t{1} << lanes_) - 1;
      }
    }
    return FromRegisters(repeat);
  }
  // For level 2: the first `count` lanes, in as many repeats as the hardware takes. Returns false for 0,
  // which does nothing as documented. Afterwards the mask registers are full and in normal mode.
  bool Count(int64_t count) {
    if (count < 0) {
      FailRange(core_, FaultKind::kCount_, name(), where(), "count", ">= 0", count);
    }
    counted_ = true;
    active_ = static_cast<uint32_t>(count);
    repeats_ = static_cast<uint32_t>(CeilDivide(active_, lanes_));
    core_.registers.mask_counts = false;
    core_.registers.mask = {~uint64_t{0}, ~uint64_t{0}};
    return count > 0;
  }

  // How results may share bytes with the sources that are described from here on.
  void Share(Sharing sharing) { sharing_ = sharing; }
  // What the sources that are described from here on are for.
  void Reads(Use use) { use_ = use; }

  // Describes the operand.
  template <typename T>
  Lanes<T> Read(const char *operand, const LocalTensorBase &tensor, Strides strides) {
    return Add<T>(operand, tensor, false, strides);
  }
  template <typename T>
  Lanes<T> Write(const char *operand, const LocalTensorBase &tensor, Strides strides) {
    return Add<T>(operand, tensor, true, strides);
  }
  // The default strides: a repeat without gaps.
  template <typename T>
  Strides Dense() const {
    return {1, static_cast<uint32_t>(lanes_ * sizeof(T) / kBlockBytes)};
  }
  void Add(const Operand &operand, const LocalTensorBase &tensor) {
    CheckView(core_, name(), operand, tensor.bytes, where());
    Operand &added = instruction_.Add(operand);
    added.sharing = sharing_;
    added.use = use_;
  }

  void Issue() {
    CountWork();
    core_.Issue(instruction_);
  }
  // Where each lane of the result depends on the same lane of each source.
  void IssueLanes(ValueFlow flow = ValueFlow::kLanes) {
    instruction_.flow = flow;
    Issue();
  }
  // `flow` tells a Flows how results depend on sources.
  template <typename Describe>
  void IssueWith(const Describe &flow) {
    CountWork();
    sim::IssueWith(core_, instruction_, flow);
  }

  // The bytes of a lane.
  template <typename T>
  static BitRange BitsOf(const Lanes<T> &lanes, uint32_t r, uint32_t lane) {
    return sim::BitsOf(lanes.tensor, lanes.Offset(r, lane) * sizeof(T), sizeof(T));
  }

  bool Active(uint32_t lane) const {
    return prefix_ ? lane < active_ : ((bits_[lane / 64] >> (lane % 64)) & 1U) != 0;
  }
  // Says which lanes compute in repeat r.
  uint32_t LanesOf(uint32_t r) const {
    return counted_ ? std::min(lanes_, active_ - r * lanes_) : (prefix_ ? active_ : lanes_);
  }

  // Sets dst[lane] = function(sources[lane]...) for all active lanes, repeat by repeat, as the device does:
  // it reads a repeat before it writes it. It computes in Compute<T>.
  template <typename F, typename D, typename... S>
  void Map(F function, Lanes<D> dst, Lanes<S>... sources) const {
    dst.Resolve(core_);
    (sources.Resolve(core_), ...);
    if ((Mixes(dst, sources) || ...)) {
      MapStaged(function, dst, sources...);
      return;
    }
    if (dense_ && (counted_ || (prefix_ && active_ == lanes_))) {
      Apply(function, counted_ ? active_ : active_ * repeats_, dst.base, sources.base...);
      return;
    }
    for (uint32_t r = 0; r < repeats_; ++r) {
      const uint32_t lanes = LanesOf(r);
      if (prefix_ || counted_) {
        // Without gaps between data blocks a repeat is one run of lanes; otherwise each data block is.
        const uint32_t run = unit_blocks_ ? lanes : std::min({Lanes<D>::kPerBlock, Lanes<S>::kPerBlock...});
        for (uint32_t lane = 0; lane < lanes; lane += run) {
          Apply(function, std::min(run, lanes - lane), dst.At(r, lane), sources.At(r, lane)...);
        }
        continue;
      }
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        if (Active(lane)) Apply(function, 1, dst.At(r, lane), sources.At(r, lane)...);
      }
    }
  }

 private:
  // Whether results share bytes with a source, other than that each result lies on its own source.
  template <typename D, typename S>
  bool Mixes(const Lanes<D> &dst, const Lanes<S> &source) const {
    const auto *to = reinterpret_cast<const std::byte *>(dst.base);
    const auto *from = reinterpret_cast<const std::byte *>(source.base);
    const auto span = [this](const auto &lanes) {
      const int64_t blocks = CeilDivide(lanes_, lanes.kPerBlock);
      return ((repeats_ - int64_t{1}) * lanes.repeat + (blocks - 1) * lanes.block + lanes.kPerBlock) *
             static_cast<int64_t>(sizeof(*lanes.base));
    };
    if (to + span(dst) <= from || from + span(source) <= to) return false;
    return sizeof(D) != sizeof(S) || to != from || (dst.block != source.block && !unit_blocks_) ||
           (dst.repeat != source.repeat && repeats_ > 1);
  }

  template <typename F, typename D, typename... S>
  void MapStaged(F function, const Lanes<D> &dst, const Lanes<S> &...sources) const {
    D results[kRepeatBytes];
    for (uint32_t r = 0; r < repeats_; ++r) {
      for (uint32_t lane = 0; lane < LanesOf(r); ++lane) {
        if (counted_ || Active(lane)) {
          results[lane] = static_cast<D>(function(Widen(Load(sources.At(r, lane)))...));
        }
      }
      for (uint32_t lane = 0; lane < LanesOf(r); ++lane) {
        if (counted_ || Active(lane)) std::memcpy(dst.At(r, lane), &results[lane], sizeof(D));
      }
    }
  }
  // Another operand may have written these bytes as another type.
  template <typename T>
  static T Load(const T *from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }

  template <typename F, typename D, typename... S>
  static void Apply(F function, uint32_t count, D *dst, const S *...sources) {
    SIM_LANES
    for (uint32_t i = 0; i < count; ++i) {
      dst[i] = static_cast<D>(function(Widen(sources[i])...));
    }
  }

  void CountWork() {
    instruction_.repeats = repeats_;
    instruction_.elements = counted_ ? active_ : static_cast<uint64_t>(ActiveLanes()) * repeats_;
  }

  uint32_t ActiveLanes() const {
    return prefix_ ? active_ : __builtin_popcountll(bits_[0]) + __builtin_popcountll(bits_[1]);
  }

  bool FromRegisters(int64_t repeat) {
    const Registers &registers = core_.registers;
    if (registers.mask_counts) {
      counted_ = true;
      active_ = static_cast<uint32_t>(registers.mask[0]);
      repeats_ = static_cast<uint32_t>(CeilDivide(active_, lanes_));
      return active_ > 0;
    }
    CheckRange(core_, FaultKind::kRepeat, name(), where(), "repeatTime", repeat, 0, 255);
    repeats_ = static_cast<uint32_t>(repeat);
    bits_[0] = lanes_ < 64 ? registers.mask[0] & ((uint64_t{1} << lanes_) - 1) : registers.mask[0];
    bits_[1] = lanes_ <= 64 ? 0 : registers.mask[1];
    if (bits_[0] == 0 && bits_[1] == 0) {
      core_.Fail(FaultKind::kMask, name(), where(),
                 "mask must have a bit set among the lanes of a repeat, got none");
    }
    const uint32_t set = __builtin_popcountll(bits_[0]) + __builtin_popcountll(bits_[1]);
    const uint64_t low = set >= 64 ? ~uint64_t{0} : (uint64_t{1} << set) - 1;
    prefix_ = bits_[0] == low &&
              (set <= 64 || bits_[1] == (set == 128 ? ~uint64_t{0} : (uint64_t{1} << (set - 64)) - 1));
    active_ = prefix_ ? set : 0;
    return repeat > 0;
  }

  template <typename T>
  Lanes<T> Add(const char *operand_name, const LocalTensorBase &tensor, bool write, Strides strides) {
    const uint32_t repeat_bytes = lanes_ * sizeof(T);
    const bool unit = strides.block == 1 || repeat_bytes <= kBlockBytes;
    const bool dense = unit && (strides.repeat * kBlockBytes == repeat_bytes || repeats_ == 1);
    unit_blocks_ = unit_blocks_ && unit;
    dense_ = dense_ && dense;

    Operand operand = LocalOperand(operand_name, tensor, write);
    operand.lane_bytes = sizeof(T);
    if (counted_) {
      AddCounted<T>(operand, tensor, strides, dense);
    } else {
      Shape<T>(operand, prefix_ ? active_ : lanes_, strides, repeats_);
      if (!prefix_) {
        operand.element_bytes = sizeof(T);
        operand.lanes = {bits_[0], bits_[1], 0, 0};
      }
      Add(operand, tensor);
    }
    constexpr int64_t kPerBlock = Lanes<T>::kPerBlock;
    return {tensor, strides.block * kPerBlock, strides.repeat * kPerBlock};
  }

  // Whole repeats; the lanes after them are an operand of their own.
  template <typename T>
  void AddCounted(Operand operand, const LocalTensorBase &tensor, Strides strides, bool dense) {
    if (dense) {
      operand.row_bytes = active_ * sizeof(T);
      operand.repeat_bytes = lanes_ * sizeof(T);
      Add(operand, tensor);
      return;
    }
    const uint32_t whole = active_ / lanes_;
    if (whole > 0) {
      Shape<T>(operand, lanes_, strides, whole);
      Add(operand, tensor);
    }
    const uint32_t tail = active_ % lanes_;
    if (tail > 0) {
      const uint64_t start = static_cast<uint64_t>(whole) * strides.repeat * kBlockBytes;
      LocalTensorBase rest = tensor;
      rest.bytes -= std::min(rest.bytes, start);
      operand.address += start;
      operand.first_repeat = whole;
      Shape<T>(operand, tail, strides, 1);
      Add(operand, rest);
    }
  }

  // The bytes of the first `lanes` lanes of `repeats` repeats.
  template <typename T>
  void Shape(Operand &operand, uint32_t lanes, Strides strides, uint32_t repeats) const {
    const uint32_t bytes = lanes * sizeof(T);
    operand.groups = repeats;
    operand.group_stride = static_cast<int64_t>(strides.repeat) * kBlockBytes;
    operand.element_bytes = 0;
    if (strides.block == 1 || bytes <= kBlockBytes) {
      operand.rows = 1;
      operand.row_bytes = bytes;
    } else {
      operand.rows = static_cast<uint32_t>(CeilDivide(bytes, kBlockBytes));
      operand.row_bytes = kBlockBytes;
      operand.row_stride = static_cast<int64_t>(strides.block) * kBlockBytes;
      if (bytes % kBlockBytes != 0) {
        operand.element_bytes = sizeof(T);
        operand.lanes = {lanes >= 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1,
                         lanes <= 64 ? 0 : (uint64_t{1} << (lanes - 64)) - 1, 0, 0};
      }
    }
    if (repeats > 1 && operand.rows == 1 && operand.group_stride == bytes) {
      operand.row_bytes = bytes * repeats;
      operand.repeat_bytes = bytes;
      operand.groups = 1;
    }
  }

  Core &core_;
  Instruction instruction_;
  uint32_t lanes_;
  uint32_t repeats_ = 1;
  uint32_t active_ = 0;  // first lanes of each repeat (mask as a number), or elements of all repeats (count)
  bool counted_ = false;
  bool prefix_ = false;
  bool unit_blocks_ = true;
  bool dense_ = true;
  Sharing sharing_ = Sharing::kInPlace;
  Use use_ = Use::kValue;
  std::array<uint64_t, 2> bits_{};
};

// Calls function(repeat, lane) for the lanes that compute.
template <typename F>
void ForActiveLanes(const VectorOp &op, F function) {
  for (uint32_t r = 0; r < op.repeats(); ++r) {
    for (uint32_t lane = 0; lane < op.LanesOf(r); ++lane) {
      if (op.counted() || op.Active(lane)) function(r, lane);
    }
  }
}

// Level 0 and level 2 differ only in how lanes are chosen and laid out. These classes give that to the one
// body of an instruction. Operand 0 is dst.
template <typename M>
struct Level0 {
  bool set;
  M mask;
  int64_t repeat;
  std::array<Strides, 3> strides;
  bool Apply(VectorOp &op) const { return op.Mask(set, mask, repeat); }
  template <typename T>
  Strides Of(const VectorOp &, int operand) const {
    return strides[operand];
  }
};

struct Level2 {
  int64_t count;
  bool Apply(VectorOp &op) const { return op.Count(count); }
  template <typename T>
  Strides Of(const VectorOp &op, int) const {
    return op.Dense<T>();
  }
};

template <typename A, typename... B>
constexpr uint32_t kWidest = std::max({sizeof(A), sizeof(B)...});

template <typename D, typename S>
constexpr Sharing kConverts =
    sizeof(D) == sizeof(S) ? Sharing::kInPlace : (sizeof(D) < sizeof(S) ? Sharing::kShrink : Sharing::kWiden);
// AscendC forbids any overlap where half is multiplied and added to float.
template <typename D, typename S>
constexpr Sharing kMixedMulAdd = sizeof(D) == sizeof(S) ? Sharing::kInPlace : Sharing::kNone;

// How the results of a function of lanes depend on its sources.
template <typename F>
constexpr ValueFlow kFlowOf = ValueFlow::kLanes;
template <>
inline constexpr ValueFlow kFlowOf<AndLane> = ValueFlow::kAnd;
template <>
inline constexpr ValueFlow kFlowOf<OrLane> = ValueFlow::kOr;
template <>
inline constexpr ValueFlow kFlowOf<NotLane> = ValueFlow::kBits;

// Whether a function of lanes gives the same for whatever its source holds.
template <typename F>
constexpr bool IsConstant(const F &) {
  return false;
}

template <typename Level, typename F, typename D, typename S>
void Unary(const char *name, F function, const AscendC::LocalTensor<D> &dst,
           const AscendC::LocalTensor<S> &src, const Level &level, Where where) {
  VectorOp op(name, kWidest<D, S>, where);
  if (!level.Apply(op)) {
    return;
  }
  auto to = op.Write<D>("dst", dst, level.template Of<D>(op, 0));
  op.Share(kConverts<D, S>);
  auto from = op.Read<S>("src", src, level.template Of<S>(op, 1));
  if (IsConstant(function)) {
    op.IssueWith([](Flows &) {});  // results are defined
  } else {
    op.IssueLanes(kFlowOf<F>);
  }
  op.Map(function, to, from);
}

template <typename Level, typename F, typename D, typename S0, typename S1>
void Binary(const char *name, F function, const AscendC::LocalTensor<D> &dst,
            const AscendC::LocalTensor<S0> &src0, const AscendC::LocalTensor<S1> &src1, const Level &level,
            Where where) {
  VectorOp op(name, kWidest<D, S0, S1>, where);
  if (!level.Apply(op)) {
    return;
  }
  auto to = op.Write<D>("dst", dst, level.template Of<D>(op, 0));
  op.Share(kConverts<D, S0>);
  auto left = op.Read<S0>("src0", src0, level.template Of<S0>(op, 1));
  op.Share(kAccumulates<F> && kOneOf<D, half, float, int32_t> ? Sharing::kAccumulate : kConverts<D, S1>);
  auto right = op.Read<S1>("src1", src1, level.template Of<S1>(op, 2));
  op.IssueLanes(kFlowOf<F>);
  op.Map(function, to, left, right);
}

// For functions whose dst is an input too: function(dst, src) and function(dst, src0, src1).
template <typename Level, typename F, typename D, typename S>
void Accumulate(const char *name, F function, const AscendC::LocalTensor<D> &dst,
                const AscendC::LocalTensor<S> &src, const Level &level, Where where) {
  VectorOp op(name, kWidest<D, S>, where);
  if (!level.Apply(op)) {
    return;
  }
  auto to = op.Write<D>("dst", dst, level.template Of<D>(op, 0));
  auto old = op.Read<D>("dst", dst, level.template Of<D>(op, 0));
  op.Share(kMixedMulAdd<D, S>);
  auto from = op.Read<S>("src", src, level.template Of<S>(op, 1));
  op.IssueLanes();
  op.Map(function, to, old, from);
}

template <typename Level, typename F, typename D, typename S>
void Accumulate(const char *name, F function, const AscendC::LocalTensor<D> &dst,
                const AscendC::LocalTensor<S> &src0, const AscendC::LocalTensor<S> &src1, const Level &level,
                Where where) {
  VectorOp op(name, kWidest<D, S>, where);
  if (!level.Apply(op)) {
    return;
  }
  auto to = op.Write<D>("dst", dst, level.template Of<D>(op, 0));
  auto old = op.Read<D>("dst", dst, level.template Of<D>(op, 0));
  op.Share(kMixedMulAdd<D, S>);
  auto left = op.Read<S>("src0", src0, level.template Of<S>(op, 1));
  auto right = op.Read<S>("src1", src1, level.template Of<S>(op, 2));
  op.IssueLanes();
  op.Map(function, to, old, left, right);
}

}  // namespace sim
