// SPDX-License-Identifier: Apache-2.0
// Calls every function of the AscendC API once, with the documented order of arguments. The test is that it
// compiles with sim/ascendc and, unchanged, with CANN's own headers. Nothing runs it.
#include <type_traits>
#include <utility>

#include "kernel_operator.h"

using namespace AscendC;

namespace {

struct Tensors {
  LocalTensor<float> f0, f1, f2;
  LocalTensor<half> h0, h1, h2;
  LocalTensor<bfloat16_t> b0;
  LocalTensor<int16_t> s0, s1;
  LocalTensor<int32_t> w0, w1, w2;
  LocalTensor<int64_t> l0;
  LocalTensor<int8_t> c0;
  LocalTensor<uint8_t> u8;
  LocalTensor<uint16_t> u16, v16;
  LocalTensor<uint32_t> u32;
  LocalTensor<uint64_t> u64, v64;
  GlobalTensor<float> g;
  uint64_t mask[2] = {~0ULL, 0};
};

// Whether a function takes the array of a mask as Mask. Some of CANN's functions do not promise to leave it
// as it is, so that a kernel with a constant array would not compile there.
template <typename Mask, typename = void>
constexpr bool kDuplicateTakes = false;
template <typename Mask>
constexpr bool kDuplicateTakes<
    Mask, std::void_t<decltype(Duplicate(std::declval<LocalTensor<float> &>(), 0.0f, std::declval<Mask>(),
                                         uint8_t{1}, uint16_t{1}, uint8_t{8}))>> = true;
template <typename Mask, typename = void>
constexpr bool kAddTakes = false;
template <typename Mask>
constexpr bool kAddTakes<
    Mask, std::void_t<decltype(Add(std::declval<LocalTensor<float> &>(), std::declval<LocalTensor<float> &>(),
                                   std::declval<LocalTensor<float> &>(), std::declval<Mask>(), uint8_t{1},
                                   std::declval<BinaryRepeatParams>()))>> = true;
template <typename Mask, typename = void>
constexpr bool kCastTakes = false;
template <typename Mask>
constexpr bool kCastTakes<
    Mask, std::void_t<decltype(Cast(std::declval<LocalTensor<float> &>(), std::declval<LocalTensor<half> &>(),
                                    RoundMode::CAST_NONE, std::declval<Mask>(), uint8_t{1},
                                    std::declval<UnaryRepeatParams>()))>> = true;
static_assert(kDuplicateTakes<uint64_t *> && !kDuplicateTakes<const uint64_t *>);
static_assert(kAddTakes<uint64_t *> && !kAddTakes<const uint64_t *>);
static_assert(kCastTakes<uint64_t *> && kCastTakes<const uint64_t *>);

__aicore__ inline void TensorMembers(Tensors &t) {
  t.f0.SetValue(0, 1.5f);
  float value = t.f0.GetValue(1);
  LocalTensor<int32_t> cast = t.f0[8].ReinterpretCast<int32_t>();
  cast.SetSize(8);
  uint32_t size = cast.GetSize();
  int32_t position = t.f0.GetPosition();
  t.f0.SetUserTag(3);
  TTagType tag = t.f0.GetUserTag();
  t.g.SetGlobalBuffer((__gm__ float *)nullptr, 16);
  t.g.SetGlobalBuffer((__gm__ float *)nullptr);
  t.g.SetValue(0, value);
  value = t.g.GetValue(0);
  t.g.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
  uint64_t global = t.g[4].GetSize();
  const uint32_t shape[2] = {2, 8};
  t.f0.SetShapeInfo(ShapeInfo(2, shape, DataFormat::ND));
  uint32_t dims = t.f0.GetShapeInfo().shapeDim;
  (void)size, (void)position, (void)tag, (void)global, (void)dims;
}

__aicore__ inline void Copies(Tensors &t) {
  DataCopy(t.f0, t.g, 8);
  DataCopy(t.g, t.f0, 8);
  DataCopy(t.f0, t.f1, 8);
  DataCopy(t.f0, t.g, DataCopyParams(2, 1, 0, 0));
  DataCopy(t.g, t.f0, DataCopyParams(2, 1, 0, 0));
  DataCopy(t.f0, t.f1, DataCopyParams(2, 1, 0, 0));
  DataCopy(t.f0, t.g, Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0));
  DataCopyPad(t.f0, t.g, DataCopyExtParams(1, 4, 0, 0, 0), DataCopyPadExtParams<float>(true, 0, 1, 0.0f));
  DataCopyPad(t.g, t.f0, DataCopyExtParams(1, 4, 0, 0, 0));
  DataCopyPad(t.f0, t.g, DataCopyParams(1, 4, 0, 0), DataCopyPadParams(true, 0, 1, 0));
  DataCopyPad(t.g, t.f0, DataCopyParams(1, 4, 0, 0));
  DataCopyPad(t.f0, t.g, {1, 4, 0, 0, 0}, {false, 0, 0, 0});
  SetPadValue<float>(1.0f);
  Copy(t.f0, t.f1, 64, 1, CopyRepeatParams(1, 1, 8, 8));
  Copy(t.f0, t.f1, t.mask, 1, CopyRepeatParams(1, 1, 8, 8));
  SetAtomicAdd<float>();
  SetAtomicMax<float>();
  SetAtomicMin<float>();
  SetAtomicNone();
}

