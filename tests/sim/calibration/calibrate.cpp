// SPDX-License-Identifier: Apache-2.0
// sim_calibrate [PART…] [NAME=VALUE…] runs the published cases whose names contain a PART on the cycle model,
// with other values of its constants where these are given, and prints modelled and published times as JSON.
// The exit code is 1 where a kernel has a fault.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "device.h"
#include "engine/json.h"

namespace {

using calibration::Times;

constexpr int kColumns = 9;
constexpr const char *kColumnNames[kColumns] = {"task", "core", "V", "S", "M", "MTE1", "MTE2", "MTE3", "FIX"};
constexpr sim::Pipe kPipesOf[kColumns] = {sim::Pipe::kCount, sim::Pipe::kCount, sim::Pipe::V,
                                          sim::Pipe::S,      sim::Pipe::M,      sim::Pipe::MTE1,
                                          sim::Pipe::MTE2,   sim::Pipe::MTE3,   sim::Pipe::FIX};

struct Published {
  const char *name;
  const char *experiment;
  const char *what;
  const char *device;
  bool warm;
  double times[kColumns];  // 0: not published
};
#include "published.inc"  // kPublished, from published.json by CMake

struct Task {
  std::string experiment;
  double published;
  double modelled;
};

// The experiments whose times are not in the published order, as a list in JSON. Times that differ by less
// than 3 % have no order.
std::string Disordered(const std::vector<Task> &tasks) {
  std::set<std::string> experiments;
  for (const Task &a : tasks) {
    for (const Task &b : tasks) {
      if (a.experiment == b.experiment && a.published * 1.03 < b.published && a.modelled >= b.modelled) {
        experiments.insert(sim::JsonString(a.experiment));
      }
    }
  }
  std::string list;
  for (const std::string &experiment : experiments) list += (list.empty() ? "" : ",") + experiment;
  return "[" + list + "]";
}

bool Wanted(const std::string &name, const std::vector<std::string> &parts) {
  return parts.empty() || std::any_of(parts.begin(), parts.end(), [&name](const std::string &part) {
           return name.find(part) != std::string::npos;
         });
}

double ColumnOf(const Times &times, int column) {
  return column == 0   ? times.task
         : column == 1 ? times.core
                       : times.pipes[static_cast<int>(kPipesOf[column])];
}

// The range of a task's time, or of a core's where no task is published, which is shorter by the launch.
std::string Range(const Published &published, const Times &modelled) {
  const bool task = published.times[0] != 0;
  if (modelled.most == 0 || (!task && published.times[1] == 0)) return "";
  const double launch = task ? 0 : modelled.task - modelled.core;
  return ",\"range\":[" + sim::JsonNumber(modelled.least - launch) + "," +
         sim::JsonNumber(modelled.most - launch) + "]";
}

std::string Row(const Published &published, const Times &modelled, double seconds) {
  std::string row = std::string("{\"case\":\"") + published.name + "\",\"experiment\":\"" +
                    published.experiment + "\",\"what\":" + sim::JsonString(published.what);
  for (int column = 0; column < kColumns; ++column) {
    const double time = published.times[column], model = ColumnOf(modelled, column);
    if (time == 0) continue;
    row += std::string(",\"") + kColumnNames[column] + "\":{\"published\":" + sim::JsonNumber(time) +
           ",\"modelled\":" + sim::JsonNumber(model) + ",\"error\":" + sim::JsonNumber(model / time - 1) +
           "}";
  }
  return row + Range(published, modelled) + ",\"seconds\":" + sim::JsonNumber(seconds) + "}";
}

}  // namespace

int main(int argc, char **argv) {
  std::vector<std::string> parts;
  std::map<std::string, double> settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    if (equals == std::string::npos) {
      parts.push_back(argument);
    } else {
      settings[argument.substr(0, equals)] = std::atof(argument.c_str() + equals + 1);
    }
  }
  calibration::Cases cases;
  calibration::AddCopyCases(&cases);
  calibration::AddVectorCases(&cases);
  calibration::AddProductCases(&cases);
  bool failed = false;
  std::string rows;
  std::vector<Task> tasks;
  for (const Published &published : kPublished) {
    if (!Wanted(published.name, parts)) continue;
    const auto start = std::chrono::steady_clock::now();
    calibration::Device device(published.device, published.warm, settings);
    const Times modelled = cases.at(published.name)(device);
    if (device.failed) std::fprintf(stderr, "%s: the kernel has faults\n", published.name);
    failed = failed || device.failed;
    if (published.times[0] != 0) tasks.push_back({published.experiment, published.times[0], modelled.task});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rows += (rows.empty() ? "" : ",\n  ") + Row(published, modelled, seconds);
  }
  std::printf("{\"failed\":%s,\"disordered\":%s,\"rows\":[\n  %s]}\n", failed ? "true" : "false",
              Disordered(tasks).c_str(), rows.c_str());
  return failed ? 1 : 0;
}
