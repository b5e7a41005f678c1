// SPDX-License-Identifier: Apache-2.0
#include "recording.h"

#include <cstdio>

#include "json.h"
#include "source_lines.h"

namespace sim {
namespace {

std::string Hexadecimal(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string LanesText(const Operand &operand) {
  if (operand.elements != nullptr) {
    const uint64_t count = operand.element_bytes == 0 ? 0 : operand.row_bytes / operand.element_bytes;
    uint64_t hash = 0xcbf29ce484222325;  // FNV-1a of the words of the map
    for (uint64_t word = 0; word < (count + 63) / 64; ++word) {
      hash = (hash ^ operand.elements[word]) * 0x100000001b3;
    }
    return "map" + Hexadecimal(hash);
  }
  if (operand.element_bytes == 0) return "";
  std::string text;
  for (size_t i = operand.lanes.size(); i-- > 0;) {
    if (text.empty() && operand.lanes[i] == 0) continue;
    const std::string word = Hexadecimal(operand.lanes[i]);
    text += text.empty() ? word : std::string(16 - word.size(), '0') + word;
  }
  return text;
}

}  // namespace

void Recording::AddOperand(const Operand &operand, const DeviceMemory &memory) {
  std::string address = std::to_string(operand.address);
  void *start = nullptr;
  uint64_t size = 0, padding = 0;
  if (operand.space == Space::GM &&
      memory.FindPadded(reinterpret_cast<const void *>(operand.address), 1, &start, &size, &padding)) {
    const auto base = reinterpret_cast<uint64_t>(start);
    address = std::to_string(base) + "+" + std::to_string(operand.address - base);
  }
  std::string text = operand.name;
  for (const std::string &value :
       {std::string(SpaceName(operand.space)), std::string(operand.write ? "w" : "r"), address,
        std::to_string(operand.row_bytes), std::to_string(operand.rows), std::to_string(operand.row_stride),
        std::to_string(operand.groups), std::to_string(operand.group_stride),
        std::to_string(operand.element_bytes), LanesText(operand)}) {
    text += ',' + value;
  }
  Word(text);
}

void Recording::Add(const Instruction &instruction, uint32_t site, const DeviceMemory &memory) {
  lines_ += 'I';
  Word(PipeName(instruction.pipe));
  Word(instruction.name);
  Word(site);
  Word(instruction.repeats);
  Word(instruction.elements);
  Word(instruction.element_bytes);
  Word(instruction.atomic ? 1 : 0);
  for (int i = 0; i < instruction.operand_count; ++i) AddOperand(instruction.operands[i], memory);
  lines_ += '\n';
}

void Recording::AddFlag(char kind, Pipe from, Pipe to, int32_t id, uint32_t site) {
  lines_ += kind;
  Word(PipeName(from));
  Word(PipeName(to));
  Word(std::to_string(id));
  Word(site);
  lines_ += '\n';
}

void Recording::AddBarrier(const char *pipe, uint32_t site) {
  lines_ += 'B';
  Word(pipe);
  Word(site);
  lines_ += '\n';
}

void Recording::AddCrossCore(char kind, int mode, Pipe pipe, uint16_t flag, uint32_t site) {
  lines_ += kind;
  if (kind == 'X') {
    Word(static_cast<uint64_t>(mode));
    Word(PipeName(pipe));
  }
  Word(flag);
  Word(site);
  lines_ += '\n';
}

void Recording::AddMeeting(bool vector_only, bool cube, uint32_t site) {
  constexpr uint16_t kCubes = 11, kToCube = 12, kToVectors = 13, kVectors = 14;
  constexpr int kAllOfAKind = 0, kBlock = 2;
  if (vector_only) {
    AddCrossCore('X', kAllOfAKind, Pipe::MTE3, kVectors, site);
    AddCrossCore('T', 0, Pipe::S, kVectors, site);
  } else if (cube) {
    AddCrossCore('T', 0, Pipe::S, kToCube, site);
    AddCrossCore('X', kAllOfAKind, Pipe::FIX, kCubes, site);
    AddCrossCore('T', 0, Pipe::S, kCubes, site);
    AddCrossCore('X', kBlock, Pipe::MTE3, kToVectors, site);
  } else {
    AddCrossCore('X', kBlock, Pipe::MTE3, kToCube, site);
    AddCrossCore('T', 0, Pipe::S, kToVectors, site);
  }
}

std::string RecordingJson(const std::string &kernel, double cycles, const std::vector<RecordedCore> &cores,
                          bool with_calls) {
  std::vector<Site> sites;
  for (const RecordedCore &core : cores) sites.insert(sites.end(), core.sites->begin(), core.sites->end());
  std::vector<std::string> calls;
  if (with_calls) {
    for (const SourcePlace &place : PlacesOf(sites)) calls.push_back(place.calls);
  } else {
    for (const Site &site : sites) calls.push_back(LineText(site));
  }
  std::string out =
      "{\"kernel\":" + JsonString(kernel) + ",\"cycles\":" + JsonNumber(cycles) + ",\"cores\":[";
  size_t at = 0;
  for (const RecordedCore &core : cores) {
    out += (out.back() == '[' ? "" : ",") + std::string("{\"core\":") + std::to_string(core.core) +
           ",\"cube\":" + (core.cube ? "true" : "false") + ",\"sites\":[";
    for (const Site &site : *core.sites) {
      out += (out.back() == '[' ? "[" : ",[") + JsonString(site.name) + "," + JsonString(calls[at++]) + "]";
    }
    out += "],\"lines\":" + JsonString(core.recording->lines()) + "}";
  }
  return out + "]}";
}

}  // namespace sim
