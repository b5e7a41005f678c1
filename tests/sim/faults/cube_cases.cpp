// SPDX-License-Identifier: Apache-2.0
// Wrong uses of the cube unit: order, memories, shapes and types.
#include "harness.h"
#include "mixed_product.h"

using namespace AscendC;

namespace {

void CorrectMixed(const Arguments &a) {
  TPipe pipe;
  MixedProduct op;
  op.Init(a.self, a.other, a.out, a.fresh, a.workspace, &pipe);
  op.Process();
}

// Two factors of 32 x 32 halves, at fixed addresses of the memories.
struct Setup {
  explicit Setup(const Arguments &arguments) {
    self.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(arguments.self), 16384);
    other.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(arguments.other), 16384);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out), 16384);
  }
  void In() {
    DataCopy(a1, self, rows);
    DataCopy(b1, other, rows);
  }
  void Load() {
    LoadData(a2, a1, whole);
    LoadData(b2, b1, whole);
  }

  TPipe pipe;
  GlobalTensor<half> self, other;
  GlobalTensor<float> out;
  LocalTensor<half> a1{TPosition::A1, 0, 1024}, b1{TPosition::B1, 2048, 1024};
  LocalTensor<half> a2{TPosition::A2, 0, 1024}, b2{TPosition::B2, 0, 1024};
  LocalTensor<float> c{TPosition::CO1, 0, 1024};
  Nd2NzParams rows{1, 32, 32, 0, 32, 32, 1, 0};
  LoadData2DParams whole{0, 4, 1, 0, 0, false, 0};
  MmadParams product{32, 32, 32, 0, false, true};
  FixpipeParamsV220 result{32, 32, 32, 32, false};
};

// All steps and the flags between them, except the flag that `missing` names.
enum class Missing { kNothing, kLoad, kProduct, kResult, kReload, kRecompute };
template <Missing missing>
void Steps(const Arguments &arguments) {
  Setup s(arguments);
  s.In();
  if (missing != Missing::kLoad) Order<HardEvent::MTE2_MTE1>();
  FAULT_HERE;
  LoadData(s.a2, s.a1, s.whole);
  if (missing == Missing::kLoad) return;
  LoadData(s.b2, s.b1, s.whole);
  if (missing != Missing::kProduct) Order<HardEvent::MTE1_M>();
  FAULT_HERE;
  Mmad(s.c, s.a2, s.b2, s.product);
  if (missing == Missing::kProduct) return;
  if (missing == Missing::kReload) {
    FAULT_HERE;
    LoadData(s.a2, s.a1, s.whole);
    return;
  }
  if (missing != Missing::kResult) Order<HardEvent::M_FIX>();
  FAULT_HERE;
  Fixpipe(s.out, s.c, s.result);
  if (missing == Missing::kResult) return;
  if (missing == Missing::kRecompute) {
    FAULT_HERE;
    Mmad(s.c, s.a2, s.b2, s.product);
  }
}

// All steps up to the product.
struct Ready : Setup {
  explicit Ready(const Arguments &arguments) : Setup(arguments) {
    In();
    Order<HardEvent::MTE2_MTE1>();
    Load();
    Order<HardEvent::MTE1_M>();
  }
};

void SmallProductsInARow(const Arguments &arguments) {
  Ready s(arguments);
  Mmad(s.c, s.a2, s.b2, s.product);
  s.product.cmatrixInitVal = false;
  FAULT_HERE;
  Mmad(s.c, s.a2, s.b2, s.product);
}

// Products of ten fractals of results and more need no barrier between them.
void CorrectLargeProductsInARow(const Arguments &arguments) {
  Setup s(arguments);
  const Nd2NzParams rows(1, 64, 32, 0, 32, 64, 1, 0);
  const LocalTensor<half> a1(TPosition::A1, 0, 2048), a2(TPosition::A2, 0, 2048), b2(TPosition::B2, 0, 2048);
  const LocalTensor<float> c(TPosition::CO1, 0, 4096);
  DataCopy(a1, s.self, rows);
  Order<HardEvent::MTE2_MTE1>();
  LoadData(a2, a1, LoadData2DParams(0, 8, 1, 0, 0, false, 0));
  LoadData(b2, a1, LoadData2DParams(0, 8, 1, 0, 0, false, 0));
  Order<HardEvent::MTE1_M>();
  MmadParams product(64, 64, 32, 0, false, true);
  Mmad(c, a2, b2, product);
  product.cmatrixInitVal = false;
  Mmad(c, a2, b2, product);
  Order<HardEvent::M_FIX>();
  Fixpipe(s.out, c, FixpipeParamsV220(64, 64, 64, 64, false));
}

