// SPDX-License-Identifier: Apache-2.0
// The data cache through which the scalar unit accesses GM, and accesses by the kernel's own pointers.
#include "harness.h"
#include "twice_plus.h"

using namespace AscendC;

namespace {

constexpr uint32_t kLine = 16;  // floats of a line

struct Setup {
  explicit Setup(const Arguments &arguments) {
    self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), kTile);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out), kTile);
    pipe.InitBuffer(buffer, kTile * sizeof(float));
    x = buffer.Get<float>();
  }
  template <CacheLine lines = CacheLine::SINGLE_CACHE_LINE>
  void Clean(uint32_t index) {
    DataCacheCleanAndInvalid<float, lines, DcciDst::CACHELINE_OUT>(self[index]);
  }
  // Copies one line of twos to `self`.
  void CopyOut() {
    Duplicate(x, 2.0f, kLine);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(self, x, kLine);
    SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
  }

  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  LocalTensor<float> x;
  GlobalTensor<float> self, out;
};

template <bool clean>
void ReadAfterCopy(const Arguments &arguments) {
  Setup s(arguments);
  s.self.GetValue(0);
  s.CopyOut();
  if (clean) s.Clean(kLine - 1);
  s.self.GetValue(kLine);
  FAULT_HERE;
  s.self.GetValue(3);
}

// What CACHELINE_UB makes equal is the cache and UB.
void CleanForUb(const Arguments &arguments) {
  Setup s(arguments);
  s.self.GetValue(0);
  s.CopyOut();
  DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_UB>(s.self);
  FAULT_HERE;
  s.self.GetValue(3);
}

template <bool clean>
void CopyAfterWrite(const Arguments &arguments) {
  Setup s(arguments);
  s.self.SetValue(5, 1.0f);
  if (clean) s.Clean<CacheLine::ENTIRE_DATA_CACHE>(kTile / 2);
  SetFlag<HardEvent::S_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE2>(EVENT_ID0);
  FAULT_HERE;
  DataCopy(s.x, s.self, kTile);
}

// The copy writes beside the value, in the same line.
void CopyOverChangedLine(const Arguments &arguments) {
  Setup s(arguments);
  s.self.SetValue(kLine - 1, 1.0f);
  Duplicate(s.x, 2.0f, kLine);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  FAULT_HERE;
  DataCopy(s.self, s.x, kLine / 2);
}

void WriteToOldLine(const Arguments &arguments) {
  Setup s(arguments);
  s.self.GetValue(0);
  s.CopyOut();
  FAULT_HERE;
  s.self.SetValue(3, 1.0f);
}

// At the end of the kernel everything is written back.
void CorrectWriteAtTheEnd(const Arguments &arguments) {
  Setup s(arguments);
  s.out.SetValue(GetBlockIdx() * kLine, s.self.GetValue(7));
}

// Each block reads what the next one writes, once before and once after.
template <bool clean, bool forget>
void ReadOfOthers(const Arguments &arguments) {
  Setup s(arguments);
  const uint32_t mine = GetBlockIdx() * kLine;
  const uint32_t next = (GetBlockIdx() + 1) % GetBlockNum() * kLine;
  s.self.GetValue(next);
  SyncAll();
  s.self.SetValue(mine, 1.0f);
  if (clean) s.Clean(mine);
  SyncAll();
  if (forget) s.Clean(next);
  FAULT_HERE;
  s.self.GetValue(next);
}

void OneLineOfTwoBlocks(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  s.self.SetValue(GetBlockIdx(), 1.0f);
}

// One after the other, and each writes its value back before the next one starts.
void CorrectTurns(const Arguments &arguments) {
  Setup s(arguments);
  for (int64_t turn = 0; turn < GetBlockNum(); ++turn) {
    if (turn == GetBlockIdx()) {
      s.self.SetValue(GetBlockIdx(), 1.0f);
      s.Clean(0);
    }
    SyncAll();
  }
}

// --- words that tell another block something

constexpr uint32_t kWord = 0, kData = kLine;

enum class Way : uint8_t { kSetValue, kSetValueAtTheEnd, kSetValueLongBeforeTheEnd, kCopy };

// Block 0 writes a line and then a word; block 1 waits for the word and reads the line.
template <Way way, bool polls, bool cleans_data>
void Tell(const Arguments &arguments) {
  Setup s(arguments);
  if (GetBlockIdx() == 0) {
    s.self.SetValue(kData, 3.0f);
    if (cleans_data) s.Clean(kData);
    if (way == Way::kCopy) {
      s.CopyOut();
    } else {
      s.self.SetValue(kWord, 2.0f);
    }
    if (way == Way::kSetValue) s.Clean(kWord);
    // The host needs far longer for these than for the polls of block 1.
    for (int i = 0; way == Way::kSetValueLongBeforeTheEnd && i < 20000; ++i) Duplicate(s.x, 1.0f, kLine);
    return;
  }
  if (polls) {
    do {
      s.Clean(kWord);
    } while (s.self.GetValue(kWord) != 2.0f);
  }
  s.Clean(kData);
  FAULT_HERE;
  s.self.GetValue(kData);
}

