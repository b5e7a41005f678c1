// SPDX-License-Identifier: Apache-2.0
// The C functions that make, describe and destroy communicators.
#include <cstring>
#include <map>
#include <thread>

#include "acl/runtime/context.h"
#include "hccl/hccl.h"
#include "report.h"
#include "sub_communicator.h"

namespace sim::hccl {
namespace {

using runtime::Text;

// Memory that this process has made, until its communicator has all its ranks.
struct Made {
  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<SharedMemory>> memories;  // by the first half of the id

  static Made &Get() {
    static auto *made = new Made;
    return *made;
  }
};

void Forget(const Key &key) {
  Made &made = Made::Get();
  std::lock_guard<std::mutex> lock(made.mutex);
  made.memories.erase(key.id[0]);
}

HcclResult MakeMemory(const char *call, Key *key) {
  std::string error;
  const std::shared_ptr<SharedMemory> memory = SharedMemory::Make(&error);
  if (memory == nullptr) return Refuse(HCCL_E_SYSCALL, call, ": ", error);
  *key = memory->key();
  Made &made = Made::Get();
  std::lock_guard<std::mutex> lock(made.mutex);
  made.memories[key->id[0]] = memory;
  return HCCL_SUCCESS;
}

HcclResult ReadSettings(const char *call, const HcclCommConfig *config, const Key &key,
                        Communicator::Settings *settings) {
  settings->name = key.Name();
  settings->exec_timeout = ExecTimeout();
  if (settings->exec_timeout < 0) {
    return Refuse(HCCL_E_PARA, call, ": HCCL_EXEC_TIMEOUT must be a whole number of seconds, got ",
                  std::getenv("HCCL_EXEC_TIMEOUT"));
  }
  if (config == nullptr) return HCCL_SUCCESS;
  if (config->size >= offsetof(HcclCommConfig, hcclUdi) && config->hcclCommName[0] != '\0') {
    settings->name.assign(config->hcclCommName, strnlen(config->hcclCommName, COMM_NAME_MAX_LENGTH));
  }
  if (config->size >= sizeof(HcclCommConfig) && config->hcclExecTimeOut >= 0) {
    settings->exec_timeout = config->hcclExecTimeOut;
  }
  return HCCL_SUCCESS;
}

// Takes the place of one rank, without waiting for the others.
HcclResult Enter(const char *call, uint32_t ranks, const Key &key, uint32_t rank, int32_t device,
                 const HcclCommConfig *config, std::shared_ptr<Communicator> *communicator) {
  if (ranks == 0) return Refuse(HCCL_E_PARA, call, ": nRanks must be at least 1, got 0");
  if (rank >= ranks) {
    return Refuse(HCCL_E_PARA, call, ": rank must be less than nRanks ", ranks, ", got ", rank);
  }
  Communicator::Settings settings;
  if (const HcclResult code = ReadSettings(call, config, key, &settings); code != HCCL_SUCCESS) return code;
  std::string error;
  const std::shared_ptr<SharedMemory> memory = SharedMemory::Open(key, ranks, &error);
  if (memory != nullptr) {
    *communicator = Communicator::Join(memory, ranks, rank, device, std::move(settings), &error);
  }
  if (*communicator != nullptr) return HCCL_SUCCESS;
  return Refuse(HCCL_E_PARA, call, " on rank ", rank, " of ", ranks, ": ", error);
}

HcclResult Meet(const char *call, const std::shared_ptr<Communicator> &communicator) {
  const int32_t seconds = ConnectTimeout();
  if (seconds < 0) {
    return Refuse(HCCL_E_PARA, call, ": HCCL_CONNECT_TIMEOUT must be a whole number of seconds, got ",
                  std::getenv("HCCL_CONNECT_TIMEOUT"));
  }
  const Cause cause = communicator->Meet(seconds);
  if (cause.ok()) return HCCL_SUCCESS;
  return Refuse(cause.code, communicator->GiveUp(call, cause).text);
}

HcclResult CurrentDevice(const char *call, int32_t *device) {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<runtime::Context> context = runtime::CurrentContext(call, &code);
  if (context == nullptr) return HCCL_E_RUNTIME;
  *device = context->device()->id();
  return HCCL_SUCCESS;
}

HcclResult Initialise(const char *call, uint32_t ranks, const Key &key, uint32_t rank,
                      const HcclCommConfig *config, HcclComm *comm) {
  int32_t device = 0;
  if (const HcclResult code = CurrentDevice(call, &device); code != HCCL_SUCCESS) return code;
  std::shared_ptr<Communicator> communicator;
  HcclResult code = Enter(call, ranks, key, rank, device, config, &communicator);
  if (code == HCCL_SUCCESS) code = Meet(call, communicator);
  Forget(key);
  if (code == HCCL_SUCCESS) *comm = Communicators().Add(communicator);
  return code;
}

HcclResult Initialise(const char *call, uint32_t ranks, const HcclRootInfo *info, uint32_t rank,
                      const HcclCommConfig *config, HcclComm *comm) {
  Key key;
  std::memcpy(&key, info->internal, sizeof key);
  if (!key.Valid()) return Refuse(HCCL_E_PARA, call, ": rootInfo was not made by HcclGetRootInfo");
  return Initialise(call, ranks, key, rank, config, comm);
}

std::shared_ptr<Communicator> Find(const char *call, HcclComm comm) {
  std::shared_ptr<Communicator> communicator = Communicators().Find(comm);
  if (communicator == nullptr) {
    Refuse(HCCL_E_PARA, call, ": comm ", comm, " is no communicator (never made, or destroyed already)");
  }
  return communicator;
}

// Writes what `property` gives of a communicator.
template <typename T, typename Property>
HcclResult Tell(const char *call, HcclComm comm, T *out, Property property) {
  const std::shared_ptr<Communicator> communicator = Find(call, comm);
  if (communicator == nullptr) return HCCL_E_PARA;
  *out = property(*communicator);
  return HCCL_SUCCESS;
}

}  // namespace
}  // namespace sim::hccl

