// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "json.h"
#include "kernel_libraries.h"
#include "launch.h"

namespace sim {

std::string JsonString(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string JsonNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.10g", value);
  return text;
}

namespace {

std::string SitesJson(const Fault &fault) {
  std::string out = "[";
  for (const FaultSite &site : fault.sites) {
    out += std::string(out.size() == 1 ? "" : ",") + "{\"call\":" + JsonString(site.call) +
           ",\"file\":" + JsonString(site.file) + ",\"line\":" + std::to_string(site.line) + ",\"path\":[";
    for (size_t i = 0; i < site.path.size(); ++i) out += (i == 0 ? "" : ",") + JsonString(site.path[i]);
    out += "]}";
  }
  return out + "]";
}

std::string BytesJson(const Fault &fault) {
  if (fault.bytes.space.empty()) return "null";
  return "[" + std::to_string(fault.bytes.begin) + "," + std::to_string(fault.bytes.end) + "]";
}

std::string TimesJson(const Report &report) {
  std::string doubts;
  for (int group = 0; group < kGroups; ++group) {
    doubts +=
        (doubts.empty() ? "" : ",") + JsonString(kGroupNames[group]) + ":" + JsonNumber(report.doubts[group]);
  }
  return "\"microseconds\":" + JsonNumber(report.microseconds) + ",\"microseconds_range\":[" +
         JsonNumber(report.least_microseconds) + "," + JsonNumber(report.most_microseconds) +
         "],\"microseconds_doubts\":{" + doubts + "}";
}

}  // namespace

bool Report::ok() const {
  return std::all_of(faults.begin(), faults.end(),
                     [](const Fault &fault) { return fault.severity == Severity::kWarning; });
}

std::string Report::Json() const {
  auto field = [](const char *name, const std::string &value) { return JsonString(name) + ":" + value; };
  auto number = [&field](const char *name, uint64_t value) { return field(name, std::to_string(value)); };
  std::string out = "{" + field("kernel", JsonString(kernel)) + "," + field("soc", JsonString(soc)) + "," +
                    field("headers", JsonString(HeadersOf(kernel))) + "," + number("blocks", blocks) + "," +
                    number("cores", cores) + ",\"pipes\":{";
  for (int i = 0; i < kPipes; ++i) {
    const PipeCounters &pipe = pipes[i];
    out += (i == 0 ? "" : ",") + JsonString(PipeName(static_cast<Pipe>(i))) + ":{" +
           number("instructions", pipe.instructions) + "," + number("bytes", pipe.bytes) + "," +
           number("repeats", pipe.repeats) + "," + field("busy_cycles", JsonNumber(pipe.busy_cycles)) + "}";
  }
  out += "}," + number("gm_read_bytes", gm_read_bytes) + "," + number("gm_write_bytes", gm_write_bytes) +
         "," + number("hbm_read_bytes", hbm_read_bytes) + "," + number("hbm_write_bytes", hbm_write_bytes) +
         "," + number("scalar_accesses", scalar_accesses) + "," + number("ub_peak_bytes", ub_peak_bytes) +
         "," + field("cycles", JsonNumber(cycles)) + "," + TimesJson(*this) + "," + number("seed", seed) +
         ",\"faults\":[";
  for (size_t i = 0; i < faults.size(); ++i) {
    const Fault &fault = faults[i];
    out += std::string(i == 0 ? "" : ",") + "{" + field("kind", JsonString(FaultName(fault.kind))) + "," +
           field("severity", JsonString(SeverityName(fault.severity))) + "," +
           field("kernel", JsonString(fault.kernel)) + "," + number("block", fault.block) + "," +
           field("text", JsonString(fault.text)) + "," + field("sites", SitesJson(fault)) + "," +
           field("space", fault.bytes.space.empty() ? "null" : JsonString(fault.bytes.space)) + "," +
           field("bytes", BytesJson(fault)) + "}";
  }
  return out + "]," + number("suppressed", suppressed.size()) + "}";
}

}  // namespace sim
