// SPDX-License-Identifier: Apache-2.0
// Calls of Matmul objects by the vector cores of a mixed kernel. Buffers: A, B, C, then bias or workspace.
#include "mixed_product.h"

using namespace AscendC;

namespace {

template <typename T>
using Rows = MatmulType<TPosition::GM, CubeFormat::ND, T, true>;
template <typename T>
using InUb = MatmulType<TPosition::VECIN, CubeFormat::ND, T>;
// What L0C holds for factors of T.
template <typename T>
using Sum = std::conditional_t<std::is_same_v<T, int8_t>, int32_t, float>;

// How the result comes to GM.
enum Way { kAll, kAllAsync, kTiles, kSequential, kTwice };

template <typename T, typename O, typename Bias>
void Product(Case &c) {
  const MixedNumbers numbers(c);
  TPipe pipe;
  Matmul<Rows<T>, Rows<T>, Rows<O>, Rows<Bias>, CFG_MDL> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  SetOperands<decltype(mm), T, Bias>(c, numbers, mm);
  const auto out = c.Global<O>(2)[numbers.First() * numbers.t.N];
  switch (c.Int(9)) {
    case kAll:
      mm.IterateAll(out);
      break;
    case kAllAsync:
      mm.template IterateAll<false>(out, 0, false, true);
      mm.WaitIterateAll();
      break;
    case kTiles:
      while (mm.Iterate()) mm.GetTensorC(out);
      break;
    case kTwice:
      mm.IterateAll(out);
      SetOperands<decltype(mm), T, Bias>(c, numbers, mm);
      mm.IterateAll(out, 1);
      break;
    default:
      break;
  }
  mm.End();
}

// Takes tiles to UB, applies a leaky ReLU and copies them to C. `sync`: each Iterate waits; else all tiles
// come through the workspace, which is buffer 3.
template <bool sync>
void Epilogue(Case &c) {
  const MixedNumbers numbers(c);
  const TCubeTiling &t = numbers.t;
  const uint32_t tile = t.baseM * t.baseN;
  TPipe pipe;
  Matmul<Rows<half>, Rows<half>, InUb<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  TQue<TPosition::VECIN, 1> products;
  TQue<TPosition::VECOUT, 1> results;
  pipe.InitBuffer(products, 1, tile * sizeof(float));
  pipe.InitBuffer(results, 1, tile * sizeof(float));
  SetOperands<decltype(mm), half, float>(c, numbers, mm);
  if (!sync) mm.SetWorkspace(c.Global<float>(3)[GetSubBlockIdx() * t.singleCoreM * t.N]);
  const uint32_t rows = numbers.Rows() / t.baseM;
  for (uint32_t i = 0; mm.template Iterate<sync>(); ++i) {
    auto x = products.AllocTensor<float>();
    mm.template GetTensorC<sync>(x, 0, true);
    products.EnQue(x);
    x = products.DeQue<float>();
    auto y = results.AllocTensor<float>();
    LeakyRelu(y, x, 0.5f, tile);
    results.EnQue(y);
    products.FreeTensor(x);
    y = results.DeQue<float>();
    const uint32_t place = (numbers.First() + i % rows * t.baseM) * t.N + i / rows * t.baseN;
    DataCopy(c.Global<float>(2)[place], y, DataCopyParams(t.baseM, t.baseN / 8, 0, (t.N - t.baseN) / 8));
    results.FreeTensor(y);
  }
  mm.End();
}

// A is written to GM by the vector core before the call, and is multiplied from UB: A comes from buffer 0.
template <bool in_ub>
void Written(Case &c) {
  const MixedNumbers numbers(c);
  const uint32_t count = numbers.Rows() * numbers.t.Ka;
  using Left = MatmulType<in_ub ? TPosition::VECOUT : TPosition::GM, CubeFormat::ND, half>;
  TPipe pipe;
  Matmul<Left, Rows<half>, Rows<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, count * sizeof(half));
  const uint32_t first = numbers.First() * numbers.t.Ka;
  auto x = queue.AllocTensor<half>();
  DataCopy(x, c.Global<half>(0)[first], count);
  queue.EnQue(x);
  x = queue.DeQue<half>();
  const auto copy = c.Global<half>(3)[first];
  SetOperands<decltype(mm), half, float>(c, numbers, mm);
  if constexpr (in_ub) {
    mm.SetTensorA(x);
  } else {
    DataCopy(copy, x, count);
    mm.SetTensorA(copy);
  }
  mm.IterateAll(c.Global<float>(2)[numbers.First() * numbers.t.N]);
  queue.FreeTensor(x);
}

