# SPDX-License-Identifier: Apache-2.0
"""Compares our passes with onnxsim on the same models: `python -m benchmarks.onnx_simplify [--large MB]`.

It prints the number of nodes that are left, whether ONNX Runtime computes the same with the result, and the time from
protobuf to protobuf. With --large it prints the peak memory of a process that simplifies a model with that many
megabytes of external weights without a check, and of a process that only imports the same packages.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir

from ascend_vision_ops.cli.show import console, table
from ascend_vision_ops.onnx import passes
from ascend_vision_ops.onnx.execute import Runner, random_feeds
from benchmarks import onnx_models as models

MODELS = {
    "convnet": models.convnet,
    "convnet, open batch": lambda: models.convnet("n"),
    "shape glue": lambda: models.shape_glue(1),
    "shape glue, open batch": models.shape_glue,
    "focus": models.focus,
    "detector, mmcv nodes": models.detector,
    "shufflenet of the model zoo": lambda: models.published("shufflenet"),
    "densenet121 of the model zoo": lambda: models.published("densenet121"),
    "1,000 nodes to fold": lambda: models.chain(100),
    "10,000 nodes to fold": lambda: models.chain(1000),
}
PEAK = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
OURS = (
    "from ascend_vision_ops.onnx import files, passes; import sys\n"
    "{work}model = files.load(sys.argv[1]); passes.simplify(model); files.save(model, sys.argv[2])\n"
)
THEIRS = (
    "import onnx, onnxsim, sys\n"
    "{work}model, ok = onnxsim.simplify(sys.argv[1]); "
    "onnx.save(model, sys.argv[2], save_as_external_data=True, location='theirs.data')\n"
)


def ours(proto: onnx.ModelProto) -> onnx.ModelProto:
    model = ir.from_proto(proto)
    passes.simplify(model)
    return ir.to_proto(model)


def theirs(proto: onnx.ModelProto) -> onnx.ModelProto:
    import onnxsim

    return onnxsim.simplify(proto)[0]


def difference(before: onnx.ModelProto, after: onnx.ModelProto) -> str:
    """Finds the largest difference in an output, divided by its largest element."""
    old, new = Runner(ir.from_proto(before), stand_ins=False), Runner(ir.from_proto(after), stand_ins=False)
    feeds = random_feeds(ir.from_proto(before), np.random.default_rng(0))
    worst = 0.0
    wanted, got = old(feeds), new(feeds)
    for name, want in wanted.items():
        if got[name].shape != want.shape:
            return f"shape {got[name].shape}"
        worst = max(worst, np.abs(got[name] - want).max(initial=0) / max(np.abs(want).max(initial=0), 1e-30))
    return "equal" if worst == 0 else f"{worst:.1g}"


def compare(rounds: int) -> None:
    contestants = {"ours": ours} | ({"onnxsim": theirs} if find_spec("onnxsim") else {})
    rows = table("model", ">nodes", "by", ">left", "difference", ">ms", ">ours / onnxsim")
    for title, make in MODELS.items():
        before = make()
        times: dict[str, list[float]] = {name: [] for name in contestants}
        results = {}
        for _ in range(rounds):  # both take turns, so that a busy machine slows both
            for name, function in contestants.items():
                start = time.perf_counter()
                try:
                    results[name] = function(before)
                except Exception as error:
                    results[name] = str(error).strip().splitlines()[0][:60]
                times[name].append(time.perf_counter() - start)
        medians = {name: statistics.median(values) for name, values in times.items()}
        for name, result in results.items():
            failed = isinstance(result, str)
            cells = (
                [f"fails: {result}", ""]
                if failed
                else [str(len(result.graph.node)), difference(before, result)]
            )
            ratio = (
                f"{medians['ours'] / medians['onnxsim']:.2f}" if name == "ours" and len(medians) > 1 else ""
            )
            rows.add_row(
                title, str(len(before.graph.node)), name, *cells, f"{medians[name] * 1e3:.1f}", ratio
            )
    console().print(rows)
    if "onnxsim" not in contestants:
        print("onnxsim: absent (pip install onnxsim)")


def peak(program: str, *arguments: str) -> tuple[float, float]:
    """Measures the peak memory in megabytes, and the seconds."""
    start = time.perf_counter()
    command = [sys.executable, "-c", program + PEAK, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return int(done.stdout.split()[-1]) / 1024, time.perf_counter() - start


def measure_large(megabytes: int) -> None:
    rows = table("by", ">weights, MB", ">peak, MB", ">of it packages", ">peak over weights", ">s")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.onnx"
        models.large(megabytes, path)
        size = Path(f"{path}.data").stat().st_size / 2**20
        programs = {"ours": OURS} | ({"onnxsim": THEIRS} if find_spec("onnxsim") else {})
        for name, program in programs.items():
            idle, _ = peak(program.format(work="if 0: "), str(path), f"{folder}/{name}.onnx")
            try:
                most, seconds = peak(program.format(work=""), str(path), f"{folder}/{name}.onnx")
            except RuntimeError as error:
                rows.add_row(name, f"{size:.0f}", f"fails: {error}", "", "", "")
                continue
            over = f"{(most - idle) / size:.2f}"
            rows.add_row(name, f"{size:.0f}", f"{most:.0f}", f"{idle:.0f}", over, f"{seconds:.1f}")
    console().print(rows)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.onnx_simplify", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--rounds", type=int, default=3, help="runs of each, in turns; medians count (3)")
    parser.add_argument(
        "--large", type=int, metavar="MB", help="peak memory on that many megabytes of weights instead"
    )
    options = parser.parse_args()
    if options.large:
        measure_large(options.large)
    else:
        compare(options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
