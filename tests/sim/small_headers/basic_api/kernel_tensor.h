// SPDX-License-Identifier: Apache-2.0
// Tensors: an address and accesses of single elements.
#pragma once

namespace AscendC {

// A tensor in the Unified Buffer, whose addresses count from 0.
template <typename T>
class LocalTensor {
 public:
  LocalTensor() = default;
  LocalTensor(uint32_t address, uint32_t slot) : address_(address), slot_(slot) {}

  __aicore__ T GetValue(uint32_t index) const { return Pointer()[index]; }
  __aicore__ void SetValue(uint32_t index, T value) const { Pointer()[index] = value; }
  __aicore__ __ubuf__ T *Pointer() const {
    return reinterpret_cast<__ubuf__ T *>(static_cast<uint64_t>(address_));
  }
  uint32_t Slot() const { return slot_; }

 private:
  uint32_t address_ = 0;
  uint32_t slot_ = 0;  // of the queue that it comes from
};

template <typename T>
class GlobalTensor {
 public:
  __aicore__ void SetGlobalBuffer(__gm__ T *address, uint64_t = 0) { address_ = address; }
  __aicore__ T GetValue(uint64_t index) const { return address_[index]; }
  __aicore__ void SetValue(uint64_t index, T value) { address_[index] = value; }
  __aicore__ GlobalTensor operator[](uint64_t index) const {
    GlobalTensor rest;
    rest.address_ = address_ + index;
    return rest;
  }
  __aicore__ __gm__ T *GetPhyAddr() const { return address_; }

 private:
  __gm__ T *address_ = nullptr;
};

}  // namespace AscendC
