// SPDX-License-Identifier: Apache-2.0
#include "timeline.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

#include "json.h"
#include "line_tables.h"
#include "source_lines.h"

namespace sim {
namespace {

std::string Base64(const std::vector<uint32_t> &words) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const size_t size = words.size() * 4;
  const auto byte = [&words, size](size_t i) { return i < size ? words[i / 4] >> (i % 4 * 8) & 0xff : 0; };
  std::string out;
  out.reserve((size + 2) / 3 * 4);
  for (size_t i = 0; i < size; i += 3) {
    const uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (int digit = 0; digit < 4; ++digit) out += digits[three >> (18 - 6 * digit) & 63];
    for (size_t missing = size - i; missing < 3; ++missing) out[out.size() - 3 + missing] = '=';
  }
  return out;
}

// The API calls of all cores, each once: [name, file, line, calls], and for each core the numbers of its
// sites.
struct SiteTable {
  std::string json;
  std::string modules;
  std::vector<std::vector<uint32_t>> of_core;
};

SiteTable TableOf(const std::vector<CoreTrace> &cores) {
  std::vector<Site> sites;
  for (const CoreTrace &core : cores) sites.insert(sites.end(), core.sites->begin(), core.sites->end());
  const std::vector<SourcePlace> places = PlacesOf(sites);
  std::set<std::string> modules;
  std::map<std::tuple<std::string, std::string, std::string>, uint32_t> known;
  SiteTable table;
  size_t next = 0;
  for (const CoreTrace &core : cores) {
    std::vector<uint32_t> numbers;
    for (const Site &site : *core.sites) {
      const SourcePlace &place = places[next++];
      const auto [entry, added] =
          known.try_emplace({place.api, place.file, place.calls}, static_cast<uint32_t>(known.size()));
      numbers.push_back(entry->second);
      if (!added) continue;
      const size_t colon = place.line.rfind(':');
      const std::string line = colon == std::string::npos ? "0" : place.line.substr(colon + 1);
      table.json += (table.json.empty() ? "[" : ",\n[") + JsonString(place.api) + "," +
                    JsonString(place.file) + "," + line + "," + JsonString(place.calls) + "]";
      if (site.path != nullptr && !site.path->empty()) modules.insert(ModuleOf(site.path->back()));
    }
    table.of_core.push_back(std::move(numbers));
  }
  for (const std::string &module : modules) {
    table.modules += (table.modules.empty() ? "" : ",") + JsonString(module);
  }
  return table;
}

std::string Rows(const std::vector<CoreTrace> &cores, const CostResult &cost, const SiteTable &table,
                 double tick) {
  constexpr uint32_t kCoresOffset = 16;
  std::map<std::pair<uint32_t, Pipe>, std::vector<const TraceSlice *>> rows;
  for (const TraceSlice &slice : cost.slices) rows[{slice.core, slice.pipe}].push_back(&slice);
  const auto ticks = [tick](double cycles) { return static_cast<uint32_t>(std::llround(cycles / tick)); };
  std::string out;
  for (auto &[row, slices] : rows) {
    std::stable_sort(slices.begin(), slices.end(),
                     [](const TraceSlice *a, const TraceSlice *b) { return a->begin < b->begin; });
    std::vector<uint32_t> words;
    for (const TraceSlice *slice : slices) {
      const Wait &wait = slice->wait;
      const uint32_t begin = ticks(slice->begin);
      words.insert(
          words.end(),
          {begin, ticks(slice->end) - begin, table.of_core[row.first][slice->site],
           static_cast<uint32_t>(std::min<uint64_t>(slice->bytes, UINT32_MAX)), ticks(slice->waited),
           static_cast<uint32_t>(wait.cause), static_cast<uint32_t>(wait.pipe) + kCoresOffset * wait.core,
           wait.site == Wait::kNoSite ? 0 : table.of_core[wait.core][wait.site] + 1, ticks(slice->stalled)});
    }
    const CoreTrace &core = cores[row.first];
    out += (out.empty() ? "" : ",\n") + std::string("{\"core\":") + std::to_string(core.core) +
           ",\"cube\":" + (core.cube ? "true" : "false") + ",\"pipe\":" + JsonString(PipeName(row.second)) +
           ",\"slices\":\"" + Base64(words) + "\"}";
  }
  return out;
}

std::string TimelineJson(const DeviceModel &model, const std::vector<CoreTrace> &cores,
                         const CostResult &cost, const Report &report) {
  const double tick = std::max(0.25, cost.end.time / (uint64_t{1} << 31));
  double start = cost.end.time;
  for (const TraceSlice &slice : cost.slices) start = std::min(start, slice.begin);
  const SiteTable table = TableOf(cores);
  const auto field = [](const char *name, double value) {
    return JsonString(name) + ":" + JsonNumber(value);
  };
  return "{\"report\":" + report.Json() + ",\n\"device\":{\"soc\":" + JsonString(model.soc) + "," +
         field("clock_ghz", model.clock_ghz) + "," + field("vector_cores", model.vector_cores) + "," +
         field("cube_cores", model.cube_cores) + "," +
         field("hbm_bytes_per_second", model.hbm_bytes_per_second) + "," +
         field("l2_bytes_per_second", model.l2_bytes_per_second) + "," +
         field("ub_bytes", static_cast<double>(model.bytes[Index(Space::UB)])) + "},\n" +
         field("start", start) + "," + field("tick", tick) + ",\n\"sites\":[" + table.json +
         "],\n\"modules\":[" + table.modules + "],\n\"rows\":[" + Rows(cores, cost, table, tick) + "]}\n";
}

std::string FileNameOf(int number, const std::string &kernel) {
  constexpr size_t kLongest = 100;
  char digits[16];
  std::snprintf(digits, sizeof(digits), "%03d-", number);
  std::string name = kernel.substr(0, kLongest);
  for (char &c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return digits + name + ".json";
}

// The number after those in the folder.
int NumberAfter(const std::filesystem::path &folder) {
  std::error_code ignored;
  int number = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder, ignored)) {
    number = std::max(number, std::atoi(entry.path().filename().c_str()) + 1);
  }
  return number;
}

// Creates the file with the next number. Other processes may write to the folder at the same time, so that a
// file must be new ("x").
std::FILE *NextFile(const std::filesystem::path &folder, const std::string &kernel, std::string *name) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  static std::atomic<int> next{NumberAfter(folder)};
  for (;;) {
    *name = (folder / FileNameOf(next++, kernel)).string();
    std::FILE *file = std::fopen(name->c_str(), "wx");
    if (file != nullptr || errno != EEXIST) return file;
  }
}

}  // namespace

void WriteTimeline(const std::string &folder, const DeviceModel &model, const std::vector<CoreTrace> &cores,
                   const CostResult &cost, const Report &report) {
  std::string name;
  std::FILE *file = NextFile(folder, report.kernel, &name);
  const std::string text = file == nullptr ? "" : TimelineJson(model, cores, cost, report);
  bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) written = std::fclose(file) == 0 && written;
  if (!written) {
    std::fprintf(stderr, "AVO_SIM_TIMELINE: cannot write %s: %s\n", name.c_str(), std::strerror(errno));
  }
}

}  // namespace sim
