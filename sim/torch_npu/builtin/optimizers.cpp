// SPDX-License-Identifier: Apache-2.0
// Operators of optimisers: the same operation on every tensor of a list. Scalars are tensors of one element.
#include <ATen/ATen.h>

#include "bridge.h"

namespace {

using sim::builtin::Tensors;

void GiveAll(Tensors &outs, const Tensors &results) {
  for (size_t i = 0; i < outs.size(); ++i) outs[i].copy_(results[i]);
}

}  // namespace

ACLNN(ForeachAddList, InList(self), InList(other), In(alpha), OutList(out)) {
  GiveAll(out, at::_foreach_add(self, other, alpha.item()));
}
ACLNN(ForeachSubList, InList(self), InList(other), In(alpha), OutList(out)) {
  GiveAll(out, at::_foreach_sub(self, other, alpha.item()));
}
ACLNN(ForeachMulList, InList(self), InList(other), OutList(out)) {
  GiveAll(out, at::_foreach_mul(self, other));
}
ACLNN(ForeachDivList, InList(self), InList(other), OutList(out)) {
  GiveAll(out, at::_foreach_div(self, other));
}
ACLNN(ForeachMaximumList, InList(self), InList(other), OutList(out)) {
  GiveAll(out, at::_foreach_maximum(self, other));
}
ACLNN(ForeachMinimumList, InList(self), InList(other), OutList(out)) {
  GiveAll(out, at::_foreach_minimum(self, other));
}
ACLNN(ForeachAddScalar, InList(self), In(scalar), OutList(out)) {
  GiveAll(out, at::_foreach_add(self, scalar.item()));
}
ACLNN(ForeachSubScalar, InList(self), In(scalar), OutList(out)) {
  GiveAll(out, at::_foreach_sub(self, scalar.item()));
}
ACLNN(ForeachMulScalar, InList(self), In(scalar), OutList(out)) {
  GiveAll(out, at::_foreach_mul(self, scalar.item()));
}
ACLNN(ForeachDivScalar, InList(self), In(scalar), OutList(out)) {
  GiveAll(out, at::_foreach_div(self, scalar.item()));
}
ACLNN(ForeachMaximumScalar, InList(self), In(scalar), OutList(out)) {
  GiveAll(out, at::_foreach_maximum(self, scalar.item()));
}
ACLNN(ForeachMinimumScalar, InList(self), In(scalar), OutList(out)) {
  GiveAll(out, at::_foreach_minimum(self, scalar.item()));
}
ACLNN(ForeachPowScalar, InList(self), In(scalar), OutList(out)) {
  GiveAll(out, at::_foreach_pow(self, scalar.item()));
}
ACLNN(ForeachAddcdivScalar, InList(self), InList(tensor1), InList(tensor2), In(value), OutList(out)) {
  GiveAll(out, at::_foreach_addcdiv(self, tensor1, tensor2, value.item()));
}
ACLNN(ForeachAddcmulScalar, InList(self), InList(tensor1), InList(tensor2), In(value), OutList(out)) {
  GiveAll(out, at::_foreach_addcmul(self, tensor1, tensor2, value.item()));
}
ACLNN(ForeachAddScalarList, InList(self), Numbers(scalars), OutList(out)) {
  GiveAll(out, at::_foreach_add(self, scalars));
}
ACLNN(ForeachSubScalarList, InList(self), Numbers(scalars), OutList(out)) {
  GiveAll(out, at::_foreach_sub(self, scalars));
}
ACLNN(ForeachMulScalarList, InList(self), Numbers(scalars), OutList(out)) {
  GiveAll(out, at::_foreach_mul(self, scalars));
}
ACLNN(ForeachDivScalarList, InList(self), Numbers(scalars), OutList(out)) {
  GiveAll(out, at::_foreach_div(self, scalars));
}
ACLNN(ForeachMaximumScalarList, InList(self), Numbers(scalars), OutList(out)) {
  GiveAll(out, at::_foreach_maximum(self, scalars));
}
ACLNN(ForeachMinimumScalarList, InList(self), Numbers(scalars), OutList(out)) {
  GiveAll(out, at::_foreach_minimum(self, scalars));
}
ACLNN(ForeachPowScalarList, InList(self), Numbers(scalars), OutList(out)) {
  GiveAll(out, at::_foreach_pow(self, scalars));
}
ACLNN(ForeachAddcdivScalarList, InList(self), InList(tensor1), InList(tensor2), Numbers(values),
      OutList(out)) {
  GiveAll(out, at::_foreach_addcdiv(self, tensor1, tensor2, values));
}
ACLNN(ForeachAddcmulScalarList, InList(self), InList(tensor1), InList(tensor2), Numbers(values),
      OutList(out)) {
  GiveAll(out, at::_foreach_addcmul(self, tensor1, tensor2, values));
}
ACLNN(ForeachLerpScalar, InList(self), InList(end), Number(weight), OutList(out)) {
  GiveAll(out, at::_foreach_lerp(self, end, weight));
}
ACLNN(ForeachLerpList, InList(self), InList(end), InList(weights), OutList(out)) {
  GiveAll(out, at::_foreach_lerp(self, end, weights));
}
ACLNN(ForeachAbs, InList(self), OutList(out)) { GiveAll(out, at::_foreach_abs(self)); }
ACLNN(ForeachExp, InList(self), OutList(out)) { GiveAll(out, at::_foreach_exp(self)); }
ACLNN(ForeachLog, InList(self), OutList(out)) { GiveAll(out, at::_foreach_log(self)); }
ACLNN(ForeachNeg, InList(self), OutList(out)) { GiveAll(out, at::_foreach_neg(self)); }
ACLNN(ForeachReciprocal, InList(self), OutList(out)) { GiveAll(out, at::_foreach_reciprocal(self)); }
ACLNN(ForeachSigmoid, InList(self), OutList(out)) { GiveAll(out, at::_foreach_sigmoid(self)); }
ACLNN(ForeachSign, InList(self), OutList(out)) { GiveAll(out, at::_foreach_sign(self)); }
ACLNN(ForeachSqrt, InList(self), OutList(out)) { GiveAll(out, at::_foreach_sqrt(self)); }
ACLNN(ForeachTanh, InList(self), OutList(out)) { GiveAll(out, at::_foreach_tanh(self)); }
ACLNN(ForeachCopy, InList(source), OutList(out)) { GiveAll(out, source); }
ACLNN(ForeachZeroInplace, OutList(self)) {
  for (at::Tensor &tensor : self) tensor.zero_();
}