// Block 0 does not write the word back before both meet, so that block 1 would wait for ever.
void WordNotWrittenBack(const Arguments &arguments) {
  Setup s(arguments);
  if (GetBlockIdx() == 0) {
    s.self.SetValue(kWord, 2.0f);
  } else {
    do {
      s.Clean(kWord);
      FAULT_HERE;
    } while (s.self.GetValue(kWord) != 2.0f);
  }
  SyncAll();
}

// Each waits for the other's word.
void TwoWordsNotWrittenBack(const Arguments &arguments) {
  Setup s(arguments);
  const uint32_t mine = GetBlockIdx() * kLine, other = kLine - mine;
  s.self.SetValue(mine, 2.0f);
  do {
    s.Clean(other);
    FAULT_HERE;
  } while (s.self.GetValue(other) != 2.0f);
}

// Each block adds one to a count of each block, all by one copy, and waits until its own count has all of
// them.
template <bool waits>
void CountBlocks(const Arguments &arguments) {
  Setup s(arguments);
  const auto blocks = static_cast<int32_t>(GetBlockNum());
  const uint32_t mine = GetBlockIdx() * kLine;
  GlobalTensor<int32_t> counts;
  counts.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(arguments.other), kTile);  // zeros
  LocalTensor<int32_t> ones = s.x.ReinterpretCast<int32_t>();
  s.self.SetValue(mine, 3.0f);
  s.Clean(mine);
  Duplicate(ones, 1, blocks * kLine / 2);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  SetAtomicAdd<int32_t>();
  DataCopy(counts, ones, {static_cast<uint16_t>(blocks), 1, 0, 1});
  SetAtomicNone();
  do {
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(counts[mine]);
  } while (waits && counts.GetValue(mine) != blocks);
  const uint32_t next = (mine + kLine) % (blocks * kLine);
  s.Clean(next);
  FAULT_HERE;
  s.self.GetValue(next);
}

// The same past the data cache.
template <bool polls>
void TellPastTheCache(const Arguments &arguments) {
  const auto word = reinterpret_cast<uint64_t>(arguments.self), data = word + 4;
  if (GetBlockIdx() == 0) {
    sim::ScalarStore<int32_t>(sim::Space::GM, data, 0, 7, sim::Where::Here(), false);
    sim::ScalarStore<int32_t>(sim::Space::GM, word, 0, 6, sim::Where::Here(), false);
    return;
  }
  while (polls && sim::ScalarLoad<int32_t>(sim::Space::GM, word, 0, sim::Where::Here(), false) != 6) continue;
  Setup s(arguments);
  FAULT_HERE;
  DataCopy(s.x, s.self, kLine);
}

// --- pointers of the kernel

volatile __gm__ float *Floats(GM_ADDR address) { return reinterpret_cast<volatile __gm__ float *>(address); }

void CorrectPointer(const Arguments &arguments) {
  Floats(arguments.out)[GetBlockIdx() * kLine] = Floats(arguments.self)[5] + 1.0f;
}

void PointerBeyond(const Arguments &arguments) {
  FAULT_HERE;
  static_cast<void>(Floats(arguments.self)[4 * kTile * kTiles]);
}

void PointerToFreshMemory(const Arguments &arguments) {
  FAULT_HERE;
  static_cast<void>(Floats(arguments.fresh)[8]);
}

void PointerToNothing(const Arguments &) {
  const auto nothing = reinterpret_cast<volatile __gm__ float *>(uint64_t{1} << 46);
  FAULT_HERE;
  nothing[0] = 1.0f;
}

void StalePointer(const Arguments &arguments) {
  Setup s(arguments);
  static_cast<void>(Floats(arguments.self)[0]);
  s.CopyOut();
  FAULT_HERE;
  static_cast<void>(Floats(arguments.self)[3]);
}

void DivisionByZero(const Arguments &) {
  volatile int32_t zero = 0, value = 7;
  FAULT_HERE;
  value = value / zero;
}

}  // namespace