// A comes from TSCM, where the vector core has it copied in fractals: from GM, or from UB by rows.
template <bool from_ub>
void FromTscm(Case &c) {
  const MixedNumbers numbers(c);
  const uint32_t rows = numbers.Rows(), k = numbers.t.Ka, count = rows * k;
  const auto padded = static_cast<uint16_t>((rows + 15) / 16 * 16);
  const auto from = c.Global<half>(0)[numbers.First() * k];
  TPipe pipe;
  Matmul<MatmulType<TPosition::TSCM, CubeFormat::NZ, half>, Rows<half>, Rows<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  TSCM<from_ub ? TPosition::VECOUT : TPosition::GM> tscm;
  pipe.InitBuffer(tscm, 1, padded * k * sizeof(half));
  auto in_l1 = tscm.template AllocTensor<half>();
  const Nd2NzParams fractals(1, rows, k, 0, k, padded, 1, 0);
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  if constexpr (from_ub) {
    // The tensor is larger than what is copied, and nobody writes its second half.
    pipe.InitBuffer(queue, 1, 2 * count * sizeof(half));
    auto x = queue.AllocTensor<half>();
    DataCopy(x, from, count);
    queue.EnQue(x);
    x = queue.DeQue<half>();
    DataCopy(in_l1, x, fractals);
    queue.FreeTensor(x);
  } else {
    DataCopy(in_l1, from, fractals);
  }
  tscm.EnQue(in_l1);
  in_l1 = tscm.template DeQue<half>();
  SetOperands<decltype(mm), half, float>(c, numbers, mm, false);
  mm.SetTensorA(in_l1);
  mm.IterateAll(c.Global<float>(2)[numbers.First() * numbers.t.N]);
  tscm.FreeTensor(in_l1);
}

// Products of one row of A after the other, each from UB, so that the library's memory for A is used again.
// `sync`: each call is waited for; else the cube core may still read A when the next one comes.
template <bool sync>
void RowsFromUb(Case &c) {
  MixedNumbers numbers(c);
  const uint32_t k = numbers.t.Ka;
  TPipe pipe;
  Matmul<MatmulType<TPosition::VECOUT, CubeFormat::ND, half>, Rows<half>, Rows<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 2, k * sizeof(half));
  for (uint32_t row = numbers.First(); row < numbers.First() + numbers.Rows(); ++row) {
    auto x = queue.AllocTensor<half>();
    DataCopy(x, c.Global<half>(0)[row * k], k);
    queue.EnQue(x);
    x = queue.DeQue<half>();
    mm.SetTail(1, numbers.t.N, k);
    mm.SetTensorA(x);
    mm.SetTensorB(c.Global<half>(1));
    mm.template IterateAll<sync>(c.Global<float>(2)[row * numbers.t.N]);
    queue.FreeTensor(x);
  }
  mm.End();
}

// A partial sum over the two halves of k, by two calls of Iterate.
void PartialSums(Case &c) {
  MixedNumbers numbers(c);
  const uint32_t half_k = numbers.t.Ka / 2;
  numbers.t.singleCoreK = half_k;
  TPipe pipe;
  Matmul<Rows<half>, Rows<half>, Rows<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  for (uint32_t part = 0; part < 2; ++part) {
    mm.SetTensorA(c.Global<half>(0)[numbers.First() * numbers.t.Ka + part * half_k]);
    mm.SetTensorB(c.Global<half>(1)[part * half_k * numbers.t.N]);
    mm.SetTail(numbers.Rows());
    mm.Iterate(part != 0);
  }
  mm.GetTensorC(c.Global<float>(2)[numbers.First() * numbers.t.N]);
  mm.End();
}

// Each baseK of a tile is a result of its own, which GetTensorC adds to C.
void PartialOutput(Case &c) {
  const MixedNumbers numbers(c);
  static constexpr MatmulConfig kConfig = [] {
    MatmulConfig config = CFG_MDL;
    config.isPartialOutput = true;
    return config;
  }();
  TPipe pipe;
  Matmul<Rows<half>, Rows<half>, Rows<float>, Rows<float>, kConfig> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  SetOperands<decltype(mm), half, float>(c, numbers, mm);
  uint32_t results = 0;
  for (; mm.Iterate(); ++results) mm.GetTensorC(c.Global<float>(2)[numbers.First() * numbers.t.N], 1);
  c.Global<int32_t>(3).SetValue(16 * GetSubBlockIdx(), static_cast<int32_t>(results));
  DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(
      c.Global<int32_t>(3));
}

// --- mistakes

