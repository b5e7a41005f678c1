// SPDX-License-Identifier: Apache-2.0
// Calls that the vector cores of a mixed block send to their cube core, as Matmul objects do. The cube core
// runs them in the order of their arrival, until every vector core has left.
//
//   vector core   SendCall ─ MTE3 ──▶ ┐                ┌──▶ AwaitReply: the whole core waits
//   cube core                         └▶ ServeCall …  Reply ─ FIX
//
// What the pipe of the sender has done happens before the call, and what the cube core's FIX has done happens
// before the reply. CANN sends a message through global memory, which takes these pipes too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core.h"

namespace sim {

class CubeCall;  // scheduler.h
using CubeCallPtr = std::shared_ptr<CubeCall>;
// `object`: the object of the cube core that serves the call.
using CubeCallBody = std::function<void(void *object, CubeCall &call)>;

// On a vector core. `object` is the number of the object in the list of ServeCall.
CubeCallPtr SendCall(Core &core, uint32_t object, CubeCallBody body, const char *name, Where where);
// Waits for reply `number` of the call, from 0 on.
void AwaitReply(Core &core, CubeCall &call, uint32_t number, const char *name, Where where);
// The vector core sends no more calls.
void LeaveService(Core &core);
// Says whether a cube core belongs to the block of this core.
bool HasCubeCore(Core &core);

// On the cube core. ServeCall waits for a call and runs it. It returns false when all vector cores have left.
bool ServeCall(Core &core, const std::vector<void *> &objects, Where where);
void Reply(Core &core, CubeCall &call, const char *name, Where where);

// Global memory that belongs to the library until the launch ends.
uint64_t LibraryMemory(Core &core, uint64_t bytes);

}  // namespace sim
