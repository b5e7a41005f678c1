# SPDX-License-Identifier: Apache-2.0
"""The filters of the templates of Python faces and pages: Python text for parts of a contract."""

from __future__ import annotations

import ast
import json
import math
import textwrap
from collections.abc import Sequence

from . import cpp
from .calls import Shaped, example_call, sizes_of, violations
from .model import DTYPES, Check, Gradient, Spec, either
from .schema import Parameter

ANNOTATIONS = {
    "torch": {"tensor": "Tensor", "dtype": "torch.dtype"},
    "numpy": {"tensor": "np.ndarray", "dtype": "np.dtype"},
    "tiling": {"tensor": "TensorLike", "dtype": "np.dtype"},
}


def annotation(parameter: Parameter, face: str) -> str:
    kind = parameter.type.removesuffix("?")
    name = "int | Sequence[int]" if kind == "ints" else ANNOTATIONS[face].get(kind, kind)
    return f"{name} | None" if parameter.optional else name


def signature(spec: Spec, face: str) -> list[str]:
    """The parameters of a wrapper, annotated, in schema order."""
    parts, starred = [], False
    for parameter in spec.visible:
        if parameter.keyword_only and not starred:
            parts.append("*")
            starred = True
        text = f"{parameter.name}: {annotation(parameter, face)}"
        parts.append(f"{text} = {parameter.default!r}" if parameter.has_default else text)
    return parts


def keyword_only_extra(spec: Spec, *extras: str) -> list[str]:
    """The keyword-only parameters that a face adds to those of the schema, after a star where there is none yet."""
    return [*([] if any(p.keyword_only for p in spec.visible) else ["*"]), *extras]


def torch_call(spec: Spec, results: Sequence[str] = ()) -> list[str]:
    """The arguments of the function behind a wrapper; `results` are names of parameters of the wrapper."""
    given = [f"{p.name}={p.name}" if spec.composite and p.keyword_only else p.name for p in spec.visible]
    return given + list(results)


def fake_results(spec: Spec) -> list[str]:
    """The parameters of a fake kernel for the tensors that results may go to."""
    return [f"{output}: Tensor | None = None" for output in spec.outputs]


def numpy_call(spec: Spec, tensors: str) -> list[str]:
    """The arguments of the native call. tensors: numpy or tiling, the face that calls."""
    arguments = []
    for parameter in spec.visible:
        if parameter.is_tensor:
            function = "optional_array" if parameter.optional else "array"
            arguments.append(f"{function}({parameter.name})" if tensors == "numpy" else parameter.name)
        elif parameter.length:
            arguments.append(f"sizes({parameter.name}, {parameter.length})")
        elif parameter.length == 0:
            arguments.append(f"sizes({parameter.name}, 1)")
        else:
            arguments.append(parameter.name)
    return arguments


def composite_call(spec: Spec) -> list[str]:
    """The arguments of a composite on arrays: tensors become arrays, attributes stay as they are."""
    return [
        text if parameter.is_tensor or not parameter.keyword_only else f"{parameter.name}={text}"
        for parameter, text in zip(spec.visible, numpy_call(spec, "numpy"), strict=True)
    ]


def result(spec: Spec, face: str) -> str:
    tensor = ANNOTATIONS[face]["tensor"]
    return tensor if len(spec.outputs) == 1 else f"tuple[{', '.join([tensor] * len(spec.outputs))}]"


def _tensor_facts(spec: Spec, name: str, cpu: bool) -> str:
    facts = [spec.patterns[name].text] if name in spec.patterns else []
    if name in spec.same_dtype:
        facts.append(f"dtype of {spec.same_dtype[name]}")
    else:
        facts.append(either(spec.dtypes[name] + (spec.cpu_dtypes.get(name, []) if cpu else [])))
    return ", ".join(facts)


def parameter_facts(spec: Spec, name: str, cpu: bool = True) -> str:
    """Shape and dtypes of a tensor, or the type of an attribute."""
    if name in spec.outputs or spec.parameter(name).is_tensor:
        return _tensor_facts(spec, name, cpu)
    return spec.parameter(name).schema_type


