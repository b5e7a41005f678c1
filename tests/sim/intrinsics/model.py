# SPDX-License-Identifier: Apache-2.0
"""What intrinsics do, computed with NumPy from their documentation: which lanes compute, and where each one lies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from tests.sim.api import harness
from tests.sim.api.harness import BITS, COUNT

PROGRAM = harness.BUILD / "tests" / "sim_intrinsics"
clean = partial(harness.clean, program=PROGRAM)
fault = partial(harness.fault, program=PROGRAM)

ALL = (1 << 128) - 1
BUFFER = 8192  # bytes of a buffer that strides may cross


@dataclass(frozen=True)
class Lanes:
    """The mask registers and `repeat` of a call. In counting mode `mask` is the count, and `repeat` has no meaning."""

    form: int
    mask: int
    repeat: int = 1

    def active(self, element_bytes: int) -> list[tuple[int, int]]:
        """The repeat and the lane in it of all lanes that compute, for the widest operand's element."""
        lanes = 256 // element_bytes
        if self.form == COUNT:
            return [divmod(i, lanes) for i in range(self.mask)]
        return [(r, i) for r in range(self.repeat) for i in range(lanes) if self.mask >> i & 1]

    def numbers(self, *strides: tuple[int, int]) -> list[int]:
        """The numbers of the call: the mask's words, repeat, the block strides and the repeat strides."""
        words = [self.mask & (1 << 64) - 1, self.mask >> 64]
        return [*words, self.repeat, *(s[0] for s in strides), *(s[1] for s in strides)]


# A call of each kind that has its own trap.
COUNTING = Lanes(COUNT, 200)
HOLES = Lanes(BITS, 0x80000000_00000003_00F00000_80000105, 2)
FULL = Lanes(BITS, ALL, 3)
DENSE = (1, 8)
WAYS = {
    "count over several repeats": (COUNTING, DENSE, DENSE),
    "mask with holes": (HOLES, DENSE, DENSE),
    "strides of blocks and repeats": (FULL, (2, 17), (1, 9)),
    "count with strides": (replace(COUNTING, mask=100), (2, 20), (3, 24)),
    "source of one repeat for all": (FULL, DENSE, (1, 0)),
    "source of one block for all": (FULL, DENSE, (0, 0)),
    "last repeat stays": (FULL, (1, 0), DENSE),
}


def elements(active, element_bytes: int, stride: tuple[int, int]) -> np.ndarray:
    """The element of a buffer that each lane reads or writes."""
    per_block = 32 // element_bytes
    return np.array(
        [(r * stride[1] + i // per_block * stride[0]) * per_block + i % per_block for r, i in active], int
    )


def computed(lanes: Lanes, function, dst, *sources, dst_stride=DENSE, strides=(), in_dst=False):
    """The content of `dst` after the lanes computed. `function` also takes the old dst with `in_dst`."""
    active = lanes.active(max(a.itemsize for a in (dst, *sources)))
    at = elements(active, dst.itemsize, dst_stride)
    taken = [s[elements(active, s.itemsize, stride)] for s, stride in zip(sources, strides, strict=True)]
    out = dst.copy()
    with np.errstate(all="ignore"):
        out[at] = function(*([dst[at]] if in_dst else []), *taken)
    return out


def packed(bits) -> np.ndarray:
    """Bits in bytes, the first one lowest; bits behind the last one are 0."""
    return np.packbits(np.asarray(bits, bool), bitorder="little")
