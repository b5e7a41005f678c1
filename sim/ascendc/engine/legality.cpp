// SPDX-License-Identifier: Apache-2.0
// Checks operands: each must be aligned, and lie inside its memory and in a buffer that is in use.
#include <algorithm>

#include "core_state.h"
#include "runs.h"

namespace sim {

bool CoreState::CheckOperand(const Operand &operand, const Site &site, Where where) {
  if (operand.alignment > 1 && operand.address % operand.alignment != 0) {
    Report(FaultKind::kAlignment, site.name, where,
           std::string(operand.name) + " must start on a multiple of " + std::to_string(operand.alignment) +
               " bytes, but its address is " + SpaceName(operand.space) + " offset " +
               std::to_string(operand.address) + queues.OfBuffer(operand.space, operand.address));
  }
  if (operand.space == Space::GM) {
    return CheckGmBounds(operand, site, where);
  }
  if ((operand.space == Space::UB) == id.cube) {
    Report(FaultKind::kType, site.name, where,
           std::string(operand.name) + " is in " + SpaceName(operand.space) + ", which a " +
               (id.cube ? "cube" : "vector") + " core does not have");
    return false;
  }
  const ByteRange extent = Extent(operand);
  const uint64_t capacity = model->bytes[Index(operand.space)];
  if (extent.begin < 0 || extent.end > static_cast<int64_t>(capacity)) {
    Report(FaultKind::kUbBounds, site.name, where,
           std::string(operand.name) + (operand.write ? " writes " : " reads ") +
               Range(operand.space, extent.begin, extent.end) +
               queues.OfBuffer(operand.space, operand.address) + ", but the memory has " +
               std::to_string(capacity) + " bytes");
    return false;
  }
  if (operand.space == Space::UB) ub_touched = std::max(ub_touched, static_cast<uint64_t>(extent.end));
  const std::string stale = queues.Stale(operand);
  if (!stale.empty()) {
    Report(FaultKind::kUseAfterFree, site.name, where,
           std::string(operand.name) + (operand.write ? " writes " : " reads ") +
               Range(operand.space, extent.begin, extent.end) +
               queues.OfBuffer(operand.space, operand.address) + ", " + stale);
  }
  return true;
}

bool CoreState::Allocated(uint64_t address, uint64_t bytes) {
  if (address >= last_allocation_ && address + bytes <= last_allocation_ + last_allocation_size_) return true;
  void *start = nullptr;
  uint64_t size = 0, padding = 0;
  if (!memory->FindPadded(reinterpret_cast<const void *>(address), bytes, &start, &size, &padding))
    return false;
  last_allocation_ = reinterpret_cast<uint64_t>(start);
  last_allocation_size_ = size + padding;
  last_padding_ = padding;
  return true;
}

Core::Holder CoreState::HolderOf(uint64_t address, uint64_t bytes, uint64_t start) {
  if (!Allocated(address, bytes)) return Core::Holder::kNone;
  const bool same = start >= last_allocation_ && start <= last_allocation_ + last_allocation_size_;
  return same ? Core::Holder::kSame : Core::Holder::kOther;
}

bool CoreState::InAllocation(uint64_t begin, uint64_t end) {
  return Allocated(begin, end - begin) && end <= last_allocation_ + last_allocation_size_ - last_padding_;
}

bool CoreState::CheckGmBounds(const Operand &operand, const Site &site, Where where) {
  const ByteRange extent = Extent(operand);
  const auto begin = static_cast<uint64_t>(extent.begin);
  const auto end = static_cast<uint64_t>(extent.end);
  if (InAllocation(begin, end)) return true;
  const bool allocated = Allocated(begin, end - begin);
  void *start = nullptr;
  uint64_t size = 0, padding = 0;
  memory->FindPadded(reinterpret_cast<const void *>(begin), end - begin, &start, &size, &padding);
  std::string text = std::string(operand.name) + (operand.write ? " writes " : " reads ");
  if (start == nullptr) {
    text += std::to_string(end - begin) + " bytes at a GM address that lies in no allocation";
  } else {
    const auto base = static_cast<int64_t>(reinterpret_cast<uint64_t>(start));
    text += Range(Space::GM, extent.begin - base, extent.end - base) + " of an allocation of " +
            std::to_string(size) + " bytes" +
            (padding != 0 ? " with " + std::to_string(padding) + " of padding behind it" : "");
  }
  if (allocated) {
    Report(FaultKind::kBeyondTensor, site.name, where, text);
    return true;
  }
  Report(FaultKind::kGmBounds, site.name, where, text);
  return false;
}

}  // namespace sim
