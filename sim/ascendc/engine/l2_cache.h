// SPDX-License-Identifier: Apache-2.0
// Which bytes of GM the L2 holds, and so which bytes of a copy cross HBM. The bytes that were used least
// recently leave it first.
#pragma once

#include <cstdint>
#include <vector>

#include "device_model.h"
#include "events.h"

namespace sim {

struct HbmTraffic {
  double read = 0;
  double written = 0;  // dirty lines that had to leave
};

class L2Cache {
 public:
  // At the start of a launch the L2 is empty, as behind copies from the host; or `warm`: the same launch ran
  // before, as in a loop that measures it, and the L2 holds what that one left there.
  L2Cache(const DeviceModel &model, const std::vector<const std::vector<Event> *> &cores, bool warm);

  HbmTraffic Access(uint64_t address, uint64_t bytes, bool write, bool bypass);

 private:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Page {
    uint32_t valid = 0;  // a bit a sector
    uint32_t dirty = 0;
    uint32_t newer = kNone;
    uint32_t older = kNone;
    bool linked = false;
  };

  uint32_t SectorMask(uint64_t begin, uint64_t end) const;
  void Touch(uint32_t page);
  void Unlink(uint32_t page);
  double MakeRoom(uint32_t sectors);
  // Each core in turn makes one of its copies.
  void RunBefore(const std::vector<const std::vector<Event> *> &cores);

  const uint32_t sector_;
  uint64_t first_page_ = 0;
  std::vector<Page> pages_;
  uint32_t newest_ = kNone;
  uint32_t oldest_ = kNone;
  int64_t free_sectors_ = 0;
};

// Calls visit(begin, end) for each run of bytes of a copy. Rows that follow each other without a gap are one
// run.
template <typename Visit>
void ForEachRow(const Event &copy, Visit &&visit) {
  for (uint32_t row = 0; row < copy.rows; ++row) {
    const uint64_t begin = copy.address + static_cast<uint64_t>(row * copy.row_stride);
    visit(begin, begin + copy.row_bytes);
  }
}

}  // namespace sim
