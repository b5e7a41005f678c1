// SPDX-License-Identifier: Apache-2.0
#include "printed_lines.h"

#include <cstdio>

#include "core_state.h"

namespace sim {
namespace {

std::string PrefixOf(const CoreIdentity &core) {
  const uint32_t number = core.block * core.sub_blocks + core.sub_block;
  return std::string(core.cube ? "[AIC Block " : "[AIV Block ") + std::to_string(number) + "/" +
         std::to_string(core.blocks * core.sub_blocks) + "] ";
}

// One write for the whole text, which is therefore printed in one piece.
void Write(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

PrintedLines::PrintedLines(const CoreIdentity &core) : prefix_(PrefixOf(core)) {}

void PrintedLines::Add(const std::string &text) {
  kept_ += text;
  std::string lines;
  size_t start = 0;
  for (size_t end; (end = kept_.find('\n', start)) != std::string::npos; start = end + 1) {
    lines += prefix_ + kept_.substr(start, end + 1 - start);
  }
  kept_.erase(0, start);
  if (!lines.empty()) Write(lines);
}

void PrintedLines::Flush() {
  if (!kept_.empty()) Write(prefix_ + kept_ + "\n");
  kept_.clear();
}

}  // namespace sim
