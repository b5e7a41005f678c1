# SPDX-License-Identifier: Apache-2.0
"""`avo onnx`: shows, simplifies, converts, runs and compares ONNX models."""

from __future__ import annotations

import argparse
import contextlib
import logging
import re
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
from ascend_vision_ops.onnx.atc import aipp_of, command, shell_text
from ascend_vision_ops.onnx.dimensions import SetDimensions
from ascend_vision_ops.onnx.execute import (
    LARGEST_DIM,
    Runner,
    first_line,
    inputs_of,
    random_array,
    random_feeds,
)
from ascend_vision_ops.onnx.files import external_tensors, load, save, weight_bytes
from ascend_vision_ops.onnx.passes._values import label
from ascend_vision_ops.onnx.runners import ATC_OPSET, RELEASES, release_of, who_runs
from ascend_vision_ops.onnx.view.texts import size_text

# Warnings about a model that breaks the rules of ONNX; the error says it in one line.
logging.getLogger("onnx_ir").setLevel(logging.ERROR)


@contextlib.contextmanager
def told_in_one_line(options: argparse.Namespace):
    """Makes an exception of a command a Failure of one line: packages that read models print graphs behind it."""
    try:
        yield
    except (BrokenPipeError, ImportError):
        raise
    except MemoryError:
        raise Failure("out of memory") from None
    except (Failure, ValueError, OSError, RuntimeError) as error:
        raise Failure(first_line(error)) from error
    except Exception as error:
        # A model that breaks the rules of ONNX can fail anywhere in the packages that read it.
        text = f"{options.model} is no valid model: {type(error).__name__}: {first_line(error)}"
        raise Failure(text) from error


@contextlib.contextmanager
def _progress(first: str):
    """Yields a function that shows its text in the last line of a terminal; in a pipe it shows nothing."""
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, transient=True, disable=not sys.stdout.isatty()) as progress:
        task = progress.add_task(first, total=None)
        yield lambda text: progress.update(task, description=text)


def _rng(options: argparse.Namespace) -> np.random.Generator:
    if options.seed < 0:
        raise Failure(f"--seed: expected a number from 0 on, got {options.seed}")
    return np.random.default_rng(options.seed)


def _describe(value: ir.Value) -> str:
    dtype = value.dtype.name.lower() if value.dtype is not None else "unknown type"
    if value.shape is None:
        return f"{dtype}, of unknown rank"
    return escape(f"{dtype} [{', '.join(str(dim) for dim in value.shape)}]")


def _shapes(options: argparse.Namespace, model: ir.Model) -> dict[str, tuple[int, ...]]:
    shapes, values = {}, {value.name: value for value in inputs_of(model)}
    for text in options.shape:
        name, equals, dims = text.partition("=")
        if not equals or name not in values:
            raise Failure(
                f"--shape: expected NAME=1,3,64,64, where NAME is one of {', '.join(values) or 'none'}, got {text!r}"
            )
        shapes[name] = _dims("--shape", dims)
        _fits("--shape", values[name], shapes[name])
    return shapes


def _fits(option: str, value: ir.Value, shape: tuple[int, ...]) -> None:
    """Raises Failure where a shape is none that the model states for an input."""
    stated = None if value.shape is None else list(value.shape)
    if stated is None or (
        len(stated) == len(shape)
        and all(not isinstance(dim, int) or dim == size for dim, size in zip(stated, shape, strict=True))
    ):
        return
    raise Failure(
        f"{option} {value.name}: expected the shape [{', '.join(map(str, stated))}], got {list(shape)}"
    )


