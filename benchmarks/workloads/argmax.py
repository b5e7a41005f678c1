# SPDX-License-Identifier: Apache-2.0
"""Segmentation maps along their classes, and rows of scores."""

import torch

SHAPES = [((8, 19, 512, 1024), 1), ((64, 32000), -1), ((1000, 81), 1), ((8, 1000), 1)]


def workloads():
    for shape, dim in SHAPES:
        values = torch.randn(shape)
        array = values.numpy()
        peers = {
            "torch": lambda values=values, dim=dim: torch.argmax(values, dim),
            "numpy": lambda array=array, dim=dim: array.argmax(dim),
        }
        yield f"{'x'.join(map(str, shape))} dim {dim}", {"self": values, "dim": dim}, peers
