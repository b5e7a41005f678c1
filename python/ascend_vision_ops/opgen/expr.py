# SPDX-License-Identifier: Apache-2.0
"""The expression language of contracts: Python expressions that become C++, Python and prose.

Values: int, float, bool, str and dtype attributes, int arrays, tensors and the dimension names that `shape`
binds. Beyond Python's arithmetic and comparisons: `x.shape`, `rank(x)`, `numel(x)`, `len(a)`, `min`, `max`,
`abs`, `int(x)` (towards zero, saturating), `float(x)`, `drop(shape, dim, keepdim)`, `wrap(dim, rank)`, and
`attribute or value`, which takes the value where an optional attribute is None or an int array is empty.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from types import CodeType

from .._shapes import drop, floor_div, floor_mod, numel, wrap

NUMBERS = ("int", "float", "bool")
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}


class ExpressionError(ValueError):
    """A text that is no expression of the language. The message reads `expected …, got …`."""


@dataclass(frozen=True)
class Symbol:
    """A name that an expression may use.

    type: int, float, bool, str, dtype, ints or tensor, with `?` behind it when optional.
    dimension: whether it is the name of a size, and no parameter.
    """

    name: str
    type: str
    dimension: bool = False


@dataclass(frozen=True)
class Name:
    """The name of a parameter inside prose. It is apart from the text, since each face has its own name for it."""

    name: str


class Expression:
    """A parsed, typed expression: `.type`, the `.names` it uses in order, and its three renderings."""

    def __init__(self, text: object, scope: Mapping[str, Symbol]):
        self.text = str(text).strip()
        self.scope = scope
        try:
            self.tree = ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            raise ExpressionError(f"expected a Python expression, got {self.text!r} ({error.msg})") from None
        self.names: list[str] = []
        self.type = self._type(self.tree)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    # --- types ---------------------------------------------------------------------------------------------------

    def _fail(self, node: ast.AST, expected: str) -> ExpressionError:
        return ExpressionError(f"expected {expected}, got {ast.unparse(node)!r}")

    def _want(self, node: ast.AST, *types: str) -> str:
        found = self._type(node)
        if found not in types:
            raise ExpressionError(
                f"expected {' or '.join(types)}, got {ast.unparse(node)!r}, which is {found}"
            )
        return found

    def _type(self, node: ast.AST) -> str:
        match node:
            case ast.Constant(value=bool()):
                return "bool"
            case ast.Constant(value=int()):
                return "int"
            case ast.Constant(value=float()):
                return "float"
            case ast.Constant(value=str()):
                return "str"
            case ast.Constant(value=None):
                return "none"
            case ast.Name(id=name):
                symbol = self.scope.get(name)
                if symbol is None:
                    raise ExpressionError(f"expected one of {', '.join(self.scope)}, got {name!r}")
                if name not in self.names:
                    self.names.append(name)
                return symbol.type
            case ast.Attribute(value=value, attr="shape"):
                self._want(value, "tensor", "tensor?")
                return "ints"
            case ast.Subscript(value=value, slice=index):
                self._want(value, "ints")
                self._want(index, "int")
                return "int"
            case ast.List(elts=items) | ast.Tuple(elts=items):
                for item in items:
                    self._want(item, "int")
                return "ints"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._want(operand, "bool")
                return "bool"
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._want(operand, "int", "float")
            case ast.BinOp(left=left, op=op, right=right):
                types = {self._want(left, *NUMBERS), self._want(right, *NUMBERS)}
                if isinstance(op, ast.Div):
                    return "float"
                if isinstance(op, (ast.FloorDiv, ast.Mod)):
                    if "float" in types:
                        raise self._fail(node, "int operands of // and %")
                    return "int"
                if type(op) in ARITHMETIC:
                    return "float" if "float" in types else "int"
                raise self._fail(node, "one of + - * / // %")
            case ast.BoolOp(op=op, values=values):
                return self._boolean(node, op, values)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self._comparison(node, left, ops, comparators)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self._want(test, "bool")
                types = {self._type(body), self._type(orelse)}
                if types == {"int", "float"}:
                    return "float"
                if len(types) != 1:
                    raise self._fail(node, "both branches of one type")
                return types.pop()
            case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]):
                return self._call(node, function, arguments)
        raise self._fail(node, "an expression of the contract language")

    def _boolean(self, node: ast.AST, op: ast.boolop, values: list[ast.expr]) -> str:
        first = self._type(values[0])
        if isinstance(op, ast.Or) and (first.endswith("?") or first == "ints") and len(values) == 2:
            wanted = first.removesuffix("?")
            second = (
                self._want(values[1], wanted, "int") if wanted == "float" else self._want(values[1], wanted)
            )
            return "float" if wanted == "float" else second
        for value in values:
            self._want(value, "bool")
        return "bool"

    def _comparison(self, node, left, ops, comparators) -> str:
        types = [self._type(left)]
        for op, right in zip(ops, comparators, strict=True):
            if isinstance(op, (ast.Is, ast.IsNot)):
                if not (types[-1].endswith("?") and isinstance(right, ast.Constant) and right.value is None):
                    raise self._fail(node, "`x is None` of an optional x")
                return "bool"
            if isinstance(op, (ast.In, ast.NotIn)):
                if not isinstance(right, (ast.Tuple, ast.List)) or not right.elts:
                    raise self._fail(node, "a tuple of literals after `in`")
                for item in right.elts:
                    self._want(item, types[-1])
                return "bool"
            if type(op) not in COMPARISONS:
                raise self._fail(node, "one of < <= > >= == != in")
            types.append(self._type(right))
        numeric = all(kind in NUMBERS for kind in types)
        if not numeric and (len(set(types)) != 1 or types[0] not in ("str", "ints", "dtype")):
            raise self._fail(node, "operands that compare")
        return "bool"

    def _call(self, node: ast.AST, function: str, arguments: list[ast.expr]) -> str:
        match function, len(arguments):
            case (("rank" | "numel"), 1):
                self._want(arguments[0], "tensor", "tensor?")
                return "int"
            case "len", 1:
                self._want(arguments[0], "ints")
                return "int"
            case (("min" | "max"), 1):
                self._want(arguments[0], "ints")
                return "int"
            case (("min" | "max"), _) if len(arguments) >= 2:
                types = {self._want(argument, "int", "float") for argument in arguments}
                return "float" if "float" in types else "int"
            case "abs", 1:
                return self._want(arguments[0], "int", "float")
            case "int", 1:
                self._want(arguments[0], *NUMBERS)
                return "int"
            case "float", 1:
                self._want(arguments[0], *NUMBERS)
                return "float"
            case "drop", 3:
                self._want(arguments[0], "ints")
                self._want(arguments[1], "int")
                self._want(arguments[2], "bool")
                return "ints"
            case "wrap", 2:
                self._want(arguments[0], "int")
                self._want(arguments[1], "int")
                return "int"
        raise self._fail(node, "rank, numel, len, min, max, abs, int, float, drop or wrap")

    # --- C++ -----------------------------------------------------------------------------------------------------

    def cpp(self, spell: Callable[[str], str]) -> str:
        """The expression in C++; `spell` gives the C++ of a name."""
        return self._cpp(self.tree, spell)

    def _cpp(self, node: ast.AST, spell: Callable[[str], str], inner: bool = False) -> str:
        def sub(child):
            return self._cpp(child, spell, inner=True)

        def wrap(text):
            return f"({text})" if inner else text

        match node:
            case ast.Constant(value=bool() as value):
                return str(value).lower()
            case ast.Constant(value=str() as value):
                return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
            case ast.Constant(value=None):
                return "std::nullopt"
            case ast.Constant(value=value):
                return repr(value)
            case ast.Name(id=name):
                return spell(name)
            case ast.Attribute(value=value):
                return f"{sub(value)}{self._access(value)}shape"
            case ast.Subscript(
                value=ast.Attribute(value=tensor), slice=ast.UnaryOp(op=ast.USub(), operand=index)
            ):
                shape = f"{sub(tensor)}{self._access(tensor)}shape"
                return f"{shape}[{shape}.size() - {sub(index)}]"
            case ast.Subscript(value=value, slice=index):
                return f"{sub(value)}[{self._cpp(index, spell)}]"
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return f"avo::Shape{{{', '.join(self._cpp(item, spell) for item in items)}}}"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"!{sub(operand)}"
            case ast.UnaryOp(operand=operand):
                return f"-{sub(operand)}"
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return wrap(f"static_cast<double>({self._cpp(left, spell)}) / {sub(right)}")
            case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
                return f"avo::FloorDiv({self._cpp(left, spell)}, {self._cpp(right, spell)})"
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                return f"avo::FloorMod({self._cpp(left, spell)}, {self._cpp(right, spell)})"
            case ast.BinOp(left=left, op=op, right=right):
                return wrap(f"{sub(left)} {ARITHMETIC[type(op)]} {sub(right)}")
            case ast.BoolOp(op=op, values=values):
                first = self._type(values[0])
                if first.endswith("?"):
                    return f"{sub(values[0])}.value_or({self._cpp(values[1], spell)})"
                if first == "ints":
                    return wrap(f"{sub(values[0])}.empty() ? {sub(values[1])} : {sub(values[0])}")
                word = " && " if isinstance(op, ast.And) else " || "
                return wrap(word.join(sub(value) for value in values))
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return wrap(self._cpp_comparison(left, ops, comparators, sub))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return wrap(f"{sub(test)} ? {sub(body)} : {sub(orelse)}")
            case ast.Call(func=ast.Name(id=function), args=arguments):
                return self._cpp_call(node, function, arguments, spell)
        raise self._fail(node, "an expression of the contract language")

    def _access(self, tensor: ast.AST) -> str:
        return "->" if self._type(tensor).endswith("?") else "."

    def _cpp_comparison(self, left, ops, comparators, sub) -> str:
        parts = []
        for op, right in zip(ops, comparators, strict=True):
            if isinstance(op, ast.Is):
                parts.append(f"!{sub(left)}.has_value()")
            elif isinstance(op, ast.IsNot):
                parts.append(f"{sub(left)}.has_value()")
            elif isinstance(op, ast.In):
                parts.append("(" + " || ".join(f"{sub(left)} == {sub(item)}" for item in right.elts) + ")")
            elif isinstance(op, ast.NotIn):
                parts.append("(" + " && ".join(f"{sub(left)} != {sub(item)}" for item in right.elts) + ")")
            else:
                parts.append(f"{sub(left)} {COMPARISONS[type(op)]} {sub(right)}")
            left = right
        return " && ".join(parts)

    def _cpp_call(self, node, function, arguments, spell) -> str:
        texts = [self._cpp(argument, spell) for argument in arguments]
        kind = {"int": "int64_t", "float": "double"}.get(self._type(node))
        match function:
            case "rank" | "numel":
                return f"{texts[0]}{self._access(arguments[0])}{function}()"
            case "len":
                return f"static_cast<int64_t>({texts[0]}.size())"
            case "min" | "max":
                if len(texts) == 1:
                    return f"avo::{function.title()}Of({texts[0]})"
                return f"std::{function}<{kind}>({{{', '.join(texts)}}})"
            case "abs":
                return f"std::abs({texts[0]})"
            case "int":
                return f"avo::ToInt64({texts[0]})"
            case "float":
                return f"static_cast<double>({texts[0]})"
            case "drop":
                return f"avo::DropDimension({', '.join(texts)})"
            case "wrap":
                return f"avo::WrapDimension({', '.join(texts)})"
        raise self._fail(node, "a known function")

    # --- Python --------------------------------------------------------------------------------------------------

    def python(self) -> str:
        """The expression in Python, for numbers and torch's SymInt. It calls the functions in `PYTHON_HELPERS`."""
        return ast.unparse(_ToPython(self).visit(ast.parse(self.text, mode="eval").body))

    def evaluate(self, values: Mapping[str, object]) -> object:
        """The value for given attributes, sizes and tensors (objects with `.shape`), by name."""
        return eval(self._code, dict(PYTHON_HELPERS), dict(values))

    @cached_property
    def _code(self) -> CodeType:
        return compile(self.python(), f"<{self.text}>", "eval")

    # --- prose ---------------------------------------------------------------------------------------------------

    def prose(self) -> list[str | Name]:
        """The expression as prose, in pieces: names of parameters, and the text between them."""
        return text_pieces(self.text, self.scope)


