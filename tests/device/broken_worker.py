# SPDX-License-Identifier: Apache-2.0
"""A worker of `avo parity --device` without a device: what it does is the case's attribute `dim`.

It runs the reference in the place of the device, so that a right answer passes and a wrong one does not.
"""

from __future__ import annotations

import os
import select
import sys

from ascend_vision_ops.testing import run, worker

RIGHT, WRONG, ABORTS, HANGS, FAULTS, EXITS = range(6)


def start(soc: str) -> dict:
    run.missing = lambda target: ""
    run.run = results
    return {"soc": soc or "Broken910", "pid": os.getpid()}


def results(operator: str, target: str, arguments: dict) -> tuple:
    """Stands for the device: the reference's results, in the dtypes and arrays of the caller."""
    given = {name: value for name, value in arguments.items() if name != "out"}
    out = run.as_tuple(arguments["out"])
    for view, want in zip(out, run.expected(operator, given), strict=True):
        view[...] = want
    return out


def answer(case, repeat: int) -> dict:
    what = case.case.args["dim"]
    if what == ABORTS:
        print("about to abort", file=sys.stderr, flush=True)
        os.abort()
    if what == HANGS:
        select.select([], [], [])
    if what == FAULTS:
        return {"outcome": worker.FAILED, "message": f"fault in process {os.getpid()}"}
    if what == EXITS:
        os._exit(3)
    right = run.run
    if what == WRONG:
        run.run = lambda *call: tuple(result.__iadd__(1) for result in results(*call))
    try:
        return worker.judged(case, 0) | {"pid": os.getpid()}
    finally:
        run.run = right


def start_dead(soc: str) -> dict:
    raise RuntimeError("aclrtGetDeviceCount returns 507008")


if __name__ == "__main__":
    broken = worker.Kind(start, answer)
    worker.main({"npu": broken, "sim": worker.Kind(start_dead, answer), "model": worker.KINDS["model"]})
