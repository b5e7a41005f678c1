# SPDX-License-Identifier: Apache-2.0
"""The filters of the C++ templates: C++ text for parts of a contract."""

from __future__ import annotations

import json
import textwrap

from .expr import Name, text_pieces
from .model import DTYPES, Argument, Check, Entry, Spec, either
from .schema import Parameter

TYPES = {"int": "int64_t", "float": "double", "bool": "bool", "str": "std::string", "dtype": "DType",
         "ints": "Shape", "tensor": "Tensor"}  # fmt: skip
# AIV_ONLY and AIC_ONLY would run without the scheduler that lets cores wait for each other.
TASK_TYPES = {
    "vector": "KERNEL_TYPE_MIX_AIV_1_0",
    "cube": "KERNEL_TYPE_MIX_AIC_1_0",
    "mixed": "KERNEL_TYPE_MIX_AIC_1_2",
}
KERNEL_KINDS = {"vector": "kVector", "cube": "kCube", "mixed": "kMixed12"}


def cstr(text: str) -> str:
    """A C++ string literal."""
    return json.dumps(text, ensure_ascii=False)


def field_type(spec: Spec, parameter: Parameter) -> str:
    kind = spec.field_type(parameter)
    name = TYPES[kind.removesuffix("?")]
    return f"std::optional<{name}>" if kind.endswith("?") else name


def field(spec: Spec, parameter: Parameter) -> str:
    """A member of Args."""
    if parameter.is_tensor:
        return f"{field_type(spec, parameter)} {parameter.name}"
    initial = {"int64_t": " = 0", "double": " = 0", "bool": " = false", "DType": " = DType::kFloat32"}
    kind = field_type(spec, parameter)
    return f"{kind} {parameter.name}{initial.get(kind, '')}"


def spell(spec: Spec):
    """C++ for a name of the contract, where `args` and the locals of sizes are in scope."""

    def spelled(name: str) -> str:
        return name if spec.scope[name].dimension else f"args.{name}"

    return spelled


def _access(spec: Spec, tensor: str) -> str:
    return "->" if spec.optional_tensor(tensor) else "."


def dimension(spec: Spec, tensor: str, index: int) -> str:
    value = f"args.{tensor}{_access(spec, tensor)}shape[{index}]"
    return f"args.{tensor} ? {value} : 0" if spec.optional_tensor(tensor) else value


def shape(spec: Spec, tensor: str) -> str:
    """An expression for the shape of a tensor."""
    pattern = spec.patterns[tensor]
    if pattern.dims is None:
        return pattern.whole.cpp(spell(spec))
    return "Shape{" + ", ".join(dim.cpp(spell(spec)) for dim in pattern.dims) + "}"


def output_dtype(spec: Spec, output: str) -> str:
    if output in spec.same_dtype:
        return f"args.{spec.same_dtype[output]}{_access(spec, spec.same_dtype[output])}dtype"
    default = f"DType::{DTYPES[spec.dtypes[output][0]].cpp}"
    if output in spec.dtype_from:
        chosen = spec.dtype_from[output]
        return (
            f"{chosen.cpp(spell(spec))}.value_or({default})"
            if chosen.type.endswith("?")
            else chosen.cpp(spell(spec))
        )
    return default


def condition(spec: Spec, check: Check) -> str:
    """An expression that is true when the check fails."""
    tensor = f"args.{check.subject}{_access(spec, check.subject)}"
    guards = [
        guard for guard, on in (("outputs", check.output), (f"args.{check.subject}", check.optional)) if on
    ]
    match check.kind:
        case "rank":
            failed = f"{tensor}rank() != {len(check.pattern.dims)}"
        case "length":
            failed = f"args.{check.subject}.size() != {check.length}"
        case "require":
            failed = f"!({check.expression.cpp(spell(spec))})"
        case "shape":
            failed = f"{tensor}shape != {shape(spec, check.subject)}"
        case "dtype":
            failed = f"!IsOneOf({tensor}dtype, {{{_dtype_list(check.dtypes)}}})"
            if check.cpu_dtypes:
                more = f"!IsOneOf({tensor}dtype, {{{_dtype_list(check.cpu_dtypes)}}})"
                failed += f" && (target != Target::kCpu || {more})"
        case "same_dtype":
            failed = f"{tensor}dtype != args.{check.same_as}{_access(spec, check.same_as)}dtype"
        case _:
            raise AssertionError(check.kind)
    return " && ".join([*guards, failed if not guards or " && " not in failed else f"({failed})"])


