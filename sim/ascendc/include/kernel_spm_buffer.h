// SPDX-License-Identifier: Apache-2.0
// A part of global memory where a kernel keeps what does not fit in UB: functions of TPipe.
#pragma once

#include "kernel_event.h"
#include "kernel_operator_data_copy_intf.h"
#include "kernel_tensor.h"
#include "sim/order.h"

namespace sim {

class SpmBuffer {
 public:
  template <typename T>
  void InitSpmBuffer(const AscendC::GlobalTensor<T> &workspace, const int32_t bufferSize) {
    begin_ = const_cast<uint8_t *>(reinterpret_cast<const uint8_t *>(workspace.GetPhyAddr()));
    bytes_ = static_cast<uint64_t>(bufferSize);
  }

  // Offsets count elements, as on the device. Both functions wait for what uses the tensor, and what uses it
  // next waits for them.
  template <typename T>
  void WriteSpmBuffer(const AscendC::LocalTensor<T> &writeBuffer, const AscendC::DataCopyParams &copyParams,
                      int32_t writeOffset = 0, Where where = Where::Here()) {
    Write(writeBuffer, copyParams, writeOffset, where);
  }
  // A size of 0 stands for the whole tensor.
  template <typename T>
  void WriteSpmBuffer(const AscendC::LocalTensor<T> &writeBuffer, const int32_t writeSize,
                      int32_t writeOffset = 0, Where where = Where::Here()) {
    Write(writeBuffer, CountOf(writeBuffer, writeSize), writeOffset, where);
  }

  template <typename T>
  void ReadSpmBuffer(const AscendC::LocalTensor<T> &readBuffer, const AscendC::DataCopyParams &copyParams,
                     int32_t readOffset = 0, Where where = Where::Here()) {
    Read(readBuffer, copyParams, readOffset, where);
  }
  template <typename T>
  void ReadSpmBuffer(const AscendC::LocalTensor<T> &readBuffer, const int32_t readSize,
                     int32_t readOffset = 0, Where where = Where::Here()) {
    Read(readBuffer, CountOf(readBuffer, readSize), readOffset, where);
  }

 private:
  template <typename T>
  static uint32_t CountOf(const AscendC::LocalTensor<T> &tensor, int32_t size) {
    return size == 0 ? tensor.GetSize() : static_cast<uint32_t>(size);
  }

  // `amount`: parameters or a number of elements, as DataCopy takes them.
  template <typename T, typename Amount>
  void Write(const AscendC::LocalTensor<T> &from, const Amount &amount, int32_t offset, Where where) {
    const AscendC::GlobalTensor<T> memory = MemoryOf<T>("WriteSpmBuffer", where)[offset];
    Order(Pipe::V, Pipe::MTE3, where);
    Order(Pipe::MTE2, Pipe::MTE3, where);
    AscendC::DataCopy(memory, from, amount, where);
    Order(Pipe::MTE3, Pipe::MTE2, where);
    Order(Pipe::MTE3, Pipe::V, where);
  }
  template <typename T, typename Amount>
  void Read(const AscendC::LocalTensor<T> &to, const Amount &amount, int32_t offset, Where where) {
    const AscendC::GlobalTensor<T> memory = MemoryOf<T>("ReadSpmBuffer", where)[offset];
    Order(Pipe::V, Pipe::MTE2, where);
    AscendC::DataCopy(to, memory, amount, where);
    Order(Pipe::MTE2, Pipe::MTE3, where);
    Order(Pipe::MTE2, Pipe::V, where);
  }

  template <typename T>
  AscendC::GlobalTensor<T> MemoryOf(const char *name, Where where) const {
    if (begin_ == nullptr) {
      Core::Current().Fail(FaultKind::kGmBounds, name, where,
                           "the TPipe has no memory for it: missing InitSpmBuffer");
    }
    AscendC::GlobalTensor<T> memory;
    memory.SetGlobalBuffer(reinterpret_cast<T *>(begin_), bytes_ / sizeof(T));
    return memory;
  }

  uint8_t *begin_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace sim
