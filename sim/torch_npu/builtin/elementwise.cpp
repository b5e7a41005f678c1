// SPDX-License-Identifier: Apache-2.0
// Operators that work element by element: on one tensor, on two tensors, on a tensor and a number.
#include <ATen/ATen.h>

#include "bridge.h"

ACLNN(Abs, In(self), Out(out)) { at::abs_out(out, self); }
ACLNN(Ceil, In(self), Out(out)) { at::ceil_out(out, self); }
ACLNN(Cos, In(self), Out(out)) { at::cos_out(out, self); }
ACLNN(Cosh, In(self), Out(out)) { at::cosh_out(out, self); }
ACLNN(Erf, In(self), Out(out)) { at::erf_out(out, self); }
ACLNN(Erfc, In(self), Out(out)) { at::erfc_out(out, self); }
ACLNN(Exp, In(self), Out(out)) { at::exp_out(out, self); }
ACLNN(Expm1, In(self), Out(out)) { at::expm1_out(out, self); }
ACLNN(Floor, In(self), Out(out)) { at::floor_out(out, self); }
ACLNN(Log, In(self), Out(out)) { at::log_out(out, self); }
ACLNN(Log10, In(self), Out(out)) { at::log10_out(out, self); }
ACLNN(Log1p, In(self), Out(out)) { at::log1p_out(out, self); }
ACLNN(Log2, In(self), Out(out)) { at::log2_out(out, self); }
ACLNN(Neg, In(self), Out(out)) { at::neg_out(out, self); }
ACLNN(Reciprocal, In(self), Out(out)) { at::reciprocal_out(out, self); }
ACLNN(Relu, In(self), Out(out)) { out.copy_(at::relu(self)); }
ACLNN(Round, In(self), Out(out)) { at::round_out(out, self); }
ACLNN(Rsqrt, In(self), Out(out)) { at::rsqrt_out(out, self); }
ACLNN(Sigmoid, In(self), Out(out)) { at::sigmoid_out(out, self); }
ACLNN(Sign, In(self), Out(out)) { at::sign_out(out, self); }
ACLNN(Silu, In(self), Out(out)) { at::silu_out(out, self); }
ACLNN(Sin, In(self), Out(out)) { at::sin_out(out, self); }
ACLNN(Sinh, In(self), Out(out)) { at::sinh_out(out, self); }
ACLNN(Sqrt, In(self), Out(out)) { at::sqrt_out(out, self); }
ACLNN(Tan, In(self), Out(out)) { at::tan_out(out, self); }
ACLNN(Tanh, In(self), Out(out)) { at::tanh_out(out, self); }
ACLNN(Trunc, In(self), Out(out)) { at::trunc_out(out, self); }
ACLNN(BitwiseNot, In(self), Out(out)) { at::bitwise_not_out(out, self); }
ACLNN(LogicalNot, In(self), Out(out)) { at::logical_not_out(out, self); }
ACLNN(IsFinite, In(self), Out(out)) { out.copy_(at::isfinite(self)); }
ACLNN(IsInf, In(self), Out(out)) { out.copy_(at::isinf(self)); }
ACLNN(InplaceRelu, InOut(self)) { self.relu_(); }
ACLNN(InplaceSigmoid, InOut(self)) { self.sigmoid_(); }
ACLNN(InplaceTanh, InOut(self)) { self.tanh_(); }
ACLNN(InplaceExp, InOut(self)) { self.exp_(); }
ACLNN(InplaceSqrt, InOut(self)) { self.sqrt_(); }
ACLNN(InplaceNeg, InOut(self)) { self.neg_(); }
ACLNN(InplaceReciprocal, InOut(self)) { self.reciprocal_(); }
ACLNN(InplaceRsqrt, InOut(self)) { self.rsqrt_(); }