def _dtype_list(names: list[str]) -> str:
    return ", ".join(f"DType::{DTYPES[name].cpp}" for name in names)


def _pieces(pieces: list[str | Name]) -> list[str]:
    return [f"names.{piece.name}" if isinstance(piece, Name) else cstr(piece) for piece in pieces]


def value(spec: Spec, name: str) -> str:
    """An expression for the value of a parameter or size as text."""
    symbol = spec.scope[name]
    spelled = spell(spec)(name)
    if symbol.type.startswith("tensor"):
        shown = f"Show({spelled}{_access(spec, name)}shape)"
        return f'({spelled} ? {shown} : "none")' if spec.optional_tensor(name) else shown
    return f"ShowList({spelled})" if symbol.type == "ints" else f"Show({spelled})"


def message(spec: Spec, check: Check) -> list[str]:
    """The arguments of Fail for a failed check: the parts of the message."""
    tensor = f"args.{check.subject}{_access(spec, check.subject)}"
    parts = [f"names.{check.subject}"]
    match check.kind:
        case "rank":
            rank = f"rank {len(check.pattern.dims)} "
            parts += [cstr(f": expected {rank}"), *_pieces(check.pattern.prose()), cstr(", got rank "),
                      f"{tensor}rank()", cstr(" "), f"Show({tensor}shape)"]  # fmt: skip
        case "length":
            plural = "s" if check.length > 1 else ""
            parts += [
                cstr(f": expected {check.length} element{plural}, got "),
                f"args.{check.subject}.size()",
            ]
        case "require":
            is_tensor = spec.scope[check.subject].type.startswith("tensor")
            parts += [cstr(": expected "), *_pieces(check.expected),
                      cstr(", got shape " if is_tensor else ", got "), value(spec, check.subject)]  # fmt: skip
            for index, name in enumerate(check.shown):
                label = cstr(name) if spec.scope[name].dimension else f"names.{name}"
                parts += [cstr(" with " if index == 0 else ", "), label, cstr(" = "), value(spec, name)]
        case "shape":
            parts += [cstr(": expected shape "), *_pieces(check.expected), cstr(" = "),
                      f"Show({shape(spec, check.subject)})", cstr(", got "), f"Show({tensor}shape)"]  # fmt: skip
        case "dtype":
            wanted = [cstr(f": expected {either(check.dtypes)}")]
            if check.cpu_dtypes:
                more = cstr(f": expected {either([*check.dtypes, *check.cpu_dtypes])}")
                wanted = [f"target == Target::kCpu ? {more} : {wanted[0]}"]
            parts += [*wanted, cstr(", got "), f"DTypeName({tensor}dtype)"]
        case "same_dtype":
            other = f"args.{check.same_as}{_access(spec, check.same_as)}dtype"
            parts += [cstr(": expected the dtype of "), f"names.{check.same_as}", cstr(", "), f"DTypeName({other})",
                      cstr(", got "), f"DTypeName({tensor}dtype)"]  # fmt: skip
    return ["StatusCode::kInvalid", *_merged(parts)]


def _merged(parts: list[str]) -> list[str]:
    """Joins string literals that stand beside each other."""
    merged: list[str] = []
    for part in parts:
        if merged and part.startswith('"') and merged[-1].startswith('"'):
            merged[-1] = merged[-1][:-1] + part[1:]
        else:
            merged.append(part)
    return merged


def default(spec: Spec, parameter: Parameter) -> str:
    """The default that the contract sees of a parameter for which an entry point has no argument."""
    content = _normal_default(spec, parameter)
    if parameter.is_tensor or content is None:
        return "std::nullopt"
    if isinstance(content, bool):
        return str(content).lower()
    if isinstance(content, list):
        return "{" + ", ".join(map(str, content)) + "}"
    return cstr(content) if isinstance(content, str) else repr(content)


