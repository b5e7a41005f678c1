// SPDX-License-Identifier: Apache-2.0
// What the simulated device offers beyond ACL: the choice of device, and the reports of the kernels it ran.
#pragma once

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Device to simulate ("Ascend910B1", the default; also the environment's AVO_SIM_SOC). Call it before aclInit
// and aclrtSetDevice: those fail with a message that lists the known devices when the name is none of them.
ACL_FUNC_VISIBILITY void simSetSoc(const char *soc);

// From now on the device has this many vector cores, an even number as each cube core has two of them, and
// this many bytes of Unified Buffer in a core, a multiple of 32; 0: as many as the environment's
// AVO_SIM_CORES and AVO_SIM_UB_BYTES say, else as it has. For tests: tilings and kernels meet devices that
// nobody built. It may be called at any time; synchronise the streams first. Returns ACL_ERROR_INVALID_PARAM
// for any other numbers.
ACL_FUNC_VISIBILITY aclError simSetSize(uint32_t vectorCores, uint64_t ubBytes);

// Keep the report of every kernel launched from now on, of all threads and streams. Reports with faults are
// always kept.
ACL_FUNC_VISIBILITY void simKeepReports(int keep);
// Reports kept since the last take, in order of completion, as a JSON array. Synchronise the streams first.
// The text lives until the next call on this thread.
ACL_FUNC_VISIBILITY const char *simTakeReports(void);

// Keep pipe traces of the kernels launched from now on.
ACL_FUNC_VISIBILITY void simSetTrace(int on);
// Trace of the last kernel that ended (Chrome / Perfetto JSON); empty when there is none.
ACL_FUNC_VISIBILITY const char *simTakeTrace(void);

#ifdef __cplusplus
}
#endif
