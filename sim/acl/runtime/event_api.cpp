// SPDX-License-Identifier: Apache-2.0
#include "context.h"
#include "device_table.h"
#include "event.h"

using namespace sim::runtime;

namespace {

constexpr uint32_t kKnownFlags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                                 ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;

Registry<Event> &Events() {
  static auto *events = new Registry<Event>;  // never destroyed: threads may outlive main
  return *events;
}

std::shared_ptr<Event> FindEvent(const char *call, const char *parameter, aclrtEvent handle, aclError *code) {
  if ((*code = RefuseFork(call)) != ACL_SUCCESS) return nullptr;
  std::shared_ptr<Event> event = Events().Find(handle);
  if (event == nullptr) {
    *code = Fail(handle == nullptr ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_INVALID_HANDLE, call, ": ",
                 parameter, " ", handle, " is no event (never created, or destroyed already)");
  }
  return event;
}

aclError CreateEvent(const char *call, aclrtEvent *handle, uint32_t flags) {
  if ((flags & ~kKnownFlags) != 0 || flags == 0) {
    return Fail(ACL_ERROR_RT_PARAM_INVALID, call, ": flag must be made of the ACL_EVENT_ bits, got ", flags);
  }
  aclError code = ACL_SUCCESS;
  if (CurrentContext(call, &code) == nullptr) return code;
  *handle = Events().Add(std::make_shared<Event>(flags));
  return ACL_SUCCESS;
}

aclError Wait(const char *call, aclrtEvent handle, int32_t timeout_ms) {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Event> event = FindEvent(call, "event", handle, &code);
  if (event == nullptr) return code;
  if (event->Capture() != nullptr) {
    return Fail(ACL_ERROR_RT_EVENT_CAPTURED, call, ": event ", event->id(), " was recorded in a capture");
  }
  return ReturnStatus(call, event->Synchronize(timeout_ms));
}

// Checks that an event has a time: it was made with ACL_EVENT_TIME_LINE, recorded and reached.
aclError CheckTime(const char *call, const char *parameter, const Event &event) {
  if (!event.has_time() || !event.EverRecorded()) {
    return Fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, call, ": ", parameter,
                event.has_time() ? " was never recorded" : " was created without ACL_EVENT_TIME_LINE");
  }
  if (!event.Complete()) {
    return Fail(ACL_ERROR_RT_EVENT_NOT_COMPLETE, call, ": ", parameter,
                " is not reached yet; synchronise it or its stream first");
  }
  return ACL_SUCCESS;
}

}  // namespace

extern "C" {

aclError aclrtCreateEvent(aclrtEvent *event) try {
  SIM_REQUIRE_POINTER(event);
  return CreateEvent(__func__, event,
                     ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE);
}
SIM_CATCH

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag) try {
  SIM_REQUIRE_POINTER(event);
  return CreateEvent(__func__, event, flag);
}
SIM_CATCH

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag) try {
  SIM_REQUIRE_POINTER(event);
  return CreateEvent(__func__, event, flag);
}
SIM_CATCH

// Marks and waits in queues keep the event alive until they have run.
aclError aclrtDestroyEvent(aclrtEvent event) try {
  aclError code = ACL_SUCCESS;
  if (FindEvent(__func__, "event", event, &code) != nullptr) Events().Take(event);
  return code;
}
SIM_CATCH

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) try {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Event> found = FindEvent(__func__, "event", event, &code);
  if (found == nullptr) return code;
  const std::shared_ptr<Stream> target = UseStream(__func__, stream, &code);
  if (target != nullptr) Event::Record(found, *target);
  return code;
}
SIM_CATCH

// Marks have increasing numbers here, so that an event needs no reset before it is recorded again.
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) try {
  aclError code = ACL_SUCCESS;
  if (FindEvent(__func__, "event", event, &code) != nullptr) UseStream(__func__, stream, &code);
  return code;
}
SIM_CATCH

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) try {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Event> found = FindEvent(__func__, "event", event, &code);
  if (found == nullptr) return code;
  const std::shared_ptr<Stream> target = FindStream(__func__, stream, &code);
  if (target != nullptr) Event::MakeWait(found, target);
  return code;
}
SIM_CATCH

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t) try {
  return aclrtStreamWaitEvent(stream, event);
}
SIM_CATCH

aclError aclrtSynchronizeEvent(aclrtEvent event) try { return Wait(__func__, event, -1); }
SIM_CATCH

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) try {
  return Wait(__func__, event, timeout);
}
SIM_CATCH

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status) try {
  SIM_REQUIRE_POINTER(status);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Event> found = FindEvent(__func__, "event", event, &code);
  if (found != nullptr) *status = found->Complete() ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
  return code;
}
SIM_CATCH

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status) try {
  SIM_REQUIRE_POINTER(status);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Event> found = FindEvent(__func__, "event", event, &code);
  if (found != nullptr) {
    *status = found->Complete() ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  }
  return code;
}
SIM_CATCH

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status) try {
  SIM_REQUIRE_POINTER(status);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Event> found = FindEvent(__func__, "event", event, &code);
  if (found != nullptr)
    *status = found->Complete() ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
  return code;
}
SIM_CATCH

// Returns the time of the host between two marks. The modelled times of kernels are in their reports.
aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent) try {
  SIM_REQUIRE_POINTER(ms);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Event> start = FindEvent(__func__, "startEvent", startEvent, &code);
  if (start == nullptr) return code;
  const std::shared_ptr<Event> end = FindEvent(__func__, "endEvent", endEvent, &code);
  if (end == nullptr) return code;
  if ((code = CheckTime(__func__, "startEvent", *start)) != ACL_SUCCESS) return code;
  if ((code = CheckTime(__func__, "endEvent", *end)) != ACL_SUCCESS) return code;
  *ms = std::chrono::duration<float, std::milli>(end->ReachedAt() - start->ReachedAt()).count();
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp) try {
  SIM_REQUIRE_POINTER(timestamp);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Event> found = FindEvent(__func__, "event", event, &code);
  if (found == nullptr) return code;
  if ((code = CheckTime(__func__, "event", *found)) != ACL_SUCCESS) return code;
  const auto since = found->ReachedAt().time_since_epoch();
  *timestamp = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(since).count());
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId) try {
  SIM_REQUIRE_POINTER(eventId);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Event> found = FindEvent(__func__, "event", event, &code);
  if (found != nullptr) *eventId = found->id();
  return code;
}
SIM_CATCH

}  // extern "C"
