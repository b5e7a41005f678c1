// SPDX-License-Identifier: Apache-2.0
// Matmul on a cube core: factors in L1, copies of the kernel, policies, results in L0C, narrow and sparse
// factors. Buffers: A, B, C. Ints: m, n, k, A and B transposed or not, baseM, baseN, baseK.
#define ASCENDC_CUBE_ONLY
#include "case.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

namespace {

template <typename T, TPosition pos = TPosition::GM, CubeFormat format = CubeFormat::ND>
using Matrix = MatmulType<pos, format, T, true>;

TCubeTiling TilingOf(const Case &c) {
  TCubeTiling t;
  t.M = t.singleCoreM = c.Int(0), t.N = t.singleCoreN = c.Int(1), t.Ka = t.Kb = t.singleCoreK = c.Int(2);
  t.baseM = c.Int(5), t.baseN = c.Int(6), t.baseK = c.Int(7);
  t.stepM = t.stepN = t.dbL0C = 1;
  t.stepKa = t.stepKb = t.dbL0A = t.dbL0B = 2;
  t.depthA1 = t.depthB1 = 4;
  t.usedCoreNum = 1;
  return t;
}

// Registers an object and multiplies; set(mm) gives it the factors.
template <class Object, class Set>
void Run(const TCubeTiling &t, Set &&set) {
  TPipe pipe;
  Object mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  set(mm, pipe);
  mm.End();
}
template <class Object, class Set>
void Run(Case &c, Set &&set) {
  Run<Object>(TilingOf(c), set);
}

// Copies a matrix of rows x columns to columns of fractals in L1, whose rows are a multiple of `unit`.
template <typename T>
LocalTensor<T> ToL1(TBuf<TPosition::A1> &buffer, TPipe &pipe, const GlobalTensor<T> &gm, uint32_t rows,
                    uint32_t columns, uint32_t unit) {
  constexpr uint32_t kWidth = 32 / sizeof(T);
  const uint32_t padded = (rows + unit - 1) / unit * unit;
  pipe.InitBuffer(buffer, padded * ((columns + kWidth - 1) / kWidth * kWidth) * sizeof(T));
  const auto tensor = buffer.template Get<T>();
  DataCopy(tensor, gm, Nd2NzParams(1, rows, columns, 0, columns, padded, 1, 0));
  return tensor;
}

template <typename T, typename O>
void InL1(Case &c) {
  const bool trans_a = c.Int(3) != 0, trans_b = c.Int(4) != 0;
  const uint32_t m = c.Int(0), n = c.Int(1), k = c.Int(2), square = sizeof(T) == 1 ? 32 : 16;
  TBuf<TPosition::A1> a_buffer, b_buffer;
  Run<Matmul<Matrix<T, TPosition::TSCM, CubeFormat::NZ>, Matrix<T, TPosition::TSCM, CubeFormat::NZ>,
             Matrix<O>>>(c, [&](auto &mm, TPipe &pipe) {
    const auto a =
        ToL1(a_buffer, pipe, c.Global<T>(0), trans_a ? k : m, trans_a ? m : k, trans_a ? square : 16);
    const auto b =
        ToL1(b_buffer, pipe, c.Global<T>(1), trans_b ? n : k, trans_b ? k : n, trans_b ? 16 : square);
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    mm.SetTensorA(a, trans_a);
    mm.SetTensorB(b, trans_b);
    mm.IterateAll(c.Global<O>(2));
  });
}

// --- copies of the kernel

// The matrices as the copies find them: rows of A and B lie `pitch` elements apart.
struct Pitches {
  uint32_t a, b, base_m, base_n, step_k;
};

void CopyBlock(const LocalTensor<int8_t> &to, const __gm__ void *gm, uint32_t row, uint32_t column, int rows,
               int columns, uint32_t pitch) {
  GlobalTensor<half> from;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(const_cast<void *>(gm)));
  const auto padded = static_cast<uint16_t>((rows + 15) / 16 * 16);
  DataCopy(to.ReinterpretCast<half>(), from[row * pitch + column],
           Nd2NzParams(1, rows, columns, 0, pitch, padded, 1, 0));
}
void CopyA(const LocalTensor<int8_t> &to, const __gm__ void *gm, int row, int col, int rows, int columns,
           const uint64_t tiling, const uint64_t) {
  const auto &p = *reinterpret_cast<const Pitches *>(tiling);
  CopyBlock(to, gm, row * p.base_m, col * p.step_k, rows, columns, p.a);
}
void CopyB(const LocalTensor<int8_t> &to, const __gm__ void *gm, int row, int col, int rows, int columns,
           const uint64_t, const uint64_t data) {
  const auto &p = *reinterpret_cast<const Pitches *>(data);
  CopyBlock(to, gm, row * p.step_k, col * p.base_n, rows, columns, p.b);
}
// Copies a tile of the result without its negative values.
void CopyC(const __gm__ void *gm, const LocalTensor<int8_t> &tile, const void *params, const uint64_t,
           const uint64_t) {
  const auto &p = *static_cast<const DataCopyOutParams *>(params);
  GlobalTensor<float> to;
  to.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(const_cast<void *>(gm)));
  const auto rows = static_cast<uint16_t>(p.burstLen / 2);
  FixpipeParamsV220 out(p.oriNSize, rows, (rows + 15) / 16 * 16, p.dstStride, true);
  Fixpipe(to, tile.ReinterpretCast<float>(), out);
}

