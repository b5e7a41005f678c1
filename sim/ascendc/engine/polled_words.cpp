// SPDX-License-Identifier: Apache-2.0
// How a core takes part in what gm_words.h describes.
#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <utility>

#include "core_state.h"
#include "runs.h"
#include "scheduler.h"

namespace sim {

GmWords::Note CoreState::NoteOf(Pipe pipe) const {
  GmWords::Note note;
  note.core = id.core;
  note.published = true;
  note.own = hazards.Done(pipe);
  note.known = hazards.gm().global_clocks.back();
  return note;
}

// Integers count what is done; numbers of other types are results, of which there are far more.
static bool Counts(const Instruction &instruction) {
  return instruction.atomic != 0 && TypeOfAtomic(instruction.atomic) == AtomicType::kInt32;
}

// Runs before the memory changes, so that whoever sees the change finds the note.
void CoreState::PublishWrite(const Instruction &instruction, const Operand &operand) {
  if (scheduler->alone()) return;
  const bool counts = Counts(instruction);
  const bool one_for_each =
      operand.row_bytes <= GmWords::kCount && uint64_t{operand.rows} * operand.groups <= scheduler->cores();
  if (BytesOf(operand) > GmWords::kMostBytes && !(counts && one_for_each)) return;
  GmWords::Note note = NoteOf(instruction.pipe);
  note.counts = counts;
  note.published = instruction.pipe != Pipe::S || instruction.uncached;
  if (note.published && scheduler->posts_writes()) {
    note.post = scheduler->NewPost();
    new_posts_.emplace_back(instruction.pipe, note.post);
  }
  ForEachRun(operand, [&](uint64_t address, uint64_t bytes) {
    scheduler->words().Write(address, bytes, memory->Host(reinterpret_cast<const void *>(address)), note);
  });
  if (note.published) scheduler->WordPublished();
}

void CoreState::PublishLine(uint64_t address, uint64_t bytes, uint32_t site) {
  if (scheduler->alone()) return;
  GmWords::Note note = NoteOf(Pipe::S);
  if (scheduler->posts_writes()) new_posts_.emplace_back(Pipe::S, note.post = scheduler->NewPost());
  scheduler->words().Write(address, bytes, nullptr, note);
  scheduler->WordPublished();
  AddPosts(site);
}

// These events take no time.
void CoreState::AddPosts(uint32_t site) {
  for (const auto &[pipe, post] : new_posts_) {
    Event event;
    event.kind = Event::kPost;
    event.pipe = pipe;
    event.token = post;
    event.site = site;
    if (options->cost) events.push_back(event);
  }
  new_posts_.clear();
}

// Whether another core has written the word, and this core does not know that yet.
bool CoreState::IsNews(uint64_t address, GmWords::Note *note) {
  if (!scheduler->words().Find(address, note)) return false;
  const GlobalClockPtr &mine = hazards.gm().global_clocks.back();
  const auto is_news = [&](uint32_t core, const Clock &done) {
    if (core == id.core) return false;
    const Clock known = mine != nullptr ? (*mine)[core] : Clock{};
    return !std::equal(done.begin(), done.end(), known.begin(), std::less_equal<>());
  };
  if (is_news(note->core, note->own)) return true;
  if (!note->counts || note->known == nullptr) return false;
  for (uint32_t core = 0; core < note->known->size(); ++core) {
    if (is_news(core, (*note->known)[core])) return true;
  }
  return false;
}

void CoreState::NotePoll(uint64_t address, uint64_t bytes) {
  if (scheduler->alone()) return;
  poll_ = hazards.LastAccess(Pipe::S);
  EndPoll();
  GmWords::Note note;
  scheduler->words().Keep(address, bytes);
  Asked &asked = asked_[address];
  const bool first = !asked.waits;
  asked.waits = true;
  // How often a core asks depends on how fast the host's threads are, so that it takes the time of once.
  // Where the core does more than read in between, it takes the time of once more.
  if (const size_t work = events.size() + scalar_writes_; asked.work != work) {
    asked.work = work;
    asked.pending_scalar = pending_scalar_;
  } else {
    pending_scalar_ = asked.pending_scalar;
  }
  cached_lines_[address / kCacheLine % std::size(cached_lines_)] = 0;  // each time it looks into memory
  if (!first || !IsNews(address, &note)) {
    polled_ = address;
    return;
  }
  Window window;
  window.begin = static_cast<int64_t>(address);
  window.bytes.resize(bytes);
  std::memcpy(window.bytes.data(), memory->Host(reinterpret_cast<const void *>(address)), bytes);
  for (uint64_t at = 0; at < bytes; at += GmWords::kWord) {
    if (!IsNews(address + at, &note)) continue;
    const uint64_t within = (address + at) % GmWords::kWord;
    std::memcpy(window.bytes.data() + at, reinterpret_cast<const std::byte *>(&note.old) + within,
                std::min(bytes - at, GmWords::kWord - within));
  }
  skipped_.push_back(std::move(window));
}

void CoreState::EndPoll() {
  GmLog &log_of_gm = hazards.gm();
  log_of_gm.accesses[poll_].after = static_cast<uint32_t>(log_of_gm.global_clocks.size() - 1);
}

// Runs before the next instruction. The core has read the word by now, maybe with a value that its writer has
// not written back: the simulated memory always has the last one. On a device it would have read the old
// value and asked again, so that it waits here, for as long as another core runs that may write it back.
void CoreState::SettlePoll() {
  const uint64_t address = std::exchange(polled_, 0);
  if (address == 0) return;
  GmWords::Note note;
  if (!IsNews(address, &note)) return;
  const auto published = [&] { return !IsNews(address, &note) || note.published; };
  if (!note.published && !scheduler->AwaitWord(published)) return;
  if (!IsNews(address, &note)) return;
  GlobalClock clock = note.known != nullptr ? *note.known : GlobalClock{};
  clock.resize(scheduler->cores(), Clock{});
  Join(&clock[note.core], note.own);
  AcquireGlobal(clock);
  if (scheduler->posts_writes()) {
    scheduler->TakePost(*this, note.post, hazards.gm().accesses[poll_].site);
  }
  cache.Reload(address);
  asked_[address].waits = false;
  EndPoll();
}

}  // namespace sim
