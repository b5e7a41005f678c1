// SPDX-License-Identifier: Apache-2.0
// sim_calibrate runs the published cases on the cycle model and prints modelled and published times as JSON.
// The exit code is 0 where every task time is within its bound and all times are in the published order; the
// order of times of two experiments counts only where they differ by more than a tenth.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "add_banks.h"
#include "add_half.h"
#include "copy_tiles.h"
#include "engine/json.h"
#include "engine/launch.h"
#include "product_tiles.h"

namespace {

// Bounds of |modelled / published - 1|.
constexpr double kTaskBound = 0.25;
constexpr double kRatioBound = 0.10;

struct PublishedTime {
  const char *name;
  const char *what;
  double task, V, S, MTE2, MTE3;  // 0: not published
};
struct PublishedRatio {
  const char *name;
  const char *what;
  AddBanksTiling tiling;
  double relative;
};
struct PublishedProduct {
  const char *name;
  const char *what;
  uint32_t cores, base_m, base_n, base_k;
  double M, MTE1, MTE2, FIX;  // busy time of a core
};
#include "published.inc"  // kPublishedTimes, kPublishedRatios, kPublishedProducts: from published.json, by CMake

struct Modelled {
  double task = 0;
  double pipes[sim::kPipes] = {};
  double scale = 1;  // the case ran on 1 / scale of its data
};

class Device {
 public:
  Device() : model_(sim::DeviceModel::Find("Ascend910B1")), memory_(uint64_t{2} << 30) {}

  void *Half(uint64_t elements, half value) {
    void *device = memory_.Allocate(elements * sizeof(half));
    std::fill_n(reinterpret_cast<half *>(memory_.Host(device)), elements, value);
    memory_.MarkWritten(device, elements * sizeof(half));
    return device;
  }
  void *Output(uint64_t elements) { return memory_.Allocate(elements * sizeof(half)); }
  void Free(void *device) { memory_.Free(device); }
  half Value(const void *device, uint64_t index) const {
    return reinterpret_cast<const half *>(memory_.Host(device))[index];
  }

  template <typename Tiling>
  Modelled Run(const char *name, void (*invoke)(void *const *), uint32_t blocks,
               const std::vector<void *> &args, const Tiling &tiling,
               sim::KernelType type = sim::KernelType::kVector) {
    sim::LaunchOptions options;
    options.seed = 1;
    const sim::Report report =
        sim::Launch(memory_, model_, {name, invoke, type}, blocks, 0, args, &tiling, sizeof(tiling), options);
    for (const sim::Fault &fault : report.faults) std::fprintf(stderr, "%s\n", fault.text.c_str());
    failed_ = failed_ || !report.ok();
    Modelled modelled;
    modelled.task = report.microseconds;
    for (int pipe = 0; pipe < sim::kPipes; ++pipe) {
      modelled.pipes[pipe] = report.pipes[pipe].busy_cycles / blocks / (model_.clock_ghz * 1e3);
    }
    return modelled;
  }
  bool failed() const { return failed_; }
  void Fail() { failed_ = true; }

