// SPDX-License-Identifier: Apache-2.0
// LocalMemAllocator: hands out the tensors of a memory one behind the other, for kernels without a TPipe.
#pragma once

#include "kernel_tensor.h"

namespace sim {

constexpr AscendC::Hardware HardwareOf(AscendC::TPosition position) {
  using H = AscendC::Hardware;
  switch (SpaceOf(position)) {
    case Space::UB:
      return H::UB;
    case Space::L1:
      return H::L1;
    case Space::L0A:
      return H::L0A;
    case Space::L0B:
      return H::L0B;
    case Space::L0C:
      return H::L0C;
    case Space::BT:
      return H::BIAS;
    case Space::FB:
      return H::FIXBUF;
    default:
      return H::GM;
  }
}

constexpr AscendC::TPosition PositionIn(AscendC::Hardware memory) {
  using P = AscendC::TPosition;
  constexpr P positions[] = {P::GM, P::VECCALC, P::A1, P::A2, P::B2, P::CO1, P::C2, P::C2PIPE2GM};
  return positions[static_cast<int>(memory)];
}

}  // namespace sim

namespace AscendC {

template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
  static_assert(hard != Hardware::GM && hard != Hardware::MAX,
                "LocalMemAllocator: the memory must be one of a core, not GM or MAX");

 public:
  // The address that the next tensor gets.
  uint32_t GetCurAddr() const { return head_; }

  template <TPosition pos, class DataType>
  LocalTensor<DataType> Alloc(uint32_t tileSize, sim::Where where = sim::Where::Here()) {
    static_assert(sim::HardwareOf(pos) == hard, "Alloc: the position is in another memory");
    const uint64_t end = head_ + uint64_t{tileSize} * sizeof(DataType);
    sim::Core &core = sim::Core::Current();
    const uint64_t capacity = core.BytesOf(sim::SpaceOf(pos));
    if (end > capacity) {
      core.Fail(sim::FaultKind::kUbCapacity, "LocalMemAllocator::Alloc", where,
                "a tensor of " + std::to_string(end - head_) + " bytes does not fit in " +
                    sim::SpaceName(sim::SpaceOf(pos)) + ": " + std::to_string(head_) + " of " +
                    std::to_string(capacity) + " bytes are taken");
    }
    const LocalTensor<DataType> tensor(pos, head_, tileSize);
    head_ = static_cast<uint32_t>(end);
    return tensor;
  }
  template <TPosition pos, class DataType, uint32_t tileSize>
  LocalTensor<DataType> Alloc(sim::Where where = sim::Where::Here()) {
    return Alloc<pos, DataType>(tileSize, where);
  }
  template <class DataType>
  LocalTensor<DataType> Alloc(uint32_t tileSize, sim::Where where = sim::Where::Here()) {
    return Alloc<sim::PositionIn(hard), DataType>(tileSize, where);
  }
  template <class DataType, uint32_t tileSize>
  LocalTensor<DataType> Alloc(sim::Where where = sim::Where::Here()) {
    return Alloc<sim::PositionIn(hard), DataType>(tileSize, where);
  }

 private:
  uint32_t head_ = 0;
};

}  // namespace AscendC
