# SPDX-License-Identifier: Apache-2.0
"""Judges the result of a tool: does ONNX Runtime compute the same with it as with the model?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

SEED = 0
# An output may differ by this share of its largest element, since weights are rounded once more.
LARGEST = 1e-4
# Otherwise by this many times what it changes by where each floating input is moved by STEPS rounding steps.
TIMES, STEPS = 8, 4


@dataclass(frozen=True)
class Judgement:
    """What a result is.

    Attributes:
        nodes: those of all graphs, without `Constant`
        bytes: with external weights
        error: of the worst output, divided by its largest element
        wrong: what is wrong; empty where nothing is
    """

    nodes: int
    bytes: int
    error: float = 0.0
    wrong: str = ""


def feeds_of(
    path: Path, inputs: dict[str, list[int] | float], default: tuple[int, ...] = ()
) -> dict[str, np.ndarray]:
    """Makes up inputs: normally distributed, integers in 0…9.

    inputs: for an input its shape, or a number that is its value. Other inputs have the shape that the model states.
    default: the shape of inputs that the model leaves open
    """
    model = onnx.load(path, load_external_data=False)
    rng, feeds = np.random.default_rng(SEED), {}
    weights = {weight.name for weight in model.graph.initializer}
    for value in model.graph.input:
        if value.name in weights:
            continue
        kind = value.type.tensor_type
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        given = inputs.get(value.name)
        if isinstance(given, int | float):
            feeds[value.name] = np.array(given, dtype)
            continue
        shape = given or [dim.dim_value for dim in kind.shape.dim]
        if any(size < 1 for size in shape) and len(shape) == len(default):
            shape = default
        if any(size < 1 for size in shape):
            raise ValueError(f"input {value.name!r}: expected a shape in models.json, since {shape} is open")
        made = rng.integers(0, 10, shape) if dtype.kind in "iub" else rng.standard_normal(shape)
        feeds[value.name] = made.astype(dtype)
    return feeds


class Judge:
    """Knows what a model computes, and judges what tools made of it."""

    def __init__(self, path: Path, inputs: dict[str, list[int] | float], default: tuple[int, ...] = ()):
        self.feeds = feeds_of(path, inputs, default)
        self.wanted = outputs(path, self.feeds)
        self.before = Judgement(node_count(path), size(path))
        rng = np.random.default_rng(SEED)
        moved = [outputs(path, {name: _moved(x, rng) for name, x in self.feeds.items()}) for _ in range(2)]
        self.noise = {
            name: max(distance(want, other[name]) for other in moved) for name, want in self.wanted.items()
        }

    def judge(self, path: Path) -> Judgement:
        """Judges a result. Shapes, names and types of outputs must be those of the model."""
        try:
            got = outputs(path, self.feeds)
        except Exception as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            return Judgement(node_count(path), size(path), wrong=f"ONNX Runtime cannot run it: {reason}")
        worst, wrong = 0.0, ""
        for name, want in self.wanted.items():
            if name not in got:
                wrong = wrong or f"output {name!r} is absent"
                continue
            away = distance(want, got[name])
            if away > max(LARGEST, TIMES * self.noise[name]):
                wrong = wrong or f"output {name!r} differs by {away:.2g} of its largest element"
            worst = max(worst, away)
        return Judgement(node_count(path), size(path), worst, wrong)


def distance(want: np.ndarray, got: np.ndarray) -> float:
    """The largest difference, divided by the largest element; infinite for another shape, type, or place of NaN."""
    if want.shape != got.shape or want.dtype != got.dtype:
        return float("inf")
    if want.dtype.kind in "SOU":
        return 0.0 if np.array_equal(want, got) else float("inf")
    a, b = want.astype(np.float64), got.astype(np.float64)
    odd = ~(np.isfinite(a) & np.isfinite(b))
    if not np.array_equal(a[odd], b[odd], equal_nan=True):
        return float("inf")
    largest = np.abs(a[~odd]).max(initial=0.0)
    away = np.abs(a - b, where=~odd, out=np.zeros_like(a)).max(initial=0.0)
    return float(away / largest) if largest else float("inf") if away else 0.0


def outputs(path: Path, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What ONNX Runtime computes, without optimisations of its own."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_outputs()]
    known = {value.name for value in session.get_inputs()}
    found = session.run(names, {name: x for name, x in feeds.items() if name in known})
    return {name: np.asarray(x) for name, x in zip(names, found, strict=True)}


def _moved(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if x.dtype.kind != "f":
        return x
    return (x * (1 + STEPS * np.finfo(x.dtype).eps * rng.choice([-1, 1], x.shape))).astype(x.dtype)


def size(path: Path) -> int:
    """Bytes of the file and of files with its weights, which begin with its name."""
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))


def node_count(path: Path) -> int:
    """Counts the nodes of all graphs and functions, except for `Constant`, which other tools write as weights."""
    model = onnx.load(path, load_external_data=False)
    bodies = [model.graph, *model.functions]
    count = 0
    while bodies:
        for node in bodies.pop().node:
            count += node.op_type != "Constant"
            for attribute in node.attribute:
                bodies += (
                    [attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else list(attribute.graphs)
                )
    return count
