# SPDX-License-Identifier: Apache-2.0
"""One process of the comparison: `python -m benchmarks.onnx.tools TOOL MODEL RESULT`.

It simplifies a model, writes the result and prints the CPU time and the peak memory of the whole process, imports
included, since a user pays for them too.
"""

from __future__ import annotations

import importlib.metadata
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OURS = "ours"
LIMIT = 900  # seconds for one model


def _ours(model: str, result: str) -> None:
    from ascend_vision_ops.onnx import files, passes

    graph = files.load(model)
    passes.simplify(graph)
    files.save(graph, result)


def _onnxsim(model: str, result: str) -> None:
    import onnx
    import onnxsim

    graph, _ = onnxsim.simplify(model)
    onnx.save(graph, result)


def _onnxslim(model: str, result: str) -> None:
    import onnxslim

    onnxslim.slim(model, result)


def _onnxoptimizer(model: str, result: str) -> None:
    import onnx
    import onnxoptimizer

    onnx.save(onnxoptimizer.optimize(onnx.load(model), fixed_point=True), result)


TOOLS: dict[str, Callable[[str, str], None]] = {
    OURS: _ours,
    "onnxsim": _onnxsim,
    "onnxslim": _onnxslim,
    "onnxoptimizer": _onnxoptimizer,
}


def versions() -> dict[str, str]:
    """The versions of the peers that are installed."""
    found = {}
    for name in TOOLS:
        if name != OURS:
            try:
                found[name] = importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                continue
    return found


@dataclass(frozen=True)
class Run:
    """What a tool did with a model.

    Attributes:
        seconds: CPU time of its process
        megabytes: peak memory of its process, in units of 1e6 bytes
        refused: why it made no result; empty if it made one
    """

    seconds: float
    megabytes: float
    refused: str = ""


def run(tool: str, model: Path, result: Path) -> Run:
    """Runs a tool in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.onnx.tools", tool, str(model), str(result)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return Run(LIMIT, 0, f"not done in {LIMIT} s")
    if done.returncode or not result.is_file():
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return Run(0, 0, lines[-1])
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def peak() -> float:
    """The peak memory of this process in megabytes. `getrusage` would count what the parent had before this began."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError("/proc/self/status has no line VmHWM")


def main() -> None:
    tool, model, result = sys.argv[1:]
    TOOLS[tool](model, result)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"seconds": used.ru_utime + used.ru_stime, "megabytes": peak()}))


if __name__ == "__main__":
    main()
