# SPDX-License-Identifier: Apache-2.0
"""How well the cycle model explains what it was not fitted to: `python cross_validate.py SIM_CALIBRATE` fits its
constants with each experiment left out in turn, and prints the errors of the tasks that were left out, whether their
modelled ranges hold them, and how far the constants move.

The fit is one step of least squares: how each time changes with each constant is measured once, by runs with the
constant 5 % larger. A constant that the other experiments say nothing about falls back to what somebody would take
who has only the published peaks: a mechanism that nobody measured is absent. So the constants that one experiment alone
supports count as not known for it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ascend_vision_ops import calibration

ROOT = Path(__file__).resolve().parents[3]
PUBLISHED = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))["rows"]

# Each fitted constant: what one would take without any measurement, and the cases that depend on it.
PRIORS = {
    "launch_us_per_block": (0.05, "acos codes/32"),
    "startup": (1000, "acos codes"),
    "issue": (2, "add/vector"),
    "scalar_access": (2, "add/scalar pairs"),
    "scalar_wait": (20, "add/scalar pairs codes"),
    "vector_startup": (20, "add/vector banks gelu codes acos"),
    "bank_read_write": (1, "banks"),
    "copy_row": (4, "copy"),
    "copy_issue": (12, "copy"),
    "read_latency": (250, "add copy/ acos"),
    "read_l2_bytes": (64, "copy gelu"),
    "write_bytes": (32, "add rearrange"),
    "same_line": (0.1, "copy/s fractals/s"),
    "same_line_in_l2": (0.1, "product/wide product/in-step product/s"),
    "cube_copy_row": (2, "fractals product/"),
    "cube_past_l2_bytes": (36, "fractals"),
    "cube_short_row": (5, "product/thin"),
    "cube_unaligned_block": (1, "unaligned"),
    "cube_l2_spread": (0.01, "product/"),
    "l1_shared": (1, "product/"),
    "hbm_efficiency": (0.85, "copy add rearrange fractals polar"),
    "hbm_written": (1, "add rearrange polar"),
    "hbm_short_row": (1, "copy/s fractals/s"),
    "l2_over_peak": (1, "copy/quarters fractals/quarters"),
    "l2_usable": (1, "add rearrange polar"),
}
# Cases that take long are predicted and not fitted.
SLOW = (
    "product/2x12",
    "product/4x6",
    "product/step-8-4",
    "product/cores",
    "product/basic",
    "codes/16384",
    "polar/33M",
)
IGNORED = ("S", "FIX", "core")  # columns that are not fitted
CONSTANT = r"Constant (\w+) = \{([\d.]+), ([\d.]+)\};"  # name, value, doubt
STEP = 1.05
TRUST = 0.05  # a published time is as good as this
DOUBT = 0.5  # and a value without a measurement as this, in parts of the value


class Model:
    """Runs the cases with values of the constants."""

    def __init__(self, program: Path, values: dict[str, float]):
        self.program = program
        self.values = values

    def rows(self, cases: list[str], **changed: float) -> list[dict]:
        settings = [f"{name}={value}" for name, value in (self.values | changed).items()]
        return calibration.run(self.program, *cases, *settings)["rows"]

    def times(self, cases: list[str], **changed: float) -> dict[tuple[str, str], tuple[float, float]]:
        """Returns the logarithms of published and modelled times by case and column."""
        return {
            (row["case"], column): (np.log(pair["published"]), np.log(pair["modelled"]))
            for row in self.rows(cases, **changed)
            for column, pair in row.items()
            if isinstance(pair, dict) and column not in IGNORED and pair["modelled"] > 0
        }


def values_of(header: Path) -> dict[str, float]:
    return {
        name: float(value)
        for name, value, _ in re.findall(CONSTANT, header.read_text(encoding="utf-8"))
        if name in PRIORS
    }


def slopes(model: Model, base: dict, names: list[str], pool: Executor) -> np.ndarray:
    """The change of the logarithm of each time by that of each constant."""
    cases = {case for case, _ in base}

    def column_of(name: str) -> list[float]:
        affected = [case for case in cases if any(part in case for part in PRIORS[name][1].split())]
        changed = model.times(affected, **{name: model.values[name] * STEP})
        return [(changed[key][1] - base[key][1]) / (STEP - 1) if key in changed else 0 for key in base]

    return np.array(list(pool.map(column_of, names))).T


def fit(matrix: np.ndarray, residuals: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """The parts of their values by which constants should change; large residuals count less."""
    weights = 1 / (TRUST * np.maximum(1, np.abs(residuals) / 0.25))
    rows = np.vstack([matrix * weights[:, None], np.eye(len(prior)) / DOUBT])
    return np.linalg.lstsq(rows, np.concatenate([residuals * weights, prior / DOUBT]), rcond=None)[0]


def errors_of(rows: list[dict]) -> list[float]:
    return [abs(pair["error"]) for pair in map(calibration.task, rows) if pair]


@dataclass(frozen=True)
class LeftOut:
    """What the fit without an experiment gives.

    errors, fitted: of its tasks, with the constants of this fit and with those of the model.
    ranges: of its tasks, whether the range around the time that this fit gives holds the published one.
    changes: the constants, as parts of the model's.
    """

    name: str
    errors: list[float]
    fitted: list[float]
    ranges: list[bool]
    changes: dict[str, float]


def left_out(model: Model, pool: Executor) -> list[LeftOut]:
    """Fits the constants without each experiment in turn."""
    everything = [row["case"] for row in PUBLISHED]
    whole = dict(zip(everything, pool.map(lambda case: model.rows([case]), everything), strict=True))
    whole = {case: next(row for row in rows if row["case"] == case) for case, rows in whole.items()}
    base = {
        (case, column): (np.log(pair["published"]), np.log(pair["modelled"]))
        for case, row in whole.items()
        for column, pair in row.items()
        if case not in SLOW and isinstance(pair, dict) and column not in IGNORED and pair["modelled"] > 0
    }
    names = list(model.values)
    matrix = slopes(model, base, names, pool)
    residuals = np.array([published - modelled for published, modelled in base.values()])
    prior = np.array([PRIORS[name][0] / model.values[name] - 1 for name in names])
    experiments = {row["case"]: row["experiment"].split("-")[0] for row in PUBLISHED}

    def predict(left: str) -> LeftOut:
        kept = np.array([experiments[case] != left for case, _ in base])
        change = np.clip(fit(matrix[kept], residuals[kept], prior), -0.9, 9)
        changed = {name: model.values[name] * (1 + part) for name, part in zip(names, change, strict=True)}
        cases = [case for case in everything if experiments[case] == left]
        rows = [row for row in model.rows(cases, **changed) if row["case"] in cases]
        return LeftOut(
            left,
            errors_of(rows),
            errors_of([whole[case] for case in cases]),
            calibration.in_range(rows),
            {name: float(part) for name, part in zip(names, change, strict=True)},
        )

    return list(pool.map(predict, dict.fromkeys(experiments.values())))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    model = Model(options.program, values_of(ROOT / "sim" / "ascendc" / "engine" / "device_model.h"))
    with ThreadPoolExecutor(options.jobs) as pool:
        results = left_out(model, pool)
    print("| left out | tasks | mean error | largest | mean error as fitted | in the range |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for one in results:
        if one.errors:
            cells = (
                f"{np.mean(one.errors):.1%}",
                f"{max(one.errors):.1%}",
                f"{np.mean(one.fitted):.1%}",
                f"{sum(one.ranges)} of {len(one.ranges)}" if one.ranges else "–",
            )
            print(f"| {one.name} | {len(one.errors)} | {' | '.join(cells)} |")
    errors = [error for one in results for error in one.errors]
    held = [inside for one in results for inside in one.ranges]
    near = [np.mean([error <= bound for error in errors]) for bound in (0.10, 0.25)]
    print(f"\nOf {len(errors)} tasks that were left out: median {np.median(errors):.1%}, ", end="")
    print(f"within 10 %: {near[0]:.0%}, within 25 %: {near[1]:.0%}.", end=" ")
    print(f"The modelled range holds {sum(held)} of {len(held)} ({np.mean(held):.0%}).")
    print("\n| constant | moves by at most | without |\n| --- | ---: | --- |")
    for name in model.values:
        most = max(results, key=lambda one: abs(one.changes[name]))
        print(f"| `{name}` | {most.changes[name]:+.1%} | {most.name} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
