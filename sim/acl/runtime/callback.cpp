// SPDX-License-Identifier: Apache-2.0
// Host functions in streams. The thread of the stream runs them, or a thread that subscribed to the stream.
#include <pthread.h>

#include <chrono>
#include <map>

#include "context.h"

using namespace sim::runtime;

namespace {

struct Callback {
  aclrtCallback function = nullptr;
  void *data = nullptr;
  bool done = false;
};

// The callbacks that one subscribed thread is to run.
struct ReportQueue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Callback>> waiting;
};

struct Subscriptions {
  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<ReportQueue>> threads;
  std::map<int32_t, uint64_t> streams;  // by id: the thread that serves each

  static Subscriptions &Get() {
    static auto *subscriptions = new Subscriptions;  // never destroyed: threads may outlive main
    return *subscriptions;
  }

  std::shared_ptr<ReportQueue> OfStream(const Stream &stream) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = streams.find(stream.id());
    return found == streams.end() ? nullptr : threads[found->second];
  }

  std::shared_ptr<ReportQueue> OfThread(uint64_t thread) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = threads.find(thread);
    return found == threads.end() ? nullptr : found->second;
  }
};

Status Deliver(const std::shared_ptr<ReportQueue> &queue, const std::shared_ptr<Callback> &callback,
               bool block) {
  std::unique_lock<std::mutex> lock(queue->mutex);
  queue->waiting.push_back(callback);
  queue->changed.notify_all();
  if (block) queue->changed.wait(lock, [&callback] { return callback->done; });
  return {};
}

}  // namespace

extern "C" {

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args) try {
  SIM_REQUIRE_POINTER(fn);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> target = UseStream(__func__, stream, &code);
  if (target == nullptr) return code;
  target->Push({[fn, args] {
    fn(args);
    return Status{};
  }});
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) try {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> target = FindStream(__func__, stream, &code);
  if (target == nullptr) return code;
  Subscriptions &subscriptions = Subscriptions::Get();
  std::lock_guard<std::mutex> lock(subscriptions.mutex);
  if (subscriptions.streams.count(target->id()) != 0) {
    return Fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, __func__, ": stream ", target->id(),
                " is subscribed to already");
  }
  subscriptions.streams[target->id()] = threadId;
  std::shared_ptr<ReportQueue> &queue = subscriptions.threads[threadId];
  if (queue == nullptr) queue = std::make_shared<ReportQueue>();
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) try {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> target = FindStream(__func__, stream, &code);
  if (target == nullptr) return code;
  Subscriptions &subscriptions = Subscriptions::Get();
  std::lock_guard<std::mutex> lock(subscriptions.mutex);
  const auto found = subscriptions.streams.find(target->id());
  if (found == subscriptions.streams.end() || found->second != threadId) {
    return Fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, __func__, ": stream ", target->id(),
                " is not subscribed to by thread ", threadId);
  }
  subscriptions.streams.erase(found);
  for (const auto &entry : subscriptions.streams) {
    if (entry.second == threadId) return ACL_SUCCESS;
  }
  subscriptions.threads.erase(threadId);
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream) try {
  SIM_REQUIRE_POINTER(fn);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> target = UseStream(__func__, stream, &code);
  if (target == nullptr) return code;
  const std::shared_ptr<ReportQueue> queue = Subscriptions::Get().OfStream(*target);
  if (queue == nullptr) {
    return Fail(ACL_ERROR_RT_STREAM_NO_CB_REG, __func__, ": no thread subscribed to stream ", target->id(),
                "; call aclrtSubscribeReport first");
  }
  const bool block = blockType == ACL_CALLBACK_BLOCK;
  target->Push({[queue, fn, userData, block] {
    return Deliver(queue, std::make_shared<Callback>(Callback{fn, userData}), block);
  }});
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtProcessReport(int32_t timeout) try {
  const std::shared_ptr<ReportQueue> queue =
      Subscriptions::Get().OfThread(static_cast<uint64_t>(pthread_self()));
  if (queue == nullptr) {
    return Fail(ACL_ERROR_RT_THREAD_SUBSCRIBE, __func__, ": this thread subscribed to no stream");
  }
  std::unique_lock<std::mutex> lock(queue->mutex);
  const auto ready = [&queue] { return !queue->waiting.empty(); };
  if (timeout < 0) {
    queue->changed.wait(lock, ready);
  } else if (!queue->changed.wait_for(lock, std::chrono::milliseconds(timeout), ready)) {
    return Fail(ACL_ERROR_RT_REPORT_TIMEOUT, __func__, ": no callback within ", timeout, " ms");
  }
  const std::shared_ptr<Callback> callback = queue->waiting.front();
  queue->waiting.pop_front();
  lock.unlock();
  callback->function(callback->data);
  lock.lock();
  callback->done = true;
  queue->changed.notify_all();
  return ACL_SUCCESS;
}
SIM_CATCH

}  // extern "C"
