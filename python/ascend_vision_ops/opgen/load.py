# SPDX-License-Identifier: Apache-2.0
"""Loads contracts. Reports everything that is wrong with them at once, as `file:line: key: expected …, got …`."""

from __future__ import annotations

from pathlib import Path

from ascend_vision_ops.paths import contract_files

from .calls import example_call, failed_check
from .contract.composites import composition_problems, read_composition
from .contract.conditions import read_checks
from .contract.device import read_device
from .contract.document import Document, SpecError
from .contract.documentation import read_documentation
from .contract.entry_points import read_entry_points
from .contract.gradients import gradient_problems, read_gradients
from .contract.keys import check_keys
from .contract.onnx_nodes import read_nodes
from .contract.signature import read_signature
from .contract.tensors import read_dynamic, read_shapes, read_types
from .contract.tolerance import read_tolerance
from .contract.transforms import read_transforms
from .expr import Symbol
from .model import Signature, Spec
from .tiling import TilingError, read_tiling


def load_spec(path: Path) -> Spec:
    """Reads one contract. Raises SpecError with everything that is wrong with it."""
    document = Document(Path(path))
    check_keys(document)
    signature = read_signature(document)
    spec = None if signature is None else _read(document, signature)
    if spec is not None and not document.problems:
        _try_examples(document, spec)
    if document.problems:
        raise SpecError(document.problems_by_line())
    return spec


def _read(document: Document, signature: Signature) -> Spec:
    """Reads all keys. The order matters: each step may use the names that the steps before it added to the scope."""
    scope = signature.scope
    dynamic = read_dynamic(document, signature)
    points = read_entry_points(document, signature)
    scope |= {name: Symbol(name, expression.type) for name, expression in points.normal.items()}
    types = read_types(document, signature)
    shapes = read_shapes(document, signature, dynamic)
    composition = read_composition(document, signature)
    parts = [
        signature,
        points,
        types,
        shapes,
        composition,
        read_device(document, scope),
        read_transforms(document, signature, shapes),
        read_documentation(document, signature, shapes),
    ]
    return Spec(
        path=document.path,
        # A composite has the checks of the operator that it calls.
        checks=[] if composition.composite else read_checks(document, signature, points, shapes, types),
        tolerance=read_tolerance(document, types, signature.outputs, scope),
        backward=read_gradients(document, signature),
        onnx=read_nodes(document, signature),
        **{name: value for part in parts for name, value in vars(part).items()},
    )


def _try_examples(document: Document, spec: Spec) -> None:
    """Reports each entry point for which `example` does not describe a valid call."""
    for entry in spec.calls:
        try:
            failed = failed_check(spec, example_call(spec, entry))
        except (ArithmeticError, IndexError, KeyError, TypeError) as error:
            expected = f"values that make a call of {entry.function}"
            document.problem("example", expected, f"{type(error).__name__}: {error}")
            continue
        if failed is not None:
            condition = f"{failed.subject}: {failed.expected_text() or failed.kind}"
            document.problem("example", f"a valid call of {entry.function}", f"one that fails `{condition}`")


def load_specs(root: Path, unfinished: list[str] | None = None) -> list[Spec]:
    """Reads every contract below `root`/op_host and its tiling header. Raises SpecError with the problems of all files.

    unfinished: where it is given, an operator without its tiling header, CPU kernel or module (`_main_file`) is left
    out and its name is added to this list. Otherwise a missing tiling header is a problem.
    """
    specs, problems = [], []
    for path in contract_files(root / "op_host").values():
        try:
            spec = load_spec(path)
            if unfinished is not None and not _main_file(root, spec).exists():
                unfinished.append(spec.name)
                continue
            if spec.has_kernel:
                spec.fields = read_tiling(_main_file(root, spec), spec.tiling_struct)
            specs.append(spec)
        except SpecError as error:
            problems += error.problems
        except TilingError as error:
            problems.append(str(error))
    if not problems:
        problems = _problems_between(specs, unfinished or [])
    if problems:
        raise SpecError(problems)
    return specs


def _main_file(root: Path, spec: Spec) -> Path:
    """The file without which an operator is not finished: its tiling header, the CPU kernel of an operator that has no
    AscendC kernel, or the module of a composite."""
    if spec.composite:
        return root / "python/ascend_vision_ops/composite" / f"{spec.name}.py"
    if spec.has_kernel:
        return root / "op_kernel" / spec.family / f"{spec.name}_tiling.h"
    return root / "op_cpu" / spec.family / f"{spec.name}.cpp"


def _problems_between(specs: list[Spec], unfinished: list[str]) -> list[str]:
    """What a contract says of another operator that is not so. Takes out gradients by unfinished operators first."""
    by_name = {spec.name: spec for spec in specs}
    problems = []
    for spec in specs:
        spec.backward = [gradient for gradient in spec.backward if gradient.operator not in unfinished]
        problems += [*composition_problems(spec, by_name), *gradient_problems(spec, by_name)]
    return problems
