# SPDX-License-Identifier: Apache-2.0
"""Feature maps as CornerNet pools them, towards each side."""

import numpy as np
import torch

from ascend_vision_ops.testing.run import from_torch, to_torch
from benchmarks.workload import Workload, size

MODES = ("top", "bottom", "left", "right")


def workloads():
    for shape, target in (((4, 128, 128, 128), 5), ((1, 128, 64, 64), 0)):
        for mode, name in enumerate(MODES):
            maps = torch.randn(shape)
            arguments = {"input": maps, "mode": mode}
            yield Workload(f"{size(shape)} {name}", arguments, contestants(**arguments), target)


def contestants(input, mode):
    maps, dim, turned, given = input, 2 + mode // 2, mode % 2 == 0, torch.empty_like(input)
    array, result = (np.flip(x, dim) if turned else x for x in map(from_torch, (maps, given)))

    def by_numpy():
        pooled = to_torch(np.maximum.accumulate(array, axis=dim))
        return pooled.flip(dim) if turned else pooled

    def mmcv():
        # mmcv's CornerPool does this with torch.
        pooled = (maps.flip(dim) if turned else maps).cummax(dim).values
        return pooled.flip(dim) if turned else pooled

    def into():
        np.maximum.accumulate(array, axis=dim, out=result)
        return given

    return {"mmcv": mmcv, "numpy": by_numpy, "numpy out=": into}


def device():
    """MTE2 and the launch bound, also along rows, where the vector unit transposes 16 rows to lanes and back in the
    meantime. Half types along columns on Ascend910B4 are bound by the vector unit, which widens them. Writes stay
    in L2. Few long lines are cut into parts over all cores and read twice, the second time out of L2.
    """
    for mode in range(4):
        yield {"input": torch.randn(4, 128, 128, 128), "mode": mode}, "1.5 x" if mode < 2 else "4 x"
    for dtype in (torch.float16, torch.bfloat16):
        yield {"input": torch.randn(4, 128, 128, 128).to(dtype), "mode": 0}, "1.5 x"
    yield {"input": torch.randn(1, 1, 4, 1_000_000), "mode": 2}, "4 x"
