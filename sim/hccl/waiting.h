// SPDX-License-Identifier: Apache-2.0
// Waiting for a word of shared memory, and for processes that may end meanwhile.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace sim::hccl {

// The end of a wait. Zero seconds mean that it has none.
class Deadline {
 public:
  explicit Deadline(int32_t seconds);
  bool Passed() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool endless_;
  Clock::time_point end_;
};

// Waits until somebody calls Wake for the word, at most for a moment (10 ms), and not at all where the word
// no longer holds `seen`. Returns whether the moment passed.
bool WaitAMoment(const std::atomic<uint32_t> &word, uint32_t seen);
void Wake(const std::atomic<uint32_t> &word);

// When a process started, in clock ticks since the machine did; 0 where there is no such process, or it has
// ended and nobody has asked for its result yet.
uint64_t StartOf(int32_t pid);

// Time limits in seconds, as CANN's variables give them: HCCL_EXEC_TIMEOUT (1836 by default, 0: none) for
// each step of a call, HCCL_CONNECT_TIMEOUT (120) for the ranks to find each other. Returns -1 where the
// variable is set to anything else than a whole number.
int32_t ExecTimeout();
int32_t ConnectTimeout();

}  // namespace sim::hccl
