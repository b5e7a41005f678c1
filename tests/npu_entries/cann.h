// SPDX-License-Identifier: Apache-2.0
// What the stand-in of CANN's operator library tells the tests.
#pragma once

#include <cstdint>

#include "aclnn/acl_meta.h"

namespace cann {

constexpr uint64_t kCopyBytes = 96;  // workspace of aclnnInplaceCopy
constexpr int8_t kMark = 77;         // what its cumulative maximum writes

struct Counts {
  int copies_planned = 0, copies_run = 0;
  int asked = 0, run = 0;   // both phases of the cumulative maximum
  int cached_by_torch = 0;  // first phases whose executor torch_npu's cache would take
};

}  // namespace cann

extern "C" const cann::Counts *CannCounts();
