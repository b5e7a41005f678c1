// SPDX-License-Identifier: Apache-2.0
// Loads of L0A and L0B, shown by a product with a unit matrix; copies and fills of L1, shown by a copy to GM.
#include "cube_case.h"

namespace {

// Multiplies what is in L0A and L0B and writes the m x n sums to buffer 2.
template <typename T>
void Show(const Case &c, uint16_t m, uint16_t n, uint16_t k, bool align = false) {
  using R = SumOf<T>;
  Order(PIPE_MTE1, PIPE_M);
  mad(At<R>(0), At<T>(0), At<T>(0), m, k, n, 0, align, false, true);
  Order(PIPE_M, PIPE_FIX);
  RowsOut<R>(c, 2, m, n);
}

// Buffers: the image, the other factor's fractals, the result. to_b, m, n, k, set_fmatrix, set_padding,
// set_l3d_rpt, then the numbers of the intrinsic.
template <typename T>
void Image(Case &c) {
  Numbers next{c};
  const bool to_b = next.Next() != 0;
  const uint16_t m = next.Next(), n = next.Next(), k = next.Next();
  set_fmatrix(next.Next());
  set_padding(next.Next());
  set_l3d_rpt(next.Next());
  const uint16_t step_k = next.Next(), step_m = next.Next(), pos_k = next.Next(), pos_m = next.Next();
  const uint8_t stride_w = next.Next(), stride_h = next.Next(), filter_w = next.Next(),
                filter_h = next.Next();
  const uint8_t dilation_w = next.Next(), dilation_h = next.Next();
  const bool transpose = next.Next() != 0;
  const uint16_t channels = next.Next();
  ToL1(c, 0, 0);
  ToL1(c, 1, kB1);
  Order(PIPE_MTE2, PIPE_MTE1);
  if (!to_b) {
    img2colv2_cbuf_to_ca(At<T>(0), At<T>(0), step_k, step_m, pos_k, pos_m, stride_w, stride_h, filter_w,
                         filter_h, dilation_w, dilation_h, false, false, transpose, false, channels);
    LoadB<T>(kB1, c.buffers[1].bytes);
  } else if constexpr (sizeof(T) != 1) {
    img2colv2_cbuf_to_cb(At<T>(0), At<T>(0), step_k, step_m, pos_k, pos_m, stride_w, stride_h, filter_w,
                         filter_h, dilation_w, dilation_h, false, false, transpose, false, channels);
    LoadA<T>(kB1, c.buffers[1].bytes);
  }
  Show<T>(c, m, n, k, transpose);  // the transpose has an even number of fractals in a row
}

// Buffers: A, B in L1, the result. m, n, k, then for A and B: index, repeats, stride, gap, transpose, gap of
// fractals.
template <typename T>
void Squares(Case &c) {
  Numbers next{c};
  const uint16_t m = next.Next(), n = next.Next(), k = next.Next();
  ToL1(c, 0, 0);
  ToL1(c, 1, kB1);
  Order(PIPE_MTE2, PIPE_MTE1);
  for (const bool to_b : {false, true}) {
    const uint16_t index = next.Next(), repeats = next.Next(), stride = next.Next(), gap = next.Next();
    const int64_t transpose = next.Next();
    const uint16_t fractal_gap = next.Next();
    T *from = At<T>(to_b ? kB1 : 0);
    if (transpose == 2) {
      if (to_b) load_cbuf_to_cb_transpose(At<T>(0), from, index, repeats, stride, gap, false, fractal_gap);
      if (!to_b) load_cbuf_to_ca_transpose(At<T>(0), from, index, repeats, stride, gap, false, fractal_gap);
    } else {
      if (to_b) load_cbuf_to_cb(At<T>(0), from, index, repeats, stride, gap, 0, transpose != 0, inc);
      if (!to_b) load_cbuf_to_ca(At<T>(0), from, index, repeats, stride, gap, 0, transpose != 0, inc);
    }
  }
  Show<T>(c, m, n, k);
}

void L1ToGm(const Case &c, size_t buffer) {
  Order(PIPE_MTE2, PIPE_MTE3);
  copy_cbuf_to_gm(c.gm.at(buffer), At<void>(0), 0, 1, c.buffers.at(buffer).bytes / 32, 0, 0);
}

// ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride, dstNzMatrixStride.
template <typename T>
void NdToNz(Case &c) {
  T *from = Gm<T>(c, 0);
  const auto copy = [&](auto call) {
    call(At<T>(0), from, 0, c.Int(0), c.Int(1), c.Int(2), c.Int(3), c.Int(4), c.Int(5), c.Int(6), c.Int(7));
  };
  if constexpr (sizeof(T) == 1) copy([](auto... a) { copy_gm_to_cbuf_multi_nd2nz_b8(a...); });
  if constexpr (sizeof(T) == 2) copy([](auto... a) { copy_gm_to_cbuf_multi_nd2nz_b16(a...); });
  if constexpr (sizeof(T) == 4) copy([](auto... a) { copy_gm_to_cbuf_multi_nd2nz_b32s(a...); });
  L1ToGm(c, 1);
}

// Fills L1 with a value (form 0: half, 1: 32 bits) and overwrites repeats of it with another one.
void Fill(Case &c) {
  const auto all = static_cast<int64_t>(c.buffers[0].bytes / 32) << 16 | 1;
  if (c.form == 1) {
    create_cbuf_matrix(At<uint32_t>(0), all, static_cast<uint32_t>(c.Int(1)));
    pipe_barrier(PIPE_MTE2);
    create_cbuf_matrix(At<uint32_t>(32), c.Int(0), static_cast<uint32_t>(c.Int(2)));
  } else {
    create_cbuf_matrix(At<half>(0), all, static_cast<half>(c.Int(1)));
    pipe_barrier(PIPE_MTE2);
    create_cbuf_matrix(At<half>(32), c.Int(0), static_cast<half>(c.Int(2)));
  }
  L1ToGm(c, 0);
}

// The product of two matrices of one value each: 16 x 16 x 32.
void FilledFactors(Case &c) {
  create_ca_matrix(At<half>(0), 1 | 2 << 16, static_cast<half>(c.Int(0)));
  create_cb_matrix_bf16(At<bfloat16_t>(0), 2 | 1 << 16, static_cast<bfloat16_t>(1.0F));
  pipe_barrier(PIPE_MTE1);
  create_cb_matrix(At<half>(0), 2 | 1 << 16, static_cast<half>(c.Int(1)));
  Show<half>(c, 16, 16, 32);
}

void TransposedHalves(Case &) { load_cbuf_to_ca_s4(At<void>(0), At<void>(0), 0, 1, 1, 0, 0, true, inc); }

const Register entries{
    {"img2col",
     [](Case &c) { ForType<half, float, int8_t>(c.dtype, [&](auto type) { Image<decltype(type)>(c); }); },
     sim::KernelType::kCube},
    {"squares",
     [](Case &c) { ForType<half, float, int8_t>(c.dtype, [&](auto type) { Squares<decltype(type)>(c); }); },
     sim::KernelType::kCube},
    {"nd2nz",
     [](Case &c) { ForType<half, float, int8_t>(c.dtype, [&](auto type) { NdToNz<decltype(type)>(c); }); },
     sim::KernelType::kCube},
    {"fill", Fill, sim::KernelType::kCube},
    {"filled_factors", FilledFactors, sim::KernelType::kCube},
    {"transposed_halves", TransposedHalves, sim::KernelType::kCube},
};

}  // namespace
