# SPDX-License-Identifier: Apache-2.0
"""`avo onnx`: shows, simplifies, converts, runs and compares ONNX models."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, track

from ascend_vision_ops.cli import Failure
from ascend_vision_ops.tables import console, table

try:
    import ascend_vision_ops.onnx._needs  # noqa: F401
except ImportError as error:
    raise Failure(str(error)) from None

# isort: split
import onnx_ir as ir

from ascend_vision_ops.onnx import passes
from ascend_vision_ops.onnx.execute import Runner, inputs_of, random_array, random_feeds, standard_operators
from ascend_vision_ops.onnx.files import external_tensors, load, save, weight_bytes
from ascend_vision_ops.onnx.flavours import ATC_OPSET, atc_runs, from_atc_name, names_of_ours


@contextlib.contextmanager
def _progress(first: str):
    """Yields a function that shows its text in the last line of a terminal; in a pipe it shows nothing."""
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, transient=True, disable=not sys.stdout.isatty()) as progress:
        task = progress.add_task(first, total=None)
        yield lambda text: progress.update(task, description=text)


def _describe(value: ir.Value) -> str:
    dtype = value.dtype.name.lower() if value.dtype is not None else "unknown type"
    if value.shape is None:
        return f"{dtype}, of unknown rank"
    return escape(f"{dtype} [{', '.join(str(dim) for dim in value.shape)}]")


def _size(count: int) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.3g} {unit}" if unit != "bytes" else f"{count} {unit}"
        count /= 1000
    raise AssertionError


def _shapes(options: argparse.Namespace) -> dict[str, tuple[int, ...]]:
    shapes = {}
    for text in options.shape:
        name, equals, dims = text.partition("=")
        if not equals:
            raise Failure(f"--shape: expected NAME=1,3,64,64, got {text!r}")
        shapes[name] = _dims("--shape", dims)
    return shapes


def _dims(option: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(dim) for dim in text.replace("x", ",").split(",") if dim)
    except ValueError:
        raise Failure(f"{option}: expected integers such as 1,3,64,64, got {text!r}") from None


# --- info --------------------------------------------------------------------------------------------------------


def run_info(options: argparse.Namespace) -> int:
    model = load(options.model)
    out = console()
    sets = ", ".join(f"{domain or 'ai.onnx'} {v}" for domain, v in model.graph.opset_imports.items())
    producer = (
        f", by {model.producer_name} {model.producer_version or ''}".rstrip() if model.producer_name else ""
    )
    out.print(f"{options.model}: IR version {model.ir_version}, operator sets {sets}{producer}", markup=False)
    lines = table("", "name", "type")
    for what, values in (("input", inputs_of(model)), ("output", model.graph.outputs)):
        for value in values:
            lines.add_row(what, value.name, _describe(value))
    out.print(lines)
    apart = external_tensors(model)
    where = ""
    if apart:
        files = ", ".join(sorted({Path(tensor.path).name for tensor in apart}))
        where = f", {_size(sum(tensor.nbytes for tensor in apart))} of them in {files}"
    weights = sum(len(graph.initializers) for graph in model.graphs())
    out.print(f"weights: {_size(weight_bytes(model))} in {weights} tensors{where}", markup=False)
    dims = (dim for value in inputs_of(model) for dim in value.shape or () if not isinstance(dim, int))
    names = sorted({dim.value or "?" for dim in dims})
    out.print(f"open dimensions of inputs: {', '.join(names) or 'none'}\n", markup=False)

    standard, ours = standard_operators(), names_of_ours()
    functions = {(domain, name) for domain, name, _ in model.functions}
    rows = table("node type", ">nodes", "NPU by ATC", "ONNX Runtime")
    nobody = []
    count = Counter((node.domain, node.op_type) for node in model.graph.all_nodes())
    for (domain, op_type), number in sorted(count.items(), key=lambda item: (-item[1], item[0])):
        key = (domain, op_type) if domain else (from_atc_name(op_type) or ("", op_type))
        npu = "yes" if atc_runs(domain, op_type) else "our operator" if key in ours else "-"
        ort = "yes" if (domain, op_type) in standard else "our library" if key in ours else "-"
        if (domain, op_type) in functions:
            npu = ort = "function of the model"
        name = f"{domain}::{op_type}" if domain else op_type
        if npu == ort == "-":
            nobody.append(name)
            npu = ort = "[red]nobody[/]"
        rows.add_row(name, str(number), npu, ort)
    out.print(rows)
    out.print()
    hints = [f"neither ATC nor ONNX Runtime runs {', '.join(nobody)}"] if nobody else []
    if len(model.graph.opset_imports) > 1:
        sets = len(model.graph.opset_imports)
        hints.append(
            f"ATC reads models with one operator set; this one has {sets}: avo onnx convert --flavour atc"
        )
    if model.graph.opset_imports.get("", 0) > ATC_OPSET:
        hints.append(
            f"ATC reads operator sets up to {ATC_OPSET}: avo onnx convert --flavour atc --opset {ATC_OPSET}"
        )
    for hint in hints:
        out.print(hint, markup=False)
    return 0


# --- simplify, convert -------------------------------------------------------------------------------------------


def run_simplify(options: argparse.Namespace) -> int:
    if options.list:
        return _list_passes()
    if options.model is None:
        raise Failure("simplify: expected a MODEL, or --list, got neither")
    text = options.passes if options.batch is None else f"set_batch={options.batch},{options.passes}"
    return _transform(options, text, once=options.once)


def run_convert(options: argparse.Namespace) -> int:
    opset = options.opset
    if options.flavour == "atc":
        if opset is not None and opset > ATC_OPSET:
            raise Failure(f"--opset: ATC reads at most {ATC_OPSET}, got {opset}")
        current = load(options.model).graph.opset_imports.get("", 1)
        opset = opset or (ATC_OPSET if current > ATC_OPSET else None)
    names = ["inline_functions", f"convert_opset={opset}" if opset else "", f"to_{options.flavour}"]
    return _transform(options, ",".join(name for name in names if name), once=True)


def _list_passes() -> int:
    rows = table("pass", "what it does")
    for name, cls in sorted(passes.REGISTRY.items()):
        rows.add_row(f"{name}={cls.argument}" if cls.argument else name, cls.summary)
    out = console()
    out.print(rows, markup=False)
    out.print()
    for name, parts in passes.PRESETS.items():
        out.print(f"{name} = {','.join(parts)}", markup=False)
    return 0


def _transform(options: argparse.Namespace, text: str, once: bool) -> int:
    chosen = passes.passes_of(text)
    if options.check < 0:
        raise Failure(f"--check: expected a number of inputs from 0 on, got {options.check}")
    if options.output and not Path(options.output).parent.is_dir():
        raise Failure(f"--output: there is no folder {Path(options.output).parent}")
    with _progress("reading") as progress:
        model = load(options.model)
        checker = passes.Checker(options.check, options.seed, _shapes(options)) if options.check else None
        manager = passes.Manager(chosen, checker, progress)
        report = manager.run_once(model) if once else manager.run_to_fixed_point(model)
    out = console()
    out.print(_report_table(report, checked=checker is not None))
    _explain(out, report, checker)
    demanded = {item.name for item in chosen if item.demanded}
    failed = [row for row in report.rows if row.name in demanded and row.refused and not row.applied]
    if failed:
        raise Failure(f"{failed[0].name}: {failed[0].refused[0]}; nothing is written")
    if options.output:
        written = {Path(options.output): model}
        for what, part in report.split_off.items():
            written[Path(options.output).with_suffix(f".{what}.onnx")] = part
        with _progress("writing"):
            for path, part in written.items():
                save(part, path)
        for path, part in written.items():
            size = f"{_size(path.stat().st_size)}, weights {_size(weight_bytes(part))}"
            out.print(f"{path}: {size}", markup=False)
    return 0


def _report_table(report: passes.Report, checked: bool):
    rows = table("pass", ">applied", ">refused", ">nodes", ">ms", *(["check"] if checked else []))
    for row in report.rows:
        nodes = f"{row.before} → {row.after}" if row.applied else ""
        cells = [row.name, str(row.applied), str(len(row.refused) or ""), nodes, f"{row.milliseconds:.1f}"]
        rows.add_row(*cells, *([row.check] if checked else []))
    return rows


def _explain(out, report: passes.Report, checker: passes.Checker | None) -> None:
    for row in report.rows:
        for reason in row.refused[:5]:
            out.print(f"refused by {row.name}: {reason}", markup=False)
        if len(row.refused) > 5:
            out.print(f"refused by {row.name}: … and {len(row.refused) - 5} more")
    rounds = f"{report.rounds} round{'s' if report.rounds > 1 else ''}"
    out.print(f"nodes {report.nodes_before} → {report.nodes_after} in {rounds}")
    if checker and checker.unable:
        out.print(f"not checked: {checker.unable}", markup=False)
    elif checker and checker.how:
        inputs = f"{checker.count} input{'s' if checker.count > 1 else ''}"
        out.print(f"compared on {inputs} by {checker.how}", markup=False)


# --- run ---------------------------------------------------------------------------------------------------------


def run_run(options: argparse.Namespace) -> int:
    model = load(options.model)
    feeds = _feeds(options, model)
    out = console()
    with _progress("running"):
        runner = Runner(model, stand_ins=False)
        results = runner(feeds)
    rows = table("", "name", "dtype", "shape", ">smallest", ">largest", ">mean")
    for what, arrays in (("input", feeds), ("output", results)):
        for name, array in arrays.items():
            shape = escape("[" + ", ".join(map(str, array.shape)) + "]")
            wide = array.astype(np.float64)
            figures = [f"{f(wide):.6g}" if array.size else "" for f in (np.min, np.max, np.mean)]
            rows.add_row(what, name, str(array.dtype), shape, *figures)
    out.print(rows, markup=False)
    out.print(f"by {runner.how}")
    if options.output:
        folder = Path(options.output)
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in results.items():
            path = folder / f"{name.replace('/', '_')}.npy"
            np.save(path, array)
            out.print(str(path), markup=False)
    return 0


def _feeds(options: argparse.Namespace, model: ir.Model) -> dict[str, np.ndarray]:
    values = {value.name: value for value in inputs_of(model)}
    rng = np.random.default_rng(options.seed)
    feeds, shapes = {}, {}
    for text in options.input:
        name, equals, source = text.partition("=")
        if not equals or name not in values:
            raise Failure(
                f"--input: expected NAME=VALUE, where NAME is one of {', '.join(values) or 'none'}, got {text!r}"
            )
        if source.startswith("random:"):
            shapes[name] = _dims("--input", source.removeprefix("random:"))
            feeds[name] = random_array(rng, shapes[name], values[name])
            continue
        if not Path(source).is_file():
            raise Failure(
                f"--input {name}: there is no file {source} (random:1,3,64,64 gives random numbers)"
            )
        try:
            feeds[name] = np.load(source, allow_pickle=False)
        except ValueError:
            raise Failure(f"--input {name}: {source} is not a .npy file") from None
        wanted = values[name].dtype
        if wanted is not None and feeds[name].dtype != wanted.numpy():
            raise Failure(f"--input {name}: expected {wanted.numpy()}, got {feeds[name].dtype} in {source}")
    made = random_feeds(model, rng, {**shapes, **{name: array.shape for name, array in feeds.items()}})
    return {name: feeds.get(name, made[name]) for name in values}


# --- parity ------------------------------------------------------------------------------------------------------


def run_parity(options: argparse.Namespace) -> int:
    from ascend_vision_ops.onnx.parity import compare_nodes

    model = load(options.model)
    feeds = random_feeds(model, np.random.default_rng(options.seed), _shapes(options))
    steps = compare_nodes(model, feeds)
    total = len(model.graph)
    found = list(track(steps, "parity", total, disable=not sys.stdout.isatty(), transient=True))
    out = console()
    rows = table("node type", ">nodes", ">equal", ">near", ">wrong", ">not compared", ">max error")
    by_type: dict[str, list] = {}
    for item in found:
        by_type.setdefault(item.op_type, []).append(item)
    for op_type, items in sorted(by_type.items()):
        verdicts = Counter(item.verdict for item in items)
        counts = [str(verdicts[name] or "") for name in ("equal", "near", "wrong", "not compared")]
        rows.add_row(op_type, str(len(items)), *counts, f"{max(item.max_error for item in items):.2g}")
    out.print(rows)
    for item in [item for item in found if item.verdict == "not compared"][:5]:
        out.print(f"not compared: {item.label}: {item.message}", markup=False)
    wrong = [item for item in found if item.verdict == "wrong"]
    if wrong:
        out.print(f"the first node that diverges is {wrong[0].label}: {wrong[0].message}", markup=False)
        return 1
    out.print(f"none of {len(found)} nodes diverges")
    return 0
