// SPDX-License-Identifier: Apache-2.0
#include "sub_communicator.h"

#include <map>
#include <utility>

namespace sim::hccl {
namespace {

using runtime::Text;

uint64_t Mixed(uint64_t hash, uint64_t word) {
  constexpr uint64_t kPrime = 0x100000001B3;  // FNV-1a
  for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (word >> (8 * byte) & 0xFF)) * kPrime;
  return hash;
}

// How often this rank has made the same sub-communicator: each time it is another one.
uint64_t Occurrence(const void *parent, uint64_t key) {
  static std::mutex mutex;
  static std::map<std::pair<const void *, uint64_t>, uint64_t> counts;
  std::lock_guard<std::mutex> lock(mutex);
  return counts[{parent, key}]++;
}

}  // namespace

SubCommunicator::SubCommunicator(const Communicator &parent, const std::vector<uint32_t> &ranks, uint64_t id)
    : parent_(parent), root_(ranks.front()) {
  uint64_t key = Mixed(0xCBF29CE484222325, id);
  for (const uint32_t rank : ranks) key = Mixed(key, rank);
  key_ = Mixed(key, Occurrence(&parent, key));
}

bool SubCommunicator::Publish(const Key &key) {
  for (Forming &entry : parent_.memory().header().forming) {
    uint32_t expected = 0;
    if (!entry.state.compare_exchange_strong(expected, 1)) continue;
    entry.key = key_;
    entry.memory = key;
    entry.state.store(2, std::memory_order_release);
    entry_ = &entry;
    return true;
  }
  return false;
}

void SubCommunicator::Withdraw() { entry_->state.store(0); }

Cause SubCommunicator::Find(int32_t seconds, Key *key) const {
  const Deadline deadline(seconds);
  while (true) {
    for (const Forming &entry : parent_.memory().header().forming) {
      if (entry.state.load(std::memory_order_acquire) != 2 || entry.key != key_) continue;
      *key = entry.memory;
      return {};
    }
    if (Cause lost = parent_.Lost(root_); !lost.ok()) return lost;
    if (deadline.Passed()) {
      return {HCCL_E_TIMEOUT, Text("rank ", root_,
                                   " of the communicator, which is rank 0 of the sub-communicator, did "
                                   "not make it within ",
                                   seconds, " s (HCCL_CONNECT_TIMEOUT)")};
    }
    const std::atomic<uint32_t> &bell = parent_.own().bell;
    WaitAMoment(bell, bell.load());
  }
}

}  // namespace sim::hccl
