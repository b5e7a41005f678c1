// SPDX-License-Identifier: Apache-2.0
// Makes functions of direct calls from kernels on cpu tensors.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "direct.h"
#include "torch_common.h"

namespace avo::torch_face {

// How a kernel's parameter of type T takes a value: `Fits` says whether it does.
template <typename T>
struct Argument;

template <direct::Kind kind, auto member>
struct ArgumentOf {
  static bool Fits(const direct::Value &value) { return value.kind == kind; }
  static const auto &From(const direct::Value &value) { return value.*member; }
};

template <>
struct Argument<Tensor> : ArgumentOf<direct::Kind::kTensor, &direct::Value::tensor> {};
template <>
struct Argument<int64_t> : ArgumentOf<direct::Kind::kInt, &direct::Value::integer> {};
template <>
struct Argument<bool> : ArgumentOf<direct::Kind::kBool, &direct::Value::flag> {};
template <>
struct Argument<std::string> : ArgumentOf<direct::Kind::kString, &direct::Value::text> {};
template <>
struct Argument<std::vector<int64_t>> : ArgumentOf<direct::Kind::kInts, &direct::Value::ints> {};

template <>
struct Argument<double> {
  static bool Fits(const direct::Value &value) {
    return value.kind == direct::Kind::kFloat || value.kind == direct::Kind::kInt;
  }
  static double From(const direct::Value &value) {
    return value.kind == direct::Kind::kFloat ? value.number : static_cast<double>(value.integer);
  }
};

// The dispatcher knows numbers of dtypes; a direct call leaves them out.
template <>
struct Argument<TorchType> {
  static bool Fits(const direct::Value & /*value*/) { return false; }
  static TorchType From(const direct::Value & /*value*/) { return TorchType::Undefined; }
};

template <typename T>
struct Argument<std::optional<T>> {
  static bool Fits(const direct::Value &value) {
    return value.kind == direct::Kind::kNone || Argument<T>::Fits(value);
  }
  static std::optional<T> From(const direct::Value &value) {
    return value.kind == direct::Kind::kNone ? std::nullopt : std::optional<T>(Argument<T>::From(value));
  }
};

// Makes a handle of a result that outlives it.
void *Handle(const TorchTensor &result);

// The function of direct calls of a kernel.
template <auto kernel>
struct Direct;

template <typename Results, typename... Parameters, Results (*kernel)(Parameters...)>
struct Direct<kernel> {
  static int Call(const direct::Value *values, void **results) {
    return CallEach(values, results, std::index_sequence_for<Parameters...>());
  }

 private:
  template <size_t... at>
  static int CallEach(const direct::Value *values, void **results, std::index_sequence<at...> /*order*/) {
    if (!(Argument<std::decay_t<Parameters>>::Fits(values[at]) && ...)) return 0;
    try {
      return Give(kernel(Argument<std::decay_t<Parameters>>::From(values[at])...), results);
    } catch (...) {
      return 0;  // the dispatcher's call raises the same error again, in torch's form
    }
  }

  static int Give(const TorchTensor &result, void **results) {
    results[0] = Handle(result);
    return 1;
  }

  template <typename... Tensors>
  static int Give(const std::tuple<Tensors...> &made, void **results) {
    static_assert(sizeof...(Tensors) <= direct::kMostResults);
    std::apply([&](const auto &...result) { ((*results++ = Handle(result)), ...); }, made);
    return sizeof...(Tensors);
  }
};

// Makes the function known to AvoDirectFunction. An object of this type is a static variable of a kernel's
// source.
struct RegisterDirect {
  RegisterDirect(const char *name, direct::Function function);
};

}  // namespace avo::torch_face