void AccumulateNothing(const Arguments &arguments) {
  Ready s(arguments);
  s.product.cmatrixInitVal = false;
  Mmad(s.c, s.a2, s.b2, s.product);
  Order<HardEvent::M_FIX>();
  FAULT_HERE;
  Fixpipe(s.out, s.c, s.result);
}

void ResultBeforeProduct(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  Fixpipe(s.out, s.c, s.result);
}

void MoreRowsThanComputed(const Arguments &arguments) {
  Ready s(arguments);
  s.product.m = 30;
  Mmad(s.c, s.a2, s.b2, s.product);
  Order<HardEvent::M_FIX>();
  FAULT_HERE;
  Fixpipe(s.out, s.c, s.result);
}

void MoreDepthThanLoaded(const Arguments &arguments) {
  Setup s(arguments);
  s.rows.dValue = 24;
  s.In();
  Order<HardEvent::MTE2_MTE1>();
  s.rows.dValue = 32;
  s.Load();
  Order<HardEvent::MTE1_M>();
  s.product.k = 40;
  const LocalTensor<half> a2(TPosition::A2, 0, 2048), b2(TPosition::B2, 0, 2048);
  Mmad(s.c, a2, b2, s.product);
  Order<HardEvent::M_FIX>();
  FAULT_HERE;
  Fixpipe(s.out, s.c, s.result);
}

void L0Overflow(const Arguments &arguments) {
  Setup s(arguments);
  const LocalTensor<half> a2(TPosition::A2, 64 * 1024 - 1024, 1024);
  FAULT_HERE;
  LoadData(a2, s.a1, s.whole);
}

void L0BufferOverflow(const Arguments &arguments) {
  Setup s(arguments);
  TBuf<TPosition::A2> buffer;
  FAULT_HERE;
  s.pipe.InitBuffer(buffer, 64 * 1024 + 32);
}

void ProductLeavesTensor(const Arguments &arguments) {
  Ready s(arguments);
  const LocalTensor<float> c(TPosition::CO1, 0, 512);
  FAULT_HERE;
  Mmad(c, s.a2, s.b2, s.product);
}

