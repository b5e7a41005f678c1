# SPDX-License-Identifier: Apache-2.0
"""Gradients of feature maps as CornerNet pools them."""

import torch


def device():
    """Three maps are read and one is written. Along columns these copies bound; along rows the vector unit does, which
    transposes rows to lanes and back.
    """
    for mode in (0, 2):
        maps, gradient = torch.randn(4, 128, 128, 128), torch.randn(4, 128, 128, 128)
        dim = 2 + mode // 2
        pooled = maps.flip(dim).cummax(dim).values.flip(dim)
        yield {"grad_output": gradient, "input": maps, "output": pooled, "mode": mode}, ""
