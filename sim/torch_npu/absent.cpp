// SPDX-License-Identifier: Apache-2.0
// What the torch_npu wheel links against and the simulated device does not have. A library that torch_npu is
// linked with must define every one of these names, or it does not load; none of them is needed by a program
// that stays with aclnn operators.
#include <cstdio>
#include <cstdlib>

#include "acl/acl_base.h"
#include "sim/op_plan.h"

namespace {

// Calls that cannot be answered fail, and say who asked for what.
int Absent(const char *name) {
  constexpr int kUnsupported = 207000;  // ACL_ERROR_RT_FEATURE_NOT_SUPPORT
  std::fprintf(stderr, "[simulated device] %s is not simulated\n", name);
  return sim::ReportError(kUnsupported, std::string(name) + " is not simulated");
}

int dummy;  // what handles of objects that nobody looks into point to

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))
#define ABSENT(name) \
  EXPORT int name() { return Absent(#name); }
#define SUCCEEDS(name) \
  EXPORT int name() { return 0; }
#define HANDLE(name) \
  EXPORT void *name() { return &dummy; }

// Profiling: nothing is recorded.
SUCCEEDS(MsprofGetHashId)
SUCCEEDS(MsprofRegisterCallback)
SUCCEEDS(MsprofReportAdditionalInfo)
SUCCEEDS(MsprofReportApi)
SUCCEEDS(MsprofReportCompactInfo)
SUCCEEDS(MsprofSysCycleTime)
SUCCEEDS(MsprofReportEvent)

// Descriptions of operators for the compiler of graphs, which torch_npu makes before it asks for one.
HANDLE(aclCreateTensorDesc)
HANDLE(aclopCreateAttr)
SUCCEEDS(aclDestroyTensorDesc)
SUCCEEDS(aclSetTensorDescName)
SUCCEEDS(aclSetTensorFormat)
SUCCEEDS(aclSetTensorPlaceMent)
SUCCEEDS(aclSetTensorShape)
SUCCEEDS(aclSetTensorConst)
SUCCEEDS(aclopDestroyAttr)
SUCCEEDS(aclopSetAttrBool)
SUCCEEDS(aclopSetAttrDataType)
SUCCEEDS(aclopSetAttrFloat)
SUCCEEDS(aclopSetAttrInt)
SUCCEEDS(aclopSetAttrListBool)
SUCCEEDS(aclopSetAttrListDataType)
SUCCEEDS(aclopSetAttrListFloat)
SUCCEEDS(aclopSetAttrListInt)
SUCCEEDS(aclopSetAttrListListInt)
SUCCEEDS(aclopSetAttrString)
ABSENT(aclGetTensorDescDimV2)
ABSENT(aclGetTensorDescFormat)
ABSENT(aclGetTensorDescNumDims)
ABSENT(aclGetTensorDescType)

// torch_npu takes this way where no aclnn operator of the name exists, on a thread of its own which loses the
// error: later results would be garbage. So the process ends here.
EXPORT int aclopCompileAndExecute(const char *operator_type) {
  std::fprintf(
      stderr,
      "[simulated device] operator %s is not simulated: neither an aclnn operator of the simulated device "
      "nor one of yours. The process ends, for later results would be wrong.\n",
      operator_type);
  std::_Exit(70);  // EX_SOFTWARE
}
EXPORT int aclopCompileAndExecuteV2(const char *operator_type) {
  return aclopCompileAndExecute(operator_type);
}

// Dumps of models.
ABSENT(aclmdlInitDump)
ABSENT(aclmdlSetDump)
ABSENT(aclmdlFinalizeDump)

// Kernels as binaries.
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