void MisalignedLoad(const Arguments &arguments) {
  Setup s(arguments);
  const LocalTensor<half> a2(TPosition::A2, 256, 1024);
  FAULT_HERE;
  LoadData(a2, s.a1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
}

void LoadOfALaterDevice(const Arguments &arguments) {
  Setup s(arguments);
  const LocalTensor<half> a2(TPosition::A2, 0, 1024);
  FAULT_HERE;
  LoadData(a2, s.a1, AscendC::LoadData2DParamsV2(0, 0, 1, 1, 1, 1, false, 0));
}

void ImageBehindItsBoundary(const Arguments &arguments) {
  Setup s(arguments);
  const LocalTensor<half> image(TPosition::A1, 2048, 1024), a2(TPosition::A2, 0, 1024);
  AscendC::SetLoadDataBoundary(2048);
  const uint8_t padding[4] = {};
  AscendC::LoadData3DParamsV2<half> window(padding, 4, 4, 16, 16, 16, 0, 0, 1, 1, 1, 1, 1, 1, false, false,
                                           half(0));
  FAULT_HERE;
  LoadData(a2, image, window);
}

// A product with a sparse factor whose index is filled with one value, or which nobody wrote.
enum class Index { kZeros, kThrees, kUnwritten };
template <Index index>
void SparseSteps(const Arguments &arguments) {
  Setup s(arguments);
  const auto a1 = s.a1.ReinterpretCast<int8_t>(), b1 = s.b1.ReinterpretCast<int8_t>();
  const auto a2 = s.a2.ReinterpretCast<int8_t>(), b2 = s.b2.ReinterpretCast<int8_t>();
  const LocalTensor<uint16_t> idx(TPosition::B1, 8192, 64);
  s.In();
  if (index != Index::kUnwritten) {
    Fill(idx, InitConstValueParams<uint16_t>(1, 4, 0, index == Index::kThrees ? 0xFFFF : 0));
  }
  Order<HardEvent::MTE2_MTE1>();
  LoadData(a2, a1, LoadData2DParams(0, 2, 1, 0, 0, false, 0));
  if (index == Index::kUnwritten) FAULT_HERE;
  LoadDataWithSparse(b2, b1, idx.ReinterpretCast<uint8_t>(), LoadData2DParams(0, 1, 0, 0, 0, false, 0));
  if (index == Index::kUnwritten) return;
  Order<HardEvent::MTE1_M>();
  if (index == Index::kThrees) FAULT_HERE;
  MmadWithSparse(LocalTensor<int32_t>(TPosition::CO1, 0, 256), a2, b2,
                 MmadParams(16, 16, 64, 0, false, true));
}

void MisalignedSparseLoad(const Arguments &arguments) {
  Setup s(arguments);
  const LocalTensor<int8_t> b2(TPosition::B2, 256, 1024);
  const LocalTensor<uint8_t> idx(TPosition::B1, 8192, 128);
  FAULT_HERE;
  LoadDataWithSparse(b2, s.b1.ReinterpretCast<int8_t>(), idx, LoadData2DParams(0, 1, 0, 0, 0, false, 0));
}

void TransposedHalvesToL0A(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  LoadDataWithTranspose(s.a2.ReinterpretCast<int4b_t>(), s.a1.ReinterpretCast<int4b_t>(),
                        LoadData2dTransposeParams(0, 1, 1, 0, 0));
}

template <uint32_t bytes>
void Boundary(const Arguments &) {
  FAULT_HERE;
  SetLoadDataBoundary(bytes);
}

void MisalignedResult(const Arguments &arguments) {
  Ready s(arguments);
  const LocalTensor<float> c(TPosition::CO1, 512, 2048);
  FAULT_HERE;
  Mmad(c, s.a2, s.b2, s.product);
}

void TransposedFloats(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  LoadData(s.b2.ReinterpretCast<float>(), s.b1.ReinterpretCast<float>(),
           LoadData2DParams(0, 1, 1, 0, 0, true, 0));
}

void OverlappingSquares(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  LoadDataWithTranspose(s.b2.ReinterpretCast<float>(), s.b1.ReinterpretCast<float>(),
                        LoadData2dTransposeParams(0, 2, 1, 0, 0));
}

void MixedTypes(const Arguments &arguments) {
  Ready s(arguments);
  FAULT_HERE;
  Mmad(s.c, s.a2, s.b2.ReinterpretCast<bfloat16_t>(), s.product);
}

void SwappedFactors(const Arguments &arguments) {
  Ready s(arguments);
  FAULT_HERE;
  Mmad(s.c, s.b2, s.a2, s.product);
}

void ResultOfAnotherType(const Arguments &arguments) {
  Ready s(arguments);
  Mmad(s.c, s.a2, s.b2, s.product);
  Order<HardEvent::M_FIX>();
  GlobalTensor<half> out;
  out.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(arguments.out), 16384);
  FAULT_HERE;
  Fixpipe(out, s.c, s.result);
}

void TooLarge(const Arguments &arguments) {
  Setup s(arguments);
  s.product.m = 4096;
  FAULT_HERE;
  Mmad(s.c, s.a2, s.b2, s.product);
}

void VectorOnCube(const Arguments &) {
  const LocalTensor<float> x(TPosition::VECCALC, 0, 64);
  FAULT_HERE;
  Duplicate(x, 1.0f, 64);
}

void CubeOnVector(const Arguments &arguments) {
  GlobalTensor<float> self;
  self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), 64);
  const LocalTensor<float> l1(TPosition::A1, 0, 64);
  FAULT_HERE;
  DataCopy(l1, self, 64);
}

// A vector core writes what the cube core reads, and sets no flag.
void NoFlagBeforeCube(const Arguments &arguments) {
  GlobalTensor<half> workspace;
  workspace.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(arguments.self), 1024);
  if ASCEND_IS_AIC {
    const LocalTensor<half> l1(TPosition::A1, 0, 1024);
    DataCopy(l1, workspace, 1024);
  } else {
    if (GetSubBlockIdx() != 0) return;
    const LocalTensor<half> x(TPosition::VECCALC, 0, 1024);
    Duplicate(x, half(1), 1024);
    Order<HardEvent::V_MTE3>();
    DataCopy(workspace, x, 1024);
  }
}

// The flag is that of a pipe which does not write: MTE2 ends long before MTE3.
void FlagOfAnotherPipe(const Arguments &arguments) {
  GlobalTensor<half> workspace;
  workspace.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(arguments.self), 1024);
  if ASCEND_IS_AIC {
    CrossCoreWaitFlag(4);
    const LocalTensor<half> l1(TPosition::A1, 0, 1024);
    DataCopy(l1, workspace, 1024);
  } else {
    const LocalTensor<half> x(TPosition::VECCALC, 0, 512);
    Duplicate(x, half(1), 512);
    Order<HardEvent::V_MTE3>();
    DataCopy(workspace[GetSubBlockIdx() * 512], x, 512);
    CrossCoreSetFlag<2, PIPE_MTE2>(4);
  }
}

