// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mutex>

namespace avo {

// Carries an exception from the threads of a framework, which would end the process or change its message, to
// the thread that waits for them.
class FirstError {
 public:
  // Runs body() on one of the threads, and keeps the exception if it is the first one.
  template <class Body>
  void Guard(const Body &body) {
    try {
      body();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (error_ == nullptr) error_ = std::current_exception();
    }
  }

  // Throws what was kept. All threads must have finished.
  void Rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace avo
