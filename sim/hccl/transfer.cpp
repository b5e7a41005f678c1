// SPDX-License-Identifier: Apache-2.0
#include "transfer.h"

#include <algorithm>
#include <cstring>
#include <list>

#include "traffic.h"

namespace sim::hccl {
namespace {

using runtime::Text;

// A transfer while it runs. First both sides say what they want; when they agree, pieces go through the
// mailbox, two of which may lie in it at a time. Even an empty transfer has one piece.
class Running {
 public:
  Running(Communicator &communicator, const Transfer &transfer)
      : communicator_(communicator),
        transfer_(transfer),
        number_(transfer.sends ? communicator.NextSent(transfer.peer)
                               : communicator.NextReceived(transfer.peer)),
        from_(transfer.sends ? communicator.rank() : transfer.peer),
        to_(transfer.sends ? transfer.peer : communicator.rank()),
        box_(communicator.memory().mailbox(from_, to_)),
        pieces_(std::max<size_t>(1, (transfer.span.bytes + PieceBytes() - 1) / PieceBytes())),
        // Both counts are equal now: a side begins a transfer when the last one between the two is done.
        first_(transfer.sends ? box_.posted.load() : box_.taken.load()) {
    (transfer.sends ? box_.send : box_.receive) = transfer.call;
    (transfer.sends ? box_.sending : box_.receiving).store(number_, std::memory_order_release);
    Ring();
  }

  uint32_t peer() const { return transfer_.peer; }
  bool done() const { return done_; }
  const Transfer &transfer() const { return transfer_; }

  // Does what can be done now. Returns whether that was anything, and sets *cause where the sides disagree.
  bool Advance(Cause *cause) {
    if (done_) return false;
    if (!agreed_ && !Agree(cause)) return false;
    bool moved = false;
    while (transfer_.sends ? Post() : Take()) moved = true;
    // The sender waits until everything has been taken, as the mailbox is then free for the next transfer.
    done_ = transfer_.sends ? box_.taken.load(std::memory_order_acquire) - first_ == pieces_ : at_ == pieces_;
    return moved || done_;
  }

  std::string Description() const {
    return Text(transfer_.call.Description(), transfer_.sends ? " to rank " : " from rank ", transfer_.peer,
                " (transfer ", number_, " between the two)");
  }

 private:
  size_t PieceBytes() const { return communicator_.memory().mail_bytes(); }

  void Ring() const {
    std::atomic<uint32_t> &bell = communicator_.memory().state(transfer_.peer).bell;
    bell.fetch_add(1, std::memory_order_release);
    Wake(bell);
  }

  bool Agree(Cause *cause) {
    const std::atomic<uint64_t> &theirs = transfer_.sends ? box_.receiving : box_.sending;
    if (theirs.load(std::memory_order_acquire) < number_) return false;
    agreed_ = true;
    const Call &send = box_.send;
    const Call &receive = box_.receive;
    if (send.type == receive.type && send.count == receive.count) return true;
    *cause = {HCCL_E_PARA, Text("the ranks disagree about transfer ", number_, " from rank ", from_,
                                " to rank ", to_, ": rank ", from_, " called ", send.Description(), "; rank ",
                                to_, " called ", receive.Description())};
    return false;
  }

  size_t Part() const { return std::min(PieceBytes(), transfer_.span.bytes - at_ * PieceBytes()); }

  bool Post() {
    if (at_ == pieces_ || first_ + at_ - box_.taken.load(std::memory_order_acquire) >= 2) return false;
    if (transfer_.span.bytes > 0) {
      std::memcpy(communicator_.memory().mail(from_, to_, first_ + at_),
                  transfer_.span.at(at_ * PieceBytes()), Part());
    }
    box_.posted.store(first_ + ++at_, std::memory_order_release);
    Ring();
    return true;
  }

  bool Take() {
    if (at_ == pieces_ || box_.posted.load(std::memory_order_acquire) <= first_ + at_) return false;
    if (transfer_.span.bytes > 0) {
      std::memcpy(transfer_.span.at(at_ * PieceBytes()),
                  communicator_.memory().mail(from_, to_, first_ + at_), Part());
    }
    box_.taken.store(first_ + ++at_, std::memory_order_release);
    Ring();
    return true;
  }

