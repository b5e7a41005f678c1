# SPDX-License-Identifier: Apache-2.0
"""Gradients of other projects' operators as contestants: what their backward pass alone takes."""

from __future__ import annotations

from collections.abc import Callable

import torch

from benchmarks.peers import Peer


def backward(forward: Callable[..., torch.Tensor], gradient: torch.Tensor, *tensors: torch.Tensor) -> Peer:
    """The gradients of `tensors`, those of the result being given; the forward pass ran before the first call."""

    def make():
        leaves = [tensor.detach().requires_grad_() for tensor in tensors]
        result = forward(*leaves)
        return lambda: torch.autograd.grad(result, leaves, gradient, retain_graph=True)

    return Peer(make, lambda grads: grads if len(grads) > 1 else grads[0])
