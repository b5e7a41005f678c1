// SPDX-License-Identifier: Apache-2.0
// Built-in aclnn operators on ATen's CPU kernels, one line each:
//
//   ACLNN(Add, In(self), In(other), Number(alpha), Out(out)) { at::add_out(out, self, other, alpha); }
//
// makes both C functions of aclnnAdd. The list spells the C signature; in the body, which the stream's thread
// runs, `self` is an at::Tensor on the tensor's memory, `alpha` an at::Scalar, and so on:
//
//   In           const aclTensor *        at::Tensor, undefined where null
//   Out, InOut   aclTensor *, const too   the same, written
//   InList       const aclTensorList *    std::vector<at::Tensor>
//   OutList      const aclTensorList *    the same, written
//   Found        aclTensor *              a result whose shape the data decide
//   Number       const aclScalar *        at::Scalar; Bound: std::optional, none where null
//   Numbers      a list of scalars, or a tensor of them: std::vector<at::Scalar>
//   Ints, Bools  const acl…Array *        std::vector
//   Type         aclDataType              at::ScalarType
//   Int, Int8, Int32, Bool, Double, Float, Text  themselves
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "aclnn/acl_meta.h"
#include "opbase/tensor.h"
#include "sim/op_plan.h"

namespace sim::builtin {

constexpr int32_t kParamInvalid = 161002;  // ACLNN_ERR_PARAM_INVALID

using Tensors = std::vector<at::Tensor>;

// The views of a call, in the order of its arguments.
struct Call {
  OpPlan plan;
  std::vector<int> slots;

  size_t Add(const aclTensor *tensor, bool written);
};

at::ScalarType TypeOf(aclDataType dtype);
std::optional<at::Scalar> NumberOf(const aclScalar *scalar);  // none where null
std::vector<const aclTensor *> MembersOf(const aclTensorList *list);
std::string TextOf(const char *text);

// Adapters. Each has the C type of an argument, which the first phase gets, and converts it to what the body
// gets.
template <typename C, bool kWritten>
struct TensorArgument {
  size_t place;
  TensorArgument(Call &call, C tensor) : place(call.Add(tensor, kWritten)) {}
  at::Tensor operator()(const Tensors &views) const { return views[place]; }
};

template <typename C, bool kWritten>
struct ListArgument {
  std::vector<size_t> places;
  ListArgument(Call &call, C list) {
    for (const aclTensor *tensor : MembersOf(list)) places.push_back(call.Add(tensor, kWritten));
  }
  Tensors operator()(const Tensors &views) const {
    Tensors list;
    for (const size_t place : places) list.push_back(views[place]);
    return list;
  }
};

template <typename Value>
struct ValueArgument {
  Value value;
  template <typename C>
  ValueArgument(Call &, C c) : value(Take(Convert(c))) {}
  Value operator()(const Tensors &) const { return value; }

  // A null pointer gives 0 for a number that is not optional.
  static Value Take(const std::optional<at::Scalar> &number) {
    if constexpr (std::is_same_v<Value, at::Scalar>) {
      return number.value_or(at::Scalar());
    } else {
      return number;
    }
  }
  template <typename Plain>
  static Value Take(const Plain &plain) {
    return plain;
  }

  static std::optional<at::Scalar> Convert(const aclScalar *scalar) { return NumberOf(scalar); }
  static std::vector<int64_t> Convert(const aclIntArray *array) { return IntArrayValues(array); }
  static std::vector<bool> Convert(const aclBoolArray *array) { return BoolArrayValues(array); }
  static at::ScalarType Convert(aclDataType dtype) { return TypeOf(dtype); }
  static std::string Convert(const char *text) { return TextOf(text); }
  template <typename Plain>
  static Plain Convert(Plain plain) {
    return plain;
  }
};

struct NumbersArgument {
  std::vector<at::Scalar> values;
  std::optional<size_t> place;  // of the tensor, where one holds the numbers
  NumbersArgument(Call &call, const void *list_or_tensor);
  std::vector<at::Scalar> operator()(const Tensors &views) const;
};

// A result whose shape depends on the data. It has memory for the largest shape.
struct Found {
  at::Tensor memory;
  std::shared_ptr<opbase::TensorState> state;

