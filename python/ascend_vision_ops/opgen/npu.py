# SPDX-License-Identifier: Apache-2.0
"""The filters of the npu target's templates, and the hand-written files of its custom-operator project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ascend_vision_ops.paths import contract_files

from . import cpp
from .model import DTYPES, Entry, Spec, atc_name, snake
from .nodes import Node
from .schema import Parameter


@dataclass(frozen=True)
class Attribute:
    """One attribute of the operator definition. A parameter may need several."""

    name: str
    kind: str  # Int, Float, Bool, String, ListInt
    parameter: Parameter
    role: str = "value"  # value, bits (of a double), given (of an optional one)


def attributes(spec: Spec) -> list[Attribute]:
    """The attributes of the operator definition, in order."""
    kinds = {
        "int": "Int",
        "float": "Float",
        "bool": "Bool",
        "str": "String",
        "ints": "ListInt",
        "dtype": "Int",
    }
    result = []
    for parameter in spec.ordered:
        if parameter.is_tensor:
            continue
        kind = spec.field_type(parameter)
        base = kind.removesuffix("?")
        result.append(Attribute(parameter.name, kinds[base], parameter))
        if base == "float":
            result.append(Attribute(f"{parameter.name}_bits", "Int", parameter, "bits"))
        if kind.endswith("?"):
            result.append(Attribute(f"{parameter.name}_given", "Bool", parameter, "given"))
    return result


def op_def_attributes(spec: Spec) -> list[str]:
    """Statements that declare the attributes. An attribute with a default in the contract is optional."""
    lines = []
    for attribute in attributes(spec):
        parameter = attribute.parameter
        if attribute.role != "value":
            value = "0" if attribute.role == "bits" else "false"
            lines.append(f'this->Attr("{attribute.name}").AttrType(OPTIONAL).{attribute.kind}({value});')
            continue
        if not parameter.has_default:
            lines.append(f'this->Attr("{attribute.name}").AttrType(REQUIRED).{attribute.kind}();')
            continue
        lines.append(
            f'this->Attr("{attribute.name}").AttrType(OPTIONAL).{attribute.kind}({_default(spec, parameter)});'
        )
    return lines


def _default(spec: Spec, parameter: Parameter) -> str:
    kind = spec.field_type(parameter).removesuffix("?")
    text = cpp.default(spec, parameter)
    if text == "std::nullopt":
        return {"str": '""', "ints": "{}", "bool": "false"}.get(kind, "0")
    if kind == "float":
        return f"static_cast<float>({text})"
    return f"std::vector<int64_t>{text}" if kind == "ints" else text


def gert_attributes(spec: Spec) -> list[str]:
    """Statements that copy the attributes into Args."""
    lines = []
    found = attributes(spec)
    for index, attribute in enumerate(found):
        if attribute.role != "value":
            continue
        name, kind = attribute.name, spec.field_type(attribute.parameter)
        base = kind.removesuffix("?")
        text = {
            "int": f"*attributes->GetInt({index})",
            "float": f"avo::DoubleAttribute(*attributes, {index})",
            "bool": f"*attributes->GetBool({index})",
            "str": f"attributes->GetStr({index})",
            "ints": f"avo::ListAttribute(*attributes, {index})",
            "dtype": f"static_cast<avo::DType>(*attributes->GetInt({index}))",
        }[base]
        if kind.endswith("?"):
            given = next(i for i, other in enumerate(found) if other.name == f"{name}_given")
            lines.append(f"if (*attributes->GetBool({given})) args->{name} = {text};")
        else:
            lines.append(f"args->{name} = {text};")
    return lines


def all_known(spec: Spec) -> str:
    tests = []
    for parameter in spec.ordered:
        if parameter.is_tensor and parameter.optional:
            tests.append(f"(!args.{parameter.name} || avo::IsKnown(*args.{parameter.name}))")
        elif parameter.is_tensor:
            tests.append(f"avo::IsKnown(args.{parameter.name})")
    return " && ".join(tests)


def gert_rank(spec: Spec, output: str) -> str:
    pattern = spec.patterns[output]
    if pattern.dims is None:
        first = next(parameter for parameter in spec.ordered if parameter.is_tensor)
        return f"args.{first.name}.shape.size()"
    return str(len(pattern.dims))


def gert_output_dtype(spec: Spec, output: str) -> str:
    source = spec.same_dtype.get(output, output)
    inputs = [parameter.name for parameter in spec.ordered if parameter.is_tensor]
    if source in inputs:
        return f"context->GetRequiredInputDataType({inputs.index(source)})"
    return f"ge::{DTYPES[spec.dtypes[source][0]].ge}"


def ge_column(spec: Spec, tensor: str) -> list[str]:
    """The dtype of a tensor in each combination of dtypes, as the operator definition lists them."""
    return [f"ge::{DTYPES[spec.dtype_of(tensor, instance)].ge}" for instance in spec.instances]


def kernel_dtypes(spec: Spec, instance: dict[str, str]) -> list[str]:
    """The dtypes of the kernel's tensors in one combination, as graphs name them."""
    return [f"ge::{DTYPES[spec.dtype_of(tensor, instance)].ge}" for tensor in spec.kernel_tensors]


def inner_declarations(spec: Spec) -> list[str]:
    """Parameters of the entry point that opbuild makes: inputs, attributes, outputs."""
    kinds = {
        "Int": "int64_t ",
        "Float": "double ",
        "Bool": "bool ",
        "String": "char *",
        "ListInt": "const aclIntArray *",
    }
    inputs = [f"const aclTensor *{parameter.name}" for parameter in spec.ordered if parameter.is_tensor]
    values = [f"{kinds[attribute.kind]}{attribute.name}" for attribute in attributes(spec)]
    outputs = [f"const aclTensor *{output}" for output in spec.ordered_outputs]
    return [*inputs, *values, *outputs, "uint64_t *workspaceSize", "aclOpExecutor **executor"]


