// SPDX-License-Identifier: Apache-2.0
// Between NumPy and the framework-free types, and the one way Python calls an aclnn entry point.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "op_cpu/common/parallel.h"
#include "op_host/common/platform.h"
#include "op_host/common/status.h"
#include "op_host/common/tensor.h"

namespace avo::native {

namespace py = pybind11;

// The submodules of _native; generated files add their operator to each.
struct Modules {
  py::module_ cpu;
  py::module_ aclnn;
  py::module_ tiling;
  py::module_ probe;
  py::module_ entries;
};

// Calls `add` when the module is made; one static object a generated file.
class Registration {
 public:
  explicit Registration(void (*add)(Modules &));
  static void AddAll(Modules &modules);
};

// The dtype of that name or NumPy type; a value outside the enum, which dtype checks reject, for one of no
// contract.
DType DTypeOf(const py::handle &dtype);

// A view of an array's memory: strides go through as they are, zero and negative ones too.
Tensor FromNumpy(const py::array &array);
std::optional<Tensor> FromNumpy(const std::optional<py::array> &array);

// Shape and dtype without memory: of an array, or of a pair (shape, dtype name).
Tensor Describe(const py::handle &tensor);
std::optional<Tensor> DescribeOptional(const py::handle &tensor);

// A dense array whose every byte is 0xA5: an element no kernel writes shows.
py::array Poisoned(const Tensor &output);

// Where an output goes: the caller's array, which must be writable and fit, or a poisoned one.
py::array OutputArray(const char *name, const std::optional<py::array> &out, Tensor *output);

// Raises what a contract found wrong as ValueError with the code as attribute `code`.
void Check(const char *name, const Status &status);

// Raises the runtime's latest message: ValueError for the two parameter codes, RuntimeError for others.
void CheckAcl(int32_t code, const char *what);

// The package's own thread pool, as ParallelFor.
const ParallelFor &Threads();

// The device of the process, or `soc`; then cores and Unified Buffer as the caller says.
Platform PlatformOf(const std::optional<std::string> &soc, std::optional<uint32_t> cores,
                    std::optional<uint64_t> ub_bytes);

// A JSON text as Python objects.
py::object FromJson(const std::string &json);

// One call of an aclnn entry point: the arrays' storage goes to the device, results come back. Objects live
// until the call ends, whichever way.
class AclnnCall {
 public:
  explicit AclnnCall(const char *name);
  ~AclnnCall();
  AclnnCall(const AclnnCall &) = delete;
  AclnnCall &operator=(const AclnnCall &) = delete;

  const aclTensor *Input(const std::optional<py::array> &array);
  aclTensor *Output(const py::array &array, bool fresh);
  const aclIntArray *Ints(const std::vector<int64_t> &values);
  const aclBoolArray *Bools(const std::vector<int64_t> &values);

  // For probing the first phase: objects from descriptions (None: a null pointer), with memory nothing is
  // copied to.
  aclTensor *Probe(const py::handle &description);
  const aclIntArray *ProbeInts(const py::handle &values);
  const aclBoolArray *ProbeBools(const py::handle &values);

  // What the first phase fills in.
  uint64_t *workspace_size() { return &workspace_size_; }
  aclOpExecutor **executor() { return &executor_; }

  // Runs the second phase on a stream of its own, waits for it and copies the outputs back.
  using SecondPhase = aclnnStatus (*)(void *, uint64_t, aclOpExecutor *, aclrtStream);
  void Run(aclnnStatus first_phase, SecondPhase second_phase);

  // Code and message of a first phase that was only probed.
  py::tuple Outcome(aclnnStatus first_phase);

 private:
  struct Impl;
  aclTensor *MakeTensor(const Tensor &view, void *host, size_t itemsize, bool copy_in, bool copy_out);

  std::unique_ptr<Impl> impl_;
  uint64_t workspace_size_ = 0;
  aclOpExecutor *executor_ = nullptr;
};

}  // namespace avo::native