__aicore__ inline void Cube(Tensors &t) {
  LoadData(t.h0, t.h1, LoadData2DParams(0, 1, 1, 0, 0, true, 0));
  LoadData(t.f0, t.g, LoadData2dParams());
  LoadDataWithTranspose(t.f0, t.f1, LoadData2dTransposeParams(0, 1, 1, 0, 1));
  LoadDataWithTranspose(t.c0, t.c0, LoadData2dTransposeParams(0, 1, 1, 0, 1, 0));
  MmadParams product(16, 16, 16, 0, false, true);
  product.kDirectionAlign = true;
  Mmad(t.f0, t.h0, t.h1, product);
  Mmad(t.f0, t.f1, t.f2, MmadParams(16, 16, 16, false, 0, false, false, false));
  Mmad(t.w0, t.c0, t.c0, t.w1, product);
  SetHF32Mode(HF32Mode::ENABLE);
  SetHF32TransMode(HF32TransMode::NEAREST_EVEN);
  SetMMRowMajor();
  SetMMColumnMajor();
  Fixpipe(t.g, t.f0, FixpipeParamsV220(16, 16, 16, 16, true));
  FixpipeParamsV220 out(16, 16, 16, 16, false, QuantMode_t::F322F16, 0, 1, 0, 0, 0);
  out.isChannelSplit = false;
  Fixpipe<half, float, CFG_NZ>(t.h0, t.f0, out);
  Fixpipe<float, float, CFG_NZ>(t.g, t.f0, FixpipeParamsV220(16, 16, 16, 32, false));
}

