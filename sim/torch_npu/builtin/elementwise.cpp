// SPDX-License-Identifier: Apache-2.0
// Operators that work element by element: on one tensor, on two tensors, on a tensor and a number.
#include <ATen/ATen.h>

#include "table.h"

using sim::builtin::Given;

namespace {

// How a division rounds: mode 1 is "trunc", mode 2 is "floor".
std::optional<c10::string_view> Rounding(int32_t mode) {
  return mode == 0 ? std::nullopt : std::optional<c10::string_view>(mode == 1 ? "trunc" : "floor");
}

std::optional<double> Positive(double value) {
  return value < 0 ? std::nullopt : std::optional<double>(value);
}

at::Tensor MaskedScale(const at::Tensor &self, const at::Tensor &mask, double scale) {
  return self * mask * scale;
}

}  // namespace

UNARIES(Acos, acos)
UNARIES(Acosh, acosh)
UNARIES(Asin, asin)
UNARIES(Asinh, asinh)
UNARIES(Atan, atan)
UNARIES(Atanh, atanh)
UNARIES(Ceil, ceil)
UNARIES(Cos, cos)
UNARIES(Cosh, cosh)
UNARIES(Erf, erf)
UNARIES(Erfc, erfc)
UNARIES(Erfinv, erfinv)
UNARIES(Exp, exp)
UNARIES(Exp2, exp2)
UNARIES(Expm1, expm1)
UNARIES(Floor, floor)
UNARIES(Frac, frac)
UNARIES(Hardsigmoid, hardsigmoid)
UNARIES(Hardswish, hardswish)
UNARIES(Log, log)
UNARIES(Log10, log10)
UNARIES(Log1p, log1p)
UNARIES(Log2, log2)
UNARIES(LogicalNot, logical_not)
UNARIES(Mish, mish)
UNARIES(Reciprocal, reciprocal)
UNARIES(Rsqrt, rsqrt)
UNARIES(Sigmoid, sigmoid)
UNARIES(Sin, sin)
UNARIES(Sinc, sinc)
UNARIES(Sinh, sinh)
UNARIES(Sqrt, sqrt)
UNARIES(Tan, tan)
UNARIES(Tanh, tanh)
UNARY(Abs, abs)
UNARY(AngleV2, angle)
UNARY(BitwiseNot, bitwise_not)
UNARY(IsNegInf, isneginf)
UNARY(IsPosInf, isposinf)
UNARY(Neg, neg)
UNARY(Round, round)
UNARY(Sign, sgn)  // torch_npu calls it for both; of a complex number it is the direction
UNARY(Signbit, signbit)
UNARY(Silu, silu)
UNARY(Trunc, trunc)
ACLNN(Relu, In(self), Out(out)) { out.copy_(at::relu(self)); }
ACLNN(IsFinite, In(self), Out(out)) { out.copy_(at::isfinite(self)); }
ACLNN(InplaceRelu, InOut(self)) { self.relu_(); }

ACLNN(Add, In(self), In(other), Number(alpha), Out(out)) { at::add_out(out, self, other, alpha); }
ACLNN(Adds, In(self), Number(other), Number(alpha), Out(out)) { out.copy_(at::add(self, other, alpha)); }
ACLNN(InplaceAdd, InOut(self), In(other), Number(alpha)) { self.add_(other, alpha); }
ACLNN(InplaceAdds, InOut(self), Number(other), Number(alpha)) { self.add_(other, alpha); }
ACLNN(AddV3, Number(self), In(other), Number(alpha), Out(out)) {
  out.copy_(at::add(at::scalar_tensor(self, out.options()), other, alpha));
}
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
// Integers too, which ATen refuses: torch_npu divides the sum of an all_reduce so where it averages.
ACLNN(InplaceDiv, InOut(self), In(other)) { self.copy_(at::div(self, other)); }
ACLNN(InplaceDivs, InOut(self), Number(other)) { self.copy_(at::div(self, other)); }
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
ACLNN(InplaceClampMax, InOut(self), Number(high)) { self.clamp_max_(high); }
ACLNN(SWhere, In(condition), In(self), In(other), Out(out)) { at::where_out(out, condition, self, other); }

