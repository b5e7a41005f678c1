// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <mutex>
#include <unordered_map>

#include "context.h"
#include "device_table.h"
#include "event.h"
#include "sim/sim_runtime.h"

using namespace sim::runtime;

namespace {

constexpr uint32_t kKnownFlags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                                 ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;

Registry<Event> &Events() {
  static auto *events = new Registry<Event>;  // never destroyed: threads may outlive main
  return *events;
}

// The last events that were destroyed, where simWaitForDestroyedEvents() asks for them. They keep their
// memory, so that no new event gets the handle of one of them.
class DestroyedEvents {
 public:
  static DestroyedEvents &Get() {
    static auto *events = new DestroyedEvents;  // never destroyed: threads may outlive main
    return *events;
  }

  void Keep(bool keep) {
    std::lock_guard<std::mutex> lock(mutex_);
    keep_ = keep;
    if (!keep) events_.clear(), order_.clear();
  }

  void Add(std::shared_ptr<Event> event) {
    constexpr size_t kMost = 16384;  // four times as many as a queue of torch_npu has places
    std::lock_guard<std::mutex> lock(mutex_);
    if (!keep_) return;
    order_.push_back(event.get());
    events_.emplace(event.get(), std::move(event));
    if (order_.size() > kMost) events_.erase(order_.front()), order_.pop_front();
  }

  std::shared_ptr<Event> Find(aclrtEvent handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = events_.find(handle);
    return found == events_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  bool keep_ = false;
  std::unordered_map<void *, std::shared_ptr<Event>> events_;
  std::deque<void *> order_;  // of destruction
};

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

aclError simWaitForDestroyedEvents(int on) try {
  DestroyedEvents::Get().Keep(on != 0);
  return ACL_SUCCESS;
}
SIM_CATCH

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
  std::shared_ptr<Event> found = FindEvent(__func__, "event", event, &code);
  if (found == nullptr) return code;
  DestroyedEvents::Get().Add(std::move(found));  // first, so that who no longer finds it there finds it here
  Events().Take(event);
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
  std::shared_ptr<Event> found = Events().Find(event);
  if (found == nullptr) found = DestroyedEvents::Get().Find(event);
  if (found == nullptr) found = FindEvent(__func__, "event", event, &code);
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
