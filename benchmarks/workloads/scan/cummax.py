# SPDX-License-Identifier: Apache-2.0
"""Feature maps along columns and rows, one long line, and rows of scores."""

import numpy as np
import torch

from ascend_vision_ops.testing.run import from_torch
from benchmarks.peers import Peer
from benchmarks.workload import Workload, size

# Shape, dimension, target.
SHAPES = [((4, 128, 128, 128), 2, 5), ((4, 128, 128, 128), 3, 5), ((10_000_000,), 0, 2), ((1000, 81), 1, 0)]


def workloads():
    yield from scans(torch.cummax, np.maximum)


def scans(function, extreme):
    """Workloads of a cumulative extreme. `function` is torch's; `extreme` is NumPy's, which gives no indices."""
    for shape, dim, target in SHAPES:
        arguments = {"input": torch.randn(shape), "dim": dim}
        peers = scan_contestants(function, extreme, **arguments)
        yield Workload(f"{size(shape)} dim {dim}", arguments, peers, target)


def scan_contestants(function, extreme, input, dim):
    array, given = from_torch(input), (torch.empty_like(input), torch.empty(input.shape, dtype=torch.int64))
    return {
        "torch": lambda: function(input, dim),
        "torch out=": lambda: function(input, dim, out=given),
        "numpy values": Peer(lambda: lambda: extreme.accumulate(array, axis=dim), alone),
        "numpy values out=": Peer(
            lambda: lambda: extreme.accumulate(array, axis=dim, out=from_torch(given[0])), alone
        ),
    }


def contestants(**call):
    return scan_contestants(torch.cummax, np.maximum, **call)


def alone(values):
    return values, None


def device():
    """Along columns writes bound: values, and indices of 8 bytes each. Along rows, too, where indices fit 16 bits: the
    vector unit transposes rows to lanes, scans eight planes of positions in one instruction each, float16 as it is and
    indices as int16, and transposes back, which makes the indices longer. One long line is cut into parts over all
    cores, and each part is a lane. It is read twice, the second time out of L2, and the vector unit bounds. int64 is
    compared as two halves, in six instructions for each step instead of one, and Gather puts its halves together: the
    vector unit bounds.
    """
    for shape, dim, mark in (
        ((4, 128, 128, 128), 2, "1.5 x"),
        ((4, 128, 128, 128), 3, "4 x"),
        ((10_000_000,), 0, "4 x"),
    ):
        yield {"input": torch.randn(shape), "dim": dim}, mark
    for dtype in (torch.float16, torch.bfloat16, torch.int32, torch.int64):
        yield {"input": (100 * torch.randn(4, 128, 128, 128)).to(dtype), "dim": 2}, "1.5 x"
