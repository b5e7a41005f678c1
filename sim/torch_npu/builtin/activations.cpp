// SPDX-License-Identifier: Apache-2.0
// Activations and losses of networks, with their gradients.
#include <ATen/ATen.h>

#include "table.h"

namespace {

at::Tensor LogSigmoid(const at::Tensor &self) { return at::log_sigmoid(self); }

// The gradient of log_sigmoid computes what the forward pass keeps on CPUs; on an NPU it keeps nothing.
at::Tensor LogSigmoidGradient(const at::Tensor &grad, const at::Tensor &self) {
  return at::log_sigmoid_backward(grad, self, std::get<1>(at::log_sigmoid_forward(self)));
}

// The weight of prelu has one element for each channel, which is dimension 1.
std::tuple<at::Tensor, at::Tensor> PreluGradient(const at::Tensor &grad, const at::Tensor &self,
                                                 const at::Tensor &weight) {
  std::vector<int64_t> shape(self.dim(), 1);
  if (self.dim() > 0) shape[self.dim() > 1 ? 1 : 0] = weight.numel();
  const auto [input_part, weight_part] = at::_prelu_kernel_backward(grad, self, weight.view(shape));
  return {input_part, weight_part.sum_to_size(shape).view(-1)};
}

at::Tensor KlDivTargetGradient(const at::Tensor &grad, const at::Tensor &self, const at::Tensor &target,
                               int64_t reduction, bool log_target) {
  at::Tensor part = log_target ? target.exp() * (target - self + 1) : (target.log() - self + 1);
  if (!log_target) part = part.masked_fill(target.le(0), 0);
  if (reduction == at::Reduction::Mean) part = part / self.numel();
  return part * grad;
}

at::Tensor KlDivGradient(const at::Tensor &grad, const at::Tensor &self, const at::Tensor &target,
                         int64_t reduction, bool log_target) {
  at::Tensor part = -(log_target ? target.exp() : target) * grad;
  if (!log_target) part = part.masked_fill(target.le(0), 0);
  return (reduction == at::Reduction::Mean ? part / self.numel() : part).expand_as(self);
}

at::Tensor Swiglu(const at::Tensor &self, int64_t dim) {
  const std::vector<at::Tensor> halves = self.chunk(2, dim);
  return at::silu(halves[0]) * halves[1];
}

at::Tensor SwigluGradient(const at::Tensor &grad, const at::Tensor &self, int64_t dim) {
  const std::vector<at::Tensor> halves = self.chunk(2, dim);
  return at::cat({at::silu_backward(grad * halves[1], halves[0]), grad * at::silu(halves[0])}, dim);
}

at::Tensor FastGelu(const at::Tensor &self) { return self * at::sigmoid(1.702 * self); }

at::Tensor FastGeluGradient(const at::Tensor &grad, const at::Tensor &self) {
  const at::Tensor gate = at::sigmoid(1.702 * self);
  return grad * gate * (1 + 1.702 * self * (1 - gate));
}

at::Tensor L1Gradient(const at::Tensor &grad, const at::Tensor &self, const at::Tensor &target,
                      int64_t reduction) {
  const at::Tensor part = at::sign(self - target) * grad;
  return reduction == at::Reduction::Mean ? part / self.numel() : part;
}

}  // namespace

ATEN(Celu, at::celu, (In(self), Number(alpha)), Out(out))
ATEN(Elu, at::elu, (In(self), Number(alpha), Number(scale), Number(input_scale)), Out(out))
ATEN(EluBackward, at::elu_backward,
     (In(grad), Number(alpha), Number(scale), Number(input_scale), Bool(is_result), In(self)), Out(out))
