# SPDX-License-Identifier: Apache-2.0
"""Every collective against NumPy, bit by bit, between processes and between threads of one process."""

from __future__ import annotations

import threading
import time
from ctypes import byref, c_uint64, c_void_p
from pathlib import Path

import numpy as np
import pytest

from tests.hccl import collectives
from tests.hccl.collectives import MOVES, REDUCTIONS, Collectives, combined, drawn, same_bits
from tests.hccl.library import (
    MOVED,
    OPS,
    TYPES,
    Config,
    Rank,
    c_int32,
    c_uint32,
    check,
    dtype,
    hccl,
    number,
    traffic,
)
from tests.hccl.processes import run

LARGE = 900_000  # float32: more than one piece of the staging memory, and no multiple of it


def compare(name: str, pair) -> str:
    result, expected = pair
    return "" if same_bits(result, expected) else f"{name}: {result[:8]} instead of {expected[:8]}"


def each(call: Collectives, names, *arguments) -> list[str]:
    return [wrong for name in names if (wrong := compare(name, getattr(call, name)(*arguments)))]


def everything(index, ranks, info):
    """All collectives, with counts from nothing to several pieces."""
    rank = Rank.join(ranks, info, index, device=index)
    wrong = []
    for size in (1, 0, 1000, LARGE):
        call = Collectives(rank, index, ranks, size=size, seed=size)
        wrong += each(call, MOVES + REDUCTIONS)
        wrong += [compare("in place", call.all_reduce("sum", True))]
        wrong += [compare("root", call.reduce("max", ranks - 1)), compare("root", call.broadcast(ranks - 1))]
        wrong += [compare("root", call.scatter(ranks - 1))]
    rank.call("HcclBarrier")
    rank.synchronize()
    return [line for line in wrong if line], rank.name()


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_all_collectives_between_processes(ranks):
    results = run(everything, ranks)
    assert [wrong for wrong, _ in results] == [[]] * ranks
    assert len({name for _, name in results}) == 1


