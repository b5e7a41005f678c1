# SPDX-License-Identifier: Apache-2.0
"""Feature maps along columns and rows, one long line, and rows of scores."""

import numpy as np
import torch

from benchmarks.peers import Peer
from benchmarks.workload import Workload, size

# Shape, dimension, target.
SHAPES = [((4, 128, 128, 128), 2, 5), ((4, 128, 128, 128), 3, 5), ((10_000_000,), 0, 2), ((1000, 81), 1, 0)]


def workloads():
    yield from scans(torch.cummax, np.maximum)


def scans(function, extreme):
    """Workloads of a cumulative extreme. `function` is torch's; `extreme` is NumPy's, which gives no indices."""
    for shape, dim, target in SHAPES:
        values = torch.randn(shape)
        array, given = values.numpy(), (torch.empty(shape), torch.empty(shape, dtype=torch.int64))
        peers = {
            "torch": lambda v=values, d=dim: function(v, d),
            "torch out=": lambda v=values, d=dim, g=given: function(v, d, out=g),
            "numpy values": Peer(lambda a=array, d=dim: lambda: extreme.accumulate(a, axis=d), alone),
            "numpy values out=": Peer(
                lambda a=array, d=dim, g=given: lambda: extreme.accumulate(a, axis=d, out=g[0].numpy()), alone
            ),
        }
        yield Workload(f"{size(shape)} dim {dim}", {"input": values, "dim": dim}, peers, target)


def alone(values):
    return values, None


def device():
    """Along columns writes bound: values, and indices of 8 bytes each. Along rows the vector unit bounds, which
    transposes rows to lanes and back and computes an index beside each value. One long line is cut into parts over all
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