def docstring(spec: Spec, face: str) -> str:
    """The body of a wrapper's docstring, indented by four."""
    wide = 100
    lines = [spec.summary]
    if spec.details:
        lines += ["", *textwrap.wrap(" ".join(spec.details.split()), wide)]
    lines += ["", "Args:"]
    for parameter in spec.visible:
        if parameter.is_tensor and face == "tiling":
            text = f"{parameter.name}: an array, or (shape, dtype); {parameter_facts(spec, parameter.name, False)}"
        else:
            text = f"{parameter.name}: {spec.docs[parameter.name]}"
            if parameter.is_tensor:
                text += f"; {parameter_facts(spec, parameter.name, face in ('torch', 'cpu'))}"
        lines += textwrap.wrap(text, wide - 4, initial_indent="    ", subsequent_indent="        ")
    arrays = "an array for the result" if len(spec.outputs) == 1 else "a tuple of arrays for the results"
    out = [] if spec.composite else [f"    out: {arrays}, of any strides; new when None"]
    tensors = "a tensor for the result" if len(spec.outputs) == 1 else "a tuple of tensors for the results"
    shared = "of any strides, without memory shared with inputs, without gradient"
    lines += {
        "torch": [] if spec.composite else [f"    out: {tensors}, {shared}; new when None"],
        "cpu": out,
        "aclnn": out,
        "tiling": [
            "    soc: name of the device to plan for, as the runtime spells it; the current device when None",
            "    cores: number of vector cores to plan for; that of the device when None",
            "    ub_bytes: bytes of Unified Buffer of a vector core to plan for; those of the device when None",
        ],
    }.get(face, [])
    lines += ["", "Returns:"]
    if face == "tiling":
        lines.append(
            "    The plan: tiling key, block_dim, workspace, ub_bytes, and the fields of the tiling struct."
        )
    else:
        for output in spec.outputs:
            text = f"{output}: {spec.docs[output]}; {parameter_facts(spec, output, face in ('torch', 'cpu'))}"
            lines += textwrap.wrap(text, wide - 4, initial_indent="    ", subsequent_indent="        ")
    error = "RuntimeError" if face == "torch" else "ValueError"
    if spec.composite:
        return textwrap.indent(
            "\n".join([*lines, "", "Raises:", f"    {error}: where {spec.composite} raises it"]), "    "
        )
    lines += ["", "Raises:", f"    {error}: one of these does not hold, checked in this order"]
    for check in spec.checks:
        subject = next((p for p in spec.parameters if p.name == check.subject), None)
        if subject is not None and subject.internal:
            continue
        text = cpp.check_text(spec, check)
        lines += textwrap.wrap(text, wide - 6, initial_indent="      - ", subsequent_indent="        ")
    lines += ["", f"Source: {'; '.join(spec.source)}."]
    return "\n".join(f"    {line}" if line else "" for line in lines).replace("\\", "\\\\")


# --- fake kernels and autograd -------------------------------------------------------------------------------------


def fake_values(spec: Spec) -> list[str]:
    """Statements that give attributes the values that conditions see.

    An int that stands for an array becomes the array; an internal parameter gets its default.
    """
    spread = [p for p in spec.visible if p.length and isinstance(p.default, int)]
    return [
        f"{p.name} = [{p.name}] * {p.length} if isinstance({p.name}, int) else {p.name}" for p in spread
    ] + [
        f"{p.name} = {p.default_value() if p.has_default else None!r}" for p in spec.parameters if p.internal
    ]


def fake_condition(spec: Spec, check: Check) -> str:
    """An expression that is true where the check holds, for tensors whose sizes may be symbolic."""
    subject = check.subject
    match check.kind:
        case "rank":
            return f"{subject}.ndim == {len(check.pattern.dims)}"
        case "length":
            return f"len({subject}) == {check.length}"
        case "require":
            return check.expression.python()
        case "shape":
            dims = check.pattern.dims
            if dims is None:
                return f"list({subject}.shape) == list({check.pattern.whole.python()})"
            tests = [f"{subject}.shape[{i}] == {dim.python()}" for i, dim in enumerate(dims)
                     if check.pattern.binds[i] is None]  # fmt: skip
            return " and ".join(tests)
        case "dtype":
            names = check.dtypes + check.cpu_dtypes
            listed = ", ".join(f"torch.{name}" for name in names)
            return f"{subject}.dtype in ({listed}{',' if len(names) == 1 else ''})"
        case "same_dtype":
            return f"{subject}.dtype == {check.same_as}.dtype"
    raise AssertionError(check.kind)


def fake_message(spec: Spec, check: Check) -> str:
    """An f-string: the message of a failed check, the same as that of the C++."""
    name, _, text = cpp.check_text(spec, check).partition(": ")
    message = f"{spec.name}: {name}: expected {text}".replace("{", "{{").replace("}", "}}")
    return 'f"' + message.replace("\\", "\\\\").replace('"', '\\"') + f', got {_got(spec, check)}"'


