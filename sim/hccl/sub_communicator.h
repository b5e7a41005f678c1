// SPDX-License-Identifier: Apache-2.0
// How the ranks of a sub-communicator find its memory: its rank 0 writes the key into the memory of the
// communicator that all of them have.
#pragma once

#include <vector>

#include "communicator.h"

namespace sim::hccl {

class SubCommunicator {
 public:
  // ranks: of the parent, in the order of the sub-communicator.
  SubCommunicator(const Communicator &parent, const std::vector<uint32_t> &ranks, uint64_t id);

  bool Publish(const Key &key);  // false: there is no room
  void Withdraw();               // when all have found it
  Cause Find(int32_t seconds, Key *key) const;

 private:
  const Communicator &parent_;
  const uint32_t root_;  // rank 0 of the sub-communicator, as a rank of the parent
  uint64_t key_;
  Forming *entry_ = nullptr;
};

}  // namespace sim::hccl
