# SPDX-License-Identifier: Apache-2.0
"""Segmentation maps along their classes, and rows of scores."""

import torch

from benchmarks.peers import Peer, opencv, runtimes
from benchmarks.workload import Workload, size

SHAPES = [((8, 19, 512, 1024), 1), ((64, 32000), -1), ((1000, 81), 1), ((8, 1000), 1)]
TARGETS = {(8, 19, 512, 1024): 1.4, (64, 32000): 1.1}


def workloads():
    for shape, dim in SHAPES:
        values = torch.randn(shape)
        arguments = {"self": values, "dim": dim}
        yield Workload(f"{size(shape)} dim {dim}", arguments, peers(values, dim), TARGETS.get(shape, 0))


def peers(values, dim):
    array, given = values.numpy(), torch.empty(values.amax(dim).shape, dtype=torch.int64)
    found = {
        "torch": lambda: torch.argmax(values, dim),
        "torch out=": lambda: torch.argmax(values, dim, out=given),
        "numpy": lambda: array.argmax(dim),
        "numpy out=": lambda: array.argmax(dim, out=given.numpy()),
        **runtimes.node("ArgMax", {"self": values}, opset=13, axis=dim, keepdims=0),
    }
    if values.ndim == 2:
        read = lambda places: torch.from_numpy(places).flatten().long()  # noqa: E731
        found["opencv"] = Peer(lambda: lambda: opencv.module().reduceArgMax(array, 1), read)
    return found


def device():
    """Along columns the kernel only reads the input once, and MTE2 waits for HBM. Half types are compared as
    float32, and the vector unit bounds: five instructions for each element, one to widen it, two comparisons, of
    which one finds NaN, a choice of indices and a maximum. Indices of 16 bits, and a comparison of float16 as it
    is, would move it. Long lines are reduced across lanes at their end. Short lines are lanes themselves,
    transposed in the Unified Buffer: for lines of 20 elements the vector unit is busy for 13 us of 18. It compares
    400 lines at once, in 8 repeats of an instruction, and each instruction takes 22 cycles to start; keys of fewer
    bytes would hold more lines. A thousand lines take a launch of 3 us and a start of 0.5 us, which is more than
    all their bytes take.
    """
    for (shape, dim), mark in zip(
        [*SHAPES, ((100_000, 20), 1)], ("1.5 x", "4 x", "", "", "4 x"), strict=True
    ):
        yield {"self": torch.randn(shape), "dim": dim}, mark
    for dtype in (torch.float16, torch.bfloat16, torch.int32):
        yield {"self": (100 * torch.randn(2, 19, 512, 1024)).to(dtype), "dim": 1}, "1.5 x"
