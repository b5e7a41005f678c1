// SPDX-License-Identifier: Apache-2.0
// The C functions in which all ranks take part.
#include "hccl/hccl.h"
#include "request.h"

namespace sim::hccl {
namespace {

// The number of elements for each rank, and for this one alone.
std::vector<uint64_t> Equal(const Request &request, uint64_t count) {
  return std::vector<uint64_t>(request.ranks(), count);
}

// `count` for one rank and nothing for the others.
std::vector<uint64_t> Only(const Request &request, uint32_t rank, uint64_t count) {
  std::vector<uint64_t> counts(request.ranks());
  counts[rank] = count;
  return counts;
}

const uint64_t *Numbers(const void *address) { return static_cast<const uint64_t *>(address); }

// Each rank sends sent[i] elements to rank i and gets received[i] from it.
HcclResult AllToAll(Request *request, const void *sendBuf, const std::vector<uint64_t> &sent,
                    const void *sdispls, const void *recvBuf, const std::vector<uint64_t> &received,
                    const void *rdispls) {
  Exchange &exchange = request->exchange();
  exchange.in_segments = true;
  exchange.gives = request->Parts("sendBuf", sendBuf, sent, Numbers(sdispls));
  exchange.gets = request->Parts("recvBuf", recvBuf, received, Numbers(rdispls));
  if (exchange.call.count == 0) {  // the counts differ
    exchange.sent = sent;
    exchange.received = received;
  }
  return request->Queue();
}

}  // namespace
}  // namespace sim::hccl

using namespace sim::hccl;

extern "C" {

HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                         HcclComm comm, aclrtStream stream) try {
  Request request(__func__, Kind::kAllReduce, comm, stream);
  request.Type(dataType);
  request.Op(op);
  request.call().count = count;
  request.exchange().gives = {request.Buffer("sendBuf", sendBuf, count)};
  request.exchange().gets = {request.Buffer("recvBuf", recvBuf, count)};
  return request.Queue();
}
HCCL_CATCH

HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                      uint32_t root, HcclComm comm, aclrtStream stream) try {
  Request request(__func__, Kind::kReduce, comm, stream);
  request.Type(dataType);
  request.Op(op);
  request.Root(root);
  request.call().count = count;
  request.exchange().gives = {request.Buffer("sendBuf", sendBuf, count)};
  if (request.rank() == root) request.exchange().gets = {request.Buffer("recvBuf", recvBuf, count)};
  return request.Queue();
}
HCCL_CATCH

HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
                         aclrtStream stream) try {
  Request request(__func__, Kind::kBroadcast, comm, stream);
  request.Type(dataType);
  request.Root(root);
  request.call().count = count;
  const Span span = request.Buffer("buf", buf, count);
  if (!request.ok()) return request.Queue();
  if (request.rank() == root) {
    request.exchange().gives = {span};
  } else {
    request.exchange().gets = std::vector<Span>(request.ranks());
    request.exchange().gets[root] = span;
  }
  return request.Queue();
}
HCCL_CATCH

HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
                       HcclComm comm, aclrtStream stream) try {
  Request request(__func__, Kind::kScatter, comm, stream);
  request.Type(dataType);
  request.Root(root);
  if (!request.ok()) return request.Queue();
  request.call().count = recvCount;
  Exchange &exchange = request.exchange();
  exchange.in_segments = true;
  if (request.rank() == root) {
    exchange.gives = request.Parts("sendBuf", sendBuf, Equal(request, recvCount), nullptr);
  }
  const std::vector<uint64_t> first(request.ranks());  // all results begin where the buffer does
  exchange.gets = request.Parts("recvBuf", recvBuf, Only(request, root, recvCount), first.data());
  return request.Queue();
}
HCCL_CATCH

HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream) try {
  Request request(__func__, Kind::kAllGather, comm, stream);
  request.Type(dataType);
  request.call().count = sendCount;
  request.exchange().gives = {request.Buffer("sendBuf", sendBuf, sendCount)};
  request.exchange().gets = request.Parts("recvBuf", recvBuf, Equal(request, sendCount), nullptr);
  return request.Queue();
}
HCCL_CATCH

