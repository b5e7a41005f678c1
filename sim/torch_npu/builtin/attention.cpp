// SPDX-License-Identifier: Apache-2.0
// Attention, softmax(scale * (query @ key^T + pse)) @ value with masks and dropout, and its gradient. The
// arithmetic is in float32, the results have the dtype of the query. The definition is CANN's, of
// aclnnFlashAttentionScore and of the operators that follow from it.
#include <ATen/ATen.h>

#include <stdexcept>

#include "dropout.h"
#include "table.h"

namespace {

using sim::builtin::Tensors;
using Ints = std::vector<int64_t>;

// What a call says beside its tensors.
struct Settings {
  std::string layout;  // of query, key and value: BNSD, BSND, BSH, SBH or TND
  int64_t heads;       // of the query
  double scale;
  double keep_probability;
  int64_t tokens_before, tokens_after;  // how far from the diagonal a query sees keys
  int64_t sparse_mode;                  // which keys are masked; Masked lists the modes
  int64_t pse_type = 1;                 // 0: pse is added to the scaled products, 1: before they are scaled
  Ints prefix;                          // keys of each batch that are always seen, in modes 5 and 6
  Ints query_ends, key_ends;            // of the sequences, in layout TND
};

// Views of a tensor as [B, N, S, D]: one of it all, or in layout TND, [T, N, D], one of each sequence.
Tensors Sequences(const at::Tensor &tensor, const std::string &layout, int64_t heads, const Ints &ends) {
  if (layout == "BNSD") return {tensor};
  if (layout == "BSND") return {tensor.transpose(1, 2)};
  if (layout == "BSH") return {tensor.unflatten(2, {heads, -1}).transpose(1, 2)};
  if (layout == "SBH") return {tensor.unflatten(2, {heads, -1}).permute({1, 2, 0, 3})};
  if (layout != "TND")
    throw std::invalid_argument("input_layout: expected BNSD, BSND, BSH, SBH or TND, got " + layout);
  Tensors views;
  int64_t begin = 0;
  for (const int64_t end : ends) {
    views.push_back(tensor.slice(0, begin, end).transpose(0, 1).unsqueeze(0));
    begin = end;
  }
  return views;
}

// Heads of key and value; several heads of the query share one.
int64_t KeyHeads(const Settings &settings, const at::Tensor &query, const at::Tensor &key) {
  if (settings.layout == "BSH" || settings.layout == "SBH")
    return key.size(2) / (query.size(2) / settings.heads);
  return key.size(settings.layout == "BSND" ? 2 : 1);
}

// Which pairs of query and key count nothing, as a bool tensor that broadcasts to [B, N, rows, columns];
// undefined where all count.
at::Tensor Masked(const Settings &settings, const at::Tensor &mask, int64_t rows, int64_t columns) {
  const at::Tensor key = at::arange(columns), query = at::arange(rows).unsqueeze(1);
  const at::Tensor ahead = key - query;                // of the diagonal from the top left
  const at::Tensor beyond = ahead - (columns - rows);  // of the diagonal from the bottom right
  const bool banded = settings.tokens_before < rows || settings.tokens_after < columns;
  at::Tensor full;
  if (mask.defined() && settings.sparse_mode <= 1) {
    full = mask.to(at::kBool);
    if (settings.layout == "TND") full = full.slice(-2, 0, rows).slice(-1, 0, columns);
  }
  switch (settings.sparse_mode) {
    case 0:  // the mask, and a band about the diagonal
      if (!full.defined() || !banded) return full;
      return full | ahead.gt(settings.tokens_after) | ahead.lt(-settings.tokens_before);
    case 1:  // the mask
      if (!full.defined())
        throw std::invalid_argument("atten_mask: expected a mask in sparse_mode 1, got none");
      return full;
    case 2:  // causal from the top left
      return ahead.gt(0);
    case 3:  // causal from the bottom right
      return beyond.gt(0);
    case 4:  // a band about the diagonal from the bottom right
      return beyond.gt(settings.tokens_after) | beyond.lt(-settings.tokens_before);
    case 5:  // causal from the bottom right, and a prefix of the keys of each batch
    case 6:
      return beyond.gt(0) & key.ge(at::tensor(settings.prefix).view({-1, 1, 1, 1}));
    default:
      throw std::invalid_argument("sparse_mode: expected 0 to 6, got " +
                                  std::to_string(settings.sparse_mode) + ", which is not simulated");
  }
}

// Attention of one sequence in float32. Heads of key and value are repeated for the heads of the query.
struct Step {
  at::Tensor query, key, value;
  at::Tensor largest, sum;    // of each row of scores: the largest one, and the sum of exp(score - largest)
  at::Tensor weights;         // softmax; 0 in rows that are all masked
  at::Tensor dropout_factor;  // undefined without dropout

