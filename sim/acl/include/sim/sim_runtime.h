// SPDX-License-Identifier: Apache-2.0
// What the simulated device offers beyond ACL: the choice of device, and the reports of the kernels it ran.
#pragma once

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Chooses the device to simulate: "Ascend910B1" by default, else the environment's AVO_SIM_SOC. Call it
// before aclInit and aclrtSetDevice. For an unknown name these fail with a message that lists the known
// devices.
ACL_FUNC_VISIBILITY void simSetSoc(const char *soc);

// From now on the device has this many vector cores, an even number as each cube core has two of them, and
// this many bytes of Unified Buffer in a core, a multiple of 32; 0: as many as the environment's
// AVO_SIM_CORES and AVO_SIM_UB_BYTES say, else as it has. For tests: tilings and kernels meet devices that
// nobody built. It may be called at any time; synchronise the streams first. Returns ACL_ERROR_INVALID_PARAM
// for any other numbers.
ACL_FUNC_VISIBILITY aclError simSetSize(uint32_t vectorCores, uint64_t ubBytes);

// From now on kernels run that were compiled against CANN's own AscendC headers, in place of those of this
// package: loads the libraries of a folder, or those of a list, which `avo config --kernels` makes and
// prints. The environment's AVO_SIM_KERNELS does the same for a whole process. A kernel that the list says is
// missing does not run: its launch fails with the reason. Returns ACL_ERROR_INVALID_PARAM where a library
// does not load; those that were loaded stay.
ACL_FUNC_VISIBILITY aclError simLoadKernels(const char *path);

// From now on a stream may wait for one of the last events that were destroyed: for what was recorded before.
// For frameworks that wait for an event on one thread and destroy it on another, which nothing orders. On a
// device this works as long as the memory of the event is not used again.
ACL_FUNC_VISIBILITY aclError simWaitForDestroyedEvents(int on);

// Keeps the reports of all kernels that are launched from now on, by any thread and stream. Reports with
// faults are always kept.
ACL_FUNC_VISIBILITY void simKeepReports(int keep);
// Returns the reports that were kept since the last call, in the order in which the kernels ended, as a JSON
// array. Synchronise the streams first. The text lives until the next call on this thread.
ACL_FUNC_VISIBILITY const char *simTakeReports(void);

// Records each instruction, flag and barrier of the cores of kernels that are launched from now on. It costs
// memory and time, so that it is for small calls. 0: records nothing; 1: with the line of each; 2: with the
// calls that led there.
ACL_FUNC_VISIBILITY void simSetRecord(int level);
// Returns the recordings since the last call, in the order in which the kernels ended, as a JSON array
// (ascendc/engine/recording.h has the format). Synchronise the streams first. The text lives until the next
// call on this thread.
ACL_FUNC_VISIBILITY const char *simTakeRecordings(void);

// Keeps traces of the pipes of kernels that are launched from now on.
ACL_FUNC_VISIBILITY void simSetTrace(int on);
// Returns the trace of the last kernel that ended (Chrome / Perfetto JSON), or an empty text.
ACL_FUNC_VISIBILITY const char *simTakeTrace(void);

#ifdef __cplusplus
}
#endif
