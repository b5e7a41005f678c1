// SPDX-License-Identifier: Apache-2.0
// NumPy arrays as views, outputs, errors.
#include <cstring>

#include "native_common.h"

namespace avo::native {
namespace {

std::vector<void (*)(Modules &)> &Registered() {
  static std::vector<void (*)(Modules &)> functions;
  return functions;
}

constexpr DType kDTypes[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64,
                             DType::kInt8,    DType::kInt16,   DType::kInt32,    DType::kInt64,
                             DType::kUInt8,   DType::kBool};

Shape ShapeOf(const py::handle &shape) {
  return py::isinstance<py::int_>(shape) ? Shape{shape.cast<int64_t>()} : shape.cast<Shape>();
}

}  // namespace

Registration::Registration(void (*add)(Modules &)) { Registered().push_back(add); }

void Registration::AddAll(Modules &modules) {
  for (const auto add : Registered()) add(modules);
}

DType DTypeOf(const py::handle &dtype) {
  const std::string name =
      py::isinstance<py::str>(dtype)
          ? dtype.cast<std::string>()
          : py::str(py::dtype::from_args(py::reinterpret_borrow<py::object>(dtype)).attr("name"))
                .cast<std::string>();
  for (const DType known : kDTypes) {
    if (DTypeName(known) == name) return known;
  }
  return static_cast<DType>(-1);
}

Tensor FromNumpy(const py::array &array) {
  Tensor view;
  view.dtype = DTypeOf(array.dtype());
  view.data = const_cast<void *>(array.data());
  if (array.dtype().byteorder() == '>')
    throw py::value_error("array: expected native byte order, got big endian");
  const auto itemsize = array.itemsize();
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    if (array.strides(i) % itemsize != 0) {
      throw py::value_error("array: expected strides in whole elements, got " +
                            std::to_string(array.strides(i)) + " bytes of elements of " +
                            std::to_string(itemsize));
    }
    view.shape.push_back(array.shape(i));
    view.strides.push_back(array.strides(i) / itemsize);
  }
  return view;
}

std::optional<Tensor> FromNumpy(const std::optional<py::array> &array) {
  return array ? std::optional<Tensor>(FromNumpy(*array)) : std::nullopt;
}

Tensor Describe(const py::handle &tensor) {
  Tensor view;
  if (py::isinstance<py::tuple>(tensor)) {
    const auto pair = tensor.cast<py::tuple>();
    if (pair.size() < 2)
      throw py::value_error("tensor: expected an array or (shape, dtype), got a shorter tuple");
    view.shape = ShapeOf(pair[0]);
    view.dtype = DTypeOf(pair[1]);
  } else {
    view.shape = ShapeOf(tensor.attr("shape"));
    view.dtype = DTypeOf(tensor.attr("dtype"));
  }
  view.strides = ContiguousStrides(view.shape);
  return view;
}

std::optional<Tensor> DescribeOptional(const py::handle &tensor) {
  return tensor.is_none() ? std::nullopt : std::optional<Tensor>(Describe(tensor));
}

py::array Poisoned(const Tensor &output) {
  const std::string name = DTypeName(output.dtype);
  const py::object type =
      name == "bfloat16" ? py::module_::import("ml_dtypes").attr("bfloat16") : py::object(py::str(name));
  py::array array(py::dtype::from_args(type),
                  std::vector<py::ssize_t>(output.shape.begin(), output.shape.end()));
  std::memset(array.mutable_data(), 0xA5, array.nbytes());
  return array;
}

py::array OutputArray(const char *name, const std::optional<py::array> &out, Tensor *output) {
  py::array array = out ? *out : Poisoned(*output);
  if (!array.writeable())
    throw py::value_error(std::string(name) + ": expected a writable array, got a read-only one");
  *output = FromNumpy(array);
  return array;
}

void Raise(PyObject *type, const std::string &text, int32_t code) {
  py::object error = py::reinterpret_borrow<py::object>(type)(text);
  error.attr("code") = code;
  PyErr_SetObject(type, error.ptr());
  throw py::error_already_set();
}

void Check(const char *name, const Status &status) {
  if (status.ok()) return;
  Raise(PyExc_ValueError, std::string(name) + ": " + status.message, static_cast<int32_t>(status.code));
}

const ParallelFor &Threads() {
  static const ParallelFor threads = PoolFor;
  return threads;
}

py::object FromJson(const std::string &json) { return py::module_::import("json").attr("loads")(json); }

}  // namespace avo::native
