// SPDX-License-Identifier: Apache-2.0
// Pipes, event ids and the hardware events between pipes.
#pragma once

#include <cstdint>

#include "../engine/core.h"
#include "sim/pipes.h"

namespace AscendC {

using TEventID = int8_t;

// FROM_TO: the pipe TO waits for work of the pipe FROM.
enum class HardEvent : uint8_t {
  MTE2_MTE1,
  MTE1_MTE2,
  MTE1_M,
  M_MTE1,
  MTE2_V,
  V_MTE2,
  MTE3_V,
  V_MTE3,
  M_V,
  V_M,
  V_V,
  MTE3_MTE1,
  MTE1_MTE3,
  MTE1_V,
  MTE2_M,
  M_MTE2,
  V_MTE1,
  M_FIX,
  FIX_M,
  MTE3_MTE2,
  MTE2_MTE3,
  S_V,
  V_S,
  S_MTE2,
  MTE2_S,
  S_MTE3,
  MTE3_S,
  MTE2_FIX,
  FIX_MTE2,
  FIX_S,
  M_S,
  FIX_MTE3,
  MTE1_FIX,
  FIX_MTE1,
  FIX_FIX,
  MAX,
};

enum class MemDsbT : uint8_t { ALL = 0, DDR, UB, SEQ };

}  // namespace AscendC

namespace sim {

struct PipePair {
  Pipe from;
  Pipe to;
};

// The pipes of each HardEvent, in its order.
inline constexpr PipePair kHardEvents[] = {
    {Pipe::MTE2, Pipe::MTE1}, {Pipe::MTE1, Pipe::MTE2}, {Pipe::MTE1, Pipe::M},  {Pipe::M, Pipe::MTE1},
    {Pipe::MTE2, Pipe::V},    {Pipe::V, Pipe::MTE2},    {Pipe::MTE3, Pipe::V},  {Pipe::V, Pipe::MTE3},
    {Pipe::M, Pipe::V},       {Pipe::V, Pipe::M},       {Pipe::V, Pipe::V},     {Pipe::MTE3, Pipe::MTE1},
    {Pipe::MTE1, Pipe::MTE3}, {Pipe::MTE1, Pipe::V},    {Pipe::MTE2, Pipe::M},  {Pipe::M, Pipe::MTE2},
    {Pipe::V, Pipe::MTE1},    {Pipe::M, Pipe::FIX},     {Pipe::FIX, Pipe::M},   {Pipe::MTE3, Pipe::MTE2},
    {Pipe::MTE2, Pipe::MTE3}, {Pipe::S, Pipe::V},       {Pipe::V, Pipe::S},     {Pipe::S, Pipe::MTE2},
    {Pipe::MTE2, Pipe::S},    {Pipe::S, Pipe::MTE3},    {Pipe::MTE3, Pipe::S},  {Pipe::MTE2, Pipe::FIX},
    {Pipe::FIX, Pipe::MTE2},  {Pipe::FIX, Pipe::S},     {Pipe::M, Pipe::S},     {Pipe::FIX, Pipe::MTE3},
    {Pipe::MTE1, Pipe::FIX},  {Pipe::FIX, Pipe::MTE1},  {Pipe::FIX, Pipe::FIX},
};
static_assert(sizeof(kHardEvents) / sizeof(kHardEvents[0]) == static_cast<size_t>(AscendC::HardEvent::MAX));

constexpr PipePair PipesOf(AscendC::HardEvent event) { return kHardEvents[static_cast<int>(event)]; }

constexpr Pipe PipeOf(pipe_t pipe) {
  switch (pipe) {
    case PIPE_V:
    case PIPE_V2:
      return Pipe::V;
    case PIPE_M:
      return Pipe::M;
    case PIPE_MTE1:
      return Pipe::MTE1;
    case PIPE_MTE2:
      return Pipe::MTE2;
    case PIPE_MTE3:
      return Pipe::MTE3;
    case PIPE_FIX:
      return Pipe::FIX;
    default:
      return Pipe::S;
  }
}

}  // namespace sim
