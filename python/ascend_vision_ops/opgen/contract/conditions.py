# SPDX-License-Identifier: Apache-2.0
"""The key `require`, and the full list of checks that a call must pass, in their documented order.

The order is: ranks, lengths of int[k], the conditions of `require` from top to bottom, the shapes that `require` does
not place by `shape(tensor)`, dtypes.
"""

from __future__ import annotations

import re

from ..expr import Expression, text_pieces
from ..model import Check, EntryPoints, Pattern, Shapes, Signature, Types
from .document import Document, Where, show


def read_checks(
    document: Document, signature: Signature, points: EntryPoints, shapes: Shapes, types: Types
) -> list[Check]:
    """Gives all checks. Those of ranks, lengths, shapes and dtypes follow from the other keys."""
    reader = _ConditionReader(document, signature, shapes)
    conditions = reader.read_all()
    return [
        *reader.ranks(),
        *_lengths(signature, points),
        *conditions,
        *reader.remaining_shapes(),
        *reader.dtypes(types),
    ]


def _lengths(signature: Signature, points: EntryPoints) -> list[Check]:
    """Checks that an int[k] has k elements."""
    # An entry point makes the second parameter of spread(…) itself, with the right length.
    made = {name for entry in points.entries for argument in entry.arguments for name in argument.targets[1:]}
    arrays = [p for p in signature.parameters if p.length and p.name not in made]
    return [Check("length", array.name, length=array.length) for array in arrays]


class _ConditionReader:
    """Makes the checks of one contract.

    placed: tensors whose shape a condition `shape(tensor)` has given a place.
    """

    def __init__(self, document: Document, signature: Signature, shapes: Shapes):
        self.document = document
        self.signature = signature
        self.patterns = shapes.patterns
        self.placed: set[str] = set()

    def ranks(self) -> list[Check]:
        """Checks of the ranks of all tensors with a list of dimensions."""
        return [
            self._check("rank", pattern.tensor, pattern=pattern)
            for pattern in self._patterns_in_order()
            if pattern.dims is not None
        ]

    def remaining_shapes(self) -> list[Check]:
        """Checks of the shapes that no condition has placed and that are not right by definition."""
        return [
            self._shape(pattern)
            for pattern in self._patterns_in_order()
            if pattern.tensor not in self.placed and self._can_be_wrong(pattern)
        ]

    def dtypes(self, types: Types) -> list[Check]:
        """Checks of the dtypes of all tensors."""
        checks = []
        for name in self.signature.tensor_names:
            if name in types.dtypes:
                more = types.cpu_dtypes.get(name, [])
                checks.append(self._check("dtype", name, dtypes=types.dtypes[name], cpu_dtypes=more))
            elif name in types.same_dtype:
                checks.append(self._check("same_dtype", name, same_as=types.same_dtype[name]))
        return checks

    def read_all(self) -> list[Check]:
        """Reads the key `require`."""
        found = []
        for index, item in enumerate(self.document["require"]):
            shape = re.fullmatch(r"shape\((\w+)\)", item) if isinstance(item, str) else None
            read, what = (self._placed_shape, shape[1]) if shape else (self._condition, item)
            found.append(read(("require", index), what))
        return [check for check in found if check is not None]

    def _patterns_in_order(self) -> list[Pattern]:
        return [self.patterns[name] for name in self.signature.tensor_names if name in self.patterns]

    def _check(self, kind: str, tensor: str, **facts) -> Check:
        optional = tensor not in self.signature.outputs and self.signature.parameter(tensor).optional
        return Check(kind, tensor, tensor in self.signature.outputs, optional, **facts)

    def _shape(self, pattern: Pattern) -> Check:
        return self._check("shape", pattern.tensor, pattern=pattern, expected=pattern.prose())

    def _can_be_wrong(self, pattern: Pattern) -> bool:
        """False for an input whose dimensions all define the names that stand for them."""
        return pattern.tensor in self.signature.outputs or pattern.dims is None or None in pattern.binds

    def _placed_shape(self, where: Where, tensor: str) -> Check | None:
        """Reads the condition `shape(tensor)`."""
        if tensor not in self.patterns:
            self.document.problem(where, f"one of {', '.join(self.patterns)}", repr(tensor))
            return None
        self.placed.add(tensor)
        return self._shape(self.patterns[tensor])

    def _condition(self, where: Where, item: object) -> Check | None:
        """Reads `condition`, [condition, "parameter: text"] or {that, text, bad}."""
        that, text, bad = item, None, {}
        if isinstance(item, list) and len(item) == 2:
            that, text = item
        elif isinstance(item, dict):
            self.document.check_fields(where, item, ("that", "text", "bad"))
            that, text, bad = item.get("that"), item.get("text"), item.get("bad") or {}
        if not isinstance(that, str):
            expected = '"condition", [condition, "parameter: text"] or {that, text, bad}'
            self.document.problem(where, expected, show(item))
            return None
        expression = self._expression(where, that)
        if expression is None:
            return None
        subject, expected = self._owner(expression.names[0]), expression.prose()
        if text is not None:
            named = re.fullmatch(r"(\w+):\s*(.+)", str(text), re.DOTALL)
            if not named or named[1] not in self.signature.names:
                self.document.problem(where, '"parameter: what is expected"', repr(text))
                return None
            subject, expected = named[1], text_pieces(named[2], self.signature.scope)
        shown = [name for name in expression.names if not self._belongs(name, subject)]
        return Check("require", subject, expression=expression, expected=expected, shown=shown, bad=bad)

    def _expression(self, where: Where, text: str) -> Expression | None:
        """Reads an expression that is true or false and that depends on a parameter."""
        expression = self.document.expression(where, text, self.signature.scope)
        if expression is None:
            return None
        if expression.type != "bool":
            self.document.problem(where, "a condition", f"{expression.text!r}, which is {expression.type}")
            return None
        if not expression.names:
            self.document.problem(where, "a condition on a parameter", repr(expression.text))
            return None
        return expression

    def _owner(self, name: str) -> str:
        """The parameter that a message names for `name`: of a size, the tensor whose dimension defines it."""
        for tensor, pattern in self.patterns.items():
            if name in pattern.binds:
                return tensor
        return name

    def _belongs(self, name: str, subject: str) -> bool:
        """Whether the message prints a name's value anyway, since it prints the subject's."""
        return name == subject or (subject in self.signature.tensor_names and self._owner(name) == subject)
