// SPDX-License-Identifier: Apache-2.0
// Values that nobody wrote. Each kernel computes on 64 lanes of which the last four were never written, as
// kernels do that round a count up. It is right where these lanes go nowhere, and a fault where they reach
// global memory or decide something.
#include "harness.h"
#include "mixed_product.h"

using namespace AscendC;

namespace {

constexpr uint32_t kAll = 64, kDefined = 60;

struct Setup {
  explicit Setup(const Arguments &arguments) {
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out), 16384);
    fresh.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.fresh), 16384);
    pipe.InitBuffer(tail, 256);
    pipe.InitBuffer(full, 256);
    pipe.InitBuffer(result, 1024);
    pipe.InitBuffer(bits, 256);
    pipe.InitBuffer(offsets, 256);
    x = tail.Get<float>();
    y = full.Get<float>();
    z = result.Get<float>();
    mask = bits.Get<uint8_t>();
    Duplicate(x, 1.0f, kDefined);
    Duplicate(y, 2.0f, kAll);
  }
  // Copies the first `count` results to global memory.
  void Out(uint32_t count) {
    FAULT_HERE;
    DataCopyPad(out, z, {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
  }

  TPipe pipe;
  TBuf<TPosition::VECCALC> tail, full, result, bits, offsets;
  LocalTensor<float> x, y, z;
  LocalTensor<uint8_t> mask;
  GlobalTensor<float> out, fresh;
};

// What kernels do with x, y and z. The results that are defined: the first kDefined of z, unless it says
// otherwise.
void Multiply(Setup &s) {
  Muls(s.z, s.x, 3.0f, kAll);
  Mul(s.z, s.z, s.y, kAll);
}
void MultiplyByMask(Setup &s) {
  uint64_t even[2] = {0x5555555555555555, 0};
  Duplicate(s.z, 0.0f, kAll);
  Mul(s.z, s.x, s.y, even, 1, {1, 1, 1, 8, 8, 8});
}
void Convert(Setup &s) {
  const auto narrow = s.offsets.Get<half>();
  Cast(narrow, s.x, RoundMode::CAST_RINT, kAll);
  Cast(s.z, narrow, RoundMode::CAST_NONE, kAll);
}
void CompareAndSelect(Setup &s) {
  Compare(s.mask, s.x, s.y, CMPMODE::LT, kAll);
  Select(s.z, s.mask, s.y, s.y, SELMODE::VSEL_TENSOR_TENSOR_MODE, kAll);
}
void CompareAndSelectByRegister(Setup &s) {
  Compare(s.x, s.y, CMPMODE::LT, uint64_t{kAll}, {1, 1, 1, 8, 8, 8});
  Select<float, SELMODE::VSEL_CMPMASK_SPR>(s.z, s.y, s.y, 1, {1, 1, 1, 8, 8, 8});
}
// With 0x0FFF for the last word the mask is cut to the lanes that count, so that all results are defined.
template <uint16_t last>
void CompareAndCut(Setup &s) {
  Compare(s.mask, s.x, s.y, CMPMODE::LT, kAll);
  const auto words = s.bits.Get<uint16_t>(), cut = s.offsets.Get<uint16_t>();
  Duplicate(cut, static_cast<uint16_t>(0xFFFF), 4);
  cut.SetValue(3, last);
  And(words, words, cut, 4);
  Select(s.z, s.mask, s.y, 5.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, kAll);
}
void CopyOnChip(Setup &s) { DataCopy(s.z, s.x, kAll); }
void Overwrite(Setup &s) {
  Muls(s.z, s.x, 3.0f, kAll);
  Muls(s.z, s.y, 3.0f, kAll);
}
void GatherBack(Setup &s) {
  const auto offset = s.offsets.Get<int32_t>();
  ArithProgression(offset, 0, 4, kAll);
  Gather(s.z, s.x, s.offsets.Get<uint32_t>(), 0, kAll);
}
void GatherBlocks(Setup &s) {
  const auto offset = s.offsets.Get<int32_t>();
  ArithProgression(offset, 0, 32, 8);
  Gatherb(s.result.Get<uint32_t>(), s.tail.Get<uint32_t>(), s.offsets.Get<uint32_t>(), 1, {1, 8});
}
// A sum of each data block; seven are defined.
void SumOfBlocks(Setup &s) { BlockReduceSum(s.z, s.x, 1, kAll, 1, 1, 8); }
void SumOfPairs(Setup &s) { PairReduceSum(s.z, s.x, 1, kAll, 1, 1, 8); }
template <uint32_t count>
void SumOfRepeat(Setup &s) {
  WholeReduceSum(s.z, s.x, count, 1, 1, 1, 8);
}
template <uint32_t count>
void SumOfCount(Setup &s) {
  ReduceSum(s.z, s.x, s.z[64], count);
}
// z[16 * i + 15] comes from the last row, of which nobody wrote anything.
void TransposeSquare(Setup &s) {
  const LocalTensor<half> from(TPosition::VECCALC, 8192, 256);
  Duplicate(from, half(1.0f), 240);
  Transpose(s.result.Get<half>(), from);
}
// The pairs of the first 32 lanes are defined.
void Sort(Setup &s) {
  const auto index = s.offsets.Get<int32_t>();
  ArithProgression(index, 0, 1, kAll);
  Sort32(s.z, s.x, s.offsets.Get<uint32_t>(), 2);
}
// The indices of padding lanes are never written; their scores are, and come last.
void SortWithoutIndices(Setup &s) {
  Duplicate(s.offsets.Get<int32_t>(), 0, 28);
  Duplicate(s.y, -1.0f, kAll);
  Duplicate(s.y, 1.0f, 28);
  Sort32(s.z, s.y, s.offsets.Get<uint32_t>(), 1);
}
// One block of z for each element of x.
void BroadcastBlocks(Setup &s) { Brcb(s.z, s.x[56], 1, {1, 8}); }
void FromGlobal(Setup &s) {
  DataCopy(s.z, s.fresh, kAll);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
  Duplicate(s.z, 0.0f, kDefined);
}

template <void (*compute)(Setup &), uint32_t count>
void Stored(const Arguments &arguments) {
  Setup s(arguments);
  compute(s);
  Order<HardEvent::V_MTE3>();
  s.Out(count);
}
template <uint32_t count>
void Added(const Arguments &arguments) {
  Setup s(arguments);
  s.out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), 16384);
  Multiply(s);
  Order<HardEvent::V_MTE3>();
  SetAtomicAdd<float>();
  s.Out(count);
}