def _normal_default(spec: Spec, parameter: Parameter) -> object:
    """The default that the contract sees. It is not known beforehand where it is the value of another parameter."""
    content = parameter.default_value()
    normal = spec.normal.get(parameter.name)
    if normal is None or normal.names != [parameter.name]:
        return content
    return normal.evaluate({parameter.name: content})


def from_acl(spec: Spec, argument: Argument, ints: str, refuse: str) -> str:
    """A statement that copies an argument of an entry point into Args. `ints` is C++ that reads an aclIntArray, and
    `refuse` gives what the entry point returns for a status.
    """
    target = f"args.{argument.target}"
    if argument.spread:
        return _spread_from_acl(argument, ints.format(argument.name), refuse)
    if spec.optional_tensor(argument.target):
        return f"if ({argument.name} != nullptr) {target} = avo::FromAcl({argument.name});"
    if argument.is_tensor:
        return f"{target} = avo::FromAcl({argument.name});"
    if argument.ctype.endswith("aclIntArray *") or argument.bools:
        return f"{target} = {ints.format(argument.name)};"
    if argument.ctype == "aclDataType":
        return f"{target} = static_cast<avo::DType>({argument.name});"
    return f"{target} = {argument.name};"


def _spread_from_acl(argument: Argument, given: str, refuse: str) -> str:
    """Statements that check the length of an array and copy it into the one or two parameters that it stands for."""
    spread, lengths = argument.spread, argument.spread.lengths
    values = f"{argument.name}_given"
    empty = spread.empty or 0
    lines = [
        f"const avo::Shape {values} = {given};",
        f"if (!avo::HasLength({values}, {{{', '.join(map(str, lengths))}}})) {{",
        f"  return {refuse}(avo::Fail(avo::StatusCode::kInvalid,",
        f'                          "{argument.name}: expected {either([str(n) for n in lengths])} elements, got ",',
        f"                          {values}.size()));",
        "}",
        f"args.{argument.target} = avo::Spread({values}, {spread.length}, {empty}, 0);",
    ]
    if spread.second == argument.target:
        lines += [
            f"if (avo::Spread({values}, {spread.length}, {empty}, 1) != args.{argument.target}) {{",
            f"  return {refuse}(avo::Fail(avo::StatusCode::kInvalid,",
            f'                          "{argument.name}: expected both halves alike, got ",',
            f"                          avo::ShowList({values})));",
            "}",
        ]
    elif spread.second:
        lines.append(f"args.{spread.second} = avo::Spread({values}, {spread.length}, {empty}, 1);")
    return "\n  ".join(lines)


def internal_value(spec: Spec, parameter: Parameter) -> str:
    """The value that torch and NumPy pass for a parameter that only C entry points have."""
    if parameter.name in spec.normal:
        return spec.normal[parameter.name].cpp(lambda name: f"args.{name}")
    return default(spec, parameter)


def required_pointers(spec: Spec, entry: Entry) -> list[str]:
    """The arguments that must not be null, in their order; the two results of the first phase come last."""
    names = [a.name for a in entry.arguments if a.pointer and spec.required(a.target)]
    return [*names, "workspaceSize", "executor"]


def unbound(spec: Spec, entry: Entry) -> list[Parameter]:
    """Parameters without an argument of the entry point whose default is not the initial value in Args."""
    return [p for p in spec.parameters if entry.argument_of(p.name) is None and not p.is_tensor]


def argument_name(entry: Entry, target: str) -> str:
    argument = entry.argument_of(target)
    return argument.name if argument else "nullptr"


def all_empty(spec: Spec) -> str:
    return " && ".join(f"args.{output}.numel() == 0" for output in spec.outputs)


def instance_name(spec: Spec, instance: dict[str, str]) -> str:
    """The function of an instance. The operator's bare name is that of a namespace, so one without a choice of dtypes
    has a name of its own, too.
    """
    return "_".join([spec.name, *(instance.values() or ["kernel"])])


