# SPDX-License-Identifier: Apache-2.0
"""What a call costs in addition to its work: `./build.sh bench overhead`.

The calls are so small that they spend nearly all their time on the way to the kernel. On the CPU they are compared with
torchvision's calls. On npu the time of the calling thread until the work is queued is compared with that of
torch_npu's own operators. A simulated device works on other threads of the same machine, so only the caller's own
time counts.
"""

from __future__ import annotations

import functools
import importlib.util
import statistics
import time

import numpy as np
import torch

import ascend_vision_ops as avo
from ascend_vision_ops import sim
from ascend_vision_ops.cli.show import console, table
from ascend_vision_ops.testing import cases_module
from ascend_vision_ops.testing.peers import import_torchvision
from ascend_vision_ops.testing.run import smallest_call, spec_of
from benchmarks.report import NONE

# Calls of a round. On npu they are few, because a round waits for the work, and simulated work takes a hundred times as
# long as the call.
CALLS = {"cpu": 200, "npu": 20}
TARGET = 1.5  # relative to torchvision's time


def microseconds(contestants: dict, rounds: int, calls: int, settle=lambda: None) -> dict[str, float]:
    """Measures the calling thread's own time for a call, as medians over interleaved rounds."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds + 1):
        for name, function in contestants.items():
            begin = time.thread_time()
            for _ in range(calls):
                function()
            times[name].append((time.thread_time() - begin) / calls)
            settle()
    # The first round only fills the caches.
    return {name: 1e6 * statistics.median(values[1:]) for name, values in times.items()}


def nms_calls() -> tuple[dict, dict]:
    """Gives suppression of ten boxes by name, ours and torchvision's; theirs is left out where torchvision is
    missing.
    """
    generator = np.random.default_rng(0)
    boxes = torch.from_numpy(cases_module("_boxes").clustered(generator, (10, 4))).float()
    scores = torch.from_numpy(generator.random(10)).float()
    classes = torch.arange(10) % 3
    ours = {
        "nms_indices": lambda: avo.nms_indices(boxes, scores, 0.5),
        "batched_nms": lambda: avo.batched_nms(boxes, scores, classes, 0.5),
    }
    try:
        theirs = import_torchvision().ops
    except ImportError:
        return ours, {}
    return ours, {
        "nms_indices": lambda: theirs.nms(boxes, scores, 0.5),
        "batched_nms": lambda: theirs.batched_nms(boxes, scores, classes, 0.5),
    }


def beside_torchvision(rounds: int, out) -> None:
    ours, theirs = nms_calls()
    for name, function in theirs.items():
        assert torch.equal(function(), ours[name]()), name
    times = microseconds(
        {**{("ours", name): call for name, call in ours.items()},
         **{("theirs", name): call for name, call in theirs.items()}},
        rounds,
        CALLS["cpu"],
    )  # fmt: skip
    rows = table("10 boxes on the CPU", ">ours us", ">torchvision us", ">times torchvision's", ">target")
    for name in ours:
        mine, peer = times["ours", name], times.get(("theirs", name))
        rows.add_row(
            name, f"{mine:.1f}", f"{peer:.1f}" if peer else "absent", f"{mine / peer:.2f}" if peer else "–", f"{TARGET}"
        )  # fmt: skip
    out.print(rows)


def of_every_operator(rounds: int, out) -> None:
    x = torch.ones(8)
    calls = {
        "torch.add": (torch.add, {"input": x, "other": x}),
        "torch.cat": (torch.cat, {"tensors": [x, x]}),
    }
    calls |= {name: (getattr(avo, name), smallest_call(name)) for name in avo.operators()}

    def moved(value, device: str):
        if isinstance(value, list) and value and isinstance(value[0], torch.Tensor):
            return [moved(tensor, device) for tensor in value]
        return value.to(device) if isinstance(value, torch.Tensor) else value

    def bound(device: str) -> dict:
        return {
            name: functools.partial(
                function, **{key: moved(value, device) for key, value in arguments.items()}
            )
            for name, (function, arguments) in calls.items()
            if device == "cpu" or name not in avo.operators() or spec_of(name).on_device
        }

    columns = {"cpu": microseconds(bound("cpu"), rounds, CALLS["cpu"])}
    if importlib.util.find_spec("torch_npu"):
        if not sim.obstacle():
            sim.activate()
        import torch_npu  # noqa: F401

        columns["npu"] = microseconds(bound("npu"), min(rounds, 5), CALLS["npu"], torch.npu.synchronize)
    rows = table(
        "smallest case", *(f">{device} us" for device in columns), *(f">{d}, times add" for d in columns)
    )
    for name in calls:
        times = {device: column.get(name) for device, column in columns.items()}
        rows.add_row(
            name,
            *(f"{value:.1f}" if value else NONE for value in times.values()),
            *(
                f"{value / columns[device]['torch.add']:.1f}" if value else NONE
                for device, value in times.items()
            ),
        )
    out.print(rows)
    if "npu" not in columns:
        out.print("npu: absent, torch_npu is not installed")


def run(rounds: int) -> None:
    out = console()
    out.print(f"1 thread, medians of {rounds} rounds; torch {torch.__version__}\n")
    beside_torchvision(rounds, out)
    out.print()
    of_every_operator(rounds, out)