template <const auto &config>
void OwnCopies(Case &c) {
  const bool steps = config.doMultiDataLoad;
  const Pitches pitches{static_cast<uint32_t>(c.Int(8)), static_cast<uint32_t>(c.Int(9)),
                        static_cast<uint32_t>(c.Int(5)), static_cast<uint32_t>(c.Int(6)),
                        static_cast<uint32_t>(c.Int(7)) * (steps ? 2 : 1)};
  using Half = MatmulType<TPosition::GM, CubeFormat::ND, half>;
  using Object =
      Matmul<Half, Half, Matrix<float>, Matrix<float>, config, MatmulCallBackFunc<CopyC, CopyA, CopyB>>;
  Run<Object>(c, [&](auto &mm, TPipe &) {
    mm.SetUserDefInfo(reinterpret_cast<uint64_t>(&pitches));
    mm.SetSelfDefineData(reinterpret_cast<uint64_t>(&pitches));
    mm.SetTensorA(c.Global<half>(0));
    mm.SetTensorB(c.Global<half>(1));
    mm.IterateAll(c.Global<float>(2));
  });
}

// --- policies, results in L0C, scalars

template <template <const auto &, typename...> class POLICY>
void Policy(Case &c) {
  using Object =
      Matmul<Matrix<half>, Matrix<half>, Matrix<float>, Matrix<float>, CFG_MDL, MatmulCallBackFunc<>, POLICY>;
  TCubeTiling t = TilingOf(c);
  if (c.Int(8) > 0) t.stepKa = t.depthA1 = c.Int(8);
  Run<Object>(t, [&](auto &mm, TPipe &) {
    mm.SetTensorA(c.Global<half>(0));
    mm.SetTensorB(c.Global<half>(1));
    mm.IterateAll(c.Global<float>(2));
  });
}

// All tiles of a row of tiles wait in L0C, and leave it together.
void ToL0c(Case &c) {
  const TCubeTiling t = TilingOf(c);
  using Object = Matmul<Matrix<half>, Matrix<half>,
                        MatmulType<TPosition::CO1, CubeFormat::NZ, GetMmDstType<half>::Type>>;
  Run<Object>(c, [&](auto &mm, TPipe &pipe) {
    TQue<TPosition::CO1, 1> results;
    pipe.InitBuffer(results, 1, t.baseM * t.singleCoreN * sizeof(float));
    auto tiles = results.AllocTensor<float>();
    mm.SetTensorA(c.Global<half>(0));
    mm.SetTensorB(c.Global<half>(1));
    for (uint32_t at = 0; mm.Iterate(false, tiles[at]); at += t.baseM * t.baseN) continue;
    results.EnQue(tiles);
    tiles = results.DeQue<float>();
    Fixpipe(c.Global<float>(2), tiles, FixpipeParamsV220(t.singleCoreN, t.baseM, t.baseM, t.N, false));
    results.FreeTensor(tiles);
  });
}

// The factors fill L1. The tiling speaks of a bias that nobody sets.
void FullL1(Case &c) {
  TCubeTiling t = TilingOf(c);
  t.stepKa = t.stepKb = 4;
  t.depthA1 = t.depthB1 = 8;
  t.isBias = 1;
  Run<Matmul<Matrix<half>, Matrix<half>, Matrix<float>>>(t, [&](auto &mm, TPipe &) {
    mm.SetTensorA(c.Global<half>(0));
    mm.SetTensorB(c.Global<half>(1));
    mm.IterateAll(c.Global<float>(2));
  });
}