def _got(spec: Spec, check: Check) -> str:
    """The part of the f-string that shows the given value."""

    def shown(name: str) -> str:
        if not spec.scope[name].type.startswith("tensor"):
            return f"{{{name}}}"
        shape = f"tuple({name}.shape)"
        return (
            f"{{{shape} if {name} is not None else 'none'}}" if spec.optional_tensor(name) else f"{{{shape}}}"
        )

    subject = check.subject
    match check.kind:
        case "rank":
            return f"rank {{{subject}.ndim}} {{tuple({subject}.shape)}}"
        case "length":
            return f"{{len({subject})}}"
        case "shape":
            return f"{{tuple({subject}.shape)}}"
        case "dtype" | "same_dtype":
            return f"{{{subject}.dtype}}"
    is_tensor = spec.scope[subject].type.startswith("tensor")
    others = ", ".join(f"{name} = {shown(name)}" for name in check.shown)
    return f"{'shape ' if is_tensor else ''}{shown(subject)}" + (f" with {others}" if others else "")


def fake_output(spec: Spec, output: str) -> str:
    pattern = spec.patterns[output]
    shape = (
        pattern.whole.python() if pattern.dims is None else f"[{', '.join(d.python() for d in pattern.dims)}]"
    )
    if output in spec.same_dtype:
        dtype = f"{spec.same_dtype[output]}.dtype"
    elif output in spec.dtype_from:
        chosen = spec.dtype_from[output]
        dtype = (
            f"{chosen.text} or torch.{spec.dtypes[output][0]}" if chosen.type.endswith("?") else chosen.text
        )
    else:
        dtype = f"torch.{spec.dtypes[output][0]}"
    empty = f"{spec.tensors[0].name}.new_empty({shape}, dtype={dtype})"
    like = spec.memory_format.get(output)
    return f"formatted({empty}, {like})" if like else empty


def fake_sizes(spec: Spec) -> list[str]:
    """Statements that define the names of sizes."""
    lines = []
    for pattern in spec.patterns.values():
        for index, name in enumerate(pattern.binds):
            if name:
                value = f"{pattern.tensor}.shape[{index}]"
                optional = spec.optional_tensor(pattern.tensor)
                lines.append(
                    f"{name} = {value} if {pattern.tensor} is not None else 0"
                    if optional
                    else f"{name} = {value}"
                )
    return lines + [f"{name} = {expression.python()}" for name, expression in spec.lets.items()]


