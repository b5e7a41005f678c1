// SPDX-License-Identifier: Apache-2.0
#include "shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <sstream>

namespace sim::hccl {
namespace {

constexpr char kMagic[16] = "simulated hccl";
constexpr size_t kLargestMail = size_t{128} << 10;
// All mailboxes together have at most this; only what is used takes memory.
constexpr size_t kAllMail = size_t{256} << 20;

constexpr size_t Aligned(size_t bytes, size_t alignment = 4096) {
  return (bytes + alignment - 1) / alignment * alignment;
}

constexpr size_t kHeaderBytes = Aligned(sizeof(Header));

std::string SystemError(const std::string &what) { return what + ": " + std::strerror(errno); }

}  // namespace

bool Key::Valid() const { return std::memcmp(magic, kMagic, sizeof magic) == 0; }

std::string Key::Name() const {
  std::ostringstream text;
  text << "hccl_" << std::hex << id[0];
  return text.str();
}

RankState &SharedMemory::state(uint32_t rank) const {
  return reinterpret_cast<RankState *>(base_ + kHeaderBytes)[rank];
}

uint64_t *SharedMemory::counts(uint32_t rank, uint32_t half) const {
  return reinterpret_cast<uint64_t *>(base_ + counts_) + (size_t{rank} * 2 + half) * 2 * ranks_;
}

std::byte *SharedMemory::staging(uint32_t rank, uint32_t half) const {
  return base_ + staging_ + (size_t{rank} * 2 + half) * kStagingBytes;
}

Mailbox &SharedMemory::mailbox(uint32_t from, uint32_t to) const {
  const size_t bytes = Aligned(sizeof(Mailbox), 64) + 2 * mail_bytes_;
  return *reinterpret_cast<Mailbox *>(base_ + mailboxes_ + (size_t{from} * ranks_ + to) * bytes);
}

std::byte *SharedMemory::mail(uint32_t from, uint32_t to, uint64_t piece) const {
  std::byte *const box = reinterpret_cast<std::byte *>(&mailbox(from, to));
  return box + Aligned(sizeof(Mailbox), 64) + (piece % 2) * mail_bytes_;
}

void SharedMemory::Arrange(uint32_t ranks) {
  ranks_ = ranks;
  const size_t pairs = size_t{ranks} * ranks;
  mail_bytes_ = std::clamp(Aligned(kAllMail / (2 * pairs)), size_t{4096}, kLargestMail);
  counts_ = Aligned(kHeaderBytes + ranks * sizeof(RankState));
  staging_ = Aligned(counts_ + pairs * 4 * sizeof(uint64_t));
  mailboxes_ = staging_ + size_t{ranks} * 2 * kStagingBytes;
  total_ = Aligned(mailboxes_ + pairs * (Aligned(sizeof(Mailbox), 64) + 2 * mail_bytes_));
}

bool SharedMemory::Map(int descriptor, std::string *error) {
  total_ = std::max(total_, kHeaderBytes);
  struct stat now{};
  // It only ever grows, to a size that all ranks compute alike.
  if (fstat(descriptor, &now) != 0 ||
      (now.st_size < static_cast<off_t>(total_) && ftruncate(descriptor, static_cast<off_t>(total_)) != 0)) {
    *error = SystemError("the shared memory of the communicator cannot get " + std::to_string(total_) + " B");
    return false;
  }
  void *const address = mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) {
    *error = SystemError("the shared memory of the communicator cannot be mapped");
    return false;
  }
  base_ = static_cast<std::byte *>(address);
  return true;
}

std::shared_ptr<SharedMemory> SharedMemory::Make(std::string *error) {
  const int descriptor = memfd_create("hccl", MFD_CLOEXEC);
  if (descriptor < 0) {
    *error = SystemError("the shared memory of the communicator cannot be made");
    return nullptr;
  }
  const std::shared_ptr<SharedMemory> memory(new SharedMemory);
  memory->descriptor_ = descriptor;
  if (!memory->Map(descriptor, error)) return nullptr;
  Key key;
  std::memcpy(key.magic, kMagic, sizeof kMagic);
  key.pid = getpid();
  key.descriptor = descriptor;
  std::random_device random;
  for (uint64_t &word : key.id) word = uint64_t{random()} << 32 | random();
  memory->header().key = key;
  return memory;
}

std::shared_ptr<SharedMemory> SharedMemory::Open(const Key &key, uint32_t ranks, std::string *error) {
  const std::string path = "/proc/" + std::to_string(key.pid) + "/fd/" + std::to_string(key.descriptor);
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) {
    *error = SystemError(path) +
             " (the process that made the root info must still run, under the same user and on this machine)";
    return nullptr;
  }
  Key found;
  if (pread(descriptor, &found, sizeof found, 0) != sizeof found ||
      std::memcmp(&found, &key, sizeof key) != 0) {
    close(descriptor);
    *error = path + " is not the communicator of this root info: the process that made it has ended";
    return nullptr;
  }
  const std::shared_ptr<SharedMemory> memory(new SharedMemory);
  memory->Arrange(ranks);
  const bool mapped = memory->Map(descriptor, error);
  close(descriptor);
  if (!mapped) return nullptr;
  uint32_t expected = 0;
  if (!memory->header().ranks.compare_exchange_strong(expected, ranks) && expected != ranks) {
    *error = "nRanks must be the same on all ranks: another rank gave " + std::to_string(expected) +
             ", this one " + std::to_string(ranks);
    return nullptr;
  }
  return memory;
}

SharedMemory::~SharedMemory() {
  if (base_ != nullptr) munmap(base_, total_);
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace sim::hccl
