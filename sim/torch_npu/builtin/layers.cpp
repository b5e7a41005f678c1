// SPDX-License-Identifier: Apache-2.0
// Layers of networks, their losses and gradients.
#include <ATen/ATen.h>

#include "table.h"

using sim::builtin::Given;

namespace {

using sim::builtin::Give;

std::array<bool, 3> Mask(const std::vector<bool> &mask) { return {mask[0], mask[1], mask[2]}; }

at::OptionalIntArrayRef Sizes(const std::vector<int64_t> &sizes) {
  return sizes.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(sizes);
}

// The dimensions of the weight, which are the last ones of the input.
std::vector<int64_t> LastDims(const at::Tensor &weight) {
  std::vector<int64_t> dims;
  for (int64_t dim = -weight.dim(); dim < 0; ++dim) dims.push_back(dim);
  return dims;
}

std::tuple<at::Tensor, at::Tensor> RmsNorm(const at::Tensor &self, const at::Tensor &weight, double eps) {
  const at::Tensor wide = self.to(at::kFloat);
  const at::Tensor rstd = at::rsqrt(wide.square().mean(LastDims(weight), true) + eps);
  return {wide * rstd * weight, rstd};
}

std::tuple<at::Tensor, at::Tensor> RmsNormGradient(const at::Tensor &grad, const at::Tensor &self,
                                                   const at::Tensor &rstd, const at::Tensor &weight) {
  const at::Tensor normal = self.to(at::kFloat) * rstd;
  const at::Tensor part = grad.to(at::kFloat) * weight;
  const at::Tensor mean = (part * normal).mean(LastDims(weight), true);
  return {(part - normal * mean) * rstd, (grad * normal).sum_to_size(weight.sizes())};
}

}  // namespace

ACLNN(Convolution, In(input), In(weight), In(bias), Ints(stride), Ints(padding), Ints(dilation),
      Bool(transposed), Ints(output_padding), Int(groups), Out(out), Int8(cube)) {
  out.copy_(
      at::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups));
}
ACLNN(ConvolutionBackward, In(grad), In(input), In(weight), Ints(bias_sizes), Ints(stride), Ints(padding),
      Ints(dilation), Bool(transposed), Ints(output_padding), Int(groups), Bools(mask), Int8(cube),
      Out(grad_input), Out(grad_weight), Out(grad_bias)) {
  const auto [input_part, weight_part, bias_part] =
      at::convolution_backward(grad, input, weight, Sizes(bias_sizes), stride, padding, dilation, transposed,
                               output_padding, groups, Mask(mask));
  Give(grad_input, input_part), Give(grad_weight, weight_part), Give(grad_bias, bias_part);
}
ACLNN(BatchNorm, In(input), In(weight), In(bias), InOut(mean), InOut(variance), Bool(training),
      Double(momentum), Double(eps), Out(out), Out(save_mean), Out(save_invstd)) {
  const auto [result, saved_mean, saved_invstd] =
      at::native_batch_norm(input, weight, bias, mean, variance, training, momentum, eps);
  Give(out, result), Give(save_mean, saved_mean), Give(save_invstd, saved_invstd);
}
ACLNN(BatchNormBackward, In(grad), In(input), In(weight), In(mean), In(variance), In(save_mean),
      In(save_invstd), Bool(training), Double(eps), Bools(mask), Out(grad_input), Out(grad_weight),
      Out(grad_bias)) {
  const auto [input_part, weight_part, bias_part] = at::native_batch_norm_backward(
      grad, input, weight, mean, variance, save_mean, save_invstd, training, eps, Mask(mask));
  Give(grad_input, input_part), Give(grad_weight, weight_part), Give(grad_bias, bias_part);
}
ACLNN(LayerNorm, In(input), Ints(shape), In(weight), In(bias), Double(eps), Out(out), Out(mean), Out(rstd)) {
  const auto [result, result_mean, result_rstd] = at::native_layer_norm(input, shape, weight, bias, eps);
  Give(out, result), Give(mean, result_mean), Give(rstd, result_rstd);
}
ACLNN(LayerNormBackward, In(grad), In(input), Ints(shape), In(mean), In(rstd), In(weight), In(bias),
      Bools(mask), Out(grad_input), Out(grad_weight), Out(grad_bias)) {
  const auto [input_part, weight_part, bias_part] =
      at::native_layer_norm_backward(grad, input, shape, mean, rstd, weight, bias, Mask(mask));
  Give(grad_input, input_part), Give(grad_weight, weight_part), Give(grad_bias, bias_part);
}
ATEN(GroupNorm, at::native_group_norm,
     (In(input), In(weight), In(bias), Int(n), Int(c), Int(hxw), Int(group), Double(eps)), Out(out),
     Out(mean), Out(rstd))