ACLNN(Add, In(self), In(other), Number(alpha), Out(out)) { at::add_out(out, self, other, alpha); }
ACLNN(Adds, In(self), Number(other), Number(alpha), Out(out)) { out.copy_(at::add(self, other, alpha)); }
ACLNN(InplaceAdd, InOut(self), In(other), Number(alpha)) { self.add_(other, alpha); }
ACLNN(InplaceAdds, InOut(self), Number(other), Number(alpha)) { self.add_(other, alpha); }
ACLNN(Sub, In(self), In(other), Number(alpha), Out(out)) { at::sub_out(out, self, other, alpha); }
ACLNN(Subs, In(self), Number(other), Number(alpha), Out(out)) { out.copy_(at::sub(self, other, alpha)); }
ACLNN(Rsub, In(self), In(other), Number(alpha), Out(out)) { out.copy_(at::rsub(self, other, alpha)); }
ACLNN(Rsubs, In(self), Number(other), Number(alpha), Out(out)) { out.copy_(at::rsub(self, other, alpha)); }
ACLNN(InplaceSub, InOut(self), In(other), Number(alpha)) { self.sub_(other, alpha); }
ACLNN(InplaceSubs, InOut(self), Number(other), Number(alpha)) { self.sub_(other, alpha); }
ACLNN(Mul, In(self), In(other), Out(out)) { at::mul_out(out, self, other); }
ACLNN(Muls, In(self), Number(other), Out(out)) { out.copy_(at::mul(self, other)); }
ACLNN(InplaceMul, InOut(self), In(other)) { self.mul_(other); }
ACLNN(InplaceMuls, InOut(self), Number(other)) { self.mul_(other); }
ACLNN(Div, In(self), In(other), Out(out)) { at::div_out(out, self, other); }
ACLNN(Divs, In(self), Number(other), Out(out)) { out.copy_(at::div(self, other)); }
ACLNN(InplaceDiv, InOut(self), In(other)) { self.div_(other); }
ACLNN(InplaceDivs, InOut(self), Number(other)) { self.div_(other); }
ACLNN(FloorDivide, In(self), In(other), Out(out)) { at::floor_divide_out(out, self, other); }
ACLNN(FloorDivides, In(self), Number(other), Out(out)) { out.copy_(at::floor_divide(self, other)); }
ACLNN(RemainderTensorTensor, In(self), In(other), Out(out)) { at::remainder_out(out, self, other); }
ACLNN(RemainderTensorScalar, In(self), Number(other), Out(out)) { at::remainder_out(out, self, other); }
ACLNN(PowTensorScalar, In(self), Number(exponent), Out(out)) { at::pow_out(out, self, exponent); }
ACLNN(PowTensorTensor, In(self), In(exponent), Out(out)) { at::pow_out(out, self, exponent); }
ACLNN(Maximum, In(self), In(other), Out(out)) { at::maximum_out(out, self, other); }
ACLNN(Minimum, In(self), In(other), Out(out)) { at::minimum_out(out, self, other); }
ACLNN(Addcmul, In(self), In(tensor1), In(tensor2), Number(value), Out(out)) {
  at::addcmul_out(out, self, tensor1, tensor2, value);
}
ACLNN(Addcdiv, In(self), In(tensor1), In(tensor2), Number(value), Out(out)) {
  at::addcdiv_out(out, self, tensor1, tensor2, value);
}
ACLNN(InplaceAddcmul, InOut(self), In(tensor1), In(tensor2), Number(value)) {
  self.addcmul_(tensor1, tensor2, value);
}
ACLNN(InplaceAddcdiv, InOut(self), In(tensor1), In(tensor2), Number(value)) {
  self.addcdiv_(tensor1, tensor2, value);
}
ACLNN(Lerp, In(self), In(end), In(weight), Out(out)) { at::lerp_out(out, self, end, weight); }
ACLNN(Lerps, In(self), In(end), Number(weight), Out(out)) { at::lerp_out(out, self, end, weight); }
ACLNN(InplaceLerps, InOut(self), In(end), Number(weight)) { self.lerp_(end, weight); }
ACLNN(ClampMin, In(self), Number(low), Out(out)) { at::clamp_min_out(out, self, low); }
ACLNN(ClampMax, In(self), Number(high), Out(out)) { at::clamp_max_out(out, self, high); }
ACLNN(Clamp, In(self), Bound(low), Bound(high), Out(out)) { at::clamp_out(out, self, low, high); }
ACLNN(InplaceClampMin, InOut(self), Number(low)) { self.clamp_min_(low); }
ACLNN(InplaceClampMax, InOut(self), Number(high)) { self.clamp_max_(high); }
ACLNN(SWhere, In(condition), In(self), In(other), Out(out)) { at::where_out(out, condition, self, other); }

