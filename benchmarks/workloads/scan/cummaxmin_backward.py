# SPDX-License-Identifier: Apache-2.0
"""Gradients of feature maps along each of their dimensions."""

import torch


def device():
    """Each gradient goes to the element whose index it has. Indices have 8 bytes each: two thirds of what is read."""
    for dim in (2, 3):
        indices = torch.randn(4, 128, 128, 128).cummax(dim).indices
        yield {"grad_values": torch.randn(4, 128, 128, 128), "indices": indices, "dim": dim}, ""
