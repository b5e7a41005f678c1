// SPDX-License-Identifier: Apache-2.0
// The flags between the pipes of a core: eight event ids for each pair of pipes. Queues, TPipe and the kernel
// itself all use the same eight, as on a device:
//
//   EnQue, FreeTensor     take the lowest free id, and set its flag
//   DeQue, AllocTensor    wait for that flag, and give the id back
//   AllocEventID          takes the lowest free id; FetchEventID only names it
//   SetFlag, WaitFlag     use the id that they are given, taken or not
//   TPipe on a cube core  takes M_MTE1 0 to 2 and sets them until it ends
//
// A flag holds one setting: to set it again before somebody has waited for it is a fault.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events.h"

namespace sim {

class CoreState;

constexpr int32_t kEventIds = 8;  // EVENT_ID0..7 of each pair of pipes

class EventFlags {
 public:
  explicit EventFlags(CoreState *core) : core_(core) {}
  void Reset();

  // `name`: the API function that the kernel calls, for the report about a later one.
  void Set(Pipe from, Pipe to, int32_t id, const char *name, Where where);
  void Wait(Pipe from, Pipe to, int32_t id, const char *name, Where where);
  int32_t Fetch(Pipe from, Pipe to, const char *name, Where where);
  int32_t Alloc(Pipe from, Pipe to, const char *name, Where where);
  void Release(Pipe from, Pipe to, int32_t id, const char *name, Where where);
  // TPipe::Init and TPipe::Reset: all ids are free, whatever their flags are.
  void ReleaseAll();
  // Reports the flags that are set when the kernel ends.
  void ReportLeft();

 private:
  struct Flag {
    bool set = false;
    bool taken = false;
    uint32_t token = 0;   // of the setting
    uint32_t set_by = 0;  // sites
    uint32_t taken_by = 0;
  };
  struct Pair {
    Flag flags[kEventIds];
  };

  Pair &PairOf(Pipe from, Pipe to) { return pairs_[static_cast<int>(from)][static_cast<int>(to)]; }
  Flag &Checked(Pipe from, Pipe to, int32_t id, const char *name, Where where);
  // "0 set by EnQue (a.h:7), 1 taken by …" of the flags that are set or taken; adds their sites.
  std::string Holders(const Pair &pair, std::vector<Site> *sites) const;
  [[noreturn]] void FailWithHolders(const Pair &pair, const char *name, Where where, const std::string &text);

  CoreState *core_;
  Pair pairs_[kPipes][kPipes];
};

}  // namespace sim
