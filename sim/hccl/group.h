// SPDX-License-Identifier: Apache-2.0
// Queues checked calls on their streams, at once or at the end of the thread's group.
#pragma once

#include "transfer.h"

namespace sim::hccl {

struct Target {
  std::shared_ptr<Communicator> communicator;
  std::shared_ptr<runtime::Stream> stream;
  bool captured = false;  // the stream's tasks go to a graph
};

void Queue(const Target &target, Exchange exchange);
void Queue(const Target &target, std::vector<Transfer> transfers);

}  // namespace sim::hccl
