// SPDX-License-Identifier: Apache-2.0
#include "exchange.h"

#include <algorithm>
#include <cstring>

#include "reduction.h"
#include "traffic.h"

namespace sim::hccl {
namespace {

using runtime::Text;

constexpr size_t kLine = 64;  // bytes of a cache line, and a multiple of every element
// From this size on a reduction for all ranks is divided among them, at the price of a second wait.
constexpr size_t kDivide = size_t{64} << 10;

size_t Bytes(const std::vector<Span> &spans) {
  size_t bytes = 0;
  for (const Span &span : spans) bytes += span.bytes;
  return bytes;
}

// One collective while it runs.
class Collective {
 public:
  Collective(Communicator &communicator, const Exchange &exchange)
      : communicator_(communicator),
        exchange_(exchange),
        piece_(kStagingBytes / (exchange.in_segments ? communicator.ranks() : 1) / kLine * kLine) {}

  Status Run() {
    if (Cause failure = communicator_.Unusable(); !failure.ok()) return GiveUp(failure);
    for (const std::vector<Span> *spans : {&exchange_.gives, &exchange_.gets}) {
      for (const Span &span : *spans) {
        if (!span.Alive()) {
          return GiveUp({HCCL_E_MEMORY,
                         Text("a buffer of rank ", communicator_.rank(), " was freed before the call ran")});
        }
      }
    }
    number_ = communicator_.Begin(exchange_.call);
    Announce();
    size_t rounds = 1;
    for (size_t round = 0; round < rounds; ++round) {
      Give(round);
      if (Cause cause = Step(); !cause.ok()) return GiveUp(cause);
      if (round == 0) {
        if (Cause cause = Compare(); !cause.ok()) return GiveUp(cause);
        rounds = Rounds();
      }
      if (Cause cause = Take(round); !cause.ok()) return GiveUp(cause);
      communicator_.NextHalf();
    }
    MarkWritten();
    CountTraffic(communicator_, exchange_.call.kind, exchange_.given(), exchange_.gotten());
    return {};
  }

 private:
  Status GiveUp(const Cause &cause) {
    std::string call = exchange_.call.Description();
    if (number_ > 0) call += Text(" (call ", number_, ")");
    return communicator_.GiveUp(call, cause);
  }

  Cause Step() { return communicator_.Step(exchange_.call, number_); }

  void Announce() {
    const uint32_t half = communicator_.half();
    communicator_.own().calls[half] = exchange_.call;
    uint64_t *const counts = communicator_.memory().counts(communicator_.rank(), half);
    std::copy(exchange_.sent.begin(), exchange_.sent.end(), counts);
    std::copy(exchange_.received.begin(), exchange_.received.end(), counts + communicator_.ranks());
  }

  Cause Compare() const {
    const uint32_t ranks = communicator_.ranks();
    const uint32_t half = communicator_.half();
    std::vector<Call> calls;
    for (uint32_t rank = 0; rank < ranks; ++rank)
      calls.push_back(communicator_.memory().state(rank).calls[half]);
    if (std::string text = Disagreement(calls); !text.empty()) {
      return {HCCL_E_PARA, Text("the ranks disagree about call ", number_, ": ", text)};
    }
    return exchange_.sent.empty() ? Cause{} : CompareCounts();
  }

  Cause CompareCounts() const {
    const uint32_t ranks = communicator_.ranks();
    const SharedMemory &memory = communicator_.memory();
    const Kind kind = exchange_.call.kind;
    for (uint32_t from = 0; from < ranks; ++from) {
      for (uint32_t to = 0; to < ranks; ++to) {
        // A rank gives the same to all in HcclAllGatherV, and gets one result in HcclReduceScatterV.
        const uint64_t sent = memory.counts(from, communicator_.half())[kind == Kind::kAllGatherV ? 0 : to];
        const uint64_t received =
            memory.counts(to, communicator_.half())[ranks + (kind == Kind::kReduceScatterV ? 0 : from)];
        if (sent == received) continue;
        return {HCCL_E_PARA,
                Text("the ranks disagree about call ", number_, ", ", NameOf(kind), ": rank ", from,
                     " sends ", sent, " elements to rank ", to, ", which expects ", received)};
      }
    }
    return {};
  }

  size_t Rounds() const {
    uint64_t largest = exchange_.call.count;
    for (uint32_t rank = 0; rank < communicator_.ranks() && !exchange_.sent.empty(); ++rank) {
      const uint64_t *const sent = communicator_.memory().counts(rank, communicator_.half());
      largest = std::max(largest, *std::max_element(sent, sent + communicator_.ranks()));
    }
    const size_t bytes = largest * SizeOf(exchange_.call.type);
    return std::max<size_t>(1, (bytes + piece_ - 1) / piece_);
  }

