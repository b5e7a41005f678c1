# SPDX-License-Identifier: Apache-2.0
"""Segmentation maps along their classes, and rows of scores."""

import torch

from ascend_vision_ops.testing.run import from_torch
from benchmarks.peers import Peer, opencv, runtimes
from benchmarks.workload import Workload, size

SHAPES = [((8, 19, 512, 1024), 1), ((64, 32000), -1), ((1000, 81), 1), ((8, 1000), 1)]
TARGETS = {(8, 19, 512, 1024): 1.4, (64, 32000): 1.1}


def workloads():
    for shape, dim in SHAPES:
        values = torch.randn(shape)
        arguments = {"self": values, "dim": dim}
        yield Workload(f"{size(shape)} dim {dim}", arguments, contestants(**arguments), TARGETS.get(shape, 0))


def contestants(self, dim=None, keepdim=False, select_last_index=False):
    values, choices = self, {"keepdims": int(keepdim), "select_last_index": int(select_last_index)}
    nodes = {} if dim is None else runtimes.node("ArgMax", {"self": values}, opset=13, axis=dim, **choices)
    if select_last_index:
        return nodes
    shape = torch.empty(values.shape, device="meta").argmax(dim, keepdim).shape
    array, given = from_torch(values), torch.empty(shape, dtype=torch.int64)
    found = {
        "torch": lambda: torch.argmax(values, dim, keepdim),
        "torch out=": lambda: torch.argmax(values, dim, keepdim, out=given),
        "numpy": lambda: array.argmax(dim, keepdims=keepdim),
        "numpy out=": lambda: array.argmax(dim, keepdims=keepdim, out=given.numpy()),
        **nodes,
    }
    if values.ndim == 2 and dim in (1, -1) and not keepdim and values.dtype == torch.float32:
        read = lambda places: torch.from_numpy(places).flatten().long()  # noqa: E731
        found["opencv"] = Peer(lambda: lambda: opencv.module().reduceArgMax(array, 1), read)
    return found


def device():
    """Along columns the kernel only reads the input once, and MTE2 waits for HBM. float16 is compared as it is,
    with indices of 16 bits: two comparisons, of which one finds NaN, a choice of indices and a maximum, each of 128
    elements a cycle. bfloat16 is widened to float32 first, and the vector unit bounds. In float32 and bfloat16, a
    core looks for NaN after its first and its last tile. Few columns are cut along the searched axis over all
    cores; the cores meet, and each joins the parts of 64 columns. There the starts of instructions bound, six for
    each part and three for each position of one. Lines are halved to the maxima of neighbours, one instruction for
    each element, and the index is found on the way back in some forty instructions for all lines of a tile. Where a
    core has one tile, neighbours are halved while the rest of it is loaded. HBM bounds large inputs, and launch,
    start and that way small ones; bfloat16 is widened first, and the vector unit bounds. Short lines are lanes
    themselves, transposed in the Unified Buffer, and their positions are folded to the maximum, half of them onto
    the other half: for lines of 20 elements the vector unit is busy for 9 us of 14, a quarter of that with
    transpositions. A thousand lines take a launch of 2.5 us and a start of 1.4 us, which is more than all their
    bytes take.
    """
    for (shape, dim), mark in zip(
        [*SHAPES, ((100_000, 20), 1)], ("1.5 x", "4 x", "", "", "4 x"), strict=True
    ):
        yield {"self": torch.randn(shape), "dim": dim}, mark
    for dtype in (torch.float16, torch.bfloat16, torch.int32):
        yield {"self": (100 * torch.randn(2, 19, 512, 1024)).to(dtype), "dim": 1}, "1.5 x"
