// SPDX-License-Identifier: Apache-2.0
// Operators of torch_npu's own for transformers: gated activations, rotary positions, experts, losses. They
// compute in float32 and round their results to the dtype of the output.
#include <ATen/ATen.h>

#include <stdexcept>

#include "table.h"

namespace {

using Pair = std::tuple<at::Tensor, at::Tensor>;

at::Tensor Wide(const at::Tensor &tensor) { return tensor.defined() ? tensor.to(at::kFloat) : tensor; }

// Approximation 1 is "tanh", 0 none.
const char *Approximation(int64_t approximate) { return approximate == 1 ? "tanh" : "none"; }

// The half of a gated unit that goes through gelu, and the other one.
Pair Halves(const at::Tensor &self, int64_t dim, bool left) {
  const std::vector<at::Tensor> halves = Wide(self).chunk(2, dim);
  return left ? Pair(halves[0], halves[1]) : Pair(halves[1], halves[0]);
}

Pair GatedGelu(const at::Tensor &self, int64_t dim, int64_t approximate, bool left) {
  const auto [gate, value] = Halves(self, dim, left);
  const at::Tensor gelu = at::gelu(gate, Approximation(approximate));
  return {gelu * value, gelu};
}

at::Tensor GatedGeluGradient(const at::Tensor &grad, const at::Tensor &self, const at::Tensor &gelu,
                             int64_t dim, int64_t approximate, bool left) {
  const auto [gate, value] = Halves(self, dim, left);
  const at::Tensor of_gate = at::gelu_backward(Wide(grad) * value, gate, Approximation(approximate));
  const at::Tensor of_value = Wide(grad) * Wide(gelu);
  return left ? at::cat({of_gate, of_value}, dim) : at::cat({of_value, of_gate}, dim);
}

at::Tensor GeluMul(const at::Tensor &self, const std::string &approximate) {
  const std::vector<at::Tensor> halves = Wide(self).chunk(2, -1);
  return at::gelu(halves[0], approximate) * halves[1];
}

// Turns the pairs of a vector by 90 degrees. Mode 0 pairs an element with the one half a vector further, mode
// 1 with its neighbour. Turning back is the transpose.
at::Tensor Turned(const at::Tensor &self, int64_t mode, bool back) {
  if (mode > 1)
    throw std::invalid_argument("rotary_mode: expected half or interleave, got mode " + std::to_string(mode) +
                                ", which is not simulated");
  const at::Tensor pairs = mode == 0 ? self.unflatten(-1, {2, -1}) : self.unflatten(-1, {-1, 2});
  const int64_t dim = mode == 0 ? -2 : -1;
  const at::Tensor first = pairs.select(dim, 0), second = pairs.select(dim, 1);
  return (back ? at::stack({second, -first}, dim) : at::stack({-second, first}, dim)).flatten(-2);
}

at::Tensor Rotary(const at::Tensor &self, const at::Tensor &cosine, const at::Tensor &sine, int64_t mode) {
  return Wide(self) * Wide(cosine) + Turned(Wide(self), mode, false) * Wide(sine);
}

// The elements of each pair become neighbours of half a vector: [a, b, a, b] becomes [a, a, b, b].
at::Tensor InterleavedRotary(const at::Tensor &self, const at::Tensor &cosine, const at::Tensor &sine) {
  return Rotary(self.unflatten(-1, {-1, 2}).transpose(-2, -1).flatten(-2), cosine, sine, 0);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> RotaryGradient(const at::Tensor &grad,
                                                              const at::Tensor &cosine,
                                                              const at::Tensor &sine, const at::Tensor &self,
                                                              int64_t mode) {
  const at::Tensor above = Wide(grad);
  const at::Tensor of_self = above * Wide(cosine) + Turned(above * Wide(sine), mode, true);
  if (!self.defined()) return {of_self, {}, {}};
  return {of_self, (above * Wide(self)).sum_to_size(cosine.sizes()),
          (above * Turned(Wide(self), mode, false)).sum_to_size(sine.sizes())};
}

at::Tensor BiasedSoftmax(const at::Tensor &self, const at::Tensor &mask, const at::Tensor &bias, double scale,
                         int64_t) {
  at::Tensor scores = Wide(self) * scale + Wide(bias);
  if (mask.defined()) scores = scores + Wide(mask.dim() == 3 && self.dim() == 5 ? mask.unsqueeze(1) : mask);
  return at::softmax(scores, -1);
}

// The experts of each token. A finished token gets the expert behind the last one. The rows count the tokens
// of all first choices, then of all second ones, and so on.
std::tuple<at::Tensor, at::Tensor, at::Tensor> Experts(const at::Tensor &self, const at::Tensor &finished,
                                                       int64_t k) {
  const auto [weights, places] = at::topk(at::softmax(Wide(self), -1), k, -1);
  const at::Tensor experts =
      finished.defined() ? places.masked_fill(finished.unsqueeze(-1), self.size(-1)) : places;
  const int64_t tokens = self.numel() / self.size(-1);
  const at::Tensor rows = at::arange(k) * tokens + at::arange(tokens).unsqueeze(1);
  return {weights, experts, rows.view(places.sizes())};
}

// Sorts tokens by their experts, [T, H] to [T * K, H]; also where each choice of each token went.
Pair Permuted(const at::Tensor &tokens, const at::Tensor &experts, int64_t count, bool) {
  const at::Tensor flat = experts.reshape(-1);
  const at::Tensor order = std::get<1>(at::sort(flat, true, 0, false));
  const int64_t choices = flat.numel() / tokens.size(0), kept = count > 0 ? count : flat.numel();
  return {tokens.index_select(0, order.slice(0, 0, kept).div(choices, "floor")), at::argsort(order)};
}

// The rows that the choices of each token point to, [T, K, H]; zeros for choices that were dropped.
at::Tensor Choices(const at::Tensor &rows, const at::Tensor &places, int64_t choices) {
  const at::Tensor dropped = places.ge(rows.size(0));
  const at::Tensor found = Wide(rows).index_select(0, places.to(at::kLong).masked_fill(dropped, 0));
  return found.masked_fill(dropped.unsqueeze(1), 0).view({-1, choices, rows.size(1)});
}

at::Tensor PermutedGradient(const at::Tensor &grad, const at::Tensor &places, int64_t choices, bool) {
  return Choices(grad, places, choices).sum(1);
}

at::Tensor Unpermuted(const at::Tensor &rows, const at::Tensor &places, const at::Tensor &weights, bool,
                      const std::vector<int64_t> &) {
  const at::Tensor found = Choices(rows, places, weights.defined() ? weights.size(1) : 1);
  return (weights.defined() ? found * Wide(weights).unsqueeze(2) : found).sum(1);
}

Pair UnpermutedGradient(const at::Tensor &rows, const at::Tensor &grad, const at::Tensor &places,
                        const at::Tensor &weights, bool, const std::vector<int64_t> &) {
  const int64_t choices = weights.defined() ? weights.size(1) : 1;
  const at::Tensor above = Wide(grad).unsqueeze(1).expand({-1, choices, -1});
  const at::Tensor each = weights.defined() ? above * Wide(weights).unsqueeze(2) : above;
  const at::Tensor kept = places.lt(rows.size(0)).nonzero().view(-1);
  at::Tensor of_rows = at::zeros(rows.sizes(), at::kFloat);
  of_rows.index_add_(0, places.to(at::kLong).index_select(0, kept),
                     each.reshape({-1, rows.size(1)}).index_select(0, kept));
  if (!weights.defined()) return {of_rows, {}};
  return {of_rows, (Choices(rows, places, choices) * above).sum(2)};
}

// Tokens of all experts up to each one.
at::Tensor TokensUpTo(const at::Tensor &experts, int64_t count) {
  return at::bincount(experts.reshape(-1), {}, count).slice(0, 0, count).cumsum(0);
}

void RefuseZLoss(double square_scale, bool wanted) {
  if (square_scale != 0 || wanted)
    throw std::invalid_argument("lse_square_scale_for_zloss: expected 0 without return_zloss, got " +
                                std::to_string(square_scale) + ", which is not simulated");
}

int64_t ReductionOf(const std::string &text) {
  return text == "none" ? at::Reduction::None : text == "sum" ? at::Reduction::Sum : at::Reduction::Mean;
}

at::Tensor CrossEntropyGradient(const at::Tensor &grad, const at::Tensor &log_probability,
                                const at::Tensor &target, const at::Tensor &weight,
                                const std::string &reduction, int64_t ignored, double smoothing) {
  const int64_t classes = log_probability.size(1);
  const at::Tensor used = target.ne(ignored), safe = target.to(at::kLong).masked_fill(~used, 0);
  const at::Tensor each = weight.defined() ? Wide(weight) : at::ones({classes}, at::kFloat);
  const at::Tensor own = each.index_select(0, safe) * used;
  at::Tensor above = Wide(grad).expand({target.size(0)}) * used;
  if (ReductionOf(reduction) == at::Reduction::Mean) above = above / own.sum();
  const at::Tensor hard = at::one_hot(safe, classes) * own.unsqueeze(1) * (1 - smoothing);
  const at::Tensor part = -(hard + each * (smoothing / classes)) * above.unsqueeze(1);
  return part - at::exp(Wide(log_probability)) * part.sum(1, true);
}

}  // namespace

ATEN(GeGluV3, GatedGelu, (In(self), Int(dim), Int(approximate), Bool(left)), Out(out), Out(gelu))
ATEN(GeGluV3Backward, GatedGeluGradient,
     (In(grad), In(self), In(gelu), Int(dim), Int(approximate), Bool(left)), Out(out))
ATEN(GeluMul, GeluMul, (In(self), Text(approximate)), Out(out))
ATEN(RotaryPositionEmbedding, Rotary, (In(self), In(cosine), In(sine), Int(mode)), Out(out))
ATEN(RotaryPositionEmbeddingGrad, RotaryGradient, (In(grad), In(cosine), In(sine), In(self), Int(mode)),
     Out(grad_input), Out(grad_cosine), Out(grad_sine))
ATEN(InterleaveRope, InterleavedRotary, (In(self), In(cosine), In(sine)), Out(out))
ACLNN(ApplyRotaryPosEmb, InOut(query), InOut(key), In(cosine), In(sine), Int(layout)) {
  query.copy_(Rotary(query, cosine, sine, 0)), key.copy_(Rotary(key, cosine, sine, 0));
}
ATEN(MaskedSoftmaxWithRelPosBias, BiasedSoftmax,
     (In(self), In(mask), In(bias), Double(scale), Int(precision)), Out(out))
ATEN(MoeGatingTopKSoftmax, Experts, (In(self), In(finished), Int(k)), Out(weights), Out(experts), Out(rows))
ATEN(MoeComputeExpertTokens, TokensUpTo, (In(experts), Int(count)), Out(out))
ATEN(MoeTokenPermute, Permuted, (In(tokens), In(experts), Int(count), Bool(padded)), Out(out), Out(places))
ATEN(MoeTokenPermuteGrad, PermutedGradient, (In(grad), In(places), Int(choices), Bool(padded)), Out(out))
ATEN(MoeTokenUnpermute, Unpermuted, (In(rows), In(places), In(weights), Bool(padded), Ints(shape)), Out(out))
ATEN(MoeTokenUnpermuteGrad, UnpermutedGradient,
     (In(rows), In(grad), In(places), In(weights), Bool(padded), Ints(shape)), Out(grad_rows),
     Out(grad_weights))
ACLNN(CrossEntropyLoss, In(self), In(target), In(weight), Text(reduction), Int(ignored), Double(smoothing),
      Double(square_scale), Bool(wants_zloss), Out(loss), Out(log_probability), Out(zloss), Out(lse)) {
  RefuseZLoss(square_scale, wants_zloss);
  const at::Tensor wide = Wide(self);
  loss.copy_(at::cross_entropy_loss(wide, target.to(at::kLong), sim::builtin::Given(Wide(weight)),
                                    ReductionOf(reduction), ignored, smoothing)
                 .view(loss.sizes()));
  log_probability.copy_(at::log_softmax(wide, 1));
}
ACLNN(CrossEntropyLossGrad, In(grad), In(log_probability), In(target), In(weight), In(grad_zloss), In(lse),
      Text(reduction), Int(ignored), Double(smoothing), Double(square_scale), Out(out)) {
  RefuseZLoss(square_scale, false);
  out.copy_(CrossEntropyGradient(grad, log_probability, target, weight, reduction, ignored, smoothing));
}
