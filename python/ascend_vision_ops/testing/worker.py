# SPDX-License-Identifier: Apache-2.0
"""The process that runs cases for `avo parity --device`. It may die or hang; the process that asks goes on.

    asks, one line of a case each ──stdin──▶ worker ──pipe──▶ answers, one line of JSON each; the first one is "ready"

python -m ascend_vision_ops.testing.worker KIND --answers FD [--soc NAME] [--repeat N]

KIND is npu (torch_npu and a device), sim (torch_npu on the simulated device) or model (the simulated device's times).
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from ascend_vision_ops.testing.cases import BoundCase, parse_case
from ascend_vision_ops.testing.report import FAILED, PASSED, SKIPPED, WRONG

NOT_ON_NPU = "expected the default on npu"  # the torch operator takes this argument on the CPU alone


@dataclass(frozen=True)
class Kind:
    """What a worker does.

    start: prepares the process and says which device it has; soc is the wanted device or "".
    answer: what happened in a case; repeat is the number of turns to time.
    """

    start: Callable[[str], dict]
    answer: Callable[[BoundCase, int], dict]


def start_npu(soc: str) -> dict:
    import torch

    importlib.import_module("torch_npu")
    torch.npu.set_device(0)
    return {"soc": torch.npu.get_device_name(0)}


def start_simulated(soc: str) -> dict:
    from ascend_vision_ops import sim

    sim.activate(soc=soc or "Ascend910B1", force=True)
    return start_npu(soc)


def start_model(soc: str) -> dict:
    from ascend_vision_ops import _native
    from ascend_vision_ops.ascend_headers import prepare

    prepare()
    device = _native.sim.device(soc or "Ascend910B1")
    _native.sim.set_soc(device["soc"])
    return {"soc": device["soc"]}


def judged(case: BoundCase, repeat: int) -> dict:
    """Compares a case on npu tensors with the reference, and times it."""
    from ascend_vision_ops.testing import on_npu
    from ascend_vision_ops.testing.c_calls import beside_cann
    from ascend_vision_ops.testing.run import judge

    try:
        verdicts = judge(case, "npu")
        answer = {
            "outcome": PASSED if all(verdict.ok for verdict in verdicts.values()) else WRONG,
            "message": "; ".join(f"{name}: {v.message}" for name, v in verdicts.items() if not v.ok),
            "results": {
                name: {"max_error": v.max_error, "ulp": v.max_ulp, "share": v.share} for name, v in verdicts.items()
            },
        }  # fmt: skip
        if repeat and answer["outcome"] == PASSED and (places := on_npu.changed_bits(case)):
            answer |= {
                "outcome": WRONG,
                "message": f"two calls give other bits in result {', '.join(places)}",
            }
        return answer | (on_npu.times_of(case, repeat) | beside_cann(case, repeat) if repeat else {})
    except (RuntimeError, ValueError, MemoryError) as error:
        outcome = SKIPPED if NOT_ON_NPU in str(error) else FAILED
        return {"outcome": outcome, "message": str(error).strip() or type(error).__name__}


def modelled(case: BoundCase, repeat: int) -> dict:
    """Runs a case on the simulated device and returns the modelled time."""
    from ascend_vision_ops import profiling

    try:
        figures = profiling.profile(case.operator, case.arguments())
        bounds = [round(end, 3) for end in figures.microseconds_range]
        return {"model_us": round(figures.microseconds, 3), "model_us_range": bounds}
    except (RuntimeError, ValueError) as error:
        return {"model_error": str(error)}


KINDS = {
    "npu": Kind(start_npu, judged),
    "sim": Kind(start_simulated, judged),
    "model": Kind(start_model, modelled),
}


def main(kinds: dict[str, Kind] = KINDS) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=sorted(kinds))
    parser.add_argument("--answers", type=int, required=True, help="the file descriptor to write answers to")
    parser.add_argument("--soc", default="", help="the device to simulate")
    parser.add_argument("--repeat", type=int, default=0, help="the number of turns to time")
    options = parser.parse_args()
    faulthandler.enable()  # a process that is ended by SIGABRT says where it was
    kind = kinds[options.kind]
    with os.fdopen(options.answers, "w", encoding="utf-8") as answers:

        def tell(answer: dict) -> None:
            answers.write(json.dumps(answer) + "\n")
            answers.flush()

        try:
            tell({"ready": kind.start(options.soc)})
        except (RuntimeError, ImportError, OSError, ValueError) as error:
            tell({"error": f"{type(error).__name__}: {error}"})
            return
        for line in sys.stdin:
            began = time.perf_counter()
            answer = kind.answer(parse_case(line.strip()), options.repeat)
            tell(answer | {"seconds": round(time.perf_counter() - began, 3)})


if __name__ == "__main__":
    main()
