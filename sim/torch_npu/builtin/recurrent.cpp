// SPDX-License-Identifier: Apache-2.0
// LSTM and GRU, forward and backward. A layer has one direction or two; its tensors in a list follow each
// other as torch's parameters do: first all of one direction, then all of the other, then the next layer.
#include <ATen/ATen.h>

#include <stdexcept>

#include "lstm.h"
#include "table.h"

namespace {

using sim::builtin::Give;
using sim::builtin::LstmStep;
using sim::builtin::Tensors;

// The weights of one direction of a layer. Biases are undefined where there are none.
struct Weights {
  at::Tensor of_input, of_hidden, input_bias, hidden_bias;

  Weights(const Tensors &all, int64_t direction, bool biased) {
    const size_t first = direction * (biased ? 4 : 2);
    of_input = all[first], of_hidden = all[first + 1];
    if (biased) input_bias = all[first + 2], hidden_bias = all[first + 3];
  }
  at::Tensor FromInput(const at::Tensor &x) const { return at::linear(x, of_input, Bias(input_bias)); }
  at::Tensor FromHidden(const at::Tensor &h) const { return at::linear(h, of_hidden, Bias(hidden_bias)); }
  static std::optional<at::Tensor> Bias(const at::Tensor &bias) { return sim::builtin::Given(bias); }

