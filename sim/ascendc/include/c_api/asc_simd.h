// SPDX-License-Identifier: Apache-2.0
// The C interface of AscendC, as far as public programs for Atlas A2 use it: functions that take pointers to
// UB and to global memory. A pointer to UB has the address that the device would use; `__ubuf__ float x[64];`
// in a function takes memory of UB (sim/program.h).
//
//   asc_copy_gm2ub(x, source, 64 * sizeof(float));    DataCopy
//   asc_sync_notify(PIPE_MTE2, PIPE_V, EVENT_ID0);    SetFlag, and asc_sync_wait WaitFlag
//   asc_add(x, x, x, 64);                             Add; with _sync behind a name all pipes wait for it
#pragma once

#include "../kernel_operator.h"

namespace sim {

template <typename T>
AscendC::LocalTensor<T> UbAt(T *address, uint64_t bytes) {
  AscendC::LocalTensor<T> tensor;
  tensor.space = Space::UB;
  tensor.address = reinterpret_cast<uint64_t>(address);
  tensor.bytes = bytes;
  return tensor;
}
// A tensor that nobody says the size of: up to the end of UB.
template <typename T>
AscendC::LocalTensor<T> UbFrom(T *address) {
  const uint64_t all = Core::Current().BytesOf(Space::UB), begin = reinterpret_cast<uint64_t>(address);
  return UbAt(address, all - std::min(all, begin));
}
template <typename T>
AscendC::GlobalTensor<T> GmAt(T *address) {
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(address);
  return tensor;
}

}  // namespace sim

// --- the core
inline void asc_init() { AscendC::InitSocState(); }
inline int64_t asc_get_block_idx() { return AscendC::GetBlockIdx(); }
inline int64_t asc_get_block_num() { return AscendC::GetBlockNum(); }
inline int64_t asc_get_sub_block_id() { return AscendC::GetSubBlockIdx(); }
inline int64_t asc_get_sub_block_num() { return AscendC::GetSubBlockNum(); }

// --- order of pipes
inline void asc_sync_pipe(pipe_t pipe, sim::Where where = sim::Where::Here()) {
  sim::PassBarrier(pipe, where);
}
inline void asc_sync(sim::Where where = sim::Where::Here()) { sim::PassBarrier(PIPE_ALL, where); }
template <typename Id>
inline void asc_sync_notify(pipe_t pipe, pipe_t tpipe, Id id, sim::Where where = sim::Where::Here()) {
  set_flag(pipe, tpipe, id, where);
}
template <typename Id>
inline void asc_sync_wait(pipe_t pipe, pipe_t tpipe, Id id, sim::Where where = sim::Where::Here()) {
  wait_flag(pipe, tpipe, id, where);
}

// --- copies: `size` counts bytes, len_burst and gaps data blocks of 32 bytes
inline void asc_copy_gm2ub(__ubuf__ void *dst, __gm__ void *src, uint32_t size,
                           sim::Where where = sim::Where::Here()) {
  auto *to = static_cast<uint8_t *>(dst);
  AscendC::DataCopy(sim::UbAt(to, size), sim::GmAt(static_cast<uint8_t *>(src)), size, where);
}
inline void asc_copy_gm2ub(__ubuf__ void *dst, __gm__ void *src, uint16_t n_burst, uint16_t len_burst,
                           uint16_t src_gap, uint16_t dst_gap, sim::Where where = sim::Where::Here()) {
  AscendC::DataCopy(sim::UbFrom(static_cast<uint8_t *>(dst)), sim::GmAt(static_cast<uint8_t *>(src)),
                    AscendC::DataCopyParams(n_burst, len_burst, src_gap, dst_gap), where);
}
inline void asc_copy_ub2gm(__gm__ void *dst, __ubuf__ void *src, uint32_t size,
                           sim::Where where = sim::Where::Here()) {
  auto *from = static_cast<uint8_t *>(src);
  AscendC::DataCopy(sim::GmAt(static_cast<uint8_t *>(dst)), sim::UbAt(from, size), size, where);
}
inline void asc_copy_ub2gm(__gm__ void *dst, __ubuf__ void *src, uint16_t n_burst, uint16_t len_burst,
                           uint16_t src_gap, uint16_t dst_gap, sim::Where where = sim::Where::Here()) {
  AscendC::DataCopy(sim::GmAt(static_cast<uint8_t *>(dst)), sim::UbFrom(static_cast<uint8_t *>(src)),
                    AscendC::DataCopyParams(n_burst, len_burst, src_gap, dst_gap), where);
}
inline void asc_copy_gm2ub_sync(__ubuf__ void *dst, __gm__ void *src, uint32_t size,
                                sim::Where where = sim::Where::Here()) {
  asc_copy_gm2ub(dst, src, size, where);
  asc_sync(where);
}
inline void asc_copy_ub2gm_sync(__gm__ void *dst, __ubuf__ void *src, uint32_t size,
                                sim::Where where = sim::Where::Here()) {
  asc_copy_ub2gm(dst, src, size, where);
  asc_sync(where);
}

// --- arithmetic of the first `count` elements, or of repeats of 256 bytes under the mask registers
#define SIM_BINARY_OF_C(name, Name)                                                                          \
  template <typename T>                                                                                      \
  void name(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint32_t count,                             \
            sim::Where where = sim::Where::Here()) {                                                         \
    const uint64_t bytes = uint64_t{count} * sizeof(T);                                                      \
    AscendC::Name(sim::UbAt(dst, bytes), sim::UbAt(src0, bytes), sim::UbAt(src1, bytes),                     \
                  static_cast<int32_t>(count), where);                                                       \
  }                                                                                                          \
  template <typename T>                                                                                      \
  void name(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint8_t repeat, uint8_t dst_block_stride,   \
            uint8_t src0_block_stride, uint8_t src1_block_stride, uint8_t dst_repeat_stride,                 \
            uint8_t src0_repeat_stride, uint8_t src1_repeat_stride, sim::Where where = sim::Where::Here()) { \
    AscendC::Name<T, false>(                                                                                 \
        sim::UbFrom(dst), sim::UbFrom(src0), sim::UbFrom(src1), uint64_t{0}, repeat,                         \
        AscendC::BinaryRepeatParams(dst_block_stride, src0_block_stride, src1_block_stride,                  \
                                    dst_repeat_stride, src0_repeat_stride, src1_repeat_stride),              \
        where);                                                                                              \
  }                                                                                                          \
  template <typename T>                                                                                      \
  void name##_sync(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint32_t count,                      \
                   sim::Where where = sim::Where::Here()) {                                                  \
    name(dst, src0, src1, count, where);                                                                     \
    asc_sync(where);                                                                                         \
  }
SIM_BINARY_OF_C(asc_add, Add)
SIM_BINARY_OF_C(asc_sub, Sub)
SIM_BINARY_OF_C(asc_mul, Mul)
SIM_BINARY_OF_C(asc_div, Div)
SIM_BINARY_OF_C(asc_max, Max)
SIM_BINARY_OF_C(asc_min, Min)
#undef SIM_BINARY_OF_C
