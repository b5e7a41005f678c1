// SPDX-License-Identifier: Apache-2.0
// Converts between NumPy arrays and views, allocates outputs, and raises errors.
#include "native_common.h"

namespace avo::native {
namespace {

std::vector<void (*)(Modules &)> &Registered() {
  static std::vector<void (*)(Modules &)> functions;
  return functions;
}

struct Kind {
  DType dtype;
  char kind;  // NumPy's kind of the type; 'V' for a type that ml_dtypes registers
  int64_t size;
};

// The last ones are types that no contract has, with numbers of aclDataType, for which DTypeName has names.
constexpr Kind kKinds[] = {
    {DType::kFloat32, 'f', 4},        {DType::kFloat16, 'f', 2},        {DType::kBFloat16, 'V', 2},
    {DType::kFloat64, 'f', 8},        {DType::kInt8, 'i', 1},           {DType::kInt16, 'i', 2},
    {DType::kInt32, 'i', 4},          {DType::kInt64, 'i', 8},          {DType::kUInt8, 'u', 1},
    {DType::kBool, 'b', 1},           {static_cast<DType>(7), 'u', 2},  {static_cast<DType>(8), 'u', 4},
    {static_cast<DType>(10), 'u', 8}, {static_cast<DType>(16), 'c', 8}, {static_cast<DType>(17), 'c', 16},
};

DType OfType(const py::dtype &type) {
  for (const Kind &known : kKinds) {
    if (known.kind != type.kind() || known.size != type.itemsize()) continue;
    // The kind and size identify a dtype. Its name would cost 6 us for two arrays, because NumPy computes it
    // in Python; a whole small call takes 3 us.
    if (known.kind != 'V' || py::str(type.attr("name")).cast<std::string>() == DTypeName(known.dtype))
      return known.dtype;
  }
  throw py::value_error("array: expected a dtype that NPUs have, got " + py::str(type).cast<std::string>());
}

py::array Fresh(const Tensor &output) {
  const std::string name = DTypeName(output.dtype);
  // NumPy knows the name bfloat16 after ml_dtypes is imported.
  if (output.dtype == DType::kBFloat16) py::module_::import("ml_dtypes");
  return {py::dtype(name), output.shape};
}

Shape ShapeOf(const py::handle &shape) {
  return py::isinstance<py::int_>(shape) ? Shape{shape.cast<int64_t>()} : shape.cast<Shape>();
}

}  // namespace

Registration::Registration(void (*add)(Modules &)) { Registered().push_back(add); }

void Registration::AddAll(Modules &modules) {
  for (const auto add : Registered()) add(modules);
}

DType DTypeOf(const py::handle &dtype) {
  if (!py::isinstance<py::str>(dtype))
    return OfType(py::dtype::from_args(py::reinterpret_borrow<py::object>(dtype)));
  const auto name = dtype.cast<std::string>();
  for (const Kind &known : kKinds) {
    if (DTypeName(known.dtype) == name) return known.dtype;
  }
  return static_cast<DType>(-1);
}

Tensor FromNumpy(const py::array &array) {
  Tensor view;
  view.dtype = OfType(array.dtype());
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

py::array OutputArray(const char *name, const std::optional<py::array> &out, Tensor *output) {
  py::array array = out ? *out : Fresh(*output);
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
