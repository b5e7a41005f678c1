// SPDX-License-Identifier: Apache-2.0
// The module _native, which the NumPy faces, the tests and `avo` call. Other files register its functions;
// with AVO_CPU_ONLY these are only the files of the CPU kernels.
#include "native_common.h"
#include "op_cpu/common/parallel/pool.h"
#include "op_cpu/common/vectors/simd.h"

namespace {

namespace py = pybind11;

void AddProcessor(py::module_ processor) {
  processor.def("targets", &avo::CpuTargets,
                "Instruction sets that CPU kernels are compiled for and this processor has, best first.");
  processor.def("use", &avo::UseCpuTarget, py::arg("target"), "Keep to one of targets() from now on.");
  processor.def(
      "share", &avo::SharePool, py::arg("how"),
      "Give work to the pool of threads as kernels ask for it (usual), to none (serial), to all (finest).");
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  module.doc() = "Native kernels of ascend_vision_ops, NumPy in and out.";
  avo::native::Modules modules{
      module.def_submodule("cpu", "CPU kernels"),
      module.def_submodule("aclnn", "aclnn entry points on the current device"),
      module.def_submodule("tiling", "tilings, computed without a device"),
      module.def_submodule("probe", "first phases alone, with any argument wrong or null"),
      module.def_submodule("entries", "every aclnn entry point, results into the caller's arrays"),
      module.def_submodule("sim", "the simulated device"),
  };
  avo::native::Registration::AddAll(modules);
  AddProcessor(module.def_submodule("processor", "the processor that CPU kernels run on"));
}