  // Stores gradients: of the gates' sums from the input and from the hidden state, [T, B, gates] each.
  void GiveGradients(Tensors &grads, int64_t direction, const at::Tensor &x, const at::Tensor &hidden_before,
                     const at::Tensor &of_input_sums, const at::Tensor &of_hidden_sums) const {
    const size_t first = direction * (input_bias.defined() ? 4 : 2);
    const at::Tensor input_sums = of_input_sums.flatten(0, 1), hidden_sums = of_hidden_sums.flatten(0, 1);
    Give(grads[first], input_sums.t().mm(x.flatten(0, 1)));
    Give(grads[first + 1], hidden_sums.t().mm(hidden_before.flatten(0, 1)));
    if (!input_bias.defined()) return;
    Give(grads[first + 2], input_sums.sum(0));
    Give(grads[first + 3], hidden_sums.sum(0));
  }
};

// The steps of a direction in their order of computation: every second direction goes backwards.
std::vector<int64_t> Order(int64_t steps, bool backwards) {
  std::vector<int64_t> order;
  for (int64_t t = 0; t < steps; ++t) order.push_back(backwards ? steps - 1 - t : t);
  return order;
}

// The states before each step, where `states` [T, B, H] are those behind it and `first` [B, H] is the initial
// one.
at::Tensor Before(const at::Tensor &states, const at::Tensor &first, bool backwards) {
  const int64_t steps = states.size(0);
  if (backwards) return at::cat({states.slice(0, 1), first.unsqueeze(0)});
  return at::cat({first.unsqueeze(0), states.slice(0, 0, steps - 1)});
}

bool IsPacked(const at::Tensor &batch_sizes) { return batch_sizes.defined() && batch_sizes.numel() > 0; }

void RefusePacked(const at::Tensor &batch_sizes) {
  if (IsPacked(batch_sizes))
    throw std::invalid_argument("batch_sizes: expected none, got a packed sequence, which is not simulated");
}

// The steps that each example of a packed sequence has: 1 or 0, [T, B, 1], or no tensor where nothing is
// packed. batch_sizes [T] has the number of examples that have a step; they are the first ones of the batch.
at::Tensor Mask(const at::Tensor &batch_sizes, int64_t examples, const at::Tensor &like) {
  if (!IsPacked(batch_sizes)) return {};
  const at::Tensor has = at::arange(examples, batch_sizes.options()) < batch_sizes.unsqueeze(1);
  return has.unsqueeze(2).to(like.dtype());
}

// What a step leaves: an example without this step keeps what it had.
at::Tensor Stepped(const at::Tensor &before, const at::Tensor &behind, const at::Tensor &mask, int64_t t) {
  return mask.defined() ? at::where(mask[t] > 0, behind, before) : behind;
}
at::Tensor Masked(const at::Tensor &value, const at::Tensor &mask, int64_t t) {
  return mask.defined() ? value * mask[t] : value;
}
// The gradient before a step: what comes through the step, and what goes past it.
at::Tensor Past(const at::Tensor &through, const at::Tensor &behind, const at::Tensor &mask, int64_t t) {
  return mask.defined() ? through + behind * (1 - mask[t]) : through;
}

// torch_npu packs a sequence with its padding, [T * B, I]; the network gets [T, B, I].
at::Tensor Unpacked(const at::Tensor &input, const at::Tensor &batch_sizes) {
  return IsPacked(batch_sizes) ? input.view({batch_sizes.numel(), -1, input.size(-1)}) : input;
}

// Runs the layers of a network. layer(direction index, input [T, B, I], backwards) returns [T, B, H].
template <typename Layer>
at::Tensor Stack(const at::Tensor &input, bool batch_first, int64_t layers, int64_t directions, Layer layer) {
  at::Tensor x = batch_first ? input.transpose(0, 1) : input;
  for (int64_t i = 0; i < layers; ++i) {
    Tensors sides;
    for (int64_t side = 0; side < directions; ++side)
      sides.push_back(layer(i * directions + side, x, side == 1));
    x = at::cat(sides, 2);
  }
  return batch_first ? x.transpose(0, 1) : x;
}

// Runs them from the last to the first. layer(direction index, input, gradient [T, B, H], backwards) returns
// the gradient of the input. `hidden` has the states behind each step.
template <typename Layer>
at::Tensor StackGradient(const at::Tensor &input, const at::Tensor &grad, const Tensors &hidden,
                         bool batch_first, int64_t layers, int64_t directions, Layer layer) {
  at::Tensor above = batch_first ? grad.transpose(0, 1) : grad;
  for (int64_t i = layers - 1; i >= 0; --i) {
    at::Tensor x = batch_first ? input.transpose(0, 1) : input;
    if (i > 0)
      x = at::cat(Tensors(hidden.begin() + (i - 1) * directions, hidden.begin() + i * directions), 2);
    at::Tensor below;
    for (int64_t side = 0; side < directions; ++side) {
      const at::Tensor part = layer(i * directions + side, x, above.chunk(directions, 2)[side], side == 1);
      below = below.defined() ? below + part : part;
    }
    above = below;
  }
  return batch_first ? above.transpose(0, 1) : above;
}

void RefuseDropout(double dropout, bool train, int64_t layers) {
  if (dropout > 0 && train && layers > 1)
    throw std::invalid_argument("dropout: expected 0 between layers in training, got " +
                                std::to_string(dropout) + ", which is not simulated");
}

at::Tensor OrZeros(const at::Tensor &grad, const at::Tensor &like) {
  return grad.defined() && grad.numel() > 0 ? grad : at::zeros_like(like);
}

}  // namespace

