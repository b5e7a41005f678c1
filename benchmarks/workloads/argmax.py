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


def device():
    """Along columns, reading the input once is all there is, and MTE2 waits for HBM. Half types are
    compared in float32, and the vector unit bounds: five instructions an element, one to widen it, two
    comparisons, of which one finds NaN, a choice of places and a maximum. Places of 16 bits, and
    float16 compared as it is, would move it. Lines are combined across lanes at the end; short ones
    take a launch of 3 us and a start of 0.5 us, more than all their bytes. Many lines of 20 elements
    take 9 times as long as their bytes: 64 lanes are compared for each, the vector unit is busy for 38
    us of 43, and most of that is what is done to the lanes of each line in the end. Lines side by side
    as lanes would move it.
    """
    for (shape, dim), mark in zip(
        [*SHAPES, ((100_000, 20), 1)], ("1.5 x", "4 x", "", "", "4 x"), strict=True
    ):
        yield {"self": torch.randn(shape), "dim": dim}, mark
    for dtype in (torch.float16, torch.bfloat16, torch.int32):
        yield {"self": (100 * torch.randn(2, 19, 512, 1024)).to(dtype), "dim": 1}, "1.5 x"
