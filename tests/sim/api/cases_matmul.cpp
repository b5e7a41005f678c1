// SPDX-License-Identifier: Apache-2.0
// The Matmul object on a cube core.
#define ASCENDC_CUBE_ONLY
#include "case.h"
#if SIM_OLDER_API
#include "lib/matmul/matmul_intf.h"
#else
#include "lib/matmul_intf.h"
#endif

using namespace AscendC;

namespace {

// m, n, k, A and B transposed or not, baseM, baseN, baseK, stepK, buffers, iterateOrder, bias, and m x n of
// which a corner is computed (0: all).
template <typename T, typename O>
void Product(Case &c) {
  TCubeTiling t;
  t.M = c.Int(0), t.N = c.Int(1), t.Ka = t.Kb = c.Int(2);
  t.singleCoreM = t.M, t.singleCoreN = t.N, t.singleCoreK = t.Ka;
  const bool trans_a = c.Int(3) != 0, trans_b = c.Int(4) != 0;
  t.baseM = c.Int(5), t.baseN = c.Int(6), t.baseK = c.Int(7);
  t.stepM = t.stepN = 1;
  t.stepKa = t.stepKb = c.Int(8);
  t.dbL0A = t.dbL0B = t.dbL0C = c.Int(9);
  t.depthA1 = t.depthB1 = t.stepKa * c.Int(9);
  t.iterateOrder = c.Int(10);
  t.isBias = c.Int(11);
  using A = MatmulType<TPosition::GM, CubeFormat::ND, T, true>;
  using C = MatmulType<TPosition::GM, CubeFormat::ND, O>;
  using Bias = MatmulType<TPosition::GM, CubeFormat::ND, float>;
  TPipe pipe;
  Matmul<A, A, C, Bias, CFG_MDL> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  if (c.Int(12) != 0) mm.SetSingleShape(c.Int(12), c.Int(13), t.singleCoreK);
  mm.SetTensorA(c.Global<T>(0), trans_a);
  mm.SetTensorB(c.Global<T>(1), trans_b);
  if (t.isBias != 0) mm.SetBias(c.Global<float>(3));
  if (c.form == 1) {
    // Computes twice; the second time each tile is added to the first result.
    while (mm.Iterate()) mm.GetTensorC(c.Global<O>(2));
    mm.SetTensorA(c.Global<T>(0), trans_a);
    PipeBarrier<PIPE_FIX>();
    while (mm.Iterate()) mm.GetTensorC(c.Global<O>(2), 1);
  } else {
    mm.IterateAll(c.Global<O>(2));
  }
  mm.End();
}

// Multiplies the two halves of k into one tile of L0C.
void PartialSums(Case &c) {
  TCubeTiling t;
  t.M = t.N = t.baseM = t.baseN = t.singleCoreM = t.singleCoreN = 32;
  t.Ka = t.Kb = 64;
  t.singleCoreK = t.baseK = 32;
  t.depthA1 = t.depthB1 = t.stepM = t.stepN = t.stepKa = t.stepKb = t.dbL0A = t.dbL0B = t.dbL0C = 1;
  using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
  using C = MatmulType<TPosition::GM, CubeFormat::ND, float>;
  TPipe pipe;
  Matmul<A, A, C> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm);
  mm.Init(&t);
  for (uint32_t part = 0; part < 2; ++part) {
    mm.SetTensorA(c.Global<half>(0)[part * 32]);
    mm.SetTensorB(c.Global<half>(1)[part * 32], true);
    mm.Iterate(part != 0);
  }
  mm.GetTensorC(c.Global<float>(2));
  mm.End();
}

void Untaken(Case &c) {
  TCubeTiling t;
  t.M = t.singleCoreM = 64;
  t.N = t.Ka = t.Kb = t.baseM = t.baseN = t.baseK = t.singleCoreN = t.singleCoreK = 32;
  t.depthA1 = t.depthB1 = t.stepM = t.stepN = t.stepKa = t.stepKb = t.dbL0A = t.dbL0B = 1;
  t.dbL0C = static_cast<int32_t>(c.Int(0));
  using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
  using C = MatmulType<TPosition::GM, CubeFormat::ND, float>;
  TPipe pipe;
  Matmul<A, A, C> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  mm.SetTensorA(c.Global<half>(0));
  mm.SetTensorB(c.Global<half>(1));
  mm.Iterate();
  mm.Iterate();
}

const Register table{
    {"Matmul",
     [](Case &c) {
       ForType<half, bfloat16_t, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         if (c.dtype2 == "float16") return Product<T, half>(c);
         return Product<T, float>(c);
       });
     },
     sim::KernelType::kCube},
    {"MatmulPartialSums", PartialSums, sim::KernelType::kCube},
    {"MatmulUntaken", Untaken, sim::KernelType::kCube},
    {"MatmulOnVector", Untaken},
};

}  // namespace
