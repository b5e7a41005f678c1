// SPDX-License-Identifier: Apache-2.0
// A collective: in rounds, every rank puts a piece of what it gives into its staging memory, waits for the
// others, and takes from all staging memories what it gets.
#pragma once

#include <vector>

#include "acl/runtime/memory.h"
#include "communicator.h"

namespace sim::hccl {

// A part of a checked buffer on the device.
struct Span {
  runtime::Range range;
  size_t offset = 0;
  size_t bytes = 0;

  // Where the host can read and write a byte of the part.
  std::byte *at(size_t position) const { return memory().Host(range.address) + offset + position; }
  bool Alive() const;
  void MarkWritten() const;

 private:
  DeviceMemory &memory() const { return range.device->memory(); }
};

struct Exchange {
  Call call;
  bool in_segments = false;  // each rank gets a segment of its own from every other; else all get the same
  bool reduces = false;      // what comes from all ranks is combined
  std::vector<Span> gives;   // one per segment, or one; empty spans for a rank that gives nothing
  std::vector<Span> gets;    // by the rank from which it comes; empty spans where nothing does
  // Counts of calls that have one per rank; empty for the others.
  std::vector<uint64_t> sent, received;

  size_t given() const;   // bytes
  size_t gotten() const;  // bytes; a combined result counts once
};

Status Run(Communicator &communicator, const Exchange &exchange);

}  // namespace sim::hccl