class _Saved(ast.NodeTransformer):
    """Replaces `x.shape` by the saved value x_shape. Other expressions stay as they are."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr == "shape":
            return ast.Name(id=f"{node.value.id}_shape", ctx=ast.Load())
        return self.generic_visit(node)


def gradient_plan(spec: Spec) -> dict[str, object]:
    """What autograd saves in the forward call, and what it calls in the backward call.

    tensors: names of the tensors to save.
    values: name -> expression of each other value to save.
    calls: for each gradient call its targets, operator and arguments.
    returns: what backward returns, one expression for each positional parameter.
    keywords, positional: names of the keyword-only and of the other parameters.
    """
    tensors, values, calls = [], {}, []
    grads = {f"grad_{output}" for output in spec.outputs}
    names = {parameter.name: parameter for parameter in spec.visible}
    for gradient in spec.backward:
        arguments = []
        for expression in gradient.arguments:
            tree = _Saved().visit(ast.parse(expression.python(), mode="eval").body)
            arguments.append(ast.unparse(tree))
            for node in ast.walk(tree):
                if not isinstance(node, ast.Name) or node.id in grads:
                    continue
                base = node.id.removesuffix("_shape")
                if node.id.endswith("_shape") and base in names:
                    values[node.id] = f"{base}.shape"
                elif node.id in spec.outputs or (node.id in names and names[node.id].is_tensor):
                    if node.id not in tensors:
                        tensors.append(node.id)
                elif node.id in names:
                    values[node.id] = node.id
        calls.append(
            {
                "targets": ", ".join(gradient_targets(gradient)),
                "operator": gradient.operator,
                "arguments": arguments,
            }
        )
    found = {name for gradient in spec.backward for name in gradient.inputs}
    positional = [parameter for parameter in spec.visible if not parameter.keyword_only]
    returns = []
    for position, parameter in enumerate(positional):
        gradient = f"grad_of_{parameter.name}" if parameter.name in found else "None"
        if parameter.optional and parameter.name in found:
            gradient += f" if ctx.needs_input_grad[{position}] else None"
        returns.append(gradient)
    return {"tensors": tensors, "values": values, "calls": calls, "returns": returns,
            "keywords": [p.name for p in spec.visible if p.keyword_only],
            "positional": [p.name for p in positional]}  # fmt: skip


def transforms(spec: Spec) -> list[str]:
    """The arguments of `register`: what autograd, torch.autocast and torch.func get to know about an operator."""
    arguments = [spec.name, f"fake=_{spec.name}_fake", f"out={json.dumps(spec.torch_out_schema)}"]
    if spec.backward:
        arguments.append(f"gradient=Gradient(_{spec.name}_setup, _{spec.name}_backward)")
    elif spec.has_floating_results:
        arguments.append(f'gradient=no_gradient("{spec.name}")')
    if spec.autocast != "widest":
        arguments.append(f'autocast="{spec.autocast}"')
    if spec.folds:
        folds = [f"Fold({f.inputs!r}, {f.results!r}{f', {f.ints!r}' if f.ints else ''})" for f in spec.folds]
        arguments.append(f"folds=[{', '.join(folds)}]".replace("'", '"'))
    if spec.leading:
        arguments.append(f'leading="{spec.leading}"')
    return arguments


def gradient_targets(gradient: Gradient) -> list[str]:
    return [f"grad_of_{name}" for name in gradient.inputs]


# --- examples and bad calls ---------------------------------------------------------------------------------------


def example_values(spec: Spec) -> dict[str, object]:
    """The tensors and attributes of the example call, for the templates of examples."""
    call = example_call(spec)
    values = sizes_of(spec, call)
    return {
        "tensors": {name: value for name, value in call.values.items() if isinstance(value, Shaped)},
        "values": values,
    }


def python_example(spec: Spec, face: str) -> str:
    """The example as a Python call."""
    values = example_call(spec).values
    parts = []
    for parameter in spec.visible:
        value = values[parameter.name]
        if parameter.is_tensor:
            if isinstance(value, Shaped):
                parts.append(_python_tensor(value, face))
        elif parameter.name in spec.example:
            literal = repr(spec.example[parameter.name])
            parts.append(f"{parameter.name}={literal}" if parameter.keyword_only else literal)
    return f"{spec.name}({', '.join(parts)})"


def _python_tensor(tensor: Shaped, face: str) -> str:
    shape = ", ".join(map(str, tensor.shape)) + ("," if len(tensor.shape) == 1 and face != "torch" else "")
    floating = DTYPES[tensor.dtype].floating
    if face == "torch":
        return f"torch.rand({shape})" if floating else f"torch.zeros({shape}, dtype=torch.{tensor.dtype})"
    return f"np.ones(({shape}), np.{tensor.dtype})"


def c_example_value(spec: Spec, name: str) -> str:
    """The C++ literal of a scalar argument of the example."""
    value = example_call(spec).values[name]
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value) if isinstance(value, str) else repr(0 if value is None else value)


HOST_TYPES = {
    "float32": "float",
    "float64": "double",
    "bool": "uint8_t",
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
}


def bad_inputs(specs: list[Spec]) -> str:
    """The bad calls of all contracts, as JSON."""
    rows = []
    for spec in specs:
        entries = {entry.name: entry for entry in spec.entries}
        rows += [bad.to_json(entries[bad.entry]) for bad in violations(spec)]
    return json.dumps(rows, indent=1) + "\n"


FILTERS = {
    "signature": signature,
    "keyword_only_extra": keyword_only_extra,
    "torch_call": torch_call,
    "fake_results": fake_results,
    "numpy_call": numpy_call,
    "composite_call": composite_call,
    "python_result": result,
    "docstring": docstring,
    "parameter_facts": parameter_facts,
    "fake_condition": fake_condition,
    "fake_values": fake_values,
    "fake_message": fake_message,
    "fake_output": fake_output,
    "fake_sizes": fake_sizes,
    "gradient_plan": gradient_plan,
    "transforms": transforms,
    "example_values": example_values,
    "python_example": python_example,
    "c_example_value": c_example_value,
    "host_type": lambda name: HOST_TYPES.get(name, f"{name}_t"),
    "product": math.prod,
    "torch_dtype": lambda name: f"torch.{name}",
}