  // Stores the result; aclGetViewShape then gives its shape.
  void Give(const at::Tensor &result) const;
};

struct FoundArgument {
  size_t place;
  std::shared_ptr<opbase::TensorState> state;
  FoundArgument(Call &call, aclTensor *tensor);
  Found operator()(const Tensors &views) const { return {views[place], state}; }
};

// Makes `body` the only step of an executor. `name` is the function's in messages.
aclnnStatus Finish(Call &call, const char *name, std::function<void(const Tensors &)> body,
                   uint64_t *workspace, aclOpExecutor **executor);

template <typename... Arguments, typename Body, typename... C>
aclnnStatus Plan(const char *name, uint64_t *workspace, aclOpExecutor **executor, Body body, C... arguments) {
  try {
    Call call;
    const std::tuple<Arguments...> bound{
        Arguments(call, arguments)...};  // braces evaluate from the first to the last
    const auto run = [body, bound](const Tensors &views) {
      std::apply([&](const auto &...argument) { body(argument(views)...); }, bound);
    };
    return Finish(call, name, run, workspace, executor);
  } catch (...) {
    return ReportException(kParamInvalid, name);
  }
}

}  // namespace sim::builtin

// What an item of the list stands for: its C parameter, its name, its adapter, and the parameter of the body.
#define AVO_C_In(name) const aclTensor *name
#define AVO_C_Out(name) aclTensor *name
#define AVO_C_Found(name) aclTensor *name
#define AVO_C_InOut(name) const aclTensor *name
#define AVO_C_InList(name) const aclTensorList *name
#define AVO_C_OutList(name) const aclTensorList *name
#define AVO_C_Number(name) const aclScalar *name
#define AVO_C_Numbers(name) const void *name
#define AVO_C_Bound(name) const aclScalar *name
#define AVO_C_Ints(name) const aclIntArray *name
#define AVO_C_Bools(name) const aclBoolArray *name
#define AVO_C_Type(name) aclDataType name
#define AVO_C_Int(name) int64_t name
#define AVO_C_Int32(name) int32_t name
#define AVO_C_Int8(name) int8_t name
#define AVO_C_Bool(name) bool name
#define AVO_C_Double(name) double name
#define AVO_C_Float(name) float name
#define AVO_C_Text(name) const char *name

#define AVO_N_In(name) name
#define AVO_N_Out(name) name
#define AVO_N_Found(name) name
#define AVO_N_InOut(name) name
#define AVO_N_InList(name) name
#define AVO_N_OutList(name) name
#define AVO_N_Number(name) name
#define AVO_N_Numbers(name) name
#define AVO_N_Bound(name) name
#define AVO_N_Ints(name) name
#define AVO_N_Bools(name) name
#define AVO_N_Type(name) name
#define AVO_N_Int(name) name
#define AVO_N_Int32(name) name
#define AVO_N_Int8(name) name
#define AVO_N_Bool(name) name
#define AVO_N_Double(name) name
#define AVO_N_Float(name) name
#define AVO_N_Text(name) name

#define AVO_A_In(name) ::sim::builtin::TensorArgument<const aclTensor *, false>
#define AVO_A_Out(name) ::sim::builtin::TensorArgument<aclTensor *, true>
#define AVO_A_Found(name) ::sim::builtin::FoundArgument
#define AVO_A_InOut(name) ::sim::builtin::TensorArgument<const aclTensor *, true>
#define AVO_A_InList(name) ::sim::builtin::ListArgument<const aclTensorList *, false>
#define AVO_A_OutList(name) ::sim::builtin::ListArgument<const aclTensorList *, true>
#define AVO_A_Number(name) ::sim::builtin::ValueArgument<at::Scalar>
#define AVO_A_Numbers(name) ::sim::builtin::NumbersArgument
#define AVO_A_Bound(name) ::sim::builtin::ValueArgument<std::optional<at::Scalar>>
#define AVO_A_Ints(name) ::sim::builtin::ValueArgument<std::vector<int64_t>>
#define AVO_A_Bools(name) ::sim::builtin::ValueArgument<std::vector<bool>>
#define AVO_A_Type(name) ::sim::builtin::ValueArgument<at::ScalarType>
#define AVO_A_Int(name) ::sim::builtin::ValueArgument<int64_t>
#define AVO_A_Int32(name) ::sim::builtin::ValueArgument<int32_t>
#define AVO_A_Int8(name) ::sim::builtin::ValueArgument<int8_t>
#define AVO_A_Bool(name) ::sim::builtin::ValueArgument<bool>
#define AVO_A_Double(name) ::sim::builtin::ValueArgument<double>
#define AVO_A_Float(name) ::sim::builtin::ValueArgument<float>
#define AVO_A_Text(name) ::sim::builtin::ValueArgument<std::string>

