// SPDX-License-Identifier: Apache-2.0
// The sums of a product over k, for some rows of A and the 16 columns of a fractal of B, with the widest
// registers of the host. Each sum adds in order and rounds each product, so that the bits are those of any
// host.
#pragma once

#include <cstdint>

namespace sim {

constexpr uint32_t kPanelRows = 4;
constexpr uint32_t kPanelColumns = 16;

// sums[r][j] += a[r][i] * b[i][j] for i = 0 to k - 1; rows of b and of sums have 16 elements.
template <typename R, uint32_t kRegisterBytes>
[[gnu::always_inline]] inline void AddPanel(const R *const (&a)[kPanelRows], const R *b, uint32_t k,
                                            R *sums) {
  typedef R Register __attribute__((vector_size(kRegisterBytes)));
  typedef R Stored __attribute__((vector_size(kRegisterBytes), aligned(alignof(R)), may_alias));
  constexpr uint32_t kLanes = kRegisterBytes / sizeof(R);
  // As many columns at once as leave registers for the sums of all rows.
  constexpr uint32_t kTogether = kLanes < 8 ? 2 : kPanelColumns / kLanes;
  for (uint32_t first = 0; first < kPanelColumns; first += kTogether * kLanes) {
    Register sum[kPanelRows][kTogether];
    const auto stored = [=](uint32_t row, uint32_t part) {
      return reinterpret_cast<Stored *>(sums + row * kPanelColumns + first + part * kLanes);
    };
#pragma GCC unroll 4
    for (uint32_t row = 0; row < kPanelRows; ++row) {
#pragma GCC unroll 4
      for (uint32_t part = 0; part < kTogether; ++part) sum[row][part] = *stored(row, part);
    }
    for (uint32_t i = 0; i < k; ++i) {
      const R *lanes = b + uint64_t{i} * kPanelColumns + first;
#pragma GCC unroll 4
      for (uint32_t part = 0; part < kTogether; ++part) {
        const Register factor = *reinterpret_cast<const Stored *>(lanes + part * kLanes);
#pragma GCC unroll 4
        for (uint32_t row = 0; row < kPanelRows; ++row) sum[row][part] += a[row][i] * factor;
      }
    }
#pragma GCC unroll 4
    for (uint32_t row = 0; row < kPanelRows; ++row) {
#pragma GCC unroll 4
      for (uint32_t part = 0; part < kTogether; ++part) *stored(row, part) = sum[row][part];
    }
  }
}

template <typename R>
void AddPanelAnywhere(const R *const (&a)[kPanelRows], const R *b, uint32_t k, R *sums) {
  AddPanel<R, 16>(a, b, k, sums);
}

#ifdef __x86_64__
template <typename R>
__attribute__((target("avx2"))) void AddPanelAvx2(const R *const (&a)[kPanelRows], const R *b, uint32_t k,
                                                  R *sums) {
  AddPanel<R, 32>(a, b, k, sums);
}
template <typename R>
__attribute__((target("avx512f"))) void AddPanelAvx512(const R *const (&a)[kPanelRows], const R *b,
                                                       uint32_t k, R *sums) {
  AddPanel<R, 64>(a, b, k, sums);
}
#endif

// The function for this host.
template <typename R>
auto PanelFunction() -> void (*)(const R *const (&)[kPanelRows], const R *, uint32_t, R *) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return AddPanelAvx512<R>;
  if (__builtin_cpu_supports("avx2")) return AddPanelAvx2<R>;
#endif
  return AddPanelAnywhere<R>;
}

}  // namespace sim
