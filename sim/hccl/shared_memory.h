// SPDX-License-Identifier: Apache-2.0
// The memory that the ranks of a communicator share. It is an anonymous file (memfd): it never has a name in
// the file system, so that nothing is left of it when its last process has ended, however it ended. Other
// processes open it as /proc/<pid>/fd/<number> of the process that made it.
//
//   header   | who made it, how many ranks, sub-communicators that are being formed
//   states   | one per rank: its process, how far it is, its current call
//   counts   | per rank and half: the counts of a call that has one per rank, sent and received
//   staging  | per rank: two halves of kStagingBytes, used in turn
//   mailboxes| one per ordered pair of ranks, for what one sends to the other
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "call.h"

namespace sim::hccl {

constexpr size_t kStagingBytes = size_t{1} << 20;
constexpr size_t kFailureBytes = 2048;
constexpr int kFormingEntries = 64;

enum class Stage : uint32_t { kAbsent, kJoined, kFailed, kLeft };

// What rank 0 hands to the others: where they find the memory.
struct Key {
  char magic[16] = {};
  int32_t pid = 0;
  int32_t descriptor = 0;
  uint64_t id[2] = {};

  bool Valid() const;
  std::string Name() const;  // the same on all ranks: "hccl_1a2b…"
};

struct alignas(64) RankState {
  std::atomic<uint32_t> steps;  // of collectives, published so far; others wait for it
  std::atomic<uint32_t> bell;   // is rung when a mailbox of this rank has changed
  std::atomic<Stage> stage;
  int32_t pid;
  uint64_t started;                   // when the process started: with the pid it identifies the process
  std::atomic<uint64_t> collectives;  // begun so far
  std::atomic<Kind> latest;           // the last of them
  Call calls[2];                      // by half
  char failure[kFailureBytes];        // why the rank gave up
};

struct Mailbox {
  std::atomic<uint64_t> sending;    // number of the transfer that the sender offers
  std::atomic<uint64_t> receiving;  // number of the transfer that the receiver awaits
  std::atomic<uint64_t> posted;     // pieces put into the mailbox so far
  std::atomic<uint64_t> taken;      // pieces taken out so far
  Call send;
  Call receive;
};

// A sub-communicator whose ranks look for its memory.
struct Forming {
  std::atomic<uint32_t> state;  // 0 free, 1 being written, 2 to be found
  uint64_t key;
  Key memory;
};

struct Header {
  Key key;
  std::atomic<uint32_t> ranks;  // 0 until the first rank has joined
  Forming forming[kFormingEntries];
};

class SharedMemory {
 public:
  // Makes memory for a communicator whose size is not known yet; on failure returns nullptr and sets *error.
  static std::shared_ptr<SharedMemory> Make(std::string *error);
  // Opens the memory of a key and gives it room for the ranks.
  static std::shared_ptr<SharedMemory> Open(const Key &key, uint32_t ranks, std::string *error);
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  const Key &key() const { return header().key; }
  Header &header() const { return *reinterpret_cast<Header *>(base_); }
  RankState &state(uint32_t rank) const;
  uint64_t *counts(uint32_t rank, uint32_t half) const;  // 2 * ranks numbers: sent, then received
  std::byte *staging(uint32_t rank, uint32_t half) const;
  Mailbox &mailbox(uint32_t from, uint32_t to) const;
  std::byte *mail(uint32_t from, uint32_t to, uint64_t piece) const;
  size_t mail_bytes() const { return mail_bytes_; }  // of a piece

 private:
  SharedMemory() = default;
  void Arrange(uint32_t ranks);
  bool Map(int descriptor, std::string *error);

  uint32_t ranks_ = 0;
  size_t mail_bytes_ = 0;
  size_t counts_ = 0, staging_ = 0, mailboxes_ = 0, total_ = 0;  // offsets
  int descriptor_ = -1;                                          // held by the process that made the memory
  std::byte *base_ = nullptr;
};

}  // namespace sim::hccl