  Step(const Settings &settings, const at::Tensor &q, const at::Tensor &k, const at::Tensor &v,
       const at::Tensor &pse, const at::Tensor &mask, const at::Tensor &kept)
      : query(q.to(at::kFloat)), key(Repeated(k, q)), value(Repeated(v, q)) {
    at::Tensor scores = at::matmul(query, key.transpose(-2, -1));
    if (pse.defined() && settings.pse_type == 1) scores = scores + pse;
    scores = scores * settings.scale;
    if (pse.defined() && settings.pse_type == 0) scores = scores + pse;
    const at::Tensor masked = Masked(settings, mask, scores.size(-2), scores.size(-1));
    if (masked.defined()) scores = scores.masked_fill(masked, -INFINITY);
    largest = scores.size(-1) > 0 ? scores.amax(-1, true) : scores.sum(-1, true);
    const at::Tensor terms = at::exp(scores - largest.masked_fill(largest.eq(-INFINITY), 0));
    sum = terms.sum(-1, true);
    weights = terms / sum.masked_fill(sum.eq(0), 1);
    if (kept.defined())
      dropout_factor = kept.view(weights.sizes()).to(at::kFloat) / settings.keep_probability;
  }

  static at::Tensor Repeated(const at::Tensor &tensor, const at::Tensor &query) {
    return tensor.to(at::kFloat).repeat_interleave(query.size(1) / tensor.size(1), 1);
  }
  // Sums the gradients of repeated heads.
  static at::Tensor Summed(const at::Tensor &grad, const at::Tensor &like) {
    return grad.unflatten(1, {like.size(1), -1}).sum(2);
  }

  at::Tensor Dropped() const { return dropout_factor.defined() ? weights * dropout_factor : weights; }
};

// Runs a function on every sequence: on its step, and on its index.
template <typename Function>
void ForEach(const Settings &settings, const at::Tensor &query, const at::Tensor &key,
             const at::Tensor &value, const at::Tensor &pse, const at::Tensor &drop_mask,
             const at::Tensor &mask, Function function) {
  if (settings.pse_type > 1)
    throw std::invalid_argument("pse_type: expected 0 or 1, got " + std::to_string(settings.pse_type) +
                                ", which is not simulated");
  const int64_t key_heads = KeyHeads(settings, query, key);
  const Tensors queries = Sequences(query, settings.layout, settings.heads, settings.query_ends);
  const Tensors keys = Sequences(key, settings.layout, key_heads, settings.key_ends);
  const Tensors values = Sequences(value, settings.layout, key_heads, settings.key_ends);
  int64_t bit = 0;  // the first one of the sequence in the mask of dropout
  for (size_t i = 0; i < queries.size(); ++i) {
    at::Tensor kept;
    if (drop_mask.defined() && drop_mask.numel() > 0 && settings.keep_probability < 1) {
      const int64_t bits = queries[i].size(0) * settings.heads * queries[i].size(2) * keys[i].size(2);
      kept = sim::builtin::KeptBits(drop_mask, bit + bits).slice(0, bit);
      bit += bits;
    }
    function(Step(settings, queries[i], keys[i], values[i], pse, mask, kept), i);
  }
}

void Forward(const Settings &settings, const at::Tensor &query, const at::Tensor &key,
             const at::Tensor &value, const at::Tensor &pse, const at::Tensor &drop_mask,
             const at::Tensor &mask, at::Tensor &largest, at::Tensor &sum, at::Tensor &out) {
  const std::string rows = settings.layout == "TND" ? "TND" : "BNSD";
  const Tensors outs = Sequences(out, settings.layout, settings.heads, settings.query_ends);
  const Tensors all_largest = Sequences(largest, rows, settings.heads, settings.query_ends);
  const Tensors sums = Sequences(sum, rows, settings.heads, settings.query_ends);
  ForEach(settings, query, key, value, pse, drop_mask, mask, [&](const Step &step, size_t i) {
    outs[i].copy_(at::matmul(step.Dropped(), step.value));
    all_largest[i].copy_(step.largest.expand_as(all_largest[i]));
    sums[i].copy_(step.sum.expand_as(sums[i]));
  });
}

// The gradient computes the softmax again, from the same inputs as the forward pass.
void Backward(const Settings &settings, const at::Tensor &query, const at::Tensor &key,
              const at::Tensor &value, const at::Tensor &grad, const at::Tensor &pse,
              const at::Tensor &drop_mask, const at::Tensor &mask, at::Tensor &grad_query,
              at::Tensor &grad_key, at::Tensor &grad_value, at::Tensor &grad_pse) {
  const int64_t key_heads = KeyHeads(settings, query, key);
  const auto sequences = [&](const at::Tensor &tensor, bool of_keys) {
    return Sequences(tensor, settings.layout, of_keys ? key_heads : settings.heads,
                     of_keys ? settings.key_ends : settings.query_ends);
  };
  const Tensors grads = sequences(grad, false), query_parts = sequences(grad_query, false);
  const Tensors key_parts = sequences(grad_key, true), value_parts = sequences(grad_value, true);
  at::Tensor pse_part;
  ForEach(settings, query, key, value, pse, drop_mask, mask, [&](const Step &step, size_t i) {
    const at::Tensor above = grads[i].to(at::kFloat);
    at::Tensor of_weights = at::matmul(above, step.value.transpose(-2, -1));
    if (step.dropout_factor.defined()) of_weights = of_weights * step.dropout_factor;
    const at::Tensor of_scores = step.weights * (of_weights - (of_weights * step.weights).sum(-1, true));
    const at::Tensor of_products = of_scores * settings.scale;
    query_parts[i].copy_(at::matmul(of_products, step.key));
    key_parts[i].copy_(Step::Summed(at::matmul(of_products.transpose(-2, -1), step.query), key_parts[i]));
    value_parts[i].copy_(Step::Summed(at::matmul(step.Dropped().transpose(-2, -1), above), value_parts[i]));
    if (pse.defined()) {
      const at::Tensor part = (settings.pse_type == 1 ? of_products : of_scores).sum_to_size(pse.sizes());
      pse_part = pse_part.defined() ? pse_part + part : part;
    }
  });
  sim::builtin::Give(grad_pse, pse_part);
}

}  // namespace

