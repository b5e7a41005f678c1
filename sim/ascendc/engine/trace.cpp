// SPDX-License-Identifier: Apache-2.0
#include "cost.h"
#include "json.h"
#include "source_lines.h"

namespace sim {
namespace {

// "/src/rows.h:7" for each site of each core.
std::vector<std::vector<std::string>> LinesOf(const std::vector<CoreTrace> &cores) {
  std::vector<Site> unknown;
  for (const CoreTrace &core : cores) {
    for (const Site &site : *core.sites) {
      if (site.line <= 0) unknown.push_back(site);
    }
  }
  const std::vector<SourcePlace> places = PlacesOf(unknown);
  size_t next = 0;
  std::vector<std::vector<std::string>> lines(cores.size());
  for (size_t core = 0; core < cores.size(); ++core) {
    for (const Site &site : *cores[core].sites) {
      std::string file = site.file;
      std::string line = std::to_string(site.line);
      if (site.line <= 0) {
        const SourcePlace &place = places[next++];
        file = place.file;
        line = place.line.substr(place.line.rfind(':') + 1);
      }
      lines[core].push_back(file.empty() ? line : file + ":" + line);
    }
  }
  return lines;
}

}  // namespace

std::string TraceJson(const DeviceModel &model, const std::vector<CoreTrace> &cores, const CostResult &cost,
                      const std::string &kernel) {
  const double microseconds = 1 / (model.clock_ghz * 1e3);
  std::string out = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"kernel\":" + JsonString(kernel) +
                    ",\"soc\":" + JsonString(model.soc) + "},\"traceEvents\":[";
  for (const CoreTrace &core : cores) {
    const std::string process = std::to_string(core.core);
    out += "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + process + ",\"args\":{\"name\":\"core " +
           process + (core.cube ? " (AIC)" : " (AIV)") + "\"}},\n";
    for (int pipe = 0; pipe < kPipes; ++pipe) {
      out += "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" + process +
             ",\"tid\":" + std::to_string(pipe) +
             ",\"args\":{\"name\":" + JsonString(PipeName(static_cast<Pipe>(pipe))) + "}},\n";
    }
  }
  const std::vector<std::vector<std::string>> lines = LinesOf(cores);
  for (const TraceSlice &slice : cost.slices) {
    const Site &site = (*cores[slice.core].sites)[slice.site];
    out += "{\"ph\":\"X\",\"pid\":" + std::to_string(slice.core) +
           ",\"tid\":" + std::to_string(static_cast<int>(slice.pipe)) + ",\"name\":" + JsonString(site.name) +
           ",\"ts\":" + JsonNumber(slice.begin * microseconds) +
           ",\"dur\":" + JsonNumber((slice.end - slice.begin) * microseconds) +
           ",\"args\":{\"line\":" + JsonString(lines[slice.core][slice.site]) +
           (slice.bytes != 0 ? ",\"bytes\":" + std::to_string(slice.bytes) : "") + "}},\n";
  }
  out += "{\"ph\":\"M\",\"name\":\"trace_end\",\"pid\":0}]}";
  return out;
}

}  // namespace sim
