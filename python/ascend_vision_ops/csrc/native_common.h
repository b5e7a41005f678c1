// SPDX-License-Identifier: Apache-2.0
// Between NumPy and the framework-free types.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "op_cpu/common/parallel/parallel.h"
#include "op_host/common/tensors/status.h"
#include "op_host/common/tensors/tensor.h"

namespace avo::native {

namespace py = pybind11;

// The submodules of _native; files add what they have to them.
struct Modules {
  py::module_ cpu;
  py::module_ aclnn;
  py::module_ tiling;
  py::module_ probe;
  py::module_ entries;
  py::module_ sim;
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

// Where an output goes: the caller's array, which must be writable and fit, or a new dense one.
py::array OutputArray(const char *name, const std::optional<py::array> &out, Tensor *output);

// Raises an error of this type, with the code as attribute `code`.
[[noreturn]] void Raise(PyObject *type, const std::string &text, int32_t code);

// Raises what a contract found wrong as ValueError.
void Check(const char *name, const Status &status);

// The package's own thread pool, as ParallelFor.
const ParallelFor &Threads();

// A JSON text as Python objects.
py::object FromJson(const std::string &json);

}  // namespace avo::native
