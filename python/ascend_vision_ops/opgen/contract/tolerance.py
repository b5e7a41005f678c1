# SPDX-License-Identifier: Apache-2.0
"""The key `tolerance`: how far from the reference a result of each floating dtype may be."""

from __future__ import annotations

from ..expr import Expression, Symbol
from ..model import DTYPES, Tolerance, Types
from .document import Document, Where, show

BOUNDS = ("absolute", "relative", "largest", "ulp")


def read_tolerance(
    document: Document, types: Types, outputs: list[str], scope: dict[str, Symbol]
) -> dict[str, Tolerance]:
    """Reads the tolerance of each floating dtype that one of the results `outputs` may have.

    `largest` may be an expression of the names in `scope`.
    """
    found: dict[str, Tolerance] = {}
    for text, rule in document["tolerance"].items():
        where, names = ("tolerance", text), text.split(", ")
        if any(name not in DTYPES or name in found for name in names):
            document.problem(where, f"some of {', '.join(DTYPES)}, each once", repr(text))
        elif not isinstance(rule, dict) or not str(rule.get("why") or "").strip():
            expected = "{absolute, relative, largest, ulp, why} with a reason in why"
            document.problem(where, expected, show(rule))
        else:
            document.check_fields(where, rule, (*BOUNDS, "why"))
            bounds = {
                bound: _bound(document, (*where, bound), rule[bound], scope)
                for bound in BOUNDS
                if bound in rule
            }
            found |= dict.fromkeys(names, Tolerance(why=str(rule["why"]), **bounds))
    of_results = {name for output in outputs for name in types.dtypes.get(types.followed(output), [])}
    for name, dtype in DTYPES.items():
        if dtype.floating and name in of_results and name not in found:
            document.problem("tolerance", f"an entry for {name}", "none")
    return found


def _bound(
    document: Document, where: Where, value: object, scope: dict[str, Symbol]
) -> float | Expression | None:
    """Reads one bound: a number of the last place (ulp, an int), a float, or for `largest` an expression of sizes."""
    try:
        return int(value) if where[-1] == "ulp" else float(value)
    except (TypeError, ValueError):
        pass
    if where[-1] == "largest" and isinstance(value, str):
        expression = document.expression(where, value, scope)
        if expression is not None and expression.type in ("int", "float"):
            return expression
    document.problem(where, "a number", show(value))
    return None
