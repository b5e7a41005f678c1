// SPDX-License-Identifier: Apache-2.0
// Checks that the results of a vector instruction spare its sources. The device reads a repeat, computes it
// and writes it, and reads the next repeats before it has written the first:
//
//   repeat           0          1          2
//   src          |aaaaaaaa| |bbbbbbbb| |cccccccc|
//   dst                     |AAAAAAAA| |BBBBBBBB| …       does repeat 1 read b or A? Nobody knows
//
// The rules are those of AscendC's documentation (general restrictions, overlap of addresses): within a
// repeat a result lies exactly where its source lies, or apart from it; no repeat of results lies on a source
// of a later repeat. Sharing (instruction.h) says what an instruction may besides, or may not.
#include <algorithm>
#include <limits>
#include <vector>

#include "core_state.h"
#include "runs.h"

namespace sim {
namespace {

constexpr uint64_t kRepeat = 256;  // bytes of a whole one

// An operand, repeat by repeat. All repeats look alike, but the last one may be shorter.
class Repeats {
 public:
  explicit Repeats(const Operand &operand) : first_(operand.first_repeat) {
    Operand one = operand;
    one.groups = 1;
    if (operand.repeat_bytes != 0) {
      count_ = static_cast<int64_t>((operand.row_bytes + operand.repeat_bytes - 1) / operand.repeat_bytes);
      stride_ = operand.repeat_bytes;
      end_ = static_cast<int64_t>(operand.address) + operand.row_bytes;
      one.row_bytes = std::min(operand.row_bytes, operand.repeat_bytes);
    } else {
      count_ = operand.groups;
      stride_ = operand.group_stride;
    }
    ForEachRun(one, [this](uint64_t begin, uint64_t bytes) {
      runs_.push_back({static_cast<int64_t>(begin), static_cast<int64_t>(begin + bytes)});
      extent_.begin = std::min(extent_.begin, runs_.back().begin);
      extent_.end = std::max(extent_.end, runs_.back().end);
    });
  }

  int64_t count() const { return count_; }
  int64_t first() const { return first_; }
  int64_t stride() const { return stride_; }
  const std::vector<ByteRange> &runs() const { return runs_; }

  // The bytes of a run, or those from the first to the last byte, of repeat `i` of this operand.
  ByteRange At(const ByteRange &run, int64_t i) const {
    return {run.begin + i * stride_, std::min(run.end + i * stride_, end_)};
  }
  ByteRange Extent(int64_t i) const { return At(extent_, i); }

  // The repeats of this operand that may touch these bytes: from the first number to before the second.
  std::pair<int64_t, int64_t> Meeting(const ByteRange &bytes) const {
    if (stride_ <= 0) return {0, count_};
    const int64_t before = bytes.begin - extent_.end;
    const int64_t after = bytes.end - extent_.begin;
    return {before < 0 ? 0 : before / stride_, std::min(count_, after <= 0 ? 0 : after / stride_ + 1)};
  }

