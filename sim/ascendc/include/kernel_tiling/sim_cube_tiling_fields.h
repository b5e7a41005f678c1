// SPDX-License-Identifier: Apache-2.0
// The fields of TCubeTiling, in their order. Matmul's tiling struct, the class that host code fills in, and
// the constant tiling consist of them.
#pragma once

// clang-format off: it would move each line further to the right.
#define SIM_CUBE_TILING_FIELDS(FIELD) \
  FIELD(usedCoreNum) FIELD(M) FIELD(N) FIELD(Ka) FIELD(Kb) FIELD(singleCoreM) FIELD(singleCoreN) \
  FIELD(singleCoreK) FIELD(baseM) FIELD(baseN) FIELD(baseK) FIELD(depthA1) FIELD(depthB1) \
  FIELD(stepM) FIELD(stepN) FIELD(isBias) FIELD(transLength) FIELD(iterateOrder) FIELD(shareMode) \
  FIELD(shareL1Size) FIELD(shareL0CSize) FIELD(shareUbSize) FIELD(batchM) FIELD(batchN) \
  FIELD(singleBatchM) FIELD(singleBatchN) FIELD(stepKa) FIELD(stepKb) FIELD(depthAL1CacheUB) \
  FIELD(depthBL1CacheUB) FIELD(dbL0A) FIELD(dbL0B) FIELD(dbL0C) FIELD(ALayoutInfoB) \
  FIELD(ALayoutInfoS) FIELD(ALayoutInfoN) FIELD(ALayoutInfoG) FIELD(ALayoutInfoD) \
  FIELD(BLayoutInfoB) FIELD(BLayoutInfoS) FIELD(BLayoutInfoN) FIELD(BLayoutInfoG) \
  FIELD(BLayoutInfoD) FIELD(CLayoutInfoB) FIELD(CLayoutInfoS1) FIELD(CLayoutInfoN) \
  FIELD(CLayoutInfoG) FIELD(CLayoutInfoS2) FIELD(BatchNum) FIELD(mxTypePara)
// clang-format on
