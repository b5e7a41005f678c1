// SPDX-License-Identifier: Apache-2.0
#include "op_cpu/common/parallel/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "op_cpu/common/parallel/first_error.h"
#include "op_cpu/common/parallel/pool.h"

namespace avo {
namespace {

using Body = std::function<void(int64_t, int64_t)>;

thread_local bool inside_pool = false;

// A pool of threads, as many as the machine has cores or as the system grants. It runs one job at a time. The
// ranges of a job are numbered; an idle thread takes the next number.
class Pool {
 public:
  Pool() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    workers_.reserve(cores);
    try {
      for (unsigned i = 1; i < cores; ++i) workers_.emplace_back([this] { Work(); });
    } catch (const std::system_error &) {  // a limit on threads: those that are there do the work
    } catch (const std::bad_alloc &) {     // no memory for another one
    }
  }

  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread &worker : workers_) worker.join();
  }

  int64_t threads() const { return static_cast<int64_t>(workers_.size()) + 1; }

  void Run(int64_t count, int64_t ranges, const Body &body) {
    std::lock_guard<std::mutex> one_job(job_mutex_);
    FirstError error;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      body_ = &body;
      count_ = count;
      ranges_ = ranges;
      next_ = 0;
      running_ = 0;
      error_ = &error;
    }
    wake_.notify_all();
    std::unique_lock<std::mutex> lock(mutex_);
    TakeRanges(lock);
    done_.wait(lock, [this] { return running_ == 0; });
    body_ = nullptr;
    lock.unlock();
    error.Rethrow();
  }

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stop_ || (body_ != nullptr && next_ < ranges_); });
      if (stop_) return;
      TakeRanges(lock);
    }
  }

  // Runs ranges until none is left. The caller holds the lock; bodies run without it.
  void TakeRanges(std::unique_lock<std::mutex> &lock) {
    while (next_ < ranges_) {
      const int64_t range = next_++;
      const Body &body = *body_;
      FirstError &error = *error_;
      const int64_t count = count_, ranges = ranges_;
      ++running_;
      lock.unlock();
      inside_pool = true;
      error.Guard([&] { body(count * range / ranges, count * (range + 1) / ranges); });
      inside_pool = false;
      lock.lock();
      --running_;
    }
    if (running_ == 0) done_.notify_all();
  }

  std::vector<std::thread> workers_;
  std::mutex job_mutex_;  // held for a whole Run
  std::mutex mutex_;      // guards all below
  std::condition_variable wake_, done_;
  const Body *body_ = nullptr;
  int64_t count_ = 0, ranges_ = 0, next_ = 0, running_ = 0;
  FirstError *error_ = nullptr;
  bool stop_ = false;
};

enum class Sharing { kUsual, kSerial, kFinest };
std::atomic<Sharing> sharing{Sharing::kUsual};

}  // namespace

void SharePool(const std::string &how) {
  if (how == "usual") {
    sharing = Sharing::kUsual;
  } else if (how == "serial") {
    sharing = Sharing::kSerial;
  } else if (how == "finest") {
    sharing = Sharing::kFinest;
  } else {
    throw std::invalid_argument("how: expected usual, serial or finest, got " + how);
  }
}

void SerialFor(int64_t count, int64_t, const Body &body) {
  if (count > 0) body(0, count);
}

void PoolFor(int64_t count, int64_t grain, const Body &body) {
  const Sharing how = sharing;
  if (how == Sharing::kFinest) grain = 1;
  if (inside_pool || how == Sharing::kSerial || count <= std::max<int64_t>(grain, 1)) {
    return SerialFor(count, grain, body);
  }
  static Pool pool;
  // Several ranges for each thread, so that a thread that the operating system has stopped does not delay the
  // others.
  constexpr int64_t kRangesPerThread = 4;
  const int64_t ranges = std::min(pool.threads() * kRangesPerThread, count / std::max<int64_t>(grain, 1));
  if (ranges <= 1 || pool.threads() == 1) return SerialFor(count, grain, body);
  pool.Run(count, ranges, body);
}

}  // namespace avo
