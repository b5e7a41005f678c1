// SPDX-License-Identifier: Apache-2.0
// The index of a sparse right factor. It has 2 bits for each stored value, and lies in columns of fractals:
//
//   |rows 0 to 15 of bytes 0 to 7|rows 16 to 31|...|rows 0 to 15 of bytes 8 to 15|...     a row: one n
#pragma once

#include "../adv_api/matmul/matmul_config.h"

namespace sim {

class MatmulIndex {
 public:
  // The part of the factor that an instruction loads: k counts stored values.
  struct Part {
    uint32_t outer, k, outer_size, k_size;
  };

  void Init(AscendC::TPipe *pipe, uint32_t outer, uint32_t base_k, Where where) {
    pipe->InitBuffer(queue_, 1, outer * base_k / kStored / kPerByte, where);
  }
  void Set(const AscendC::GlobalTensor<uint8_t> &index, uint64_t rows) {
    gm_ = index;
    rows_ = AlignUp(rows, kFractalRows);
  }

  // Loads the part, whose values lie in L1, to L0B, and its index beside it.
  void Load(const AscendC::LocalTensor<int8_t> &to, const AscendC::LocalTensor<int8_t> &values,
            const Part &part, Where where) {
    auto index = queue_.AllocTensor<uint8_t>(where);
    const auto columns = static_cast<uint32_t>(CeilDivide(part.k_size, kBlockBytes));
    const auto rows = static_cast<uint32_t>(AlignUp(part.outer_size, kFractalRows));
    const uint64_t first = (part.k / kBlockBytes * rows_ + part.outer) * kRowBytes;
    const auto gap = static_cast<uint16_t>((rows_ - rows) * kRowBytes / kBlockBytes);
    AscendC::DataCopy(index, gm_[first],
                      AscendC::DataCopyParams(columns, rows * kRowBytes / kBlockBytes, gap, 0), where);
    queue_.EnQue(index, where);
    index = queue_.DeQue<uint8_t>(where);
    const auto fractals = static_cast<uint8_t>(rows / kFractalRows);
    for (uint32_t i = 0; i < columns; ++i) {
      const uint32_t at = i * rows;
      AscendC::LoadDataWithSparse(to[at * kBlockBytes], values[at * kBlockBytes], index[at * kRowBytes],
                                  AscendC::LoadData2DParams(0, fractals, 1, 0, 0, false, 0), where);
    }
    queue_.FreeTensor(index, where);
  }

 private:
  static constexpr uint32_t kStored = 2;    // of so many k one is stored
  static constexpr uint32_t kPerByte = 4;   // values whose index a byte holds
  static constexpr uint32_t kRowBytes = 8;  // of a fractal

  AscendC::TQue<AscendC::TPosition::B1, 1> queue_;
  AscendC::GlobalTensor<uint8_t> gm_;
  uint64_t rows_ = 0;
};

}  // namespace sim
