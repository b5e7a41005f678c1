# SPDX-License-Identifier: Apache-2.0
"""What a process has communicated by HCCL on the simulated device."""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass

from ..paths import library_dir


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


def traffic() -> list[Traffic]:
    """Returns what this process has communicated so far, by communicator and kind of call.

    A call counts when it is done, so synchronise the streams first.
    """
    library = ctypes.CDLL(str(library_dir() / "libhccl.so"))
    library.simHcclTraffic.restype = ctypes.c_char_p
    return [Traffic(**entry) for entry in json.loads(library.simHcclTraffic())]
