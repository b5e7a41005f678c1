// SPDX-License-Identifier: Apache-2.0
// Operators that torch_npu calls by type: npu_conv2d, npu_bmmV2, npu_apply_adam_w, npu_mish, and LSTM where
// aclnnLSTM has no such form (several layers, two directions, no biases, cells), one layer and direction at a
// time.
#include <ATen/ATen.h>

#include <stdexcept>
#include <string>

#include "adamw.h"
#include "by_type.h"
#include "lstm.h"
#include "on_tensors.h"

namespace {

using sim::CallValues;
using sim::builtin::IntegerOf;
using sim::builtin::IntegersAt;
using sim::builtin::LstmStep;
using sim::builtin::Tensors;

// The gradient that torch_npu computes for the other direction leaves out that of the last state, so no
// results of it can be right.
void RefuseDirection(const CallValues &values) {
  const auto direction = values.texts.find("direction");
  if (direction != values.texts.end() && direction->second != "UNIDIRECTIONAL")
    throw std::invalid_argument("direction: expected UNIDIRECTIONAL, got " + direction->second +
                                ", which is not simulated: torch_npu asks for it in packed sequences of an "
                                "LSTM with biases and two directions");
}

// The steps of a packed sequence that each example has: 1 or 0, [T, B, H]. Where there is no such mask, it
// has no dimensions, or is not given.
at::Tensor Mask(const at::Tensor &mask, int64_t t, const at::Tensor &like) {
  return mask.defined() && mask.dim() > 0 ? mask[t].to(like.dtype()) : at::ones_like(like);
}

// x [T, B, I], w [I + H, 4H], b [4H], a mask, the first hidden state and cell; y, h, c, i, j, f, o and
// tanh(c), [T, B, H] each. Behind its last step an example keeps its states, and its y is 0.
void Lstm(const Tensors &tensors, const CallValues &) {
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
void LstmGradient(const Tensors &tensors, const CallValues &) {
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
void LstmOfTwo(const Tensors &tensors, const CallValues &values) {
  const at::Tensor w = at::cat({tensors[1], tensors[2]});
  Tensors one{tensors[0], w, tensors[3].defined() ? tensors[3] : at::zeros({w.size(1)}, w.options())};
  one.insert(one.end(), tensors.begin() + 4, tensors.end());
  Lstm(one, values);
}

void LstmOfTwoGradient(const Tensors &tensors, const CallValues &values) {
  const at::Tensor w = at::cat({tensors[1], tensors[2]}), of_w = at::empty_like(w);
  Tensors one{tensors[0], w, at::Tensor()};
  one.insert(one.end(), tensors.begin() + 3, tensors.begin() + 21);
  one.push_back(of_w);
  one.insert(one.end(), tensors.begin() + 23, tensors.end());
  LstmGradient(one, values);
  const Tensors parts = of_w.split_with_sizes({tensors[1].size(0), tensors[2].size(0)});
  tensors[21].copy_(parts[0]), tensors[22].copy_(parts[1]);
}

void Mish(const Tensors &tensors, const CallValues &) { tensors[1].copy_(at::mish(tensors[0])); }

// x and the dimensions to add up; y.
void Sum(const Tensors &tensors, const CallValues &values) {
  const bool keep = values.numbers.at("keep_dims").at(0) != 0;
  tensors[2].copy_(at::sum(tensors[0], IntegersAt(values, 1), keep));
}

// Two batches of matrices, each transposed where an attribute says so; their products.
void MatMul(const Tensors &tensors, const CallValues &values) {
  const auto side = [&](size_t place, const char *transposed) {
    return values.numbers.at(transposed).at(0) != 0 ? tensors[place].mT() : tensors[place];
  };
  tensors[2].copy_(at::matmul(side(0, "adj_x1"), side(1, "adj_x2")));
}

// The attributes of a convolution, as ATen takes them. CANN lists a value for each dimension of NCHW, and the
// padding of each side.
struct Convolution {
  std::vector<int64_t> stride, padding, dilation;
  int64_t groups;

  explicit Convolution(const CallValues &values) {
    const auto of = [&](const char *name, size_t i) { return values.numbers.at(name).at(i); };
    stride = {of("strides", 2), of("strides", 3)}, dilation = {of("dilations", 2), of("dilations", 3)};
    padding = {of("pads", 0), of("pads", 2)}, groups = of("groups", 0);
  }
  Tensors Gradients(const at::Tensor &grad, const at::Tensor &x, const at::Tensor &filter,
                    std::array<bool, 3> wanted) const {
    const auto [of_x, of_filter, of_bias] = at::convolution_backward(
        grad, x, filter, c10::nullopt, stride, padding, dilation, false, {0, 0}, groups, wanted);
    return {of_x, of_filter};
  }
};

// x, the filter, and a bias where there is one; y.
void Conv2d(const Tensors &tensors, const CallValues &values) {
  const Convolution conv(values);
  const auto bias = tensors.size() == 4 ? std::optional<at::Tensor>(tensors[2]) : std::nullopt;
  tensors.back().copy_(at::convolution(tensors[0], tensors[1], bias, conv.stride, conv.padding, conv.dilation,
                                       false, {0, 0}, conv.groups));
}

// The shape of x, the filter and the gradient of y; the gradient of x.
void Conv2dInputGradient(const Tensors &tensors, const CallValues &values) {
  const at::Tensor &of_x = tensors[3];
  of_x.copy_(Convolution(values).Gradients(tensors[2], of_x, tensors[1], {true, false, false})[0]);
}

// x, the shape of the filter and the gradient of y; the gradient of the filter.
void Conv2dFilterGradient(const Tensors &tensors, const CallValues &values) {
  const at::Tensor &of_filter = tensors[3];
  of_filter.copy_(Convolution(values).Gradients(tensors[2], tensors[0], of_filter, {false, true, false})[1]);
}

// The variable and its two moments, beta1 and beta2 to the power of the step, the learning rate, the decay of
// weights, beta1, beta2, epsilon, the gradient, and the greatest second moment so far (AMSGrad); the variable
// and the moments, for which torch_npu passes the same memory again.
void ApplyAdamW(const Tensors &tensors, const CallValues &values) {
  const auto number = [&](size_t place) { return values.constants.at(place).at(0); };
  const auto flag = [&](const char *name) { return IntegerOf(values, name) != 0; };
  for (size_t i = 0; i < 3; ++i) tensors[12 + i].copy_(tensors[i]);
  sim::builtin::AdamW(tensors[12], tensors[13], tensors[14], tensors[11], tensors[10], number(3), number(4),
                      number(5), number(7), number(8), number(6), number(9), flag("amsgrad"),
                      flag("maximize"));
}

const bool added = [] {
  using sim::builtin::AddByType;
  AddByType({"Mish", 1, 1, ""}, &Mish);
  AddByType({"ReduceSum", 2, 1, "keep_dims", 1}, &Sum);
  AddByType({"BatchMatMul", 2, 1, "adj_x1"}, &MatMul);
  AddByType({"Conv2D", 3, 1, "strides", 0, 1}, &Conv2d);
  AddByType({"Conv2DBackpropInput", 3, 1, "strides", 1}, &Conv2dInputGradient);
  AddByType({"Conv2DBackpropFilter", 3, 1, "strides", 1}, &Conv2dFilterGradient);
  AddByType({"ApplyAdamW", 12, 3, "amsgrad", 7}, &ApplyAdamW);
  AddByType({"DynamicRNN", 6, 8, "gate_order"}, &Lstm, &RefuseDirection);
  AddByType({"DynamicRNNGrad", 21, 5, "gate_order"}, &LstmGradient, &RefuseDirection);
  AddByType({"DynamicRNNV2", 7, 8, "gate_order"}, &LstmOfTwo, &RefuseDirection);
  AddByType({"DynamicRNNV2Grad", 21, 6, "gate_order"}, &LstmOfTwoGradient, &RefuseDirection);
  return true;
}();

}  // namespace

namespace sim::builtin {

void AddByType(CompiledOperator added, void (*run)(const Tensors &tensors, const CallValues &values),
               void (*check)(const CallValues &values)) {
  // The operator stays for ever, and the name with it.
  added.plan = [name = added.type, run, check](const CallValues &values) {
    if (check != nullptr) check(values);
    return OnTensors(name.c_str(), [run, values](const Tensors &tensors) { run(tensors, values); });
  };
  AddCompiledOperator(std::move(added));
}

}  // namespace sim::builtin
