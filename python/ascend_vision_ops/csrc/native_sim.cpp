// SPDX-License-Identifier: Apache-2.0
// Gives Python access to the simulated device.
#include "engine/device_model.h"
#include "native_aclnn.h"
#include "native_common.h"
#include "sim/sim_runtime.h"

namespace {

namespace py = pybind11;

// Describes the device that measured figures are compared with. It ends with what the cycle model says of
// launches and copies.
py::dict DeviceOf(const std::string &soc) {
  using namespace pybind11::literals;
  const sim::DeviceModel &model = sim::DeviceModel::Find(soc);
  const sim::CostModel &cost = model.cost;
  const double hertz = model.clock_ghz * 1e9;
  return py::dict(
      "soc"_a = model.soc, "vector_cores"_a = model.vector_cores, "cube_cores"_a = model.cube_cores,
      "clock_ghz"_a = model.clock_ghz, "hbm_bytes_per_second"_a = model.hbm_bytes_per_second,
      "l2_bytes_per_second"_a = model.l2_bytes_per_second, "l2_bytes"_a = model.l2_bytes,
      "ub_bytes"_a = model.bytes[static_cast<int>(sim::Space::UB)], "launch_us"_a = cost.launch_us.value,
      "launch_us_per_core"_a = cost.launch_us_per_block.value, "start_us"_a = cost.startup / hertz * 1e6,
      "hbm_efficiency"_a = cost.hbm_efficiency.value, "hbm_written"_a = cost.hbm_written.value,
      "l2_usable"_a = cost.l2_usable.value, "core_read_bytes_per_second"_a = cost.read_hbm_bytes * hertz,
      "core_write_bytes_per_second"_a = cost.write_bytes * hertz);
}

void AddSimulator(py::module_ &sim) {
  sim.def("device", &DeviceOf, py::arg("soc"), "Sizes and bandwidths of a device that can be simulated.");
  sim.def(
      "load_kernels",
      [](const std::string &path) {
        avo::native::CheckAcl(simLoadKernels(path.c_str()), "simLoadKernels failed");
      },
      py::arg("path"), "Run the kernels of a folder or list of libraries in place of the package's own.");
  sim.def(
      "keep_reports", [](bool keep) { simKeepReports(keep); }, py::arg("keep") = true,
      "Keep the report of every kernel launched from now on.");
  sim.def(
      "take_reports", [] { return avo::native::FromJson(simTakeReports()); },
      "Reports kept since the last call, a list of dicts in order of completion.");
  sim.def(
      "set_soc", [](const std::string &soc) { simSetSoc(soc.c_str()); }, py::arg("soc"),
      "Device to simulate; before the first call that needs one.");
  sim.def(
      "set_size",
      [](uint32_t vector_cores, uint64_t ub_bytes) {
        avo::native::CheckAcl(simSetSize(vector_cores, ub_bytes), "simSetSize failed");
      },
      py::arg("vector_cores") = 0, py::arg("ub_bytes") = 0,
      "Gives the device other numbers of vector cores and bytes of Unified Buffer from now on; 0: its own.");
  sim.def(
      "record", [](int level) { simSetRecord(level); }, py::arg("level") = 1,
      "Record each instruction, flag and barrier of the kernels launched from now on. 0: nothing; 1: with "
      "the line of "
      "each; 2: with the calls that led there.");
  sim.def(
      "take_recordings", [] { return avo::native::FromJson(simTakeRecordings()); },
      "Recordings since the last call, a list of dicts in order of completion.");
  sim.def(
      "trace", [](bool on) { simSetTrace(on); }, py::arg("on") = true,
      "Keep pipe traces of the kernels launched from now on.");
  sim.def(
      "take_trace", [] { return std::string(simTakeTrace()); },
      "Trace of the last kernel as Chrome / Perfetto JSON text.");
}

const avo::native::Registration kRegistration([](avo::native::Modules &modules) {
  AddSimulator(modules.sim);
});

}  // namespace
