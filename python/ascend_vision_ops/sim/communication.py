# SPDX-License-Identifier: Apache-2.0
"""What a process has communicated by HCCL on the simulated device."""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass

from ..paths import library_dir

# Rates in bytes a second, in one direction. The profiler of CANN 8.1 judges what it measures by the same figures
# (msprof, the bandwidths of CHIP_V4_1_0 in number_constant.py).
IN_SERVER = 8  # devices of a server, each linked to all others
HCCS = 28e9  # the link between two devices of a server
ROCE = 25e9  # the port of a device to other servers


def link_rate(ranks: int) -> float:
    """Returns the bytes a second that a rank can send in a collective of so many ranks.

    In a server of eight Ascend 910B it sends on its HCCS links to all others at once, 28 GB/s each. More ranks are
    on several servers, where its RoCE port of 25 GB/s limits it. These are published rates of links, not measured
    ones of HCCL.

    Raises:
        ValueError: ranks is less than 2
    """
    if ranks < 2:
        raise ValueError(f"ranks: expected at least 2, got {ranks}")
    return HCCS * (ranks - 1) if ranks <= IN_SERVER else ROCE


@dataclass(frozen=True)
class Traffic:
    """The calls of one kind on one communicator.

    `sent` and `received` are bytes of the buffers that this rank passed, and do not depend on an algorithm: an
    HcclAllReduce of 4 float32 has 16 of both. A buffer for nothing, such as recvBuf of HcclReduce on other ranks than
    the root, counts as 0 bytes.
    """

    communicator: str
    ranks: int
    rank: int
    call: str
    calls: int
    sent: int
    received: int

    @property
    def ring_bytes(self) -> float:
        """Bytes that this rank puts on its link where n ranks communicate in a ring.

        These are 2 (n - 1) / n of the buffer for HcclAllReduce, (n - 1) / n of the larger buffer for the other
        collectives, and all bytes of HcclSend.
        """
        if self.call == "HcclSend":
            return float(self.sent)
        if self.call == "HcclRecv":
            return 0.0
        share = (self.ranks - 1) / self.ranks * max(self.sent, self.received)
        return 2 * share if self.call == "HcclAllReduce" else share

    @property
    def link_seconds(self) -> float:
        """The least time in which links of Ascend 910B carry `ring_bytes` (link_rate; HcclSend has a single link).

        It holds neither latencies nor waiting for other ranks, and counts calls one after the other.
        """
        if self.ranks == 1:
            return 0.0
        at_once = 2 if self.call == "HcclSend" and self.ranks <= IN_SERVER else self.ranks
        return self.ring_bytes / link_rate(at_once)


def traffic() -> list[Traffic]:
    """Returns what this process has communicated so far, by communicator and kind of call.

    A call counts when it is done, so synchronise the streams first.
    """
    library = ctypes.CDLL(str(library_dir() / "libhccl.so"))
    library.simHcclTraffic.restype = ctypes.c_char_p
    return [Traffic(**entry) for entry in json.loads(library.simHcclTraffic())]
