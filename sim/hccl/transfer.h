// SPDX-License-Identifier: Apache-2.0
// What one rank sends to another. Transfers that are queued together proceed at the same time, so that two
// ranks may send to each other.
#pragma once

#include <vector>

#include "exchange.h"

namespace sim::hccl {

struct Transfer {
  bool sends = false;
  uint32_t peer = 0;
  Call call;
  Span span;
};

Status Run(Communicator &communicator, const std::vector<Transfer> &transfers);

}  // namespace sim::hccl