def inner_arguments(spec: Spec, entry: Entry) -> list[str]:
    """The arguments that the documented entry point passes on, without the two results of the first phase."""
    empty = {"int": "0", "float": "0.0", "bool": "false", "str": '""', "dtype": "avo::DType::kFloat32"}
    passed = [cpp.argument_name(entry, parameter.name) for parameter in spec.ordered if parameter.is_tensor]
    for attribute in attributes(spec):
        field = f"args.{attribute.parameter.name}"
        optional = spec.field_type(attribute.parameter).endswith("?")
        value = (
            f"{field}.value_or({empty[spec.field_type(attribute.parameter).removesuffix('?')]})"
            if optional
            else field
        )
        if attribute.role == "given":
            passed.append(f"{field}.has_value()")
        elif attribute.role == "bits":
            passed.append(f"avo::DoubleBits({value})")
        elif attribute.kind == "ListInt":
            own = own_array(spec, entry, attribute.parameter)
            name = attribute.parameter.name
            passed.append(f"own_{name}.get()" if own else entry.argument_of(name).name)
        elif attribute.kind == "String":
            passed.append(f"{value}.data()")
        elif spec.field_type(attribute.parameter).startswith("dtype"):
            passed.append(f"static_cast<int64_t>({value})")
        else:
            passed.append(value)
    return passed + [f"results[{index}]" for index in range(len(spec.outputs))]


def entry_results(spec: Spec, entry: Entry) -> list[str]:
    """The results of an entry point in the order of the operator definition: name, checked view, tensor."""
    names = [(cpp.argument_name(entry, output), output) for output in spec.ordered_outputs]
    return [f'{{"{name}", &args.{output}, {name}}}' for name, output in names]


def own_array(spec: Spec, entry: Entry, parameter: Parameter) -> bool:
    """Whether an entry point passes on an int array that it made from Args, instead of the caller's."""
    argument = entry.argument_of(parameter.name)
    if parameter.type != "ints":
        return False
    return argument is None or argument.spread is not None or argument.bools


def plugin_attributes(spec: Spec) -> list[str]:
    """Statements that copy the attributes of Args to an operator of a graph; the opposite of `gert_attributes`."""
    empty = {"int": "int64_t{0}", "float": "0.0", "bool": "false", "dtype": "DType::kFloat32"}
    lines = []
    for attribute in attributes(spec):
        kind = spec.field_type(attribute.parameter)
        field, base = f"args.{attribute.parameter.name}", kind.removesuffix("?")
        value = f"{field}.value_or({empty[base]})" if kind.endswith("?") else field
        if attribute.role == "given":
            value = f"{field}.has_value()"
        elif attribute.role == "bits":
            value = f"DoubleBits({value})"
        elif base == "float":
            value = f"static_cast<float>({value})"
        elif base == "dtype":
            value = f"static_cast<int64_t>({value})"
        elif base == "str":
            value = f"ge::AscendString({value}.c_str())"
        lines.append(f'target.SetAttr("{attribute.name}", {value});')
    return lines


ATC_OPSETS = (
    8,
    18,
)  # first and last operator set that ATC reads; a node without a domain belongs to one of them


def atc_names(group: list[Node]) -> list[str]:
    """The names of nodes in models for ATC."""
    return list(dict.fromkeys(atc_name(node.domain, node.name) for node in group))


def in_operator_order(spec: Spec, node: Node) -> bool:
    """Whether a node has its tensors in the order of the operator definition. ATC's parser connects them by place."""
    inputs = [parameter.name for parameter in spec.ordered if parameter.is_tensor]
    given = [item.parameter for item in node.inputs]
    return inputs[: len(given)] == given and spec.ordered_outputs[: len(node.outputs)] == list(node.outputs)


def gert_unbatched(spec: Spec) -> list[tuple[str, int]]:
    """The inputs that may come without their first dimension, and their ranks with it."""
    return [(a.target, rank) for a, rank in spec.batched(spec.entry) if not a.output]


def kernel_file_stem(spec: Spec) -> str:
    """The name of the file that opbuild looks for, without suffix: the operator type in snake case."""
    return snake(spec.op_type)


FILTERS = {
    "own_array": own_array,
    "plugin_attributes": plugin_attributes,
    "atc_names": atc_names,
    "gert_unbatched": gert_unbatched,
    "op_def_attributes": op_def_attributes,
    "gert_attributes": gert_attributes,
    "all_known": all_known,
    "gert_rank": gert_rank,
    "gert_output_dtype": gert_output_dtype,
    "ge_column": ge_column,
    "cpp_dtype": lambda name: DTYPES[name].cpp,
    "kernel_dtypes": kernel_dtypes,
    "inner_declarations": inner_declarations,
    "inner_arguments": inner_arguments,
    "entry_results": entry_results,
    "kernel_file_stem": kernel_file_stem,
}


def copied_files(specs: list[Spec], root: Path) -> Iterator[tuple[str, str]]:
    """The hand-written sources of the package, under the paths that they have in the source tree."""
    left_out = contract_files(root / "op_host").keys() - {spec.name for spec in specs}
    paths = [
        *root.glob("op_host/**/*"),
        *root.glob("op_kernel/**/*"),
        root / "op_cpu/common/parallel/parallel.h",
    ]
    for path in sorted(paths):
        operator = path.stem.removesuffix("_tiling")
        if path.suffix in (".h", ".cpp") and path.exists() and operator not in left_out:
            yield str(path.relative_to(root)), path.read_text(encoding="utf-8")
