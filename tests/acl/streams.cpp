// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "acl_test.h"
#include "sim/sim_runtime.h"

using namespace acl_test;

namespace {

void Sleep(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

struct Gate {
  std::atomic<bool> open{false};
  static void Wait(void *gate) {
    while (!static_cast<Gate *>(gate)->open) Sleep(1);
  }
};

struct Log {
  std::atomic<int> next{0};
  int order[64] = {};
};

struct Entry {
  Log *log;
  int value;
  static void Add(void *entry) {
    auto *self = static_cast<Entry *>(entry);
    self->log->order[self->log->next++] = self->value;
  }
};

}  // namespace

ACL_TEST(host_functions_run_in_order_behind_the_caller) {
  Session session;
  Stream stream;
  Gate gate;
  Log log;
  std::vector<Entry> entries;
  for (int i = 0; i < 20; ++i) entries.push_back({&log, i});
  CHECK_OK(aclrtLaunchHostFunc(stream.handle, Gate::Wait, &gate));
  for (Entry &entry : entries) CHECK_OK(aclrtLaunchHostFunc(stream.handle, Entry::Add, &entry));

  aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
  CHECK_OK(aclrtStreamQuery(stream.handle, &status));
  CHECK(status == ACL_STREAM_STATUS_NOT_READY);
  CHECK(log.next == 0);
  CHECK_FAILS(aclrtSynchronizeStreamWithTimeout(stream.handle, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
              "20 ms");
  CHECK_FAILS(aclrtSynchronizeDeviceWithTimeout(20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "not done");
  gate.open = true;
  CHECK_OK(aclrtSynchronizeStream(stream.handle));
  CHECK(log.next == 20);
  for (int i = 0; i < 20; ++i) CHECK(log.order[i] == i);
  CHECK_OK(aclrtStreamQuery(stream.handle, &status));
  CHECK(status == ACL_STREAM_STATUS_COMPLETE);
}

ACL_TEST(what_a_host_function_throws_fails_the_stream) {
  Session session;
  Stream stream;
  CHECK_OK(aclrtLaunchHostFunc(
      stream.handle, [](void *) { throw std::runtime_error("the file is missing"); }, nullptr));
  CHECK_FAILS(aclrtSynchronizeStream(stream.handle), ACL_ERROR_INTERNAL_ERROR, "the file is missing");
  CHECK_OK(aclrtLaunchHostFunc(stream.handle, [](void *) { throw std::bad_alloc(); }, nullptr));
  CHECK_FAILS(aclrtSynchronizeStream(stream.handle), ACL_ERROR_BAD_ALLOC, "no memory");
}

ACL_TEST(streams_do_not_wait_for_each_other) {
  Session session;
  Stream blocked;
  Stream other;
  Gate gate;
  Log log;
  Entry entry{&log, 1};
  CHECK_OK(aclrtLaunchHostFunc(blocked.handle, Gate::Wait, &gate));
  CHECK_OK(aclrtLaunchHostFunc(other.handle, Entry::Add, &entry));
  CHECK_OK(aclrtSynchronizeStream(other.handle));
  CHECK(log.next == 1);
  gate.open = true;
}

ACL_TEST(null_is_the_default_stream) {
  Session session;
  Log log;
  Entry entry{&log, 1};
  aclrtStream stream = nullptr;
  CHECK_OK(aclrtCtxGetCurrentDefaultStream(&stream));
  CHECK_OK(aclrtLaunchHostFunc(nullptr, Entry::Add, &entry));
  CHECK_OK(aclrtSynchronizeStream(stream));
  CHECK(log.next == 1);
  int32_t by_null = -1;
  int32_t by_handle = -2;
  CHECK_OK(aclrtStreamGetId(nullptr, &by_null));
  CHECK_OK(aclrtStreamGetId(stream, &by_handle));
  CHECK(by_null == by_handle);
}

// Without the wait the second stream reads before the first one has written. With the wait it never does.
ACL_TEST(event_orders_streams_and_its_absence_shows) {
  Session session;
  Stream writer;
  Stream reader;
  Event written;
  Buffer buffer(4);
  void *host = nullptr;
  CHECK_OK(aclrtMallocHost(&host, 4));
  auto *value = static_cast<int32_t *>(host);
  for (const bool wait : {false, true}) {
    Gate gate;
    buffer.Upload(std::vector<int32_t>{1});
    CHECK_OK(aclrtLaunchHostFunc(writer.handle, Gate::Wait, &gate));
    CHECK_OK(aclrtMemsetAsync(buffer.data, 4, 7, 4, writer.handle));
    CHECK_OK(aclrtRecordEvent(written.handle, writer.handle));
    if (wait) CHECK_OK(aclrtStreamWaitEvent(reader.handle, written.handle));
    CHECK_OK(aclrtMemcpyAsync(value, 4, buffer.data, 4, ACL_MEMCPY_DEVICE_TO_HOST, reader.handle));
    if (wait) gate.open = true;
    CHECK_OK(aclrtSynchronizeStream(reader.handle));
    gate.open = true;
    CHECK(*value == (wait ? 0x07070707 : 1));
    CHECK_OK(aclrtSynchronizeStream(writer.handle));
  }
  CHECK_OK(aclrtFreeHost(host));
}

ACL_TEST(event_is_reached_with_its_stream) {
  Session session;
  Stream stream;
  Event start;
  Event end;
  Gate gate;
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  CHECK_OK(aclrtQueryEventStatus(start.handle, &status));
  CHECK(status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
  CHECK_OK(aclrtRecordEvent(start.handle, stream.handle));
  CHECK_OK(aclrtLaunchHostFunc(stream.handle, Gate::Wait, &gate));
  CHECK_OK(aclrtRecordEvent(end.handle, stream.handle));
  CHECK_OK(aclrtSynchronizeEvent(start.handle));
  CHECK_OK(aclrtQueryEventStatus(end.handle, &status));
  CHECK(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
  float ms = -1;
  CHECK_FAILS(aclrtEventElapsedTime(&ms, start.handle, end.handle), ACL_ERROR_RT_EVENT_NOT_COMPLETE,
              "endEvent");
  CHECK_FAILS(aclrtSynchronizeEventWithTimeout(end.handle, 10), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "10 ms");
  Sleep(20);
  gate.open = true;
  CHECK_OK(aclrtSynchronizeEvent(end.handle));
  CHECK_OK(aclrtEventElapsedTime(&ms, start.handle, end.handle));
  CHECK(ms >= 20 && ms < 60000);

  aclrtEvent untimed = nullptr;
  CHECK_OK(aclrtCreateEventExWithFlag(&untimed, ACL_EVENT_SYNC));
  CHECK_OK(aclrtRecordEvent(untimed, stream.handle));
  CHECK_OK(aclrtSynchronizeEvent(untimed));
  CHECK_FAILS(aclrtEventElapsedTime(&ms, untimed, end.handle), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
              "ACL_EVENT_TIME_LINE");
  CHECK_OK(aclrtDestroyEvent(untimed));
}

ACL_TEST(wait_takes_the_mark_of_the_moment) {
  Session session;
  Stream first;
  Stream second;
  Event event;
  Gate gate;
  CHECK_OK(aclrtRecordEvent(event.handle, first.handle));
  CHECK_OK(aclrtStreamWaitEvent(second.handle, event.handle));
  CHECK_OK(aclrtLaunchHostFunc(first.handle, Gate::Wait, &gate));
  CHECK_OK(aclrtRecordEvent(event.handle, first.handle));
  CHECK_OK(aclrtSynchronizeStream(second.handle));
  gate.open = true;
  CHECK_OK(aclrtSynchronizeStream(first.handle));
}

ACL_TEST(a_mark_is_not_reached_by_a_later_one_of_another_stream) {
  Session session;
  Stream slow;
  Stream quick;
  Stream waiter;
  Event event;
  Gate gate;
  CHECK_OK(aclrtLaunchHostFunc(slow.handle, Gate::Wait, &gate));
  CHECK_OK(aclrtRecordEvent(event.handle, slow.handle));
  CHECK_OK(aclrtStreamWaitEvent(waiter.handle, event.handle));
  CHECK_OK(aclrtRecordEvent(event.handle, quick.handle));
  CHECK_OK(aclrtSynchronizeStream(quick.handle));
  CHECK_OK(aclrtSynchronizeEvent(event.handle));  // the latest mark is the one of `quick`
  CHECK_FAILS(aclrtSynchronizeStreamWithTimeout(waiter.handle, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
              "20 ms");
  gate.open = true;
  CHECK_OK(aclrtSynchronizeStream(waiter.handle));
}

ACL_TEST(an_event_may_be_destroyed_while_it_is_queued) {
  Session session;
  Stream first;
  Stream second;
  Gate gate;
  aclrtEvent event = nullptr;
  CHECK_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
  CHECK_OK(aclrtLaunchHostFunc(first.handle, Gate::Wait, &gate));
  CHECK_OK(aclrtRecordEvent(event, first.handle));
  CHECK_OK(aclrtStreamWaitEvent(second.handle, event));
  CHECK_OK(aclrtDestroyEvent(event));
  CHECK_FAILS(aclrtSynchronizeEvent(event), ACL_ERROR_RT_INVALID_HANDLE, "event");
  gate.open = true;
  CHECK_OK(aclrtSynchronizeDevice());
}

ACL_TEST(a_stream_waits_for_a_destroyed_event_where_that_is_asked_for) {
  Session session;
  Stream first;
  Stream second;
  Gate gate;
  CHECK_OK(aclrtLaunchHostFunc(first.handle, Gate::Wait, &gate));
  const auto destroyed = [&first] {
    aclrtEvent event = nullptr;
    CHECK_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    CHECK_OK(aclrtRecordEvent(event, first.handle));
    CHECK_OK(aclrtDestroyEvent(event));
    return event;
  };
  CHECK_FAILS(aclrtStreamWaitEvent(second.handle, destroyed()), ACL_ERROR_RT_INVALID_HANDLE,
              "destroyed already");
  CHECK_OK(simWaitForDestroyedEvents(1));
  const aclrtEvent event = destroyed();
  CHECK_OK(aclrtStreamWaitEvent(second.handle, event));
  CHECK_FAILS(aclrtSynchronizeStreamWithTimeout(second.handle, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
              "20 ms");
  gate.open = true;
  CHECK_OK(aclrtSynchronizeStream(second.handle));
  CHECK_OK(simWaitForDestroyedEvents(0));
  CHECK_FAILS(aclrtStreamWaitEvent(second.handle, event), ACL_ERROR_RT_INVALID_HANDLE, "destroyed already");
}

ACL_TEST(callbacks_run_on_the_subscribed_thread) {
  Session session;
  Stream stream;
  struct Seen {
    pthread_t thread{};
    std::atomic<int> calls{0};
    static void Note(void *seen) {
      auto *self = static_cast<Seen *>(seen);
      self->thread = pthread_self();
      ++self->calls;
    }
  } seen;
  CHECK_FAILS(aclrtLaunchCallback(Seen::Note, &seen, ACL_CALLBACK_BLOCK, stream.handle),
              ACL_ERROR_RT_STREAM_NO_CB_REG, "aclrtSubscribeReport");
  std::atomic<bool> stop{false};
  std::atomic<bool> subscribed{false};
  std::thread worker([&] {
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtSubscribeReport(static_cast<uint64_t>(pthread_self()), stream.handle));
    subscribed = true;
    while (!stop) aclrtProcessReport(10);
    CHECK_OK(aclrtUnSubscribeReport(static_cast<uint64_t>(pthread_self()), stream.handle));
    CHECK_OK(aclrtResetDevice(0));
  });
  while (!subscribed) Sleep(1);
  for (int i = 0; i < 3; ++i)
    CHECK_OK(aclrtLaunchCallback(Seen::Note, &seen, ACL_CALLBACK_BLOCK, stream.handle));
  CHECK_OK(aclrtSynchronizeStream(stream.handle));
  CHECK(seen.calls == 3);
  CHECK(pthread_equal(seen.thread, worker.native_handle()));
  stop = true;
  worker.join();
  CHECK_FAILS(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE, "subscribed to no stream");
}

ACL_TEST(subscriptions_end_with_their_stream) {
  Session session;
  for (int i = 0; i < 20; ++i) {
    Stream stream;
    CHECK_OK(aclrtSubscribeReport(static_cast<uint64_t>(pthread_self()), stream.handle));
  }
}

ACL_TEST(a_stream_is_drained_before_it_is_destroyed_and_dropped_by_force) {
  Session session;
  for (const bool force : {false, true}) {
    Gate gate;
    Log log;
    Entry entry{&log, 1};
    aclrtStream stream = nullptr;
    CHECK_OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH));
    CHECK_OK(aclrtLaunchHostFunc(stream, Gate::Wait, &gate));
    CHECK_OK(aclrtLaunchHostFunc(stream, Entry::Add, &entry));
    std::thread opener([&gate] {
      Sleep(30);
      gate.open = true;
    });
    CHECK_OK(force ? aclrtDestroyStreamForce(stream) : aclrtDestroyStream(stream));
    CHECK(log.next == (force ? 0 : 1));
    opener.join();
    CHECK_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "no stream");
  }
}

ACL_TEST(a_host_function_cannot_wait_for_its_own_stream) {
  Session session;
  Stream stream;
  struct Attempt {
    aclrtStream stream;
    aclrtContext context = nullptr;
    int code = 0;
    static void Run(void *attempt) {
      auto *self = static_cast<Attempt *>(attempt);
      aclrtSetCurrentContext(self->context);
      self->code = aclrtSynchronizeStream(self->stream);
    }
  } attempt{stream.handle};
  CHECK_OK(aclrtGetCurrentContext(&attempt.context));
  CHECK_OK(aclrtLaunchHostFunc(stream.handle, Attempt::Run, &attempt));
  CHECK_OK(aclrtSynchronizeStream(stream.handle));
  CHECK(attempt.code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

ACL_TEST(an_asynchronous_copy_of_freed_memory_fails_the_stream) {
  Session session;
  Stream stream;
  Gate gate;
  void *device = nullptr;
  CHECK_OK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK_OK(aclrtLaunchHostFunc(stream.handle, Gate::Wait, &gate));
  CHECK_OK(aclrtMemsetAsync(device, 64, 0, 64, stream.handle));
  CHECK_OK(aclrtFree(device));
  gate.open = true;
  CHECK_FAILS(aclrtSynchronizeStream(stream.handle), ACL_ERROR_RT_SYS_DMA, "freed before");
  CHECK_OK(aclrtSynchronizeStream(stream.handle));
}

ACL_TEST(a_stream_that_stops_on_failure_keeps_failing) {
  Session session;
  Stream stream;
  Event event;
  Gate gate;
  Log log;
  Entry entry{&log, 1};
  void *device = nullptr;
  CHECK_OK(aclrtSetStreamFailureMode(stream.handle, ACL_STOP_ON_FAILURE));
  CHECK_OK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK_OK(aclrtLaunchHostFunc(stream.handle, Gate::Wait, &gate));
  CHECK_OK(aclrtMemsetAsync(device, 64, 0, 64, stream.handle));
  CHECK_OK(aclrtLaunchHostFunc(stream.handle, Entry::Add, &entry));
  CHECK_OK(aclrtRecordEvent(event.handle, stream.handle));
  CHECK_OK(aclrtFree(device));
  gate.open = true;
  CHECK_FAILS(aclrtSynchronizeEvent(event.handle), ACL_ERROR_RT_SYS_DMA, "freed before");
  CHECK_FAILS(aclrtSynchronizeStream(stream.handle), ACL_ERROR_RT_SYS_DMA, "freed before");
  CHECK_FAILS(aclrtSynchronizeStream(stream.handle), ACL_ERROR_RT_SYS_DMA, "freed before");
  CHECK(log.next == 0);
}

ACL_TEST(captured_tasks_run_when_the_graph_does) {
  Session session;
  Stream stream;
  Stream side;
  Event fork;
  Event join;
  Buffer buffer(8);
  buffer.Upload(std::vector<int32_t>{0, 0});
  auto *halves = static_cast<int32_t *>(buffer.data);
  aclmdlRI graph = nullptr;
  CHECK_OK(aclmdlRICaptureBegin(stream.handle, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  CHECK_OK(aclmdlRICaptureGetInfo(stream.handle, nullptr, &graph));
  CHECK(graph != nullptr);
  CHECK_OK(aclrtMemsetAsync(halves, 4, 1, 4, stream.handle));
  CHECK_OK(aclrtRecordEvent(fork.handle, stream.handle));
  CHECK_OK(aclrtStreamWaitEvent(side.handle, fork.handle));
  CHECK_OK(aclrtMemsetAsync(halves + 1, 4, 2, 4, side.handle));
  CHECK_OK(aclrtRecordEvent(join.handle, side.handle));
  CHECK_OK(aclrtStreamWaitEvent(stream.handle, join.handle));
  CHECK_FAILS(aclrtSynchronizeStream(stream.handle), ACL_ERROR_RT_STREAM_CAPTURED, "captured");
  CHECK_FAILS(aclmdlRICaptureEnd(side.handle, &graph), ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, "not begun");
  CHECK_OK(aclmdlRICaptureEnd(stream.handle, &graph));
  const std::string json = "/tmp/captured_tasks_" + std::to_string(getpid()) + ".json";
  CHECK_OK(aclmdlRIDebugJsonPrint(graph, json.c_str(), 0));
  std::string text;
  std::ifstream file(json);
  std::getline(file, text);
  std::remove(json.c_str());
  CHECK(text == "{\"tasks\": 2}");  // events are no tasks
  CHECK_FAILS(aclmdlRIDebugJsonPrint(graph, "/no/such/folder/a.json", 0), ACL_ERROR_INVALID_FILE,
              "cannot write");
  CHECK(buffer.Download<int32_t>() == (std::vector<int32_t>{0, 0}));
  for (int i = 0; i < 2; ++i) {
    buffer.Upload(std::vector<int32_t>{0, 0});
    CHECK_OK(aclmdlRIExecuteAsync(graph, stream.handle));
    CHECK_OK(aclrtSynchronizeStream(stream.handle));
    CHECK(buffer.Download<int32_t>() == (std::vector<int32_t>{0x01010101, 0x02020202}));
  }
  CHECK_OK(aclmdlRIDestroy(graph));
  CHECK_FAILS(aclmdlRIExecuteAsync(graph, stream.handle), ACL_ERROR_RT_INVALID_HANDLE, "modelRI");
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
  CHECK_OK(aclmdlRICaptureGetInfo(side.handle, &status, &graph));
  CHECK(status == ACL_MODEL_RI_CAPTURE_STATUS_NONE && graph == nullptr);
}
