// SPDX-License-Identifier: Apache-2.0
// The package is linked with this library in place of the wheel's libtorch_npu.so, which may be missing where
// the package is built. It is never loaded. The declarations are those of csrc/npu.cpp.
#include <functional>
#include <string>

namespace c10_npu {
class __attribute__((visibility("default"))) NPUStream {
 public:
  ~NPUStream() {}
  void *stream(const bool need_empty) const;
};
void *NPUStream::stream(const bool) const { return nullptr; }
__attribute__((visibility("default"))) NPUStream getCurrentNPUStream(int8_t) { return {}; }
}  // namespace c10_npu

namespace at_npu::native {
class __attribute__((visibility("default"))) OpCommand {
 public:
  static void RunOpApiV2(const std::string &name, const std::function<int()> &function, bool sync);
};
void OpCommand::RunOpApiV2(const std::string &, const std::function<int()> &, bool) {}
}  // namespace at_npu::native
