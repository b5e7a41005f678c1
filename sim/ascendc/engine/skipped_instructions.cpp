// SPDX-License-Identifier: Apache-2.0
// Instructions that leave their memory, where the block goes on behind the fault. Their functions compute as
// always, on copies of what their operands have in the memories; nobody looks at the copies afterwards.
//
//     UB    |      operand | beyond
//                  |~~~~~~~~~~~~~~~|
//     copy         |bytes  | poison|
#include <algorithm>
#include <cstring>

#include "core_state.h"
#include "runs.h"

namespace sim {

void CoreState::Skip(const Instruction &instruction) {
  constexpr int64_t kMostBytes = int64_t{1} << 28;
  const auto give_up = [&](const char *why) {
    Fail(FaultKind::kOther, instruction.name, instruction.where,
         std::string("the block cannot go on behind the fault of this instruction: ") + why);
  };
  std::vector<Window> windows;
  ByteRange extents[kSpaces];
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.elements != nullptr) give_up("it takes addresses from its operands");
    const ByteRange extent = Extent(operand);
    ByteRange &all = extents[Index(operand.space)];
    const bool first = all.begin == all.end;
    all = {first ? extent.begin : std::min(all.begin, extent.begin),
           first ? extent.end : std::max(all.end, extent.end)};
  }
  for (int s = 0; s < kSpaces; ++s) {
    const ByteRange &extent = extents[s];
    if (extent.begin == extent.end) continue;
    if (extent.end - extent.begin > kMostBytes) give_up("its operands span more than 256 MiB");
    Window window;
    window.space = static_cast<Space>(s);
    window.begin = extent.begin;
    window.bytes.assign(static_cast<size_t>(extent.end - extent.begin), static_cast<std::byte>(kPoison));
    ByteRange present = {0, static_cast<int64_t>(model->bytes[s])};
    if (window.space == Space::GM) {
      void *start = nullptr;
      uint64_t size = 0, padding = 0;
      memory->FindPadded(reinterpret_cast<const void *>(extent.begin), 1, &start, &size, &padding);
      present.begin = static_cast<int64_t>(reinterpret_cast<uint64_t>(start));
      present.end = present.begin + static_cast<int64_t>(size + padding);
    }
    present = {std::max(present.begin, extent.begin), std::min(present.end, extent.end)};
    if (present.begin < present.end) {
      std::memcpy(window.bytes.data() + (present.begin - extent.begin),
                  Memory(window.space, static_cast<uint64_t>(present.begin)),
                  static_cast<size_t>(present.end - present.begin));
    }
    windows.push_back(std::move(window));
  }
  skipped_ = std::move(windows);
}

std::byte *CoreState::MemoryOfSkipped(Space space, uint64_t address) {
  for (Window &window : skipped_) {
    const int64_t offset = static_cast<int64_t>(address) - window.begin;
    if (window.space == space && offset >= 0 && offset < static_cast<int64_t>(window.bytes.size())) {
      return window.bytes.data() + offset;
    }
  }
  return nullptr;
}

}  // namespace sim
