# SPDX-License-Identifier: Apache-2.0
"""The keys `soc`, `kernel`, `workspace`, `tiling_keys` and `flops`: what an operator needs of the device."""

from __future__ import annotations

import re

from ..expr import Expression, Symbol
from ..model import Device
from .document import Document, show


def read_device(document: Document, scope: dict[str, Symbol]) -> Device:
    """Reads them all. Expressions may use the names in `scope`."""
    return Device(
        socs=document["soc"],
        kernel=document["kernel"],
        workspace=document["workspace"],
        tiling_keys=_tiling_keys(document),
        flops=_flops(document, scope),
    )


def _tiling_keys(document: Document) -> dict[str, int]:
    value = document["tiling_keys"]
    for name, number in value.items():
        if not re.fullmatch(r"[a-z]\w*", name) or not isinstance(number, int) or number < 0:
            got = f"{name}: {show(number)}"
            document.problem(("tiling_keys", name), "lower_case: a number from 0", got)
    if not value and "tiling_keys" in document.given:
        document.problem("tiling_keys", "at least one key", "none")
    if len({str(number) for number in value.values()}) != len(value):
        document.problem("tiling_keys", "numbers that differ", show(list(value.values())))
    return value


def _flops(document: Document, scope: dict[str, Symbol]) -> Expression | None:
    if "flops" not in document.given:
        return None
    expression = document.expression(("flops",), document["flops"], scope)
    if expression is not None and expression.type != "int":
        document.problem("flops", "an int", repr(expression.text))
    return expression