void FlagNobodyTakes(const Arguments &) {
  if ASCEND_IS_AIV {
    FAULT_HERE;
    CrossCoreSetFlag<2, PIPE_MTE3>(5);
  }
}

void FlagOfOneOfTwo(const Arguments &) {
  if (ASCEND_IS_AIV && GetSubBlockIdx() == 1) {
    FAULT_HERE;
    CrossCoreSetFlag<2, PIPE_MTE3>(5);
  }
}

// What a core of a mixed block learns about itself.
void CorrectIndices(const Arguments &) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  ASSERT(GetBlockNum() == 3);
  if ASCEND_IS_AIC {
    ASSERT(GetBlockIdx() < 3 && GetSubBlockIdx() == 0 && GetSubBlockNum() == 1 && GetTaskRatio() == 1);
  } else {
    ASSERT(GetBlockIdx() < 6 && GetSubBlockIdx() == GetBlockIdx() % 2);
    ASSERT(GetSubBlockNum() == 2 && GetTaskRatio() == 2);
  }
}

void FlagIdTooLarge(const Arguments &) {
  FAULT_HERE;
  CrossCoreSetFlag<2, PIPE_MTE3>(16);
}

}  // namespace

const std::vector<FaultCase> &CubeCases() {
  using K = sim::FaultKind;
  constexpr auto kCube = sim::KernelType::kCube, kMixed = sim::KernelType::kMixed12;
  auto cube = [](const char *name, K kind, void (*kernel)(const Arguments &),
                 std::vector<std::string> texts) {
    return FaultCase{name, kind, kernel, std::move(texts), 1, false, kCube};
  };
  auto mixed = [](const char *name, K kind, void (*kernel)(const Arguments &),
                  std::vector<std::string> texts) {
    return FaultCase{name, kind, kernel, std::move(texts), 1, false, kMixed};
  };
  static const std::vector<FaultCase> cases = {
      mixed("correct_mixed_product", K::kOther, CorrectMixed, {}),
      {"correct_indices", K::kOther, CorrectIndices, {}, 3, false, kMixed},
      cube("correct_product", K::kOther, Steps<Missing::kNothing>, {}),
      cube("correct_large_products", K::kOther, CorrectLargeProductsInARow, {}),
      cube("load_before_copy", K::kMissingSync, Steps<Missing::kLoad>,
           {"LoadData", "on MTE1 reads src, L1 bytes [0, 2048)", "on MTE2 writes", "HardEvent::MTE2_MTE1>"}),
      cube(
          "product_before_load", K::kMissingSync, Steps<Missing::kProduct>,
          {"Mmad", "on M reads fm, L0A bytes [0, 2048)", "LoadData", "on MTE1 writes", "HardEvent::MTE1_M>"}),
      cube("result_before_product", K::kMissingSync, Steps<Missing::kResult>,
           {"Fixpipe", "on FIX reads src, L0C bytes [0, 4096)", "Mmad", "on M writes", "HardEvent::M_FIX>"}),
      cube("load_over_product", K::kMissingSync, Steps<Missing::kReload>,
           {"LoadData", "on MTE1 writes dst, L0A", "Mmad", "on M reads", "HardEvent::M_MTE1>"}),
      cube("product_over_result", K::kMissingSync, Steps<Missing::kRecompute>,
           {"Mmad", "on M writes dst, L0C", "Fixpipe", "on FIX reads", "HardEvent::FIX_M>"}),
      cube("small_products", K::kMissingSync, SmallProductsInARow,
           {"Mmad", "reads dst, L0C", "on M writes", "PipeBarrier<PIPE_M>"}),
      cube("accumulate_nothing", K::kUninitialised, AccumulateNothing,
           {"Fixpipe", "byte 0 comes from L0C bytes [0, 4096), which nothing wrote, through Mmad ("}),
      cube("result_without_product", K::kUninitialised, ResultBeforeProduct,
           {"Fixpipe", "from src, L0C", "nothing wrote byte 0"}),
      cube("more_rows_than_computed", K::kUninitialised, MoreRowsThanComputed,
           {"Fixpipe", "from src, L0C", "nothing wrote byte 1920"}),
      cube("more_depth_than_loaded", K::kUninitialised, MoreDepthThanLoaded,
           {"Fixpipe", "from src, L0C", "which nothing wrote, through Mmad ("}),
      cube("l0_overflow", K::kUbBounds, L0Overflow,
           {"LoadData", "L0A bytes [64512, 66560), but the memory has 65536"}),
      cube("l0_buffer_overflow", K::kUbCapacity, L0BufferOverflow,
           {"InitBuffer", "65568 bytes does not fit in L0A"}),
      cube("product_leaves_tensor", K::kBeyondTensor, ProductLeavesTensor,
           {"Mmad", "dst takes 4096 bytes", "its LocalTensor has 2048"}),
      cube("misaligned_load", K::kAlignment, MisalignedLoad,
           {"LoadData", "dst must start on a multiple of 512 bytes"}),
      cube("load_of_a_later_device", K::kType, LoadOfALaterDevice,
           {"LoadData", "does not take LoadData2DParamsV2"}),
      cube("image_behind_its_boundary", K::kUbBounds, ImageBehindItsBoundary,
           {"LoadData", "src starts at byte 2048 of L1", "boundary of SetLoadDataBoundary, 2048"}),
      cube("correct_sparse_product", K::kOther, SparseSteps<Index::kZeros>, {}),
      cube("sparse_index_of_three", K::kOther, SparseSteps<Index::kThrees>,
           {"Mmad", "an index of idx, which LoadDataWithSparse has loaded, must be in [0, 2], got 3"}),
      cube("sparse_index_nobody_wrote", K::kUninitialised, SparseSteps<Index::kUnwritten>,
           {"LoadDataWithSparse", "chooses values of fm by idx"}),
      cube("misaligned_sparse_load", K::kAlignment, MisalignedSparseLoad,
           {"LoadDataWithSparse", "dst must start on a multiple of 512 bytes"}),
      cube("transposed_halves_to_l0a", K::kType, TransposedHalvesToL0A,
           {"LoadDataWithTranspose", "dst must be in L0B (B2), for int4b_t"}),
      cube("boundary_too_low", K::kCount_, Boundary<1023>,
           {"SetLoadDataBoundary", "boundaryValue must be 0, or at least 1024, got 1023"}),
      cube("correct_boundary", K::kOther, Boundary<1024>, {}),
      cube("misaligned_result", K::kAlignment, MisalignedResult,
           {"Mmad", "dst must start on a multiple of 1024 bytes"}),
      cube("transposed_floats", K::kType, TransposedFloats,
           {"LoadData", "ifTranspose needs", "the type has 4"}),
      cube("overlapping_squares", K::kStride, OverlappingSquares,
           {"LoadDataWithTranspose", "two repeats overlap"}),
      cube("mixed_types", K::kType, MixedTypes, {"Mmad", "fm and filter must both be half"}),
      cube("swapped_factors", K::kType, SwappedFactors, {"Mmad", "fm must be in L0A (A2), it is in L0B"}),
      cube("result_of_another_type", K::kType, ResultOfAnotherType,
           {"Fixpipe", "F322F16 from float to half"}),
      cube("product_too_large", K::kCount_, TooLarge, {"Mmad", "m must be in [0, 4095], got 4096"}),
      cube("vector_on_cube", K::kType, VectorOnCube,
           {"Duplicate", "dst is in UB, which a cube core does not have"}),
      {"cube_on_vector",
       K::kType,
       CubeOnVector,
       {"DataCopy", "dst is in L1, which a vector core does not have"}},
      mixed("no_flag_before_cube", K::kBlockConflict, NoFlagBeforeCube,
            {"DataCopy", "GM bytes [0, 2048)", "which another core of the block ",
             "missing CrossCoreSetFlag<2, PIPE_"}),
      mixed("flag_of_another_pipe", K::kBlockConflict, FlagOfAnotherPipe,
            {"DataCopy", "and nothing orders the two cores: missing CrossCoreSetFlag<2, PIPE_"}),
      mixed("flag_nobody_takes", K::kFlag, FlagNobodyTakes,
            {"CrossCoreSetFlag", "flag 5 is set, but nobody waits for it: missing CrossCoreWaitFlag"}),
      mixed("flag_of_one_of_two", K::kFlag, FlagOfOneOfTwo,
            {"CrossCoreSetFlag", "flag 5 is not set by all cores"}),
      mixed("flag_id", K::kFlag, FlagIdTooLarge, {"CrossCoreSetFlag", "flagId must be in [0, 15], got 16"}),
  };
  return cases;
}
