// SPDX-License-Identifier: Apache-2.0
// Compares the judge of overlapping operands with the rule itself, byte by byte, on Add with random strides.
// Prints the calls on which they differ, and how many were faults and how many were not.
#include <cstdio>
#include <random>
#include <set>
#include <vector>

#include "engine/launch.h"
#include "kernel_operator.h"

namespace {

constexpr uint32_t kFloats = 16 * 1024;

struct Side {
  uint32_t block, repeat, first;  // strides and start in data blocks
  std::vector<uint32_t> Lanes(uint32_t r, uint32_t lanes) const {
    std::vector<uint32_t> places;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      places.push_back((first + r * repeat + lane / 8 * block) * 8 + lane % 8);
    }
    return places;
  }
};

struct Call {
  uint32_t lanes, repeats;
  Side dst, sources[2];
} call;

bool Meet(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b) {
  const std::set<uint32_t> places(a.begin(), a.end());
  for (const uint32_t place : b) {
    if (places.count(place) != 0) return true;
  }
  return false;
}

// The rule as it is documented: see docs/simulator.md, overlapping operands.
bool Forbidden() {
  for (int source = 0; source < 2; ++source) {
    const Side &from = call.sources[source];
    const bool accumulates = source == 1 && (call.dst.repeat == 0 || from.repeat == 0);
    for (uint32_t r = 0; r < call.repeats; ++r) {
      const auto results = call.dst.Lanes(r, call.lanes);
      for (uint32_t later = r; later < call.repeats; ++later) {
        const auto read = from.Lanes(later, call.lanes);
        if (!Meet(results, read)) continue;
        if (later == r ? results != read : !accumulates) return true;
      }
    }
  }
  return false;
}

void Kernel(void *const *) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, kFloats * sizeof(float));
  const auto t = buffer.Get<float>();
  AscendC::Duplicate(t, 0.0f, kFloats);
  const auto byte = [](uint32_t value) { return static_cast<uint8_t>(value); };
  const Side &a = call.sources[0], &b = call.sources[1];
  AscendC::Add(t[call.dst.first * 8], t[a.first * 8], t[b.first * 8], uint64_t{call.lanes},
               byte(call.repeats),
               {byte(call.dst.block), byte(a.block), byte(b.block), byte(call.dst.repeat), byte(a.repeat),
                byte(b.repeat)});
}

bool Reported() {
  sim::DeviceMemory memory(uint64_t{1} << 16);
  const sim::Report report = sim::Launch(memory, sim::DeviceModel::Find("Ascend910B1"), {"rules", Kernel}, 1,
                                         0, {memory.Allocate(64)}, nullptr, 0, {});
  for (const sim::Fault &fault : report.faults) {
    if (fault.kind != sim::FaultKind::kOverlap) std::printf("%s\n", fault.text.c_str());
  }
  return !report.ok();
}

}  // namespace

int main(int argc, char **argv) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::mt19937 random(1);
  const auto pick = [&random](uint32_t low, uint32_t high) {
    return static_cast<uint32_t>(low + random() % (high - low + 1));
  };
  int forbidden = 0;
  for (int i = 0; i < calls; ++i) {
    const uint32_t stride = pick(0, 2) == 0 ? 8U : pick(0, 10);
    const auto side = [&](uint32_t least) {
      const bool same = pick(0, 1) == 0;
      return Side{pick(0, 1) == 0 ? 1U : pick(least, 3), same ? stride : pick(0, 10),
                  pick(0, 2) == 0 ? 16U : pick(0, 60)};
    };
    call = {pick(0, 1) == 0 ? 64U : pick(1, 64), pick(1, 6), side(1), {side(0), side(0)}};
    const bool wanted = Forbidden();
    forbidden += wanted ? 1 : 0;
    if (Reported() == wanted) continue;
    std::printf("call %d, lanes %u, repeats %u, wanted %d:", i, call.lanes, call.repeats, wanted ? 1 : 0);
    for (const Side &one : {call.dst, call.sources[0], call.sources[1]}) {
      std::printf(" (%u, %u, %u)", one.block, one.repeat, one.first);
    }
    std::printf("\n");
  }
  std::printf("forbidden %d of %d\n", forbidden, calls);
}
