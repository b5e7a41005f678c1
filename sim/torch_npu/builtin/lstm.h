// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/ATen.h>

#include <tuple>

#include "bridge.h"

namespace sim::builtin {

// The gates of one step of an LSTM, [B, H] each, and the cell behind it.
struct LstmStep {
  at::Tensor input, forget, candidate, output, cell, cell_tanh;

  // `sums` [B, 4H]: the weighted inputs of the gates, in torch's order.
  LstmStep(const at::Tensor &sums, const at::Tensor &cell_before) {
    const Tensors parts = sums.chunk(4, 1);
    input = parts[0].sigmoid(), forget = parts[1].sigmoid();
    candidate = parts[2].tanh(), output = parts[3].sigmoid();
    cell = forget * cell_before + input * candidate;
    cell_tanh = cell.tanh();
  }
  LstmStep(const Tensors &gates, const at::Tensor &cell_behind, const at::Tensor &tanh_behind)
      : input(gates[0]),
        forget(gates[1]),
        candidate(gates[2]),
        output(gates[3]),
        cell(cell_behind),
        cell_tanh(tanh_behind) {}

  at::Tensor Hidden() const { return output * cell_tanh; }

  // The gradients of `sums` and of the cell before the step.
  std::tuple<at::Tensor, at::Tensor> Gradient(const at::Tensor &of_hidden, const at::Tensor &of_cell,
                                              const at::Tensor &cell_before) const {
    const at::Tensor inner = of_cell + at::tanh_backward(of_hidden * output, cell_tanh);
    return {at::cat({at::sigmoid_backward(inner * candidate, input),
                     at::sigmoid_backward(inner * cell_before, forget),
                     at::tanh_backward(inner * input, candidate),
                     at::sigmoid_backward(of_hidden * cell_tanh, output)},
                    1),
            inner * forget};
  }
};

}  // namespace sim::builtin