def _dims(option: str, text: str) -> tuple[int, ...]:
    dims = [dim for dim in text.replace("x", ",").split(",") if dim]
    if not all(dim.isdecimal() and int(dim) <= LARGEST_DIM for dim in dims):
        raise Failure(f"{option}: expected integers from 0 to {LARGEST_DIM} such as 1,3,64,64, got {text!r}")
    return tuple(map(int, dims))


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
        where = f", {size_text(sum(tensor.nbytes for tensor in apart))} of them in {files}"
    weights = sum(len(graph.initializers) for graph in model.graphs())
    out.print(f"weights: {size_text(weight_bytes(model))} in {weights} tensors{where}", markup=False)
    dims = (dim for value in inputs_of(model) for dim in value.shape or () if not isinstance(dim, int))
    names = sorted({dim.value or "?" for dim in dims})
    out.print(f"open dimensions of inputs: {', '.join(names) or 'none'}\n", markup=False)

    functions = {(domain, name) for domain, name, _ in model.functions}
    rows = table("node type", ">nodes", "NPU by ATC", "ONNX Runtime")
    nobody = []
    count = Counter((node.domain, node.op_type) for node in model.graph.all_nodes())
    for (domain, op_type), number in sorted(count.items(), key=lambda item: (-item[1], item[0])):
        runs = who_runs(domain, op_type, functions)
        name = f"{domain}::{op_type}" if domain else op_type
        if runs.kind == "nobody":
            nobody.append(name)
            rows.add_row(name, str(number), "[red]nobody[/]", "[red]nobody[/]")
        else:
            rows.add_row(name, str(number), runs.npu, runs.host)
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


# --- view --------------------------------------------------------------------------------------------------------


def run_view(options: argparse.Namespace) -> int:
    from ascend_vision_ops.onnx.view import write_view

    release = release_of(options.cann)
    page = Path(options.output)
    if not page.parent.is_dir():
        raise Failure(f"--output: there is no folder {page.parent}")
    chosen = passes.passes_of(options.passes) if options.passes else None
    title, after = Path(options.model).name, None
    with _progress("reading") as progress:
        model = load(options.model)
        if options.after:
            after = load(options.after)
            title += f", and {Path(options.after).name}"
        elif chosen:
            after = model.clone()
            passes.Manager(chosen, None, progress).run_to_fixed_point(after)
            title += f", before and after {options.passes}"
        progress("writing")
        write_view(model, page, title, after, release.name)
    console().print(f"{page}: {size_text(page.stat().st_size)}", markup=False)
    return 0


# --- simplify, convert -------------------------------------------------------------------------------------------


def run_simplify(options: argparse.Namespace) -> int:
    if options.list:
        return _list_passes()
    if options.model is None:
        raise Failure("simplify: expected a MODEL, or --list, got neither")
    text = options.passes if options.batch is None else f"set_batch={options.batch},{options.passes}"
    _transform(options, lambda model, checker: passes.passes_of(text), once=options.once)
    return 0


def run_convert(options: argparse.Namespace) -> int:
    opset = options.opset
    atc = options.flavour == "atc"
    release = release_of(options.cann)
    if atc and opset is not None and opset > release.opset:
        raise Failure(f"--opset: ATC reads at most {release.opset}, got {opset}")
    if options.aipp and not atc:
        raise Failure("--aipp: expected with --flavour atc, since ONNX Runtime has no AIPP")
    if options.keep_float32 and not options.float16:
        raise Failure("--keep-float32: expected together with --float16")
    profiles = [_sizes("--profile", text) for text in options.profile]
    sizes = _sizes("--set", ",".join(options.set)) if options.set else {}
    half = None

    def chosen(model: ir.Model, checker: passes.Checker | None) -> list[passes.Pass]:
        nonlocal half
        current = model.graph.opset_imports.get("", 1)
        target = opset or (release.opset if atc and current > release.opset else None)
        made: list[passes.Pass] = [SetDimensions(sizes)] if sizes else []
        made += passes.passes_of("inline_functions" + (",split_preprocessing" if options.aipp else ""))
        made += passes.passes_of(f"convert_opset={target}") if target else []
        if options.float16:
            half = passes.REGISTRY["to_float16"]("+".join(options.keep_float32), checker and checker.feeds)
            made.append(half)
        return made + passes.passes_of(f"to_{options.flavour}")

    try:
        model, _report, checker = _transform(
            options,
            chosen,
            once=True,
            before_writing=lambda model, report: _beside(options, model, report, profiles),
        )
    except passes.CheckFailed as error:
        if half is None or not str(error).startswith(f"pass {half.name} "):
            raise
        raise Failure(
            f"{str(error).partition('; leave the pass out')[0]}; name nodes by --keep-float32, cut non-maximum "
            "suppression off first (simplify --passes cut_postprocessing), or leave out the check by --check 0"
        ) from None
    out = console()
    if half is not None:
        _show_float16(out, half, checker)
    if atc:
        _show_deployment(out, options, model, profiles)
    return 0


