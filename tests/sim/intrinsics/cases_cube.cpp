// SPDX-License-Identifier: Apache-2.0
// Products of the cube unit. Buffers: fractals of A and of B as L0A and L0B hold them, the m x n sums, and
// more.
#include "cube_case.h"

namespace {

template <typename T>
void LoadFactors(const Case &c) {
  ToL1(c, 0, 0);
  ToL1(c, 1, kB1);
  Order(PIPE_MTE2, PIPE_MTE1);
  LoadA<T>(0, c.buffers[0].bytes);
  LoadB<T>(kB1, c.buffers[1].bytes);
}

// m, n, k, kDirectionAlign, CTRL; twice: 1 adds the product a second time.
template <typename T>
void Product(Case &c) {
  using R = SumOf<T>;
  Numbers numbers{c};
  const uint16_t m = numbers.Next(), n = numbers.Next(), k = numbers.Next();
  const bool align = numbers.Next() != 0;
  LoadFactors<T>(c);
  set_ctrl(numbers.Next());
  const bool twice = numbers.Next() != 0;
  Order(PIPE_MTE1, PIPE_M);
  mad(At<R>(0), At<T>(0), At<T>(0), m, k, n, 0, align, false, true);
  if (twice) {
    pipe_barrier(PIPE_M);
    mad(At<R>(0), At<T>(0), At<T>(0), m, k, n, 0, align, false, false);
  }
  Order(PIPE_M, PIPE_FIX);
  RowsOut<R>(c, 2, m, n);
}

// m, n, k: factors of int4b_t, two in a byte.
void Halves(Case &c) {
  const uint16_t m = c.Int(0), n = c.Int(1), k = c.Int(2);
  ToL1(c, 0, 0);
  ToL1(c, 1, kB1);
  Order(PIPE_MTE2, PIPE_MTE1);
  load_cbuf_to_ca_s4(At<void>(0), At<void>(0), 0, c.buffers[0].bytes / 512, 1, 0, 0, false, inc);
  load_cbuf_to_cb_s4(At<void>(0), At<void>(kB1), 0, c.buffers[1].bytes / 512, 1, 0, 0, false, inc);
  Order(PIPE_MTE1, PIPE_M);
  mad_s4(At<int32_t>(0), At<void>(0), At<void>(0), m, k, n, 0, false, false, true);
  Order(PIPE_M, PIPE_FIX);
  RowsOut<int32_t>(c, 2, m, n);
}

// m, n, k: of B two in four values are stored, and buffer 3 is the index.
void Sparse(Case &c) {
  const uint16_t m = c.Int(0), n = c.Int(1), k = c.Int(2);
  ToL1(c, 0, 0);
  ToL1(c, 1, kB1);
  ToL1(c, 3, kTable1);
  Order(PIPE_MTE2, PIPE_MTE1);
  LoadA<int8_t>(0, c.buffers[0].bytes);
  load_cbuf_to_cb_sp(At<int8_t>(0), At<int8_t>(kB1 | kTable1 << 32), 0, c.buffers[1].bytes / 512);
  Order(PIPE_MTE1, PIPE_M);
  mad_sp(At<int32_t>(0), At<int8_t>(0), At<int8_t>(0), m, k, n, 0, false, true);
  Order(PIPE_M, PIPE_FIX);
  RowsOut<int32_t>(c, 2, m, n);
}

// m, n, k: the sums start from the bias in buffer 3, which is half where `form` is 1.
void Biased(Case &c) {
  const uint16_t m = c.Int(0), n = c.Int(1), k = c.Int(2);
  LoadFactors<half>(c);
  ToL1(c, 3, kTable1);
  Order(PIPE_MTE2, PIPE_MTE1);
  copy_cbuf_to_bt(64, At<void>(kTable1), c.form == 1, 1, c.buffers[3].bytes / 64, 0, 0);
  Order(PIPE_MTE1, PIPE_M);
  mad(At<float>(0), At<half>(0), At<half>(0), uint64_t{64}, m, k, n, 0, false, true, false);
  Order(PIPE_M, PIPE_FIX);
  RowsOut<float>(c, 2, m, n);
}

// m, n, k, unit flag of mad, unit flag of the copy, and how often the pair is done. No events order the two.
void UnitFlags(Case &c) {
  const uint16_t m = c.Int(0), n = c.Int(1), k = c.Int(2);
  LoadFactors<half>(c);
  Order(PIPE_MTE1, PIPE_M);
  for (int64_t i = 0; i < c.Int(5); ++i) {
    mad(At<float>(0), At<half>(0), At<half>(0), m, k, n, c.Int(3), false, false, true);
    RowsOut<float>(c, 2, m, n, c.Int(4));
    if (c.form == 1) set_fpc(uint64_t{1} << 63);
  }
}

// m, n, k, mode, word for all columns, relu, and the layout: 0 rows, 1 columns of fractals, 2 these by way of
// L1. Buffer 3: words of columns.
template <typename T, typename O>
void Quantised(Case &c) {
  using R = SumOf<T>;
  const uint16_t m = c.Int(0), n = c.Int(1), k = c.Int(2);
  const auto mode = static_cast<QuantMode_t>(c.Int(3));
  LoadFactors<T>(c);
  ToL1(c, 3, kTable1);
  Order(PIPE_MTE1, PIPE_M);
  mad(At<R>(0), At<T>(0), At<T>(0), m, k, n, 0, false, false, true);
  Order(PIPE_MTE2, PIPE_FIX);
  copy_cbuf_to_fbuf(At<void>(128), At<void>(kTable1), 1, (c.buffers[3].bytes + 127) / 128, 0, 0);
  set_fpc(1 << 8);
  set_quant_pre(c.Int(4));
  pipe_barrier(PIPE_FIX);
  Order(PIPE_M, PIPE_FIX);
  const bool rows = c.Int(6) == 0;
  set_nd_para(1);
  if (c.Int(6) == 2) {
    copy_matrix_cc_to_cbuf(At<O>(0), At<R>(0), 0, n, m, m, m, 0, mode, c.Int(5), false, false);
    Order(PIPE_FIX, PIPE_MTE3);
    copy_cbuf_to_gm(Gm<void>(c, 2), At<void>(0), 0, 1, m * n * sizeof(O) / 32, 0, 0);
  } else {
    copy_matrix_cc_to_gm(Gm<O>(c, 2), At<R>(0), 0, n, m, rows ? n : m, m, 0, mode, c.Int(5), false, rows);
  }
}

// Three matrices of 16 x 16 sums, side by side in L0C, as rows: srcNdStride and dstNdStride of set_nd_para.
void Matrices(Case &c) {
  LoadFactors<half>(c);
  Order(PIPE_MTE1, PIPE_M);
  mad(At<float>(0), At<half>(0), At<half>(0), 16, 16, 48, 0, false, false, true);
  Order(PIPE_M, PIPE_FIX);
  set_nd_para(3 | uint64_t{1} << 16 | uint64_t(c.Int(0)) << 32);
  copy_matrix_cc_to_gm(Gm<float>(c, 2), At<float>(0), 0, 16, 16, 16, 16, 0, NoQuant, 0, false, true);
}

template <typename O>
void QuantisedTo(Case &c) {
  if (c.dtype == "int8") return Quantised<int8_t, O>(c);
  if constexpr (sizeof(O) == 1) Quantised<half, O>(c);
}

const Register entries{
    {"mad",
     [](Case &c) {
       ForType<half, bfloat16_t, float, int8_t>(c.dtype, [&](auto type) { Product<decltype(type)>(c); });
     },
     sim::KernelType::kCube},
    {"mad_biased", Biased, sim::KernelType::kCube},
    {"mad_s4", Halves, sim::KernelType::kCube},
    {"mad_sp", Sparse, sim::KernelType::kCube},
    {"unit_flags", UnitFlags, sim::KernelType::kCube},
    {"quantised",
     [](Case &c) {
       ForType<half, int8_t, uint8_t>(c.dtype2, [&](auto type) { QuantisedTo<decltype(type)>(c); });
     },
     sim::KernelType::kCube},
    {"rounded",
     [](Case &c) { c.dtype2 == "float16" ? Quantised<half, half>(c) : Quantised<half, bfloat16_t>(c); },
     sim::KernelType::kCube},
    {"matrices", Matrices, sim::KernelType::kCube},
};

}  // namespace
