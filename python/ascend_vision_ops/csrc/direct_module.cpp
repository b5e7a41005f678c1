// SPDX-License-Identifier: Apache-2.0
// The Python module _direct: objects that call kernels on cpu tensors without torch's dispatcher. Its
// conversions of arguments and results take 1 to 2 us less than those of torch, which is as long as a small
// kernel runs.
//
// A call is direct where the dispatcher would do nothing but call the kernel. Everything else, and every
// error, is left to the dispatcher: the object returns None then.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <array>
#include <new>
#include <vector>

#include <ATen/dlpack.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>

#include "direct.h"

// Parts of torch that its stable ABI does not have. _direct_calls.py loads this module beside the version of
// torch that it was built with, and beside no other.
namespace c10::impl {
// The dispatcher's keys that this thread includes and excludes in addition to those of a new thread. There
// are none without modes, transforms, autocast and inference mode.
struct Keys {
  uint64_t included, excluded;
};
extern __thread Keys raw_local_dispatch_key_set;
}  // namespace c10::impl
namespace at {
class TensorBase;
bool hasCallbacks();  // whether a profiler watches
namespace impl {
bool torch_function_mode_enabled();
}
}  // namespace at
PyObject *THPVariable_Wrap(const at::TensorBase &tensor);

namespace {

using avo::DType;
using avo::direct::Kind;
using avo::direct::Value;

constexpr Py_ssize_t kMostArguments = 16;

// What `setup` fills.
PyTypeObject *tensor_class, *parameter_class;
PyObject *int8_type, *uint8_type;  // torch.int8, torch.uint8
const DLPackExchangeAPI *exchange;
PyObject *requires_grad, *is_neg, *dtype_name;  // names of attributes

// Whether no mode, transform or profiler sees the calls of this thread.
bool ThreadIsPlain() {
  const auto &keys = c10::impl::raw_local_dispatch_key_set;
  return keys.included == 0 && keys.excluded == 0 && !at::impl::torch_function_mode_enabled() &&
         !at::hasCallbacks();
}

// --- arguments

// Whether an attribute, or the result of a method without arguments, is the object `expected`, which others
// hold too.
bool Is(PyObject *value, PyObject *expected) {
  if (value == nullptr) PyErr_Clear();
  Py_XDECREF(value);
  return value == expected;
}

bool ReadType(const DLDataType &type, DType *dtype) {
  struct Entry {
    uint8_t code, bits;
    DType dtype;
  };
  constexpr Entry kEntries[] = {
      {kDLFloat, 32, DType::kFloat32}, {kDLFloat, 16, DType::kFloat16}, {kDLBfloat, 16, DType::kBFloat16},
      {kDLFloat, 64, DType::kFloat64}, {kDLInt, 64, DType::kInt64},     {kDLInt, 32, DType::kInt32},
      {kDLInt, 16, DType::kInt16},     {kDLInt, 8, DType::kInt8},       {kDLUInt, 8, DType::kUInt8},
      {kDLBool, 8, DType::kBool},
  };
  for (const Entry &entry : kEntries) {
    if (entry.code == type.code && entry.bits == type.bits && type.lanes == 1) {
      *dtype = entry.dtype;
      return true;
    }
  }
  return false;
}

// Reads a tensor that only the kernel for cpu tensors would see. Tensors of transforms and layouts that have
// no memory of their own give an error or a null pointer.
bool ReadTensor(PyObject *object, bool grad_mode, Value *value) {
  if (grad_mode && !Is(PyObject_GetAttr(object, requires_grad), Py_False)) return false;
  if (!Is(PyObject_CallMethodNoArgs(object, is_neg), Py_False)) return false;
  DLTensor read = {};
  if (exchange->dltensor_from_py_object_no_sync(object, &read) != 0) {
    PyErr_Clear();
    return false;
  }
  if (read.device.device_type != kDLCPU || read.data == nullptr) return false;
  DType &dtype = value->tensor.dtype;
  if (!ReadType(read.dtype, &dtype)) return false;
  // DLPack takes torch.int1 to torch.int7 for int8, and the unsigned ones for uint8.
  PyObject *of_byte = dtype == DType::kInt8 ? int8_type : dtype == DType::kUInt8 ? uint8_type : nullptr;
  if (of_byte != nullptr && !Is(PyObject_GetAttr(object, dtype_name), of_byte)) return false;
  value->kind = Kind::kTensor;
  value->tensor.shape.assign(read.shape, read.shape + read.ndim);
  value->tensor.strides.assign(read.strides, read.strides + read.ndim);
  value->tensor.data = static_cast<char *>(read.data) + read.byte_offset;
  return true;
}

bool ReadInt(PyObject *object, int64_t *integer) {
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  *integer = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

// Reads a list or a tuple of ints.
bool ReadInts(PyObject *object, Value *value) {
  const Py_ssize_t length = PySequence_Fast_GET_SIZE(object);
  PyObject **items = PySequence_Fast_ITEMS(object);
  value->kind = Kind::kInts;
  value->ints.resize(length);
  for (Py_ssize_t i = 0; i < length; ++i) {
    if (!ReadInt(items[i], &value->ints[i])) return false;
  }
  return true;
}

// Reads an argument; false where only the dispatcher knows what it is. length: as how many ints one int
// counts, 0 where it is an int.
bool Read(PyObject *object, int64_t length, bool grad_mode, Value *value) {
  if (Py_TYPE(object) == tensor_class || Py_TYPE(object) == parameter_class) {
    return ReadTensor(object, grad_mode, value);
  }
  if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) return ReadInts(object, value);
  if (PyLong_CheckExact(object)) {
    value->kind = length > 0 ? Kind::kInts : Kind::kInt;
    if (!ReadInt(object, &value->integer)) return false;
    if (length > 0) value->ints.assign(length, value->integer);
  } else if (object == Py_None) {
    value->kind = Kind::kNone;
  } else if (PyBool_Check(object)) {
    value->kind = Kind::kBool;
    value->flag = object == Py_True;
  } else if (PyFloat_CheckExact(object)) {
    value->kind = Kind::kFloat;
    value->number = PyFloat_AS_DOUBLE(object);
  } else if (PyUnicode_CheckExact(object)) {
    Py_ssize_t bytes = 0;
    const char *text = PyUnicode_AsUTF8AndSize(object, &bytes);
    if (text == nullptr) PyErr_Clear();
    value->kind = Kind::kString;
    value->text.assign(text == nullptr ? "" : text, bytes);
    return text != nullptr;
  } else {
    return false;
  }
  return true;
}

// --- results

// Makes the Python object of a tensor, and deletes the handle.
PyObject *Wrap(void *handle) {
  PyObject *object = nullptr;
  try {
    object = THPVariable_Wrap(*static_cast<const at::TensorBase *>(handle));
  } catch (...) {
    if (PyErr_Occurred() == nullptr) PyErr_NoMemory();
  }
  AvoDirectDelete(handle);
  return object;
}

PyObject *WrapAll(void *const *handles, int count) {
  if (count == 1) return Wrap(handles[0]);
  PyObject *tuple = PyTuple_New(count);
  bool complete = tuple != nullptr;
  for (int i = 0; i < count; ++i) {
    PyObject *object = Wrap(handles[i]);
    complete = complete && object != nullptr;
    if (tuple != nullptr && object != nullptr) {
      PyTuple_SET_ITEM(tuple, i, object);
    } else {
      Py_XDECREF(object);
    }
  }
  if (!complete) Py_CLEAR(tuple);
  return tuple;
}

// --- calls

// The object `Call(name, lengths)`: a function of the operator's positional arguments.
struct Call {
  PyObject head;
  vectorcallfunc vectorcall;
  avo::direct::Function function;
  Py_ssize_t count;
  std::array<int64_t, kMostArguments> lengths;
};

bool ReadAll(const Call &call, PyObject *const *arguments, Value *values) {
  const bool grad_mode = aoti_torch_grad_mode_is_enabled();
  try {
    for (Py_ssize_t i = 0; i < call.count; ++i) {
      if (!Read(arguments[i], call.lengths[i], grad_mode, &values[i])) return false;
    }
  } catch (const std::bad_alloc &) {
    return false;  // there is no memory for a long list
  }
  return true;
}

PyObject *Compute(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names) {
  const Call &call = *reinterpret_cast<Call *>(self);
  if (PyVectorcall_NARGS(flags) != call.count || names != nullptr) {
    PyErr_Format(PyExc_TypeError, "expected %zd positional arguments, got %zd", call.count,
                 PyVectorcall_NARGS(flags));
    return nullptr;
  }
  if (!ThreadIsPlain()) Py_RETURN_NONE;
  // They keep their memory for the thread's next call.
  static thread_local std::array<Value, kMostArguments> values;
  if (!ReadAll(call, arguments, values.data())) Py_RETURN_NONE;
  void *results[avo::direct::kMostResults];
  PyThreadState *const state = PyEval_SaveThread();
  const int made = call.function(values.data(), results);
  PyEval_RestoreThread(state);
  if (made == 0) Py_RETURN_NONE;
  return WrapAll(results, made);
}

// Call.__new__(name, lengths): raises LookupError for an operator without direct calls.
PyObject *New(PyTypeObject *type, PyObject *arguments, PyObject * /*keywords*/) {
  const char *name = nullptr;
  PyObject *lengths = nullptr;
  if (!PyArg_ParseTuple(arguments, "sO!:Call", &name, &PyTuple_Type, &lengths)) return nullptr;
  avo::direct::Function function = AvoDirectFunction(name);
  const Py_ssize_t count = PyTuple_GET_SIZE(lengths);
  if (function == nullptr || count > kMostArguments) {
    return PyErr_Format(PyExc_LookupError, "no direct calls of an operator '%s' of %zd arguments", name,
                        count);
  }
  PyObject *self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  auto &call = *reinterpret_cast<Call *>(self);
  call.vectorcall = Compute;
  call.function = function;
  call.count = count;
  for (Py_ssize_t i = 0; i < count; ++i) {
    call.lengths[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(lengths, i));
  }
  if (PyErr_Occurred() != nullptr) Py_CLEAR(self);
  return self;
}

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Call, vectorcall), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(New)},
                       {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                       {Py_tp_members, members},
                       {0, nullptr}};