def kernel_arguments(spec: Spec) -> list[str]:
    """The kernel's arguments, taken from the simulator's array: tensors, workspace, tiling."""
    return [f"static_cast<GM_ADDR>(args[{index}])" for index in range(len(spec.kernel_tensors) + 2)]


def instance_condition(spec: Spec, instance: dict[str, str]) -> str:
    """An expression that is true for a call with the dtypes of an instance."""
    tests = [f"args.{tensor}{_access(spec, tensor)}dtype == DType::{DTYPES[name].cpp}"
             for tensor, name in instance.items()]  # fmt: skip
    return " && ".join(tests) or "true"


def all_names(spec: Spec) -> list[str]:
    return [parameter.name for parameter in spec.ordered] + spec.ordered_outputs


def preliminary(spec: Spec) -> list[Check]:
    """The checks that must pass before sizes can be read: ranks and lengths."""
    return [check for check in spec.checks if check.kind in ("rank", "length")]


def conditions(spec: Spec) -> list[Check]:
    return [check for check in spec.checks if check.kind not in ("rank", "length")]


# --- torch and NumPy ----------------------------------------------------------------------------------------------

TORCH_TYPES = {"int": "int64_t", "float": "double", "bool": "bool", "str": "std::string", "dtype": "TorchType",
               "ints": "std::vector<int64_t>"}  # fmt: skip


def torch_parameters(spec: Spec, tensor: str = "TorchTensor") -> list[str]:
    """Parameters of a torch kernel, as the stable ABI boxes them; tensor: the C++ type of tensors."""
    declarations = []
    for parameter in spec.visible:
        if parameter.is_tensor:
            kind = f"const std::optional<{tensor}> &" if parameter.optional else f"const {tensor} &"
            declarations.append(f"{kind}{parameter.name}")
            continue
        kind = TORCH_TYPES[parameter.type.removesuffix("?")]
        if parameter.optional:
            kind = f"std::optional<{kind}>"
        # A copy of a list would cost an allocation.
        declarations.append(
            f"const {kind} &{parameter.name}" if "vector" in kind else f"{kind} {parameter.name}"
        )
    return declarations


def torch_out_parameters(spec: Spec) -> list[str]:
    """These parameters, and the tensors that results go to."""
    return torch_parameters(spec) + [f"const TorchTensor &{output}" for output in spec.outputs]


def torch_results(spec: Spec) -> str:
    return spec.outputs[0] if len(spec.outputs) == 1 else f"{{{', '.join(spec.outputs)}}}"


def _tensor_pointer(spec: Spec, name: str) -> str:
    return f"args.{name} ? &*args.{name} : nullptr" if spec.optional_tensor(name) else f"&args.{name}"


def named_tensors(spec: Spec, names: list[str]) -> list[str]:
    """The tensors of a call with their names; null pointers for optional tensors that are left out."""
    return [f'{{"{name}", {_tensor_pointer(spec, name)}}}' for name in names]


def entry_tensors(spec: Spec, entry: Entry, outputs: bool) -> list[str]:
    """The results or the inputs of an entry point as `named_tensors` gives them, with the entry point's names."""
    return [
        f'{{"{argument.name}", {_tensor_pointer(spec, argument.target)}}}'
        for argument in entry.arguments
        if argument.is_tensor and (argument.target in spec.outputs) == outputs
    ]


def chosen_dtypes(spec: Spec) -> list[tuple[str, str]]:
    """The outputs whose dtype an attribute chooses: output and attribute."""
    return [(output, chosen.text) for output, chosen in spec.dtype_from.items() if chosen.text in spec.scope]


def torch_result(spec: Spec) -> str:
    count = len(spec.outputs)
    return "TorchTensor" if count == 1 else f"std::tuple<{', '.join(['TorchTensor'] * count)}>"


def torch_value(spec: Spec, parameter: Parameter) -> str:
    """An expression that converts a torch argument to the field of Args."""
    if parameter.name in spec.normal:
        return spec.normal[parameter.name].cpp(lambda name: name)
    what = f"{spec.name}: {parameter.name}"
    if parameter.is_tensor:
        return f'FromTorch("{what}", {parameter.name}, {spec.tensors[0].name})'
    if parameter.type == "dtype":
        return f'FromTorch("{what}", {parameter.name})'
    if parameter.type == "dtype?":
        return f'{parameter.name} ? std::make_optional(FromTorch("{what}", *{parameter.name})) : std::nullopt'
    return parameter.name


