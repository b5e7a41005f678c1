// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "gathers.h"

#include "../../include/sim/copy.h"
#include "../../include/sim/gather.h"

using namespace sim;

namespace {

// Gives the mask registers back as they were, after an instruction that has a mask of its own.
class MaskRegisters {
 public:
  MaskRegisters() : mask_(registers_.mask), counts_(registers_.mask_counts) {}
  ~MaskRegisters() {
    registers_.mask = mask_;
    registers_.mask_counts = counts_;
  }
  MaskRegisters(const MaskRegisters &) = delete;
  MaskRegisters &operator=(const MaskRegisters &) = delete;

  void Normal() { registers_.mask_counts = false; }
  bool counts() const { return counts_; }
  uint64_t count() const { return mask_[0]; }

 private:
  Registers &registers_ = Core::Current().registers;
  const std::array<uint64_t, 2> mask_;
  const bool counts_;
};

// The table of a gather starts at a data block; the rest of the address belongs to the offsets.
uint64_t BlockOf(uint32_t address) { return address / kBlockBytes * kBlockBytes; }

template <typename T>
AscendC::LocalTensor<T> Table(uint32_t address) {
  return AscendC::LocalTensor<T>(MemoryFrom(Space::UB, address));
}

template <typename T>
void Select(T *dst, T *src0, T *src1, uint8_t pattern, const AscendC::GatherMaskParams &params) {
  Registers &registers = Core::Current().registers;
  const bool counts = registers.mask_counts;
  const auto count = static_cast<uint32_t>(registers.mask[0]);
  if (pattern == 0) {
    GatherMaskByBits(InUb(dst), InUb(src0), InUb(src1), counts, count, params, registers.kept, Unplaced());
  } else {
    GatherMaskByPattern(InUb(dst), InUb(src0), pattern, counts, count, params, registers.kept, Unplaced());
  }
}

// In counting mode the count holds for each repeat, and may be more than the lanes of 256 bytes: then the
// data blocks go on at the block stride.
template <typename T>
void CopyLanes(T *dst, T *src, uint8_t repeat, const AscendC::CopyRepeatParams &params) {
  const MaskRegisters registers;
  constexpr uint32_t kLanes = kRepeatBytes / sizeof(T), kBlocks = kRepeatBytes / kBlockBytes;
  if (registers.counts() && registers.count() > kLanes) {
    const Strides to{params.dstStride, params.dstStride * kBlocks};
    const Strides from{params.srcStride, params.srcStride * kBlocks};
    for (uint32_t r = 0; r < repeat; ++r) {
      Unary("Copy", SameLane(), InUb(dst + r * params.dstRepeatSize * kBlockBytes / sizeof(T)),
            InUb(src + r * params.srcRepeatSize * kBlockBytes / sizeof(T)), ByRegisters(1, to, from),
            Unplaced());
    }
    return;
  }
  CopyMasked(InUb(dst), InUb(src), registers.counts(), registers.count(), repeat, params, Unplaced());
}

}  // namespace

#define SIM_GATHERS_OF(T)                                                                                   \
  template <>                                                                                               \
  void vgather(T *dst, uint32_t *offsets, uint32_t base, uint16_t dstRepeatStride, uint8_t repeat) {        \
    Gather(InUb(dst), Table<T>(BlockOf(base)), InUb(offsets), base % kBlockBytes,                           \
           ByRegisters(repeat, {1, dstRepeatStride}), Unplaced());                                          \
  }                                                                                                         \
  template <>                                                                                               \
  void vgatherb(T *dst, uint32_t *offsets, uint32_t base, uint16_t dstRepeatStride, uint8_t dstBlockStride, \
                uint8_t repeat) {                                                                           \
    MaskRegisters registers;                                                                                \
    registers.Normal();                                                                                     \
    AscendC::GatherRepeatParams params;                                                                     \
    params.dstBlkStride = dstBlockStride;                                                                   \
    params.dstRepStride = dstRepeatStride;                                                                  \
    Gatherb(InUb(dst), Table<T>(base), InUb(offsets), repeat, params, Unplaced());                          \
  }                                                                                                         \
  template <>                                                                                               \
  void vreducev2(T *dst, T *src0, T *src1, uint16_t repeat, uint8_t src0BlockStride, uint8_t pattern,       \
                 uint16_t src0RepeatStride, uint8_t src1RepeatStride) {                                     \
    Select(dst, src0, src1, pattern, {src0BlockStride, repeat, src0RepeatStride, src1RepeatStride});        \
  }                                                                                                         \
  template <>                                                                                               \
  void vbrcb(T *dst, T *src, uint16_t dstBlockStride, uint16_t dstRepeatStride, uint8_t repeat) {           \
    MaskRegisters registers;                                                                                \
    registers.Normal();                                                                                     \
    Brcb(InUb(dst), InUb(src), repeat, {dstBlockStride, dstRepeatStride}, Unplaced());                      \
  }
SIM_GATHERS_OF(uint16_t)
SIM_GATHERS_OF(uint32_t)

#define SIM_COPY_OF(T)                                                                               \
  template <>                                                                                        \
  void vcopy(T *dst, T *src, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride,       \
             uint16_t dstRepeatStride, uint16_t srcRepeatStride) {                                   \
    CopyLanes(dst, src, repeat, {dstBlockStride, srcBlockStride, dstRepeatStride, srcRepeatStride}); \
  }
SIM_COPY_OF(int16_t)
SIM_COPY_OF(uint16_t)
SIM_COPY_OF(int32_t)
SIM_COPY_OF(uint32_t)
