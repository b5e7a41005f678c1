// SPDX-License-Identifier: Apache-2.0
#include "group.h"

#include "hccl/hccl.h"
#include "report.h"

namespace sim::hccl {
namespace {

struct Queued {
  Target target;
  std::unique_ptr<Exchange> exchange;  // nullptr: transfers
  std::vector<Transfer> transfers;
};

struct Group {
  int depth = 0;
  std::vector<Queued> calls;

  // Each thread owns one; nothing here is shared.
  static Group &Get() {
    thread_local Group group;
    return group;
  }
};

void Push(Queued call) {
  const std::shared_ptr<Communicator> communicator = call.target.communicator;
  const std::shared_ptr<Queued> shared = std::make_shared<Queued>(std::move(call));
  communicator->Queue(shared->target.stream, shared->target.captured,
                      [communicator, exchange = std::shared_ptr<Exchange>(std::move(shared->exchange)),
                       transfers = std::move(shared->transfers)] {
                        return exchange != nullptr ? Run(*communicator, *exchange)
                                                   : Run(*communicator, transfers);
                      });
}

// Adds transfers to those of the group on the same stream, beside which they may run.
bool Joined(Queued *call) {
  if (call->exchange != nullptr) return false;
  for (Queued &other : Group::Get().calls) {
    if (other.exchange != nullptr || other.target.communicator != call->target.communicator ||
        other.target.stream != call->target.stream) {
      continue;
    }
    for (Transfer &transfer : call->transfers) other.transfers.push_back(std::move(transfer));
    return true;
  }
  return false;
}

void Add(Queued call) {
  if (Group::Get().depth == 0) {
    Push(std::move(call));
  } else if (!Joined(&call)) {
    Group::Get().calls.push_back(std::move(call));
  }
}

}  // namespace

void Queue(const Target &target, Exchange exchange) {
  Add({target, std::make_unique<Exchange>(std::move(exchange)), {}});
}

void Queue(const Target &target, std::vector<Transfer> transfers) {
  if (!transfers.empty()) Add({target, nullptr, std::move(transfers)});
}

}  // namespace sim::hccl

using sim::hccl::Group;

extern "C" {

HcclResult HcclGroupStart() try {
  ++Group::Get().depth;
  return HCCL_SUCCESS;
}
HCCL_CATCH

HcclResult HcclGroupEnd() try {
  Group &group = Group::Get();
  if (group.depth == 0) return sim::hccl::Refuse(HCCL_E_PARA, __func__, ": called without HcclGroupStart");
  if (--group.depth > 0) return HCCL_SUCCESS;
  std::vector<sim::hccl::Queued> calls;
  calls.swap(group.calls);
  for (sim::hccl::Queued &call : calls) sim::hccl::Push(std::move(call));
  return HCCL_SUCCESS;
}
HCCL_CATCH

}  // extern "C"
