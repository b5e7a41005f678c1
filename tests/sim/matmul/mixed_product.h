// SPDX-License-Identifier: Apache-2.0
// A mixed kernel whose two vector cores each compute half of the rows of C = A x B + bias with Matmul.
#pragma once

#include "case.h"
#include "lib/matmul_intf.h"

// The numbers of a case, in their order.
struct MixedNumbers {
  explicit MixedNumbers(const Case &c) {
    t.M = c.Int(0), t.N = c.Int(1), t.Ka = t.Kb = c.Int(2);
    transpose_a = c.Int(3) != 0, transpose_b = c.Int(4) != 0;
    t.baseM = c.Int(5), t.baseN = c.Int(6), t.baseK = c.Int(7);
    t.isBias = c.Int(8);
    t.stepM = t.stepN = t.stepKa = t.stepKb = 1;
    t.depthA1 = t.depthB1 = t.dbL0A = t.dbL0B = 2;
    t.dbL0C = 1;
    t.singleCoreM = (t.M + 1) / 2, t.singleCoreN = t.N, t.singleCoreK = t.Ka;
    t.usedCoreNum = 2;
  }
  // The rows of this vector core.
  uint32_t First() const { return AscendC::GetSubBlockIdx() * t.singleCoreM; }
  uint32_t Rows() const { return std::min<uint32_t>(t.singleCoreM, t.M - First()); }

  TCubeTiling t;
  bool transpose_a = false, transpose_b = false;
};

template <class Object, typename T, typename Bias>
void SetOperands(const Case &c, const MixedNumbers &numbers, Object &mm, bool with_a = true) {
  const uint32_t first = numbers.First();
  const auto a = c.Global<T>(0)[numbers.transpose_a ? first : first * numbers.t.Ka];
  if (with_a) mm.SetTensorA(a, numbers.transpose_a);
  mm.SetTensorB(c.Global<T>(1), numbers.transpose_b);
  mm.SetTail(numbers.Rows(), numbers.t.N, numbers.t.Ka);
  if (numbers.t.isBias != 0) mm.SetBias(c.Global<Bias>(3));
}
