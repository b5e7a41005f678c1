# SPDX-License-Identifier: Apache-2.0
"""`./build.sh fuzz models`: gives ONNX models that nobody should trust to `avo onnx`.

A model begins as one node of a case, or as a few of them in a row. Then some of it changes: attributes, names, shapes,
dtypes, weights, operator sets, or bytes of the file. Each command must end with a result, or with an error of one line;
it must not end the process, show a traceback, take long, or want much memory.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import onnx
from onnx import AttributeProto, ModelProto, TensorProto, helper

from ascend_vision_ops.cli import main as avo
from ascend_vision_ops.onnx import nodes
from ascend_vision_ops.testing.random_runs import add_length, limit_memory, limit_time, seed_of, survives
from tests.onnx.node_models import cases_in_turn, node_model

SECONDS = 120  # for one command; a small model may have large random inputs
MEMORY = 4 << 30  # bytes of addresses that the commands may want beyond what the process has
COMMANDS = (["info"], ["simplify", "-o"], ["run"], ["convert", "--flavour", "atc", "-o"])
INTEGERS = [
    0,
    1,
    -1,
    2,
    3,
    7,
    64,
    255,
    65536,
    2**31 - 1,
    2**31,
    -(2**31),
    2**32,
    2**40,
    2**62,
    2**63 - 1,
    -(2**63),
]
FLOATS = [0.0, -1.0, 0.5, 1e30, -1e30, float("inf"), float("nan")]
WORDS = ["", "x", "bilinear", "avg", "\u00e4", "y" * 3000, "../../x", "%s%n", "[bold]"]
LARGEST = 20_000  # most bytes of the file of a model


def corpus(rng: random.Random, count: int) -> list[ModelProto]:
    """Makes models of nodes, each from a case of its operator."""
    made: list[ModelProto] = []
    known = nodes()
    while len(made) < count:
        node = rng.choice(known)
        found = node_model(node, rng.choice(cases_in_turn(node.operator)), static=rng.random() < 0.7)
        if found is not None and found.model.ByteSize() <= LARGEST:
            made.append(with_weights(found, rng) if rng.random() < 0.5 else found.model)
    return made


def with_weights(found, rng: random.Random) -> ModelProto:
    """The model with the arrays of some inputs in it."""
    model = ModelProto()
    model.CopyFrom(found.model)
    for value in list(model.graph.input):
        array = found.feeds[value.name]
        if rng.random() < 0.5 and array.nbytes < LARGEST:
            model.graph.initializer.append(onnx.numpy_helper.from_array(array, value.name))
            model.graph.input.remove(value)
    return model


def _change_attribute(rng: random.Random, node) -> None:
    if not node.attribute or rng.random() < 0.2:
        value = rng.choice([*INTEGERS, *FLOATS, *WORDS, [1, 2], [2**62] * 4, [0.5]])
        name = rng.choice([a.name for a in node.attribute] or ["axis"]) + rng.choice(["", "x"])
        kept = [a for a in node.attribute if a.name != name]
        del node.attribute[:]
        node.attribute.extend([*kept, helper.make_attribute(name, value)])
        return
    attribute = rng.choice(node.attribute)
    match attribute.type:
        case AttributeProto.INT:
            attribute.i = rng.choice(INTEGERS)
        case AttributeProto.FLOAT:
            attribute.f = rng.choice(FLOATS)
        case AttributeProto.STRING:
            attribute.s = rng.choice(WORDS).encode()
        case AttributeProto.INTS:
            _change_list(rng, attribute.ints, INTEGERS)
        case _:
            node.attribute.remove(attribute)


def _change_list(rng: random.Random, values, choices: list) -> None:
    kind = rng.choice(["change", "change", "add", "remove"])
    if kind == "change" and values:
        values[rng.randrange(len(values))] = rng.choice(choices)
    elif kind == "remove" and values:
        values.pop()
    else:
        values.extend([rng.choice(choices)] * rng.choice([1, 1, 20]))


def _change_node(rng: random.Random, model: ModelProto) -> None:
    graph, node = model.graph, rng.choice(model.graph.node)
    names = [name for each in graph.node for name in (*each.input, *each.output)] or [""]
    match rng.choice(["attribute"] * 5 + ["input", "output", "name", "domain", "twice", "remove"]):
        case "attribute":
            _change_attribute(rng, node)
        case "input":
            _change_list(rng, node.input, [*names, "", "unknown"])
        case "output":
            _change_list(rng, node.output, [*names, "", "other"])
        case "name":
            node.op_type = rng.choice([*(each.name for each in nodes()), "Add", "Loop", ""])
        case "domain":
            node.domain = rng.choice([*(each.domain for each in nodes()), "", "unknown"])
        case "twice":
            graph.node.append(node)
        case "remove":
            graph.node.remove(node)


def _change_value(rng: random.Random, model: ModelProto) -> None:
    values = [*model.graph.input, *model.graph.output]
    if not values:
        return
    value = rng.choice(values)
    shape = value.type.tensor_type.shape
    match rng.choice(["dimension"] * 3 + ["rank", "dtype", "name", "type"]):
        case "dimension" if shape.dim:
            rng.choice(shape.dim).dim_value = rng.choice(INTEGERS)
        case "rank":
            shape.dim.add().dim_value = rng.choice(INTEGERS)
        case "dtype":
            value.type.tensor_type.elem_type = rng.choice([*range(30), 2**31 - 1])
        case "name":
            value.name = rng.choice(WORDS)
        case _:
            value.ClearField("type")


def _change_weight(rng: random.Random, model: ModelProto) -> None:
    if not model.graph.initializer:
        model.graph.initializer.append(helper.make_tensor("unused", TensorProto.FLOAT, [2], [1.0, 2.0]))
    tensor = rng.choice(model.graph.initializer)
    match rng.choice(["dims", "data", "dtype", "external"]):
        case "dims":
            _change_list(rng, tensor.dims, INTEGERS)
        case "data":
            tensor.raw_data = tensor.raw_data[: rng.randrange(len(tensor.raw_data) + 1)]
        case "dtype":
            tensor.data_type = rng.choice([*range(30), 2**31 - 1])
        case "external":
            tensor.data_location = TensorProto.EXTERNAL
            for key, text in (
                ("location", rng.choice([*WORDS, "/etc/hostname"])),
                ("offset", str(rng.choice(INTEGERS))),
            ):
                tensor.external_data.add(key=key, value=text)


def _change_header(rng: random.Random, model: ModelProto) -> None:
    if rng.random() < 0.3:
        model.ir_version = rng.choice(INTEGERS)
    elif model.opset_import:
        sets = rng.choice(model.opset_import)
        sets.version = rng.choice([*range(30), *INTEGERS])


def mutated(model: ModelProto, rng: random.Random) -> bytes:
    """A file of the model with one to four changes."""
    changed = ModelProto()
    changed.CopyFrom(model)
    for _ in range(rng.choice([1, 1, 2, 3, 4])):
        change = rng.choice(
            [_change_node] * 4 + [_change_value] * 3 + [_change_weight] * 2 + [_change_header]
        )
        if change is not _change_node or changed.graph.node:
            change(rng, changed)
    file = bytearray(changed.SerializeToString())
    if rng.random() < 0.15 and file:
        for _ in range(rng.choice([1, 1, 8])):
            file[rng.randrange(len(file))] = rng.randrange(256)
        file = file[: rng.choice([len(file), rng.randrange(len(file))])]
    return bytes(file)


def wrong_with(command: list[str], path: Path) -> str:
    """Runs a command on a file; says what is wrong with how it ended, and raises nothing."""
    words = ["onnx", command[0], str(path), *command[1:]]
    words += [str(path.with_suffix(".out.onnx"))] if words[-1] == "-o" else []
    printed, error = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(error):
            status = avo(words)
    except Exception:
        return f"a traceback: {traceback.format_exc()}"
    lines = error.getvalue().strip().splitlines()
    if status not in (0, 1):
        return f"status {status}"
    if status == 1 and command[0] != "parity" and len(lines) != 1:
        return f"expected an error of one line, got {len(lines)}: {error.getvalue()[:2000]}"
    return ""


def fuzz(folder: Path, seconds: float, seed: int, begin: Callable, most: int = sys.maxsize) -> int:
    """Changes models until the time is over or `most` are made; keeps those that are wrong; returns their number."""
    rng, failed, made, ends = random.Random(seed), 0, 0, Counter()
    models = corpus(rng, 200)
    end = time.monotonic() + seconds
    limit_memory(MEMORY)
    while time.monotonic() < end and made < most and failed < 10:
        path = folder / f"{seed}_{made}.onnx"
        path.write_bytes(mutated(rng.choice(models), rng))
        made, kept = made + 1, False
        for command in COMMANDS:
            begin((command, path))
            limit_time(SECONDS)
            wrong = wrong_with(command, path)
            ends[command[0], bool(wrong)] += 1
            if wrong:
                kept = True
                print(f"{rerun_line((command, path))}\n  {wrong}", flush=True)
        failed += kept
        if not kept:
            path.unlink()
        path.with_suffix(".out.onnx").unlink(missing_ok=True)
    limit_time(0)
    print(f"{made} models, {sum(ends.values())} commands, {failed} models wrong", flush=True)
    return failed


def rerun_line(call: tuple[list[str], Path]) -> str:
    command, path = call
    return f"avo onnx {command[0]} {path} {' '.join(command[1:])}" + (
        " /dev/null" if command[-1] == "-o" else ""
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./build.sh fuzz models --",
        description="Changed ONNX models for avo onnx. Each command must end with a result or an error of one line. "
        "Status 1 where one does not; the model is kept.",
    )
    add_length(parser, "models")
    parser.add_argument(
        "--models", type=int, default=sys.maxsize, help="most models (default: as many as fit)"
    )
    parser.add_argument(
        "--folder", type=Path, help="where wrong models are kept (default: a temporary folder)"
    )
    options = parser.parse_args(arguments)
    seed = seed_of(options)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="avo-models-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"seed {seed}, {options.seconds:g} s, models in {folder}", flush=True)
    failed = survives(lambda begin: fuzz(folder, options.seconds, seed, begin, options.models), rerun_line)
    print(f"{failed} models wrong" if failed else "no fault found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