// Two rows of kDefined results. The copy of the first one is rounded up, and the second one is written over
// its end.
template <uint32_t last>
void Rows(const Arguments &arguments) {
  Setup s(arguments);
  Multiply(s);
  Order<HardEvent::V_MTE3>();
  s.Out(kAll);
  PipeBarrier<PIPE_MTE3>();
  FAULT_HERE;
  DataCopyPad(s.out[kDefined], s.z, {1, last * 4, 0, 0, 0});
}
// Reads a row again before what is behind its end is written over.
template <uint32_t index>
void ReadAgain(const Arguments &arguments) {
  Setup s(arguments);
  Multiply(s);
  Order<HardEvent::V_MTE3>();
  s.Out(kAll);
  Order<HardEvent::MTE3_MTE2>();
  DataCopy(s.x, s.out, kAll);
  Order<HardEvent::MTE2_S>();
  FAULT_HERE;
  const float value = s.x.GetValue(index);
  Order<HardEvent::MTE2_MTE3>();
  DataCopy(s.out, s.y, kAll);
  if (value > 4.0f) s.mask.SetValue(0, 1);
}

// Columns of a transposed square: 15 halves of each row are defined.
template <uint32_t columns>
void StoredColumns(const Arguments &arguments) {
  Setup s(arguments);
  TransposeSquare(s);
  Order<HardEvent::V_MTE3>();
  GlobalTensor<half> out;
  out.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(arguments.out), 16384);
  const DataCopyExtParams rows(16, columns * sizeof(half), 0, 0, 0);
  FAULT_HERE;
  DataCopyPad(out, s.result.Get<half>(), rows);
}

template <uint32_t count>
void Address(const Arguments &arguments) {
  Setup s(arguments);
  const auto offset = s.offsets.Get<uint32_t>();
  Duplicate(offset, 0U, kDefined);
  FAULT_HERE;
  Gather(s.z, s.y, offset, 0, count);
}

template <uint32_t count>
void Choice(const Arguments &arguments) {
  Setup s(arguments);
  Compare(s.mask, s.x, s.y, CMPMODE::LT, kAll);
  uint64_t kept = 0;
  FAULT_HERE;
  GatherMask(s.z, s.y, s.bits.Get<uint32_t>(), true, count, {1, 1, 8, 0}, kept);
}

template <uint32_t index>
void Scalar(const Arguments &arguments) {
  Setup s(arguments);
  Muls(s.z, s.x, 3.0f, kAll);
  FAULT_HERE;
  const float value = s.z.GetValue(index);
  if (value > 4.0f) s.y.SetValue(0, value);
}