ACLNN(LSTM, In(input), InList(weights), InList(states), In(batch_sizes), Bool(biased), Int(layers),
      Double(dropout), Bool(train), Bool(bidirectional), Bool(batch_first), Out(out), Out(hidden), Out(cell),
      OutList(i), OutList(j), OutList(f), OutList(o), OutList(h), OutList(c), OutList(tanhc)) {
  RefuseDropout(dropout, train, layers);
  const at::Tensor sequence = Unpacked(input, batch_sizes),
                   mask = Mask(batch_sizes, states[0].size(1), input);
  const auto layer = [&](int64_t at, const at::Tensor &x, bool backwards) {
    const Weights own(weights, at, biased);
    at::Tensor state = states[0][at], inner = states[1][at];
    const at::Tensor sums = own.FromInput(x),
                     result = at::empty({x.size(0), x.size(1), state.size(1)}, x.options());
    for (const int64_t t : Order(x.size(0), backwards)) {
      const LstmStep step(sums[t] + own.FromHidden(state), inner);
      inner = Stepped(inner, step.cell, mask, t), state = Stepped(state, step.Hidden(), mask, t);
      result[t].copy_(Masked(state, mask, t));
      if (!train) continue;
      h[at][t].copy_(state), c[at][t].copy_(inner);
      i[at][t].copy_(step.input), f[at][t].copy_(step.forget), o[at][t].copy_(step.output);
      j[at][t].copy_(step.candidate), tanhc[at][t].copy_(step.cell_tanh);
    }
    hidden[at].copy_(state), cell[at].copy_(inner);
    return result;
  };
  out.copy_(Stack(sequence, batch_first, layers, bidirectional ? 2 : 1, layer));
}
ACLNN(LstmBackward, In(input), InList(states), InList(weights), In(grad_out), In(grad_hidden), In(grad_cell),
      InList(i), InList(j), InList(f), InList(o), InList(h), InList(c), InList(tanhc), In(batch_sizes),
      Bool(biased), Int(layers), Double(dropout), Bool(train), Bool(bidirectional), Bool(batch_first),
      Bools(wanted), Out(grad_input), Out(grad_first_hidden), Out(grad_first_cell), OutList(grad_weights)) {
  RefuseDropout(dropout, train, layers);
  const at::Tensor sequence = Unpacked(input, batch_sizes),
                   mask = Mask(batch_sizes, states[0].size(1), input);
  const auto layer = [&](int64_t at, const at::Tensor &x, const at::Tensor &above, bool backwards) {
    const Weights own(weights, at, biased);
    const at::Tensor cells = Before(c[at], states[1][at], backwards);
    at::Tensor of_hidden = OrZeros(grad_hidden, states[0])[at], of_cell = OrZeros(grad_cell, states[1])[at];
    const at::Tensor of_sums = at::empty({x.size(0), x.size(1), own.of_input.size(0)}, x.options());
    for (const int64_t t : Order(x.size(0), !backwards)) {
      const LstmStep step({i[at][t], f[at][t], j[at][t], o[at][t]}, c[at][t], tanhc[at][t]);
      const auto [of_step, of_cell_before] =
          step.Gradient(Masked(of_hidden + above[t], mask, t), Masked(of_cell, mask, t), cells[t]);
      of_sums[t].copy_(of_step);
      of_hidden = Past(of_step.mm(own.of_hidden), of_hidden, mask, t);
      of_cell = Past(of_cell_before, of_cell, mask, t);
    }
    grad_first_hidden[at].copy_(of_hidden), grad_first_cell[at].copy_(of_cell);
    own.GiveGradients(grad_weights, at, x, Before(h[at], states[0][at], backwards), of_sums, of_sums);
    return at::matmul(of_sums, own.of_input);
  };
  const int64_t directions = bidirectional ? 2 : 1;
  const at::Tensor above =
      grad_out.defined() && grad_out.numel() > 0
          ? grad_out
          : at::zeros({sequence.size(0), sequence.size(1), directions * states[0].size(2)}, input.options());
  grad_input.copy_(
      StackGradient(sequence, above, h, batch_first, layers, directions, layer).view_as(grad_input));
}
ACLNN(ThnnFusedLstmCell, In(input_sums), In(hidden_sums), In(cell), In(input_bias), In(hidden_bias),
      Out(hidden), Out(cell_out), Out(gates)) {
  at::Tensor sums = input_sums + hidden_sums;
  if (input_bias.defined()) sums = sums + input_bias + hidden_bias;
  const LstmStep step(sums, cell);
  hidden.copy_(step.Hidden()), cell_out.copy_(step.cell);
  gates.copy_(at::cat({step.input, step.forget, step.candidate, step.output}, 1));
}
ACLNN(ThnnFusedLstmCellBackward, In(grad_hidden), In(grad_cell), In(cell), In(cell_out), In(gates),
      Bool(biased), Out(grad_gates), Out(grad_cell_before), Out(grad_bias)) {
  const LstmStep step(gates.chunk(4, 1), cell_out, cell_out.tanh());
  const auto [of_sums, of_cell] = step.Gradient(OrZeros(grad_hidden, cell), OrZeros(grad_cell, cell), cell);
  grad_gates.copy_(of_sums), grad_cell_before.copy_(of_cell);
  if (biased) grad_bias.copy_(of_sums.sum(0));
}