  // Bytes of a span that belong to a round.
  size_t Part(const Span &span, size_t round) const {
    const size_t start = round * piece_;
    return span.bytes <= start ? 0 : std::min(piece_, span.bytes - start);
  }

  void Give(size_t round) const {
    std::byte *const staging = communicator_.memory().staging(communicator_.rank(), communicator_.half());
    for (size_t segment = 0; segment < exchange_.gives.size(); ++segment) {
      const Span &span = exchange_.gives[segment];
      if (const size_t bytes = Part(span, round); bytes > 0) {
        std::memcpy(staging + segment * piece_, span.at(round * piece_), bytes);
      }
    }
  }

  std::byte *From(uint32_t rank) const {
    const size_t segment = exchange_.in_segments ? communicator_.rank() : 0;
    return communicator_.memory().staging(rank, communicator_.half()) + segment * piece_;
  }

  Cause Take(size_t round) {
    if (!exchange_.reduces) {
      for (uint32_t rank = 0; rank < exchange_.gets.size(); ++rank) {
        const Span &span = exchange_.gets[rank];
        if (const size_t bytes = Part(span, round); bytes > 0) {
          std::memcpy(span.at(round * piece_), From(rank), bytes);
        }
      }
      return {};
    }
    if (exchange_.call.kind == Kind::kAllReduce && Part(exchange_.gets[0], round) >= kDivide) {
      return TakeDivided(round);
    }
    // The root alone has a result in HcclReduce.
    if (exchange_.gets.empty()) return {};
    const Span &span = exchange_.gets[0];
    if (const size_t bytes = Part(span, round); bytes > 0) Combine(span.at(round * piece_), 0, bytes);
    return {};
  }

  // into = ((rank 0 op rank 1) op rank 2) …, of `bytes` from `offset` of the pieces.
  void Combine(std::byte *into, size_t offset, size_t bytes) const {
    const size_t count = bytes / SizeOf(exchange_.call.type);
    std::memcpy(into, From(0) + offset, bytes);
    for (uint32_t rank = 1; rank < communicator_.ranks(); ++rank) {
      Reduce(exchange_.call.type, exchange_.call.op, into, From(rank) + offset, count);
    }
  }

  // Each rank combines one slice of the pieces and puts the result where the slice of its own piece was,
  // which nobody else reads.
  Cause TakeDivided(size_t round) {
    const Span &span = exchange_.gets[0];
    const size_t bytes = Part(span, round);
    const size_t slice = (bytes / communicator_.ranks() / kLine + 1) * kLine;
    const auto length = [bytes, slice](uint32_t rank) {
      return rank * slice >= bytes ? 0 : std::min(slice, bytes - rank * slice);
    };
    const size_t own = communicator_.rank() * slice;
    if (const size_t size = length(communicator_.rank()); size > 0) {
      combined_.resize(size);
      Combine(combined_.data(), own, size);
      std::memcpy(From(communicator_.rank()) + own, combined_.data(), size);
    }
    if (Cause cause = Step(); !cause.ok()) return cause;
    for (uint32_t rank = 0; rank < communicator_.ranks(); ++rank) {
      if (const size_t size = length(rank); size > 0) {
        std::memcpy(span.at(round * piece_ + rank * slice), From(rank) + rank * slice, size);
      }
    }
    return {};
  }

  void MarkWritten() const {
    for (const Span &span : exchange_.gets) span.MarkWritten();
  }

  Communicator &communicator_;
  const Exchange &exchange_;
  const size_t piece_;  // bytes of a segment in a round
  uint64_t number_ = 0;
  std::vector<std::byte> combined_;
};

}  // namespace

bool Span::Alive() const {
  void *start = nullptr;
  uint64_t allocated = 0;
  return bytes == 0 || memory().Find(range.address, range.size, &start, &allocated);
}

void Span::MarkWritten() const {
  if (bytes > 0) memory().MarkWritten(static_cast<const std::byte *>(range.address) + offset, bytes);
}

size_t Exchange::given() const { return Bytes(gives); }

size_t Exchange::gotten() const { return Bytes(gets); }

Status Run(Communicator &communicator, const Exchange &exchange) {
  std::lock_guard<std::mutex> lock(communicator.running());
  return Collective(communicator, exchange).Run();
}

}  // namespace sim::hccl
