// SPDX-License-Identifier: Apache-2.0
// IterateBatch: batches in every layout. Buffers: A, B, C and bias. Ints: b, m, n, k, heads, groups of A,
// groups of B, bias. B is transposed: its rows are n.
#include "case.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

namespace {

template <LayoutMode layout>
void Batch(Case &c) {
  const auto b = static_cast<int32_t>(c.Int(0)), heads = static_cast<int32_t>(c.Int(4));
  const auto groups_a = static_cast<int32_t>(c.Int(5)), groups_b = static_cast<int32_t>(c.Int(6));
  TCubeTiling t;
  t.M = t.singleCoreM = c.Int(1), t.N = t.singleCoreN = c.Int(2), t.Ka = t.Kb = t.singleCoreK = c.Int(3);
  t.baseM = t.baseN = t.baseK = 32;
  t.stepM = t.stepN = t.stepKa = t.stepKb = t.dbL0A = t.dbL0B = t.dbL0C = t.depthA1 = t.depthB1 = 1;
  t.isBias = c.Int(7);
  t.ALayoutInfoB = t.BLayoutInfoB = t.CLayoutInfoB = b;
  t.ALayoutInfoS = t.CLayoutInfoS1 = t.M;
  t.BLayoutInfoS = t.CLayoutInfoS2 = t.N;
  t.ALayoutInfoD = t.BLayoutInfoD = t.Ka;
  t.ALayoutInfoN = t.BLayoutInfoN = t.CLayoutInfoN = heads;
  t.ALayoutInfoG = t.CLayoutInfoG = groups_a;
  t.BLayoutInfoG = groups_b;
  using Left = MatmulType<TPosition::GM, CubeFormat::ND, half, false, layout>;
  using Right = MatmulType<TPosition::GM, CubeFormat::ND, half, true, layout>;
  using Out = MatmulType<TPosition::GM, CubeFormat::ND, float, false, layout>;
  TPipe pipe;
  Matmul<Left, Right, Out> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  if (GetSubBlockIdx() != 0) return;
  // From one b to the next: rows of SBNGD hold all b.
  const uint32_t rows = layout == LayoutMode::SBNGD ? 0 : 1;
  const uint32_t batch_a = heads * groups_a, batch_b = heads * groups_b;
  for (int32_t i = 0; i < b; ++i) {
    mm.SetTensorA(c.Global<half>(0)[i * batch_a * t.Ka * (rows != 0 ? t.M : 1)]);
    mm.SetTensorB(c.Global<half>(1)[i * batch_b * t.Ka * (rows != 0 ? t.N : 1)], true);
    if (t.isBias != 0) mm.SetBias(c.Global<float>(3)[i * batch_a * t.N]);
    mm.IterateBatch(c.Global<float>(2)[i * batch_a * t.N * (rows != 0 ? t.M : 1)], batch_a, batch_b, false);
  }
  mm.End();
}

constexpr auto kMixed = sim::KernelType::kMixed12;
const Register table{
    {"BatchBSNGD", Batch<LayoutMode::BSNGD>, kMixed},
    {"BatchSBNGD", Batch<LayoutMode::SBNGD>, kMixed},
    {"BatchBNGS1S2", Batch<LayoutMode::BNGS1S2>, kMixed},
    {"BatchNORMAL", Batch<LayoutMode::NORMAL>, kMixed},
};

}  // namespace
