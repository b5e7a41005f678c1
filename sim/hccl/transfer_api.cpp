// SPDX-License-Identifier: Apache-2.0
// The C functions in which two ranks take part.
#include "hccl/hccl.h"
#include "request.h"

namespace sim::hccl {
namespace {

HcclResult QueueOne(Request *request, const char *parameter, const void *buffer, uint64_t count,
                    HcclDataType type, const char *peer_parameter, uint32_t peer) {
  request->Type(type);
  request->Rank(peer_parameter, peer);
  request->call().count = count;
  Transfer transfer;
  transfer.sends = request->call().kind == Kind::kSend;
  transfer.peer = peer;
  transfer.span = request->Buffer(parameter, buffer, count);
  transfer.call = request->call();
  return request->Queue({transfer});
}

}  // namespace
}  // namespace sim::hccl

using namespace sim::hccl;

extern "C" {

HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
                    aclrtStream stream) try {
  Request request(__func__, Kind::kSend, comm, stream);
  return QueueOne(&request, "sendBuf", sendBuf, count, dataType, "destRank", destRank);
}
HCCL_CATCH

HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
                    aclrtStream stream) try {
  Request request(__func__, Kind::kReceive, comm, stream);
  return QueueOne(&request, "recvBuf", recvBuf, count, dataType, "srcRank", srcRank);
}
HCCL_CATCH

HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo, uint32_t itemNum, HcclComm comm,
                             aclrtStream stream) try {
  Request request(__func__, Kind::kSend, comm, stream);
  if (sendRecvInfo == nullptr) request.Refuse(HCCL_E_PTR, "sendRecvInfo must not be null");
  std::vector<Transfer> transfers;
  for (uint32_t i = 0; i < itemNum && request.ok(); ++i) {
    const HcclSendRecvItem &item = sendRecvInfo[i];
    const std::string name = "sendRecvInfo[" + std::to_string(i) + "]";
    Transfer transfer;
    transfer.sends = item.sendRecvType == HCCL_SEND;
    transfer.peer = item.remoteRank;
    request.Type(item.dataType);
    request.Rank((name + ".remoteRank").c_str(), item.remoteRank);
    request.call().kind = transfer.sends ? Kind::kSend : Kind::kReceive;
    request.call().count = item.count;
    transfer.span = request.Buffer((name + ".buf").c_str(), item.buf, item.count);
    transfer.call = request.call();
    transfers.push_back(transfer);
  }
  return request.Queue(std::move(transfers));
}
HCCL_CATCH

}  // extern "C"
