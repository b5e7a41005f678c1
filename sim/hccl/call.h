// SPDX-License-Identifier: Apache-2.0
// What a rank asks for: the kind of call and its parameters, which the ranks compare.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hccl/hccl_types.h"

namespace sim::hccl {

enum class Kind : uint32_t {
  kNone,
  kAllReduce,
  kReduce,
  kBroadcast,
  kScatter,
  kAllGather,
  kAllGatherV,
  kReduceScatter,
  kReduceScatterV,
  kAlltoAll,
  kAlltoAllV,
  kAlltoAllVC,
  kBarrier,
  kSend,
  kReceive,
};

const char *NameOf(Kind kind);          // "HcclAllReduce"
const char *NameOf(HcclDataType type);  // "float32"; nullptr for a number that is no type
const char *NameOf(HcclReduceOp op);    // "sum"; nullptr for a number that is no reduction
uint64_t SizeOf(HcclDataType type);     // bytes

// It lies in memory that processes share. Parameters that a kind does not have are zero.
struct Call {
  Kind kind = Kind::kNone;
  HcclDataType type = HCCL_DATA_TYPE_INT8;
  HcclReduceOp op = HCCL_REDUCE_SUM;
  uint32_t root = 0;
  uint64_t count = 0;  // elements

  bool operator==(const Call &other) const;
  bool operator!=(const Call &other) const { return !(*this == other); }
  // "HcclReduce(count=8, type=float32, op=sum, root=0)"
  std::string Description() const;
};

// Compares the calls of all ranks. Returns an empty text where they agree, else which ranks called what.
std::string Disagreement(const std::vector<Call> &calls);

}  // namespace sim::hccl