def native_attributes(spec: Spec) -> list[str]:
    """The parameters of a pybind11 function for the attributes."""
    return [
        f"{_native_type(parameter)}{parameter.name}" for parameter in spec.visible if not parameter.is_tensor
    ]


def _native_type(parameter: Parameter) -> str:
    kinds = {"int": "int64_t ", "float": "double ", "bool": "bool ", "str": "const std::string &",
             "ints": "const std::vector<int64_t> &"}  # fmt: skip
    kind = parameter.type.removesuffix("?")
    if kind == "dtype":
        return "const py::object &"
    return f"std::optional<{TYPES[kind]}> " if parameter.optional else kinds[kind]


def native_attribute_names(spec: Spec) -> str:
    return ", ".join(parameter.name for parameter in spec.visible if not parameter.is_tensor)


def native_value(spec: Spec, parameter: Parameter) -> str:
    """An expression that converts an attribute from Python to the field of Args."""
    if parameter.name in spec.normal:
        return spec.normal[parameter.name].cpp(lambda name: name)
    if parameter.type == "dtype?":
        return f"{parameter.name}.is_none() ? std::nullopt : std::make_optional(DTypeOf({parameter.name}))"
    return f"DTypeOf({parameter.name})" if parameter.type == "dtype" else parameter.name


def native_parameters(spec: Spec, face: str) -> list[str]:
    """The parameters of a pybind11 function: those of the schema, then those that the face adds."""
    result = []
    for parameter in spec.visible:
        if not parameter.is_tensor:
            result.append(f"{_native_type(parameter)}{parameter.name}")
        elif face == "Tiling":
            result.append(f"const py::object &{parameter.name}")
        else:
            kind = "std::optional<py::array>" if parameter.optional else "py::array"
            result.append(f"const {kind} &{parameter.name}")
    if face == "Tiling":
        return [*result, "std::optional<std::string> soc", "std::optional<int64_t> cores",
                "std::optional<int64_t> ub_bytes"]  # fmt: skip
    return result + [f"const std::optional<py::array> &{output}" for output in spec.outputs]


def native_arg_names(spec: Spec, face: str) -> list[str]:
    names = [parameter.name for parameter in spec.visible]
    names += ["soc", "cores", "ub_bytes"] if face == "Tiling" else spec.outputs
    return [f'"{name}"_a' for name in names]


def entry_uses(spec: Spec, output: str) -> list[str]:
    """The arguments of the first entry point, from Args and the caller's tensors. `output` is the C++ of a result."""
    return [_entry_use(spec, argument, output) for argument in spec.entry.arguments]


def _entry_use(spec: Spec, argument: Argument, output: str) -> str:
    field_name = f"args.{argument.target}"
    if argument.output:
        return f"call.Output({output.format(argument.target)})"
    if argument.ctype.endswith("aclTensor *"):
        return f"call.Input({argument.target})"
    if argument.ctype.endswith("aclIntArray *"):
        return f"call.Ints({field_name})"
    if argument.bools:
        return f"call.Bools({field_name})"
    if argument.ctype == "const char *":
        return f"{field_name}.c_str()"
    given = f"{field_name}.value()" if spec.scope[argument.target].type.endswith("?") else field_name
    natural = {"int": "int64_t", "float": "double", "bool": "bool"}.get(
        spec.scope[argument.target].type.rstrip("?")
    )
    return given if argument.ctype == natural else f"static_cast<{argument.ctype}>({given})"


def torch_unreachable(spec: Spec) -> list[tuple[str, str]]:
    """The same, from torch's types."""
    return [
        (name, f"{name}.has_value()" if differs.endswith(".is_none()") else differs)
        for name, differs in native_unreachable(spec)
    ]


