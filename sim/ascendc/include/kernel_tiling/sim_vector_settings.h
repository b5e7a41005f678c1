// SPDX-License-Identifier: Apache-2.0
// Settings of vector functions that kernels and their hosts name. The guards are those of CANN's own headers,
// as host code may be compiled with those in front.
#pragma once

#include <cstdint>

#ifndef ASCC_ENUM_REDUCEPATTERN
#define ASCC_ENUM_REDUCEPATTERN
namespace AscendC {

// Which axes are reduced, R, and which stay, A.
enum class ReducePattern : uint32_t {
  AR = 0,
  RA = 1,
  R,
  ARA,
  ARAR,
  ARARA,
  ARARAR,
  ARARARA,
  ARARARAR,
  ARARARARA,
  RAR,
  RARA,
  RARAR,
  RARARA,
  RARARAR,
  RARARARA,
};

}  // namespace AscendC
#endif

#ifndef LIB_SORT_TOPK_UTILS_CONSTANTS_H
#define LIB_SORT_TOPK_UTILS_CONSTANTS_H
namespace AscendC {

enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };
enum class TopKAlgo { RADIX_SELECT, MERGE_SORT };
enum class TopKOrder { UNSET, LARGEST, SMALLEST };
struct TopKConfig {
  TopKAlgo algo = TopKAlgo::MERGE_SORT;
  TopKOrder order = TopKOrder::UNSET;
  bool sorted = true;
};

}  // namespace AscendC
#endif

#ifndef INCLUDE_SORT_SORT_UTILS_CONSTANTS_H
#define INCLUDE_SORT_SORT_UTILS_CONSTANTS_H
namespace AscendC {

enum class SortType { RADIX_SORT, MERGE_SORT };

}  // namespace AscendC
#endif
#ifndef ASCC_STRUCT_SORTCONFIG
#define ASCC_STRUCT_SORTCONFIG
namespace AscendC {

struct SortConfig {
  SortType type = SortType::RADIX_SORT;
  bool isDescend = false;
  bool hasSrcIndex = false;
  bool hasDstIndex = false;
};

}  // namespace AscendC
#endif