BINARY(BitwiseOrTensor, bitwise_or)
WITH_NUMBER(BitwiseOrScalar, bitwise_or)
ACLNN(IsClose, In(self), In(other), Double(rtol), Double(atol), Bool(equal_nan), Out(out)) {
  out.copy_(at::isclose(self, other, rtol, atol, equal_nan));
}
ACLNN(Equal, In(self), In(other), Out(out)) { out.fill_(at::equal(self, other)); }
TENSOR_AND_SCALAR(Eq, eq)
TENSOR_AND_SCALAR(Ne, ne)
TENSOR_AND_SCALAR(Gt, gt)
TENSOR_AND_SCALAR(Ge, ge)
TENSOR_AND_SCALAR(Lt, lt)
TENSOR_AND_SCALAR(Le, le)
TENSOR_AND_SCALAR(BitwiseAnd, bitwise_and)
TENSOR_AND_SCALAR(BitwiseXor, bitwise_xor)
TENSOR_AND_SCALAR(Fmod, fmod)
TENSOR_AND_SCALAR(RemainderTensor, remainder)
TENSOR_AND_SCALAR(PowTensor, pow)
BINARY(Maximum, maximum)
BINARY(Minimum, minimum)
BINARY(LogicalAnd, logical_and)
BINARY(LogicalOr, logical_or)
BINARY(LogicalXor, logical_xor)
BINARY(Atan2, atan2)
BINARY(Gcd, gcd)
BINARY(LogAddExp, logaddexp)
BINARY(LogAddExp2, logaddexp2)
BINARY(XLogYTensor, xlogy)
BINARY(FloorDivide, floor_divide)
BINARY(Complex, complex)
BINARY(Polar, polar)
BINARY(LeftShift, bitwise_left_shift)
BINARY(RightShift, bitwise_right_shift)
BINARY(ClampMinTensor, clamp_min)
BINARY(ClampMaxTensor, clamp_max)
WITH_NUMBER(LessScalar, le)  // torch_npu calls this name for number >= tensor
WITH_NUMBER(FloorDivides, floor_divide)
WITH_NUMBER(XLogYScalarOther, xlogy)
WITH_NUMBER(LeftShifts, bitwise_left_shift)
INPLACE_BINARY(InplaceLogicalAnd, logical_and)
INPLACE_BINARY(InplaceLogicalOr, logical_or)
INPLACE_BINARY(InplaceAtan2, atan2)
INPLACE_BINARY(InplaceFloorDivide, floor_divide)
INPLACE_BINARY(InplaceClampMinTensor, clamp_min)
INPLACE_BINARY(InplaceClampMaxTensor, clamp_max)
INPLACE_WITH_NUMBER(InplaceFloorDivides, floor_divide)
INPLACE_WITH_NUMBER(InplaceXLogYScalarOther, xlogy)
ATEN(PowScalarTensor, at::pow, (Number(self), In(exponent)), Out(out))
ATEN(RemainderScalarTensor, at::remainder, (Number(self), In(other)), Out(out))
ATEN(XLogYScalarSelf, at::xlogy, (Number(self), In(other)), Out(out))
ATEN(IsInTensorScalar, at::isin, (In(self), Number(tests), Bool(unique), Bool(invert)), Out(out))
ATEN(IsInScalarTensor, at::isin, (Number(self), In(tests), Bool(unique), Bool(invert)), Out(out))
ATEN(MaskedScale, MaskedScale, (In(self), In(mask), Double(scale)), Out(out))
ATEN(AddRelu, at::_add_relu, (In(self), In(other), Number(alpha)), Out(out))
ATEN(RoundDecimals, at::round, (In(self), Int(decimals)), Out(out))
METHOD(InplaceRoundDecimals, round_, Int(decimals))
METHOD(InplaceLerp, lerp_, In(end), In(weight))
METHOD(InplaceFillDiagonal, fill_diagonal_, Number(value), Bool(wrap))
METHOD(InplaceTril, tril_, Int(diagonal))
METHOD(InplaceTriu, triu_, Int(diagonal))
ACLNN(InplaceAddRelu, InOut(self), In(other), Number(alpha)) { at::_add_relu_(self, other, alpha); }
ACLNN(ClampTensor, In(self), In(low), In(high), Out(out)) {
  at::clamp_out(out, self, Given(low), Given(high));
}
ACLNN(DivMod, In(self), In(other), Int32(mode), Out(out)) { out.copy_(at::div(self, other, Rounding(mode))); }
ACLNN(DivMods, In(self), Number(other), Int32(mode), Out(out)) {
  out.copy_(at::div(self, other, Rounding(mode)));
}
ACLNN(InplaceDivMod, InOut(self), In(other), Int32(mode)) { self.div_(other, Rounding(mode)); }
ACLNN(InplaceDivMods, InOut(self), Number(other), Int32(mode)) { self.div_(other, Rounding(mode)); }
ACLNN(NanToNum, In(self), Float(nan), Float(high), Float(low), Out(out)) {
  at::nan_to_num_out(out, self, nan, high, low);
}
ACLNN(InplaceNanToNum, InOut(self), Float(nan), Float(high), Float(low)) { self.nan_to_num_(nan, high, low); }
ACLNN(Logit, In(self), Double(eps), Out(out)) { at::logit_out(out, self, Positive(eps)); }
ACLNN(LogitGrad, In(self), In(grad), Double(eps), Out(out)) {
  out.copy_(at::logit_backward(grad, self, Positive(eps)));
}