def native_unreachable(spec: Spec) -> list[tuple[str, str]]:
    """Parameters without an argument of the entry point: name, and a condition that the value is not the default."""
    chosen = {name for expression in spec.dtype_from.values() for name in expression.names}
    found = []
    for parameter in spec.visible:
        if parameter.is_tensor or parameter.name in chosen or spec.entry.argument_of(parameter.name):
            continue
        if parameter.type == "dtype?":
            found.append((parameter.name, f"!{parameter.name}.is_none()"))
        elif parameter.default is None:
            found.append((parameter.name, f"{parameter.name}.has_value()"))
        else:
            value = default(spec, parameter)
            value = f"std::vector<int64_t>{value}" if parameter.type == "ints" else value
            found.append((parameter.name, f"{parameter.name} != {value}"))
    return found


def native_probe(argument: Argument) -> str:
    """A statement that reads an argument of a call of the first phase alone from the dictionary."""
    source = f'arguments["{argument.name}"]'
    if argument.ctype.endswith("aclTensor *"):
        return f"aclTensor *{argument.name} = call.Probe({source});"
    if argument.ctype.endswith("aclIntArray *"):
        return f"const aclIntArray *{argument.name} = call.ProbeInts({source});"
    if argument.bools:
        return f"const aclBoolArray *{argument.name} = call.ProbeBools({source});"
    if argument.ctype == "const char *":
        return f"const auto {argument.name} = {source}.cast<std::optional<std::string>>();"
    if argument.ctype == "aclDataType":
        return f"const auto {argument.name} = static_cast<aclDataType>(DTypeOf({source}));"
    if argument.ctype in ("int8_t", "int32_t", "int"):
        return f"const auto {argument.name} = static_cast<{argument.ctype}>({source}.cast<int>());"
    return f"const auto {argument.name} = {source}.cast<{argument.ctype}>();"


def native_entry(argument: Argument) -> str:
    """A statement that reads an argument of a whole call from the dictionary."""
    source = f'arguments["{argument.name}"]'
    if argument.output:
        return f"aclTensor *{argument.name} = call.Output({source}.cast<py::array>(), false);"
    if argument.ctype.endswith("aclTensor *"):
        return f"const aclTensor *{argument.name} = call.Input({source}.cast<std::optional<py::array>>());"
    return native_probe(argument)


def native_result(spec: Spec) -> str:
    arrays = [f"{output}_array" for output in spec.outputs]
    return arrays[0] if len(arrays) == 1 else f"py::make_tuple({', '.join(arrays)})"


# --- texts of headers and pages -----------------------------------------------------------------------------------


def check_text(spec: Spec, check: Check, spelled=lambda name: name) -> str:
    """A check in words: `parameter: what holds`."""
    subject = spelled(check.subject)
    text = check.expected_text(spelled)
    given = f" where {subject} is given" if check.optional else ""
    match check.kind:
        case "rank":
            prose = "".join(spelled(p.name) if isinstance(p, Name) else p for p in check.pattern.prose())
            return f"{subject}: rank {len(check.pattern.dims)} {prose}{given}"
        case "length":
            return f"{subject}: {check.length} element{'s' if check.length > 1 else ''}"
        case "require":
            return f"{subject}: {text}"
        case "shape":
            return f"{subject}: shape {text}{given}"
        case "dtype":
            more = f" (on the CPU also {either(check.cpu_dtypes)})" if check.cpu_dtypes else ""
            return f"{subject}: {either(check.dtypes)}{more}{given}"
        case "same_dtype":
            return f"{subject}: the dtype of {spelled(check.same_as)}{given}"
    raise AssertionError(check.kind)


def entry_speller(entry: Entry):
    names = {argument.target: argument.name for argument in entry.arguments}
    return lambda name: names.get(name, name)


def check_doc(spec: Spec, check: Check, entry: Entry) -> str:
    """A check in the words of an entry point's header, with its names of parameters."""
    argument = entry.argument_of(check.subject)
    if check.kind == "length" and argument and argument.spread:
        return f"{argument.name}: {either([str(n) for n in argument.spread.lengths])} elements"
    text = check_text(spec, check, entry_speller(entry))
    if check.kind == "rank" and spec.unbatched:
        text += f", or rank {len(check.pattern.dims) - 1} without the first"
    return text


