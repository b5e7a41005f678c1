// SPDX-License-Identifier: Apache-2.0
// Vector instructions whose results lie on their sources. For each rule there is a kernel that breaks it and
// one beside it that does not. UB begins with the tensor t; a repeat of 64 floats has 256 bytes.
#include "harness.h"
#include "twice_plus.h"

using AscendC::LocalTensor;
using AscendC::RoundMode;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;

namespace {

struct Setup {
  Setup() {
    pipe.InitBuffer(buffer, 3 * kTile * sizeof(float));
    t = buffer.Get<float>(kTile);
    x = buffer.GetWithOffset<float>(kTile, kTile * sizeof(float));
    y = buffer.GetWithOffset<float>(kTile, 2 * kTile * sizeof(float));
    for (const auto &tensor : {t, x, y}) AscendC::Duplicate(tensor, 0.0f, kTile);
  }
  template <typename T>
  LocalTensor<T> As() const {
    return t.ReinterpretCast<T>();
  }

  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  LocalTensor<float> t, x, y;
};

// A kernel of one statement, which is a fault or not.
#define KERNEL(Name, ...)        \
  void Name(const Arguments &) { \
    Setup s;                     \
    fault_line = __LINE__;       \
    __VA_ARGS__;                 \
  }

KERNEL(AheadInRepeat, AscendC::Adds(s.t[8], s.t, 1.0f, 248))
KERNEL(BehindInRepeat, AscendC::Adds(s.t, s.t[8], 1.0f, 248))
KERNEL(OnNextRepeat, AscendC::Adds(s.t[64], s.t, 1.0f, 128))
KERNEL(OnEarlierRepeat, AscendC::Adds(s.t, s.t[64], 1.0f, 128))
KERNEL(Exactly, AscendC::Adds(s.t, s.t, 1.0f, 250))
KERNEL(ExactlyWithStrides, AscendC::Abs(s.t, s.t, uint64_t{64}, 3, {2, 2, 16, 16}))
KERNEL(BetweenBlocks, AscendC::Abs(s.t[8], s.t, uint64_t{64}, 3, {2, 2, 16, 16}))
KERNEL(OtherStrides, AscendC::Abs(s.t, s.t, uint64_t{64}, 2, {1, 2, 8, 16}))
KERNEL(ShortTail, AscendC::Adds(s.t[16], s.t, 1.0f, 10))
KERNEL(SecondSource, AscendC::Add(s.t[8], s.x, s.t, 64))

KERNEL(Sum, AscendC::Add(s.t, s.x, s.t, uint64_t{64}, 4, {1, 1, 1, 0, 8, 0}))
KERNEL(SumOnFirstSource, AscendC::Add(s.t, s.t, s.x, uint64_t{64}, 4, {1, 1, 1, 0, 0, 8}))
KERNEL(RunningSum, AscendC::Add(s.t[64], s.x, s.t, uint64_t{64}, 4, {1, 1, 1, 8, 8, 8}))
KERNEL(SumOfShorts, AscendC::Add(s.As<int16_t>(), s.x.ReinterpretCast<int16_t>(), s.As<int16_t>(),
                                 uint64_t{128}, 4, {1, 1, 1, 0, 8, 0}))
KERNEL(Quotients, AscendC::Div(s.t, s.x, s.t, uint64_t{64}, 4, {1, 1, 1, 0, 8, 0}))
KERNEL(Products, AscendC::MulAddDst(s.t, s.x, s.y, uint64_t{64}, 4, {1, 1, 1, 0, 8, 8}))
KERNEL(MulAddInPlace, AscendC::MulAddDst(s.t, s.t, s.y, 256))
KERNEL(MixedMulAdd, AscendC::Axpy(s.t, s.As<half>()[32], half(1), 32))

KERNEL(Widen, AscendC::Cast(s.t, s.As<half>(), RoundMode::CAST_NONE, 128))
KERNEL(WidenOneRepeat, AscendC::Cast(s.t, s.As<half>(), RoundMode::CAST_NONE, 64))
KERNEL(WidenFromTheEnd, AscendC::Cast(s.t, s.As<half>()[112], RoundMode::CAST_NONE, 112))
KERNEL(Narrow, AscendC::Cast(s.As<half>(), s.t, RoundMode::CAST_NONE, 250))
KERNEL(NarrowAhead, AscendC::Cast(s.As<half>()[64], s.t, RoundMode::CAST_NONE, 128))

KERNEL(Reduce, AscendC::WholeReduceSum(s.t, s.t, 64, 4, 1, 1, 8))
KERNEL(ReduceOneLane,
       AscendC::WholeReduceMax(s.t, s.t, 1, 1, 1, 1, 8, AscendC::ReduceOrder::ORDER_VALUE_INDEX))
KERNEL(ReduceAhead, AscendC::WholeReduceSum(s.t[64], s.t, 64, 4, 1, 1, 8))
KERNEL(ReduceBlocks, AscendC::BlockReduceMax(s.t, s.t, 4, 64, 1, 1, 8))
KERNEL(ReduceBlocksAhead, AscendC::BlockReduceMax(s.t[32], s.t, 4, 64, 1, 1, 8))

KERNEL(Broadcast, AscendC::Brcb(s.t, s.x, 2, {1, 8}))
KERNEL(BroadcastInPlace, AscendC::Brcb(s.t, s.t, 1, {1, 8}))
KERNEL(GatherApart, AscendC::Gather(s.t, s.x, s.y.ReinterpretCast<uint32_t>(), 0, 128))
KERNEL(GatherOntoOffsets, AscendC::Gather(s.t, s.x, s.As<uint32_t>(), 0, 128))
KERNEL(GatherOntoSource, AscendC::Gather(s.t, s.t, s.y.ReinterpretCast<uint32_t>(), 0, 128))
KERNEL(CompareApart, AscendC::Compare(s.As<uint8_t>(), s.x, s.y, AscendC::CMPMODE::LT, 256))
KERNEL(CompareOntoSource, AscendC::Compare(s.As<uint8_t>(), s.t, s.y, AscendC::CMPMODE::LT, 256))
KERNEL(SelectOntoSource, AscendC::Select(s.t, s.x.ReinterpretCast<uint8_t>(), s.t, s.y,
                                         AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, 128))
KERNEL(SelectOntoMask,
       AscendC::Select(s.t, s.As<uint8_t>(), s.x, s.y, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, 128))

KERNEL(SortFromTheEnd, AscendC::Sort32(s.t, s.t[64], s.y.ReinterpretCast<uint32_t>(), 2))
KERNEL(SortInPlace, AscendC::Sort32(s.t, s.t, s.y.ReinterpretCast<uint32_t>(), 2))
void Merge(const LocalTensor<float> &dst, const LocalTensor<float> &lists) {
  const uint16_t lengths[] = {32, 32, 0, 0};
  AscendC::MrgSort(dst, AscendC::MrgSortSrcList<float>(lists, lists[64], lists, lists),
                   AscendC::MrgSort4Info(lengths, false, 3, 1));
}
KERNEL(MergeApart, Merge(s.x, s.t))
KERNEL(MergeOntoList, Merge(s.t[64], s.t))
void Pack(const LocalTensor<float> &dst, const LocalTensor<float> &src) {
  uint64_t kept = 0;
  AscendC::GatherMask(dst, src, 1, false, 0, {1, 4, 8, 0}, kept);
}
KERNEL(PackInPlace, Pack(s.t, s.t))
KERNEL(PackAhead, Pack(s.t[8], s.t))

void TransposeRows(const LocalTensor<half> &to, const LocalTensor<half> &from, uint8_t repeats,
                   uint16_t step) {
  LocalTensor<half> dst[16], src[16];
  for (int i = 0; i < 16; ++i) {
    dst[i] = to[i * 16];
    src[i] = from[i * 16];
  }
  AscendC::TransDataTo5HD<half>(dst, src, {false, false, repeats, step, 16});
}
KERNEL(TransposeInPlace, AscendC::Transpose(s.As<int16_t>(), s.As<int16_t>()))
KERNEL(TransposeAhead, AscendC::Transpose(s.As<int16_t>()[16], s.As<int16_t>()))
KERNEL(RowsInPlace, TransposeRows(s.As<half>(), s.As<half>(), 2, 16))
KERNEL(RowsAhead, TransposeRows(s.As<half>()[64], s.As<half>(), 1, 0))
KERNEL(RowsOntoNextRepeat, TransposeRows(s.As<half>(), s.As<half>(), 2, 1))
KERNEL(CopyAhead, AscendC::DataCopy(s.t[8], s.t, 64))

}  // namespace

