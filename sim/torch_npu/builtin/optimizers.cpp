// SPDX-License-Identifier: Apache-2.0
// Operators of optimisers: the same operation on every tensor of a list. Scalars are tensors of one element,
// in the second versions of the operators numbers.
#include <ATen/ATen.h>

#include <cmath>
#include <stdexcept>

#include "adamw.h"
#include "table.h"

namespace {

using sim::builtin::Tensors;

// Divides gradients by the scale of the loss. found_inf becomes 1 if one of them is not finite.
void Unscale(const Tensors &gradients, at::Tensor &found_inf, const at::Tensor &inverse_scale) {
  for (const at::Tensor &gradient : gradients) {
    if (!at::isfinite(gradient).all().item<bool>()) found_inf.fill_(1);
    gradient.mul_(inverse_scale.item());
  }
}

// The scale of the loss after a step: smaller after an overflow, larger after `interval` steps without one.
void UpdateScale(at::Tensor scale, at::Tensor tracker, const at::Tensor &found_inf, double growth,
                 double backoff, int64_t interval) {
  if (found_inf.item<float>() != 0) {
    scale.mul_(backoff);
    tracker.zero_();
    return;
  }
  const int64_t steps = tracker.item<int>() + 1;
  // A scale that would become infinite stays, as in torch.
  if (steps == interval && std::isfinite(scale.item<float>() * static_cast<float>(growth)))
    scale.mul_(growth);
  tracker.fill_(steps == interval ? 0 : steps);
}

// Gradient descent as torch.optim has it.
void Descend(Tensors &weights, const Tensors &grads, Tensors &momenta, const at::Tensor &scale, double decay,
             double momentum, double rate, double dampening, bool nesterov, bool maximize, bool first) {
  for (size_t i = 0; i < weights.size(); ++i) {
    at::Tensor part = scale.defined() && scale.numel() > 0 ? grads[i] / scale : grads[i];
    if (maximize) part = -part;
    if (decay != 0) part = part + weights[i] * decay;
    if (momentum != 0) {
      momenta[i].copy_(first ? part : momenta[i] * momentum + part * (1 - dampening));
      part = nesterov ? part + momenta[i] * momentum : momenta[i];
    }
    weights[i].sub_(part * rate);
  }
}

// The functions of aclnnForeachRoundOffNumber by their numbers.
Tensors Rounded(const Tensors &self, int64_t mode) {
  switch (mode) {
    case 1:
      return at::_foreach_round(self);
    case 2:
      return at::_foreach_floor(self);
    case 3:
      return at::_foreach_ceil(self);
    case 5:
      return at::_foreach_trunc(self);
    case 7:
      return at::_foreach_frac(self);
    default:
      throw std::invalid_argument("roundMode: expected 1, 2, 3, 5 or 7, got " + std::to_string(mode));
  }
}

}  // namespace

