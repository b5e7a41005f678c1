# SPDX-License-Identifier: Apache-2.0
"""Mistakes and accidents: each is found, within its time limit and on every rank, and leaves nothing behind."""

from __future__ import annotations

import os
import time
from ctypes import byref, c_uint32, c_uint64, c_void_p
from pathlib import Path

import numpy as np
import pytest

from tests.hccl.collectives import Collectives
from tests.hccl.library import (
    E_NOT_SUPPORT,
    E_PARA,
    E_PTR,
    E_REMOTE,
    E_TIMEOUT,
    Config,
    Failed,
    Rank,
    c_int32,
    check,
)
from tests.hccl.library import numbers as counts
from tests.hccl.processes import Job, run


def failing(function, *arguments) -> tuple[str, int]:
    """What a call says that must fail, and its code."""
    with pytest.raises(Failed) as failed:
        function(*arguments)
    return str(failed.value), failed.value.code


def all_reduce(rank: Rank, size=8, kind=4, op=0):
    buffer = rank.put(np.zeros(16, np.float64))
    rank.call("HcclAllReduce", buffer, buffer, size, c_int32(kind), c_int32(op))


def rooted(name: str, root: int):
    def call(rank: Rank):
        buffer = rank.put(np.zeros(8, np.float32))
        if name == "HcclReduce":
            rank.call(name, buffer, buffer, 4, c_int32(4), c_int32(0), c_uint32(root))
        else:
            rank.call(name, buffer, 4, c_int32(4), c_uint32(root))

    return call


def all_to_all_v(*sent: int):
    def call(rank: Rank):
        send, receive = rank.put(np.zeros(16, np.float32)), rank.put(np.zeros(16, np.float32))
        kind, starts = c_int32(4), counts([0, 8, 12])
        rank.call("HcclAlltoAllV", send, counts(sent), starts, kind, receive, counts([2, 2, 2]), starts, kind)

    return call


# What rank 1 does while the others do the first, and what all ranks then say.
MISMATCHES = {
    "collective": (
        lambda rank: all_reduce(rank),
        lambda rank: rank.call("HcclBarrier"),
        "ranks 0, 2 called HcclAllReduce(count=8, type=float32, op=sum); rank 1 called HcclBarrier()",
    ),
    "count": (
        lambda rank: all_reduce(rank),
        lambda rank: all_reduce(rank, size=7),
        "rank 1 called HcclAllReduce(count=7, type=float32, op=sum)",
    ),
    "type": (
        lambda rank: all_reduce(rank),
        lambda rank: all_reduce(rank, kind=2),
        "rank 1 called HcclAllReduce(count=8, type=int32, op=sum)",
    ),
    "reduction": (
        lambda rank: all_reduce(rank),
        lambda rank: all_reduce(rank, op=2),
        "rank 1 called HcclAllReduce(count=8, type=float32, op=max)",
    ),
    "root": (
        rooted("HcclBroadcast", 0),
        rooted("HcclBroadcast", 1),
        "ranks 0, 2 called HcclBroadcast(count=4, type=float32, root=0); rank 1 called "
        "HcclBroadcast(count=4, type=float32, root=1)",
    ),
    "root of a reduction": (rooted("HcclReduce", 2), rooted("HcclReduce", 0), "op=sum, root=0"),
    "counts by rank": (
        all_to_all_v(2, 2, 2),
        all_to_all_v(2, 2, 3),
        "HcclAlltoAllV: rank 1 sends 3 elements to rank 2, which expects 2",
    ),
}


def disagree(index, ranks, info):
    """All mismatches, each on a communicator of its own."""
    parent = Rank.join(ranks, info, index, device=index)
    said = {}
    for number, (name, (most, one, _)) in enumerate(MISMATCHES.items()):
        comm, ids = c_void_p(), (c_uint32 * ranks)(*range(ranks))
        config = Config(f"c{number}")
        arguments = (byref(parent.comm), c_uint32(ranks), ids, c_uint64(number), c_uint32(index))
        check("HcclCreateSubCommConfig", *arguments, byref(config), byref(comm))
        rank = Rank(index, comm.value)
        (one if index == 1 else most)(rank)
        said[name] = failing(rank.synchronize)[0], rank.error(), failing(rank.call, "HcclBarrier")
    # The communicators of the failed calls are given up, others are not.
    Collectives(parent, index, ranks).all_reduce()
    return said


