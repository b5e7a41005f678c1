// SPDX-License-Identifier: Apache-2.0
// A factor of a Matmul object as the kernel gives it, and how it comes to L1.
#pragma once

#include "../adv_api/matmul/matmul_config.h"

namespace sim {

// What SetUserDefInfo and SetSelfDefineData leave for copies of the kernel.
struct MatmulCallData {
  uint64_t tiling = 0, data = 0;
};

template <typename T>
struct MatmulSource {
  AscendC::GlobalTensor<T> gm;
  AscendC::LocalTensor<T> l1;  // where the type says that the matrix lies in L1
  uint64_t pitch = 0;          // elements from row to row in GM; 0: the columns
  bool transposed = false;
  bool is_scalar = false;  // one row whose values are all `scalar`
  T scalar{};

  // The matrix that starts at this element.
  MatmulSource From(uint64_t element, uint64_t row_pitch) const {
    MatmulSource part = *this;
    part.gm = gm[element];
    part.l1 = l1[static_cast<uint32_t>(element)];
    part.pitch = row_pitch;
    return part;
  }

  // Copies rows of GM to columns of fractals in L1, each of `stride` rows.
  void CopyRows(const AscendC::LocalTensor<T> &to, uint64_t row, uint64_t column, uint32_t rows,
                uint32_t columns, uint32_t stride, Where where) const {
    constexpr uint64_t kMostPitch = 65535;
    const uint32_t step = pitch / kPerUnit <= kMostPitch ? rows : 1;
    const auto width = static_cast<uint32_t>(CeilDivide(columns, kPerUnit));
    for (uint32_t i = 0; i < rows; i += step) {
      const auto source = static_cast<uint16_t>(step == 1 ? width : pitch / kPerUnit);
      AscendC::DataCopy(Units(to[i * kWidth]), Units(gm[(row + i) * pitch + column]),
                        AscendC::Nd2NzParams(1, step, width, 0, source, stride, 1, 0), where);
    }
  }

  // The same for a matrix that lies in columns of `all_rows` rows.
  void CopyFractals(const AscendC::LocalTensor<T> &to, uint64_t row, uint64_t column, uint32_t rows,
                    uint32_t columns, uint32_t stride, uint64_t all_rows, Where where) const {
    const auto blocks = static_cast<uint32_t>(CeilDivide(columns, kWidth));
    constexpr uint64_t kMostGap = 65535;
    const bool together = all_rows - rows <= kMostGap;
    for (uint32_t i = 0; i < blocks; i += together ? blocks : 1) {
      AscendC::DataCopy(
          to[i * stride * kWidth], gm[(column + i * kWidth) * all_rows + row * kWidth],
          AscendC::DataCopyParams(together ? blocks : 1, rows, together ? all_rows - rows : 0, stride - rows),
          where);
    }
  }

  void Fill(const AscendC::LocalTensor<T> &to, uint32_t elements, Where where) const {
    if constexpr (sizeof(T) > 1) {
      const auto blocks = static_cast<uint16_t>(CeilDivide(elements, kWidth));
      AscendC::Fill(to, AscendC::InitConstValueParams<T>(1, blocks, 0, scalar), where);
    }
  }

 private:
  static constexpr uint32_t kWidth = ElementsIn<T>(kBlockBytes);
  // Copies of rows count bytes of elements of half a byte.
  static constexpr bool kPacked = std::is_same_v<T, AscendC::int4b_t>;
  static constexpr uint32_t kPerUnit = kPacked ? 2 : 1;
  static auto Units(const AscendC::LocalTensor<T> &tensor) {
    if constexpr (kPacked) {
      return tensor.template ReinterpretCast<int8_t>();
    } else {
      return tensor;
    }
  }
  static auto Units(const AscendC::GlobalTensor<T> &tensor) {
    if constexpr (kPacked) {
      AscendC::GlobalTensor<int8_t> bytes;
      bytes.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t *>(tensor.GetPhyAddr(0)));
      return bytes;
    } else {
      return tensor;
    }
  }
};

}  // namespace sim