template <uint32_t count>
void Register(const Arguments &arguments) {
  Setup s(arguments);
  WholeReduceMax(s.z, s.x, count, 1, 1, 1, 8);
  Order<HardEvent::V_S>();
  float value = 0, index = 0;
  FAULT_HERE;
  GetReduceMaxMinCount<float>(value, index);
}

// A product of 32 x 32, or of its first `computed` columns; the last two rows of A, or columns of B, were
// never written. In NZ it stores all columns of fractals.
template <bool left, uint32_t rows, uint32_t columns, bool nz = false, uint16_t computed = 32>
void Product(const Arguments &arguments) {
  TPipe pipe;
  GlobalTensor<half> self, other;
  GlobalTensor<float> out;
  self.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(arguments.self), 16384);
  other.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(arguments.other), 16384);
  out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out), 16384);
  const LocalTensor<half> a1(TPosition::A1, 0, 1024), b1(TPosition::B1, 2048, 1024);
  const LocalTensor<half> a2(TPosition::A2, 0, 1024), b2(TPosition::B2, 0, 1024);
  const LocalTensor<float> c(TPosition::CO1, 0, 1024);
  const auto factor = [](bool short_of_rows) {
    return Nd2NzParams(1, short_of_rows ? 30 : 32, 32, 0, 32, 32, 1, 0);
  };
  DataCopy(a1, self, factor(left));
  DataCopy(b1, other, factor(!left));
  Order<HardEvent::MTE2_MTE1>();
  for (uint16_t i = 0; i < 2; ++i) {
    LoadData(a2[i * 512], a1, LoadData2DParams(i, 2, 2, 0, 0, false, 0));
  }
  LoadData(b2, b1, LoadData2DParams(0, 4, 1, 0, 0, false, 0));
  Order<HardEvent::MTE1_M>();
  Mmad(c, a2, b2, MmadParams(32, computed, 32, 0, false, true));
  Order<HardEvent::M_FIX>();
  const FixpipeParamsV220 result(columns, rows, 32, nz ? 64 : 32, false);
  FAULT_HERE;
  nz ? Fixpipe<float, float, CFG_NZ>(out, c, result) : Fixpipe(out, c, result);
}

using K = sim::FaultKind;
FaultCase Fault(const char *name, void (*kernel)(const Arguments &), std::vector<std::string> texts) {
  return {name, K::kUninitialised, kernel, std::move(texts)};
}
FaultCase Right(const char *name, void (*kernel)(const Arguments &)) { return {name, K::kOther, kernel, {}}; }
FaultCase OnCube(FaultCase one) {
  one.type = sim::KernelType::kCube;
  return one;
}

}  // namespace