class _ToPython(ast.NodeTransformer):
    """Replaces what torch's SymInt does not support: int, min, max, `or` with a default, //, %, rank and numel."""

    def __init__(self, expression: Expression):
        self.expression = expression

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id
        if name in ("min", "max") and len(node.args) == 1:
            # Python's own min and max compare symbolic sizes, and torch adds a guard for each comparison.
            function = ast.Name(id=f"sym_{name}", ctx=ast.Load())
            return ast.Call(
                func=ast.Name(id="reduce", ctx=ast.Load()), args=[function, *node.args], keywords=[]
            )
        if name == "rank":
            return ast.Attribute(value=node.args[0], attr="ndim", ctx=ast.Load())
        renamed = {"int": "sym_int", "float": "sym_float", "min": "sym_min", "max": "sym_max"}.get(name, name)
        if renamed in ("sym_min", "sym_max") and len(node.args) > 2:
            folded = node.args[0]
            for argument in node.args[1:]:
                folded = ast.Call(
                    func=ast.Name(id=renamed, ctx=ast.Load()), args=[folded, argument], keywords=[]
                )
            return folded
        return ast.Call(func=ast.Name(id=renamed, ctx=ast.Load()), args=node.args, keywords=[])

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = {ast.FloorDiv: "floor_div", ast.Mod: "floor_mod"}.get(type(node.op))
        if name is None:
            return node
        return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=[node.left, node.right], keywords=[])

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        first = self.expression._type(node.values[0])
        self.generic_visit(node)
        if first.endswith("?"):
            test = ast.Compare(left=node.values[0], ops=[ast.Is()], comparators=[ast.Constant(value=None)])
            return ast.IfExp(test=test, body=node.values[1], orelse=node.values[0])
        if first == "ints":
            length = ast.Call(func=ast.Name(id="len", ctx=ast.Load()), args=[node.values[0]], keywords=[])
            return ast.IfExp(test=length, body=node.values[0], orelse=node.values[1])
        return node


def _saturated_int(value: float) -> int:
    if isinstance(value, float) and not math.isfinite(value):
        return 2**63 - 1 if value > 0 else -(2**63)
    return max(-(2**63), min(2**63 - 1, int(value)))


PYTHON_HELPERS = {
    "sym_int": _saturated_int,
    "sym_float": float,
    "sym_min": min,
    "sym_max": max,
    "reduce": reduce,
    "abs": abs,
    "len": len,
    "floor_div": floor_div,
    "floor_mod": floor_mod,
    "numel": numel,
    "drop": drop,
    "wrap": wrap,
}


def text_pieces(text: str, scope: Mapping[str, Symbol]) -> list[str | Name]:
    """Splits a text into names of parameters and the text between them, so that a face can use its own names."""
    names = [name for name, symbol in scope.items() if not symbol.dimension]
    if not names:
        return [text]
    pattern = r"(?<![\w.])(" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + r")(?!\w)"
    pieces = re.split(pattern, text)
    return [Name(piece) if index % 2 else piece for index, piece in enumerate(pieces) if piece]
