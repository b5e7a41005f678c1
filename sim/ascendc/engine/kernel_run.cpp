// SPDX-License-Identifier: Apache-2.0
#include "kernel_run.h"

#include <cxxabi.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <ctime>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include "../compiler/intrinsic.h"
#include "../compiler/scalar_access.h"
#include "../compiler/trapped_call.h"
#include "core_state.h"

namespace sim {
namespace {

// The kernel that runs on this thread.
struct Running {
  sigjmp_buf escape;
  bool armed = false;
};
thread_local Running running;

[[noreturn]] void FailByTime() {
  CoreState &state = Core::Current().state();
  state.Fail(FaultKind::kEndless, "kernel", Unplaced(),
             "the kernel does not end: it has issued nothing for " + SecondsText(state.options->timeout) +
                 " s of computing (AVO_SIM_TIMEOUT)");
}

// Handles the signal as a call at the instruction where it came. Returns false where it ended the block.
bool HandleInPlace(int signal, const siginfo_t &info, ucontext_t *context) {
  const TrappedCall call(*context);
  CoreState &state = Core::Current().state();
  state.StandAt(call.innermost());
  bool handled = true;
  try {
    if (signal == TimerSignal()) FailByTime();
    if (signal == SIGFPE) {
      state.Fail(FaultKind::kOther, "scalar division", Unplaced(), "the kernel divides an integer by zero");
    }
    HandleScalarAccess(info, context);
  } catch (const BlockEnded &) {
    handled = false;
  }
  state.StandAt(nullptr);
  return handled;
}

// The handlers that were there before, of SIGSEGV and SIGFPE.
struct sigaction previous_handlers[2];

struct sigaction &PreviousOf(int signal) { return previous_handlers[signal == SIGFPE ? 1 : 0]; }

// Hands a signal of the host to the handler that was there before. Where it comes a second time, that handler
// wanted the process to end: some restore the handler that they found for this, which may be this one.
void PassOn(int signal, siginfo_t *info, void *context) {
  static thread_local std::pair<void *, int> last = {};
  static thread_local ucontext_t place;
  const auto *now = static_cast<ucontext_t *>(context);
  const bool again = std::exchange(last, {info->si_addr, signal}) == std::make_pair(info->si_addr, signal) &&
                     SamePlace(place, *now);
  place = *now;
  const struct sigaction &previous = PreviousOf(signal);
  if (!again && (previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (!again && previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    std::signal(signal, SIG_DFL);  // the access traps again, and ends the process
  }
}

void OnSignal(int signal, siginfo_t *info, void *context) {
  if (!running.armed) {
    PassOn(signal, info, context);
  } else if (!HandleInPlace(signal, *info, static_cast<ucontext_t *>(context))) {
    siglongjmp(running.escape, 1);
  }
}

void OnTimer(int signal, siginfo_t *info, void *context) {
  const int error = errno;
  if (running.armed && Core::Current().state().watch.TimeIsUp()) {
    HandleInPlace(signal, *info, static_cast<ucontext_t *>(context));
    siglongjmp(running.escape, 1);
  }
  errno = error;
}

// A host may install a handler of its own at any time, as Python's faulthandler does.
void InstallHandlers() {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  for (const int signal : {SIGSEGV, SIGFPE, TimerSignal()}) {
    const auto handler = signal == TimerSignal() ? OnTimer : OnSignal;
    struct sigaction present{};
    sigaction(signal, nullptr, &present);
    if ((present.sa_flags & SA_SIGINFO) != 0 && present.sa_sigaction == handler) continue;
    if (signal != TimerSignal()) PreviousOf(signal) = present;
    struct sigaction action{};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

// A fault throws BlockEnded. Where it passes a destructor of CANN's, as that of TPipe, which throws a second
// time or must not be passed, the standard library gives up; the block ends here instead.
std::terminate_handler previous_terminate = nullptr;

void OnTerminate() {
  if (running.armed) {
    // The thread goes on without an exception. Layout: Itanium C++ ABI, exception handling, 2.2.2.
    struct Exceptions {
      void *caught;
      unsigned int uncaught;
    };
    *reinterpret_cast<Exceptions *>(abi::__cxa_get_globals()) = {};
    siglongjmp(running.escape, 1);
  }
  previous_terminate();
}

void InstallTerminateHandler() {
  static const bool installed = [] {
    previous_terminate = std::set_terminate(OnTerminate);
    return true;
  }();
  static_cast<void>(installed);
}

// Sends the signal of the timer to this thread, each time that it has computed for so many seconds.
class ComputingTimer {
 public:
  explicit ComputingTimer(double seconds) {
    struct sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = TimerSignal();
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    exists_ = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
    if (!exists_) return;  // without it such a kernel hangs
    const double nanoseconds = std::max(seconds * 1e9, 1e6);
    struct itimerspec spec{};
    spec.it_value.tv_sec = static_cast<time_t>(nanoseconds / 1e9);
    spec.it_value.tv_nsec = static_cast<long>(nanoseconds - static_cast<double>(spec.it_value.tv_sec) * 1e9);
    spec.it_interval = spec.it_value;
    timer_settime(timer_, 0, &spec, nullptr);
  }
  ~ComputingTimer() {
    if (exists_) timer_delete(timer_);
  }
  ComputingTimer(const ComputingTimer &) = delete;
  ComputingTimer &operator=(const ComputingTimer &) = delete;

 private:
  timer_t timer_{};
  bool exists_ = false;
};

}  // namespace

int TimerSignal() { return SIGRTMIN + 7; }

bool RunKernel(void (*invoke)(void *const *args), void *const *args, bool marked) {
  constexpr double kTicks = 3;  // Watch::TimeIsUp
  InstallHandlers();
  InstallTerminateHandler();
  BeginScalarAccesses(marked);
  const ComputingTimer timer(Core::Current().state().options->timeout / kTicks);
  if (sigsetjmp(running.escape, 0) != 0) {
    running.armed = false;
    return false;
  }
  running.armed = true;
  try {
    invoke(args);
  } catch (...) {
    running.armed = false;
    throw;
  }
  running.armed = false;
  return true;
}

}  // namespace sim
