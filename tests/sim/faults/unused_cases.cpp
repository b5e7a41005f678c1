// SPDX-License-Identifier: Apache-2.0
// What a kernel takes and does not use: the end of a copy of whole blocks, which is the next row, and words
// without a value that the scalar unit stores elsewhere.
#include "harness.h"

using namespace AscendC;

namespace {

constexpr uint32_t kRow = 20, kCopied = 24;  // floats

// Each block copies its row of `self` to UB, with the first bytes of the next row, which the next block
// writes.
struct Rows {
  explicit Rows(const Arguments &arguments, uint32_t copied = kCopied) {
    rows.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self));
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out));
    pipe.InitBuffer(buffer_x, 256);
    pipe.InitBuffer(buffer_y, 256);
    pipe.InitBuffer(buffer_z, 256);
    x = buffer_x.Get<float>();
    y = buffer_y.Get<float>();
    FAULT_HERE;
    DataCopy(x, rows[GetBlockIdx() * kRow], copied);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  }
  void Finish() {
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
    DataCopyPad(rows[GetBlockIdx() * kRow], y, DataCopyExtParams(1, kRow * sizeof(float), 0, 0, 0));
  }

  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer_x, buffer_y, buffer_z;
  LocalTensor<float> x, y;
  GlobalTensor<float> rows, out;
};

// All lanes are computed with, as conversions and in place too; the row alone is looked at.
void LanesThrownAway(const Arguments &arguments) {
  Rows s(arguments);
  const auto half_lanes = s.buffer_z.Get<half>();
  Adds(s.x, s.x, 1.0f, kCopied);
  Cast(half_lanes, s.x, RoundMode::CAST_NONE, kCopied);
  Cast(s.y, half_lanes, RoundMode::CAST_NONE, kCopied);
  Mul(s.y, s.y, s.x, kCopied);
  ASSERT(s.y.GetValue(kRow - 1) != -1.0f);
  s.Finish();
}

// What was computed from the end of the copy is written over before it is used.
void LanesWrittenOver(const Arguments &arguments) {
  Rows s(arguments);
  Adds(s.y, s.x, 1.0f, kCopied);
  Duplicate(s.y[16], 2.0f, 8);
  ReduceSum(s.x, s.y, s.buffer_z.Get<float>(), kCopied);
  s.Finish();
}

template <uint32_t count>
void LanesReduced(const Arguments &arguments) {
  Rows s(arguments);
  const auto half_lanes = s.buffer_z.Get<half>();
  Cast(half_lanes, s.x, RoundMode::CAST_NONE, kCopied);
  Cast(s.x, half_lanes, RoundMode::CAST_NONE, kCopied);
  Duplicate(s.y, 1.0f, kRow);
  WholeReduceMax(s.y, s.x, count, 1, 1, 1, 8);
  s.Finish();
}

void LanesCopiedOn(const Arguments &arguments) {
  Rows s(arguments);
  Adds(s.y, s.x, 1.0f, kCopied);
  s.Finish();
  DataCopy(s.out[GetBlockIdx() * kCopied], s.y, kCopied);
}

void LaneReadByScalarUnit(const Arguments &arguments) {
  Rows s(arguments);
  Adds(s.y, s.x, 1.0f, kCopied);
  ASSERT(s.y.GetValue(kRow + 3) != -1.0f);
  s.Finish();
}

// More than a block lies behind the row.
void MoreThanABlock(const Arguments &arguments) {
  Rows s(arguments, kCopied + 8);
  Adds(s.y, s.x, 1.0f, kRow);
  s.Finish();
}

// One core copies the next row out and its own row in, and nothing orders the two.
template <bool uses>
void OwnNextRow(const Arguments &arguments) {
  Rows s(arguments);
  Duplicate(s.y, 2.0f, kRow);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopyPad(s.rows[kRow], s.y, DataCopyExtParams(1, kRow * sizeof(float), 0, 0, 0));
  FAULT_HERE;
  DataCopy(s.x, s.rows, kCopied);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
  Adds(s.x, s.x, 1.0f, uses ? kCopied : kRow);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
  DataCopyPad(s.out, s.x, DataCopyExtParams(1, (uses ? kCopied : kRow) * sizeof(float), 0, 0, 0));
}

// Compare takes whole repeats: of 96 numbers it reads 128, the last ones from the next buffer, where its
// results go. In `own` these go to the end of the numbers.
template <bool own>
void RepeatsBehindABuffer(const Arguments &) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> numbers, bits, others;
  pipe.InitBuffer(numbers, 96 * sizeof(float));
  pipe.InitBuffer(bits, 256);
  pipe.InitBuffer(others, 512);
  const auto x = numbers.Get<float>(), y = others.Get<float>();
  Duplicate(x, 1.0f, 96);
  Duplicate(y, 1.0f, 128);
  Duplicate(bits.Get<float>(), 1.0f, 64);
  const auto to = own ? x[88].ReinterpretCast<uint8_t>() : bits.Get<uint8_t>();
  FAULT_HERE;
  Compare(to, x, y, CMPMODE::EQ, 64, 2, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
}

