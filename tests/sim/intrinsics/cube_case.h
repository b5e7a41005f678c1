// SPDX-License-Identifier: Apache-2.0
// What the cases of the cube unit have in common. All their buffers lie in GM.
#pragma once

#include "call.h"
#include "compiler/intrinsics.h"

template <typename T>
T *At(uint64_t address) {
  return reinterpret_cast<T *>(address);
}
template <typename T>
T *Gm(const Case &c, size_t buffer) {
  return reinterpret_cast<T *>(c.gm.at(buffer));
}

// The numbers of a case; each call returns the next one.
struct Numbers {
  const Case &c;
  size_t at = 0;
  int64_t Next() { return c.Int(at++); }
};

inline void Order(pipe_t from, pipe_t to) {
  set_flag(from, to, EVENT_ID0);
  wait_flag(from, to, EVENT_ID0);
}

// Copies a buffer of GM to L1, byte by byte the same.
inline void ToL1(const Case &c, size_t buffer, uint64_t address) {
  copy_gm_to_cbuf(At<void>(address), c.gm.at(buffer), 0, 1, c.buffers.at(buffer).bytes / 32, 0, 0, PAD_NONE);
}

constexpr uint64_t kB1 = 256 * 1024;  // where the second factor lies in L1
constexpr uint64_t kTable1 = 384 * 1024;

// Loads whole fractals in the order in which they lie.
template <typename T>
void LoadA(uint64_t from, uint64_t bytes) {
  load_cbuf_to_ca(At<T>(0), At<T>(from), 0, bytes / 512, 1, 0, 0, false, inc);
}
template <typename T>
void LoadB(uint64_t from, uint64_t bytes) {
  load_cbuf_to_cb(At<T>(0), At<T>(from), 0, bytes / 512, 1, 0, 0, false, inc);
}

template <typename T>
using SumOf = std::conditional_t<sizeof(T) == 1, int32_t, float>;

// Writes m x n sums as rows.
template <typename R>
void RowsOut(const Case &c, size_t buffer, uint16_t m, uint16_t n, uint8_t unit_flag = 0) {
  set_nd_para(1);
  copy_matrix_cc_to_gm(Gm<R>(c, buffer), At<R>(0), 0, n, m, n, (m + 15) / 16 * 16, unit_flag, NoQuant, 0,
                       false, true);
}
