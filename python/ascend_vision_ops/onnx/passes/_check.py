# SPDX-License-Identifier: Apache-2.0
"""Runs a model on made-up inputs before and after a pass, and compares the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import ml_dtypes
import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.execute import Runner, random_feeds
from ascend_vision_ops.onnx.files import ModelError
from ascend_vision_ops.onnx.passes._base import Pass
from ascend_vision_ops.opgen.model import Tolerance
from ascend_vision_ops.testing.compare import compare, is_float

# How many rounding steps of its dtype an input is moved by, to see how much rounding means to a model.
STEPS = 4
# A pass rounds in several places, where the moved input rounds in one.
PLACES = 8


class CheckFailed(RuntimeError):
    """A pass changed what the model computes."""


@dataclass
class Checker:
    """Checks each pass on made-up inputs.

    count: how many inputs.
    seed: the same seed gives the same inputs.
    shapes: shapes of inputs by name, where the model leaves them open.
    given: arrays for some inputs by name, which are not made up.
    before: runs the model as it was before the pass.
    how: what ran the models.
    unable: why the last check was not possible, "" where it was.
    """

    count: int
    seed: int = 0
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    given: Mapping[str, np.ndarray] = field(default_factory=dict)
    before: Runner | None = None
    how: str = ""
    unable: str = ""

    def start(self, model: ir.Model) -> None:
        self.before = Runner(model)

    def feeds(self, model: ir.Model) -> list[dict[str, np.ndarray]]:
        rng = np.random.default_rng(self.seed)
        return [random_feeds(model, rng, self.shapes, self.given) for _ in range(self.count)]

    def check(self, applied: Pass, model: ir.Model) -> str:
        """Compares the model after a pass with the one before it. Gives the verdict in a few words.

        Raises CheckFailed where outputs differ. A model that nothing here can run cannot be checked: then the verdict
        is "not checked", and `unable` has the reason.
        """
        after = Runner(model)
        try:
            return self._compare(applied, after)
        except ModelError as error:
            if self.before.ran and not after.ran:
                raise CheckFailed(f"pass {applied.name} made a model that does not run: {error}") from None
            self.unable = str(error)
            return "not checked"
        finally:
            after.close()
            self.before.close()
            self.how = after.how or self.before.how
            self.before = after

    def _compare(self, applied: Pass, after: Runner) -> str:
        worst, noise, unsteady = 0.0, None, False
        for name, want, got in applied.pairs(self.before, after, self.feeds):
            if got is None:
                raise CheckFailed(f"pass {applied.name} lost output {name!r}")
            want = np.asarray(want)
            verdict = _judge(got, want, applied.tolerance)
            if not verdict.ok:
                noise = self._noise(applied) if noise is None else noise
                if verdict.max_error > PLACES * noise.get(name, 0.0) or not noise.get(name):
                    raise CheckFailed(self._message(applied, name, verdict, noise.get(name, 0.0), after))
                unsteady = True
            worst = max(worst, verdict.max_error)
        if worst == 0 and not unsteady:
            return "equal"
        return f"max error {worst:.2g}" + (", as rounding of the input gives" if unsteady else "")

    def _noise(self, applied: Pass) -> dict[str, float]:
        """How much each output changes where the inputs change by a few rounding steps; {} where that does not matter.

        It does not for exact passes, nor for those that change the interface.
        """
        if not applied.tolerance.largest or type(applied).pairs is not Pass.pairs:
            return {}
        noise: dict[str, float] = {}
        rng = np.random.default_rng(self.seed)
        for feed in self.feeds(self.before.model):
            want = self.before(feed)
            for _ in range(2):
                got = self.before({name: _moved(array, rng) for name, array in feed.items()})
                for name, array in want.items():
                    noise[name] = max(noise.get(name, 0.0), _difference(array, got[name]))
        return noise

    def _message(self, applied: Pass, name: str, verdict, noise: float, after: Runner) -> str:
        parts = [f"pass {applied.name} changed output {name!r}: {verdict.message}"]
        if noise:
            parts.append(f"inputs that differ by {STEPS} rounding steps change it by {noise:.2g}")
        if first := self._first_off(applied, after):
            parts.append(f"the first tensor that is off is {first!r}")
        parts.append("leave the pass out of --passes, or give the inputs that matter by --input")
        return "; ".join(parts)

    def _first_off(self, applied: Pass, after: Runner) -> str:
        """The first tensor between the nodes that has a name in both models and differs; "" where there is none."""
        if type(applied).pairs is not Pass.pairs:
            return ""
        models = [self.before.model.clone(), after.model.clone()]
        made = [{value.name: value for node in model.graph for value in node.outputs} for model in models]
        names = [name for name in made[1] if name and name in made[0]]
        try:
            feed = self.feeds(models[0])[0]
            results = []
            for model, values in zip(models, made, strict=True):
                have = {value.name for value in model.graph.outputs}
                model.graph.outputs.extend(values[name] for name in names if name not in have)
                results.append(Runner(model)(feed))
        except ModelError:
            return ""
        off = (name for name in names if not _judge(results[1][name], results[0][name], applied.tolerance).ok)
        return next(off, "")


def _judge(got, want: np.ndarray, tolerance: Tolerance):
    want = np.asarray(want)
    return compare(got, _wide(want), want.dtype, _of_dtype(tolerance, want.dtype))


def _moved(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if not is_float(array.dtype):
        return array
    step = STEPS * float(ml_dtypes.finfo(array.dtype).eps)
    return (array * (1 + step * rng.choice([-1.0, 1.0], array.shape))).astype(array.dtype)


def _difference(a, b) -> float:
    """The largest difference of two results; infinite where they have not even one shape, as after another choice."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return float("inf")
    with np.errstate(invalid="ignore"):
        difference = np.abs(a.astype(np.float64) - b.astype(np.float64))
    return float(np.nan_to_num(difference, posinf=0.0).max(initial=0.0))


def _of_dtype(tolerance: Tolerance, dtype: np.dtype) -> Tolerance:
    """The tolerance of a pass that rounds, for a dtype: at least four rounding steps of the largest element."""
    if not tolerance.largest or not is_float(dtype):
        return tolerance
    return replace(tolerance, largest=max(tolerance.largest, 4 * float(ml_dtypes.finfo(dtype).eps)))


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if array.dtype.kind not in "biuSO" else array
