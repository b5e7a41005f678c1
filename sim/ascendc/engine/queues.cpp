// SPDX-License-Identifier: Apache-2.0
#include "queues.h"

#include <algorithm>

#include "core_state.h"
#include "source_lines.h"

namespace sim {

const char *PositionName(AscendC::TPosition position) {
  static const char *const names[] = {"GM",  "A1",   "A2",        "B1",          "B2",     "C1",
                                      "C2",  "CO1",  "CO2",       "VECIN",       "VECOUT", "VECCALC",
                                      "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
  return position < AscendC::TPosition::MAX ? names[static_cast<int>(position)] : "?";
}

namespace {
constexpr size_t kMaxBuffers = 64;
constexpr int32_t kEventsOfPipe = 3;   // of M_MTE1, on a cube core
constexpr int32_t kRestOfMemory = -2;  // the buffer id of a tensor of PopStackBuffer

const char *StateName(BufferState state) {
  static const char *const names[] = {"free", "allocated and not enqueued", "enqueued and not dequeued",
                                      "dequeued and not freed"};
  return names[static_cast<int>(state)];
}
}  // namespace

void Queues::Reset() {
  buffers_.clear();
  queues_.clear();
  pools_.clear();
  pool_ = -1;
  for (int space = 0; space < kSpaces; ++space) {
    top_[space] = peak_[space] = 0;
    stacks_[space] = {};
  }
}

void Queues::Release(Where where) {
  ReportLeftover("TPipe");
  for (const Buffer &buffer : buffers_) {
    if (buffer.emptied == kNoEvent) continue;
    const QueueKind &kind = queues_[buffer.queue].kind;
    core_->flags.Wait(kind.consumer, kind.producer, buffer.emptied, "WaitFlag", where);
  }
  core_->flags.ReleaseAll();
  // Queues keep their ids, which objects of the kernel still hold.
  for (Queue &queue : queues_) {
    queue.buffers.clear();
    queue.queued.clear();
  }
  buffers_.clear();
  pools_.clear();
  for (uint64_t &top : top_) top = 0;
}

void Queues::BeginPipe(Where where) {
  core_->flags.ReleaseAll();
  for (int32_t i = 0; core_->id.cube && i < kEventsOfPipe; ++i) {
    core_->flags.Set(Pipe::M, Pipe::MTE1, core_->flags.Alloc(Pipe::M, Pipe::MTE1, "TPipe", where), "TPipe",
                     where);
  }
}

void Queues::EndPipe(Where where) {
  Release(where);
  for (int32_t id = 0; core_->id.cube && id < kEventsOfPipe; ++id) {
    core_->flags.Wait(Pipe::M, Pipe::MTE1, id, "TPipe", where);
  }
}

LocalTensorBase Queues::Rest(AscendC::TPosition position, Where where) {
  constexpr uint64_t kMessageBytes = 128;  // the end of UB, which is left to messages of Matmul
  LocalTensorBase tensor;
  tensor.space = SpaceOf(position);
  tensor.position = position;
  tensor.address = top_[Index(tensor.space)];
  const uint64_t end =
      core_->model->bytes[Index(tensor.space)] - (tensor.space == Space::UB ? kMessageBytes : 0);
  // The device takes a length below zero for a large one.
  if (tensor.address > end) {
    core_->Fail(
        FaultKind::kUbCapacity, "PopStackBuffer", where,
        "it takes what lies before the last 128 bytes of the Unified Buffer, but the kernel's buffers take " +
            std::to_string(tensor.address) + " bytes");
  }
  tensor.bytes = end - tensor.address;
  Stack &stack = stacks_[Index(tensor.space)];
  stack.last = core_->SiteAt("PopStackBuffer", where);
  tensor.buffer_id = kRestOfMemory;
  tensor.generation = ++stack.generation;
  return tensor;
}

uint64_t Queues::Take(Space space, uint64_t bytes, const Site &made, Where where) {
  const int s = Index(space);
  const std::string name = BufferName(made);
  const std::string what = (name.empty() ? "a buffer" : "the buffer " + name) + " of " +
                           std::to_string(bytes) + " bytes does not fit in ";
  if (pool_ >= 0) {
    Pool &pool = pools_[pool_];
    if (pool.space != space || pool.taken + bytes > pool.bytes) {
      core_->Fail(FaultKind::kUbCapacity, "InitBuffer", where,
                  what + "the TBufPool, which is in " + SpaceName(pool.space) + ": " +
                      std::to_string(pool.taken) + " of " + std::to_string(pool.bytes) + " bytes are taken");
    }
    pool.taken += bytes;
    return pool.address + pool.taken - bytes;
  }
  const uint64_t capacity = core_->model->bytes[s];
  if (top_[s] + bytes > capacity) {
    core_->Fail(FaultKind::kUbCapacity, "InitBuffer", where,
                what + SpaceName(space) + ": " + std::to_string(top_[s]) + " of " + std::to_string(capacity) +
                    " bytes are taken" + Taken(space));
  }
  top_[s] += bytes;
  peak_[s] = std::max(peak_[s], top_[s]);
  return top_[s] - bytes;
}

Queues::Buffer Queues::NewBuffer(AscendC::TPosition position, int32_t queue, uint32_t bytes,
                                 const char *instruction, Where where) const {
  const auto live = static_cast<size_t>(
      std::count_if(buffers_.begin(), buffers_.end(), [](const Buffer &other) { return other.bytes != 0; }));
  if (live >= kMaxBuffers) {
    core_->Fail(FaultKind::kUbCapacity, instruction, where,
                "a kernel may have " + std::to_string(kMaxBuffers) +
                    " buffers, and each buffer of a queue counts; this one is one more");
  }
  Buffer buffer;
  buffer.space = SpaceOf(position);
  buffer.position = position;
  buffer.bytes = (uint64_t{bytes} + 31) / 32 * 32;
  buffer.queue = queue;
  buffer.made = core_->SiteAt(instruction, where);
  return buffer;
}

int32_t Queues::AddBuffer(AscendC::TPosition position, int32_t queue, uint32_t bytes, Where where) {
  Buffer buffer = NewBuffer(position, queue, bytes, "InitBuffer", where);
  buffer.pool = pool_;
  buffer.address = Take(buffer.space, buffer.bytes, buffer.made, where);
  buffers_.push_back(buffer);
  return static_cast<int32_t>(buffers_.size() - 1);
}

int32_t Queues::InitQueue(const QueueKind &kind, uint32_t number, uint32_t bytes, Where where) {
  const auto id = static_cast<int32_t>(queues_.size());
  queues_.push_back({kind, {}, {}});
  for (uint32_t i = 0; i < number; ++i) {
    const int32_t buffer = AddBuffer(kind.position, id, bytes, where);
    queues_.back().buffers.push_back(buffer);
  }
  return id;
}

int32_t Queues::InitBuffer(AscendC::TPosition position, uint32_t bytes, Where where) {
  return AddBuffer(position, -1, bytes, where);
}

std::string Queues::Taken(Space space) const {
  std::string text;
  for (const Buffer &buffer : buffers_) {
    const std::string name = BufferName(buffer.made);
    if (buffer.space != space || name.empty()) continue;
    text += (text.empty() ? " by " : ", ") + name + " (" + std::to_string(buffer.bytes) + " bytes)";
  }
  return text;
}

std::string Queues::Named(const Queue &queue) const {
  const std::string name = queue.buffers.empty() ? "" : BufferName(buffers_[queue.buffers.front()].made);
  return name.empty() ? "the queue" : "the queue " + name;
}

std::string Queues::OfBuffer(Space space, uint64_t address) const {
  for (const Buffer &buffer : buffers_) {
    if (buffer.space != space || address < buffer.address || address >= buffer.address + buffer.bytes)
      continue;
    const std::string name = BufferName(buffer.made);
    return name.empty() ? "" : " of " + name;
  }
  return "";
}

bool Queues::StaysInBuffer(const Operand &operand, uint64_t bytes) const {
  if (operand.buffer_id < 0 || static_cast<size_t>(operand.buffer_id) >= buffers_.size()) return true;
  const Buffer &buffer = buffers_[static_cast<size_t>(operand.buffer_id)];
  return operand.address >= buffer.address && operand.address + bytes <= buffer.address + buffer.bytes;
}

LocalTensorBase Queues::BufferOf(int32_t id, Where where) {
  if (id < 0 || static_cast<size_t>(id) >= buffers_.size()) {
    core_->Fail(FaultKind::kUbBounds, "TBuf::Get", where,
                "the TBuf has no memory, so that the device would write through a null pointer here: missing "
                "TPipe::InitBuffer");
  }
  return TensorOf(id);
}

LocalTensorBase Queues::TensorOf(int32_t id) const {
  LocalTensorBase tensor;
  const Buffer &buffer = buffers_[id];
  tensor.address = buffer.address;
  tensor.bytes = buffer.bytes;
  tensor.space = buffer.space;
  tensor.position = buffer.position;
  tensor.buffer_id = id;
  tensor.generation = buffer.generation;
  return tensor;
}

Queues::Queue &Queues::Checked(int32_t queue, const char *instruction, Where where) {
  if (queue < 0 || static_cast<size_t>(queue) >= queues_.size() || queues_[queue].buffers.empty()) {
    core_->Fail(FaultKind::kQueueBalance, instruction, where,
                "the queue has no buffers: missing TPipe::InitBuffer");
  }
  return queues_[queue];
}

Queues::Buffer &Queues::Owned(int32_t queue, const LocalTensorBase &tensor, const char *instruction,
                              Where where) {
  const int32_t id = tensor.buffer_id;
  if (id < 0 || static_cast<size_t>(id) >= buffers_.size() || buffers_[id].queue != queue) {
    core_->Fail(FaultKind::kQueueBalance, instruction, where,
                "the tensor is none of the buffers of this queue");
  }
  Buffer &buffer = buffers_[id];
  if (buffer.generation != tensor.generation || buffer.state == BufferState::kIdle) {
    core_->Fail(FaultKind::kUseAfterFree, instruction, where,
                "FreeTensor has given this tensor back already");
  }
  return buffer;
}

LocalTensorBase Queues::Alloc(int32_t id, Where where) {
  Queue &queue = Checked(id, "AllocTensor", where);
  // The buffers of a queue take turns, as on the device: the one that was given out least often comes next.
  int32_t next = -1;
  for (const int32_t candidate : queue.buffers) {
    const Buffer &buffer = buffers_[candidate];
    if (buffer.state == BufferState::kIdle && (next < 0 || buffer.generation < buffers_[next].generation)) {
      next = candidate;
    }
  }
  if (next < 0) {
    core_->Fail(FaultKind::kQueueBalance, "AllocTensor", where,
                "all " + std::to_string(queue.buffers.size()) + " buffers of " + Named(queue) +
                    " are in use, the first one is " + StateName(buffers_[queue.buffers.front()].state) +
                    ": missing FreeTensor");
  }
  Buffer &buffer = buffers_[next];
  if (buffer.emptied != kNoEvent) {
    core_->flags.Wait(queue.kind.consumer, queue.kind.producer, buffer.emptied, "AllocTensor", where);
    core_->flags.Release(queue.kind.consumer, queue.kind.producer, buffer.emptied, "AllocTensor", where);
  }
  buffer.emptied = kNoEvent;
  buffer.state = BufferState::kAllocated;
  buffer.given = core_->SiteAt("AllocTensor", where);
  return TensorOf(next);
}

Queues::Pipes Queues::PipesOf(int32_t queue, const char *instruction, Where where) {
  const QueueKind &kind = Checked(queue, instruction, where).kind;
  return {kind.producer, kind.consumer};
}

void Queues::EnQue(int32_t id, const LocalTensorBase &tensor, Pipes pipes, Where where) {
  Queue &queue = Checked(id, "EnQue", where);
  Buffer &buffer = Owned(id, tensor, "EnQue", where);
  if (buffer.state == BufferState::kQueued) {
    core_->Fail(FaultKind::kQueueBalance, "EnQue", where,
                "the tensor is already in " + Named(queue) + ": missing DeQue");
  }
  if (queue.kind.depth > 0 && static_cast<int32_t>(queue.queued.size()) >= queue.kind.depth) {
    core_->Fail(FaultKind::kQueueBalance, "EnQue", where,
                Named(queue) + " of depth " + std::to_string(queue.kind.depth) + " is full: missing DeQue");
  }
  if (pipes.from != pipes.to) {
    buffer.filled = core_->flags.Alloc(pipes.from, pipes.to, "EnQue", where);
    core_->flags.Set(pipes.from, pipes.to, buffer.filled, "EnQue", where);
  }
  buffer.state = BufferState::kQueued;
  queue.queued.push_back(tensor.buffer_id);
}

LocalTensorBase Queues::DeQue(int32_t id, Pipes pipes, Where where) {
  Queue &queue = Checked(id, "DeQue", where);
  if (queue.queued.empty()) {
    core_->Fail(FaultKind::kQueueBalance, "DeQue", where, Named(queue) + " is empty: missing EnQue");
  }
  const int32_t next = queue.queued.front();
  queue.queued.pop_front();
  Buffer &buffer = buffers_[next];
  if (pipes.from != pipes.to) {
    core_->flags.Wait(pipes.from, pipes.to, buffer.filled, "DeQue", where);
    core_->flags.Release(pipes.from, pipes.to, buffer.filled, "DeQue", where);
  }
  buffer.filled = kNoEvent;
  buffer.state = BufferState::kTaken;
  return TensorOf(next);
}

void Queues::Free(int32_t id, const LocalTensorBase &tensor, Where where) {
  const auto of_pipe = static_cast<size_t>(tensor.buffer_id) < buffers_.size();
  if (const int32_t owner = of_pipe ? buffers_[tensor.buffer_id].queue : -1; owner >= 0 && owner != id) {
    // Between the same pipes a device sets the right flag and frees the right buffer.
    const QueueKind &given = Checked(id, "FreeTensor", where).kind, &own = queues_[owner].kind;
    const bool same = given.producer == own.producer && given.consumer == own.consumer;
    core_->Report(same ? FaultKind::kWrongQueue : FaultKind::kQueueBalance, "FreeTensor", where,
                  "the tensor is a buffer of another queue, " + Named(queues_[owner]));
    id = owner;
  }
  Queue &queue = Checked(id, "FreeTensor", where);
  Buffer &buffer = Owned(id, tensor, "FreeTensor", where);
  if (buffer.state == BufferState::kQueued) {
    core_->Fail(FaultKind::kQueueBalance, "FreeTensor", where,
                "the tensor is still in " + Named(queue) + ": missing DeQue");
  }
  if (queue.kind.consumer != queue.kind.producer) {
    buffer.emptied = core_->flags.Alloc(queue.kind.consumer, queue.kind.producer, "FreeTensor", where);
    core_->flags.Set(queue.kind.consumer, queue.kind.producer, buffer.emptied, "FreeTensor", where);
  }
  buffer.state = BufferState::kIdle;
  ++buffer.generation;
}

bool Queues::Vacant(int32_t id, Where where) {
  const Queue &queue = Checked(id, "VacantInQue", where);
  return static_cast<int32_t>(queue.queued.size()) < std::max(queue.kind.depth, 1);
}

int32_t Queues::Count(int32_t id, Where where) {
  return static_cast<int32_t>(Checked(id, "GetTensorCountInQue", where).queued.size());
}

bool Queues::HasIdle(int32_t id, Where where) {
  for (const int32_t buffer : Checked(id, "HasIdleBuffer", where).buffers) {
    if (buffers_[buffer].state == BufferState::kIdle) return true;
  }
  return false;
}

std::string Queues::StaleRest(const Operand &operand) const {
  const Stack &stack = stacks_[Index(operand.space)];
  if (operand.generation != stack.generation) {
    return "memory of a PopStackBuffer that is over, for a later PopStackBuffer (" + LineText(stack.last) +
           ") has given it out again: such calls may not be nested";
  }
  for (const Buffer &buffer : buffers_) {
    const bool before = buffer.space != operand.space || operand.address >= buffer.address + buffer.bytes;
    if (before) continue;
    const std::string name = BufferName(buffer.made);
    return "memory of PopStackBuffer that InitBuffer (" + LineText(buffer.made) + ") has given to " +
           (name.empty() ? "a buffer" : name) + " since: call PopStackBuffer after it";
  }
  return {};
}

std::string Queues::Stale(const Operand &operand) const {
  if (operand.buffer_id == kRestOfMemory) return StaleRest(operand);
  if (operand.buffer_id >= 0 && static_cast<size_t>(operand.buffer_id) < buffers_.size()) {
    const Buffer &buffer = buffers_[operand.buffer_id];
    if (buffer.generation != operand.generation && buffer.space == operand.space) {
      return std::string("a tensor of ") + PositionName(buffer.position) + " that FreeTensor gave back";
    }
    // Another buffer may share its memory (EXTERN_IMPL_BUFPOOL).
    if (buffer.space == operand.space && operand.address >= buffer.address &&
        operand.address < buffer.address + buffer.bytes) {
      return {};
    }
  }
  for (const Buffer &buffer : buffers_) {
    if (buffer.space != operand.space || operand.address < buffer.address ||
        operand.address >= buffer.address + buffer.bytes) {
      continue;
    }
    if (buffer.queue >= 0 && buffer.state == BufferState::kIdle) {
      return std::string("a buffer of ") + PositionName(buffer.position) +
             (buffer.generation == 0 ? " that AllocTensor never gave out" : " that FreeTensor gave back");
    }
    break;
  }
  return {};
}

void Queues::ReportLeftover(const std::string &who, int32_t pool) {
  for (const Buffer &buffer : buffers_) {
    if (buffer.queue < 0 || buffer.state == BufferState::kIdle) continue;
    if (pool >= 0 && buffer.pool != pool) continue;
    const std::string name = BufferName(buffer.made);
    core_->log.Add(FaultKind::kQueueBalance,
                   who + " ends with a buffer of " + (name.empty() ? "" : name + ", position ") +
                       PositionName(buffer.position) + ", which " + Describe(buffer.given) +
                       " gave out and which is " + StateName(buffer.state),
                   {buffer.given});
    return;
  }
}

}  // namespace sim