def _sizes(option: str, text: str) -> dict[str, int]:
    """The sizes in a text such as height=640,width=640."""
    sizes = {}
    for part in text.split(","):
        name, _, size = part.rpartition("=")
        if not name or not size.isdecimal() or not 1 <= int(size) <= LARGEST_DIM:
            raise Failure(
                f"{option}: expected NAME=N with a positive N up to {LARGEST_DIM}, such as height=640, got {part!r}"
            )
        sizes[name] = int(size)
    return sizes


def _aipp_path(options: argparse.Namespace) -> Path | None:
    return Path(options.output).with_suffix(".aipp.cfg") if options.aipp else None


def _beside(options: argparse.Namespace, model: ir.Model, report: passes.Report, profiles) -> dict[Path, str]:
    """The files beside the model. Raises where no atc command fits, before anything is written."""
    if options.flavour != "atc":
        if profiles:
            raise Failure("--profile: expected with --flavour atc")
        return {}
    _command(options, model, profiles)
    if not options.aipp:
        return {}
    found = aipp_of(report.split_off["preprocessing"], model)
    out = console()
    for item in found:
        out.print(
            f"AIPP makes {item.name!r} of {item.was!r}: give it uint8 images N, H, W, C; the float16 numbers of AIPP "
            f"differ from the nodes by at most {item.error:.2g}",
            markup=False,
        )
    return {_aipp_path(options): "\n".join(item.text() for item in found) + "\n"}


def _command(options: argparse.Namespace, model: ir.Model, profiles) -> list[str]:
    return command(
        model,
        Path(options.output),
        options.soc,
        options.precision or "",
        profiles,
        _aipp_path(options),
        options.cann,
    )


def _show_float16(out, half: passes.Pass, checker: passes.Checker | None) -> None:
    if half.kept:
        rows = table("stays float32", "because")
        for name, reason in half.kept:
            rows.add_row(escape(name), escape(reason))
        out.print(rows)
    else:
        out.print("no node with float32 stays float32")
    for name, (error, largest) in half.errors.items():
        out.print(
            f"float16 against float32: {name} differs by {error:.2g}, its largest element is {largest:.3g}",
            markup=False,
        )
    if half.unmeasured or not half.errors:
        why = half.unmeasured or (checker.unable if checker else "") or "no node became float16"
        out.print(f"the error of float16 was not measured: {why}", markup=False)


def _show_deployment(out, options: argparse.Namespace, model: ir.Model, profiles) -> None:
    rows = table("node type", ">nodes", *(f"CANN {name}" for name in RELEASES), "ONNX Runtime")
    nodes: dict[tuple[str, str], list[ir.Node]] = {}
    for node in model.graph.all_nodes():
        nodes.setdefault((node.domain, node.op_type), []).append(node)
    for key, group in sorted(nodes.items(), key=lambda item: (-len(item[1]), item[0])):
        answers = [who_runs(*key, release=name) for name in RELEASES]
        rows.add_row(key[1], str(len(group)), *(one.npu for one in answers), answers[-1].host)
    out.print(rows)
    for release in RELEASES.values():
        out.print(f"CANN {release.name}: {release.source}", markup=False)
    for key, group in nodes.items():
        if who_runs(*key, release=options.cann).npu == "-":
            names = ", ".join(label(node) for node in group[:5]) + (", …" if len(group) > 5 else "")
            out.print(f"ATC of CANN {options.cann} does not convert {names}", markup=False)
    out.print()
    out.print(shell_text(_command(options, model, profiles)), markup=False, soft_wrap=True)


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