#define AVO_B_In(name) [[maybe_unused]] const at::Tensor &name
#define AVO_B_Out(name) [[maybe_unused]] at::Tensor name
#define AVO_B_Found(name) const ::sim::builtin::Found &name
#define AVO_B_InOut(name) [[maybe_unused]] at::Tensor name
#define AVO_B_InList(name) [[maybe_unused]] const ::sim::builtin::Tensors &name
#define AVO_B_OutList(name) [[maybe_unused]] ::sim::builtin::Tensors name
#define AVO_B_Number(name) [[maybe_unused]] const at::Scalar &name
#define AVO_B_Numbers(name) [[maybe_unused]] const std::vector<at::Scalar> &name
#define AVO_B_Bound(name) [[maybe_unused]] const std::optional<at::Scalar> &name
#define AVO_B_Ints(name) [[maybe_unused]] const std::vector<int64_t> &name
#define AVO_B_Bools(name) [[maybe_unused]] const std::vector<bool> &name
#define AVO_B_Type(name) [[maybe_unused]] at::ScalarType name
#define AVO_B_Int(name) [[maybe_unused]] int64_t name
#define AVO_B_Int32(name) [[maybe_unused]] int32_t name
#define AVO_B_Int8(name) [[maybe_unused]] int8_t name
#define AVO_B_Bool(name) [[maybe_unused]] bool name
#define AVO_B_Double(name) [[maybe_unused]] double name
#define AVO_B_Float(name) [[maybe_unused]] float name
#define AVO_B_Text(name) [[maybe_unused]] const std::string &name

// AVO_EACH(R, items…): AVO_R_item for each item, separated by commas; up to 64 items. AVO_NEXT expands to the
// first item and to the text of a call of itself for the others, which the next rescan expands.
#define AVO_EACH(R, ...) AVO_RESCAN(AVO_NEXT(R, __VA_ARGS__))
#define AVO_NEXT(R, item, ...) AVO_##R##_##item __VA_OPT__(, AVO_LATER AVO_PARENTHESES(R, __VA_ARGS__))
#define AVO_LATER() AVO_NEXT
#define AVO_PARENTHESES ()
#define AVO_RESCAN(...) AVO_RESCAN16(AVO_RESCAN16(AVO_RESCAN16(AVO_RESCAN16(__VA_ARGS__))))
#define AVO_RESCAN16(...) AVO_RESCAN4(AVO_RESCAN4(AVO_RESCAN4(AVO_RESCAN4(__VA_ARGS__))))
#define AVO_RESCAN4(...) AVO_RESCAN1(AVO_RESCAN1(AVO_RESCAN1(AVO_RESCAN1(__VA_ARGS__))))
#define AVO_RESCAN1(...) __VA_ARGS__

// An operator whose function has another name than those that begin with aclnn, such as aclStft.
#define ACL_OPERATOR(function, ...)                                                                     \
  static void function##Body(AVO_EACH(B, __VA_ARGS__));                                                 \
  extern "C" ACL_FUNC_VISIBILITY aclnnStatus function##GetWorkspaceSize(                                \
      AVO_EACH(C, __VA_ARGS__), uint64_t *workspace_size, aclOpExecutor **op_executor) {                \
    return ::sim::builtin::Plan<AVO_EACH(A, __VA_ARGS__)>(#function, workspace_size, op_executor,       \
                                                          &function##Body, AVO_EACH(N, __VA_ARGS__));   \
  }                                                                                                     \
  extern "C" ACL_FUNC_VISIBILITY aclnnStatus function(void *workspace, uint64_t workspace_size,         \
                                                      aclOpExecutor *op_executor, aclrtStream stream) { \
    return ::sim::RunPlan(workspace, workspace_size, op_executor, stream);                              \
  }                                                                                                     \
  static void function##Body(AVO_EACH(B, __VA_ARGS__))

#define ACLNN(name, ...) ACL_OPERATOR(aclnn##name, __VA_ARGS__)