 private:
  int64_t first_;
  int64_t count_ = 1;
  int64_t stride_ = 0;
  int64_t end_ = std::numeric_limits<int64_t>::max();
  ByteRange extent_{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  std::vector<ByteRange> runs_;
};

// The first bytes that repeat i of one operand and repeat j of another share; none: an empty range.
ByteRange Shared(const Repeats &a, int64_t i, const Repeats &b, int64_t j) {
  for (const ByteRange &run : a.runs()) {
    const ByteRange left = a.At(run, i);
    for (const ByteRange &other : b.runs()) {
      const ByteRange right = b.At(other, j);
      const ByteRange shared{std::max(left.begin, right.begin), std::min(left.end, right.end)};
      if (shared.begin < shared.end) return shared;
    }
  }
  return {};
}

bool Alike(const Repeats &a, int64_t i, const Repeats &b, int64_t j) {
  if (a.runs().size() != b.runs().size()) return false;
  for (size_t run = 0; run < a.runs().size(); ++run) {
    const ByteRange left = a.At(a.runs()[run], i);
    const ByteRange right = b.At(b.runs()[run], j);
    if (left.begin != right.begin || left.end != right.end) return false;
  }
  return true;
}

// Says whether results may share bytes with the source of the same repeat.
bool MayShare(const Repeats &to, int64_t i, const Repeats &from, int64_t j, Sharing sharing) {
  switch (sharing) {
    case Sharing::kShrink:
      return to.Extent(i).begin <= from.Extent(j).begin;
    case Sharing::kWiden:
      return to.Extent(i).end <= from.Extent(j).end;
    default:
      return Alike(to, i, from, j);
  }
}

struct Conflict {
  bool later = false;  // the source is one of a later repeat
  int64_t to = 0;
  int64_t from = 0;  // the repeats
  ByteRange bytes;   // empty: no conflict
};

Conflict Find(const Repeats &to, const Repeats &from, Sharing sharing) {
  const bool any_order = sharing == Sharing::kNone;
  // Where both go on by the same stride, the first repeat stands for all of them.
  const bool first_decides = !any_order && to.stride() == from.stride() && to.first() == from.first();
  const bool stands = sharing == Sharing::kAccumulate && (to.stride() == 0 || from.stride() == 0);
  for (int64_t i = 0; i < (first_decides ? std::min<int64_t>(1, to.count()) : to.count()); ++i) {
    const int64_t repeat = to.first() + i;
    const auto [low, high] = from.Meeting(to.Extent(i));
    for (int64_t j = std::max(low, any_order ? 0 : repeat - from.first()); j < high; ++j) {
      const bool later = from.first() + j > repeat;
      if (later && stands) continue;
      const ByteRange shared = Shared(to, i, from, j);
      if (shared.begin >= shared.end) continue;
      if (any_order || later || !MayShare(to, i, from, j, sharing)) {
        return {later, repeat, from.first() + j, shared};
      }
    }
  }
  return {};
}

// Says at once that two operands are the same bytes in the same order, and that no repeat reaches into the
// next one.
bool SamePlaces(const Operand &a, const Operand &b) {
  const int64_t rows = (static_cast<int64_t>(a.rows) - 1) * a.row_stride + a.row_bytes;
  return a.address == b.address && a.row_bytes == b.row_bytes && a.rows == b.rows &&
         (a.rows == 1 || a.row_stride == b.row_stride) && a.groups == b.groups &&
         (a.groups == 1 || (a.group_stride == b.group_stride && a.group_stride >= rows)) &&
         a.first_repeat == b.first_repeat && a.repeat_bytes == b.repeat_bytes && a.elements == nullptr &&
         b.elements == nullptr && a.element_bytes == b.element_bytes &&
         (a.element_bytes == 0 || a.lanes == b.lanes);
}

bool Apart(const ByteRange &a, const ByteRange &b) { return a.end <= b.begin || b.end <= a.begin; }

std::string Rule(const Conflict &conflict, Sharing sharing) {
  if (sharing == Sharing::kNone) return "this instruction needs them apart";
  if (conflict.later) {
    return "repeat " + std::to_string(conflict.to) + " writes them and repeat " +
           std::to_string(conflict.from) + " reads them, which the device may do before or after";
  }
  const std::string partly = "they overlap partly in repeat " + std::to_string(conflict.to) + ": ";
  if (sharing == Sharing::kShrink) {
    return partly + "results that are smaller than their source may not begin behind its start";
  }
  if (sharing == Sharing::kWiden) {
    return partly + "results that are wider than their source may not end behind its end";
  }
  return partly + "a repeat of results must lie exactly where its source lies, or apart from it";
}

}  // namespace

// Whole repeats often read lanes that nobody uses (BeyondTensor): those of the last repeat that lie behind
// the buffer of the source. Results may lie there. A mask or count of fewer lanes says which ones are used.
bool CoreState::LiesInUnusedLanes(const Instruction &instruction, int64_t written, const Operand &from) {
  const uint64_t lanes = instruction.elements * instruction.element_bytes;
  if (lanes != uint64_t{instruction.repeats} * kRepeat || written < 0) return false;
  const auto stays = [&](int64_t byte) {
    const int64_t before = byte - static_cast<int64_t>(from.address);
    return before < 0 || queues.StaysInBuffer(from, static_cast<uint64_t>(before) + 1);
  };
  const Repeats repeats(from);
  return !stays(written) && stays(repeats.Extent(repeats.count() - 1).begin);
}

void CoreState::CheckOverlaps(const Instruction &instruction, const Site &site) {
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &to = instruction.operands[i];
    if (!to.write) continue;
    const ByteRange written = Extent(to);
    for (int j = 0; j < instruction.operand_count; ++j) {
      const Operand &from = instruction.operands[j];
      if (from.write || from.space != to.space) continue;
      const ByteRange read = Extent(from);
      if (Apart(written, read)) continue;
      if (LiesInUnusedLanes(instruction, written.begin, from)) continue;
      if (from.sharing != Sharing::kNone && SamePlaces(to, from)) continue;
      if (from.sharing == Sharing::kPack && written.begin <= read.begin) continue;
      const Conflict conflict = Find(Repeats(to), Repeats(from), from.sharing);
      if (conflict.bytes.begin >= conflict.bytes.end) continue;
      Report(FaultKind::kOverlap, site.name, instruction.where,
             std::string(to.name) + " and " + from.name + " share " +
                 Range(to.space, conflict.bytes.begin, conflict.bytes.end) +
                 queues.OfBuffer(to.space, static_cast<uint64_t>(conflict.bytes.begin)) + ": " +
                 Rule(conflict, from.sharing));
    }
  }
}

}  // namespace sim