__aicore__ inline void Binaries(Tensors &t) {
  const BinaryRepeatParams p(1, 1, 1, 8, 8, 8);
  Add(t.f0, t.f1, t.f2, 64);
  Add(t.h0, t.h1, t.h2, t.mask, 1, p);
  Add<float, false>(t.f0, t.f1, t.f2, MASK_PLACEHOLDER, 1, p);
  Sub(t.w0, t.w1, t.w2, 64);
  Sub(t.f0, t.f1, t.f2, 64, 1, p);
  Mul(t.s0, t.s1, t.s1, 64);
  Mul(t.f0, t.f1, t.f2, 64, 1, p);
  Div(t.f0, t.f1, t.f2, 64);
  Div(t.h0, t.h1, t.h2, 64, 1, p);
  Max(t.f0, t.f1, t.f2, 64);
  Max(t.f0, t.f1, t.f2, 64, 1, p);
  Min(t.w0, t.w1, t.w2, 64);
  Min(t.f0, t.f1, t.f2, t.mask, 1, p);
  And(t.s0, t.s1, t.s1, 64);
  And(t.s0, t.s1, t.s1, t.mask, 1, p);
  Or(t.u16, t.u16, t.u16, 64);
  Or(t.u16, t.u16, t.u16, 64, 1, p);
  AddRelu(t.f0, t.f1, t.f2, 64);
  AddRelu(t.f0, t.f1, t.f2, 64, 1, p);
  SubRelu(t.h0, t.h1, t.h2, 64);
  SubRelu(t.h0, t.h1, t.h2, t.mask, 1, p);
  MulAddDst(t.f0, t.f1, t.f2, 64);
  MulAddDst(t.f0, t.h0, t.h1, 64, 1, p);
  MulAddDst(t.h0, t.h1, t.h2, t.mask, 1, p);
  FusedMulAdd(t.f0, t.f1, t.f2, 64);
  FusedMulAdd(t.h0, t.h1, t.h2, t.mask, 1, p);
  FusedMulAddRelu(t.f0, t.f1, t.f2, 64);
  FusedMulAddRelu(t.f0, t.f1, t.f2, 64, 1, p);
  MulAddRelu(t.f0, t.f1, t.f2, 64);
}

__aicore__ inline void UnariesAndScalars(Tensors &t) {
  const UnaryRepeatParams p(1, 1, 8, 8);
  Relu(t.f0, t.f1, 64);
  Relu(t.f0, t.f1, 64, 1, p);
  Abs(t.f0, t.f1, 64);
  Abs(t.h0, t.h1, t.mask, 1, p);
  Exp(t.f0, t.f1, 64);
  Exp(t.h0, t.h1, 64, 1, p);
  Ln(t.f0, t.f1, 64);
  Ln(t.f0, t.f1, t.mask, 1, p);
  Sqrt(t.f0, t.f1, 64);
  Sqrt(t.f0, t.f1, 64, 1, p);
  Rsqrt(t.f0, t.f1, 64);
  Rsqrt(t.f0, t.f1, 64, 1, p);
  Reciprocal(t.f0, t.f1, 64);
  Reciprocal(t.f0, t.f1, 64, 1, p);
  Not(t.s0, t.s1, 64);
  Not(t.u16, t.v16, 64, 1, p);
  Adds(t.f0, t.f1, 1.0f, 64);
  Adds(t.w0, t.w1, 1, 64, 1, p);
  Muls(t.f0, t.f1, 2.0f, 64);
  Muls(t.h0, t.h1, (half)2.0, t.mask, 1, p);
  Maxs(t.f0, t.f1, 1.0f, 64);
  Maxs(t.f0, t.f1, 1.0f, 64, 1, p);
  Mins(t.w0, t.w1, 1, 64);
  Mins(t.f0, t.f1, 1.0f, t.mask, 1, p);
  LeakyRelu(t.f0, t.f1, 0.1f, 64);
  LeakyRelu(t.f0, t.f1, 0.1f, 64, 1, p);
  ShiftLeft(t.w0, t.w1, 3, 64);
  ShiftLeft(t.s0, t.s1, (int16_t)3, t.mask, 1, p);
  ShiftRight(t.w0, t.w1, 3, 64);
  ShiftRight(t.w0, t.w1, 3, 64, 1, p, true);
  Axpy(t.f0, t.f1, 2.0f, 64);
  Axpy(t.f0, t.h0, (half)2.0, 64, 1, p);
  Axpy(t.h0, t.h1, (half)2.0, t.mask, 1, p);
  Duplicate(t.f0, 1.0f, 64);
  Duplicate(t.h0, (half)1.0, 64, 1, 1, 8);
  Duplicate(t.w0, 1, t.mask, 1, 1, 8);
  CreateVecIndex(t.w0, 0, 64);
  CreateVecIndex(t.f0, 0.0f, 64, 1, 1, 8);
  CreateVecIndex(t.f0, 0.0f, t.mask, 1, 1, 8);
  ArithProgression<float>(t.f0, 0.0f, 1.0f, 64);
  Arange<int32_t>(t.w0, 0, 1, 64);
}