using namespace sim::hccl;

extern "C" {

HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo) try {
  HCCL_REQUIRE_POINTER(rootInfo);
  Key key;
  if (const HcclResult code = MakeMemory(__func__, &key); code != HCCL_SUCCESS) return code;
  std::memset(rootInfo, 0, sizeof *rootInfo);
  std::memcpy(rootInfo->internal, &key, sizeof key);
  return HCCL_SUCCESS;
}
HCCL_CATCH

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
                                HcclComm *comm) try {
  HCCL_REQUIRE_POINTER(rootInfo);
  HCCL_REQUIRE_POINTER(comm);
  return Initialise(__func__, nRanks, rootInfo, rank, nullptr, comm);
}
HCCL_CATCH

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
                                      const HcclCommConfig *config, HcclComm *comm) try {
  HCCL_REQUIRE_POINTER(rootInfo);
  HCCL_REQUIRE_POINTER(config);
  HCCL_REQUIRE_POINTER(comm);
  return Initialise(__func__, nRanks, rootInfo, rank, config, comm);
}
HCCL_CATCH

HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms) try {
  HCCL_REQUIRE_POINTER(devices);
  HCCL_REQUIRE_POINTER(comms);
  Key key;
  if (const HcclResult code = MakeMemory(__func__, &key); code != HCCL_SUCCESS) return code;
  std::vector<std::shared_ptr<Communicator>> communicators(ndev);
  HcclResult code =
      ndev == 0 ? Refuse(HCCL_E_PARA, __func__, ": ndev must be at least 1, got 0") : HCCL_SUCCESS;
  for (uint32_t rank = 0; rank < ndev && code == HCCL_SUCCESS; ++rank) {
    uint32_t count = 0;
    aclrtGetDeviceCount(&count);
    if (devices[rank] < 0 || static_cast<uint32_t>(devices[rank]) >= count) {
      code = Refuse(HCCL_E_PARA, __func__, ": devices[", rank, "] must be one of ", count, " devices, got ",
                    devices[rank]);
      break;
    }
    code = Enter(__func__, ndev, key, rank, devices[rank], nullptr, &communicators[rank]);
  }
  Forget(key);
  for (uint32_t rank = 0; rank < ndev && code == HCCL_SUCCESS; ++rank) {
    comms[rank] = Communicators().Add(communicators[rank]);
  }
  return code;
}
HCCL_CATCH