def test_calls_that_disagree_are_named_on_every_rank():
    for index, said in enumerate(run(disagree, 3)):
        for number, (name, (_, _, expected)) in enumerate(MISMATCHES.items()):
            text, code, (later, later_code) = said[name]
            assert expected in text, (name, text)
            assert f"on rank {index} of 3, communicator c{number}" in text and "call 1" in text
            assert code in (E_PARA, E_REMOTE)
            assert expected in later and later_code == code


def transfers_disagree(index, ranks, info):
    rank = Rank.join(ranks, info, index, device=index)
    call = Collectives(rank, index, ranks, size=5 if index == 0 else 4)
    return failing(call.send, 1) if index == 0 else failing(call.receive, 0)


def test_transfers_that_disagree():
    for text, _ in run(transfers_disagree, 2):
        assert (
            "rank 0 called HcclSend(count=5, type=float32); rank 1 called HcclRecv(count=4, type=float32)"
            in text
        )


def one_is_late(index, ranks, info):
    """Rank 2 does not take part in the second collective."""
    rank = Rank.join(ranks, info, index, device=index)
    call = Collectives(rank, index, ranks)
    call.broadcast()
    start = time.monotonic()
    if index == 2:
        while not rank.error() and time.monotonic() - start < 30:  # until the others have given up
            if said := _refused(rank):
                return said, time.monotonic() - start
        return "", 0
    text, code = failing(call.all_reduce)
    assert rank.error() == E_TIMEOUT, code
    return text, time.monotonic() - start


def _refused(rank: Rank) -> str:
    """What a call says that comes too late; nothing while the others still wait."""
    time.sleep(2.5)
    rank.call("HcclBarrier")
    return failing(rank.synchronize)[0]


def test_a_time_limit_names_rank_collective_and_number():
    results = run(one_is_late, 3, HCCL_EXEC_TIMEOUT="1")
    for index, (text, seconds) in enumerate(results[:2]):
        assert f"on rank {index} of 3" in text
        assert (
            "rank 2 did not take part in call 2, HcclAllReduce(count=1000, type=float32, op=sum), within 1 s"
            in text
        )
        assert "of rank 2 it is call 1, HcclBroadcast" in text
        assert 0.9 < seconds < 10
    assert "HcclBarrier() on rank 2 of 3" in results[2][0]
    assert "rank 2 did not take part in call 2" in results[2][0]


def waits_for_a_message(index, ranks, info):
    rank = Rank.join(ranks, info, index, device=index, config=Config(seconds=1))
    if index == 0:
        return failing(Collectives(rank, index, ranks).receive, 1)[0]
    time.sleep(2)
    return ""


def test_a_time_limit_of_the_configuration_and_of_a_transfer():
    text = run(waits_for_a_message, 2)[0]
    assert "rank 1 did not take part in HcclRecv(count=1000, type=float32) from rank 1 (transfer 1" in text
    assert "of rank 0 within 1 s" in text


def is_killed(index, ranks, info, folder):
    rank = Rank.join(ranks, info, index, device=index)
    call = Collectives(rank, index, ranks, size=300_000)
    call.all_reduce()
    Path(folder, str(index)).touch()
    if index == 1:
        time.sleep(60)
    start = time.monotonic()
    text = failing(call.all_reduce)[0] if index else failing(call.receive, 1)[0]
    return text, time.monotonic() - start


LEFTOVER = "hccl_leftover_"


def shared_memory() -> set[str]:
    """The names in shared memory, but for those that another process makes to test this search."""
    names = {name for name in os.listdir("/dev/shm") if "hccl" in name}
    return {name for name in names if not name.startswith(LEFTOVER) or name == f"{LEFTOVER}{os.getpid()}"}


def open_anonymous(processes: list[int]) -> int:
    """How many of the processes have an anonymous file of a communicator open or mapped."""
    found = 0
    for process in processes:
        try:
            found += "memfd:hccl" in Path(f"/proc/{process}/maps").read_text()
        except OSError:
            continue
    return found


def test_a_killed_rank_makes_the_others_fail_and_leaves_nothing(tmp_path):
    job = Job(is_killed, 3, str(tmp_path), HCCL_EXEC_TIMEOUT="30")
    limit = time.monotonic() + 40
    while len(list(tmp_path.iterdir())) < 3 and time.monotonic() < limit:
        time.sleep(0.01)
    processes = [os.getpid(), *(process.pid for process in job.processes)]
    assert open_anonymous(processes) == 3  # the check sees what it looks for
    pid = job.processes[1].pid
    job.kill(1)
    results = job.results(expect_killed=(1,))
    assert results[1] is None
    for index in (0, 2):
        text, seconds = results[index]
        assert f"the process of rank 1 (pid {pid}) has ended" in text, text
        assert seconds < 20
    assert not shared_memory()
    assert open_anonymous(processes) == 0


