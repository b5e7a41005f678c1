// SPDX-License-Identifier: Apache-2.0
// Conversions between NumPy arrays and our types, which know no framework.
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

// The submodules of _native. Other files add functions to them.
struct Modules {
  py::module_ cpu;
  py::module_ aclnn;
  py::module_ tiling;
  py::module_ probe;
  py::module_ entries;
  py::module_ sim;
};

// Calls `add` when the module is created. Each generated file has one static object of this type.
class Registration {
 public:
  explicit Registration(void (*add)(Modules &));
  static void AddAll(Modules &modules);
};

// Finds the dtype with this name or NumPy type. A type that no contract has gives a value outside the enum,
// which dtype checks reject.
DType DTypeOf(const py::handle &dtype);

// Makes a view of an array's memory. It keeps all strides, also zero and negative ones.
Tensor FromNumpy(const py::array &array);
std::optional<Tensor> FromNumpy(const std::optional<py::array> &array);

// Takes shape and dtype from an array or from a pair (shape, dtype name); the result has no memory.
Tensor Describe(const py::handle &tensor);
std::optional<Tensor> DescribeOptional(const py::handle &tensor);

// Returns the array that receives an output: the caller's, which must be writable and fit, or a new dense
// array.
py::array OutputArray(const char *name, const std::optional<py::array> &out, Tensor *output);

// Raises an exception of this type, with the attribute `code`.
[[noreturn]] void Raise(PyObject *type, const std::string &text, int32_t code);

// Raises ValueError for a status in which a contract reports an error.
void Check(const char *name, const Status &status);

// Gives the package's own thread pool as a ParallelFor.
const ParallelFor &Threads();

// Turns a JSON text into Python objects.
py::object FromJson(const std::string &json);

}  // namespace avo::native