// A is one row of the value 3.
void ScalarA(Case &c) {
  using Object = Matmul<MatmulType<TPosition::GM, CubeFormat::SCALAR, half>, Matrix<half>, Matrix<float>>;
  Run<Object>(c, [&](auto &mm, TPipe &) {
    mm.SetTensorA(static_cast<half>(3.0F));
    mm.SetTensorB(c.Global<half>(1), c.Int(4) != 0);
    mm.IterateAll(c.Global<float>(2));
  });
}

// --- narrow and sparse factors

void Int4(Case &c) {
  GlobalTensor<int4b_t> a, b;
  a.SetGlobalBuffer(reinterpret_cast<__gm__ int4b_t *>(c.Global<int8_t>(0).GetPhyAddr(0)));
  b.SetGlobalBuffer(reinterpret_cast<__gm__ int4b_t *>(c.Global<int8_t>(1).GetPhyAddr(0)));
  Run<Matmul<Matrix<int4b_t>, Matrix<int4b_t>, Matrix<int32_t>>>(c, [&](auto &mm, TPipe &) {
    mm.SetTensorA(a, c.Int(3) != 0);
    mm.SetTensorB(b, c.Int(4) != 0);
    mm.IterateAll(c.Global<int32_t>(2));
  });
}

// B lies in columns of fractals.
void NzInt8(Case &c) {
  using B = Matrix<int8_t, TPosition::GM, CubeFormat::NZ>;
  Run<Matmul<Matrix<int8_t>, B, Matrix<int32_t>>>(c, [&](auto &mm, TPipe &) {
    mm.SetTensorA(c.Global<int8_t>(0));
    mm.SetTensorB(c.Global<int8_t>(1));
    mm.IterateAll(c.Global<int32_t>(2));
  });
}

void Sparse(Case &c) {
  using B = SparseMatmulType<TPosition::GM, TPosition::GM, CubeFormat::ND, int8_t, true>;
  Run<Matmul<Matrix<int8_t>, B, Matrix<int32_t>, Matrix<int32_t>, CFG_MDL>>(c, [&](auto &mm, TPipe &) {
    mm.SetTensorA(c.Global<int8_t>(0));
    mm.SetTensorB(c.Global<int8_t>(1), c.Int(4) != 0);
    mm.SetSparseIndex(c.Global<uint8_t>(3));
    mm.IterateAll(c.Global<int32_t>(2));
  });
}

// Nobody has loaded an index.
void NoIndex(Case &) {
  const LocalTensor<int8_t> a(TPosition::A2, 0, 512), b(TPosition::B2, 0, 512);
  MmadWithSparse(LocalTensor<int32_t>(TPosition::CO1, 0, 256), a, b, MmadParams(16, 16, 64, 0, false, true));
}

// A constant of the source becomes a struct, byte by byte.
struct Sizes {
  int32_t m;
  uint16_t n;
};
constexpr uint8_t kSizes[sizeof(Sizes)] = {2, 1, 0, 0, 7, 3};
static_assert(convert_from_bytes<Sizes>(kSizes).m == 258 && convert_from_bytes<Sizes>(kSizes).n == 775);

constexpr auto kCube = sim::KernelType::kCube;
const Register table{
    {"CubeInL1",
     [](Case &c) {
       if (c.dtype == "int8") return InL1<int8_t, int32_t>(c);
       if (c.dtype == "float32") return InL1<float, float>(c);
       InL1<half, float>(c);
     },
     kCube},
    {"CubeOwnCopies", OwnCopies<CFG_NORM>, kCube},
    {"CubeOwnCopiesOfSteps", OwnCopies<CFG_MDL>, kCube},
    {"CubeUpper", Policy<Impl::Detail::TrianUpperMatmulPolicy>, kCube},
    {"CubeLower", Policy<Impl::Detail::TrianLowerMatmulPolicy>, kCube},
    {"CubeNBuffer33", Policy<Impl::Detail::NBuffer33MatmulPolicy>, kCube},
    {"CubeToL0c", ToL0c, kCube},
    {"CubeFullL1", FullL1, kCube},
    {"CubeScalarA", ScalarA, kCube},
    {"CubeInt4", Int4, kCube},
    {"CubeNzInt8", NzInt8, kCube},
    {"CubeSparse", Sparse, kCube},
    {"CubeNoIndex", NoIndex, kCube},
};

}  // namespace
