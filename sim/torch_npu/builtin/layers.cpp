// SPDX-License-Identifier: Apache-2.0
// Layers of networks, their losses and gradients.
#include <ATen/ATen.h>

#include "bridge.h"

namespace {

std::array<bool, 3> Mask(const std::vector<bool> &mask) { return {mask[0], mask[1], mask[2]}; }

at::OptionalIntArrayRef Sizes(const std::vector<int64_t> &sizes) {
  return sizes.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(sizes);
}

std::optional<at::Tensor> Given(const at::Tensor &tensor) {
  return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
}

// Copies a result that was asked for and that was computed. A layer that does not train, for example,
// computes no statistics of its batch.
void Give(at::Tensor &out, const at::Tensor &result) {
  if (out.defined() && result.defined() && out.numel() > 0 && result.numel() > 0) out.copy_(result);
}

// Stores where in its window each maximum lies. A device stores bits instead. Only the gradient reads them,
// and the places need no more memory.
at::Tensor Places(const at::Tensor &mask, at::IntArrayRef sizes) {
  return at::from_blob(mask.data_ptr(), sizes, at::kShort);
}

// The positions 0, 1, …, times a factor, along the dimension that has `behind` dimensions after it.
at::Tensor Steps(const at::Tensor &like, int64_t behind, int64_t factor) {
  const int64_t count = like.size(like.dim() - 1 - behind);
  const at::Tensor steps = at::arange(count, at::kLong) * factor;
  return behind == 0 ? steps : steps.unsqueeze(1);
}

int64_t Second(const std::vector<int64_t> &pair) { return pair.back(); }

// Returns the stride, or the size of the kernel where no stride is given.
const std::vector<int64_t> &StrideOf(const std::vector<int64_t> &stride, const std::vector<int64_t> &kernel) {
  return stride.empty() ? kernel : stride;
}

}  // namespace

ACLNN(Mm, In(self), In(other), Out(out), Int8(cube)) { at::mm_out(out, self, other); }
ACLNN(Matmul, In(self), In(other), Out(out), Int8(cube)) { out.copy_(at::matmul(self, other)); }
ACLNN(BatchMatMul, In(self), In(other), Out(out), Int8(cube)) { at::bmm_out(out, self, other); }
ACLNN(Addmm, In(self), In(mat1), In(mat2), Number(beta), Number(alpha), Out(out), Int8(cube)) {
  at::addmm_out(out, self, mat1, mat2, beta, alpha);
}
ACLNN(Baddbmm, In(self), In(batch1), In(batch2), Number(beta), Number(alpha), Out(out), Int8(cube)) {
  at::baddbmm_out(out, self, batch1, batch2, beta, alpha);
}
ACLNN(Mv, In(self), In(vector), Out(out), Int8(cube)) { at::mv_out(out, self, vector); }
ACLNN(Dot, In(self), In(other), Out(out)) { out.copy_(at::dot(self, other)); }

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
ACLNN(MaxPool2dWithMask, In(self), Ints(kernel), Ints(stride), Ints(padding), Ints(dilation), Bool(ceil_mode),
      Out(out), Out(mask)) {
  const auto [values, indices] =
      at::max_pool2d_with_indices(self, kernel, stride, padding, dilation, ceil_mode);
  const int64_t width = self.size(-1);
  const at::Tensor row =
      (indices.div(width, "floor") - Steps(indices, 1, StrideOf(stride, kernel)[0]) + padding[0])
          .div(dilation[0], "floor");
  const at::Tensor column =
      (indices.remainder(width) - Steps(indices, 0, Second(StrideOf(stride, kernel))) + Second(padding))
          .div(Second(dilation), "floor");
  out.copy_(values);
  Places(mask, indices.sizes()).copy_(row * Second(kernel) + column);
}
ACLNN(MaxPool2dWithMaskBackward, In(grad), In(self), In(mask), Ints(kernel), Ints(stride), Ints(padding),
      Ints(dilation), Bool(ceil_mode), Out(out)) {
  const at::Tensor places = Places(mask, grad.sizes()).to(at::kLong);
  const at::Tensor row = places.div(Second(kernel), "floor") * dilation[0] +
                         Steps(places, 1, StrideOf(stride, kernel)[0]) - padding[0];
  const at::Tensor column = places.remainder(Second(kernel)) * Second(dilation) +
                            Steps(places, 0, Second(StrideOf(stride, kernel))) - Second(padding);
  const at::Tensor indices = row * self.size(-1) + column;
  out.copy_(at::max_pool2d_with_indices_backward(grad, self, kernel, stride, padding, dilation, ceil_mode,
                                                 indices));
}
ACLNN(AdaptiveAvgPool2d, In(self), Ints(size), Out(out)) { out.copy_(at::_adaptive_avg_pool2d(self, size)); }
ACLNN(AdaptiveAvgPool2dBackward, In(grad), In(self), Out(out)) {
  out.copy_(at::_adaptive_avg_pool2d_backward(grad, self));
}
ACLNN(UpsampleNearest2d, In(self), Ints(size), Out(out)) { out.copy_(at::upsample_nearest2d(self, size)); }
ACLNN(UpsampleNearest2dBackward, In(grad), Ints(size), Ints(input_size), Double(scales_h), Double(scales_w),
      Out(out)) {
  out.copy_(at::upsample_nearest2d_backward(grad, size, input_size));
}

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
