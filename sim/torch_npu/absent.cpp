// SPDX-License-Identifier: Apache-2.0
// Functions that the torch_npu wheel is linked with and that the simulated device does not have. torch_npu
// loads only where every one of these names is defined. A program that uses aclnn operators only calls none
// of them.
#include <cstdio>

#include "acl/acl_base.h"
#include "sim/op_plan.h"

namespace {

// Reports that a function is missing, with its name, and returns an error.
int Absent(const char *name) {
  constexpr int kUnsupported = 207000;  // ACL_ERROR_RT_FEATURE_NOT_SUPPORT
  std::fprintf(stderr, "[simulated device] %s is not simulated\n", name);
  try {
    return sim::ReportError(kUnsupported, std::string(name) + " is not simulated");
  } catch (...) {
    return sim::ReportException(kUnsupported, "a function that is not simulated");
  }
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))
#define ABSENT(name) \
  EXPORT int name() { return Absent(#name); }
#define SUCCEEDS(name) \
  EXPORT int name() { return 0; }

// Profiling: nothing is recorded.
SUCCEEDS(MsprofGetHashId)
SUCCEEDS(MsprofRegisterCallback)
SUCCEEDS(MsprofReportAdditionalInfo)
SUCCEEDS(MsprofReportApi)
SUCCEEDS(MsprofReportCompactInfo)
SUCCEEDS(MsprofSysCycleTime)
SUCCEEDS(MsprofReportEvent)

ABSENT(aclopCompileAndExecuteV2)

// Dumps of models.
ABSENT(aclmdlInitDump)
ABSENT(aclmdlSetDump)
ABSENT(aclmdlFinalizeDump)

// Kernels in binary files.
ABSENT(aclrtBinaryGetFunction)
ABSENT(aclrtBinaryLoadFromData)
ABSENT(aclrtGetFunctionAddr)
ABSENT(rtDevBinaryRegister)
ABSENT(rtFunctionRegister)
ABSENT(rtGetC2cCtrlAddr)
ABSENT(rtKernelLaunch)

// Memory shared between processes.
ABSENT(aclrtDeviceGetBareTgid)
ABSENT(aclrtMemExportToShareableHandle)
ABSENT(aclrtMemImportFromShareableHandle)
ABSENT(aclrtMemSetPidToShareableHandle)
