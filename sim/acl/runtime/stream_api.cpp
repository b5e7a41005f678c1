// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "context.h"
#include "graph.h"

using namespace sim::runtime;

namespace {

constexpr uint32_t kStreamsOfDevice = 1984;  // as many as an Ascend 910B has
constexpr uint32_t kLeastPriority = 7;

// Refuses a wait inside a capture and a wait for the own stream: these would never end.
aclError CheckWait(const char *call, const Stream &stream) {
  if (stream.Capture() != nullptr) {
    return Fail(ACL_ERROR_RT_STREAM_CAPTURED, call, ": stream ", stream.id(), " is being captured");
  }
  if (stream.OnOwnThread()) {
    return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, call, ": called by a host function of stream ", stream.id(),
                ", which would wait for itself");
  }
  return ACL_SUCCESS;
}

aclError Synchronize(const char *call, aclrtStream handle, int32_t timeout_ms) {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> stream = UseStream(call, handle, &code);
  if (stream == nullptr) return code;
  if ((code = CheckWait(call, *stream)) != ACL_SUCCESS) return code;
  return ReturnStatus(call, stream->Synchronize(timeout_ms));
}

aclError SynchronizeDevice(const char *call, int32_t timeout_ms) {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Context> context = CurrentContext(call, &code);
  if (context == nullptr) return code;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Status first;
  for (const std::shared_ptr<Stream> &stream : Streams().All()) {
    if (stream->device() != context->device()) continue;
    if ((code = CheckWait(call, *stream)) != ACL_SUCCESS) return code;
    int32_t left = timeout_ms;
    if (timeout_ms >= 0) {
      const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
      left = spent >= timeout_ms ? 0 : static_cast<int32_t>(timeout_ms - spent);
    }
    Status status = stream->Synchronize(left);
    if (first.ok()) first = std::move(status);
  }
  return ReturnStatus(call, first);
}

aclError CreateStream(const char *call, aclrtStream *handle, uint32_t priority, uint32_t flags) {
  if (priority > kLeastPriority) {
    return Fail(ACL_ERROR_RT_PARAM_INVALID, call, ": priority must be in [0, ", kLeastPriority, "], got ",
                priority);
  }
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Context> context = CurrentContext(call, &code);
  if (context == nullptr) return code;
  *handle = Streams().Add(std::make_shared<Stream>(context.get(), context->device(), priority, flags));
  return ACL_SUCCESS;
}

aclError DestroyStream(const char *call, aclrtStream handle, bool force) {
  const std::shared_ptr<Stream> stream = Streams().Take(handle);
  if (stream == nullptr) {
    return Fail(ACL_ERROR_RT_INVALID_HANDLE, call, ": stream ", handle,
                " is no stream (never created, or destroyed already)");
  }
  stream->Close(force);
  return ACL_SUCCESS;
}

}  // namespace

extern "C" {

aclError aclrtCreateStream(aclrtStream *stream) try {
  SIM_REQUIRE_POINTER(stream);
  return CreateStream(__func__, stream, 0, 0);
}
SIM_CATCH

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag) try {
  SIM_REQUIRE_POINTER(stream);
  return CreateStream(__func__, stream, priority, flag);
}
SIM_CATCH

aclError aclrtDestroyStream(aclrtStream stream) try {
  SIM_REQUIRE_POINTER(stream);
  return DestroyStream(__func__, stream, false);
}
SIM_CATCH

aclError aclrtDestroyStreamForce(aclrtStream stream) try {
  SIM_REQUIRE_POINTER(stream);
  return DestroyStream(__func__, stream, true);
}
SIM_CATCH

aclError aclrtSynchronizeStream(aclrtStream stream) try { return Synchronize(__func__, stream, -1); }
SIM_CATCH

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) try {
  return Synchronize(__func__, stream, timeout);
}
SIM_CATCH

aclError aclrtSynchronizeDevice(void) try { return SynchronizeDevice(__func__, -1); }
SIM_CATCH

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) try {
  return SynchronizeDevice(__func__, timeout);
}
SIM_CATCH

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status) try {
  SIM_REQUIRE_POINTER(status);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> found = FindStream(__func__, stream, &code);
  if (found != nullptr) *status = found->Idle() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  return code;
}
SIM_CATCH

aclError aclrtStreamAbort(aclrtStream stream) try {
  SIM_REQUIRE_POINTER(stream);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> found = FindStream(__func__, stream, &code);
  if (found != nullptr) found->DropQueued();
  return code;
}
SIM_CATCH

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId) try {
  SIM_REQUIRE_POINTER(streamId);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> found = FindStream(__func__, stream, &code);
  if (found != nullptr) *streamId = found->id();
  return code;
}
SIM_CATCH

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority) try {
  SIM_REQUIRE_POINTER(priority);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> found = FindStream(__func__, stream, &code);
  if (found != nullptr) *priority = found->priority();
  return code;
}
SIM_CATCH

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags) try {
  SIM_REQUIRE_POINTER(flags);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> found = FindStream(__func__, stream, &code);
  if (found != nullptr) *flags = found->flags();
  return code;
}
SIM_CATCH

aclError aclrtGetStreamAvailableNum(uint32_t *streamCount) try {
  SIM_REQUIRE_POINTER(streamCount);
  const auto used = static_cast<uint32_t>(Streams().All().size());
  *streamCount = used < kStreamsOfDevice ? kStreamsOfDevice - used : 0;
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority) {
  if (leastPriority != nullptr) *leastPriority = static_cast<int32_t>(kLeastPriority);
  if (greatestPriority != nullptr) *greatestPriority = 0;
  return ACL_SUCCESS;
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) try {
  if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE) {
    return Fail(ACL_ERROR_RT_PARAM_INVALID, __func__,
                ": mode must be ACL_CONTINUE_ON_FAILURE (0) or "
                "ACL_STOP_ON_FAILURE (1), got ",
                mode);
  }
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> found = FindStream(__func__, stream, &code);
  if (found != nullptr) found->SetStopOnFailure(mode == ACL_STOP_ON_FAILURE);
  return code;
}
SIM_CATCH

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t) try {
  aclError code = ACL_SUCCESS;
  FindStream(__func__, stream, &code);
  return code;
}
SIM_CATCH

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag) try {
  SIM_REQUIRE_POINTER(flag);
  aclError code = ACL_SUCCESS;
  if (FindStream(__func__, stream, &code) != nullptr) *flag = 0;
  return code;
}
SIM_CATCH

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value) try {
  SIM_REQUIRE_POINTER(value);
  if (stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE)
    return aclrtSetStreamFailureMode(stream, value->failureMode);
  aclError code = ACL_SUCCESS;
  FindStream(__func__, stream, &code);
  return code;
}
SIM_CATCH

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value) try {
  SIM_REQUIRE_POINTER(value);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> found = FindStream(__func__, stream, &code);
  if (found == nullptr) return code;
  *value = {};
  if (stmAttrType == ACL_STREAM_ATTR_PRIORITY) value->streamPriority = found->priority();
  return ACL_SUCCESS;
}
SIM_CATCH

}  // extern "C"