  Communicator &communicator_;
  const Transfer &transfer_;
  const uint64_t number_;  // of the transfers from one of the two ranks to the other
  const uint32_t from_, to_;
  Mailbox &box_;
  const size_t pieces_;
  const uint64_t first_;
  size_t at_ = 0;  // pieces done
  bool agreed_ = false;
  bool done_ = false;
};

// A rank that sends to itself, or to another one twice, has several transfers in one mailbox: a later one
// begins when the earlier one is done.
bool SameBox(const Transfer &a, const Transfer &b) { return a.peer == b.peer && a.sends == b.sends; }

class Batch {
 public:
  Batch(Communicator &communicator, const std::vector<Transfer> &transfers)
      : communicator_(communicator), waiting_(transfers.begin(), transfers.end()) {}

  Status Run() {
    if (Cause failure = communicator_.Unusable(); !failure.ok()) {
      return communicator_.GiveUp(waiting_.front().call.Description(), failure);
    }
    for (const Transfer &transfer : waiting_) {
      if (transfer.span.Alive()) continue;
      return communicator_.GiveUp(
          transfer.call.Description(),
          {HCCL_E_MEMORY, Text("a buffer of rank ", communicator_.rank(), " was freed before the call ran")});
    }
    const std::atomic<uint32_t> &bell = communicator_.own().bell;
    Deadline deadline(communicator_.settings().exec_timeout);
    for (bool idle = false;;) {
      const uint32_t seen = bell.load(std::memory_order_acquire);
      Begin();
      bool moved = false;
      for (Running &running : running_) {
        Cause cause;
        moved = running.Advance(&cause) || moved;
        if (!cause.ok()) return communicator_.GiveUp(running.Description(), cause);
      }
      if (RemoveDone() && waiting_.empty()) return {};
      if (moved) {
        deadline = Deadline(communicator_.settings().exec_timeout);
        idle = false;
      } else if (Status status = Judge(deadline, seen, idle); !status.ok()) {
        return status;
      } else {
        idle = WaitAMoment(bell, seen);
      }
    }
  }

 private:
  void Begin() {
    std::vector<Transfer> later;
    for (const Transfer &transfer : waiting_) {
      const auto same = [&transfer](const auto &other) { return SameBox(other, transfer); };
      const bool busy = std::any_of(running_.begin(), running_.end(),
                                    [&same](const Running &running) { return same(running.transfer()); }) ||
                        std::any_of(later.begin(), later.end(), same);
      if (busy) {
        later.push_back(transfer);
      } else {
        begun_.push_back(std::make_unique<Transfer>(transfer));
        running_.emplace_back(communicator_, *begun_.back());
      }
    }
    waiting_.swap(later);
  }

  // Returns whether no transfer runs any more.
  bool RemoveDone() {
    for (auto running = running_.begin(); running != running_.end();) {
      if (!running->done()) {
        ++running;
        continue;
      }
      const Transfer &transfer = running->transfer();
      const Span &span = transfer.span;
      if (!transfer.sends) span.MarkWritten();
      CountTraffic(communicator_, transfer.call.kind, transfer.sends ? span.bytes : 0,
                   transfer.sends ? 0 : span.bytes);
      running = running_.erase(running);
    }
    return running_.empty();
  }

  // Finds out whether waiting is in vain. `seen`: the bell when the transfers were last advanced; `idle`:
  // nothing has happened for a moment.
  Status Judge(const Deadline &deadline, uint32_t seen, bool idle) {
    for (const Running &running : running_) {
      Cause cause = communicator_.Lost(running.peer(), idle);
      // The peer may have done its part just before.
      if (!cause.ok() && communicator_.own().bell.load() != seen) return {};
      if (cause.ok() && idle && deadline.Passed()) {
        cause = {HCCL_E_TIMEOUT, Text("rank ", running.peer(), " did not take part in ",
                                      running.Description(), " of rank ", communicator_.rank(), " within ",
                                      communicator_.settings().exec_timeout, " s (HCCL_EXEC_TIMEOUT)")};
      }
      if (!cause.ok()) return communicator_.GiveUp(running.Description(), cause);
    }
    return {};
  }

  Communicator &communicator_;
  std::vector<Transfer> waiting_;
  std::vector<std::unique_ptr<Transfer>> begun_;
  std::list<Running> running_;
};

}  // namespace

Status Run(Communicator &communicator, const std::vector<Transfer> &transfers) {
  std::lock_guard<std::mutex> lock(communicator.running());
  return Batch(communicator, transfers).Run();
}

}  // namespace sim::hccl