 private:
  const sim::DeviceModel &model_;
  sim::DeviceMemory memory_;
  bool failed_ = false;
};

constexpr uint32_t kCores = 48;
constexpr uint32_t kLarge = 16384;   // a sixth of UB
constexpr uint32_t kSpread = 16256;  // 256 B less: x and y of a repeat lie in different bank groups

AddHalfTiling AddTiling(uint32_t length, uint32_t buffers) {
  constexpr uint32_t step = kLarge * sizeof(half);
  return {8192, 8192, length, 0, buffers, 0, {0, 3 * step}, {step, 4 * step}, {2 * step, 5 * step}};
}

Modelled RunAdd(Device *device, uint32_t blocks, const AddHalfTiling &tiling) {
  const uint64_t elements = uint64_t{tiling.rows} * tiling.columns;
  void *x = device->Half(elements, half(1.5f));
  void *y = device->Half(elements, half(2.0f));
  void *z = device->Output(elements);
  const Modelled modelled = device->Run(
      "add_half",
      [](void *const *args) {
        add_half(static_cast<GM_ADDR>(args[0]), static_cast<GM_ADDR>(args[1]), static_cast<GM_ADDR>(args[2]),
                 static_cast<GM_ADDR>(args[3]));
      },
      blocks, {x, y, z}, tiling);
  for (const uint64_t index : {uint64_t{0}, elements / 2 + 1, elements - 1}) {
    if (static_cast<float>(device->Value(z, index)) != 3.5f) device->Fail();
  }
  for (void *memory : {x, y, z}) device->Free(memory);
  return modelled;
}

Modelled RunCopy(Device *device, const CopyTilesTiling &tiling) {
  void *source = device->Half(uint64_t{tiling.rows} * tiling.columns, half(1.0f));
  const Modelled modelled = device->Run(
      "copy_tiles",
      [](void *const *args) { copy_tiles(static_cast<GM_ADDR>(args[0]), static_cast<GM_ADDR>(args[1])); },
      kCores, {source}, tiling);
  device->Free(source);
  return modelled;
}

// Computes a product of a few tiles on each core, and scales its busy times to the published product, in
// which a core does more products of base_m x base_n x base_k. In all rounds but the first both factors are
// in the L2, as in most of the published product.
Modelled RunProduct(Device *device, const PublishedProduct &published) {
  constexpr double whole = 8192;
  ProductTilesTiling tiling{published.base_m,
                            published.base_n,
                            1024,
                            published.base_m,
                            published.base_n,
                            published.base_k,
                            1,
                            1,
                            4};
  if (published.cores > 1) {
    tiling.m *= 4;
    tiling.n *= published.cores / 4;
    tiling.k = 2048;
    tiling.step_k = 4;
    tiling.buffers = 2;
    tiling.rounds = 5;
  }
  void *a = device->Half(uint64_t{tiling.m} * tiling.k, half(0.5f));
  void *b = device->Half(uint64_t{tiling.n} * tiling.k, half(0.25f));
  const uint64_t results = uint64_t{tiling.m} * tiling.n;
  void *c = device->Output(results);
  Modelled modelled = device->Run(
      "product_tiles",
      [](void *const *args) {
        product_tiles(static_cast<GM_ADDR>(args[0]), static_cast<GM_ADDR>(args[1]),
                      static_cast<GM_ADDR>(args[2]), static_cast<GM_ADDR>(args[3]));
      },
      published.cores, {a, b, c}, tiling, sim::KernelType::kCube);
  if (static_cast<float>(device->Value(c, results - 1)) != tiling.k / 8.0f) device->Fail();
  for (void *memory : {a, b, c}) device->Free(memory);
  modelled.scale =
      whole * whole * whole / (static_cast<double>(tiling.m) * tiling.n * tiling.k * tiling.rounds);
  for (double &pipe : modelled.pipes) pipe *= modelled.scale;
  // A tile of the result takes whole / k products, here and in the published product. So its copy out of L0C
  // is scaled by the number of tiles.
  modelled.pipes[static_cast<int>(sim::Pipe::FIX)] *= tiling.k / whole;
  return modelled;
}

double CyclesOfAdd(Device *device, AddBanksTiling tiling) {
  tiling.count = 4096;
  tiling.times = 1000;
  const Modelled modelled = device->Run(
      "add_banks", [](void *const *args) { add_banks(static_cast<GM_ADDR>(args[0])); }, 1, {}, tiling);
  return modelled.pipes[static_cast<int>(sim::Pipe::V)];
}

std::map<std::string, std::function<Modelled(Device *)>> Cases() {
  std::map<std::string, std::function<Modelled(Device *)>> cases;
  cases["add/scalar"] = [](Device *device) {
    // 67 million elements one by one are too many: 1 / 128 of the rows, on one core, whose time is linear in
    // them.
    AddHalfTiling tiling = AddTiling(4096, 1);
    tiling.scalar = 1;
    constexpr uint32_t scale = 128;
    tiling.rows /= scale;
    Modelled modelled = RunAdd(device, 1, tiling);
    modelled.scale = scale;
    modelled.task *= scale;
    for (double &pipe : modelled.pipes) pipe *= scale;
    return modelled;
  };
  cases["add/vector"] = [](Device *device) { return RunAdd(device, 1, AddTiling(4096, 1)); };
  cases["add/cores"] = [](Device *device) { return RunAdd(device, kCores, AddTiling(4096, 1)); };
  cases["add/large"] = [](Device *device) { return RunAdd(device, kCores, AddTiling(kLarge, 1)); };
  cases["add/double"] = [](Device *device) { return RunAdd(device, kCores, AddTiling(kLarge, 2)); };
  cases["add/bypass"] = [](Device *device) {
    AddHalfTiling tiling = AddTiling(kLarge, 2);
    tiling.bypass = 1;
    return RunAdd(device, kCores, tiling);
  };
  cases["add/banks"] = [](Device *device) {
    constexpr uint32_t bank = 65536;
    constexpr uint32_t spread = kSpread * sizeof(half);
    return RunAdd(
        device, kCores,
        {8192, 8192, kSpread, 0, 2, 1, {0, bank}, {spread, bank + spread}, {2 * bank, 2 * bank + spread}});
  };
  cases["copy/1x64"] = [](Device *device) { return RunCopy(device, {12288, 12288, 1, 64, 0, 1, 1, 0}); };
  cases["copy/64x64"] = [](Device *device) { return RunCopy(device, {12288, 12288, 64, 64, 0, 1, 1, 0}); };
  cases["copy/64x1024"] = [](Device *device) {
    return RunCopy(device, {12288, 12288, 64, 1024, 0, 1, 1, 0});
  };
  cases["copy/four-rounds"] = [](Device *device) {
    return RunCopy(device, {12288, 12288, 64, 1024, 0, 1, 4, 0});
  };
  cases["copy/quarters"] = [](Device *device) {
    return RunCopy(device, {12288, 12288, 64, 1024, 0, 4, 4, 0});
  };
  cases["copy/unaligned"] = [](Device *device) {
    return RunCopy(device, {12288, 12287, 64, 1024, 0, 1, 1, 0});
  };
  cases["copy/same-address"] = [](Device *device) {
    return RunCopy(device, {6144, 512, 128, 64, 1, 1, 1, 1});
  };
  return cases;
}

struct Task {
  std::string experiment;
  double published;
  double modelled;
};

bool Ordered(const std::vector<Task> &tasks) {
  for (const Task &a : tasks) {
    for (const Task &b : tasks) {
      const double margin = a.experiment == b.experiment ? 1.0 : 1.1;
      if (a.published * margin < b.published && a.modelled >= b.modelled) return false;
    }
  }
  return true;
}

std::string Pair(const char *name, double published, double modelled) {
  return std::string(",\"") + name + "\":{\"published\":" + sim::JsonNumber(published) +
         ",\"modelled\":" + sim::JsonNumber(modelled) +
         ",\"error\":" + sim::JsonNumber(modelled / published - 1) + "}";
}

}  // namespace

