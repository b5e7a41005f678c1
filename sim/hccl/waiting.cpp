// SPDX-License-Identifier: Apache-2.0
#include "waiting.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace sim::hccl {
namespace {

constexpr int64_t kMomentNs = 10'000'000;

int32_t Seconds(const char *variable, int32_t otherwise) {
  const char *text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return otherwise;
  char *end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return *end != '\0' || value < 0 || value > INT32_MAX ? -1 : static_cast<int32_t>(value);
}

}  // namespace

Deadline::Deadline(int32_t seconds)
    : endless_(seconds <= 0), end_(Clock::now() + std::chrono::seconds(seconds)) {}

bool Deadline::Passed() const { return !endless_ && Clock::now() >= end_; }

bool WaitAMoment(const std::atomic<uint32_t> &word, uint32_t seen) {
  static_assert(sizeof(word) == sizeof(uint32_t), "a futex is a plain word");
  const timespec moment{0, kMomentNs};
  return syscall(SYS_futex, &word, FUTEX_WAIT, seen, &moment, nullptr, 0) != 0 && errno == ETIMEDOUT;
}

void Wake(const std::atomic<uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

uint64_t StartOf(int32_t pid) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[1024];
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return 0;
  text[size] = '\0';
  // The second field is the program's name in parentheses, which may hold anything.
  const char *rest = std::strrchr(text, ')');
  if (rest == nullptr || rest[1] == '\0') return 0;
  const char state = rest[2];
  if (state == 'Z' || state == 'X') return 0;
  uint64_t start = 0;
  const char *at = rest + 2;  // field 3; the start time is field 22
  for (int field = 3; field < 22 && at != nullptr; ++field) at = std::strchr(at + 1, ' ');
  if (at != nullptr) start = std::strtoull(at + 1, nullptr, 10);
  return start;
}

int32_t ExecTimeout() { return Seconds("HCCL_EXEC_TIMEOUT", 1836); }

int32_t ConnectTimeout() { return Seconds("HCCL_CONNECT_TIMEOUT", 120); }

}  // namespace sim::hccl
