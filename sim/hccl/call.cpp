// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <sstream>

namespace sim::hccl {
namespace {

struct TypeFacts {
  HcclDataType type;
  const char *name;
  uint64_t size;
};

constexpr TypeFacts kTypes[] = {
    {HCCL_DATA_TYPE_INT8, "int8", 1},       {HCCL_DATA_TYPE_INT16, "int16", 2},
    {HCCL_DATA_TYPE_INT32, "int32", 4},     {HCCL_DATA_TYPE_FP16, "float16", 2},
    {HCCL_DATA_TYPE_FP32, "float32", 4},    {HCCL_DATA_TYPE_INT64, "int64", 8},
    {HCCL_DATA_TYPE_UINT64, "uint64", 8},   {HCCL_DATA_TYPE_UINT8, "uint8", 1},
    {HCCL_DATA_TYPE_UINT16, "uint16", 2},   {HCCL_DATA_TYPE_UINT32, "uint32", 4},
    {HCCL_DATA_TYPE_FP64, "float64", 8},    {HCCL_DATA_TYPE_BFP16, "bfloat16", 2},
    {HCCL_DATA_TYPE_INT128, "int128", 16},  {HCCL_DATA_TYPE_HIF8, "hifloat8", 1},
    {HCCL_DATA_TYPE_FP8E4M3, "fp8e4m3", 1}, {HCCL_DATA_TYPE_FP8E5M2, "fp8e5m2", 1},
    {HCCL_DATA_TYPE_FP8E8M0, "fp8e8m0", 1},
};

const TypeFacts *Facts(HcclDataType type) {
  for (const TypeFacts &facts : kTypes) {
    if (facts.type == type) return &facts;
  }
  return nullptr;
}

bool Reduces(Kind kind) {
  return kind == Kind::kAllReduce || kind == Kind::kReduce || kind == Kind::kReduceScatter ||
         kind == Kind::kReduceScatterV;
}

bool HasRoot(Kind kind) {
  return kind == Kind::kReduce || kind == Kind::kBroadcast || kind == Kind::kScatter;
}

// The counts of these differ by rank; they are compared one by one.
bool CountsByRank(Kind kind) {
  return kind == Kind::kAllGatherV || kind == Kind::kReduceScatterV || kind == Kind::kAlltoAllV ||
         kind == Kind::kAlltoAllVC;
}

}  // namespace

const char *NameOf(Kind kind) {
  switch (kind) {
    case Kind::kNone:
      return "no call";
    case Kind::kAllReduce:
      return "HcclAllReduce";
    case Kind::kReduce:
      return "HcclReduce";
    case Kind::kBroadcast:
      return "HcclBroadcast";
    case Kind::kScatter:
      return "HcclScatter";
    case Kind::kAllGather:
      return "HcclAllGather";
    case Kind::kAllGatherV:
      return "HcclAllGatherV";
    case Kind::kReduceScatter:
      return "HcclReduceScatter";
    case Kind::kReduceScatterV:
      return "HcclReduceScatterV";
    case Kind::kAlltoAll:
      return "HcclAlltoAll";
    case Kind::kAlltoAllV:
      return "HcclAlltoAllV";
    case Kind::kAlltoAllVC:
      return "HcclAlltoAllVC";
    case Kind::kBarrier:
      return "HcclBarrier";
    case Kind::kSend:
      return "HcclSend";
    case Kind::kReceive:
      return "HcclRecv";
  }
  return "no call";
}

const char *NameOf(HcclDataType type) {
  const TypeFacts *facts = Facts(type);
  return facts == nullptr ? nullptr : facts->name;
}

uint64_t SizeOf(HcclDataType type) {
  const TypeFacts *facts = Facts(type);
  return facts == nullptr ? 0 : facts->size;
}

const char *NameOf(HcclReduceOp op) {
  switch (op) {
    case HCCL_REDUCE_SUM:
      return "sum";
    case HCCL_REDUCE_PROD:
      return "prod";
    case HCCL_REDUCE_MAX:
      return "max";
    case HCCL_REDUCE_MIN:
      return "min";
    default:
      return nullptr;
  }
}

bool Call::operator==(const Call &other) const {
  return kind == other.kind && type == other.type && op == other.op && root == other.root &&
         count == other.count;
}

std::string Call::Description() const {
  std::ostringstream text;
  text << NameOf(kind) << '(';
  if (kind != Kind::kBarrier) {
    if (!CountsByRank(kind)) text << "count=" << count << ", ";
    const char *name = NameOf(type);
    text << "type=" << (name == nullptr ? "?" : name);
    if (const char *reduction = NameOf(op); Reduces(kind) && reduction != nullptr)
      text << ", op=" << reduction;
    if (HasRoot(kind)) text << ", root=" << root;
  }
  text << ')';
  return text.str();
}

std::string Disagreement(const std::vector<Call> &calls) {
  std::vector<Call> distinct;
  for (const Call &call : calls) {
    bool known = false;
    for (const Call &other : distinct) known = known || other == call;
    if (!known) distinct.push_back(call);
  }
  if (distinct.size() < 2) return {};
  std::ostringstream text;
  for (const Call &call : distinct) {
    if (&call != distinct.data()) text << "; ";
    std::vector<size_t> ranks;
    for (size_t rank = 0; rank < calls.size(); ++rank) {
      if (calls[rank] == call) ranks.push_back(rank);
    }
    text << (ranks.size() == 1 ? "rank " : "ranks ");
    for (size_t i = 0; i < ranks.size(); ++i) text << (i == 0 ? "" : ", ") << ranks[i];
    text << " called " << call.Description();
  }
  return text.str();
}

}  // namespace sim::hccl
