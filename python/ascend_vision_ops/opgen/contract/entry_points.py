# SPDX-License-Identifier: Apache-2.0
"""The keys `aclnn` and `unbatched`: the C entry points, each as `Name(argument, …)`."""

from __future__ import annotations

import re

from ..expr import Symbol
from ..model import Argument, Entry, EntryPoints, Signature, Spread, snake
from ..schema import split_arguments
from .document import Document, Where, show
from .keys import CALL

CTYPES = {"ints": "const aclIntArray *", "int": "int64_t", "float": "double", "bool": "bool", "str": "const char *",
          "dtype": "aclDataType"}  # fmt: skip
SCALAR_CTYPES = ("int8_t", "int32_t", "int64_t", "int", "float", "double", "bool")
BOOL_ARRAY = "aclBoolArray"  # the C type of an int array whose elements are 0 and 1


def read_entry_points(document: Document, signature: Signature) -> EntryPoints:
    """Reads all entry points. The first one states the defaults that None and empty lists stand for."""
    value = document["aclnn"]
    listed = isinstance(value, list)
    points = EntryPoints(entries=[], normal={}, unbatched=document["unbatched"])
    for index, item in enumerate(value if listed else [value]):
        reader = _EntryReader(document, signature, points, is_first=index == 0)
        entry = reader.read(("aclnn", index) if listed else ("aclnn",), item)
        if entry is not None:
            points.entries.append(entry)
    return points


class _EntryReader:
    """Reads one entry point. What its arguments say about defaults goes to `points.normal`."""

    def __init__(self, document: Document, signature: Signature, points: EntryPoints, is_first: bool):
        self.document = document
        self.signature = signature
        self.points = points
        self.is_first = is_first
        self.scope = {p.name: Symbol(p.name, p.type) for p in signature.parameters}

    def read(self, where: Where, item: object) -> Entry | None:
        """Reads `Name(argument, …)` or {call, header, example, cann}."""
        header, example, cann = None, {}, False
        if isinstance(item, dict):
            self.document.check_fields(where, item, ("call", "header", "example", "cann"))
            header, example, cann = item.get("header"), self._example(where, item), self._cann(where, item)
            where_header, where = (*where, "header"), (*where, "call")
            item = item.get("call")
        match = (
            re.fullmatch(r"([A-Z]\w*)\s*\((.*)\)", item.strip(), re.DOTALL) if isinstance(item, str) else None
        )
        if not match:
            self.document.problem(where, CALL, show(item))
            return None
        name, inside = match.groups()
        if header is not None and not re.fullmatch(r"aclnn_\w+\.h", str(header)):
            self.document.problem(where_header, "aclnn_<name>.h", repr(header))
        found = [self._argument(where, part) for part in split_arguments(inside)]
        arguments = [argument for argument in found if argument is not None]
        self._check_targets(where, arguments)
        return Entry(name, header or f"aclnn_{snake(name)}.h", arguments, example, cann)

    def _cann(self, where: Where, item: dict) -> bool:
        cann = item.get("cann", False)
        if not isinstance(cann, bool):
            self.document.problem((*where, "cann"), "true or false", show(cann))
        return cann is True

    def _example(self, where: Where, item: dict) -> dict[str, object]:
        example = item.get("example", {})
        if isinstance(example, dict):
            return example
        self.document.problem((*where, "example"), "what differs from the contract's example", show(example))
        return {}

    def _check_targets(self, where: Where, arguments: list[Argument]) -> None:
        """Every required parameter and every result must have exactly one argument."""
        given = [target for argument in arguments for target in argument.targets]
        required = [p.name for p in self.signature.parameters if not p.has_default and not p.optional]
        for name in [*required, *self.signature.outputs]:
            if given.count(name) != 1:
                got = "several" if name in given else "none"
                self.document.problem(where, f"one argument for {name}", got)

    def _argument(self, where: Where, text: str) -> Argument | None:
        """Reads `[type] [name=]target`. The target is a parameter, `parameter or default`, a result or spread(…)."""
        match = re.fullmatch(r"(?:(\w+)\s+)?(\w+)\s*(?:=(?!=)\s*(.+))?", text, re.DOTALL)
        if not match:
            self.document.problem(where, "`[type] name[=expression]`", repr(text))
            return None
        ctype, name, target = match.groups()
        target = target or name
        if target in self.signature.outputs:
            return Argument(name, "aclTensor *", target, output=True)
        if spread := re.fullmatch(r"spread\((.*)\)", target, re.DOTALL):
            return self._spread(where, name, split_arguments(spread[1]))
        found = self._target(where, target)
        if found is None:
            return None
        parameter = self.signature.parameter(found)
        if parameter.is_tensor:
            return Argument(name, "const aclTensor *", found)
        if ctype == BOOL_ARRAY and parameter.type == "ints":
            return Argument(name, f"const {BOOL_ARRAY} *", found)
        if ctype is not None and ctype not in SCALAR_CTYPES:
            self.document.problem(where, f"one of {', '.join(SCALAR_CTYPES)}", repr(ctype))
        return Argument(name, ctype or CTYPES[parameter.type.removesuffix("?")], found)

    def _target(self, where: Where, text: str) -> str | None:
        """The name of the parameter in `parameter` or `parameter or default`. Notes the default."""
        expression = self.document.expression(where, text, self.scope)
        if expression is None:
            return None
        target = expression.names[0] if expression.names else None
        if expression.text == target:
            return target
        if target is None or not re.match(rf"{target}\s+or\b", expression.text):
            expected = "a parameter, an output, or `parameter or default`"
            self.document.problem(where, expected, repr(text))
            return None
        if self.is_first:
            self.points.normal[target] = expression
        else:
            self.document.problem(where, "defaults in the first entry point only", repr(text))
        return target

    def _spread(self, where: Where, name: str, parts: list[str]) -> Argument | None:
        """Reads spread(parameter, second parameter, empty=value). The second parameter and `empty` may be missing."""
        empty = re.fullmatch(r"empty\s*=\s*(-?\d+)", parts[-1]) if parts else None
        targets = [self._target(where, part) for part in (parts[:-1] if empty else parts)]
        lengths = {self.signature.parameter(target).length for target in targets if target is not None}
        if len(targets) not in (1, 2) or len(lengths) != 1 or not next(iter(lengths)):
            expected = "spread(parameter[, parameter][, empty=value]) of int[k]"
            self.document.problem(where, expected, repr(", ".join(parts)))
            return None
        second = targets[1] if len(targets) == 2 else ""
        spread = Spread(lengths.pop(), second, int(empty[1]) if empty else None)
        return Argument(name, CTYPES["ints"], targets[0], spread=spread)
