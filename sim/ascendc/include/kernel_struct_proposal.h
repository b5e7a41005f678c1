// SPDX-License-Identifier: Apache-2.0
// Parameters of the merge sort.
#pragma once

#include "kernel_tensor.h"

namespace AscendC {

struct MrgSort4Info {
  MrgSort4Info() {}
  MrgSort4Info(const uint16_t lengths[MRG_SORT_ELEMENT_LEN], bool suspend, uint16_t valid, uint16_t repeat)
      : ifExhaustedSuspension(suspend), validBit(valid), repeatTimes(static_cast<uint8_t>(repeat)) {
    std::copy_n(lengths, MRG_SORT_ELEMENT_LEN, elementLengths);
  }

  uint16_t elementLengths[MRG_SORT_ELEMENT_LEN] = {0};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint8_t repeatTimes = 1;
};

template <typename T>
struct MrgSortSrcList {
  MrgSortSrcList() {}
  MrgSortSrcList(const LocalTensor<T> &first, const LocalTensor<T> &second, const LocalTensor<T> &third,
                 const LocalTensor<T> &fourth)
      : src1(first), src2(second), src3(third), src4(fourth) {}

  LocalTensor<T> src1;
  LocalTensor<T> src2;
  LocalTensor<T> src3;
  LocalTensor<T> src4;
};

}  // namespace AscendC