HcclResult HcclCreateSubCommConfig(HcclComm *comm, uint32_t rankNum, uint32_t *rankIds, uint64_t subCommId,
                                   uint32_t subCommRankId, HcclCommConfig *config, HcclComm *subComm) try {
  HCCL_REQUIRE_POINTER(comm);
  HCCL_REQUIRE_POINTER(subComm);
  const std::shared_ptr<Communicator> parent = Find(__func__, *comm);
  if (parent == nullptr) return HCCL_E_PARA;
  *subComm = nullptr;
  if (rankIds == nullptr) return HCCL_SUCCESS;
  if (subCommRankId >= rankNum || rankIds[subCommRankId] != parent->rank()) {
    return Refuse(HCCL_E_PARA, __func__, ": subCommRankId must be the place of rank ", parent->rank(),
                  " in rankIds, got ", subCommRankId, " of ", rankNum);
  }
  SubCommunicator forming(*parent, std::vector<uint32_t>(rankIds, rankIds + rankNum), subCommId);
  Key key;
  if (subCommRankId == 0) {
    if (const HcclResult code = MakeMemory(__func__, &key); code != HCCL_SUCCESS) return code;
    if (!forming.Publish(key)) {
      Forget(key);
      return Refuse(HCCL_E_UNAVAIL, __func__, ": ", kFormingEntries,
                    " sub-communicators are being made already");
    }
  } else if (const Cause cause = forming.Find(ConnectTimeout(), &key); !cause.ok()) {
    return Refuse(cause.code, __func__, " on rank ", subCommRankId, " of ", rankNum, ": ", cause.text);
  }
  const HcclResult code = Initialise(__func__, rankNum, key, subCommRankId, config, subComm);
  if (subCommRankId == 0) forming.Withdraw();
  return code;
}
HCCL_CATCH

HcclResult HcclCommDestroy(HcclComm comm) try {
  if (Find(__func__, comm) == nullptr) return HCCL_E_PARA;
  Communicators().Take(comm);  // queued calls keep it until they have run
  return HCCL_SUCCESS;
}
HCCL_CATCH

HcclResult HcclGetCommName(HcclComm comm, char *commName) try {
  HCCL_REQUIRE_POINTER(commName);
  const std::shared_ptr<Communicator> communicator = Find(__func__, comm);
  if (communicator == nullptr) return HCCL_E_PARA;
  std::memset(commName, 0, COMM_NAME_MAX_LENGTH);
  communicator->name().copy(commName, COMM_NAME_MAX_LENGTH - 1);
  return HCCL_SUCCESS;
}
HCCL_CATCH

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError) try {
  HCCL_REQUIRE_POINTER(asyncError);
  return Tell(__func__, comm, asyncError,
              [](const Communicator &communicator) { return communicator.failure().code; });
}
HCCL_CATCH

HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize) try {
  HCCL_REQUIRE_POINTER(rankSize);
  return Tell(__func__, comm, rankSize,
              [](const Communicator &communicator) { return communicator.ranks(); });
}
HCCL_CATCH

HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank) try {
  HCCL_REQUIRE_POINTER(rank);
  return Tell(__func__, comm, rank, [](const Communicator &communicator) { return communicator.rank(); });
}
HCCL_CATCH

}  // extern "C"