ACLNN(GRU, In(input), InList(weights), In(first), In(batch_sizes), Bool(biased), Int(layers), Double(dropout),
      Bool(train), Bool(bidirectional), Bool(batch_first), Out(out), Out(hidden), OutList(reset),
      OutList(update), OutList(candidate), OutList(hidden_candidate), OutList(h)) {
  RefusePacked(batch_sizes), RefuseDropout(dropout, train, layers);
  const auto layer = [&](int64_t at, const at::Tensor &x, bool backwards) {
    const Weights own(weights, at, biased);
    at::Tensor state = first[at];
    const at::Tensor sums = own.FromInput(x),
                     result = at::empty({x.size(0), x.size(1), state.size(1)}, x.options());
    for (const int64_t t : Order(x.size(0), backwards)) {
      const Tensors from_input = sums[t].chunk(3, 1), from_hidden = own.FromHidden(state).chunk(3, 1);
      const at::Tensor r = at::sigmoid(from_input[0] + from_hidden[0]);
      const at::Tensor z = at::sigmoid(from_input[1] + from_hidden[1]);
      const at::Tensor n = at::tanh(from_input[2] + r * from_hidden[2]);
      state = n + z * (state - n);
      result[t].copy_(state);
      if (!train) continue;
      reset[at][t].copy_(r), update[at][t].copy_(z), candidate[at][t].copy_(n);
      hidden_candidate[at][t].copy_(from_hidden[2]), h[at][t].copy_(state);
    }
    hidden[at].copy_(state);
    return result;
  };
  out.copy_(Stack(input, batch_first, layers, bidirectional ? 2 : 1, layer));
}
ACLNN(GRUBackward, In(input), InList(weights), In(first), In(grad_out), In(grad_hidden), InList(reset),
      InList(update), InList(candidate), InList(hidden_candidate), InList(h), In(batch_sizes), Bool(biased),
      Int(layers), Bool(bidirectional), Bool(batch_first), Out(grad_input), Out(grad_first),
      OutList(grad_weights)) {
  RefusePacked(batch_sizes);
  const auto layer = [&](int64_t at, const at::Tensor &x, const at::Tensor &above, bool backwards) {
    const Weights own(weights, at, biased);
    const at::Tensor before = Before(h[at], first[at], backwards);
    at::Tensor of_hidden = grad_hidden[at];
    const at::Tensor of_input = at::empty({x.size(0), x.size(1), own.of_input.size(0)}, x.options());
    const at::Tensor of_state = at::empty_like(of_input);
    for (const int64_t t : Order(x.size(0), !backwards)) {
      const at::Tensor grad = of_hidden + above[t], r = reset[at][t], z = update[at][t], n = candidate[at][t];
      const at::Tensor of_n = at::tanh_backward(grad * (1 - z), n);
      const at::Tensor of_z = at::sigmoid_backward(grad * (before[t] - n), z);
      const at::Tensor of_r = at::sigmoid_backward(of_n * hidden_candidate[at][t], r);
      of_input[t].copy_(at::cat({of_r, of_z, of_n}, 1));
      of_state[t].copy_(at::cat({of_r, of_z, of_n * r}, 1));
      of_hidden = grad * z + of_state[t].mm(own.of_hidden);
    }
    grad_first[at].copy_(of_hidden);
    own.GiveGradients(grad_weights, at, x, before, of_input, of_state);
    return at::matmul(of_input, own.of_input);
  };
  grad_input.copy_(StackGradient(input, grad_out, h, batch_first, layers, bidirectional ? 2 : 1, layer));
}