const std::vector<FaultCase> &OverlapCases() {
  const auto right = [](const char *name, void (*kernel)(const Arguments &)) {
    return FaultCase{name, sim::FaultKind::kOther, kernel, {}};
  };
  const auto wrong = [](const char *name, void (*kernel)(const Arguments &), std::vector<std::string> texts) {
    return FaultCase{name, sim::FaultKind::kOverlap, kernel, std::move(texts)};
  };
  const std::string partly = "a repeat of results must lie exactly where its source lies, or apart from it";
  const std::string shrunk = "results that are smaller than their source may not begin behind its start";
  const std::string widened = "results that are wider than their source may not end behind its end";
  const std::string later = "which the device may do before or after";
  const std::string apart = "this instruction needs them apart";
  static const std::vector<FaultCase> cases = {
      wrong("overlap_ahead", AheadInRepeat, {"Adds", "dst and src share UB bytes [32, 256)", partly}),
      wrong("overlap_behind", BehindInRepeat, {"they overlap partly in repeat 0", partly}),
      wrong("overlap_next_repeat", OnNextRepeat,
            {"[256, 512)", "repeat 0 writes them and repeat 1 reads them", later}),
      right("overlap_earlier_repeat", OnEarlierRepeat),
      right("overlap_exact", Exactly),
      right("overlap_exact_strides", ExactlyWithStrides),
      right("overlap_between_blocks", BetweenBlocks),
      wrong("overlap_other_strides", OtherStrides, {"Abs", partly}),
      right("overlap_short_tail", ShortTail),
      wrong("overlap_second_source", SecondSource, {"Add", "dst and src1 share UB bytes [32, 256)"}),
      right("overlap_sum", Sum),
      wrong("overlap_sum_on_first_source", SumOnFirstSource, {"dst and src0", later}),
      wrong("overlap_running_sum", RunningSum, {"dst and src1", later}),
      wrong("overlap_sum_of_shorts", SumOfShorts, {"dst and src1", later}),
      wrong("overlap_quotients", Quotients, {"Div", "dst and src1", later}),
      wrong("overlap_products", Products, {"MulAddDst", "dst and dst share", later}),
      right("overlap_mul_add", MulAddInPlace),
      wrong("overlap_mixed_mul_add", MixedMulAdd, {"Axpy", apart}),
      wrong("overlap_widen", Widen, {"Cast", widened}),
      wrong("overlap_widen_one_repeat", WidenOneRepeat, {"Cast", widened}),
      right("overlap_widen_from_end", WidenFromTheEnd),
      right("overlap_narrow", Narrow),
      wrong("overlap_narrow_ahead", NarrowAhead, {"Cast", shrunk}),
      right("overlap_reduce", Reduce),
      right("overlap_reduce_one_lane", ReduceOneLane),
      wrong("overlap_reduce_ahead", ReduceAhead, {"WholeReduceSum", "UB bytes [256, 260)", later}),
      right("overlap_reduce_blocks", ReduceBlocks),
      wrong("overlap_reduce_blocks_ahead", ReduceBlocksAhead, {"BlockReduceMax", shrunk}),
      right("overlap_broadcast", Broadcast),
      wrong("overlap_broadcast_in_place", BroadcastInPlace, {"Brcb", apart}),
      right("overlap_gather", GatherApart),
      wrong("overlap_gather_offsets", GatherOntoOffsets, {"Gather", "dst and srcOffset", apart}),
      wrong("overlap_gather_source", GatherOntoSource, {"Gather", "dst and src share", apart}),
      right("overlap_compare", CompareApart),
      wrong("overlap_compare_source", CompareOntoSource, {"Compare", "dst and src0", apart}),
      right("overlap_select", SelectOntoSource),
      wrong("overlap_select_mask", SelectOntoMask, {"Select", "dst and selMask", apart}),
      right("overlap_sort_from_end", SortFromTheEnd),
      wrong("overlap_sort_in_place", SortInPlace, {"Sort32", "dst and src0"}),
      right("overlap_merge", MergeApart),
      wrong("overlap_merge_list", MergeOntoList, {"MrgSort", apart}),
      right("overlap_pack", PackInPlace),
      wrong("overlap_pack_ahead", PackAhead, {"GatherMask", "dst and src0"}),
      right("overlap_transpose", TransposeInPlace),
      wrong("overlap_transpose_ahead", TransposeAhead, {"Transpose", partly}),
      right("overlap_rows", RowsInPlace),
      wrong("overlap_rows_ahead", RowsAhead, {"TransDataTo5HD", "dstList and srcList", partly}),
      wrong("overlap_rows_next_repeat", RowsOntoNextRepeat, {"TransDataTo5HD"}),
      wrong("overlap_copy", CopyAhead, {"DataCopy", "dst and src share UB bytes [32, 256)", partly}),
  };
  return cases;
}