ACLNN(GeluV2, In(self), Int(approximate), Out(out)) {
  out.copy_(at::gelu(self, approximate == 1 ? "tanh" : "none"));
}
ATEN(GeluBackwardV2, at::gelu_backward, (In(grad), In(self), Text(approximate)), Out(out))
ATEN(Glu, at::glu, (In(self), Int(dim)), Out(out))
ATEN(GluBackward, at::glu_backward, (In(grad), In(self), Int(dim)), Out(out))
ATEN(Hardshrink, at::hardshrink, (In(self), Number(threshold)), Out(out))
ATEN(HardshrinkBackward, at::hardshrink_backward, (In(grad), In(self), Number(threshold)), Out(out))
ATEN(HardsigmoidBackward, at::hardsigmoid_backward, (In(grad), In(self)), Out(out))
ATEN(HardswishBackward, at::hardswish_backward, (In(grad), In(self)), Out(out))
ATEN(HardswishBackwardV2, at::hardswish_backward, (In(grad), In(self)), Out(out))
ATEN(LogSigmoid, LogSigmoid, (In(self)), Out(out))
ATEN(MishBackward, at::mish_backward, (In(grad), In(self)), Out(out))
ATEN(Prelu, at::_prelu_kernel, (In(self), In(weight)), Out(out))
ATEN(PreluBackward, PreluGradient, (In(grad), In(self), In(weight)), Out(grad_input), Out(grad_weight))
ATEN(Softplus, at::softplus, (In(self), Number(beta), Number(threshold)), Out(out))
ATEN(SoftplusBackward, at::softplus_backward, (In(grad), In(self), Number(beta), Number(threshold)), Out(out))
ATEN(Softshrink, at::softshrink, (In(self), Number(threshold)), Out(out))
ATEN(SoftshrinkBackward, at::softshrink_backward, (In(grad), In(self), Number(threshold)), Out(out))
ATEN(SwiGlu, Swiglu, (In(self), Int(dim)), Out(out))
ATEN(SwiGluGrad, SwigluGradient, (In(grad), In(self), Int(dim)), Out(out))
ATEN(FastGelu, FastGelu, (In(self)), Out(out))
ATEN(FastGeluBackward, FastGeluGradient, (In(grad), In(self)), Out(out))
ATEN(Threshold, at::threshold, (In(self), Number(threshold), Number(value)), Out(out))
ACLNN(LogSigmoidForward, In(self), Out(out), Out(buffer)) { out.copy_(at::log_sigmoid(self)); }
ACLNN(LogSigmoidBackward, In(grad), In(self), In(buffer), Out(out)) {
  out.copy_(LogSigmoidGradient(grad, self));
}
ACLNN(InplaceCelu, InOut(self), Number(alpha)) { at::celu_(self, alpha); }
ACLNN(InplaceElu, InOut(self), Number(alpha), Number(scale), Number(input_scale)) {
  at::elu_(self, alpha, scale, input_scale);
}
ACLNN(InplaceHardtanh, InOut(self), Number(low), Number(high)) { at::hardtanh_(self, low, high); }
ACLNN(InplaceLeakyRelu, InOut(self), Number(slope)) { at::leaky_relu_(self, slope); }
ACLNN(InplaceThreshold, InOut(self), Number(threshold), Number(value)) {
  at::threshold_(self, threshold, value);
}

ATEN(BinaryCrossEntropy, at::binary_cross_entropy, (In(self), In(target), In(weight), Int(reduction)),
     Out(out))
ATEN(BinaryCrossEntropyBackward, at::binary_cross_entropy_backward,
     (In(grad), In(self), In(target), In(weight), Int(reduction)), Out(out))
ATEN(KlDiv, at::kl_div, (In(self), In(target), Int(reduction), Bool(log_target)), Out(out))
ATEN(KlDivBackward, KlDivGradient, (In(grad), In(self), In(target), Int(reduction), Bool(log_target)),
     Out(out))
ATEN(KlDivTargetBackward, KlDivTargetGradient,
     (In(grad), In(self), In(target), Int(reduction), Bool(log_target)), Out(out))
ATEN(L1Loss, at::l1_loss, (In(self), In(target), Int(reduction)), Out(out))
ATEN(L1LossBackward, L1Gradient, (In(grad), In(self), In(target), Int(reduction)), Out(out))
ATEN(MultilabelMarginLoss, at::multilabel_margin_loss_forward, (In(self), In(target), Int(reduction)),
     Out(out), Out(is_target))
ATEN(SoftMarginLoss, at::soft_margin_loss, (In(self), In(target), Int(reduction)), Out(out))
ATEN(SoftMarginLossBackward, at::soft_margin_loss_backward, (In(grad), In(self), In(target), Int(reduction)),
     Out(out))
ACLNN(CtcLoss, In(log_probs), In(targets), Ints(input_lengths), Ints(target_lengths), Int(blank),
      Bool(zero_infinity), Out(out), Out(log_alpha)) {
  const auto [loss, alpha] =
      at::_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity);
  out.copy_(loss);
  log_alpha.slice(2, 0, alpha.size(2)).copy_(alpha);  // which has columns for alignment
}
ATEN(CtcLossBackward, at::_ctc_loss_backward,
     (In(grad), In(log_probs), In(targets), Ints(input_lengths), Ints(target_lengths), In(loss),
      In(log_alpha), Int(blank), Bool(zero_infinity)),
     Out(out))
