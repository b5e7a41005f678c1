// SPDX-License-Identifier: Apache-2.0
#include "request.h"

#include <algorithm>

#include "acl/acl_mdl.h"
#include "reduction.h"

namespace sim::hccl {
namespace {

using runtime::Text;

constexpr uint64_t kLargestCount = uint64_t{1} << 48;  // so that no product of counts and sizes overflows

}  // namespace

Request::Request(const char *call, Kind kind, HcclComm comm, aclrtStream stream) : name_(call) {
  exchange_.call.kind = kind;
  target_.communicator = Communicators().Find(comm);
  if (target_.communicator == nullptr) {
    Refuse(HCCL_E_PARA, Text("comm ", comm, " is no communicator (never made, or destroyed already)"));
    return;
  }
  aclError code = ACL_SUCCESS;
  target_.stream = runtime::UseStream(call, stream, &code);
  if (target_.stream == nullptr) {
    code_ = HCCL_E_RUNTIME;
    return;
  }
  aclmdlRICaptureStatus capture = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  aclmdlRICaptureGetInfo(stream, &capture, nullptr);
  target_.captured = capture == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
  if (const int32_t device = target_.stream->device()->id(); device != target_.communicator->device()) {
    Refuse(HCCL_E_PARA, Text("stream must be one of device ", target_.communicator->device(),
                             ", with which the communicator was made, got one of device ", device));
    return;
  }
  if (const Cause failure = target_.communicator->failure(); !failure.ok()) {
    Refuse(failure.code, Text("the communicator was given up: ", failure.text));
  }
}

void Request::Refuse(HcclResult code, const std::string &text) {
  if (!ok()) return;
  const std::string place = target_.communicator == nullptr ? "" : " " + target_.communicator->Place();
  code_ = hccl::Refuse(code, name_, place, ": ", text);
}

void Request::Type(HcclDataType type) {
  if (NameOf(type) == nullptr)
    Refuse(HCCL_E_PARA, Text("dataType must be an HcclDataType, got ", static_cast<int>(type)));
  call().type = type;
}

void Request::SameType(HcclDataType send, HcclDataType receive) {
  Type(send);
  if (send == receive) return;
  Refuse(HCCL_E_PARA,
         Text("recvType must be sendType, ", static_cast<int>(send), ", got ", static_cast<int>(receive)));
}

void Request::Op(HcclReduceOp op) {
  if (NameOf(op) == nullptr) {
    Refuse(HCCL_E_PARA, Text("op must be an HcclReduceOp, got ", static_cast<int>(op)));
  } else if (ok() && !Reducible(call().type)) {
    Refuse(HCCL_E_NOT_SUPPORT, Text("values of type ", NameOf(call().type), " cannot be reduced"));
  }
  call().op = op;
  exchange_.reduces = true;
}

void Request::Rank(const char *parameter, uint32_t rank) {
  if (rank >= ranks()) Refuse(HCCL_E_PARA, Text(parameter, " must be less than ", ranks(), ", got ", rank));
}

void Request::Root(uint32_t root) {
  Rank("root", root);
  call().root = root;
}

Span Request::Buffer(const char *parameter, const void *address, uint64_t elements) {
  Span span;
  if (!ok()) return span;
  if (elements > kLargestCount) {
    Refuse(HCCL_E_PARA, Text(parameter, " must have at most 2^48 elements, got ", elements));
    return span;
  }
  span.bytes = elements * SizeOf(call().type);
  if (span.bytes == 0) return span;
  if (const Status status =
          runtime::CheckRange(parameter, address, span.bytes, runtime::Side::kDevice, &span.range);
      !status.ok()) {
    Refuse(HCCL_E_PARA, status.text);
  } else if (span.range.device->id() != target_.communicator->device()) {
    Refuse(HCCL_E_PARA, Text(parameter, " must be memory of device ", target_.communicator->device(),
                             ", got ", address, " of device ", span.range.device->id()));
  }
  return span;
}

std::vector<Span> Request::Parts(const char *parameter, const void *address,
                                 const std::vector<uint64_t> &counts, const uint64_t *displacements) {
  std::vector<uint64_t> starts(counts.size());
  uint64_t end = 0;
  uint64_t next = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    starts[i] = displacements == nullptr ? next : displacements[i];
    if (counts[i] > kLargestCount || starts[i] > kLargestCount) {
      Refuse(HCCL_E_PARA,
             Text(parameter, " must have at most 2^48 elements, got ", counts[i], " from ", starts[i]));
      return {};
    }
    next = starts[i] + counts[i];
    if (counts[i] > 0) end = std::max(end, next);
  }
  const Span whole = Buffer(parameter, address, end);
  std::vector<Span> parts;
  for (size_t i = 0; i < counts.size(); ++i) {
    parts.push_back({whole.range, starts[i] * SizeOf(call().type), counts[i] * SizeOf(call().type)});
  }
  return parts;
}

std::vector<uint64_t> Request::Counts(const char *parameter, const void *address, size_t size) {
  if (address == nullptr) {
    Refuse(HCCL_E_PTR, Text(parameter, " must not be null"));
    return std::vector<uint64_t>(size);
  }
  const auto *const numbers = static_cast<const uint64_t *>(address);
  return std::vector<uint64_t>(numbers, numbers + size);
}

HcclResult Request::Queue() {
  if (ok()) hccl::Queue(target_, std::move(exchange_));
  return code_;
}

HcclResult Request::Queue(std::vector<Transfer> transfers) {
  if (ok()) hccl::Queue(target_, std::move(transfers));
  return code_;
}

}  // namespace sim::hccl
