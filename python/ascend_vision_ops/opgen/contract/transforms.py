# SPDX-License-Identifier: Apache-2.0
"""The keys `autocast`, `vmap` and `memory_format`: what torch's transforms and layouts make of an operator."""

from __future__ import annotations

import ast
import re

from ..expr import Expression
from ..model import Fold, Pattern, Shapes, Signature, Transforms, either
from .document import Document, Where, show
from .keys import VMAP


def read_transforms(document: Document, signature: Signature, shapes: Shapes) -> Transforms:
    """Reads them all."""
    vmap = document["vmap"]
    if "vmap" in document.given and set(vmap) not in ({"fold"}, {"leading"}):
        document.problem("vmap", VMAP, show(list(vmap)))
    return Transforms(
        autocast=document["autocast"],
        folds=_FoldReader(document, signature, shapes).read_all() if "fold" in vmap else [],
        leading=_leading(document, signature, shapes) if "leading" in vmap else "",
        memory_format=_memory_format(document, signature, shapes),
    )


class _FoldReader:
    """Reads `vmap: {fold: [size, {size: element of an int array}]}`."""

    def __init__(self, document: Document, signature: Signature, shapes: Shapes):
        self.document = document
        self.signature = signature
        self.shapes = shapes

    def read_all(self) -> list[Fold]:
        value = self.document["vmap"]["fold"]
        if not isinstance(value, list):
            self.document.problem(("vmap", "fold"), "a list of sizes", show(value))
            return []
        folds = []
        for index, item in enumerate(value):
            size, element = next(iter(item.items())) if isinstance(item, dict) and item else (item, item)
            fold = self._fold(("vmap", "fold", index), str(size), str(element))
            if fold is not None:
                folds.append(fold)
        return folds

    def _fold(self, where: Where, size: str, element: str) -> Fold | None:
        """Finds the dimension of each tensor that is `size`. `element` is `size`, or an int array's element like it."""
        named = [*(tensor.name for tensor in self.signature.tensors), *self.signature.outputs]
        if any(name not in self.shapes.patterns for name in named):
            return None  # The key `shape` is wrong, which is reported there.
        tensors = [p.name for p in self.signature.visible if p.name in self.shapes.patterns]
        inputs = {name: places for name in tensors if (places := self._places(name, size))}
        results = [self._places(name, size) for name in self.signature.outputs]
        if not inputs or any(len(places) != 1 for places in [*inputs.values(), *results]):
            self.document.problem(where, "one dimension of inputs, and of each result", repr(size))
            return None
        if self._is_used_by_others(size):
            self.document.problem(where, "a size that no other depends on", repr(size))
        match = re.fullmatch(r"(\w+)\[(\d+)\]", element)
        ints = {match[1]: int(match[2])} if match and self.signature.scope[match[1]].type == "ints" else {}
        if element != size and not ints:
            self.document.problem(where, "an element of an int array behind the colon", repr(element))
        found = {name: places[0] for name, places in inputs.items()}
        return Fold(size, found, [places[0] for places in results], ints)

    def _places(self, tensor: str, size: str) -> list[int]:
        """The dimensions of a tensor that are exactly `size`."""
        pattern = self.shapes.patterns.get(tensor)
        dims = (pattern.dims if pattern else None) or []
        return [index for index, dim in enumerate(dims) if dim.text == size]

    def _is_used_by_others(self, size: str) -> bool:
        """Whether an expression for another size contains this one, and would change with it."""

        def contains(expression: Expression) -> bool:
            parts = {ast.unparse(node) for node in ast.walk(expression.tree)}
            return expression.text != size and size in parts

        patterns = self.shapes.patterns.values()
        dims = [dim for pattern in patterns for dim in pattern.dims or [pattern.whole]]
        return any(contains(expression) for expression in [*dims, *self.shapes.lets.values()])


def _leading(document: Document, signature: Signature, shapes: Shapes) -> str:
    """Reads `vmap: {leading: dim}`, for operators that work along one dimension of tensors of any rank."""
    where, name = ("vmap", "leading"), document["vmap"]["leading"]
    if name not in [parameter.name for parameter in signature.parameters if parameter.base == "int"]:
        document.problem(where, "an int parameter", show(name))
    if any(pattern.dims is not None for pattern in shapes.patterns.values()):
        document.problem(where, "tensors of any rank", "one with a list of dimensions")
    return str(name)


def _memory_format(document: Document, signature: Signature, shapes: Shapes) -> dict[str, str]:
    """Reads `memory_format: {result: tensor}`, both of four dimensions."""

    def images(names: list[str]) -> list[str]:
        return [name for name in names if len(_dims(shapes.patterns.get(name))) == 4]

    value = document["memory_format"]
    results = images(signature.outputs)
    tensors = images([tensor.name for tensor in signature.tensors if not tensor.optional])
    for result, tensor in value.items():
        for what, name, known in [("result", result, results), ("tensor", tensor, tensors)]:
            if name not in known:
                expected = f"a {what} of four dimensions{f', {either(known)}' if known else ''}"
                document.problem(("memory_format", result), expected, show(name))
    return value


def _dims(pattern: Pattern | None) -> list[Expression]:
    return (pattern.dims if pattern else None) or []