def test_the_search_for_leftovers_finds_one():
    path = Path("/dev/shm") / f"{LEFTOVER}{os.getpid()}"
    path.touch()
    try:
        assert path.name in shared_memory()
    finally:
        path.unlink()


def never_joins(index, ranks, info):
    if index == 2:
        return ""
    return failing(Rank.join, ranks, info, index, index)


def test_a_rank_that_does_not_join():
    for text, code in run(never_joins, 3, HCCL_CONNECT_TIMEOUT="1")[:2]:
        assert "rank 2 did not join within 1 s (HCCL_CONNECT_TIMEOUT)" in text or "has ended" in text
        assert code in (E_TIMEOUT, E_REMOTE)


def leaves_early(index, ranks, info):
    if index == 1:
        return "", 0
    os.environ["HCCL_CONNECT_TIMEOUT"] = "1" if index == 2 else "50"
    return failing(Rank.join, ranks, info, index, index)


def test_a_rank_that_leaves_before_all_have_joined():
    """Rank 0 does not wait for rank 1 any longer when rank 2 has given up."""
    results = run(leaves_early, 3)
    assert "rank 1 did not join within 1 s" in results[2][0]
    text, code = results[0]
    assert code == E_REMOTE and "rank 1 did not join within 1 s" in text, results


def destroys(index, ranks, info):
    rank = Rank.join(ranks, info, index, device=index)
    if index == 1:
        rank.destroy()
        return failing(rank.call, "HcclBarrier")[0]
    rank.call("HcclBarrier")
    return failing(rank.synchronize)[0]


def test_a_destroyed_communicator():
    first, second = run(destroys, 2)
    assert "rank 1 has destroyed the communicator" in first
    assert "is no communicator (never made, or destroyed already)" in second


def wrong_parameters(index, ranks, info):
    rank = Rank.join(ranks, info, index, device=index)
    device, host = rank.put(np.zeros(4, np.float32)), np.zeros(4, np.float32)
    kind, op = c_int32(4), c_int32(0)
    calls = [
        ("HcclAllReduce", c_void_p(host.ctypes.data), device, 4, kind, op),
        ("HcclAllReduce", device, device, 1 << 20, kind, op),
        ("HcclAllReduce", device, device, 1 << 62, kind, op),
        ("HcclAllReduce", device, device, 4, c_int32(13), op),
        ("HcclAllReduce", device, device, 4, kind, c_int32(4)),
        ("HcclAllReduce", device, device, 4, c_int32(15), op),
        ("HcclBroadcast", device, 4, kind, c_uint32(1)),
        ("HcclSend", device, 4, kind, c_uint32(7)),
        ("HcclAlltoAll", device, 4, kind, device, 4, c_int32(3)),
        ("HcclAllGatherV", device, 4, device, None, counts([0]), kind),
    ]
    other = Rank(1)
    other.comm = rank.comm
    said = [failing(rank.call, *call) for call in calls]
    said.append(failing(other.call, "HcclBarrier"))
    said.append(failing(Rank.join, ranks, info, index))
    said.append(failing(Rank.join, 1, b"\0" * 4108, 0))
    said.append(failing(Rank.join, 2, info, 5))
    said.append(failing(check, "HcclGroupEnd"))
    return said


def test_wrong_parameters():
    expected = [
        (E_PARA, "sendBuf must be device memory"),
        (E_PARA, "sendBuf needs 4194304 bytes, but the allocation of 16 bytes"),
        (E_PARA, "sendBuf must have at most 2^48 elements"),
        (E_PARA, "dataType must be an HcclDataType, got 13"),
        (E_PARA, "op must be an HcclReduceOp, got 4"),
        (E_NOT_SUPPORT, "values of type fp8e4m3 cannot be reduced"),
        (E_PARA, "root must be less than 1, got 1"),
        (E_PARA, "destRank must be less than 1, got 7"),
        (E_PARA, "recvType must be sendType, 4, got 3"),
        (E_PTR, "recvCounts must not be null"),
        (E_PARA, "stream must be one of device 0, with which the communicator was made, got one of device 1"),
        (E_PARA, "rank 0"),
        (E_PARA, "rootInfo was not made by HcclGetRootInfo"),
        (E_PARA, "rank must be less than nRanks 2, got 5"),
        (E_PARA, "called without HcclGroupStart"),
    ]
    for (text, code), (expected_code, part) in zip(
        run(wrong_parameters, 1, AVO_SIM_DEVICES="2")[0], expected, strict=True
    ):
        assert part in text and code == expected_code, (text, code)
