// SPDX-License-Identifier: Apache-2.0
// Tables of built-in operators that ATen has with the same arguments, a line each:
//
//   ATEN(Glu, at::glu, (In(self), Int(dim)), Out(out))
//
// defines aclnnGlu: the function gets the arguments in parentheses, and its results go to the tensors behind
// them. The other macros make several operators of a name in CANN and a name in ATen. bridge.h tells what In,
// Int, … are.
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "bridge.h"

namespace sim::builtin {

// An optional argument as ATen takes it.
inline std::optional<at::Tensor> Given(const at::Tensor &tensor) {
  return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
}

// Copies a result that was asked for and that was computed. A layer that does not train, for example,
// computes no statistics of its batch.
inline void Give(at::Tensor &out, const at::Tensor &result) {
  if (out.defined() && result.defined() && out.numel() > 0 && result.numel() > 0) out.copy_(result);
}

inline void Give(Tensors &outs, const Tensors &results) {
  for (size_t i = 0; i < outs.size(); ++i) Give(outs[i], results[i]);
}

template <typename... Outs, typename... Results, size_t... kPlaces>
void GiveEach(std::tuple<Outs &...> outs, const std::tuple<Results...> &results,
              std::index_sequence<kPlaces...>) {
  (Give(std::get<kPlaces>(outs), std::get<kPlaces>(results)), ...);
}

template <typename Result>
void Store(std::tuple<at::Tensor &> out, const Result &result) {
  Give(std::get<0>(out), result);
}

inline void Store(std::tuple<Tensors &> outs, const Tensors &results) { Give(std::get<0>(outs), results); }

template <typename... Outs, typename... Results>
void Store(std::tuple<Outs &...> outs, const std::tuple<Results...> &results) {
  GiveEach(outs, results, std::index_sequence_for<Outs...>());
}

}  // namespace sim::builtin

#define AVO_LIST(...) __VA_ARGS__

#define ATEN(name, function, arguments, ...)                                                              \
  ACLNN(name, AVO_LIST arguments, __VA_ARGS__) {                                                          \
    ::sim::builtin::Store(std::tie(AVO_EACH(N, __VA_ARGS__)), function(AVO_EACH(N, AVO_LIST arguments))); \
  }

// An operator that writes to its first argument: METHOD(InplaceEq, eq_, In(other)) calls self.eq_(other).
#define METHOD(name, method, ...) \
  ACLNN(name, InOut(self), __VA_ARGS__) { self.method(AVO_EACH(N, __VA_ARGS__)); }

// Of one tensor, element by element: aclnnSin, and aclnnInplaceSin too.
#define UNARY(name, function) \
  ACLNN(name, In(self), Out(out)) { at::function##_out(out, self); }
#define UNARIES(name, function) \
  UNARY(name, function)         \
  ACLNN(Inplace##name, InOut(self)) { at::function##_out(self, self); }

// Of two tensors, or of a tensor and a number.
#define BINARY(name, function) \
  ACLNN(name, In(self), In(other), Out(out)) { at::function##_out(out, self, other); }
#define WITH_NUMBER(name, function) \
  ACLNN(name, In(self), Number(other), Out(out)) { out.copy_(at::function(self, other)); }
#define INPLACE_BINARY(name, function) \
  ACLNN(name, InOut(self), In(other)) { self.function##_(other); }
#define INPLACE_WITH_NUMBER(name, function) \
  ACLNN(name, InOut(self), Number(other)) { self.function##_(other); }

// The four of aclnnEqTensor, aclnnEqScalar, and both in place.
#define TENSOR_AND_SCALAR(name, function)         \
  BINARY(name##Tensor, function)                  \
  WITH_NUMBER(name##Scalar, function)             \
  INPLACE_BINARY(Inplace##name##Tensor, function) \
  INPLACE_WITH_NUMBER(Inplace##name##Scalar, function)
