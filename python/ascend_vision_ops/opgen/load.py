# SPDX-License-Identifier: Apache-2.0
"""Reads contracts. Everything wrong with one is reported at once, as `file:line: key: expected …, got …`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import yaml

from ascend_vision_ops.paths import contract_files

from .calls import example_call, failed_check
from .expr import Expression, ExpressionError, Symbol, text_pieces
from .model import (
    DTYPES,
    FORMATS,
    SOCS,
    Argument,
    Check,
    Entry,
    Fold,
    Gradient,
    Pattern,
    Spec,
    Spread,
    Tolerance,
    either,
    snake,
)
from .nodes import Node, NodeError, Rows, parse_node, parse_rows
from .schema import REQUIRED, Parameter, Schema, SchemaError, parse_parameters, parse_schema, split_arguments
from .tiling import TilingError, read_tiling

REQUIRED_KEYS = ("schema", "summary", "aclnn", "dtypes", "shape", "tiling_keys", "source", "example")
OPTIONAL_KEYS = (
    "internal", "soc", "cpu_dtypes", "formats", "let", "require", "kernel", "workspace", "tolerance", "backward",
    "parameters", "details", "divergence", "flops", "unbatched", "onnx", "autocast", "vmap", "memory_format",
)  # fmt: skip
# Of a composite, an operator written in Python on top of another: it has no kernel and no entry point of its own.
COMPOSITE_REQUIRED = ("schema", "summary", "composite", "dtypes", "shape", "source", "example")
COMPOSITE_OPTIONAL = (
    "dynamic", "cpu_dtypes", "let", "tolerance", "parameters", "details", "divergence", "rows", "onnx",
)  # fmt: skip
KERNELS = ("vector", "cube", "mixed")
AUTOCAST = ("float32", "widest")
# PyYAML's parser in C, where it has one, takes a twentieth of the time.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
CTYPES = {"ints": "const aclIntArray *", "int": "int64_t", "float": "double", "bool": "bool", "str": "const char *",
          "dtype": "aclDataType"}  # fmt: skip
SCALAR_CTYPES = ("int8_t", "int32_t", "int64_t", "int", "float", "double", "bool")
BOOL_ARRAY = "aclBoolArray"  # the C type of an int array whose elements are 0 and 1


class SpecError(Exception):
    """One or more problems of a contract; `str()` has one line each."""

    def __init__(self, problems: Iterable[str]):
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


class _Reader:
    """A YAML file as plain values, with the line of everything in it."""

    def __init__(self, path: Path):
        self.path = path
        self.lines: dict[tuple, int] = {}
        self.problems: list[str] = []
        try:
            root = yaml.compose(path.read_text(encoding="utf-8"), Loader=LOADER)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise SpecError([f"{path.name}:{line}: expected YAML, got {error.problem}"]) from None
        if not isinstance(root, yaml.MappingNode):
            raise SpecError([f"{path.name}:1: expected a mapping of keys, got something else"])
        self.data = self._value(root, ())

    def _value(self, node: yaml.Node, where: tuple) -> object:
        self.lines[where] = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            result = {}
            for key_node, value_node in node.value:
                key = key_node.value
                if key in result:
                    self.problem((*where, key), "each key once", "it twice", key_node.start_mark.line + 1)
                result[key] = self._value(value_node, (*where, key))
                self.lines[(*where, key)] = key_node.start_mark.line + 1
            return result
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*where, index)) for index, item in enumerate(node.value)]
        return yaml.SafeLoader("").construct_object(node)

    def problem(self, where: tuple | str, expected: str, got: object, line: int | None = None) -> None:
        where = (where,) if isinstance(where, str) else where
        probe = where
        while line is None:
            line = self.lines.get(probe)
            probe = probe[:-1]
        key = ""
        for part in where:
            key += f"[{part}]" if isinstance(part, int) else f"{'.' if key else ''}{part}"
        self.problems.append(f"{self.path.name}:{line}: {key}: expected {expected}, got {got}")

    def typed(self, where: tuple | str, kinds, expected: str, default=None):
        where = (where,) if isinstance(where, str) else where
        value = self.data
        for part in where:
            if part not in value:
                return default
            value = value[part]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in _tuple(kinds)):
            self.problem(where, expected, _show(value))
            return default
        return value

    def expression(self, where: tuple, text: object, scope) -> Expression | None:
        try:
            return Expression(text, scope)
        except ExpressionError as error:
            head, _, got = str(error).partition(", got ")
            self.problem(where, head.removeprefix("expected "), got)
            return None


def _tuple(kinds) -> tuple:
    return kinds if isinstance(kinds, tuple) else (kinds,)


def _show(value: object) -> str:
    kind = {dict: "a mapping", list: "a list", type(None): "nothing"}.get(type(value))
    return kind or repr(value)


class _Builder:
    """Builds a Spec key by key; each step reports its problems and leaves the model usable for the next."""

    def __init__(self, reader: _Reader):
        self.reader = reader
        self.data = reader.data
        self.problem = reader.problem

    def build(self) -> Spec | None:
        self._keys()
        schema = self._schema()
        if schema is None:
            return None
        self.parameters = [*schema.parameters, *self._internal(schema)]
        self.outputs = schema.outputs
        self.by_name = {parameter.name: parameter for parameter in self.parameters}
        self.tensor_names = [p.name for p in self.parameters if p.is_tensor] + self.outputs
        self.scope = {p.name: Symbol(p.name, p.type) for p in self.parameters}
        self.scope |= {name: Symbol(name, "tensor") for name in self.outputs}
        self.normal: dict[str, Expression] = {}
        composite = self.reader.typed("composite", str, "the operator it calls", "")
        dynamic = self._dynamic()
        entries = [] if composite else self._entries()
        for name, expression in self.normal.items():
            self.scope[name] = Symbol(name, expression.type)
        dtypes, same, chosen = self._dtypes()
        cpu_dtypes = self._cpu_dtypes(dtypes)
        patterns, lets = self._shapes()
        formats = self._words("formats", FORMATS, ["ND"])
        halves = {name for entry in entries for a in entry.arguments for name in a.targets[1:]}
        checks = [] if composite else self._checks(patterns, dtypes, same, cpu_dtypes, halves)
        text = self.reader.typed
        spec = Spec(
            path=self.reader.path,
            name=schema.name,
            schema=" ".join(str(self.data["schema"]).split()),
            summary=text("summary", str, "a sentence"),
            parameters=self.parameters,
            outputs=self.outputs,
            entries=entries,
            normal=self.normal,
            socs=self._words("soc", SOCS, list(SOCS)),
            dtypes=dtypes,
            cpu_dtypes=cpu_dtypes,
            same_dtype=same,
            dtype_from=chosen,
            formats=formats,
            patterns=patterns,
            lets=lets,
            checks=checks,
            tiling_keys={} if composite else self._tiling_keys(),
            kernel=self._word("kernel", KERNELS, "vector"),
            workspace=text("workspace", bool, "true or false", False),
            tolerance=self._tolerance(dtypes),
            backward=self._backward(),
            docs=self._docs(),
            details=text("details", str, "a text", "") or "",
            source=self._strings("source"),
            divergence=self._divergence(),
            example=self._example(),
            scope=self.scope,
            flops=self._flops(),
            unbatched=text("unbatched", bool, "true or false", False),
            autocast=self._word("autocast", AUTOCAST, "widest"),
            folds=self._folds(patterns, lets),
            leading=self._leading(patterns),
            memory_format=self._memory_format(patterns),
            composite=composite,
            dynamic=dynamic,
            rows=self._rows(),
            onnx=self._nodes(schema.name),
        )
        if not self.reader.problems:
            self._judge_examples(spec)
        return spec

    def _judge_examples(self, spec: Spec) -> None:
        """The example of each entry point must pass the contract."""
        for entry in spec.entries:
            try:
                failed = failed_check(spec, example_call(spec, entry))
            except (ArithmeticError, IndexError, KeyError, TypeError) as error:
                self.problem(
                    "example",
                    f"values that make a call of {entry.function}",
                    f"{type(error).__name__}: {error}",
                )
                continue
            if failed is not None:
                what = f"one that fails `{failed.subject}: {failed.expected_text() or failed.kind}`"
                self.problem("example", f"a valid call of {entry.function}", what)

    # --- keys one by one -----------------------------------------------------------------------------------------

    def _keys(self) -> None:
        composite = "composite" in self.data
        required = COMPOSITE_REQUIRED if composite else REQUIRED_KEYS
        known = (*required, *(COMPOSITE_OPTIONAL if composite else OPTIONAL_KEYS))
        for key in self.data:
            if key not in known:
                self.problem(key, f"one of {', '.join(known)}", repr(key))
        for key in required:
            if key not in self.data:
                self.problem(key, "this key", "none", 1)

    def _schema(self) -> Schema | None:
        text = self.reader.typed("schema", str, "a torch operator schema")
        if text is None:
            return None
        try:
            schema = parse_schema(text)
        except SchemaError as error:
            self._split_problem("schema", error)
            return None
        if schema.name != self.reader.path.stem:
            self.problem("schema", f"the file's name {self.reader.path.stem!r}", repr(schema.name))
        return schema

    def _split_problem(self, where, error: Exception) -> None:
        head, _, got = str(error).partition(", got ")
        self.problem(where, head.removeprefix("expected "), got)

    def _internal(self, schema: Schema) -> list[Parameter]:
        text = self.reader.typed("internal", str, "parameters as in a schema")
        if text is None:
            return []
        try:
            parameters = parse_parameters(text, internal=True)
        except SchemaError as error:
            self._split_problem("internal", error)
            return []
        taken = {p.name for p in schema.parameters} | set(schema.outputs)
        for parameter in parameters:
            if parameter.name in taken:
                self.problem("internal", "a name the schema does not have", repr(parameter.name))
            if not parameter.has_default and not parameter.optional:
                self.problem("internal", "a default, which torch passes", f"none for {parameter.name}")
        return parameters

    def _dynamic(self) -> list[str]:
        names = self.reader.typed("dynamic", list, "a list of names", [])
        for index, name in enumerate(names):
            if not re.fullmatch(r"[A-Za-z]\w*", str(name)) or name in self.scope:
                self.problem(("dynamic", index), "a new name", _show(name))
            self.scope[str(name)] = Symbol(str(name), "int", dimension=True)
        return names

    def _entries(self) -> list[Entry]:
        value = self.data.get("aclnn")
        items = value if isinstance(value, list) else [value]
        entries = []
        for index, item in enumerate(items):
            where = ("aclnn", index) if isinstance(value, list) else ("aclnn",)
            entry = self._entry(where, item, primary=index == 0)
            if entry is not None:
                entries.append(entry)
        return entries

    def _entry(self, where: tuple, item: object, primary: bool) -> Entry | None:
        if isinstance(item, dict):
            for key in item:
                if key not in ("call", "header", "example"):
                    self.problem((*where, key), "call, header or example", repr(key))
            call, header, example = item.get("call"), item.get("header"), item.get("example", {})
            if not isinstance(example, dict):
                self.problem((*where, "example"), "what differs from the contract's example", _show(example))
                example = {}
            where_call = (*where, "call")
        else:
            call, header, example, where_call = item, None, {}, where
        match = (
            re.fullmatch(r"([A-Z]\w*)\s*\((.*)\)", call.strip(), re.DOTALL) if isinstance(call, str) else None
        )
        if not match:
            self.problem(where_call, "`Name(argument, …)`", _show(call))
            return None
        name, inside = match.groups()
        header = header or f"aclnn_{snake(name)}.h"
        if not re.fullmatch(r"aclnn_\w+\.h", str(header)):
            self.problem((*where, "header"), "aclnn_<name>.h", repr(header))
        arguments = []
        for part in split_arguments(inside):
            argument = self._argument(where_call, part, primary)
            if argument is not None:
                arguments.append(argument)
        bound = [target for argument in arguments for target in argument.targets]
        for target in [
            *(p.name for p in self.parameters if not p.has_default and not p.optional),
            *self.outputs,
        ]:
            if bound.count(target) != 1:
                self.problem(
                    where_call, f"one argument for {target}", "none" if target not in bound else "several"
                )
        return Entry(name, header, arguments, example)

    def _argument(self, where: tuple, part: str, primary: bool) -> Argument | None:
        match = re.fullmatch(r"(?:(\w+)\s+)?(\w+)\s*(?:=(?!=)\s*(.+))?", part, re.DOTALL)
        if not match:
            self.problem(where, "`[type] name[=expression]`", repr(part))
            return None
        ctype, name, text = match.groups()
        text = text or name
        if text in self.outputs:
            return Argument(name, "aclTensor *", text, output=True)
        if spread := re.fullmatch(r"spread\((.*)\)", text, re.DOTALL):
            return self._spread(where, name, split_arguments(spread[1]), primary)
        target = self._target(where, text, primary)
        if target is None:
            return None
        parameter = self.by_name[target]
        if parameter.is_tensor:
            return Argument(name, "const aclTensor *", target)
        default = CTYPES[parameter.type.removesuffix("?")]
        if ctype == BOOL_ARRAY and parameter.type == "ints":
            return Argument(name, f"const {BOOL_ARRAY} *", target)
        if ctype is not None and ctype not in SCALAR_CTYPES:
            self.problem(where, f"one of {', '.join(SCALAR_CTYPES)}", repr(ctype))
        return Argument(name, ctype or default, target)

    def _target(self, where: tuple, text: str, primary: bool) -> str | None:
        """The parameter of `parameter` or `parameter or default`, whose default is noted."""
        raw = {p.name: Symbol(p.name, p.type) for p in self.parameters}
        expression = self.reader.expression(where, text, raw)
        if expression is None:
            return None
        target = expression.names[0] if expression.names else None
        simple = expression.text == target
        if target is None or (not simple and not re.match(rf"{target}\s+or\b", expression.text)):
            self.problem(where, "a parameter, an output, or `parameter or default`", repr(text))
            return None
        if not simple:
            if primary:
                self.normal[target] = expression
            else:
                self.problem(where, "defaults in the first entry point only", repr(text))
        return target

    def _spread(self, where: tuple, name: str, parts: list[str], primary: bool) -> Argument | None:
        """`spread(parameter, second parameter, empty=value)`, the last two of which may be missing."""
        empty = re.fullmatch(r"empty\s*=\s*(-?\d+)", parts[-1]) if parts else None
        given = parts[:-1] if empty else parts
        targets = [self._target(where, part, primary) for part in given]
        lengths = {self.by_name[target].length for target in targets if target is not None}
        if len(targets) not in (1, 2) or len(lengths) != 1 or not next(iter(lengths)):
            self.problem(
                where, "spread(parameter[, parameter][, empty=value]) of int[k]", repr(", ".join(parts))
            )
            return None
        second = targets[1] if len(targets) == 2 else ""
        spread = Spread(lengths.pop(), second, int(empty[1]) if empty else None)
        return Argument(name, CTYPES["ints"], targets[0], spread=spread)

    def _dtypes(self):
        chosen: dict[str, list[str]] = {}
        same: dict[str, str] = {}
        dtype_from: dict[str, Expression] = {}
        value = self.reader.typed("dtypes", dict, "tensor: [dtype, …] or tensor: other tensor", {})
        for tensor, rule in value.items():
            where = ("dtypes", tensor)
            if tensor not in self.tensor_names:
                self.problem(where, f"one of {', '.join(self.tensor_names)}", repr(tensor))
                continue
            if isinstance(rule, dict):
                for key in rule:
                    if key not in ("accept", "infer"):
                        self.problem((*where, key), "accept or infer", repr(key))
                attributes = {n: s for n, s in self.scope.items() if s.type in ("dtype", "dtype?")}
                if str(rule.get("infer")) not in attributes:
                    self.problem((*where, "infer"), "a ScalarType parameter", _show(rule.get("infer")))
                else:
                    dtype_from[tensor] = Expression(rule["infer"], attributes)
                rule = rule.get("accept")
            if isinstance(rule, list) and rule:
                for index, name in enumerate(rule):
                    if name not in DTYPES:
                        self.problem((*where, index), f"one of {', '.join(DTYPES)}", _show(name))
                chosen[tensor] = [str(name) for name in rule]
            elif rule in self.tensor_names and rule != tensor:
                same[tensor] = rule
            else:
                self.problem(where, "a list of dtypes or another tensor", _show(rule))
        for tensor in self.tensor_names:
            if tensor not in value:
                self.problem("dtypes", f"an entry for {tensor}", "none")
        for tensor, other in same.items():
            if other in same or other not in chosen:
                self.problem(("dtypes", tensor), "a tensor with a list of its own", repr(other))
        return chosen, same, dtype_from

    def _cpu_dtypes(self, dtypes) -> dict[str, list[str]]:
        value = self.reader.typed("cpu_dtypes", dict, "tensor: [dtype, …]", {})
        for tensor, names in value.items():
            if tensor not in dtypes:
                self.problem(("cpu_dtypes", tensor), f"one of {', '.join(dtypes)}", repr(tensor))
            for index, name in enumerate(names if isinstance(names, list) else [names]):
                if name not in DTYPES or name in dtypes.get(tensor, ()):
                    self.problem(
                        ("cpu_dtypes", tensor, index), "a dtype that `dtypes` does not list", _show(name)
                    )
        return value

    def _shapes(self):
        patterns: dict[str, Pattern] = {}
        lets: dict[str, Expression] = {}
        value = self.reader.typed("shape", dict, "tensor: [dimension, …]", {})
        for tensor in value:
            if tensor not in self.tensor_names:
                self.problem(("shape", tensor), f"one of {', '.join(self.tensor_names)}", repr(tensor))
        for output in self.outputs:
            if output not in value:
                self.problem("shape", f"an entry for {output}", "none")
        inputs = [tensor for tensor in value if tensor in self.tensor_names and tensor not in self.outputs]
        # Bind all dimension names first, so that an expression may use a later tensor's.
        bound: dict[str, tuple[str, int]] = {}
        for tensor in inputs:
            for index, dim in enumerate(value[tensor] if isinstance(value[tensor], list) else []):
                if isinstance(dim, str) and re.fullmatch(r"[A-Za-z]\w*", dim) and dim not in self.scope:
                    self.scope[dim] = Symbol(dim, "int", dimension=True)
                    bound[dim] = (tensor, index)
        for name, text in self.reader.typed("let", dict, "name: expression", {}).items():
            if name in self.scope:
                self.problem(("let", name), "a new name", repr(name))
            expression = self.reader.expression(("let", name), text, dict(self.scope))
            if expression is not None:
                lets[name] = expression
                self.scope[name] = Symbol(name, expression.type, dimension=True)
        for tensor, pattern in value.items():
            if tensor not in self.tensor_names:
                continue
            where = ("shape", tensor)
            if not isinstance(pattern, list):
                whole = self.reader.expression(where, pattern, self.scope)
                if whole is not None and whole.type != "ints":
                    self.problem(where, "a shape", repr(whole.text))
                patterns[tensor] = Pattern(tensor, None, whole)
                continue
            dims = [self.reader.expression((*where, i), dim, self.scope) for i, dim in enumerate(pattern)]
            for i, dim in enumerate(dims):
                if dim is not None and dim.type != "int":
                    self.problem((*where, i), "an int", repr(dim.text))
            if None not in dims:
                binds = [d.text if bound.get(d.text) == (tensor, i) else None for i, d in enumerate(dims)]
                patterns[tensor] = Pattern(tensor, dims, None, binds)
        return patterns, lets

    def _owner(self, name: str, patterns) -> str:
        """The parameter to name for a dimension: the tensor that binds it."""
        for tensor, pattern in patterns.items():
            if name in pattern.binds:
                return tensor
        return name

    def _checks(self, patterns, dtypes, same, cpu_dtypes, halves) -> list[Check]:
        optional = {p.name for p in self.parameters if p.is_tensor and p.optional}
        order = [name for name in self.tensor_names if name in patterns]
        checks = [
            Check("rank", name, name in self.outputs, name in optional, pattern=patterns[name])
            for name in order
            if patterns[name].dims is not None
        ]
        # The latter half of an array has the length that its entry point gives it.
        arrays = [p for p in self.parameters if p.length and p.name not in halves]
        checks += [Check("length", p.name, length=p.length) for p in arrays]
        placed = set()
        requires = self.reader.typed("require", list, "a list of conditions", [])
        for index, item in enumerate(requires):
            where = ("require", index)
            shape = re.fullmatch(r"shape\((\w+)\)", item) if isinstance(item, str) else None
            if shape:
                if shape[1] not in patterns:
                    self.problem(where, f"one of {', '.join(patterns)}", repr(shape[1]))
                else:
                    placed.add(shape[1])
                    checks.append(self._shape_check(shape[1], patterns, optional))
                continue
            check = self._require(where, item, patterns)
            if check is not None:
                checks.append(check)
        for name in order:
            if name not in placed and self._has_shape_check(patterns[name], name):
                checks.append(self._shape_check(name, patterns, optional))
        for name in self.tensor_names:
            kind = {"output": name in self.outputs, "optional": name in optional}
            if name in dtypes:
                checks.append(
                    Check("dtype", name, **kind, dtypes=dtypes[name], cpu_dtypes=cpu_dtypes.get(name, []))
                )
            elif name in same:
                checks.append(Check("same_dtype", name, **kind, same_as=same[name]))
        return checks

    def _has_shape_check(self, pattern: Pattern, name: str) -> bool:
        return name in self.outputs or pattern.dims is None or None in pattern.binds

    def _shape_check(self, name, patterns, optional) -> Check:
        pattern = patterns[name]
        return Check(
            "shape", name, name in self.outputs, name in optional, pattern=pattern, expected=pattern.prose()
        )

    def _require(self, where: tuple, item: object, patterns) -> Check | None:
        text, note, bad = item, None, {}
        if isinstance(item, list) and len(item) == 2:
            text, note = item
        elif isinstance(item, dict):
            for key in item:
                if key not in ("that", "text", "bad"):
                    self.problem((*where, key), "that, text or bad", repr(key))
            text, note, bad = item.get("that"), item.get("text"), item.get("bad") or {}
        if not isinstance(text, str):
            self.problem(
                where, '"condition", [condition, "parameter: text"] or {that, text, bad}', _show(item)
            )
            return None
        expression = self.reader.expression(where, text, self.scope)
        if expression is None:
            return None
        if expression.type != "bool":
            self.problem(where, "a condition", f"{expression.text!r}, which is {expression.type}")
            return None
        if not expression.names:
            self.problem(where, "a condition on a parameter", repr(expression.text))
            return None
        subject = self._owner(expression.names[0], patterns)
        expected = expression.prose()
        if note is not None:
            named = re.fullmatch(r"(\w+):\s*(.+)", str(note), re.DOTALL)
            if not named or named[1] not in (*self.by_name, *self.outputs):
                self.problem(where, '"parameter: what is expected"', repr(note))
                return None
            subject, expected = named[1], text_pieces(named[2], self.scope)
        shown = []
        for name in expression.names:
            is_own = name == subject or (
                subject in self.tensor_names and self._owner(name, patterns) == subject
            )
            if not is_own and name not in shown:
                shown.append(name)
        return Check("require", subject, expression=expression, expected=expected, shown=shown, bad=bad)

    def _tiling_keys(self) -> dict[str, int]:
        value = self.reader.typed("tiling_keys", dict, "name: number", {})
        for name, number in value.items():
            if not re.fullmatch(r"[a-z]\w*", name) or not isinstance(number, int) or number < 0:
                self.problem(("tiling_keys", name), "lower_case: a number from 0", f"{name}: {_show(number)}")
        if not value:
            self.problem("tiling_keys", "at least one key", "none")
        if len(set(value.values())) != len(value):
            self.problem("tiling_keys", "numbers that differ", _show(list(value.values())))
        return value

    def _tolerance(self, dtypes) -> dict[str, Tolerance]:
        value = self.reader.typed("tolerance", dict, "dtype: {absolute, relative, largest, ulp, why}", {})
        result = {}
        for names, rule in value.items():
            where = ("tolerance", names)
            unknown = [name for name in names.split(", ") if name not in DTYPES or name in result]
            if unknown:
                self.problem(where, f"some of {', '.join(DTYPES)}, each once", repr(names))
                continue
            if not isinstance(rule, dict) or not str(rule.get("why") or "").strip():
                self.problem(
                    where, "{absolute, relative, largest, ulp, why} with a reason in why", _show(rule)
                )
                continue
            numbers = {}
            for key, number in rule.items():
                if key == "why":
                    continue
                if key not in ("absolute", "relative", "largest", "ulp"):
                    self.problem((*where, key), "absolute, relative, largest, ulp or why", repr(key))
                    continue
                try:
                    numbers[key] = int(number) if key == "ulp" else float(number)
                except (TypeError, ValueError):
                    numbers[key] = self._size((*where, key), number) if key == "largest" else None
                    if numbers[key] is None:
                        self.problem((*where, key), "a number", _show(number))
            tolerance = Tolerance(why=str(rule["why"]), **numbers)
            result |= dict.fromkeys(names.split(", "), tolerance)
        floating = {
            name for names in dtypes.values() for name in names if name in DTYPES and DTYPES[name].floating
        }
        for name in DTYPES:
            if name in floating and name not in result:
                self.problem("tolerance", f"an entry for {name}", "none")
        return result

    def _size(self, where: tuple, text: object) -> Expression | None:
        """A number that depends on sizes."""
        expression = self.reader.expression(where, text, self.scope) if isinstance(text, str) else None
        return expression if expression is not None and expression.type in ("int", "float") else None

    def _backward(self) -> list[Gradient]:
        gradients = []
        grads = {f"grad_{name}": Symbol(f"grad_{name}", "tensor") for name in self.outputs}
        raw = {p.name: Symbol(p.name, p.type) for p in self.parameters if not p.internal}
        scope = {**raw, **{name: Symbol(name, "tensor") for name in self.outputs}, **grads}
        for names, text in self.reader.typed("backward", dict, "input: operator(arguments)", {}).items():
            where = ("backward", names)
            inputs = [name.strip() for name in names.split(",")]
            for name in inputs:
                if name not in self.by_name or not self.by_name[name].is_tensor:
                    self.problem(where, "tensor inputs before the colon", repr(name))
            match = re.fullmatch(r"([a-z]\w*)\s*\((.*)\)", str(text), re.DOTALL)
            if not match:
                self.problem(where, "`operator(arguments)`", repr(text))
                continue
            arguments = [self.reader.expression(where, part, scope) for part in split_arguments(match[2])]
            if None not in arguments:
                gradients.append(Gradient(inputs, match[1], arguments))
        return gradients

    def _docs(self) -> dict[str, str]:
        value = self.reader.typed("parameters", dict, "parameter: text", {})
        for name in value:
            if name not in (*self.by_name, *self.outputs):
                self.problem(
                    ("parameters", name), f"one of {', '.join([*self.by_name, *self.outputs])}", repr(name)
                )
        for name in [*self.by_name, *self.outputs]:
            if name not in value:
                self.problem("parameters", f"a text for {name}", "none")
        return {name: " ".join(str(text).split()) for name, text in value.items()}

    def _divergence(self) -> list[dict[str, str]]:
        rows = self.reader.typed("divergence", list, "a list of {who, what}", [])
        for index, row in enumerate(rows):
            if not isinstance(row, dict) or set(row) != {"who", "what"}:
                self.problem(("divergence", index), "{who, what}", _show(row))
        return rows

    def _example(self) -> dict[str, object]:
        value = self.reader.typed("example", dict, "dimension or attribute: value", {})
        dims = [
            name
            for name, symbol in self.scope.items()
            if symbol.dimension and name not in (*self.data.get("let", {}), *self.data.get("dynamic", []))
        ]
        tensors = {p.name for p in self.parameters if p.is_tensor}
        for name in value:
            if name not in dims and name not in self.by_name:
                self.problem(("example", name), f"one of {', '.join([*dims, *self.by_name])}", repr(name))
        needed = [
            p.name for p in self.parameters if not p.is_tensor and p.default is REQUIRED and not p.optional
        ]
        free = [name for name in tensors if name not in (self.data.get("shape") or {})]
        for name in [*dims, *needed, *free]:
            if name not in value:
                self.problem("example", f"a value for {name}", "none")
        return value

    def _flops(self) -> Expression | None:
        if "flops" not in self.data:
            return None
        expression = self.reader.expression(("flops",), self.data["flops"], self.scope)
        if expression is not None and expression.type != "int":
            self.problem("flops", "an int", repr(expression.text))
        return expression

    def _folds(self, patterns: dict[str, Pattern], lets: dict[str, Expression]) -> list[Fold]:
        """`vmap: {fold: [size, {size: element of an int array}]}`."""
        if "vmap" not in self.data:
            return []
        value = self.reader.typed("vmap", dict, "{fold: [size, …]} or {leading: dim}", {})
        if set(value) not in ({"fold"}, {"leading"}):
            self.problem("vmap", "{fold: [size, …]} or {leading: dim}", _show(list(value)))
        folds = []
        for index, item in enumerate(self.reader.typed(("vmap", "fold"), list, "a list of sizes", [])):
            where = ("vmap", "fold", index)
            size, element = next(iter(item.items())) if isinstance(item, dict) and item else (item, item)
            fold = self._fold(where, str(size), str(element), patterns, lets)
            if fold is not None:
                folds.append(fold)
        return folds

    def _fold(self, where: tuple, size: str, element: str, patterns, lets) -> Fold | None:
        def places(tensor: str) -> list[int]:
            return [i for i, dim in enumerate(patterns[tensor].dims or []) if dim.text == size]

        def hidden(expression: Expression) -> bool:
            """Whether the size is a part of something else, which would change with it."""
            parts = {ast.unparse(node) for node in ast.walk(expression.tree)}
            return expression.text != size and size in parts

        visible = [p.name for p in self.parameters if not p.internal and p.name in patterns]
        inputs = {name: places(name) for name in visible if places(name)}
        results = [places(name) if name in patterns else [] for name in self.outputs]
        if not inputs or any(len(found) != 1 for found in [*inputs.values(), *results]):
            self.problem(where, "one dimension of inputs, and of each result", repr(size))
            return None
        shapes = [dim for p in patterns.values() for dim in p.dims or [p.whole]]
        if any(hidden(expression) for expression in [*shapes, *lets.values()]):
            self.problem(where, "a size that no other depends on", repr(size))
        match = re.fullmatch(r"(\w+)\[(\d+)\]", element)
        ints = {match[1]: int(match[2])} if match and self.scope[match[1]].type == "ints" else {}
        if element != size and not ints:
            self.problem(where, "an element of an int array behind the colon", repr(element))
        found = {name: place[0] for name, place in inputs.items()}
        return Fold(size, found, [place[0] for place in results], ints)

    def _leading(self, patterns: dict[str, Pattern]) -> str:
        """`vmap: {leading: dim}`: for operators along one dimension of tensors of any rank."""
        vmap = self.data.get("vmap")
        if not isinstance(vmap, dict) or "leading" not in vmap:
            return ""
        name = self.reader.typed(("vmap", "leading"), str, "an int parameter", "")
        if name not in self.by_name or self.by_name[name].type not in ("int", "int?"):
            self.problem(("vmap", "leading"), "an int parameter", repr(name))
        if any(pattern.dims is not None for pattern in patterns.values()):
            self.problem(("vmap", "leading"), "tensors of any rank", "one with a list of dimensions")
        return name

    def _memory_format(self, patterns: dict[str, Pattern]) -> dict[str, str]:
        """`memory_format: {result: tensor}`, both of four dimensions."""
        value = self.reader.typed("memory_format", dict, "result: tensor", {})
        images = [name for name, pattern in patterns.items() if len(pattern.dims or []) == 4]
        results = [name for name in images if name in self.outputs]
        tensors = [p.name for p in self.parameters if p.name in images and not p.optional]
        for result, tensor in value.items():
            if result not in results:
                expected = f"a result of four dimensions{f', {either(results)}' if results else ''}"
                self.problem(("memory_format", result), expected, repr(result))
            if tensor not in tensors:
                expected = f"a tensor of four dimensions{f', {either(tensors)}' if tensors else ''}"
                self.problem(("memory_format", result), expected, _show(tensor))
        return value

    def _rows(self) -> dict[str, Rows]:
        value = self.reader.typed("rows", dict, "result: what its rows are", {})
        if value and set(value) != set(self.outputs):
            self.problem("rows", f"an entry for each of {', '.join(self.outputs)}", ", ".join(value))
        rows = {}
        for output, text in value.items():
            try:
                rows[output] = parse_rows(str(text))
            except NodeError as error:
                self._split_problem(("rows", output), error)
        return rows

    def _nodes(self, operator: str) -> list[Node]:
        value = self.reader.typed("onnx", dict, "domain: Name(argument, …)", {})
        if value and "composite" in self.data and "rows" not in self.data:
            self.problem("onnx", "beside it `rows`, which says what nodes of a composite compute", "none")
        visible = [parameter for parameter in self.parameters if not parameter.internal]
        nodes = []
        for domains, calls in value.items():
            for text in calls if isinstance(calls, list) else [calls]:
                for domain in str(domains).split(","):
                    try:
                        nodes.append(parse_node(domain.strip(), str(text), operator, visible, self.outputs))
                    except NodeError as error:
                        self._split_problem(("onnx", domains), error)
        return nodes

    def _words(self, key: str, allowed: tuple, default: list[str]) -> list[str]:
        value = self.reader.typed(key, list, f"a list of {', '.join(allowed)}", default)
        for index, word in enumerate(value):
            if word not in allowed:
                self.problem((key, index), f"one of {', '.join(allowed)}", _show(word))
        return value

    def _word(self, key: str, allowed: tuple, default: str) -> str:
        value = self.reader.typed(key, str, either(list(allowed)), default)
        if value not in allowed:
            self.problem(key, either(list(allowed)), repr(value))
        return value

    def _strings(self, key: str) -> list[str]:
        value = self.data.get(key)
        items = value if isinstance(value, list) else [value]
        for item in items:
            if not isinstance(item, str):
                self.problem(key, "a text or a list of texts", _show(item))
        return [str(item) for item in items]


def load_spec(path: Path) -> Spec:
    """Reads one contract; raises SpecError with everything that is wrong with it."""
    reader = _Reader(Path(path))
    spec = _Builder(reader).build()
    if reader.problems or spec is None:
        raise SpecError(_in_order(reader.problems))
    return spec


def _in_order(problems: list[str]) -> list[str]:
    return sorted(dict.fromkeys(problems), key=lambda text: int(text.split(":")[1]))


def load_specs(root: Path, unfinished: list[str] | None = None) -> list[Spec]:
    """Reads every contract below `root`/op_host and its tiling header; raises with the problems of all files at once.

    An operator without a tiling header is a problem, unless `unfinished` is given: then it is left out and named there.
    """
    specs, problems = [], []
    for path in contract_files(root / "op_host").values():
        try:
            spec = load_spec(path)
            header = root / "op_kernel" / spec.family / f"{spec.name}_tiling.h"
            module = root / "python/ascend_vision_ops/composite" / f"{spec.name}.py"
            if unfinished is not None and not (module if spec.composite else header).exists():
                unfinished.append(spec.name)
                continue
            if not spec.composite:
                spec.fields = read_tiling(header, spec.tiling_struct)
            specs.append(spec)
        except SpecError as error:
            problems += error.problems
        except TilingError as error:
            problems.append(str(error))
    if not problems:
        names = {spec.name: spec for spec in specs}
        for spec in specs:
            spec.backward = [
                gradient for gradient in spec.backward if gradient.operator not in (unfinished or ())
            ]
            problems += _cross_checks(spec, names)
    if problems:
        raise SpecError(problems)
    return specs


def _cross_checks(spec: Spec, specs: dict[str, Spec]) -> list[str]:
    problems = []
    if spec.composite and (spec.composite not in specs or specs[spec.composite].composite):
        problems.append(
            f"{spec.path.name}:1: composite: expected an operator with a kernel, got {spec.composite!r}"
        )
    elif spec.rows:
        problems += _row_checks(spec, specs[spec.composite])
    for gradient in spec.backward:
        key = f"{spec.path.name}:1: backward.{', '.join(gradient.inputs)}"
        other = specs.get(gradient.operator)
        if other is None:
            problems.append(f"{key}: expected an operator with a contract, got {gradient.operator!r}")
        elif len(other.visible) != len(gradient.arguments):
            problems.append(
                f"{key}: expected {len(other.visible)} arguments of {other.name}, got {len(gradient.arguments)}"
            )
        elif len(other.outputs) != len(gradient.inputs):
            problems.append(
                f"{key}: expected {len(other.outputs)} inputs before the colon, got {len(gradient.inputs)}"
            )
    return problems


def _row_checks(spec: Spec, kernel: Spec) -> list[str]:
    """What C++ needs to know to make a composite of the operator it calls."""
    problems = []
    if "count" not in kernel.outputs:
        problems.append(f"{spec.path.name}:1: rows: expected a result `count` of {kernel.name}, got none")
    names = {parameter.name: parameter for parameter in kernel.visible}
    for parameter in spec.visible:
        if parameter.name not in names or names[parameter.name].base != parameter.base:
            problems.append(
                f"{spec.path.name}:1: rows: expected parameters of {kernel.name}, got {parameter.name!r}"
            )
    inputs = [parameter.name for parameter in spec.tensors]
    for output, rows in spec.rows.items():
        held, own = ([rows.indices], rows.sources) if rows.indices else (rows.sources, [])
        for name, allowed in [*((n, kernel.outputs) for n in held), *((n, inputs) for n in own)]:
            if name not in allowed:
                problems.append(
                    f"{spec.path.name}:1: rows.{output}: expected one of {', '.join(allowed)}, got {name!r}"
                )
    return problems
