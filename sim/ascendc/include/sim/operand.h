// SPDX-License-Identifier: Apache-2.0
// Makes a sim::Operand from a tensor. By these, API functions say which memory they touch.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "../../engine/core.h"
#include "../../engine/flow.h"
#include "local_tensor_base.h"

namespace sim {

constexpr uint32_t kBlockBytes = 32;
constexpr uint32_t kRepeatBytes = 256;

constexpr uint64_t CeilDivide(uint64_t value, uint64_t divisor) { return (value + divisor - 1) / divisor; }
constexpr uint64_t AlignUp(uint64_t value, uint64_t step) { return CeilDivide(value, step) * step; }

// Returns the bytes from the operand's address to the end of the last byte that it touches.
inline uint64_t Reach(const Operand &operand) {
  if (operand.rows == 0 || operand.groups == 0 || operand.row_bytes == 0) {
    return 0;
  }
  int last_lane = -1;
  for (int lane = 255; operand.element_bytes != 0 && lane >= 0 && last_lane < 0; --lane) {
    if ((operand.lanes[lane / 64] >> (lane % 64)) & 1U) {
      last_lane = lane;
    }
  }
  const uint64_t groups = static_cast<uint64_t>(operand.groups - 1) * operand.group_stride;
  if (last_lane < 0) {
    return groups + static_cast<uint64_t>(operand.rows - 1) * operand.row_stride + operand.row_bytes;
  }
  const uint64_t byte = static_cast<uint64_t>(last_lane) * operand.element_bytes;
  return groups + (byte / operand.row_bytes) * operand.row_stride + byte % operand.row_bytes +
         operand.element_bytes;
}

// Reports an operand that leaves the view of its tensor, as a fault of this kind. The core judges the bounds
// of buffers and memories.
inline void CheckView(Core &core, const char *instruction, const Operand &operand, uint64_t bytes,
                      Where where, FaultKind kind) {
  const uint64_t reach = Reach(operand);
  if (reach > bytes && !core.Reported(kind, instruction, where)) {
    core.Report(kind, instruction, where,
                std::string(operand.name) + " takes " + std::to_string(reach) + " bytes from " +
                    SpaceName(operand.space) + " offset " + std::to_string(operand.address) +
                    core.OfBuffer(operand.space, operand.address) + ", but its LocalTensor has " +
                    std::to_string(bytes) + " bytes");
  }
}

// The device knows only where a tensor begins. Its size is for people to see, as that of a GlobalTensor:
// values that are read behind it are followed, and what is written behind it stays in its own buffer, or the
// tensor lies in none because the kernel itself has placed it. Only a write that leaves the buffer is an
// error.
inline void CheckView(Core &core, const char *instruction, const Operand &operand, uint64_t bytes,
                      Where where) {
  if (Reach(operand) <= bytes) return;
  const bool harmless = !operand.write || core.StaysInBuffer(operand, Reach(operand));
  CheckView(core, instruction, operand, bytes, where,
            harmless ? FaultKind::kBeyondTensor : FaultKind::kUbBounds);
}

inline Operand LocalOperand(const char *name, const LocalTensorBase &tensor, bool write) {
  Operand operand;
  operand.name = name;
  operand.space = tensor.space;
  operand.write = write;
  operand.address = tensor.address;
  operand.buffer_id = tensor.buffer_id;
  operand.generation = tensor.generation;
  return operand;
}

// An operand of `bytes` in one run.
inline Operand Run(const char *name, const LocalTensorBase &tensor, bool write, uint64_t bytes) {
  Operand operand = LocalOperand(name, tensor, write);
  operand.row_bytes = static_cast<uint32_t>(bytes);
  return operand;
}

template <typename T>
T *Pointer(Core &core, const LocalTensorBase &tensor) {
  return reinterpret_cast<T *>(core.Memory(tensor.space, tensor.address));
}

// Issues an instruction. `flow` tells a Flows how its results depend on its sources.
template <typename Describe>
void IssueWith(Core &core, Instruction &instruction, const Describe &flow) {
  const FlowBy<Describe> map(flow);
  instruction.flow_map = &map;
  core.Issue(instruction);
  instruction.flow_map = nullptr;
}

// `bytes` of a tensor from byte `offset` on.
inline BitRange BitsOf(const LocalTensorBase &tensor, uint64_t offset, uint64_t bytes, uint8_t bits = 0xFF) {
  return {tensor.space, tensor.address + offset, bytes, bits};
}

[[noreturn]] inline void FailRange(Core &core, FaultKind kind, const char *instruction, Where where,
                                   const char *parameter, const std::string &expected, int64_t got) {
  core.Fail(kind, instruction, where,
            std::string(parameter) + " must be " + expected + ", got " + std::to_string(got));
}

// Fails unless low <= value <= high.
inline void CheckRange(Core &core, FaultKind kind, const char *instruction, Where where,
                       const char *parameter, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high) {
    FailRange(core, kind, instruction, where, parameter,
              "in [" + std::to_string(low) + ", " + std::to_string(high) + "]", value);
  }
}

}  // namespace sim
