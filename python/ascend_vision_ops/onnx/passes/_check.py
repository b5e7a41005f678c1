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


class CheckFailed(RuntimeError):
    """A pass changed what the model computes."""


@dataclass
class Checker:
    """Checks each pass on made-up inputs.

    count: how many inputs.
    seed: the same seed gives the same inputs.
    shapes: shapes of inputs by name, where the model leaves them open.
    before: runs the model as it was before the pass.
    how: what ran the models.
    unable: why the last check was not possible, "" where it was.
    """

    count: int
    seed: int = 0
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    before: Runner | None = None
    how: str = ""
    unable: str = ""

    def start(self, model: ir.Model) -> None:
        self.before = Runner(model)

    def feeds(self, model: ir.Model) -> list[dict[str, np.ndarray]]:
        rng = np.random.default_rng(self.seed)
        return [random_feeds(model, rng, self.shapes) for _ in range(self.count)]

    def check(self, applied: Pass, model: ir.Model) -> str:
        """Compares the model after a pass with the one before it. Gives the verdict in a few words.

        Raises CheckFailed where outputs differ. A model that nothing here can run cannot be checked: then the verdict
        is "not checked", and `unable` has the reason.
        """
        after, worst = Runner(model), 0.0
        try:
            for name, want, got in applied.pairs(self.before, after, self.feeds):
                if got is None:
                    raise CheckFailed(f"pass {applied.name} lost output {name!r}")
                want = np.asarray(want)
                verdict = compare(got, _wide(want), want.dtype, _of_dtype(applied.tolerance, want.dtype))
                if not verdict.ok:
                    raise CheckFailed(f"pass {applied.name} changed output {name!r}: {verdict.message}")
                worst = max(worst, verdict.max_error)
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
        return "equal" if worst == 0 else f"max error {worst:.2g}"


def _of_dtype(tolerance: Tolerance, dtype: np.dtype) -> Tolerance:
    """The tolerance of a pass that rounds, for a dtype: at least four rounding steps of the largest element."""
    if not tolerance.largest or not is_float(dtype):
        return tolerance
    return replace(tolerance, largest=max(tolerance.largest, 4 * float(ml_dtypes.finfo(dtype).eps)))


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if array.dtype.kind not in "biu" else array
