// SPDX-License-Identifier: Apache-2.0
// A call of the C interface while its parameters are checked. The first that is wrong decides its result.
#pragma once

#include "group.h"
#include "report.h"

namespace sim::hccl {

class Request {
 public:
  Request(const char *call, Kind kind, HcclComm comm, aclrtStream stream);

  void Type(HcclDataType type);
  void SameType(HcclDataType send, HcclDataType receive);
  void Op(HcclReduceOp op);
  void Rank(const char *parameter, uint32_t rank);
  void Root(uint32_t root);
  // A buffer of elements; `parameter` names it.
  Span Buffer(const char *parameter, const void *address, uint64_t elements);
  // Parts of a buffer, one per rank. Displacements are nullptr where one part follows the other.
  std::vector<Span> Parts(const char *parameter, const void *address, const std::vector<uint64_t> &counts,
                          const uint64_t *displacements);
  // An array of the caller with one number for each rank; zeros where it is missing, which is an error.
  std::vector<uint64_t> Counts(const char *parameter, const void *address, size_t size);
  void Refuse(HcclResult code, const std::string &text);

  uint32_t rank() const { return ok() ? target_.communicator->rank() : 0; }
  uint32_t ranks() const { return ok() ? target_.communicator->ranks() : 1; }
  bool ok() const { return code_ == HCCL_SUCCESS; }
  Exchange &exchange() { return exchange_; }
  Call &call() { return exchange_.call; }

  // Queues the exchange if all is well.
  HcclResult Queue();
  HcclResult Queue(std::vector<Transfer> transfers);

 private:
  const char *const name_;
  Target target_;
  HcclResult code_ = HCCL_SUCCESS;
  Exchange exchange_;
};

}  // namespace sim::hccl
