// SPDX-License-Identifier: Apache-2.0
// Watches that a core gets on, so that a kernel which never ends is a fault. Progress is whatever the core
// issues, except that the scalar unit reads: a core that only reads waits for something.
//
//   it issues without end               a budget of instructions (AVO_SIM_INSTRUCTIONS)
//   it only reads, as while it polls    the timer; Step ends it some thousand reads later
//   it issues nothing at all            the timer; the handler of its signal ends it (kernel_run.h)
//
// The timer counts the time that the core's thread computes, so that neither a slow host nor a core that
// waits for another one can make it run out. A busy host counts that time in leaps, and two signals may come
// with hardly an instruction between them. So a core that has read is left to its next read once more before
// it counts as one that issues nothing, and it may still read a while, and get on, once its time has run out.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace sim {

class Watch {
 public:
  enum class Verdict : uint8_t { kGoOn, kYield, kTooMany, kTooLong };

  explicit Watch(uint64_t budget) : budget_(budget) {}

  // For everything that the core issues. kYield: other cores should run now and then.
  Verdict Step(bool scalar, bool progress) {
    if (++(scalar ? scalars_ : others_) > (scalar ? kScalarsPerOther : 1) * budget_) return Verdict::kTooMany;
    if (progress) {
      progress_.store(progress_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      last_read_.store(kNoLimit, std::memory_order_relaxed);
      reads_.store(0, std::memory_order_relaxed);
      return others_ % kOthersInTurn == 0 && !scalar ? Verdict::kYield : Verdict::kGoOn;
    }
    const uint64_t reads = reads_.load(std::memory_order_relaxed) + 1;
    if (reads > last_read_.load(std::memory_order_relaxed)) return Verdict::kTooLong;
    reads_.store(reads, std::memory_order_relaxed);
    return reads % kReadsInTurn == 0 ? Verdict::kYield : Verdict::kGoOn;
  }

  // For every third part of the time that a core may take without progress. Returns true where nothing was
  // issued since the call that found the time to have run out, and nothing read since the one before that.
  bool TimeIsUp() {
    const uint64_t now = progress_.load(std::memory_order_relaxed);
    const uint64_t reads = reads_.load(std::memory_order_relaxed);
    const bool idle = now == seen_ && begun_;
    const bool ran_out = idle && last_read_.load(std::memory_order_relaxed) != kNoLimit;
    const bool up = ran_out && reads == seen_reads_;
    if (!ran_out) last_read_.store(idle ? reads + kReadsToGetOn : kNoLimit, std::memory_order_relaxed);
    if (!idle || ran_out) seen_reads_ = reads;
    seen_ = now;
    begun_ = true;
    return up;
  }

  uint64_t budget() const { return budget_; }

 private:
  static constexpr uint64_t kScalarsPerOther = 16;  // scalar accesses are cheap
  static constexpr uint64_t kReadsInTurn = 1024;
  static constexpr uint64_t kReadsToGetOn = 16 * kReadsInTurn;
  static constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
  static constexpr uint64_t kOthersInTurn = 1 << 20;

  const uint64_t budget_;
  uint64_t scalars_ = 0;
  uint64_t others_ = 0;
  // The handler of the timer runs on the core's own thread.
  std::atomic<uint64_t> progress_{0};
  std::atomic<uint64_t> reads_{0};  // in a row
  std::atomic<uint64_t> last_read_{kNoLimit};
  uint64_t seen_ = 0;
  uint64_t seen_reads_ = 0;
  bool begun_ = false;
};

}  // namespace sim
