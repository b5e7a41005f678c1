// SPDX-License-Identifier: Apache-2.0
// What the sources say about a fault: the calls that led to it, and the names of buffers.
//
// The calls come from the line tables of the compiled kernel (-g1), which the program addr2line of the
// binutils reads. The names of buffers come from the source files. Where one of these is missing, the answer
// is empty and a fault says less.
#pragma once

#include <string>
#include <vector>

#include "events.h"

namespace sim {

// "row_copy.h:88": the line of the API call alone; "unknown line" for an intrinsic, which cannot tell it.
std::string LineText(const Site &site);

// Where an API call stands in the kernel.
struct SourcePlace {
  // "Add". Where CANN's own headers issue an instruction for the API function that the kernel calls, both are
  // named: "Select: Add".
  std::string api;
  std::string file;  // as the line table has it
  std::string line;  // "row_copy.h:88"
  int number = 0;    // 88; 0: unknown
  // From the kernel's entry: "cummax.h:31 Process", "scan.h:120 Load", "row_copy.h:88 CopyRowsIn".
  std::vector<std::string> path;
  std::string calls;  // the path in one text, with " > " between calls; `line` where the path is unknown
};

// The places of API calls; what is not known is as LineText has it. For an intrinsic the line is that of the
// first caller whose file is in none of the header folders (kernel_libraries.h). Starts addr2line once for
// each library that holds kernels, so ask for all sites at a time.
std::vector<SourcePlace> PlacesOf(const std::vector<Site> &sites);

// Whether CANN's headers set a cross-core flag for a function of their own, such as Matmul; false where the
// kernel sets it, and where nothing says who does.
bool IsFlagOfHeaders(const Site &set);

// The first argument of the InitBuffer call at `site` as the source has it: "in_queue_", "queues_[i]". Empty
// where the source file is missing.
std::string BufferName(const Site &site);

}  // namespace sim
