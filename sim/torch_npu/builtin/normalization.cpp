// SPDX-License-Identifier: Apache-2.0
// Norms that torch_npu adds to ATen's, and the parts of batch normalisation over several devices. They
// compute in float32 and round their results to the dtype of the output.
#include <ATen/ATen.h>

#include "table.h"

namespace {

using Pair = std::tuple<at::Tensor, at::Tensor>;
using Triple = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

at::Tensor Wide(const at::Tensor &tensor) { return tensor.defined() ? tensor.to(at::kFloat) : tensor; }

// All dimensions but that of the channels, which is 1.
std::vector<int64_t> BatchDims(const at::Tensor &self) {
  std::vector<int64_t> dims = {0};
  for (int64_t dim = 2; dim < self.dim(); ++dim) dims.push_back(dim);
  return dims;
}

// A tensor [C] for broadcasting to the shape of `like`, [N, C, …].
at::Tensor OfChannels(const at::Tensor &values, const at::Tensor &like) {
  std::vector<int64_t> shape(like.dim(), 1);
  shape[1] = -1;
  return Wide(values).view(shape);
}

Pair BatchStats(const at::Tensor &self, double eps) {
  const auto [variance, mean] = at::var_mean(Wide(self), BatchDims(self), at::Scalar(0), false);
  return {mean, at::rsqrt(variance + eps)};
}

Pair BatchSums(const at::Tensor &self) {
  return {Wide(self).sum(BatchDims(self)), Wide(self).square().sum(BatchDims(self))};
}

at::Tensor BatchNormalised(const at::Tensor &self, const at::Tensor &mean, const at::Tensor &invstd) {
  return (Wide(self) - OfChannels(mean, self)) * OfChannels(invstd, self);
}

at::Tensor BatchScaled(const at::Tensor &self, const at::Tensor &weight, const at::Tensor &bias,
                       const at::Tensor &mean, const at::Tensor &invstd, double) {
  at::Tensor result = BatchNormalised(self, mean, invstd);
  if (weight.defined()) result = result * OfChannels(weight, self);
  return bias.defined() ? result + OfChannels(bias, self) : result;
}

at::Tensor BatchScaledGradient(const at::Tensor &grad, const at::Tensor &self, const at::Tensor &mean,
                               const at::Tensor &invstd, const at::Tensor &weight, const at::Tensor &sum,
                               const at::Tensor &product_sum, const at::Tensor &counts) {
  const at::Tensor count = Wide(counts).sum();
  const at::Tensor spread = (Wide(self) - OfChannels(mean, self)) * OfChannels(product_sum, self) *
                            OfChannels(invstd, self).square() / count;
  const at::Tensor result = (Wide(grad) - OfChannels(sum, self) / count - spread) * OfChannels(invstd, self);
  return weight.defined() ? result * OfChannels(weight, self) : result;
}

// Joins a momentum's share of new statistics to the running ones. The running variance is the unbiased one.
void Run(at::Tensor &running_mean, at::Tensor &running_variance, const at::Tensor &mean,
         const at::Tensor &variance, const at::Tensor &count, double momentum) {
  if (running_mean.defined()) running_mean.copy_(running_mean * (1 - momentum) + mean * momentum);
  if (!running_variance.defined()) return;
  const at::Tensor unbiased = variance * count / (count - 1);
  running_variance.copy_(running_variance * (1 - momentum) + unbiased * momentum);
}

at::Tensor Swish(const at::Tensor &self, double scale) { return self * at::sigmoid(self * scale); }

Triple GroupNorm(const at::Tensor &self, const at::Tensor &weight, const at::Tensor &bias, int64_t groups,
                 double eps) {
  const int64_t batch = self.size(0), channels = self.size(1);
  const int64_t each = batch * channels > 0 ? self.numel() / (batch * channels) : 1;
  return at::native_group_norm(Wide(self).contiguous(), Wide(weight), Wide(bias), batch, channels, each,
                               groups, eps);
}

Triple GroupNormSilu(const at::Tensor &self, const at::Tensor &weight, const at::Tensor &bias, int64_t groups,
                     double eps) {
  const auto [result, mean, rstd] = GroupNorm(self, weight, bias, groups, eps);
  return {at::silu(result), mean, rstd};
}

// The dimensions of the weight, which are the last ones of the input.
at::IntArrayRef Normal(const at::Tensor &weight) { return weight.sizes(); }

at::Tensor RootMeanSquare(const at::Tensor &self, const at::Tensor &weight, double eps) {
  std::vector<int64_t> dims;
  for (int64_t dim = -weight.dim(); dim < 0; ++dim) dims.push_back(dim);
  return at::rsqrt(self.square().mean(dims, true) + eps);
}

Triple AddRmsNorm(const at::Tensor &x1, const at::Tensor &x2, const at::Tensor &weight, double eps) {
  const at::Tensor sum = Wide(x1) + Wide(x2), rstd = RootMeanSquare(sum, weight, eps);
  return {sum * rstd * Wide(weight), rstd, sum};
}

Pair GemmaRmsNorm(const at::Tensor &self, const at::Tensor &weight, double eps) {
  const at::Tensor rstd = RootMeanSquare(Wide(self), weight, eps);
  return {Wide(self) * rstd * (Wide(weight) + 1), rstd};
}

Triple DeepNorm(const at::Tensor &self, const at::Tensor &other, const at::Tensor &bias,
                const at::Tensor &weight, double alpha, double eps) {
  const auto [result, mean, rstd] =
      at::native_layer_norm(Wide(self) * alpha + Wide(other), Normal(weight), Wide(weight), Wide(bias), eps);
  return {mean, rstd, result};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> DeepNormGradient(
    const at::Tensor &grad, const at::Tensor &self, const at::Tensor &other, const at::Tensor &weight,
    const at::Tensor &mean, const at::Tensor &rstd, double alpha) {
  const auto [part, weight_part, bias_part] =
      at::native_layer_norm_backward(Wide(grad), Wide(self) * alpha + Wide(other), Normal(weight), mean, rstd,
                                     Wide(weight), Wide(weight), {true, true, true});
  return {part * alpha, part, bias_part, weight_part};
}

}  // namespace

ATEN(BatchNormStats, BatchStats, (In(self), Double(eps)), Out(mean), Out(invstd))
ATEN(BatchNormElemt, BatchScaled, (In(self), In(weight), In(bias), In(mean), In(invstd), Double(eps)),
     Out(out))
ATEN(BatchNormElemtBackward, BatchScaledGradient,
     (In(grad), In(self), In(mean), In(invstd), In(weight), In(sum), In(product_sum), In(counts)), Out(out))
ATEN(BatchNormReduce, BatchSums, (In(self)), Out(sum), Out(square_sum))
ACLNN(BatchNormReduceBackward, In(grad), In(self), In(mean), In(invstd), In(weight), Bool(of_input),
      Bool(of_weight), Bool(of_bias), Out(sum), Out(product_sum), Out(grad_weight), Out(grad_bias)) {
  const at::Tensor total = Wide(grad).sum(BatchDims(self));
  const at::Tensor product = (Wide(grad) * (Wide(self) - OfChannels(mean, self))).sum(BatchDims(self));
  if (of_input) sum.copy_(total), product_sum.copy_(product);
  if (of_weight) grad_weight.copy_(product * Wide(invstd));
  if (of_bias) grad_bias.copy_(total);
}
ACLNN(BatchNormGatherStatsWithCounts, In(self), In(means), In(invstds), InOut(running_mean),
      InOut(running_variance), Double(momentum), Double(eps), In(counts), Out(mean), Out(invstd)) {
  const at::Tensor each = Wide(counts).view({-1, 1}), total = each.sum();
  const at::Tensor middle = (Wide(means) * each).sum(0) / total;
  const at::Tensor squares = Wide(invstds).pow(-2) - eps + Wide(means).square();
  const at::Tensor variance = (squares * each).sum(0) / total - middle.square();
  mean.copy_(middle), invstd.copy_(at::rsqrt(variance + eps));
  Run(running_mean, running_variance, middle, variance, total, momentum);
}
ACLNN(SyncBatchNormGatherStats, In(sums), In(square_sums), In(counts), InOut(running_mean),
      InOut(running_variance), Float(momentum), Float(eps), Out(mean), Out(invstd)) {
  const at::Tensor total = Wide(counts).sum(), middle = Wide(sums).sum(0) / total;
  const at::Tensor variance = Wide(square_sums).sum(0) / total - middle.square();
  mean.copy_(middle), invstd.copy_(at::rsqrt(variance + eps));
  Run(running_mean, running_variance, middle, variance, total, momentum);
}
ATEN(GroupNormSilu, GroupNormSilu, (In(self), In(weight), In(bias), Int(groups), Double(eps)), Out(out),
     Out(mean), Out(rstd))
ACLNN(GroupNormSwish, In(self), In(weight), In(bias), Int(groups), Text(format), Double(eps), Bool(swish),
      Double(scale), Out(out), Out(mean), Out(rstd)) {
  const auto [result, middle, spread] = GroupNorm(self, weight, bias, groups, eps);
  out.copy_(swish ? Swish(result, scale) : result), mean.copy_(middle), rstd.copy_(spread);
}
ACLNN(GroupNormSwishGrad, In(grad), In(mean), In(rstd), In(self), In(weight), In(bias), Int(groups),
      Text(format), Double(scale), Bool(of_weight), Bool(of_bias), Out(grad_input), Out(grad_weight),
      Out(grad_bias)) {
  const at::Tensor input = Wide(self).contiguous();
  const at::Tensor grouped = input.view({self.size(0), groups, -1});
  const at::Tensor normal =
      ((grouped - Wide(mean).view({-1, groups, 1})) * Wide(rstd).view({-1, groups, 1})).view(self.sizes());
  const at::Tensor result = normal * OfChannels(weight, self) + OfChannels(bias, self);
  const at::Tensor gate = at::sigmoid(result * scale);
  const at::Tensor above = Wide(grad) * gate * (1 + scale * result * (1 - gate));
  const auto [input_part, weight_part, bias_part] = at::native_group_norm_backward(
      above.contiguous(), input, Wide(mean).contiguous(), Wide(rstd).contiguous(), Wide(weight), self.size(0),
      self.size(1), self.numel() / (self.size(0) * self.size(1)), groups, {true, of_weight, of_bias});
  sim::builtin::Give(grad_input, input_part);
  sim::builtin::Give(grad_weight, weight_part), sim::builtin::Give(grad_bias, bias_part);
}
ATEN(AddRmsNorm, AddRmsNorm, (In(x1), In(x2), In(weight), Double(eps)), Out(out), Out(rstd), Out(sum))
ACLNN(AddRmsNormCast, In(x1), In(x2), In(weight), Double(eps), Out(wide), Out(out), Out(rstd), Out(sum)) {
  const auto [result, spread, total] = AddRmsNorm(x1, x2, weight, eps);
  wide.copy_(result), out.copy_(result), rstd.copy_(spread), sum.copy_(total);
}
ACLNN(InplaceAddRmsNorm, InOut(x1), InOut(x2), In(weight), Double(eps), Out(rstd)) {
  const auto [result, spread, total] = AddRmsNorm(x1, x2, weight, eps);
  x1.copy_(result), x2.copy_(total), rstd.copy_(spread);
}
ATEN(GemmaRmsNorm, GemmaRmsNorm, (In(self), In(weight), Double(eps)), Out(out), Out(rstd))
ACLNN(AddLayerNorm, In(x1), In(x2), In(weight), In(bias), In(addend), Double(eps), Bool(wants_sum), Out(out),
      Out(mean), Out(rstd), Out(sum)) {
  at::Tensor total = Wide(x1) + Wide(x2);
  if (addend.defined()) total = total + Wide(addend);
  const auto [result, middle, spread] =
      at::native_layer_norm(total, Normal(weight), Wide(weight), Wide(bias), eps);
  out.copy_(result), mean.copy_(middle.view(mean.sizes())), rstd.copy_(spread.view(rstd.sizes()));
  if (wants_sum) sum.copy_(total);
}
ATEN(DeepNorm, DeepNorm, (In(self), In(other), In(bias), In(weight), Double(alpha), Double(eps)), Out(mean),
     Out(rstd), Out(out))
ATEN(DeepNormGrad, DeepNormGradient,
     (In(grad), In(self), In(other), In(weight), In(mean), In(rstd), Double(alpha)), Out(grad_input),
     Out(grad_other), Out(grad_bias), Out(grad_weight))
