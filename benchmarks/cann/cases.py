# SPDX-License-Identifier: Apache-2.0
"""The cases of CANN Bench that this package has operators for, their inputs, and the check of a result against torch.

cases.json holds facts that CANN Bench publishes: shapes, dtypes, ranges of values and times. Inputs are drawn here by
the same rules, with a seed for each case.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch

from ascend_vision_ops.testing.cases import SHORT
from ascend_vision_ops.testing.compare import compare
from ascend_vision_ops.testing.peers import import_torchvision
from ascend_vision_ops.testing.run import as_tuple, from_torch, spec_of, to_torch, tolerance_of

FILE = Path(__file__).with_name("cases.json")
DTYPES = {short: getattr(torch, name) for name, short in SHORT.items() if hasattr(torch, name)}
TENSOR = re.compile(r"(\w+)\[([\d,]*)\]")


@dataclass(frozen=True)
class Case:
    """A case of CANN Bench.

    arguments: those of our operator; a tensor is written as f16[2,3].
    values: the range that the elements of the first argument are drawn from.
    kernels: what CANN launches for the call.
    published_us: the time that CANN Bench compares with: what CANN takes, but at most ten times the bound.
    measured_us: the time of CANN's kernels without this limit; None where CANN Bench measured none.
    bound_us: the least time that CANN Bench takes to be possible.
    """

    operator: str
    case: int
    arguments: dict[str, object]
    values: list
    kernels: str
    published_us: float
    measured_us: float | None
    bound_us: float

    @property
    def is_cap(self) -> bool:
        """Whether the published time is not the measured one, but ten times the bound."""
        return self.measured_us is None or self.measured_us > self.published_us

    @property
    def call(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.arguments.items())

    def inputs(self) -> dict[str, object]:
        """Draws the arguments as torch tensors, the same ones every time."""
        generator = torch.Generator().manual_seed(self.case)
        drawn = {}
        for name, value in self.arguments.items():
            if found := isinstance(value, str) and TENSOR.fullmatch(value):
                shape = [int(extent) for extent in found[2].split(",")]
                drawn[name] = draw(shape, DTYPES[found[1]], [0, 1] if drawn else self.values, generator)
            else:
                drawn[name] = value
        return SHAPERS.get(self.operator, lambda arguments, _: arguments)(drawn, generator)


@cache
def document() -> dict:
    return json.loads(FILE.read_text(encoding="utf-8"))


@cache
def cases() -> tuple[Case, ...]:
    """Lists all cases, those of an operator one after the other."""
    return tuple(Case(**entry) for entry in document()["cases"])


@cache
def case_of(operator: str, number: int) -> Case:
    return next(case for case in cases() if (case.operator, case.case) == (operator, number))


def draw(shape: list[int], dtype: torch.dtype, values: list, generator: torch.Generator) -> torch.Tensor:
    """Draws elements uniformly from a range. The range nan..nan has only NaN, and -inf..inf one infinity in twenty."""
    low, high = map(float, values)
    if not dtype.is_floating_point:
        return torch.randint(int(low), max(int(high), int(low) + 1), shape, generator=generator).to(dtype)
    if np.isnan(low):
        return torch.full(shape, low, dtype=dtype)
    infinite = np.isinf(low)
    if infinite:
        low, high = -1e3, 1e3
    drawn = torch.rand(shape, generator=generator).mul_(high - low).add_(low)
    if infinite:
        chosen = torch.rand(shape, generator=generator)
        drawn[chosen < 0.05] = float("inf")
        drawn[chosen < 0.025] = float("-inf")
    return drawn.to(dtype)


def ordered_boxes(arguments: dict, generator: torch.Generator) -> dict:
    """Boxes whose first corner is not behind the second, and scores that differ."""
    boxes, scores = arguments["boxes"], arguments["scores"]
    corners = boxes.view(-1, 2, 2)
    boxes = torch.cat([corners.amin(1), corners.amax(1)], dim=1)
    if scores.unique().numel() < scores.numel():
        scores = (torch.randperm(scores.numel(), generator=generator) + 1).to(scores.dtype) / scores.numel()
    return {**arguments, "boxes": boxes, "scores": scores}


def regions_inside(arguments: dict, generator: torch.Generator) -> dict:
    """Regions inside the map, each a tenth to a half of it wide and high, spread over all maps."""
    rois, (maps, _, height, width) = arguments["rois"], arguments["input"].shape
    count = rois.shape[0]

    def part():
        return torch.rand(count, generator=generator)

    which = torch.randint(0, maps, (count,), generator=generator).float()
    ends = ((width - 1) / arguments["spatial_scale"], (height - 1) / arguments["spatial_scale"])
    first = [0.5 * part() * end for end in ends]
    last = [start + (0.1 + 0.4 * part()) * end for start, end in zip(first, ends, strict=True)]
    return {**arguments, "rois": torch.stack([which, *first, *last], dim=1).to(rois.dtype)}


# What CANN Bench does to the inputs of an operator after they are drawn.
SHAPERS = {"nms_indices": ordered_boxes, "roi_align": regions_inside}


def wrong(case: Case, inputs: dict, results: tuple[np.ndarray, ...]) -> str:
    """Says what is wrong with results, compared with torch; empty where they are right."""
    return CHECKS[case.operator](inputs, *map(to_torch, as_tuple(results)))


def same(got: torch.Tensor, want: torch.Tensor) -> torch.Tensor:
    """Says which elements are equal; NaN equals NaN."""
    return (got == want) | (got != got) & (want != want)


def told(bad: torch.Tensor, got: torch.Tensor, want: torch.Tensor, name: str) -> str:
    if not bad.any():
        return ""
    first = tuple(map(int, bad.nonzero()[0]))
    return (
        f"{name}: {int(bad.sum()):,} of {bad.numel():,} elements wrong, first {list(first)}: "
        f"expected {want[first].item()}, got {got[first].item()}"
    )


def shapes_differ(got: torch.Tensor, want: torch.Tensor, name: str) -> str:
    if got.shape == want.shape:
        return ""
    return f"{name}: expected the shape {list(want.shape)}, got {list(got.shape)}"


def largest_wrong(inputs, got) -> str:
    """Where several elements are the largest, or several are NaN, the index of any of them is right."""
    values, dim = inputs["self"], inputs["dim"]
    want = torch.argmax(values, dim)
    if text := shapes_differ(got, want, "out"):
        return text
    outside = (got < 0) | (got >= values.shape[dim])
    at = [
        values.gather(dim, i.clamp(0, values.shape[dim] - 1).unsqueeze(dim)).squeeze(dim) for i in (got, want)
    ]
    return told(outside | ~same(*at), got, want, "out")


def smallest_wrong(inputs, values, indices) -> str:
    """Of equal elements torch takes the last one, and so do we: values and indices are exact."""
    want, places = torch.cummin(inputs["input"], inputs["dim"])
    if text := shapes_differ(values, want, "values") or shapes_differ(indices, places, "indices"):
        return text
    return told(~same(values, want), values, want, "values") or told(
        indices != places, indices, places, "indices"
    )


def kept_wrong(inputs, kept) -> str:
    """Scores differ, so that the kept boxes and their order are exact."""
    want = import_torchvision().ops.nms(inputs["boxes"], inputs["scores"], inputs["iou_threshold"])
    return shapes_differ(kept, want, "out") or told(kept != want, kept, want, "out")


def pooled_wrong(inputs, out) -> str:
    """Compares with torchvision in float32, within the tolerance of our contract for the dtype of the result."""
    want = import_torchvision().ops.roi_align(
        inputs["input"].float(),
        inputs["rois"].float(),
        (inputs["output_height"], inputs["output_width"]),
        inputs["spatial_scale"],
        inputs["sampling_ratio"],
        inputs["aligned"],
    )
    got, arguments = from_torch(out), arrays(inputs)
    tolerance = tolerance_of(spec_of("roi_align"), str(out.dtype).removeprefix("torch."), arguments)
    verdict = compare(got, want.double().numpy(), got.dtype, tolerance)
    return "" if verdict.ok else f"out: {verdict.message}"


CHECKS = {
    "argmax": largest_wrong,
    "cummin": smallest_wrong,
    "nms_indices": kept_wrong,
    "roi_align": pooled_wrong,
}


def arrays(inputs: dict) -> dict:
    """Gives arguments as the aclnn functions take them."""
    return {name: from_torch(value) if hasattr(value, "numpy") else value for name, value in inputs.items()}
