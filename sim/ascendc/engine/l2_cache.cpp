// SPDX-License-Identifier: Apache-2.0
#include "l2_cache.h"

#include <algorithm>

namespace sim {

L2Cache::L2Cache(const DeviceModel &model, const std::vector<const std::vector<Event> *> &cores, bool warm)
    : sector_(model.cost.l2_sector) {
  uint64_t first = ~uint64_t{0};
  uint64_t last = 0;
  auto each_copy = [&cores](auto &&visit) {
    for (const auto *events : cores) {
      for (const Event &event : *events) {
        if (event.kind == Event::kCopy && event.row_bytes != 0 && event.rows != 0) visit(event);
      }
    }
  };
  each_copy([&](const Event &copy) {
    const uint64_t end =
        copy.address + static_cast<uint64_t>((copy.rows - 1) * copy.row_stride) + copy.row_bytes;
    first = std::min({first, copy.address, end - copy.row_bytes});
    last = std::max({last, end, copy.address + copy.row_bytes});
  });
  if (last == 0) return;
  first_page_ = first / kPageBytes;
  pages_.resize(last / kPageBytes - first_page_ + 1);

  free_sectors_ = static_cast<int64_t>(model.cost.l2_usable * static_cast<double>(model.l2_bytes) / sector_);
  if (warm) RunBefore(cores);
}

void L2Cache::RunBefore(const std::vector<const std::vector<Event> *> &cores) {
  size_t longest = 0;
  for (const auto *events : cores) longest = std::max(longest, events->size());
  for (size_t i = 0; i < longest; ++i) {
    for (const auto *events : cores) {
      if (i >= events->size() || (*events)[i].kind != Event::kCopy) continue;
      const Event &copy = (*events)[i];
      ForEachRow(copy, [&](uint64_t begin, uint64_t end) {
        if (end != begin) Access(begin, end - begin, copy.write, copy.bypass);
      });
    }
  }
}

uint32_t L2Cache::SectorMask(uint64_t begin, uint64_t end) const {
  const uint64_t first = begin % kPageBytes / sector_;
  const uint64_t last = (end - 1) % kPageBytes / sector_;
  return (~uint32_t{0} >> (31 - (last - first))) << first;
}

void L2Cache::Unlink(uint32_t index) {
  Page &page = pages_[index];
  (page.newer == kNone ? newest_ : pages_[page.newer].older) = page.older;
  (page.older == kNone ? oldest_ : pages_[page.older].newer) = page.newer;
  page.newer = page.older = kNone;
  page.linked = false;
}

void L2Cache::Touch(uint32_t index) {
  if (newest_ == index) return;
  Page &page = pages_[index];
  if (page.linked) Unlink(index);
  page.older = newest_;
  if (newest_ != kNone) pages_[newest_].newer = index;
  newest_ = index;
  if (oldest_ == kNone) oldest_ = index;
  page.linked = true;
}

double L2Cache::MakeRoom(uint32_t sectors) {
  double written = 0;
  while (free_sectors_ < static_cast<int64_t>(sectors) && oldest_ != kNone) {
    const uint32_t victim = oldest_;
    Page &page = pages_[victim];
    free_sectors_ += __builtin_popcount(page.valid);
    written += static_cast<double>(__builtin_popcount(page.dirty)) * sector_;
    page.valid = page.dirty = 0;
    Unlink(victim);
  }
  return written;
}

HbmTraffic L2Cache::Access(uint64_t address, uint64_t bytes, bool write, bool bypass) {
  HbmTraffic traffic;
  const uint64_t end = address + bytes;
  for (uint64_t at = address; at < end; at = (at / kPageBytes + 1) * kPageBytes) {
    const auto index = static_cast<uint32_t>(at / kPageBytes - first_page_);
    const uint32_t mask = SectorMask(at, std::min(end, (at / kPageBytes + 1) * kPageBytes));
    const uint32_t missing = mask & ~pages_[index].valid;
    if (missing != 0) {
      const auto sectors = static_cast<uint32_t>(__builtin_popcount(missing));
      if (!write) traffic.read += static_cast<double>(sectors) * sector_;
      if (bypass && !write) continue;
      traffic.written += MakeRoom(sectors);
      pages_[index].valid |= missing;
      free_sectors_ -= sectors;
    }
    if (write) pages_[index].dirty |= mask;
    Touch(index);
  }
  return traffic;
}

}  // namespace sim
