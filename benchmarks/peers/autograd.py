# SPDX-License-Identifier: Apache-2.0
"""Gradients of other projects' operators as contestants."""

from __future__ import annotations

from collections.abc import Callable

import torch

from benchmarks.peers import Peer


def backward(
    forward: Callable[..., torch.Tensor], gradient: torch.Tensor, *tensors: torch.Tensor, both: bool = False
) -> Peer:
    """Computes the gradients of `tensors` from given gradients of the result. The forward pass runs before the first
    call, or in each call where `both` passes are timed.
    """

    def make():
        leaves = [tensor.detach().requires_grad_() for tensor in tensors]
        if both:
            return lambda: torch.autograd.grad(forward(*leaves), leaves, gradient)
        result = forward(*leaves)
        return lambda: torch.autograd.grad(result, leaves, gradient, retain_graph=True)

    return Peer(make, lambda grads: grads if len(grads) > 1 else grads[0])