ACLNN(GroupNormBackward, In(grad), In(input), In(mean), In(rstd), In(weight), Int(n), Int(c), Int(hxw),
      Int(group), Bools(mask), Out(grad_input), Out(grad_weight), Out(grad_bias)) {
  const auto [input_part, weight_part, bias_part] = at::native_group_norm_backward(
      grad.contiguous(), input.contiguous(), mean, rstd, weight, n, c, hxw, group, Mask(mask));
  Give(grad_input, input_part), Give(grad_weight, weight_part), Give(grad_bias, bias_part);
}
ATEN(RmsNorm, RmsNorm, (In(self), In(weight), Double(eps)), Out(out), Out(rstd))
ATEN(RmsNormGrad, RmsNormGradient, (In(grad), In(self), In(rstd), In(weight)), Out(grad_input),
     Out(grad_weight))
ACLNN(AdaptiveAvgPool2d, In(self), Ints(size), Out(out)) { out.copy_(at::_adaptive_avg_pool2d(self, size)); }
ACLNN(AdaptiveAvgPool2dBackward, In(grad), In(self), Out(out)) {
  out.copy_(at::_adaptive_avg_pool2d_backward(grad, self));
}
ACLNN(UpsampleNearest2d, In(self), Ints(size), Out(out)) { out.copy_(at::upsample_nearest2d(self, size)); }
ACLNN(Softmax, In(self), Int(dim), Out(out)) { out.copy_(at::softmax(self, dim)); }
ACLNN(SoftmaxBackward, In(grad), In(output), Int(dim), Out(out)) {
  out.copy_(at::_softmax_backward_data(grad, output, dim, output.scalar_type()));
}
ACLNN(LogSoftmax, In(self), Int(dim), Out(out)) { out.copy_(at::log_softmax(self, dim)); }
ACLNN(LogSoftmaxBackward, In(grad), In(output), Int(dim), Out(out)) {
  out.copy_(at::_log_softmax_backward_data(grad, output, dim, output.scalar_type()));
}
ACLNN(ThresholdBackward, In(grad), In(self), Number(threshold), Out(out)) {
  out.copy_(at::threshold_backward(grad, self, threshold));
}
ACLNN(SigmoidBackward, In(grad), In(output), Out(out)) { out.copy_(at::sigmoid_backward(grad, output)); }
ACLNN(TanhBackward, In(grad), In(output), Out(out)) { out.copy_(at::tanh_backward(grad, output)); }
ACLNN(SiluBackward, In(grad), In(self), Out(out)) { out.copy_(at::silu_backward(grad, self)); }
ACLNN(Gelu, In(self), Out(out)) { out.copy_(at::gelu(self)); }
ACLNN(GeluBackward, In(grad), In(self), Out(out)) { out.copy_(at::gelu_backward(grad, self)); }
ACLNN(LeakyRelu, In(self), Number(slope), Out(out)) { out.copy_(at::leaky_relu(self, slope)); }
ACLNN(LeakyReluBackward, In(grad), In(self), Number(slope), Bool(is_result), Out(out)) {
  out.copy_(at::leaky_relu_backward(grad, self, slope, is_result));
}
ACLNN(Hardtanh, In(self), Number(low), Number(high), Out(out)) { out.copy_(at::hardtanh(self, low, high)); }
ACLNN(HardtanhBackward, In(grad), In(self), Number(low), Number(high), Out(out)) {
  out.copy_(at::hardtanh_backward(grad, self, low, high));
}

