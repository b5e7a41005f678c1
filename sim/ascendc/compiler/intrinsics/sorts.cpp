// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "sorts.h"

#include "../../include/sim/sort.h"

using namespace sim;

#define SIM_SORTS_OF(T)                                                                             \
  template <>                                                                                       \
  void vbitsort(T *dst, T *scores, uint32_t *indices, uint64_t repeat) {                            \
    Sort32(InUb(dst), InUb(scores), InUb(indices), static_cast<int32_t>(repeat), Unplaced());       \
  }                                                                                                 \
  template <>                                                                                       \
  void vmrgsort4(T *dst, T **lists, uint64_t lengths, uint64_t config) {                            \
    uint16_t counts[4];                                                                             \
    std::memcpy(counts, &lengths, sizeof(counts));                                                  \
    MrgSort(InUb(dst), {InUb(lists[0]), InUb(lists[1]), InUb(lists[2]), InUb(lists[3])},            \
            AscendC::MrgSort4Info(counts, (config >> 12 & 1) != 0, config >> 8 & 15, config & 255), \
            Unplaced());                                                                            \
  }
SIM_SORTS_OF(half)
SIM_SORTS_OF(float)
