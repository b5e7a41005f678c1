# SPDX-License-Identifier: Apache-2.0
"""Measures the limits of the machine at this many threads: how fast it copies memory and multiplies matrices."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

import numpy as np
import torch

SIZES = (1, 4, 16, 64, 256)  # MiB, read and written together
EDGE = 2048  # rows and columns of the matrices
SLOW = 1.0  # seconds of a call that is not repeated: a product of float16 takes 17 on processors without it


@dataclass(frozen=True)
class Limits:
    """Attributes:
    copy: bytes per second, read and written, when memory that was touched before is copied; by the number of bytes
    product: operations per second of a matrix product, by the dtype of the elements
    """

    copy: dict[int, float]
    product: dict[str, float]

    def copy_rate(self, moved: int) -> float:
        """Interpolates between two measured sizes by their logarithm, because caches hold the smaller sizes."""
        sizes = sorted(self.copy)
        return float(np.interp(math.log(moved), [math.log(s) for s in sizes], [self.copy[s] for s in sizes]))


def measure(seconds_of, rounds: int = 7) -> Limits:
    """`seconds_of(function)` times one call."""

    def best(*functions) -> float:
        return min(map(usual, functions))

    def usual(function) -> float:
        first = seconds_of(function)
        return first if first > SLOW else statistics.median(seconds_of(function) for _ in range(rounds))

    copy = {}
    for mebibytes in SIZES:
        source = torch.ones(mebibytes << 17)
        target = torch.empty_like(source)
        arrays, repeat = (target.numpy(), source.numpy()), max(1, 16 // mebibytes)

        def by_torch(source=source, target=target, repeat=repeat):
            for _ in range(repeat):
                target.copy_(source)

        def by_numpy(arrays=arrays, repeat=repeat):
            for _ in range(repeat):
                np.copyto(*arrays)

        copy[mebibytes << 20] = repeat * (mebibytes << 20) / best(by_torch, by_numpy)
    product = {}
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        left, right = (torch.randn(EDGE, EDGE).to(dtype) for _ in range(2))
        result = torch.empty_like(left)
        seconds = best(lambda left=left, right=right, result=result: torch.mm(left, right, out=result))
        product[str(dtype).removeprefix("torch.")] = 2 * EDGE**3 / seconds
    return Limits(copy, product)