ACLNN(NLLLoss, In(self), In(target), In(weight), Int(reduction), Int(ignore_index), Out(out),
      Out(total_weight)) {
  const auto [loss, total] =
      at::nll_loss_forward(self, target.to(at::kLong), weight, reduction, ignore_index);
  Give(out, loss), Give(total_weight, total);
}
ACLNN(NLLLossBackward, In(grad), In(self), In(target), In(weight), Int(reduction), Int(ignore_index),
      In(total_weight), Out(out)) {
  out.copy_(
      at::nll_loss_backward(grad, self, target.to(at::kLong), weight, reduction, ignore_index, total_weight));
}
ACLNN(NLLLoss2d, In(self), In(target), In(weight), Int(reduction), Int(ignore_index), Out(out),
      Out(total_weight)) {
  const auto [loss, total] =
      at::nll_loss2d_forward(self, target.to(at::kLong), weight, reduction, ignore_index);
  Give(out, loss), Give(total_weight, total);
}
ACLNN(NLLLoss2dBackward, In(grad), In(self), In(target), In(weight), Int(reduction), Int(ignore_index),
      In(total_weight), Out(out)) {
  out.copy_(at::nll_loss2d_backward(grad, self, target.to(at::kLong), weight, reduction, ignore_index,
                                    total_weight));
}
ACLNN(MseLoss, In(self), In(target), Int(reduction), Out(out)) {
  out.copy_(at::mse_loss(self, target, reduction));
}
ACLNN(MseLossBackward, In(grad), In(self), In(target), Int(reduction), Out(out)) {
  out.copy_(at::mse_loss_backward(grad, self, target, reduction));
}
ACLNN(SmoothL1Loss, In(self), In(target), Int(reduction), Float(beta), Out(out)) {
  out.copy_(at::smooth_l1_loss(self, target, reduction, beta));
}
ACLNN(SmoothL1LossBackward, In(grad), In(self), In(target), Int(reduction), Float(beta), Out(out)) {
  out.copy_(at::smooth_l1_loss_backward(grad, self, target, reduction, beta));
}
ACLNN(BinaryCrossEntropyWithLogits, In(self), In(target), In(weight), In(pos_weight), Int(reduction),
      Out(out)) {
  out.copy_(at::binary_cross_entropy_with_logits(self, target, Given(weight), Given(pos_weight), reduction));
}
ACLNN(BinaryCrossEntropyWithLogitsBackward, In(grad), In(self), In(target), In(weight), In(pos_weight),
      Int(reduction), Out(out)) {
  const at::Tensor positive = pos_weight.defined() ? pos_weight * target : target;
  at::Tensor part = (positive + 1 - target) * at::sigmoid(self) - positive;
  if (weight.defined()) part = part * weight;
  if (reduction == at::Reduction::Mean) part = part / self.numel();
  out.copy_(part * grad);
}
ACLNN(Embedding, In(weight), In(indices), Out(out)) { out.copy_(at::embedding(weight, indices)); }
ACLNN(ConvDepthwise2d, In(input), In(weight), Ints(kernel), In(bias), Ints(stride), Ints(padding),
      Ints(dilation), Out(out), Int8(cube)) {
  out.copy_(at::conv2d(input, weight, Given(bias), stride, padding, dilation, input.size(1)));
}
ACLNN(ConvTbc, In(input), In(weight), In(bias), Int(padding), Out(out), Int8(cube)) {
  out.copy_(at::conv_tbc(input, weight, bias, padding));
}
ACLNN(ConvTbcBackward, In(grad), In(input), In(weight), In(bias), Int(padding), Int8(cube), Out(grad_input),
      Out(grad_weight), Out(grad_bias)) {
  const auto [input_part, weight_part, bias_part] = at::conv_tbc_backward(grad, input, weight, bias, padding);
  Give(grad_input, input_part), Give(grad_weight, weight_part), Give(grad_bias, bias_part);
}
ATEN(TransformBiasRescaleQkv, at::_transform_bias_rescale_qkv, (In(qkv), In(bias), Int(heads)), Out(query),
     Out(key), Out(value))