def c_parameter_doc(spec: Spec, argument: Argument, entry: Entry) -> str:
    """The @param lines of one argument: what it is, its shape and dtypes."""
    text = f"@param {argument.name} {'[out]' if argument.output else '[in]'} {_facts(spec, argument, entry)}"
    return "\n *   ".join(textwrap.wrap(text, 104))


def _facts(spec: Spec, argument: Argument, entry: Entry) -> str:
    spelled = entry_speller(entry)
    text = "".join(
        spelled(p.name) if isinstance(p, Name) else p
        for p in text_pieces(spec.docs[argument.target], spec.scope)
    )
    if argument.spread:
        return f"{text}; {_spread_facts(argument)}."
    if not argument.ctype.endswith("aclTensor *"):
        return text + "."
    facts = []
    if argument.target in spec.patterns:
        prose = spec.patterns[argument.target].prose()
        facts.append("".join(spelled(p.name) if isinstance(p, Name) else p for p in prose))
    facts.append(
        f"dtype of {spelled(spec.same_dtype[argument.target])}"
        if argument.target in spec.same_dtype
        else either(spec.dtypes[argument.target])
    )
    if not spec.required(argument.target):
        facts.append("may be null")
    return f"{text}; {', '.join(facts)}."


def _spread_facts(argument: Argument) -> str:
    spread = argument.spread
    facts = [f"{either([str(n) for n in spread.lengths])} elements; one stands for all"]
    if spread.second not in ("", argument.target):
        facts.append(f"of {2 * spread.length} elements the second half is for the other side")
    if spread.empty is not None:
        facts.append(f"no element means {spread.empty}")
    return ", ".join(facts)


FILTERS = {
    "cstr": cstr,
    "spell": spell,
    "cpp_field": field,
    "cpp_dimension": dimension,
    "cpp_shape": shape,
    "cpp_output_dtype": output_dtype,
    "cpp_condition": condition,
    "cpp_message": message,
    "cpp_default": default,
    "cpp_internal": internal_value,
    "batched": lambda spec, entry: spec.batched(entry),
    "cpp_dtype": lambda name: DTYPES[name].cpp,
    "kernel_type": lambda name: DTYPES[name].kernel,
    "ge_dtype": lambda name: f"ge::{DTYPES[name].ge}",
    "acl_dtype": lambda name: DTYPES[name].acl,
    "acl_format": lambda name: f"ACL_FORMAT_{name}",
    "from_acl": from_acl,
    "required_pointers": required_pointers,
    "unbound": unbound,
    "argument_name": argument_name,
    "all_empty": all_empty,
    "all_names": all_names,
    "instance_name": instance_name,
    "instance_condition": instance_condition,
    "kernel_arguments": kernel_arguments,
    "preliminary": preliminary,
    "conditions": conditions,
    "check_doc": check_doc,
    "check_text": check_text,
    "c_parameter_doc": c_parameter_doc,
    "declarations": lambda entry: (
        [a.declaration for a in entry.arguments] + ["uint64_t *workspaceSize", "aclOpExecutor **executor"]
    ),
    "torch_parameters": torch_parameters,
    "torch_out_parameters": torch_out_parameters,
    "torch_result": torch_result,
    "torch_results": torch_results,
    "named_tensors": named_tensors,
    "entry_tensors": entry_tensors,
    "chosen_dtypes": chosen_dtypes,
    "dtype_list": _dtype_list,
    "torch_value": torch_value,
    "native_attributes": native_attributes,
    "native_attribute_names": native_attribute_names,
    "native_value": native_value,
    "native_parameters": native_parameters,
    "native_arg_names": native_arg_names,
    "entry_uses": entry_uses,
    "torch_unreachable": torch_unreachable,
    "native_unreachable": native_unreachable,
    "native_probe": native_probe,
    "native_entry": native_entry,
    "probe_use": lambda argument: (
        f"{argument.name} ? {argument.name}->c_str() : nullptr"
        if argument.ctype == "const char *"
        else argument.name
    ),
    "native_result": native_result,
    "task_type": lambda spec: TASK_TYPES[spec.kernel],
    "kernel_kind": lambda spec: KERNEL_KINDS[spec.kernel],
}