#define INPUTS In(query), In(key), In(value), In(pse), In(drop_mask), In(padding_mask), In(mask), Ints(prefix)
#define INPUTS_OF_GRADIENT                                                                                  \
  In(query), In(key), In(value), In(grad), In(pse), In(drop_mask), In(padding_mask), In(mask), In(largest), \
      In(sum), In(softmax), In(out), Ints(prefix)
#define ENDS Ints(query_ends), Ints(key_ends)
#define STARTS Ints(query_start), Ints(key_start)
#define RULES                                                                                   \
  Double(scale), Double(keep), Int(before), Int(after), Int(heads), Text(layout), Int(precise), \
      Int(sparse_mode)
#define RESULTS Out(largest), Out(sum), Out(softmax), Out(out)
#define GRADIENTS Out(grad_query), Out(grad_key), Out(grad_value), Out(grad_pse)
#define FORWARD(pse_type, query_ends, key_ends)                                                             \
  Forward({layout, heads, scale, keep, before, after, sparse_mode, pse_type, prefix, query_ends, key_ends}, \
          query, key, value, pse, drop_mask, mask, largest, sum, out)
#define BACKWARD(pse_type, query_ends, key_ends)                                                             \
  Backward({layout, heads, scale, keep, before, after, sparse_mode, pse_type, prefix, query_ends, key_ends}, \
           query, key, value, grad, pse, drop_mask, mask, grad_query, grad_key, grad_value, grad_pse)

ACLNN(FlashAttentionScore, INPUTS, RULES, RESULTS) { FORWARD(1, {}, {}); }
ACLNN(FlashAttentionScoreV2, INPUTS, STARTS, RULES, Int(pse_type), RESULTS) { FORWARD(pse_type, {}, {}); }
ACLNN(FlashAttentionVarLenScore, INPUTS, ENDS, RULES, RESULTS) { FORWARD(1, query_ends, key_ends); }
ACLNN(FlashAttentionVarLenScoreV2, INPUTS, ENDS, STARTS, RULES, Int(pse_type), RESULTS) {
  FORWARD(pse_type, query_ends, key_ends);
}
ACLNN(FlashAttentionScoreGrad, INPUTS_OF_GRADIENT, RULES, GRADIENTS) { BACKWARD(1, {}, {}); }
ACLNN(FlashAttentionScoreGradV2, INPUTS_OF_GRADIENT, STARTS, RULES, Int(pse_type), GRADIENTS) {
  BACKWARD(pse_type, {}, {});
}
ACLNN(FlashAttentionUnpaddingScoreGrad, INPUTS_OF_GRADIENT, ENDS, RULES, GRADIENTS) {
  BACKWARD(1, query_ends, key_ends);
}
ACLNN(FlashAttentionUnpaddingScoreGradV2, INPUTS_OF_GRADIENT, ENDS, STARTS, RULES, Int(pse_type), GRADIENTS) {
  BACKWARD(pse_type, query_ends, key_ends);
}
