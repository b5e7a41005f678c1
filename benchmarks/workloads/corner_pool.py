# SPDX-License-Identifier: Apache-2.0
"""Feature maps as CornerNet pools them, towards each side."""

import torch


def workloads():
    for shape in ((4, 128, 128, 128), (1, 128, 64, 64)):
        for mode in range(4):
            maps = torch.randn(shape)
            yield f"{'x'.join(map(str, shape))} mode {mode}", {"input": maps, "mode": mode}, peers(maps, mode)


def peers(maps, mode):
    dim = 2 if mode < 2 else 3
    if mode % 2 == 0:
        return {"mmcv": lambda: maps.flip(dim).cummax(dim).values.flip(dim)}
    return {"mmcv": lambda: maps.cummax(dim).values}


def device():
    """MTE2 and the launch are what is left, along rows too, where the vector unit turns 16 rows into lanes and
    back meanwhile; of half types along columns on Ascend910B4 it is the vector unit, which widens them. Writes
    stay in L2. Few long lines are cut into parts over all cores and read twice, the second time out of L2.
    """
    for mode in range(4):
        yield {"input": torch.randn(4, 128, 128, 128), "mode": mode}, "1.5 x" if mode < 2 else "4 x"
    for dtype in (torch.float16, torch.bfloat16):
        yield {"input": torch.randn(4, 128, 128, 128).to(dtype), "mode": 0}, "1.5 x"
    yield {"input": torch.randn(1, 1, 4, 1_000_000), "mode": 2}, "4 x"
