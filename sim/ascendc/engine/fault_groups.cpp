// SPDX-License-Identifier: Apache-2.0
#include "fault_groups.h"

#include <map>
#include <set>

#include "suppressions.h"

namespace sim {
namespace {

// The same fault in several blocks.
struct Group {
  LoggedFault logged;  // the first one
  FaultText text;
  uint32_t block;
  bool ends = false;   // a block
  bool final = false;  // nothing could go on behind it
  std::set<uint32_t> of_blocks;
};

std::vector<Group> GroupsOf(const std::vector<const CoreState *> &cores) {
  std::vector<LoggedFault> faults;
  std::vector<const CoreState *> of_faults;
  for (const CoreState *core : cores) {
    for (const LoggedFault &fault : core->log.faults()) {
      faults.push_back(fault);
      of_faults.push_back(core);
    }
  }
  std::vector<Group> groups;
  if (faults.empty()) return groups;
  const std::vector<FaultText> texts = TextsWithCalls(faults);
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < faults.size(); ++i) {
    const auto [place, added] = known.try_emplace(texts[i].key, groups.size());
    if (added) groups.push_back({faults[i], texts[i], of_faults[i]->id.block, false, false, {}});
    Group &group = groups[place->second];
    group.ends = group.ends || faults[i].ends;
    group.final = group.final || faults[i].final;
    group.of_blocks.insert(of_faults[i]->id.block);
  }
  return groups;
}

std::string WholeText(const Group &group, const Report &report) {
  std::string text = std::string(FaultName(group.logged.kind)) + ": kernel " + report.kernel + ", block " +
                     std::to_string(group.block) + ": " + group.text.text;
  const size_t more = group.of_blocks.size() - 1;
  if (more != 0)
    text += "; the same in " + std::to_string(more) + (more == 1 ? " more block" : " more blocks");
  return text + " [seed " + std::to_string(report.seed) + "]";
}

}  // namespace

void CollectFaults(const std::vector<const CoreState *> &cores, const LaunchOptions &options,
                   Report *report) {
  for (const Group &group : GroupsOf(cores)) {
    Fault fault;
    fault.kind = group.logged.kind;
    fault.kernel = report->kernel;
    fault.block = group.block;
    fault.text = WholeText(group, *report);
    fault.severity = options.policy.SeverityOf(fault.kind);
    fault.sites = group.text.sites;
    fault.bytes = BytesIn(group.text.text);
    fault.final = group.final;
    const Suppressions *suppressions = options.policy.suppressions.get();
    const Suppression *named = suppressions == nullptr || group.ends ? nullptr : suppressions->Naming(fault);
    if (named != nullptr) {
      report->suppressed.push_back(named);
    } else {
      report->faults.push_back(std::move(fault));
    }
  }
}

}  // namespace sim
