# SPDX-License-Identifier: Apache-2.0
"""Feature maps and rows of scores, along each of their dimensions."""

import torch

from benchmarks.workloads.cummax import device  # noqa: F401  the same scan, of minima


def workloads():
    for shape, dim in (((4, 128, 128, 128), 2), ((4, 128, 128, 128), 3), ((1000, 81), 1)):
        values = torch.randn(shape)
        peers = {"torch": lambda values=values, dim=dim: torch.cummin(values, dim)}
        yield f"{'x'.join(map(str, shape))} dim {dim}", {"input": values, "dim": dim}, peers
