# SPDX-License-Identifier: Apache-2.0
"""What a time is worth: CANN Bench's score, the floor of a call on the simulated device, and means."""

from __future__ import annotations

import math
from collections.abc import Iterable


def hap(microseconds: float, published: float, bound: float) -> float:
    """CANN Bench's score of a time: .5 is as fast as the published time, 1 is as fast as the bound.

    NaN where the formula has no value: neither time is above the bound.
    """
    ours, theirs = microseconds - bound, published - bound
    return theirs / (ours + theirs) if ours + theirs > 0 else math.nan


def floor(device: dict, read: int, written: int) -> float:
    """The microseconds that no kernel of one launch can beat on this device, which reads and writes so many bytes.

    These are the launch, which costs something for each core, the start of a core, and the longest of three: what
    crosses HBM, what each core reads, and what each core writes. Inputs come from HBM. Results stay in L2 as far as
    they fit. Fewer cores are launched sooner and move less: the best number of cores counts.
    """
    kept = device["l2_usable"] * device["l2_bytes"]
    crossing = read + device["hbm_written"] * max(0.0, written - kept)
    hbm = crossing / (device["hbm_efficiency"] * device["hbm_bytes_per_second"])

    def with_cores(cores: int) -> float:
        reading = read / (cores * device["core_read_bytes_per_second"])
        writing = written / (cores * device["core_write_bytes_per_second"])
        launch = device["launch_us"] + device["launch_us_per_core"] * cores
        return launch + device["start_us"] + 1e6 * max(hbm, reading, writing)

    return min(with_cores(cores) for cores in range(1, device["vector_cores"] + 1))


def geometric_mean(values: Iterable[float]) -> float:
    """The geometric mean; NaN without values."""
    logs = [math.log(value) for value in values]
    return math.exp(math.fsum(logs) / len(logs)) if logs else math.nan


def mean(values: Iterable[float]) -> float:
    """The arithmetic mean; NaN without values."""
    found = list(values)
    return math.fsum(found) / len(found) if found else math.nan