ACLNN(EqTensor, In(self), In(other), Out(out)) { at::eq_out(out, self, other); }
ACLNN(EqScalar, In(self), Number(other), Out(out)) { at::eq_out(out, self, other); }
ACLNN(NeTensor, In(self), In(other), Out(out)) { at::ne_out(out, self, other); }
ACLNN(NeScalar, In(self), Number(other), Out(out)) { at::ne_out(out, self, other); }
ACLNN(GtTensor, In(self), In(other), Out(out)) { at::gt_out(out, self, other); }
ACLNN(GtScalar, In(self), Number(other), Out(out)) { at::gt_out(out, self, other); }
ACLNN(GeTensor, In(self), In(other), Out(out)) { at::ge_out(out, self, other); }
ACLNN(GeScalar, In(self), Number(other), Out(out)) { at::ge_out(out, self, other); }
ACLNN(LtTensor, In(self), In(other), Out(out)) { at::lt_out(out, self, other); }
ACLNN(LtScalar, In(self), Number(other), Out(out)) { at::lt_out(out, self, other); }
ACLNN(LeTensor, In(self), In(other), Out(out)) { at::le_out(out, self, other); }
ACLNN(LeScalar, In(self), Number(other), Out(out)) { at::le_out(out, self, other); }
ACLNN(BitwiseAndTensor, In(self), In(other), Out(out)) { at::bitwise_and_out(out, self, other); }
ACLNN(BitwiseAndScalar, In(self), Number(other), Out(out)) { at::bitwise_and_out(out, self, other); }
ACLNN(InplaceBitwiseAndTensor, InOut(self), In(other)) { self.bitwise_and_(other); }
ACLNN(BitwiseOrTensor, In(self), In(other), Out(out)) { at::bitwise_or_out(out, self, other); }
ACLNN(BitwiseOrScalar, In(self), Number(other), Out(out)) { at::bitwise_or_out(out, self, other); }
ACLNN(InplaceBitwiseOrTensor, InOut(self), In(other)) { self.bitwise_or_(other); }
ACLNN(BitwiseXorTensor, In(self), In(other), Out(out)) { at::bitwise_xor_out(out, self, other); }
ACLNN(BitwiseXorScalar, In(self), Number(other), Out(out)) { at::bitwise_xor_out(out, self, other); }
ACLNN(InplaceBitwiseXorTensor, InOut(self), In(other)) { self.bitwise_xor_(other); }
ACLNN(LogicalAnd, In(self), In(other), Out(out)) { at::logical_and_out(out, self, other); }
ACLNN(LogicalOr, In(self), In(other), Out(out)) { at::logical_or_out(out, self, other); }
ACLNN(LogicalXor, In(self), In(other), Out(out)) { at::logical_xor_out(out, self, other); }
ACLNN(IsClose, In(self), In(other), Double(rtol), Double(atol), Bool(equal_nan), Out(out)) {
  out.copy_(at::isclose(self, other, rtol, atol, equal_nan));
}
ACLNN(Equal, In(self), In(other), Out(out)) { out.fill_(at::equal(self, other)); }
