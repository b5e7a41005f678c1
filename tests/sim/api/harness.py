# SPDX-License-Identifier: Apache-2.0
"""Runs one AscendC call in sim_api, or one intrinsic in sim_intrinsics. Returns its report and its buffers after it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tests.built import BUILD

PROGRAM = BUILD / "tests" / "sim_api"


@dataclass
class BackEnd:
    """Where calls run. `programs`: each runs the cases of one kind of core, or the only one runs all."""

    name: str
    programs: list[Path]


OWN = BackEnd("own", [PROGRAM])
back_end = OWN
# What sim_api returns for a case that it does not have, and for a case of another kind of core.
NO_CASE, OTHER_CORES = 2, 3

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
COUNT, MASK, BITS = 2, 0, 1  # forms of a call: level 2, level 0 by count of lanes, level 0 by bits
POISON = 0x5C


@dataclass
class Empty:
    """A buffer that nobody wrote: to read it is a fault."""

    bytes: int


@dataclass
class Global:
    """A buffer in GM, which the call itself reads or writes there."""

    array: np.ndarray


def poisoned(shape, dtype) -> np.ndarray:
    """The content of an output before the call: bytes that no test computes."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.full(size, POISON, np.uint8).view(dtype).reshape(shape)


def run(name, buffers, *, dtype="float32", dtype2="-", form=COUNT, ints=(), floats=(), program=None):
    """The buffers after the call, in order, and the texts of the faults that the simulator found."""
    arrays, lines = [], []
    for buffer in buffers:
        in_ub = not isinstance(buffer, (Empty, Global))
        content = (
            np.zeros(buffer.bytes, np.uint8)
            if isinstance(buffer, Empty)
            else getattr(buffer, "array", buffer)
        )
        arrays.append(np.ascontiguousarray(content))
        lines.append(f"{arrays[-1].nbytes} {int(in_ub)} {int(in_ub)}")
    header = [
        f"{name} {np.dtype(dtype).name} {dtype2 if dtype2 == '-' else np.dtype(dtype2).name} {form}",
        " ".join(map(str, [len(ints), *(int(i) & 0xFFFFFFFFFFFFFFFF for i in ints)])),
        " ".join(map(str, [len(floats), *(repr(float(f)) for f in floats)])),
        str(len(arrays)),
        *lines,
    ]
    data = ("\n".join(header) + "\n").encode() + b"".join(array.tobytes() for array in arrays)
    programs = back_end.programs if program is None else [program]
    for each in programs:
        done = subprocess.run([each], input=data, capture_output=True, timeout=60)
        if done.returncode != OTHER_CORES:
            break
    if back_end is not OWN and done.returncode in (NO_CASE, OTHER_CORES):
        pytest.skip(
            "CANN's headers of this version do not have the function, or it needs cores of both kinds"
        )
    assert done.returncode == 0, done.stderr.decode()
    line, _, rest = done.stdout.partition(b"\n")
    recording, _, rest = rest.partition(b"\n")
    report = json.loads(line)
    report["lines"] = json.loads(recording)["cores"][0]["lines"].splitlines()
    results, at = [], 0
    for array in arrays:
        results.append(np.frombuffer(rest[at : at + array.nbytes], array.dtype).reshape(array.shape))
        at += array.nbytes
    return (
        results,
        [fault["text"] if isinstance(fault, dict) else str(fault) for fault in report["faults"]],
        report,
    )


def clean(*arguments, **keywords):
    """Returns the buffers after a call, which must have no fault."""
    results, faults, _ = run(*arguments, **keywords)
    assert not faults, faults
    return results


def issued(*arguments, **keywords) -> list[str]:
    """What the call issued, which must have no fault: "V Adds" for an instruction, "barrier V", "flag S V", "wait S V".

    The engine's recording has it between the barriers before and after the call. Accesses of the scalar unit are left
    out: the compiler of the kernel merges them.
    """
    _, faults, report = run(*arguments, **keywords)
    assert not faults, faults
    lines = [line.split(" ") for line in report["lines"]]
    begin, end = [i for i, words in enumerate(lines) if words[:2] == ["B", "ALL"]][:2]
    words_of = {"B": "barrier", "F": "flag", "W": "wait"}
    return [
        f"{words[1]} {words[2]}" if words[0] == "I" else " ".join([words_of[words[0]], *words[1:-1][:2]])
        for words in lines[begin + 1 : end]
        if words[:2] != ["I", "S"]
    ]


def operands(name, *arguments, **keywords) -> list[list[tuple[str, str, int, int]]]:
    """The operands of each instruction `name` of a call: space, r or w, address, and bytes of a row."""
    lines = [line.split(" ") for line in run(*arguments, **keywords)[2]["lines"]]
    fields = [
        [operand.split(",") for operand in words[8:]]
        for words in lines
        if words[0] == "I" and words[2] == name
    ]
    return [[(f[1], f[2], int(f[3].partition("+")[0]), int(f[4])) for f in one] for one in fields]


def fault(expected, *arguments, **keywords):
    """Asserts that the call has a fault whose text contains `expected`. CANN's headers pass wrong arguments on."""
    if back_end is not OWN:
        pytest.skip("a check of our headers, which CANN's do not have")
    _, faults, _ = run(*arguments, **keywords)
    assert any(expected in text for text in faults), (expected, faults)


def reported(expected, *arguments, **keywords):
    """Asserts, on both back ends, that the call has a fault of which each of the texts is a part."""
    _, faults, _ = run(*arguments, **keywords)
    assert any(all(text in one for text in expected) for one in faults), (expected, faults)


def same(got, want):
    """Asserts that two arrays are equal: NaN equals NaN, and zeros must have the same sign."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype, got.shape, want.shape)
    if got.dtype.kind == "f" or got.dtype == BFLOAT16:
        a, b = got.astype(np.float64), want.astype(np.float64)
        wrong = ~((a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b))
    else:
        wrong = got != want
    where = np.argwhere(wrong)
    assert not wrong.any(), (
        f"{wrong.sum()} of {wrong.size} differ, first at {where[0]}: {got[wrong][:4]} for {want[wrong][:4]}"
    )


def maximum(a, b):
    """The maximum of two arrays of floats: a NaN on either side gives NaN, and +0 is above -0."""
    return np.where(
        np.isnan(a) | np.isnan(b), np.nan, np.where((a == b) & np.signbit(a), b, np.where(a >= b, a, b))
    )


def minimum(a, b):
    """The minimum, with the same rules as maximum."""
    return np.where(
        np.isnan(a) | np.isnan(b), np.nan, np.where((a == b) & np.signbit(b), b, np.where(a <= b, a, b))
    )


SPECIALS = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 65504.0, -65504.0, 1e-6, -3.5, 2.5, 0.5, 6e-8]


def values(dtype, count, seed=0, specials=True):
    """Returns numbers of a type: special ones first, then random ones of every magnitude."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        out = rng.integers(info.min, info.max, count, dtype, endpoint=True)
        edges = np.array([info.min, info.max, 0, 1], dtype)
        out[: min(count, 4)] = edges[: min(count, 4)]
        return out
    out = rng.standard_normal(count) * 10.0 ** rng.integers(-4, 4, count)
    if specials:
        pick = rng.permutation(SPECIALS * (count // len(SPECIALS) // 3 + 1))[: count // 3]
        out[rng.permutation(count)[: len(pick)]] = pick
    with np.errstate(over="ignore"):
        return out.astype(np.float32).astype(dtype)
