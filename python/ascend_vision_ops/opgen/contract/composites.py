# SPDX-License-Identifier: Apache-2.0
"""The keys `composite` and `rows`: an operator written in Python on top of one with a kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model import NO_KERNEL, Composition, Signature, Spec
from ..nodes import NodeError, Rows, parse_rows
from .document import Document


def read_composition(document: Document, signature: Signature) -> Composition:
    """Reads which operator is called, and what the rows of each result are."""
    value = document["rows"]
    if value and set(value) != set(signature.outputs):
        expected = f"an entry for each of {', '.join(signature.outputs)}"
        document.problem("rows", expected, ", ".join(value))
    rows: dict[str, Rows] = {}
    for output, text in value.items():
        try:
            rows[output] = parse_rows(str(text))
        except NodeError as error:
            document.problem_of(("rows", output), error)
    return Composition(composite=document["composite"], rows=rows)


def composition_problems(spec: Spec, specs: Mapping[str, Spec]) -> Iterator[str]:
    """What does not fit the contract of the operator that a composite calls."""
    if not spec.composite:
        return
    kernel = specs.get(spec.composite)
    if kernel is None or kernel.composite:
        got = repr(spec.composite)
        yield f"{spec.path.name}:1: composite: expected an operator with a kernel, got {got}"
        return
    if kernel.on_device != spec.on_device:
        has = "has an AscendC kernel" if kernel.on_device else "has no AscendC kernel"
        expected, got = ("another word", NO_KERNEL) if kernel.on_device else (NO_KERNEL, "another word")
        yield f"{spec.path.name}:1: kernel: expected {expected}, as {kernel.name} {has}, got {got}"
    if spec.rows:
        yield from _row_problems(spec, kernel)


def _row_problems(spec: Spec, kernel: Spec) -> Iterator[str]:
    """What keeps C++ from making the composite's results out of the results of `kernel`."""
    where = f"{spec.path.name}:1: rows"
    if "count" not in kernel.outputs:
        yield f"{where}: expected a result `count` of {kernel.name}, got none"
    types = {parameter.name: parameter.base for parameter in kernel.visible}
    for parameter in spec.visible:
        if types.get(parameter.name) != parameter.base:
            yield f"{where}: expected parameters of {kernel.name}, got {parameter.name!r}"
    inputs = [parameter.name for parameter in spec.tensors]
    for output, rows in spec.rows.items():
        wanted = [(rows.indices, kernel.outputs)] if rows.indices else []
        wanted += [(source, inputs if rows.indices else kernel.outputs) for source in rows.sources]
        for name, known in wanted:
            if name not in known:
                yield f"{where}.{output}: expected one of {', '.join(known)}, got {name!r}"
