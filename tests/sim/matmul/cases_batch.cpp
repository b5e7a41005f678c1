// SPDX-License-Identifier: Apache-2.0
// IterateBatch: batches in every layout. Buffers: A, B, C and bias. Ints: b, m, n, k, heads, groups of A,
// groups of B, bias, groups of C where it has others than A. B is transposed: its rows are n.
#include "case.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

namespace {

TCubeTiling TilingOf(const Case &c) {
  TCubeTiling t;
  t.M = t.singleCoreM = c.Int(1), t.N = t.singleCoreN = c.Int(2), t.Ka = t.Kb = t.singleCoreK = c.Int(3);
  t.baseM = t.baseN = t.baseK = 32;
  t.stepM = t.stepN = t.stepKa = t.stepKb = t.dbL0A = t.dbL0B = t.dbL0C = t.depthA1 = t.depthB1 = 1;
  t.isBias = c.Int(7);
  t.ALayoutInfoB = t.BLayoutInfoB = t.CLayoutInfoB = c.Int(0);
  t.ALayoutInfoS = t.CLayoutInfoS1 = t.M;
  t.BLayoutInfoS = t.CLayoutInfoS2 = t.N;
  t.ALayoutInfoD = t.BLayoutInfoD = t.Ka;
  t.ALayoutInfoN = t.BLayoutInfoN = t.CLayoutInfoN = c.Int(4);
  t.ALayoutInfoG = t.CLayoutInfoG = c.Int(5);
  t.BLayoutInfoG = c.Int(6);
  if (c.Int(8) != 0) t.CLayoutInfoG = c.Int(8);
  return t;
}

template <LayoutMode layout>
void Batch(Case &c) {
  const TCubeTiling t = TilingOf(c);
  const int32_t b = t.ALayoutInfoB, heads = t.ALayoutInfoN, groups_a = t.ALayoutInfoG,
                groups_b = t.BLayoutInfoG;
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

// IterateNBatch: one batch for each b, into a workspace, from where the vector core takes it to C. Buffers:
// A, B, C, bias, workspace. The bias is one for all products.
template <bool sync>
void Batches(Case &c) {
  const TCubeTiling t = TilingOf(c);
  const uint32_t batch = t.ALayoutInfoN * t.ALayoutInfoG, size = batch * t.M * t.N;
  using Left = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::BNGS1S2>;
  using Right = MatmulType<TPosition::GM, CubeFormat::ND, half, true, LayoutMode::BNGS1S2>;
  using Out = MatmulType<TPosition::GM, CubeFormat::ND, float, false, LayoutMode::BNGS1S2>;
  constexpr MatmulBatchParams kBatches{true, BatchMode::BATCH_LESS_THAN_L1, false};
  static constexpr MatmulConfig kConfig = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(kBatches);
  TPipe pipe;
  Matmul<Left, Right, Out, Out, kConfig> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  if (GetSubBlockIdx() != 0) return;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, size * sizeof(float));
  const auto workspace = c.Global<float>(4);
  mm.SetTensorA(c.Global<half>(0));
  mm.SetTensorB(c.Global<half>(1), true);
  mm.SetBias(c.Global<float>(3));
  mm.SetWorkspace(workspace);
  mm.template IterateNBatch<sync>(t.ALayoutInfoB, batch, batch, false);
  for (int32_t i = 0; i < t.ALayoutInfoB; ++i) {
    auto x = queue.AllocTensor<float>();
    if constexpr (sync) {
      DataCopy(x, workspace[i * size], size);
    } else {
      mm.template GetBatchTensorC<false>(x, batch, batch);
    }
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopy(c.Global<float>(2)[i * size], x, size);
    queue.FreeTensor(x);
  }
  mm.End();
}

// IterateNBatch without a workspace, or one GetBatchTensorC too many.
template <bool workspace>
void WrongBatches(Case &c) {
  const TCubeTiling t = TilingOf(c);
  using Half = MatmulType<TPosition::GM, CubeFormat::ND, half, true, LayoutMode::NORMAL>;
  using Out = MatmulType<TPosition::GM, CubeFormat::ND, float, false, LayoutMode::NORMAL>;
  constexpr MatmulBatchParams kBatches{true};
  static constexpr MatmulConfig kConfig = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(kBatches);
  TPipe pipe;
  Matmul<Half, Half, Out, Out, kConfig> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  if (GetSubBlockIdx() != 0) return;
  mm.SetTensorA(c.Global<half>(0));
  mm.SetTensorB(c.Global<half>(1), true);
  if (workspace) mm.SetWorkspace(c.Global<float>(2));
  mm.template IterateNBatch<false>(1, 1, 1, false);
  for (int i = 0; i < 2; ++i) mm.template GetBatchTensorC<false>(1, 1);
}

constexpr auto kMixed = sim::KernelType::kMixed12;
const Register table{
    {"BatchBSNGD", Batch<LayoutMode::BSNGD>, kMixed},
    {"BatchSBNGD", Batch<LayoutMode::SBNGD>, kMixed},
    {"BatchBNGS1S2", Batch<LayoutMode::BNGS1S2>, kMixed},
    {"BatchNORMAL", Batch<LayoutMode::NORMAL>, kMixed},
    {"Batches", Batches<true>, kMixed},
    {"BatchesAsync", Batches<false>, kMixed},
    {"BatchesNoWorkspace", WrongBatches<false>, kMixed},
    {"BatchesTooMany", WrongBatches<true>, kMixed},
};

}  // namespace