def _transform(options: argparse.Namespace, choose, once: bool, before_writing=lambda model, report: {}):
    """Runs passes over the model of the command and writes it. Gives the model, the report and the checker.

    choose: makes the passes, of the model and the checker.
    before_writing: gives the texts of files beside the model, by path; it may raise.
    """
    if options.check < 0:
        raise Failure(f"--check: expected a number of inputs from 0 on, got {options.check}")
    if options.output and not Path(options.output).parent.is_dir():
        raise Failure(f"--output: there is no folder {Path(options.output).parent}")
    with _progress("reading") as progress:
        model = load(options.model)
        checker = None
        if options.check:
            given, shapes = _given(options, model, _rng(options))
            checker = passes.Checker(options.check, options.seed, _shapes(options, model) | shapes, given)
        chosen = choose(model, checker)
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
        texts = before_writing(model, report)
        written = {Path(options.output): model}
        for what, part in report.split_off.items():
            written[Path(options.output).with_suffix(f".{what}.onnx")] = part
        with _progress("writing"):
            for path, part in written.items():
                save(part, path)
            for path, text in texts.items():
                path.write_text(text, encoding="utf-8")
        for path, part in written.items():
            size = f"{size_text(path.stat().st_size)}, weights {size_text(weight_bytes(part))}"
            out.print(f"{path}: {size}", markup=False)
        for path in texts:
            out.print(str(path), markup=False)
    return model, report, checker


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
    if report.stale:
        out.print(f"stated shapes are not used: {report.stale}", markup=False)
    rounds = f"{report.rounds} round{'s' if report.rounds > 1 else ''}"
    out.print(f"nodes {report.nodes_before} → {report.nodes_after} in {rounds}")
    if checker and checker.unable:
        out.print(f"nothing was checked: {checker.unable}", markup=False)
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
    rng = _rng(options)
    given, shapes = _given(options, model, rng)
    return random_feeds(model, rng, _shapes(options, model) | shapes, given)


def _given(options: argparse.Namespace, model: ir.Model, rng: np.random.Generator):
    """The arrays and the shapes of --input, by the names of the inputs."""
    values = {value.name: value for value in inputs_of(model)}
    feeds, shapes = {}, {}
    for text in options.input:
        name, equals, source = text.partition("=")
        if not equals or name not in values:
            raise Failure(
                f"--input: expected NAME=VALUE, where NAME is one of {', '.join(values) or 'none'}, got {text!r}"
            )
        if source.startswith("random:"):
            shapes[name] = _dims("--input", source.removeprefix("random:"))
            _fits("--input", values[name], shapes[name])
            feeds[name] = random_array(rng, shapes.pop(name), values[name])
            continue
        if re.fullmatch(r"\d+(x\d+)+", source):
            shapes[name] = _dims("--input", source)
            _fits("--input", values[name], shapes[name])
            continue
        if not source.endswith(".npy"):
            feeds[name] = _literal(values[name], source)
            _fits("--input", values[name], feeds[name].shape)
            continue
        if not Path(source).is_file():
            raise Failure(
                f"--input {name}: there is no file {source} (1x3x64x64 gives random numbers of that shape)"
            )
        try:
            feeds[name] = np.load(source, allow_pickle=False)
        except ValueError:
            raise Failure(f"--input {name}: {source} is not a .npy file") from None
        wanted = values[name].dtype
        if wanted is not None and feeds[name].dtype != wanted.numpy():
            raise Failure(f"--input {name}: expected {wanted.numpy()}, got {feeds[name].dtype} in {source}")
        _fits("--input", values[name], feeds[name].shape)
    return feeds, shapes


def _literal(value: ir.Value, text: str) -> np.ndarray:
    """The array of an input that is given as numbers: one for a scalar, several with commas for a vector."""
    rank = None if value.shape is None else len(value.shape)
    dtype = np.dtype(np.float32) if value.dtype is None else value.dtype.numpy()
    try:
        array = np.array([_number(item, dtype) for item in text.split(",")], dtype)
    except (KeyError, ValueError, OverflowError):
        raise Failure(
            f"--input {value.name}: expected FILE.npy, a shape as 1x3x64x64 or numbers of type {dtype}, got {text!r}"
        ) from None
    if rank == 0 or (rank is None and array.size == 1):
        if array.size != 1:
            raise Failure(f"--input {value.name}: expected one number for a scalar, got {text!r}")
        return array.reshape(())
    return array.reshape([1] * ((rank or 1) - 1) + [-1])


def _number(text: str, dtype: np.dtype) -> int | float | bool:
    """A number of an input's type. ValueError for another text, or a fraction where the type has none."""
    if dtype.kind == "b":
        return {"false": False, "0": False, "true": True, "1": True}[text.strip().lower()]
    try:
        return int(text)
    except ValueError:
        if dtype.kind not in "iu":
            return float(text)
        if not float(text).is_integer():
            raise
        return int(float(text))


# --- parity ------------------------------------------------------------------------------------------------------


def run_parity(options: argparse.Namespace) -> int:
    from ascend_vision_ops.onnx.parity import compare_nodes

    model = load(options.model)
    feeds = _feeds(options, model)
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