const std::vector<FaultCase> &ValueCases() {
  const std::string copy = "DataCopyPad (",
                    origin = "UB bytes [240, 256) of tail, which nothing wrote, through ";
  static const std::vector<FaultCase> cases = {
      Fault("value_lanes", Stored<Multiply, kAll>,
            {copy,
             "writes dst, GM bytes [0, 256), from src, UB bytes [512, 768) of result, but byte 752 comes "
             "from " +
                 origin + "Mul (",
             "; Muls (", ") read it first"}),
      Right("value_lanes_right", Stored<Multiply, kDefined>),
      Fault("value_masked_lanes", Stored<MultiplyByMask, 61>, {copy, "byte 752 comes from", "Mul ("}),
      Right("value_masked_lanes_right", Stored<MultiplyByMask, kDefined>),
      Fault("value_cast", Stored<Convert, kAll>, {copy, origin + "Cast ("}),
      Right("value_cast_right", Stored<Convert, kDefined>),
      Fault("value_select", Stored<CompareAndSelect, kDefined + 1>, {copy, "byte 752", origin + "Select ("}),
      Right("value_select_right", Stored<CompareAndSelect, kDefined>),
      Fault("value_select_by_register", Stored<CompareAndSelectByRegister, kDefined + 1>,
            {copy, "byte 752", origin + "Select ("}),
      Right("value_select_by_register_right", Stored<CompareAndSelectByRegister, kDefined>),
      Fault("value_mask_cut", Stored<CompareAndCut<0x1FFF>, kAll>, {copy, "byte 752", origin + "Select ("}),
      Right("value_mask_cut_right", Stored<CompareAndCut<0x0FFF>, kAll>),
      Fault("value_copy", Stored<CopyOnChip, kAll>, {copy, origin + "DataCopy ("}),
      Right("value_copy_right", Stored<CopyOnChip, kDefined>),
      Right("value_overwritten_right", Stored<Overwrite, kAll>),
      Fault("value_gather", Stored<GatherBack, kDefined + 1>, {copy, origin + "Gather ("}),
      Right("value_gather_right", Stored<GatherBack, kDefined>),
      Fault("value_gather_blocks", Stored<GatherBlocks, kDefined + 1>, {copy, origin + "Gatherb ("}),
      Right("value_gather_blocks_right", Stored<GatherBlocks, kDefined>),
      Fault("value_sum_of_blocks", Stored<SumOfBlocks, 8>, {copy, "byte 540", origin + "BlockReduceSum ("}),
      Right("value_sum_of_blocks_right", Stored<SumOfBlocks, 7>),
      Fault("value_sum_of_pairs", Stored<SumOfPairs, 31>, {copy, origin + "PairReduceSum ("}),
      Right("value_sum_of_pairs_right", Stored<SumOfPairs, 30>),
      Fault("value_sum_of_repeat", Stored<SumOfRepeat<kDefined + 1>, 1>, {copy, "WholeReduceSum ("}),
      Right("value_sum_of_repeat_right", Stored<SumOfRepeat<kDefined>, 1>),
      Fault("value_sum_of_count", Stored<SumOfCount<kDefined + 1>, 1>, {copy, "ReduceSum ("}),
      Right("value_sum_of_count_right", Stored<SumOfCount<kDefined>, 1>),
      Fault("value_transpose", StoredColumns<16>, {copy, "byte 542", "through Transpose ("}),
      Right("value_transpose_right", StoredColumns<15>),
      Fault("value_sort", Stored<Sort, 65>, {copy, "byte 768", origin + "Sort32 ("}),
      Right("value_sort_right", Stored<Sort, 64>),
      Fault("value_sort_indices", Stored<SortWithoutIndices, 58>, {copy, "byte 740", "through Sort32 ("}),
      Right("value_sort_indices_right", Stored<SortWithoutIndices, 57>),
      Fault("value_broadcast_blocks", Stored<BroadcastBlocks, 33>, {copy, "byte 640", origin + "Brcb ("}),
      Right("value_broadcast_blocks_right", Stored<BroadcastBlocks, 32>),
      Fault("value_global", Stored<FromGlobal, kAll>,
            {copy, "byte 752 comes from GM bytes [0, 256), which nothing wrote, through DataCopy ("}),
      Right("value_global_right", Stored<FromGlobal, kDefined>),
      Fault("value_rows", Rows<kAll>, {copy, "writes dst, GM bytes [240, 496), from src", origin + "Mul ("}),
      Right("value_rows_right", Rows<kDefined>),
      Fault("value_read_again", ReadAgain<kDefined>,
            {"GetValue (", "reads src, UB bytes [240, 244) of tail",
             "which nothing wrote, through DataCopy ("}),
      Right("value_read_again_right", ReadAgain<kDefined - 1>),
      Fault("value_added", Added<kAll>, {copy, "writes dst", origin + "Mul ("}),
      Right("value_added_right", Added<kDefined>),
      Fault("value_address", Address<kAll>,
            {"Gather (", "takes addresses from srcOffset, UB bytes [", "of offsets, but nothing wrote byte"}),
      Right("value_address_right", Address<kDefined>),
      Fault("value_choice", Choice<kDefined + 1>,
            {"GatherMask (", "chooses elements by src1Pattern", origin + "Compare ("}),
      Right("value_choice_right", Choice<kDefined>),
      Fault("value_scalar", Scalar<kDefined>,
            {"GetValue (", "reads src, UB bytes [752, 756) of result", origin + "Muls ("}),
      Right("value_scalar_right", Scalar<kDefined - 1>),
      Fault("value_register", Register<kDefined + 1>,
            {"GetReduceRepeatMaxMinSpr (", "in a register",
             "UB bytes [240, 244) of tail, which nothing wrote, through WholeReduceMax ("}),
      Right("value_register_right", Register<kDefined>),
      OnCube(Fault("value_product_rows", Product<true, 31, 32>,
                   {"Fixpipe (", "writes dst, GM", "from src, L0C", "comes from L1", "through Mmad (",
                    "; LoadData ("})),
      OnCube(Right("value_product_rows_right", Product<true, 30, 32>)),
      OnCube(Fault("value_product_columns", Product<false, 32, 31>,
                   {"Fixpipe (", "which nothing wrote, through Mmad ("})),
      OnCube(Fault("value_product_nz", Product<true, 31, 32, true>, {"Fixpipe (", "through Mmad ("})),
      OnCube(Right("value_product_nz_right", Product<true, 30, 32, true>)),
      OnCube(Right("value_product_nz_padding_right", Product<true, 30, 32, true, 24>)),
      OnCube(Right("value_product_columns_right", Product<false, 32, 30>)),
  };
  return cases;
}