// Reads the result of an asynchronous call, with or without waiting for it.
template <bool waits>
void ReadsAtOnce(Case &c) {
  const MixedNumbers numbers(c);
  TPipe pipe;
  Matmul<Rows<half>, Rows<half>, Rows<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 256);
  SetOperands<decltype(mm), half, float>(c, numbers, mm);
  const auto out = c.Global<float>(2)[numbers.First() * numbers.t.N];
  mm.template IterateAll<false>(out, 0, false, true);
  if (waits) mm.WaitIterateAll();
  DataCopy(buffer.Get<float>(), out, 16);
}

void NotRegistered(Case &c) {
  const MixedNumbers numbers(c);
  TPipe pipe;
  Matmul<Rows<half>, Rows<half>, Rows<float>> registered, forgotten;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), registered, &numbers.t);
  SetOperands<decltype(forgotten), half, float>(c, numbers, forgotten);
  forgotten.IterateAll(c.Global<float>(2));
}

// One of the two vector cores leaves before it registers.
void OneLeaves(Case &c) {
  const MixedNumbers numbers(c);
  if ASCEND_IS_AIV {
    if (GetSubBlockIdx() == 1) return;
  }
  TPipe pipe;
  Matmul<Rows<half>, Rows<half>, Rows<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
}

void WaitsForNothing(Case &c) {
  const MixedNumbers numbers(c);
  TPipe pipe;
  Matmul<Rows<half>, Rows<half>, Rows<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  mm.WaitIterateAll();
}

// TSCM of a vector core is a quarter of L1; this buffer is larger.
void LargeTscm(Case &c) {
  const MixedNumbers numbers(c);
  TPipe pipe;
  Matmul<MatmulType<TPosition::TSCM, CubeFormat::NZ, half>, Rows<half>, Rows<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  TSCM<TPosition::GM> tscm;
  pipe.InitBuffer(tscm, 1, 160 * 1024);
  mm.SetTensorA(tscm.AllocTensor<half>());
}

// The second object has a tiling of zeros. That matters where it is used.
template <bool uses>
void EmptyTiling(Case &c) {
  const MixedNumbers numbers(c);
  const TCubeTiling zeros;
  TPipe pipe;
  Matmul<Rows<half>, Rows<half>, Rows<float>> mm, other;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t, other, &zeros);
  SetOperands<decltype(mm), half, float>(c, numbers, mm);
  mm.IterateAll(c.Global<float>(2)[numbers.First() * numbers.t.N]);
  if (uses) other.IterateAll(c.Global<float>(2));
}

// Two objects of different types take turns; each one's tiling fills L0C.
void TwoObjects(Case &c) {
  const MixedNumbers numbers(c);
  TPipe pipe;
  Matmul<Rows<half>, Rows<half>, Rows<float>> once;
  Matmul<Rows<half>, Rows<half>, Rows<half>> again;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), once, &numbers.t, again, &numbers.t);
  const uint32_t first = numbers.First() * numbers.t.N;
  for (int i = 0; i < 2; ++i) {
    SetOperands<decltype(once), half, float>(c, numbers, once);
    once.IterateAll(c.Global<float>(2)[first]);
    SetOperands<decltype(again), half, half>(c, numbers, again);
    again.IterateAll(c.Global<half>(3)[first]);
  }
}

// Both vector cores share one product of all rows, and each reads half of it.
void Shared(Case &c) {
  MixedNumbers numbers(c);
  const uint32_t first = numbers.First(), count = numbers.Rows() * numbers.t.N;
  numbers.t.singleCoreM = numbers.t.M;
  using Factor = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NONE, true>;
  TPipe pipe;
  Matmul<Factor, Factor, Rows<float>, Rows<float>, CFG_IBSHARE_NORM> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  mm.SetTensorA(c.Global<half>(0));
  mm.SetTensorB(c.Global<half>(1));
  mm.IterateAll(c.Global<float>(2));
  mm.End();
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, count * sizeof(float));
  auto x = queue.AllocTensor<float>();
  DataCopy(x, c.Global<float>(2)[first * numbers.t.N], count);
  queue.EnQue(x);
  x = queue.DeQue<float>();
  DataCopy(c.Global<float>(3)[first * numbers.t.N], x, count);
  queue.FreeTensor(x);
}