__aicore__ inline void Conversions(Tensors &t) {
  const UnaryRepeatParams p(1, 1, 8, 4);
  Cast(t.h0, t.f0, RoundMode::CAST_NONE, 64);
  Cast(t.f0, t.h0, RoundMode::CAST_NONE, 64, 1, p);
  Cast(t.b0, t.f0, RoundMode::CAST_RINT, 64);
  Cast(t.w0, t.f0, RoundMode::CAST_FLOOR, t.mask, 1, UnaryRepeatParams());
  Cast(t.l0, t.w0, RoundMode::CAST_NONE, 64);
  Cast(t.c0, t.h0, RoundMode::CAST_RINT, 64);
  SetDeqScale((half)1.0);
  Cast(t.h0, t.w0, RoundMode::CAST_NONE, 64);
  Ceil(t.f0, t.f1, t.u8, 64);
  Floor(t.f0, t.f1, t.u8, 64);
  Round(t.f0, t.f1, t.u8, 64);
  Trunc(t.f0, t.f1, t.u8, 64);
  Ceil(t.f0, t.f1, 64);
  Floor(t.f0, t.f1, 64);
  Round(t.f0, t.f1, 64);
  Trunc(t.f0, t.f1, 64);
}

__aicore__ inline void ComparesAndSelects(Tensors &t) {
  const BinaryRepeatParams p(1, 1, 1, 8, 8, 8);
  const UnaryRepeatParams u(1, 1, 8, 8);
  Compare(t.u8, t.f0, t.f1, CMPMODE::LT, 64);
  Compare(t.u8, t.f0, t.f1, CMPMODE::GT, t.mask, 1, p);
  Compare(t.u8, t.h0, t.h1, CMPMODE::NE, 128, 1, p);
  Compare(t.f0, t.f1, CMPMODE::EQ, t.mask, p);
  Compare(t.f0, t.f1, CMPMODE::LE, 64, p);
  CompareScalar(t.u8, t.f0, 1.0f, CMPMODE::GE, 64);
  CompareScalar(t.u8, t.f0, 1.0f, CMPMODE::GE, 64, 1, u);
  CompareScalar(t.u8, t.f0, 1.0f, CMPMODE::GE, t.mask, 1, u);
  GetCmpMask(t.u8);
  SetCmpMask(t.u8);
  Select(t.f0, t.u8, t.f1, t.f2, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
  Select(t.f0, t.u8, t.f1, t.f2, SELMODE::VSEL_CMPMASK_SPR, t.mask, 1, p);
  Select(t.f0, t.u8, t.f1, t.f2, SELMODE::VSEL_CMPMASK_SPR, 64, 1, p);
  Select(t.f0, t.u8, t.f1, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  Select(t.f0, t.u8, t.f1, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64, 1, p);
  Select(t.f0, t.u8, t.f1, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, t.mask, 1, p);
  Select<float, SELMODE::VSEL_CMPMASK_SPR>(t.f0, t.f1, t.f2, 1, p);
  Select<float, uint8_t>(t.f0, t.u8, t.f1, 1, p);
  SetVectorMask<float>(0, ~0ULL);
  SetVectorMask<float, MaskMode::COUNTER>(64);
  SetMaskCount();
  SetMaskNorm();
  ResetMask();
}

__aicore__ inline void Gathers(Tensors &t) {
  uint64_t kept = 0;
  Gather(t.f0, t.f1, t.u32, 0, 64);
  Gather(t.f0, t.f1, t.u32, 0, (uint64_t)64, 1, 8);
  Gather(t.h0, t.h1, t.u32, 0, t.mask, 1, 8);
  Gatherb(t.u16, t.v16, t.u32, 1, GatherRepeatParams(1, 8));
  GatherMask(t.f0, t.f1, 1, false, 0, GatherMaskParams(1, 1, 8, 0), kept);
  GatherMask(t.f0, t.f1, t.u32, true, 64, GatherMaskParams(1, 1, 8, 0), kept);
  Brcb(t.f0, t.f1, 1, BrcbRepeatParams(1, 8));
  const uint32_t wide[2] = {2, 16};
  const uint32_t narrow[2] = {2, 1};
  BroadCast<float, 2, 1>(t.f0, t.f1, wide, narrow);
  BroadCast<float, 2, 1>(t.f0, t.f1, wide, narrow, t.u8);
}

__aicore__ inline void Reductions(Tensors &t) {
  ReduceMax(t.f0, t.f1, t.f2, 64);
  ReduceMax(t.f0, t.f1, t.f2, 64, true);
  ReduceMax(t.f0, t.f1, t.f2, 64, 1, 8, true);
  ReduceMin(t.f0, t.f1, t.f2, t.mask, 1, 8);
  ReduceSum(t.f0, t.f1, t.f2, 64);
  ReduceSum(t.f0, t.f1, t.f2, 64, 1, 8);
  WholeReduceSum(t.f0, t.f1, 64, 1, 1, 1, 8);
  WholeReduceMax(t.f0, t.f1, 64, 1, 1, 1, 8);
  WholeReduceMin(t.f0, t.f1, t.mask, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  BlockReduceSum(t.f0, t.f1, 1, 64, 1, 1, 8);
  BlockReduceMax(t.f0, t.f1, 1, t.mask, 1, 1, 8);
  BlockReduceMin(t.h0, t.h1, 1, 128, 1, 1, 8);
  PairReduceSum(t.f0, t.f1, 1, 64, 1, 1, 8);
  RepeatReduceSum(t.f0, t.f1, 1, 64, 0, 1, 1, 8);
  ReduceDataBlock<ReduceType::SUM>(t.f0, t.f1, 64, 1, 1, 1, 8);
  ReducePairElem<ReduceType::SUM>(t.f0, t.f1, 64, 1, 1, 1, 8);
  ReduceRepeat<ReduceType::MAX>(t.f0, t.f1, 64, 1, 1, 1, 8);
  float value = 0, index = 0;
  GetReduceRepeatMaxMinSpr<float>(value, index);
  value = GetReduceRepeatSumSpr<float>();
}

__aicore__ inline void SortsAndTransposes(Tensors &t) {
  const uint16_t lengths[4] = {32, 32, 0, 0};
  uint16_t counts[4];
  Sort32<float>(t.f0, t.f1, t.u32, 1);
  MrgSort<float>(t.f0, MrgSortSrcList<float>(t.f1, t.f2, t.f2, t.f2), MrgSort4Info(lengths, false, 3, 1));
  GetMrgSortResult(counts[0], counts[1], counts[2], counts[3]);
  Concat<float>(t.f0, t.f1, t.f2, 1);
  Sort<float, true>(t.f0, t.f1, t.u32, t.f2, 4);
  Extract<float>(t.f0, t.u32, t.f1, 1);
  uint32_t elements = GetSortOffset<float>(3) + GetSortLen<half>(3);
  (void)elements;
  uint64_t to[16] = {0}, from[16] = {0};
  TransDataTo5HD<half>(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
  TransDataTo5HD<half>(t.u64, t.v64, TransDataTo5HDParams(false, false, 1, 0, 0));
  Transpose(t.h0, t.h1);
  Transpose(t.f0, t.f1, t.u8, TransposeParamsExt(1, 2, 4, 8, TransposeType::TRANSPOSE_NCHW2NHWC));
}

__aicore__ inline void Scalars(Tensors &t) {
  int64_t sum = ScalarGetCountOfValue<1>(3) + ScalarCountLeadingZero(3) + ScalarGetSFFValue<0>(1);
  sum += CountBitsCntSameAsSignBit(3);
  sum += ScalarCast<float, int32_t, RoundMode::CAST_RINT>(1.5f);
  const float one = GetScalarBitcodeValue<uint32_t, float>(0x3F800000U);
  const half largest = NumericLimits<half>::Max();
  DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(t.g);
  Fill(t.g, 64, 0.0f);
  (void)sum, (void)one, (void)largest;
}

// Functions of the C library have forms for each type of number, without any other header.
static_assert(std::is_same_v<decltype(abs(-1.75f)), float> && std::is_same_v<decltype(abs(-3)), int>);
static_assert(std::is_same_v<decltype(sqrt(2.25f)), float> && std::is_same_v<decltype(floor(2.5f)), float>);
static_assert(std::is_same_v<decltype(min(1.0f, 2.0f)), float> && max(2, 1) == 2);

// The documented examples of layouts.
constexpr auto kFlat = MakeLayout(MakeShape(3, 4, 5), MakeStride(20, 5, 1));
static_assert(kFlat(MakeCoord(1, 2, 3)) == 33 && Std::get<1>(kFlat.GetShape()) == 4);
static_assert(Crd2Idx(MakeCoord(11, 12), MakeShape(MakeShape(2, 4), MakeShape(3, 5)),
                      MakeStride(MakeStride(3, 6), MakeStride(1, 24))) == 129);
static_assert(is_layout<decltype(MakeLayout(MakeShape(1), MakeStride(1)))>::value);
static_assert(!is_layout<Shape<int>>::value);

class Kernel {
 public:
  __aicore__ inline void Process(TPipe *pipe) {
    pipe->InitBuffer(in_, 2, 256);
    pipe->InitBuffer(out_, 1, 256);
    pipe->InitBuffer(work_, 256);
    LocalTensor<float> a = in_.AllocTensor<float>();
    in_.EnQue(a);
    a = in_.DeQue<float>();
    LocalTensor<float> b = out_.AllocTensor<float>();
    out_.EnQue<float>(b);
    b = out_.DeQue<float>();
    in_.FreeTensor(a);
    out_.FreeTensor(b);
    LocalTensor<float> c = work_.Get<float>();
    (void)c;
    LocalTensor<float> popped;
    PopStackBuffer<float, TPosition::LCM>(popped);
    TEventID id = pipe->FetchEventID(HardEvent::MTE2_V);
    SetFlag<HardEvent::MTE2_V>(id);
    WaitFlag<HardEvent::MTE2_V>(id);
    PipeBarrier<PIPE_V>();
    SyncAll();
    CrossCoreSetFlag<0, PIPE_MTE3>(1);
    CrossCoreWaitFlag(1);
    int64_t block = GetBlockIdx() + GetBlockNum() + GetSubBlockIdx() + GetSystemCycle();
    (void)block;
  }

 private:
  TQue<TPosition::VECIN, 2> in_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> work_;
};

}  // namespace

extern "C" __global__ __aicore__ void surface(GM_ADDR in, GM_ADDR out) {
  // GM_ADDR is a macro that ends with a star, so that the second of these is no address.
  GM_ADDR address, byte;
  static_assert(sizeof(address) == sizeof(in) && sizeof(byte) == 1, "GM_ADDR is a macro");
  Tensors tensors;
  TensorMembers(tensors);
  Copies(tensors);
  Cube(tensors);
  Binaries(tensors);
  UnariesAndScalars(tensors);
  Conversions(tensors);
  ComparesAndSelects(tensors);
  Gathers(tensors);
  Reductions(tensors);
  SortsAndTransposes(tensors);
  Scalars(tensors);
  TPipe pipe;
  Kernel kernel;
  kernel.Process(&pipe);
  (void)in, (void)out;
}
