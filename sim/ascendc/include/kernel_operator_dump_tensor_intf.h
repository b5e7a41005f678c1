// SPDX-License-Identifier: Apache-2.0
// Functions to look into a kernel: printf, DumpTensor and ASSERT.
#pragma once

#include "kernel_tensor.h"
#include "sim/print.h"

namespace sim {

template <typename T>
void Dump(const AscendC::LocalTensor<T> &tensor, uint32_t offset, uint32_t desc, uint32_t count,
          const std::vector<uint32_t> &shape) {
  DumpElements<T>(tensor.space, tensor.GetPhyAddr(offset), desc, count, shape);
}

template <typename T>
void Dump(const AscendC::GlobalTensor<T> &tensor, uint32_t offset, uint32_t desc, uint32_t count,
          const std::vector<uint32_t> &shape) {
  DumpElements<T>(Space::GM, reinterpret_cast<uint64_t>(tensor.GetPhyAddr(offset)), desc, count, shape);
}

}  // namespace sim

namespace AscendC {

template <class... Args>
inline void printf(const char *fmt, Args &&...args) {
  sim::Core::Current().Print(sim::FormatText(fmt, args...));
}
template <class... Args>
inline void PRINTF(const char *fmt, Args &&...args) {
  sim::Core::Current().Print(sim::FormatText(fmt, args...));
}

// Prints a LocalTensor or a GlobalTensor.
template <typename Tensor>
inline void DumpTensor(const Tensor &tensor, uint32_t desc, uint32_t dumpSize) {
  sim::Dump(tensor, 0, desc, dumpSize, {});
}
template <typename Tensor>
inline void DumpTensor(const Tensor &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &shapeInfo) {
  sim::Dump(tensor, 0, desc, dumpSize, {shapeInfo.shape, shapeInfo.shape + shapeInfo.shapeDim});
}
// The same from element `countOff` on.
template <typename Tensor>
inline void DumpAccChkPoint(const Tensor &tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize) {
  sim::Dump(tensor, countOff, index, dumpSize, {});
}

}  // namespace AscendC

#undef ASSERT
#define ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::sim::FailAssert(#condition, "", ::sim::Where{__FILE__, __LINE__}))
// ascendc_assert(condition) or ascendc_assert(condition, format, arguments...)
#define ascendc_assert(condition, ...) \
  ((condition)                         \
       ? static_cast<void>(0)          \
       : ::sim::FailAssert(#condition, ::sim::FormatText(__VA_ARGS__), ::sim::Where{__FILE__, __LINE__}))