const std::vector<FaultCase> &CacheCases() {
  using K = sim::FaultKind;
  const char *missing = ": missing DataCacheCleanAndInvalid";
  const std::vector<std::string> stale = {"GetValue", "reads src, GM bytes [12, 16)",
                                          "which the data cache still holds", "before DataCopy (", missing};
  static const std::vector<FaultCase> cases = {
      {"read_after_copy", K::kCoherence, ReadAfterCopy<false>, stale},
      {"correct_read_after_copy", K::kOther, ReadAfterCopy<true>, {}},
      {"clean_for_ub", K::kCoherence, CleanForUb, stale},
      {"copy_after_write",
       K::kCoherence,
       CopyAfterWrite<false>,
       {"DataCopy", "reads src, GM bytes [0, 4096)", "what SetValue (", "is in the data cache alone",
        missing}},
      {"correct_copy_after_write", K::kOther, CopyAfterWrite<true>, {}},
      {"copy_over_changed_line",
       K::kCoherence,
       CopyOverChangedLine,
       {"DataCopy", "writes dst", "a line of 64 bytes that SetValue (", "written back over it", missing}},
      {"write_to_old_line",
       K::kCoherence,
       WriteToOldLine,
       {"SetValue", "older than what DataCopy (", "written back over it", missing}},
      {"correct_write_at_the_end", K::kOther, CorrectWriteAtTheEnd, {}, 4},
      {"not_written_back",
       K::kCoherence,
       ReadOfOthers<false, true>,
       {"GetValue", "reads GM bytes [", "which SetValue (", "has not written back", missing},
       4},
      {"not_forgotten",
       K::kCoherence,
       ReadOfOthers<true, false>,
       {"GetValue", "which SetValue (", "wrote after this core's data cache had loaded them", missing},
       4},
      {"correct_read_of_others", K::kOther, ReadOfOthers<true, true>, {}, 4},
      {"one_line_of_two_blocks",
       K::kCoherence,
       OneLineOfTwoBlocks,
       {"SetValue", "writes to a line of 64 bytes", "may write the whole line back", missing},
       2},
      {"correct_turns", K::kOther, CorrectTurns, {}, 3},
      {"correct_polled_word", K::kOther, Tell<Way::kSetValue, true, true>, {}, 2},
      {"correct_polled_copy", K::kOther, Tell<Way::kCopy, true, true>, {}, 2},
      {"correct_polled_word_at_the_end", K::kOther, Tell<Way::kSetValueAtTheEnd, true, true>, {}, 2},
      {"correct_polled_word_long_before_the_end",
       K::kOther,
       Tell<Way::kSetValueLongBeforeTheEnd, true, true>,
       {},
       2},
      {"two_polled_words_not_written_back",
       K::kBlockConflict,
       TwoWordsNotWrittenBack,
       {"GetValue", "reads GM bytes [", "which block", "writes in SetValue (", "nothing orders"},
       2},
      {"polled_word_not_written_back",
       K::kBlockConflict,
       WordNotWrittenBack,
       {"GetValue", "reads GM bytes [0, 4)", "which block 0 writes in SetValue (", "nothing orders"},
       2},
      {"word_is_not_polled",
       K::kBlockConflict,
       Tell<Way::kSetValue, false, true>,
       {"GetValue", "reads GM bytes [64, 68)", "which block 0 writes in SetValue (", "nothing orders"},
       2},
      {"data_of_polled_word_not_written_back",
       K::kCoherence,
       Tell<Way::kSetValue, true, false>,
       {"GetValue", "reads GM bytes [64, 68)", "has not written back", missing},
       2},
      {"correct_counts_of_blocks", K::kOther, CountBlocks<true>, {}, 6},
      {"counts_of_blocks_are_not_awaited",
       K::kBlockConflict,
       CountBlocks<false>,
       {"GetValue", "reads GM bytes [", "writes in SetValue (", "nothing orders"},
       6},
      {"correct_word_past_the_cache", K::kOther, TellPastTheCache<true>, {}, 2},
      {"word_past_the_cache_is_not_polled",
       K::kBlockConflict,
       TellPastTheCache<false>,
       {"DataCopy", "which block 0 writes in SetValue (", "nothing orders"},
       2},
      {"correct_pointer", K::kOther, CorrectPointer, {}, 4},
      {"pointer_beyond",
       K::kGmBounds,
       PointerBeyond,
       {"GetValue (", " PointerBeyond", "src reads 4 bytes at a GM address that lies in no allocation"}},
      {"pointer_to_fresh_memory", K::kUninitialised, PointerToFreshMemory, {"GetValue (", "nothing wrote"}},
      {"pointer_to_nothing", K::kOther, PointerToNothing, {"scalar access (", "in no memory of the core"}},
      {"stale_pointer", K::kCoherence, StalePointer, stale},
      {"division_by_zero", K::kOther, DivisionByZero, {"scalar division (", "divides an integer by zero"}},
  };
  return cases;
}
