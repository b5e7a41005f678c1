// SPDX-License-Identifier: Apache-2.0
// dst = src0 + src1 and its like. The sum is no tensor: the instruction is issued by the assignment, and
// computes all elements of dst.
#pragma once

#include "kernel_operator_vec_binary_intf.h"
#include "kernel_operator_vec_cmpsel_intf.h"

namespace sim {

// Operators take no default argument, so that faults find the line by the calls that led there.
constexpr Where kOfOperator{"", 0};

template <typename T, typename F>
struct TensorExpression {
  AscendC::LocalTensor<T> src0;
  AscendC::LocalTensor<T> src1;
  F function;

  template <typename D>
  void AssignTo(const AscendC::LocalTensor<D> &dst) const {
    function(dst, src0, src1);
  }
};
template <typename T, typename F>
TensorExpression<T, F> Combined(const AscendC::LocalTensor<T> &src0, const AscendC::LocalTensor<T> &src1,
                                F function) {
  return {src0, src1, function};
}

}  // namespace sim

namespace AscendC {

#define SIM_TENSOR_OPERATOR(op, Name)                                                    \
  template <typename T>                                                                  \
  auto operator op(const LocalTensor<T> &src0, const LocalTensor<T> &src1) {             \
    return sim::Combined(src0, src1, [](const auto &dst, const auto &a, const auto &b) { \
      Name(dst, a, b, static_cast<int32_t>(dst.GetSize()), sim::kOfOperator);            \
    });                                                                                  \
  }
SIM_TENSOR_OPERATOR(+, Add)
SIM_TENSOR_OPERATOR(-, Sub)
SIM_TENSOR_OPERATOR(*, Mul)
SIM_TENSOR_OPERATOR(/, Div)
SIM_TENSOR_OPERATOR(&, And)
SIM_TENSOR_OPERATOR(|, Or)
#undef SIM_TENSOR_OPERATOR

// Comparisons compute all elements of their sources, as dst holds bits.
#define SIM_TENSOR_COMPARISON(op, mode)                                                  \
  template <typename T>                                                                  \
  auto operator op(const LocalTensor<T> &src0, const LocalTensor<T> &src1) {             \
    return sim::Combined(src0, src1, [](const auto &dst, const auto &a, const auto &b) { \
      Compare(dst, a, b, CMPMODE::mode, a.GetSize(), sim::kOfOperator);                  \
    });                                                                                  \
  }
SIM_TENSOR_COMPARISON(<, LT)
SIM_TENSOR_COMPARISON(>, GT)
SIM_TENSOR_COMPARISON(==, EQ)
SIM_TENSOR_COMPARISON(<=, LE)
SIM_TENSOR_COMPARISON(>=, GE)
SIM_TENSOR_COMPARISON(!=, NE)
#undef SIM_TENSOR_COMPARISON

}  // namespace AscendC