// The forms of a function of ATen's: with a list, with one scalar, with a scalar for each tensor.
#define FOREACH(name, function) ATEN(Foreach##name, at::_foreach_##function, (InList(self)), OutList(out))
#define FOREACH_LIST(name, function) \
  ATEN(Foreach##name##List, at::_foreach_##function, (InList(self), InList(other)), OutList(out))
#define FOREACH_SCALARS(name, function)                                                                \
  ACLNN(Foreach##name##Scalar, InList(self), In(scalar), OutList(out)) {                               \
    ::sim::builtin::Give(out, at::_foreach_##function(self, scalar.item()));                           \
  }                                                                                                    \
  ATEN(Foreach##name##ScalarV2, at::_foreach_##function, (InList(self), Number(scalar)), OutList(out)) \
  ATEN(Foreach##name##ScalarList, at::_foreach_##function, (InList(self), Numbers(scalars)), OutList(out))
#define FOREACH_THREE(name, function)                                                                     \
  ACLNN(Foreach##name##Scalar, InList(self), InList(tensor1), InList(tensor2), In(value), OutList(out)) { \
    ::sim::builtin::Give(out, at::_foreach_##function(self, tensor1, tensor2, value.item()));             \
  }                                                                                                       \
  ATEN(Foreach##name##ScalarV2, at::_foreach_##function,                                                  \
       (InList(self), InList(tensor1), InList(tensor2), Number(value)), OutList(out))                     \
  ATEN(Foreach##name##ScalarList, at::_foreach_##function,                                                \
       (InList(self), InList(tensor1), InList(tensor2), Numbers(values)), OutList(out))

FOREACH(Abs, abs)
FOREACH(Acos, acos)
FOREACH(Asin, asin)
FOREACH(Atan, atan)
FOREACH(Cos, cos)
FOREACH(Cosh, cosh)
FOREACH(Erf, erf)
FOREACH(Erfc, erfc)
FOREACH(Exp, exp)
FOREACH(Expm1, expm1)
FOREACH(Log, log)
FOREACH(Log10, log10)
FOREACH(Log1p, log1p)
FOREACH(Log2, log2)
FOREACH(Neg, neg)
FOREACH(Reciprocal, reciprocal)
FOREACH(Sigmoid, sigmoid)
FOREACH(Sign, sign)
FOREACH(Sin, sin)
FOREACH(Sinh, sinh)
FOREACH(Sqrt, sqrt)
FOREACH(Tan, tan)
FOREACH(Tanh, tanh)
FOREACH_LIST(Mul, mul)
FOREACH_LIST(Div, div)
FOREACH_LIST(Maximum, maximum)
FOREACH_LIST(Minimum, minimum)
FOREACH_LIST(Pow, pow)
FOREACH_SCALARS(Add, add)
FOREACH_SCALARS(Sub, sub)
FOREACH_SCALARS(Mul, mul)
FOREACH_SCALARS(Div, div)
FOREACH_SCALARS(Maximum, maximum)
FOREACH_SCALARS(Minimum, minimum)
FOREACH_SCALARS(Pow, pow)
FOREACH_THREE(Addcdiv, addcdiv)
FOREACH_THREE(Addcmul, addcmul)
ATEN(ForeachAddListV2, at::_foreach_add, (InList(self), InList(other), Number(alpha)), OutList(out))
ATEN(ForeachSubListV2, at::_foreach_sub, (InList(self), InList(other), Number(alpha)), OutList(out))
ACLNN(ForeachAddList, InList(self), InList(other), In(alpha), OutList(out)) {
  ::sim::builtin::Give(out, at::_foreach_add(self, other, alpha.item()));
}
ACLNN(ForeachSubList, InList(self), InList(other), In(alpha), OutList(out)) {
  ::sim::builtin::Give(out, at::_foreach_sub(self, other, alpha.item()));
}
ATEN(ForeachPowScalarAndTensor, at::_foreach_pow, (Number(self), InList(exponents)), OutList(out))
ATEN(ForeachNorm, at::_foreach_norm, (InList(self), Number(order)), OutList(out))
ATEN(ForeachLerpScalar, at::_foreach_lerp, (InList(self), InList(end), Number(weight)), OutList(out))
ATEN(ForeachLerpList, at::_foreach_lerp, (InList(self), InList(end), InList(weights)), OutList(out))
ACLNN(ForeachCopy, InList(source), OutList(out)) { ::sim::builtin::Give(out, source); }
ACLNN(ForeachZeroInplace, OutList(self)) {
  for (at::Tensor &tensor : self) tensor.zero_();
}
ACLNN(ForeachNonFiniteCheckAndUnscale, OutList(gradients), InOut(found_inf), In(inverse_scale)) {
  Unscale(gradients, found_inf, inverse_scale);
}
ACLNN(AmpUpdateScale, InOut(scale), InOut(tracker), In(found_inf), Double(growth), Double(backoff),
      Int(interval), InOut(new_scale), InOut(new_tracker)) {
  UpdateScale(scale, tracker, found_inf, growth, backoff, interval);
}
ACLNN(ForeachRoundOffNumber, InList(self), In(mode), OutList(out)) {
  ::sim::builtin::Give(out, Rounded(self, mode.item<int64_t>()));
}
ACLNN(ForeachRoundOffNumberV2, InList(self), Number(mode), OutList(out)) {
  ::sim::builtin::Give(out, Rounded(self, mode.toLong()));
}
ACLNN(ApplyAdamWV2, InOut(self), InOut(mean), InOut(square), InOut(largest), In(grad), In(steps), Float(rate),
      Float(beta1), Float(beta2), Float(decay), Float(eps), Bool(amsgrad), Bool(maximize)) {
  const double step = steps.item<double>() + 1;
  sim::builtin::AdamW(self, mean, square, largest, grad, std::pow(beta1, step), std::pow(beta2, step), rate,
                      beta1, beta2, decay, eps, amsgrad, maximize);
}
ACLNN(ApplyAdamW, InOut(self), InOut(mean), InOut(square), In(power1), In(power2), In(rate), In(decay),
      In(beta1), In(beta2), In(eps), In(grad), InOut(largest), Bool(amsgrad), Bool(maximize)) {
  const auto number = [](const at::Tensor &tensor) { return tensor.item<double>(); };
  sim::builtin::AdamW(self, mean, square, largest, grad, number(power1), number(power2), number(rate),
                      number(beta1), number(beta2), number(decay), number(eps), amsgrad, maximize);
}
ACLNN(FusedSgd, OutList(weights), InList(grads), OutList(momenta), In(scale), Float(decay), Float(momentum),
      Float(rate), Float(dampening), Bool(nesterov), Bool(maximize), Bool(first)) {
  Descend(weights, grads, momenta, scale, decay, momentum, rate, dampening, nesterov, maximize, first);
}