HcclResult HcclAllGatherV(void *sendBuf, uint64_t sendCount, void *recvBuf, const void *recvCounts,
                          const void *recvDispls, HcclDataType dataType, HcclComm comm,
                          aclrtStream stream) try {
  Request request(__func__, Kind::kAllGatherV, comm, stream);
  request.Type(dataType);
  Exchange &exchange = request.exchange();
  exchange.received = request.Counts("recvCounts", recvCounts, request.ranks());
  request.Counts("recvDispls", recvDispls, request.ranks());
  exchange.sent = Only(request, 0, sendCount);
  exchange.gives = {request.Buffer("sendBuf", sendBuf, sendCount)};
  exchange.gets = request.Parts("recvBuf", recvBuf, exchange.received, Numbers(recvDispls));
  return request.Queue();
}
HCCL_CATCH

HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType,
                             HcclReduceOp op, HcclComm comm, aclrtStream stream) try {
  Request request(__func__, Kind::kReduceScatter, comm, stream);
  request.Type(dataType);
  request.Op(op);
  request.call().count = recvCount;
  Exchange &exchange = request.exchange();
  exchange.in_segments = true;
  exchange.gives = request.Parts("sendBuf", sendBuf, Equal(request, recvCount), nullptr);
  exchange.gets = {request.Buffer("recvBuf", recvBuf, recvCount)};
  return request.Queue();
}
HCCL_CATCH

HcclResult HcclReduceScatterV(void *sendBuf, const void *sendCounts, const void *sendDispls, void *recvBuf,
                              uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                              aclrtStream stream) try {
  Request request(__func__, Kind::kReduceScatterV, comm, stream);
  request.Type(dataType);
  request.Op(op);
  Exchange &exchange = request.exchange();
  exchange.in_segments = true;
  exchange.sent = request.Counts("sendCounts", sendCounts, request.ranks());
  request.Counts("sendDispls", sendDispls, request.ranks());
  exchange.received = Only(request, 0, recvCount);
  exchange.gives = request.Parts("sendBuf", sendBuf, exchange.sent, Numbers(sendDispls));
  exchange.gets = {request.Buffer("recvBuf", recvBuf, recvCount)};
  return request.Queue();
}
HCCL_CATCH

HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf,
                        uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream) try {
  Request request(__func__, Kind::kAlltoAll, comm, stream);
  request.SameType(sendType, recvType);
  if (sendCount != recvCount) {
    request.Refuse(HCCL_E_PARA,
                   sim::runtime::Text("recvCount must be sendCount, ", sendCount, ", got ", recvCount));
  }
  request.call().count = sendCount;
  return AllToAll(&request, sendBuf, Equal(request, sendCount), nullptr, recvBuf, Equal(request, recvCount),
                  nullptr);
}
HCCL_CATCH

HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls,
                         HcclDataType sendType, const void *recvBuf, const void *recvCounts,
                         const void *rdispls, HcclDataType recvType, HcclComm comm, aclrtStream stream) try {
  Request request(__func__, Kind::kAlltoAllV, comm, stream);
  request.SameType(sendType, recvType);
  request.Counts("sdispls", sdispls, request.ranks());
  request.Counts("rdispls", rdispls, request.ranks());
  const std::vector<uint64_t> sent = request.Counts("sendCounts", sendCounts, request.ranks());
  const std::vector<uint64_t> received = request.Counts("recvCounts", recvCounts, request.ranks());
  return AllToAll(&request, sendBuf, sent, sdispls, recvBuf, received, rdispls);
}
HCCL_CATCH

// sendCountMatrix[i * ranks + j]: what rank i sends to rank j. Blocks follow each other in both buffers.
HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType,
                          const void *recvBuf, HcclDataType recvType, HcclComm comm, aclrtStream stream) try {
  Request request(__func__, Kind::kAlltoAllVC, comm, stream);
  request.SameType(sendType, recvType);
  const size_t ranks = request.ranks();
  const std::vector<uint64_t> matrix = request.Counts("sendCountMatrix", sendCountMatrix, ranks * ranks);
  const auto row = matrix.begin() + static_cast<ptrdiff_t>(request.rank() * ranks);
  const std::vector<uint64_t> sent(row, row + static_cast<ptrdiff_t>(ranks));
  std::vector<uint64_t> received(ranks);
  for (size_t from = 0; from < ranks; ++from) received[from] = matrix[from * ranks + request.rank()];
  return AllToAll(&request, sendBuf, sent, nullptr, recvBuf, received, nullptr);
}
HCCL_CATCH

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream) try {
  return Request(__func__, Kind::kBarrier, comm, stream).Queue();
}
HCCL_CATCH

}  // extern "C"
