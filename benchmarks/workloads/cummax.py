# SPDX-License-Identifier: Apache-2.0
"""Feature maps and rows of scores, along each of their dimensions."""

import torch


def workloads():
    for shape, dim in (((4, 128, 128, 128), 2), ((4, 128, 128, 128), 3), ((1000, 81), 1)):
        values = torch.randn(shape)
        peers = {"torch": lambda values=values, dim=dim: torch.cummax(values, dim)}
        yield f"{'x'.join(map(str, shape))} dim {dim}", {"input": values, "dim": dim}, peers


def device():
    """Along columns writes bound: values, and indices of 8 bytes each. Along rows the vector unit, which
    turns rows into lanes and back and keeps an index beside each value. One long line is cut into parts, a
    lane each, over all cores: it is read twice, the second time out of L2, and the vector unit bounds. int64
    is compared as two halves, six instructions a step instead of one, and its halves are put together by
    Gather: the vector unit bounds.
    """
    for shape, dim, mark in (
        ((4, 128, 128, 128), 2, "1.5 x"),
        ((4, 128, 128, 128), 3, "4 x"),
        ((10_000_000,), 0, "4 x"),
    ):
        yield {"input": torch.randn(shape), "dim": dim}, mark
    for dtype in (torch.float16, torch.bfloat16, torch.int32, torch.int64):
        yield {"input": (100 * torch.randn(4, 128, 128, 128)).to(dtype), "dim": 2}, "1.5 x"
