// SPDX-License-Identifier: Apache-2.0
// Runs operators of a project through their own host code: a C interface for programs that have no entry
// points.
//
//     simProjectLoad(library)                      definitions, as JSON
//     simCallNew(library, type)                    a call
//       simCallTensor, simCallAttribute…           its tensors and attributes, in the order of the definition
//       simCallInfer, simCallTile                  what the operator's own functions say, as JSON
//       simCallLaunch                              runs a kernel with the tiling of simCallTile
//     simCallFree
//
// A text that is returned lives until the next call on this thread. nullptr and other values than 0 are
// failures, of which simProjectError tells the reason.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIM_PROJECT_API __attribute__((visibility("default")))

SIM_PROJECT_API const char *simProjectError(void);
// Loads a library of host sources, once; they were compiled without OP_TILING_LIB and OP_PROTO_LIB.
SIM_PROJECT_API const char *simProjectLoad(const char *library);

SIM_PROJECT_API void *simCallNew(const char *library, const char *type);
SIM_PROJECT_API void simCallFree(void *call);
// Begins the next input, or the next result; then come its tensors: none for an optional one that is absent,
// several for a dynamic one. `values`: what it holds, for code that reads values on the host; may be nullptr.
// After a failure of one of these the call fails.
SIM_PROJECT_API int simCallParameter(void *call, int result);
SIM_PROJECT_API int simCallTensor(void *call, int dtype, int format, const int64_t *shape, size_t rank,
                                  const void *values);
SIM_PROJECT_API int simCallInt(void *call, int64_t value);
SIM_PROJECT_API int simCallFloat(void *call, float value);
SIM_PROJECT_API int simCallBool(void *call, int value);
SIM_PROJECT_API int simCallString(void *call, const char *value);
SIM_PROJECT_API int simCallInts(void *call, const int64_t *values, size_t count);
SIM_PROJECT_API int simCallFloats(void *call, const float *values, size_t count);
SIM_PROJECT_API int simCallBools(void *call, const unsigned char *values, size_t count);
// {"tensors": [{"dtype": 0, "shape": [2, 3]}, …]}; without an inference of its own, shape and dtype are null.
SIM_PROJECT_API const char *simCallInfer(void *call);
// {"block_dim": 8, "key": 1, "workspace": 16777216, "schedule_mode": 0, "tiling": "0a00…"}
SIM_PROJECT_API const char *simCallTile(void *call);

// A tensor in the memory of the host, whose bytes the kernel gets a copy of.
struct SimBuffer {
  void *host;  // nullptr: an optional tensor that is absent
  size_t bytes;
  int parameter;  // buffers of one dynamic parameter have the same number, others different ones
  int list;       // the parameter is dynamic: the kernel gets the address of a list of tensors
  int copy_in;    // the kernel finds the bytes of the host, otherwise memory that nobody wrote
  int copy_out;   // after a run without faults the host gets what the kernel wrote
  int same_as;    // the buffer whose memory this one shares, -1 for its own
  const int64_t *shape;
  size_t rank;
};

// Runs the kernel of that name, which a library registered (engine/kernel_libraries.h). `cores`: vector,
// cube, mixed11 or mixed12. After a fault the host's memory is as before, and simProjectError has the report.
SIM_PROJECT_API int simCallLaunch(void *call, const char *kernel, const char *cores,
                                  const struct SimBuffer *buffers, size_t count);

#ifdef __cplusplus
}
#endif
