// SPDX-License-Identifier: Apache-2.0
// Launches of programs, as their sources become after `avo sim build` (sim/program.h).
#include "sim/program.h"

#include "acl_test.h"

using namespace acl_test;

namespace {

void *workspace = nullptr;  // of the last launch

void Kernel() {}

}  // namespace

ACL_TEST(workspace_of_a_program_belongs_to_its_device) {
  const auto function = reinterpret_cast<const void *>(Kernel);
  sim::program::Define({function, "[kernel = Kernel; ]", sim::program::Cores::kVector, [](void *const *) {},
                        [](void *given) { workspace = given; }, false});
  for (int round = 0; round < 8; ++round) {
    CHECK_OK(aclrtSetDevice(0));
    {
      const Buffer first(static_cast<size_t>(round + 1) << 20);  // so that workspaces lie elsewhere each time
      sim::program::Start(function, "Kernel", 1, nullptr, nullptr);
      CHECK_OK(aclrtSynchronizeStream(nullptr));
      char bytes[512];
      CHECK_OK(aclrtMemcpy(bytes, sizeof(bytes), workspace, sizeof(bytes), ACL_MEMCPY_DEVICE_TO_HOST));
    }
    CHECK_OK(aclrtResetDevice(0));
  }
}
