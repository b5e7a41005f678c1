// SPDX-License-Identifier: Apache-2.0
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
         "," + field("cycles", JsonNumber(cycles)) + "," + field("microseconds", JsonNumber(microseconds)) +
         ",\"faults\":[";
  for (size_t i = 0; i < faults.size(); ++i) {
    const Fault &fault = faults[i];
    out += std::string(i == 0 ? "" : ",") + "{" + field("kind", JsonString(FaultName(fault.kind))) + "," +
           field("kernel", JsonString(fault.kernel)) + "," + number("block", fault.block) + "," +
           field("text", JsonString(fault.text)) + "}";
  }
  return out + "]}";
}

}  // namespace sim
