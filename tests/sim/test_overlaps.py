# SPDX-License-Identifier: Apache-2.0
"""Vector instructions whose results lie on their sources: the judge, and results under all compiler options.

The device computes repeat by repeat, and reads a repeat before it writes it.
"""

import subprocess

import numpy as np
import pytest

from tests.sim.api.harness import BUILD

BYTES = 4096


def lines(program):
    done = subprocess.run([BUILD / "tests" / program], capture_output=True, text=True, timeout=60, check=True)
    assert not done.stderr, done.stderr
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


def start(dtype):
    return (np.arange(BYTES // np.dtype(dtype).itemsize) % 97 + 1).astype(dtype)


def earlier_repeat(dtype):
    t = start(dtype)
    lanes = 256 // t.itemsize
    for first in range(0, 3 * lanes - 5, lanes):
        last = min(first + lanes, 3 * lanes - 5)
        t[first:last] = t[first + lanes : last + lanes] + dtype(3)
    return t


def in_place():
    t = start(np.float32)
    t[:250] *= t[:250]
    return t


def sums():
    t, x = start(np.float32), start(np.float32)
    t[:64] += x[: 5 * 64].reshape(5, 64).sum(0)
    return t


def from_first():
    t, x = start(np.float32), start(np.float32)
    for r in range(4):
        t[64 * r : 64 * r + 64] = x[64 * r : 64 * r + 64] + t[:64]
    return t


def narrow():
    t = start(np.float32)
    halfs = t.view(np.float16).copy()
    halfs[:700] = t[:700]
    return halfs


def widen():
    t = start(np.float16)
    floats = t.view(np.float32).copy()
    floats[:112] = t[112:224]
    return floats


def reduced(group):
    t = start(np.float32)
    results = t[: 5 * 64].reshape(-1, group).sum(1)
    t[: len(results)] = results
    return t


def pack():
    t = start(np.float32)
    t[: 7 * 32] = t[: 7 * 64 : 2].copy()
    return t


def bits():
    t = start(np.float32)
    octets = np.packbits(t[:640] < 50, bitorder="little")
    bytes = t.view(np.uint8)
    bytes[: len(octets)] = octets
    return bytes


WANTED = {
    "earlier_repeat_float32": lambda: earlier_repeat(np.float32),
    "earlier_repeat_float16": lambda: earlier_repeat(np.float16),
    "earlier_repeat_int16": lambda: earlier_repeat(np.int16),
    "earlier_repeat_int32": lambda: earlier_repeat(np.int32),
    "in_place": in_place,
    "sum": sums,
    "from_first": from_first,
    "narrow": narrow,
    "widen": widen,
    "blocks": lambda: reduced(8),
    "pairs": lambda: reduced(2),
    "pack": pack,
    "bits": bits,
}


@pytest.mark.parametrize("program", ["sim_overlaps_small", "sim_overlaps_fast"])
def test_results_follow_the_documented_order(program):
    got = lines(program)
    assert set(got) == set(WANTED)
    for name, wanted in WANTED.items():
        want = " ".join(f"{float(value):.6g}" for value in wanted())
        assert got[name].split() == [f"{float(v):.6g}" for v in want.split()], name


def test_judge_of_overlaps_follows_the_rule_byte_by_byte():
    calls = 1500
    done = subprocess.run(
        [BUILD / "tests" / "sim_overlap_rules", str(calls)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    *different, summary = done.stdout.splitlines()
    assert not different, "\n".join(different[:5])
    forbidden = int(summary.split()[1])
    assert calls / 5 < forbidden < calls * 4 / 5


def test_rows_that_two_cores_share_are_found_byte_by_byte():
    """Also where rows of two accesses lie beside each other, which is decided without looking at the rows."""
    pairs = 20000
    program = [BUILD / "tests" / "sim_shared_rows", str(pairs)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, check=True)
    *different, summary = done.stdout.splitlines()
    assert not different, "\n".join(different[:5])
    shared = int(summary.split()[1])
    assert pairs / 5 < shared < pairs * 4 / 5