PyType_Spec call_type = {"ascend_vision_ops._direct.Call", sizeof(Call), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};

// --- the module

// setup(Tensor, Parameter, int8, uint8): the classes whose objects a direct call takes, and two dtypes.
PyObject *Setup(PyObject * /*module*/, PyObject *arguments) {
  if (!PyArg_ParseTuple(arguments, "O!O!OO:setup", &PyType_Type, &tensor_class, &PyType_Type,
                        &parameter_class, &int8_type, &uint8_type)) {
    return nullptr;
  }
  PyObject *capsule =
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(tensor_class), "__dlpack_c_exchange_api__");
  if (capsule == nullptr) return nullptr;
  exchange = static_cast<const DLPackExchangeAPI *>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  Py_DECREF(capsule);
  if (exchange == nullptr) return nullptr;
  if (exchange->header.version.major != DLPACK_MAJOR_VERSION ||
      exchange->dltensor_from_py_object_no_sync == nullptr) {
    return PyErr_Format(PyExc_ImportError, "expected tensors of DLPack %d, got those of DLPack %d",
                        DLPACK_MAJOR_VERSION, static_cast<int>(exchange->header.version.major));
  }
  Py_INCREF(tensor_class);
  Py_INCREF(parameter_class);
  Py_INCREF(int8_type);
  Py_INCREF(uint8_type);
  requires_grad = PyUnicode_InternFromString("requires_grad");
  is_neg = PyUnicode_InternFromString("is_neg");
  dtype_name = PyUnicode_InternFromString("dtype");
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {{"setup", Setup, METH_VARARGS,
                          "setup(Tensor, Parameter, int8, uint8): what a direct call compares tensors with."},
                         {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_direct",
                          "Calls of kernels on cpu tensors without torch's dispatcher.",
                          -1,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__direct() {
  PyObject *module = PyModule_Create(&definition);
  if (module == nullptr) return nullptr;
  PyObject *type = PyType_FromSpec(&call_type);
  if (type == nullptr || PyModule_AddObject(module, "Call", type) < 0 ||
      PyModule_AddStringConstant(module, "torch_version", AVO_TORCH_VERSION) < 0) {
    Py_CLEAR(module);
  }
  return module;
}