// A count says which lanes are used: here `count` of them, though the buffer of the numbers holds `held`.
template <uint32_t held, uint32_t count>
void LanesBehindABuffer(const Arguments &) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> numbers, sums, others;
  pipe.InitBuffer(numbers, held * sizeof(float));
  pipe.InitBuffer(sums, 1024);
  pipe.InitBuffer(others, 1024);
  const auto x = numbers.Get<float>(), y = others.Get<float>(), sum = sums.Get<float>();
  Duplicate(x, 1.0f, held);
  Duplicate(y, 1.0f, 256);
  Duplicate(sum, 1.0f, 256);
  FAULT_HERE;
  Add(sum, x, y, count);
}

constexpr uint32_t kAll = 64, kDefined = 60;

// Of 64 numbers the last four have no value. The scalar unit takes one of them.
struct Words {
  explicit Words(const Arguments &arguments) {
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out));
    pipe.InitBuffer(tail, 256);
    pipe.InitBuffer(full, 256);
    x = tail.Get<float>();
    y = full.Get<float>();
    Duplicate(x, 1.0f, kDefined);
    Duplicate(y, 2.0f, kAll);
  }
  void CopyOut() {
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    fault_line = __LINE__ + 1;
    DataCopy(out, y, kAll);
  }

  TPipe pipe;
  TBuf<TPosition::VECCALC> tail, full;
  LocalTensor<float> x, y;
  GlobalTensor<float> out;
};

void WordsMovedAndWrittenOver(const Arguments &arguments) {
  Words s(arguments);
  for (uint32_t i = 0; i < 8; ++i) s.y.SetValue(8 + i, s.x.GetValue(kAll - 8 + i));
  for (uint32_t i = 0; i < 4; ++i) s.y.SetValue(12 + i, s.x.GetValue(i));
  s.CopyOut();
}

void WordMovedAndCopiedOut(const Arguments &arguments) {
  Words s(arguments);
  s.y.SetValue(8, s.x.GetValue(kAll - 1));
  s.CopyOut();
}

void WordChanged(const Arguments &arguments) {
  Words s(arguments);
  FAULT_HERE;
  s.y.SetValue(8, s.x.GetValue(kAll - 1) + 1.0f);
}

void WordKept(const Arguments &arguments) {
  Words s(arguments);
  FAULT_HERE;
  const float value = s.x.GetValue(kAll - 1);
  s.y.SetValue(0, 3.0f);
  s.y.SetValue(8, value);
}

// The word goes to two places, of which one is written over.
void WordStoredTwice(const Arguments &arguments) {
  Words s(arguments);
  const float value = s.x.GetValue(kAll - 1);
  s.y.SetValue(8, value);
  s.y.SetValue(9, value);
  s.y.SetValue(8, 3.0f);
  s.CopyOut();
}

void LastWord(const Arguments &arguments) {
  Words s(arguments);
  FAULT_HERE;
  s.x.GetValue(kAll - 1);
}

}  // namespace

const std::vector<FaultCase> &UnusedCases() {
  using K = sim::FaultKind;
  const std::vector<std::string> race = {"DataCopy (", "GM bytes [80, 96)", "which block"};
  const std::vector<std::string> unused = {
      "GM bytes [80, 96) of an allocation of 65536 bytes, of which it uses"};
  FaultCase behind{
      "unused_lanes_behind_a_buffer", K::kBeyondTensor, RepeatsBehindABuffer<false>, {"Compare"}};
  behind.absent = "Overlap";
  static const std::vector<FaultCase> cases = {
      {"unused_lanes", K::kUnusedRace, LanesThrownAway, unused, 2},
      {"unused_lanes_written_over", K::kUnusedRace, LanesWrittenOver, unused, 2},
      {"unused_lanes_of_a_reduction", K::kUnusedRace, LanesReduced<kRow>, unused, 2},
      {"used_lanes_of_a_reduction", K::kBlockConflict, LanesReduced<kRow + 1>, race, 2},
      {"used_lanes_in_memory", K::kBlockConflict, LanesCopiedOn, race, 2},
      {"used_lanes_of_scalar_unit", K::kBlockConflict, LaneReadByScalarUnit, race, 2},
      {"unused_more_than_a_block", K::kBlockConflict, MoreThanABlock, {"GM bytes [80, 128)"}, 2},
      {"unused_own_row", K::kUnusedRace, OwnNextRow<false>, {"of which it uses none", "MTE3_MTE2"}},
      {"used_own_row", K::kMissingSync, OwnNextRow<true>, {"GM bytes [80, 96)", "MTE3_MTE2"}},
      behind,
      {"used_lanes_of_a_buffer", K::kOverlap, RepeatsBehindABuffer<true>, {"Compare", "dst and src0 share"}},
      {"used_lanes_of_a_count", K::kOverlap, LanesBehindABuffer<96, 120>, {"Add", "dst and src0 share"}},
      {"used_repeats_behind_a_buffer",
       K::kOverlap,
       LanesBehindABuffer<64, 128>,
       {"Add", "dst and src0 share"}},
      {"unused_words", K::kOther, WordsMovedAndWrittenOver, {}},
      {"used_word_in_memory", K::kUninitialised, WordMovedAndCopiedOut, {"DataCopy (", "through GetValue ("}},
      {"used_word_changed", K::kUninitialised, WordChanged, {"GetValue (", "byte 252"}},
      {"used_word_kept", K::kUninitialised, WordKept, {"GetValue (", "byte 252"}},
      {"used_word_stored_twice", K::kUninitialised, WordStoredTwice, {"GetValue ("}},
      {"used_word_at_the_end", K::kUninitialised, LastWord, {"GetValue (", "byte 252"}},
  };
  return cases;
}