// Both vector cores share a product of 16 rows after the other, of which A comes from UB. A call is waited
// for when the next one is on its way.
void SharedFromUb(Case &c) {
  MixedNumbers numbers(c);
  const uint32_t k = numbers.t.Ka, n = numbers.t.N, calls = numbers.t.M / 16;
  numbers.t.M = numbers.t.singleCoreM = 16;
  using Left = MatmulType<TPosition::VECOUT, CubeFormat::ND, half, false, LayoutMode::NONE, true>;
  using Right = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NONE, true>;
  TPipe pipe;
  Matmul<Left, Right, Rows<float>, Rows<float>, CFG_IBSHARE_NORM> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 2, 16 * k * sizeof(half));
  mm.SetTensorB(c.Global<half>(1));
  for (uint32_t i = 0; i < calls; ++i) {
    auto x = queue.AllocTensor<half>();
    DataCopy(x, c.Global<half>(0)[i * 16 * k], 16 * k);
    queue.EnQue(x);
    x = queue.DeQue<half>();
    mm.SetTensorA(x);
    mm.template IterateAll<false>(c.Global<float>(2)[i * 16 * n], 0, false, true);
    queue.FreeTensor(x);
    if (i > 0) mm.WaitIterateAll();
  }
  mm.WaitIterateAll();
  mm.End();
}

// The cube core runs the kernel too, and its own call computes.
void DualMaster(Case &c) {
  MixedNumbers numbers(c);
  numbers.t.singleCoreM = numbers.t.M;
  using Factor = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NONE, true>;
  static constexpr MatmulConfig kConfig =
      GetNormalConfig(false, false, false, BatchMode::NONE, true, IterateOrder::UNDEF,
                      ScheduleType::INNER_PRODUCT, true, true);
  TPipe pipe;
  Matmul<Factor, Factor, Rows<float>, Rows<float>, kConfig> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  mm.SetTensorA(c.Global<half>(0));
  mm.SetTensorB(c.Global<half>(1));
  mm.IterateAll(c.Global<float>(2));
  mm.End();
}

// One vector core for each cube core: it computes both halves, one after the other.
void OneToOne(Case &c) {
  MixedNumbers numbers(c);
  TPipe pipe;
  Matmul<Rows<half>, Rows<half>, Rows<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &numbers.t);
  for (int32_t first = 0; first < numbers.t.M; first += numbers.t.singleCoreM) {
    mm.SetTensorA(c.Global<half>(0)[first * numbers.t.Ka]);
    mm.SetTensorB(c.Global<half>(1));
    mm.SetTail(std::min(numbers.t.singleCoreM, numbers.t.M - first));
    mm.IterateAll(c.Global<float>(2)[first * numbers.t.N]);
  }
}

constexpr auto kMixed = sim::KernelType::kMixed12;
const Register table{
    {"MixedMatmul",
     [](Case &c) {
       if (c.dtype == "int8") return Product<int8_t, int32_t, int32_t>(c);
       ForType<half, bfloat16_t, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         if (c.dtype2 == "float16") return Product<T, half, half>(c);
         return Product<T, float, float>(c);
       });
     },
     kMixed},
    {"MixedEpilogue", Epilogue<true>, kMixed},
    {"MixedEpilogueAsync", Epilogue<false>, kMixed},
    {"MixedWrittenBefore", Written<false>, kMixed},
    {"MixedFromUb", Written<true>, kMixed},
    {"MixedFromTscm", FromTscm<false>, kMixed},
    {"MixedUbToTscm", FromTscm<true>, kMixed},
    {"MixedRowsFromUb", RowsFromUb<true>, kMixed},
    {"MixedRowsFromUbAsync", RowsFromUb<false>, kMixed},
    {"MixedPartialSums", PartialSums, kMixed},
    {"MixedPartialOutput", PartialOutput, kMixed},
    {"MixedReadsAtOnce", ReadsAtOnce<false>, kMixed},
    {"MixedReadsAfterWait", ReadsAtOnce<true>, kMixed},
    {"MixedNotRegistered", NotRegistered, kMixed},
    {"MixedOneLeaves", OneLeaves, kMixed},
    {"MixedWaitsForNothing", WaitsForNothing, kMixed},
    {"MixedEmptyTiling", EmptyTiling<false>, kMixed},
    {"MixedUsesEmptyTiling", EmptyTiling<true>, kMixed},
    {"MixedLargeTscm", LargeTscm, kMixed},
    {"MixedShared", Shared, kMixed},
    {"MixedSharedFromUb", SharedFromUb, kMixed},
    {"MixedDualMaster", DualMaster, kMixed},
    {"MixedTwoObjects", TwoObjects, kMixed},
    {"MixedOneToOne", OneToOne, sim::KernelType::kMixed11},
    {"MixedOnVector", Product<half, float, float>, sim::KernelType::kVector},
    {"MixedOnCube", Product<half, float, float>, sim::KernelType::kCube},
};

}  // namespace
