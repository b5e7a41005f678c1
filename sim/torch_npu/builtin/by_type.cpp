// SPDX-License-Identifier: Apache-2.0
// Operators that torch_npu calls by type: the copy of npu_format_cast, npu_mish, and LSTM where aclnnLSTM has
// no such form (several layers, two directions, no biases, cells), one layer and direction at a time.
#include <ATen/ATen.h>

#include "lstm.h"
#include "on_tensors.h"
#include "sim/operator_compiler.h"

namespace {

using sim::builtin::LstmStep;
using sim::builtin::Tensors;

// The steps of a packed sequence that each example has: 1 or 0, [T, B, H]. Where there is no such mask, it
// has no dimensions, or is not given.
at::Tensor Mask(const at::Tensor &mask, int64_t t, const at::Tensor &like) {
  return mask.defined() && mask.dim() > 0 ? mask[t].to(like.dtype()) : at::ones_like(like);
}

// x [T, B, I], w [I + H, 4H], b [4H], a mask, the first hidden state and cell; y, h, c, i, j, f, o and
// tanh(c), [T, B, H] each. Behind its last step an example keeps its states, and its y is 0.
void Lstm(const Tensors &tensors) {
  const at::Tensor &x = tensors[0], &w = tensors[1], &b = tensors[2];
  at::Tensor hidden = tensors[4].reshape({x.size(1), -1}), cell = tensors[5].reshape({x.size(1), -1});
  for (int64_t t = 0; t < x.size(0); ++t) {
    const LstmStep step(at::addmm(b, at::cat({x[t], hidden}, 1), w), cell);
    const at::Tensor mask = Mask(tensors[3], t, cell);
    hidden = at::lerp(hidden, step.Hidden(), mask), cell = at::lerp(cell, step.cell, mask);
    const at::Tensor results[] = {hidden * mask,  hidden,      cell,        step.input,
                                  step.candidate, step.forget, step.output, step.cell_tanh};
    for (size_t i = 0; i < std::size(results); ++i) tensors[6 + i][t].copy_(results[i]);
  }
}

// x, w, b, y, the first hidden state and cell, h, c, the gradients of y and of the last h and c, i, j, f, o,
// tanh(c), the mask, and four tensors that say nothing here; the gradients of w, b, x and of the first hidden
// state and cell.
void LstmGradient(const Tensors &tensors) {
  const at::Tensor &w = tensors[1], &of_y = tensors[8];
  const int64_t steps = tensors[3].size(0), batch = tensors[3].size(1);
  const at::Tensor x = tensors[0].reshape({steps, batch, -1}), of_x = tensors[23].view_as(x);
  const at::Tensor h = tensors[6].reshape({steps, batch, -1}), c = tensors[7].reshape({steps, batch, -1});
  const at::Tensor first_hidden = tensors[4].reshape({batch, -1}),
                   first_cell = tensors[5].reshape({batch, -1});
  at::Tensor of_hidden = tensors[9].reshape({batch, -1}), of_cell = tensors[10].reshape({batch, -1});
  at::Tensor of_w = at::zeros_like(w), of_b = at::zeros({w.size(1)}, w.options());
  for (int64_t t = steps - 1; t >= 0; --t) {
    const LstmStep step({tensors[11][t], tensors[13][t], tensors[12][t], tensors[14][t]}, c[t],
                        tensors[15][t]);
    const at::Tensor mask = Mask(tensors[16], t, of_cell);
    const auto [of_sums, of_cell_before] =
        step.Gradient(mask * (of_hidden + of_y[t]), mask * of_cell, t > 0 ? c[t - 1] : first_cell);
    of_w += at::cat({x[t], t > 0 ? h[t - 1] : first_hidden}, 1).t().mm(of_sums);
    of_b += of_sums.sum(0);
    const Tensors of_inputs = of_sums.mm(w.t()).split_with_sizes({x.size(2), first_hidden.size(1)}, 1);
    of_x[t].copy_(of_inputs[0]);
    of_hidden = of_hidden - mask * of_hidden + of_inputs[1];
    of_cell = of_cell - mask * of_cell + of_cell_before;
  }
  tensors[21].copy_(of_w), tensors[22].copy_(of_b);
  tensors[24].copy_(of_hidden.view_as(tensors[24])), tensors[25].copy_(of_cell.view_as(tensors[25]));
}

// The same with two matrices of weights, [I, 4H] and [H, 4H], in the place of one; b may be missing. A cell
// has its only step without the dimension T in the gradient.
void LstmOfTwo(const Tensors &tensors) {
  const at::Tensor w = at::cat({tensors[1], tensors[2]});
  Tensors one{tensors[0], w, tensors[3].defined() ? tensors[3] : at::zeros({w.size(1)}, w.options())};
  one.insert(one.end(), tensors.begin() + 4, tensors.end());
  Lstm(one);
}

void LstmOfTwoGradient(const Tensors &tensors) {
  const at::Tensor w = at::cat({tensors[1], tensors[2]}), of_w = at::empty_like(w);
  Tensors one{tensors[0], w, at::Tensor()};
  one.insert(one.end(), tensors.begin() + 3, tensors.begin() + 21);
  one.push_back(of_w);
  one.insert(one.end(), tensors.begin() + 23, tensors.end());
  LstmGradient(one);
  const Tensors parts = of_w.split_with_sizes({tensors[1].size(0), tensors[2].size(0)});
  tensors[21].copy_(parts[0]), tensors[22].copy_(parts[1]);
}

void Copy(const Tensors &tensors) { tensors[1].copy_(tensors[0]); }

void Mish(const Tensors &tensors) { tensors[1].copy_(at::mish(tensors[0])); }

void Add(const char *type, size_t inputs, size_t outputs, const char *attribute,
         void (*run)(const Tensors &)) {
  sim::AddCompiledOperator({type, inputs, outputs, attribute, sim::builtin::OnTensors(type, run)});
}

const bool added = [] {
  Add("Identity", 1, 1, "", &Copy);
  Add("Mish", 1, 1, "", &Mish);
  Add("DynamicRNN", 6, 8, "gate_order", &Lstm);
  Add("DynamicRNNGrad", 21, 5, "gate_order", &LstmGradient);
  Add("DynamicRNNV2", 7, 8, "gate_order", &LstmOfTwo);
  Add("DynamicRNNV2Grad", 21, 6, "gate_order", &LstmOfTwoGradient);
  return true;
}();

}  // namespace