def in_threads(ranks: int, function) -> list:
    """Calls function(rank, index) for the ranks of one process, in threads."""
    members, results = Rank.all(list(range(ranks))), [None] * ranks

    def body(index):
        results[index] = function(members[index], index)

    threads = [threading.Thread(target=body, args=(index,), daemon=True) for index in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(50)
    return results


def types_and_ops(index, ranks, info):
    def body(rank, member):
        wrong = []
        for kind in TYPES:
            for op in OPS:
                call = Collectives(rank, member, 4, kind, size=300, seed=number(dtype(kind)))
                wrong += [f"{kind} {op} {line}" for line in each(call, REDUCTIONS, op)]
        for kind in (*TYPES, *MOVED):
            call = Collectives(rank, member, 4, kind, size=77, seed=5)
            wrong += [f"{kind} {line}" for line in each(call, MOVES)]
        return wrong

    return in_threads(4, body)


def test_all_types_and_reductions_between_threads():
    assert run(types_and_ops, 1, AVO_SIM_DEVICES="4") == [[[]] * 4]


def not_a_number(index, ranks, info):
    rank = Rank.join(ranks, info, index, device=index)
    results = {}
    for kind in collectives.FLOATS:
        values = np.array([1, 2, 3], dtype(kind))
        values[index] = collectives.NAN[kind]
        for op in OPS:
            buffer = rank.put(values)
            rank.call("HcclAllReduce", buffer, buffer, 3, c_int32(TYPES[kind]), c_int32(OPS[op]))
            rank.synchronize()
            results[kind, op] = np.isnan(rank.get(buffer, values).astype(np.float64)).tolist()
    return results


def test_every_reduction_passes_a_nan_on():
    for result in run(not_a_number, 2):
        assert set(map(tuple, result.values())) == {(True, True, False)}
        assert len(result) == 16


def test_the_order_of_a_sum_can_be_seen():
    """The comparison would notice another order, or a sum that is rounded once at its end."""
    inputs = [drawn("float32", seed, 1000) for seed in range(4)]
    assert not same_bits(combined("sum", inputs), combined("sum", inputs[::-1]))
    halves = [drawn("float16", seed, 1000) for seed in range(4)]
    once = sum(half.astype(np.float32) for half in halves).astype(np.float16)
    assert not same_bits(combined("sum", halves), once)


def streams(index, ranks, info):
    """Two streams, a transfer in each direction, groups, a second communicator and a named one."""
    rank = Rank.join(ranks, info, index, device=index, config=Config("group_a"))
    call = Collectives(rank, index, ranks, size=50_000)
    other = 1 - index
    pair = None
    if index == 0:
        call.send(other)
    else:
        pair = call.receive(other)
    wrong = [compare("receive", pair)] if pair else []
    # Both send before they receive, which a group allows.
    check("HcclGroupStart")
    check("HcclGroupStart")
    out, mine = rank.put(call.empty(call.size)), rank.put(call.input(index))
    rank.call("HcclSend", mine, call.size, call.number, c_uint32(other))
    rank.call("HcclRecv", out, call.size, call.number, c_uint32(other))
    check("HcclGroupEnd")
    rank.call("HcclAllReduce", mine, mine, call.size, call.number, c_int32(0))
    check("HcclGroupEnd")
    rank.synchronize()
    wrong += [compare("group", (rank.get(out, call.input(other)), call.input(other)))]
    wrong += [compare("group", (rank.get(mine, mine_ := call.input(0)), combined("sum", call.inputs())))]
    assert mine_.size == call.size
    # Calls on two streams run in the order in which they are made.
    second = Rank(index, rank.comm.value)
    buffers = [rank.put(call.input(index)) for _ in range(6)]
    for step, buffer in enumerate(buffers):
        rank.call(
            "HcclAllReduce",
            buffer,
            buffer,
            call.size - step,
            call.number,
            c_int32(step % 4),
            stream=(second if step % 2 else rank).stream,
        )
    rank.synchronize(), second.synchronize()
    for step, buffer in enumerate(buffers):
        part = [given[: call.size - step] for given in call.inputs()]
        result = rank.get(buffer, call.input(index))[: call.size - step]
        wrong.append(compare(f"step {step}", (result, combined(list(OPS)[step % 4], part))))
    return [line for line in wrong if line], rank.name(), traffic()


def test_streams_groups_and_transfers():
    results = run(streams, 2)
    assert [(wrong, name) for wrong, name, _ in results] == [([], "group_a")] * 2
    counted = {entry["call"]: entry for entry in results[0][2]}
    size = 50_000 * 4
    assert counted["HcclSend"] == {
        "communicator": "group_a",
        "ranks": 2,
        "rank": 0,
        "call": "HcclSend",
        "calls": 2,
        "sent": 2 * size,
        "received": 0,
    }
    assert counted["HcclRecv"]["received"] == size
    reduced = 7 * size - 4 * sum(range(6))
    assert (counted["HcclAllReduce"]["sent"], counted["HcclAllReduce"]["received"]) == (reduced, reduced)


def sub_communicators(index, ranks, info):
    """Even and odd ranks on their own, twice, and all in reverse order."""
    rank = Rank.join(ranks, info, index, device=index)
    wrong = []
    for identifier in (7, 7, 8):
        members = list(range(index % 2, ranks, 2)) if identifier == 7 else list(range(ranks))[::-1]
        place = members.index(index)
        config, ids, comm = Config(f"sub{identifier}"), (c_uint32 * len(members))(*members), c_void_p()
        arguments = (byref(rank.comm), c_uint32(len(members)), ids, c_uint64(identifier), c_uint32(place))
        check("HcclCreateSubCommConfig", *arguments, byref(config), byref(comm))
        sub = Rank(index, comm.value)
        call = Collectives(sub, place, len(members), seed=identifier * 10 + min(members))
        wrong += each(call, ("all_reduce", "all_gather", "batch"))
        wrong += [] if sub.name() == f"sub{identifier}" else [sub.name()]
        sub.destroy()
    comm = c_void_p()
    arguments = (byref(rank.comm), c_uint32(0), None, c_uint64(9), c_uint32(0), None)
    check("HcclCreateSubCommConfig", *arguments, byref(comm))
    return wrong, comm.value


def test_sub_communicators():
    assert run(sub_communicators, 4) == [([], None)] * 4


def several_in_one_process(index, ranks, info):
    """CommInitAll of two threads' worth of ranks, driven by one thread in a group."""
    members = Rank.all([0, 1])
    buffers = [rank.put(drawn("float32", position, 100)) for position, rank in enumerate(members)]
    check("HcclGroupStart")
    for rank, buffer in zip(members, buffers, strict=True):
        rank.call("HcclAllReduce", buffer, buffer, 100, c_int32(4), c_int32(0))
    check("HcclGroupEnd")
    for rank in members:
        rank.synchronize()
    expected = combined("sum", [drawn("float32", seed, 100) for seed in range(2)])
    results = [rank.get(buffer, expected) for rank, buffer in zip(members, buffers, strict=True)]
    sizes = [c_uint32() for _ in range(2)]
    check("HcclGetRankSize", members[1].comm, byref(sizes[0]))
    check("HcclGetRankId", members[1].comm, byref(sizes[1]))
    return [same_bits(result, expected) for result in results], [size.value for size in sizes]


def test_several_ranks_in_one_process():
    assert run(several_in_one_process, 1, AVO_SIM_DEVICES="2") == [([True, True], [2, 1])]


def computes_meanwhile(index, ranks, info, folder):
    """Rank 1 comes only when rank 0 has worked on another stream."""
    rank = Rank.join(ranks, info, index, device=index)
    done = Path(folder, "done")
    if index == 1:
        limit = time.monotonic() + 30
        while not done.exists() and time.monotonic() < limit:
            time.sleep(0.005)
    rank.call("HcclBarrier")
    if index == 1:
        return rank.synchronize()
    other, source = Rank(index), drawn("float32", 1, 1000)
    near, far = rank.put(source), rank.put(np.zeros_like(source))
    check("aclrtMemcpyAsync", far, c_uint64(source.nbytes), near, c_uint64(source.nbytes), 3, other.stream)
    other.synchronize()
    status = c_int32()
    check("aclrtStreamQuery", rank.stream, byref(status))
    done.touch()
    rank.synchronize()
    return same_bits(rank.get(far, source), source), status.value


def test_other_streams_work_while_a_call_waits(tmp_path):
    not_ready = 1  # ACL_STREAM_STATUS_NOT_READY
    assert run(computes_meanwhile, 2, str(tmp_path))[0] == (True, not_ready)


def test_names_of_errors():
    assert hccl.HcclGetErrorString(9) == b"timeout"
    assert hccl.HcclGetErrorString(999) == b"unknown error"
