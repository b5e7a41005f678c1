// SPDX-License-Identifier: Apache-2.0
#include "cost.h"
#include "json.h"

namespace sim {

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
  for (const TraceSlice &slice : cost.slices) {
    const Site &site = (*cores[slice.core].sites)[slice.site];
    out += "{\"ph\":\"X\",\"pid\":" + std::to_string(slice.core) +
           ",\"tid\":" + std::to_string(static_cast<int>(slice.pipe)) + ",\"name\":" + JsonString(site.name) +
           ",\"ts\":" + JsonNumber(slice.begin * microseconds) +
           ",\"dur\":" + JsonNumber((slice.end - slice.begin) * microseconds) +
           ",\"args\":{\"line\":" + JsonString(std::string(site.file) + ":" + std::to_string(site.line)) +
           (slice.bytes != 0 ? ",\"bytes\":" + std::to_string(slice.bytes) : "") + "}},\n";
  }
  out += "{\"ph\":\"M\",\"name\":\"trace_end\",\"pid\":0}]}";
  return out;
}

}  // namespace sim
