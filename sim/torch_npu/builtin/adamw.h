// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/ATen.h>

#include <cmath>

namespace sim::builtin {

// AdamW as torch.optim has it. `power1` and `power2` are the betas to the power of the step.
inline void AdamW(at::Tensor self, at::Tensor mean, at::Tensor square, at::Tensor largest,
                  const at::Tensor &grad, double power1, double power2, double rate, double beta1,
                  double beta2, double decay, double eps, bool amsgrad, bool maximize) {
  const at::Tensor part = maximize ? -grad : grad;
  self.mul_(1 - rate * decay);
  mean.lerp_(part, 1 - beta1);
  square.mul_(beta2).addcmul_(part, part, 1 - beta2);
  if (amsgrad) largest.copy_(at::maximum(largest, square));
  const at::Tensor spread = (amsgrad ? largest : square).sqrt() / std::sqrt(1 - power2) + eps;
  self.addcdiv_(mean, spread, -rate / (1 - power1));
}

}  // namespace sim::builtin