int main(int argc, char **argv) {
  const std::string only = argc > 1 ? argv[1] : "";  // cases whose name contains this
  Device device;
  auto cases = Cases();
  bool ok = true;
  std::string rows;
  std::vector<Task> tasks;
  for (const PublishedTime &published : kPublishedTimes) {
    if (std::string(published.name).find(only) == std::string::npos) continue;
    const auto start = std::chrono::steady_clock::now();
    const Modelled modelled = cases.at(published.name)(&device);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    tasks.push_back({std::string(published.name).substr(0, 4), published.task, modelled.task});
    ok = ok && std::abs(modelled.task / published.task - 1) <= kTaskBound;
    std::string row = std::string("{\"case\":\"") + published.name +
                      "\",\"what\":" + sim::JsonString(published.what) +
                      Pair("task", published.task, modelled.task);
    const std::pair<const char *, double> pipes[] = {
        {"V", published.V}, {"S", published.S}, {"MTE2", published.MTE2}, {"MTE3", published.MTE3}};
    const sim::Pipe order[] = {sim::Pipe::V, sim::Pipe::S, sim::Pipe::MTE2, sim::Pipe::MTE3};
    for (int i = 0; i < 4; ++i) {
      if (pipes[i].second > 0)
        row += Pair(pipes[i].first, pipes[i].second, modelled.pipes[static_cast<int>(order[i])]);
    }
    row += ",\"scale\":" + sim::JsonNumber(modelled.scale) + ",\"seconds\":" + sim::JsonNumber(seconds) + "}";
    rows += (rows.empty() ? "" : ",\n  ") + row;
  }
  const double base = CyclesOfAdd(&device, {0, 0, 0, 65792, 131072});
  std::string ratios;
  for (const PublishedRatio &published : kPublishedRatios) {
    if (std::string(published.name).find(only) == std::string::npos) continue;
    const double relative = CyclesOfAdd(&device, published.tiling) / base;
    ok = ok && std::abs(relative / published.relative - 1) <= kRatioBound;
    ratios += std::string(ratios.empty() ? "" : ",\n  ") + "{\"case\":\"" + published.name +
              "\",\"what\":" + sim::JsonString(published.what) +
              Pair("relative", published.relative, relative) + "}";
  }
  std::string products;
  for (const PublishedProduct &published : kPublishedProducts) {
    if (std::string(published.name).find(only) == std::string::npos) continue;
    const Modelled modelled = RunProduct(&device, published);
    const std::pair<sim::Pipe, double> pipes[] = {{sim::Pipe::M, published.M},
                                                  {sim::Pipe::MTE1, published.MTE1},
                                                  {sim::Pipe::MTE2, published.MTE2},
                                                  {sim::Pipe::FIX, published.FIX}};
    std::string row =
        std::string("{\"case\":\"") + published.name + "\",\"what\":" + sim::JsonString(published.what);
    for (const auto &[pipe, time] : pipes) {
      row += Pair(sim::PipeName(pipe), time, modelled.pipes[static_cast<int>(pipe)]);
    }
    products +=
        (products.empty() ? "" : ",\n  ") + row + ",\"scale\":" + sim::JsonNumber(modelled.scale) + "}";
  }
  const bool ordered = Ordered(tasks);
  ok = ok && ordered && !device.failed();
  std::printf(
      "{\"ok\":%s,\"ordered\":%s,\"task_bound\":%g,\"times\":[\n  %s],\n\"ratios\":[\n  "
      "%s],\n\"products\":[\n  %s]}\n",
      ok ? "true" : "false", ordered ? "true" : "false", kTaskBound, rows.c_str(), ratios.c_str(),
      products.c_str());
  return ok ? 0 : 1;
}
