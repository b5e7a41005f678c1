// SPDX-License-Identifier: Apache-2.0
// Named tests of the ACL runtime, each run in a process of its own: `acl_tests NAME`.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

namespace acl_test {

inline std::map<std::string, void (*)()> &Tests() {
  static std::map<std::string, void (*)()> tests;
  return tests;
}

struct Registration {
  Registration(const char *name, void (*body)()) { Tests()[name] = body; }
};

[[noreturn]] inline void Die(const char *file, int line, const std::string &text) {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, text.c_str());
  std::exit(1);
}

inline std::string Message() {
  const char *message = aclGetRecentErrMsg();
  return message == nullptr ? "(no message)" : message;
}

// Whether a text is another one, or none.
inline bool Differs(const char *text, const char *expected) {
  return text == nullptr || std::strcmp(text, expected) != 0;
}

inline void ExpectCode(const char *file, int line, const char *call, int expected, int code,
                       const std::string &part) {
  const std::string message = Message();
  if (code != expected) {
    Die(file, line,
        std::string(call) + " returned " + std::to_string(code) + ", expected " + std::to_string(expected) +
            "; message: " + message);
  }
  if (message.find(part) == std::string::npos) {
    Die(file, line, std::string(call) + ": the message lacks \"" + part + "\": " + message);
  }
}

}  // namespace acl_test

#define ACL_TEST(name)                                               \
  static void name();                                                \
  static const acl_test::Registration register_##name(#name, &name); \
  static void name()

#define CHECK(condition) \
  if (!(condition)) acl_test::Die(__FILE__, __LINE__, "not true: " #condition)

#define CHECK_OK(call)                                                                        \
  do {                                                                                        \
    const int code_ = (call);                                                                 \
    if (code_ != 0)                                                                           \
      acl_test::Die(__FILE__, __LINE__,                                                       \
                    #call " returned " + std::to_string(code_) + ": " + acl_test::Message()); \
  } while (false)

// Checks that the call fails with that code, and that the message of this thread contains `part`.
#define CHECK_FAILS(call, code, part) acl_test::ExpectCode(__FILE__, __LINE__, #call, code, call, part)

namespace acl_test {

// Device 0 with its default stream, which most tests need.
struct Session {
  Session() {
    CHECK_OK(aclInit(nullptr));
    CHECK_OK(aclrtSetDevice(0));
  }
  ~Session() {
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
  }
};

struct Buffer {
  explicit Buffer(size_t bytes) : size(bytes) {
    CHECK_OK(aclrtMalloc(&data, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  ~Buffer() { CHECK_OK(aclrtFree(data)); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  template <typename T>
  void Upload(const std::vector<T> &values) {
    CHECK_OK(aclrtMemcpy(data, size, values.data(), values.size() * sizeof(T), ACL_MEMCPY_HOST_TO_DEVICE));
  }
  template <typename T>
  std::vector<T> Download() const {
    std::vector<T> values(size / sizeof(T));
    CHECK_OK(aclrtMemcpy(values.data(), size, data, values.size() * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST));
    return values;
  }

  size_t size;
  void *data = nullptr;
};

struct Stream {
  Stream() { CHECK_OK(aclrtCreateStream(&handle)); }
  ~Stream() { CHECK_OK(aclrtDestroyStream(handle)); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  aclrtStream handle = nullptr;
};

struct Event {
  Event() { CHECK_OK(aclrtCreateEvent(&handle)); }
  ~Event() { CHECK_OK(aclrtDestroyEvent(handle)); }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  aclrtEvent handle = nullptr;
};

inline size_t UsedBytes() {
  size_t free = 0;
  size_t total = 0;
  CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
  return total - free;
}

}  // namespace acl_test
