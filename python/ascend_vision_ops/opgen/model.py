# SPDX-License-Identifier: Apache-2.0
"""The model of a contract: Spec, with all that a validated op_host/X.yaml says, and the types it is made of."""

from __future__ import annotations

import ast
import itertools
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from ascend_vision_ops.custom_package import own_name

from .expr import Expression, Name, Symbol
from .nodes import Node, Rows, torch_node
from .schema import Parameter


@dataclass(frozen=True)
class DType:
    """An element type, with its name in each of the languages and libraries."""

    name: str  # in contracts and in NumPy
    cpp: str  # enumerator of avo::DType
    kernel: str  # type in AscendC
    acl: str  # aclDataType
    ge: str  # ge::DataType
    floating: bool = False


DTYPES = {
    dtype.name: dtype
    for dtype in (
        DType("float32", "kFloat32", "float", "ACL_FLOAT", "DT_FLOAT", True),
        DType("float16", "kFloat16", "half", "ACL_FLOAT16", "DT_FLOAT16", True),
        DType("bfloat16", "kBFloat16", "bfloat16_t", "ACL_BF16", "DT_BF16", True),
        DType("float64", "kFloat64", "double", "ACL_DOUBLE", "DT_DOUBLE", True),
        DType("int8", "kInt8", "int8_t", "ACL_INT8", "DT_INT8"),
        DType("int16", "kInt16", "int16_t", "ACL_INT16", "DT_INT16"),
        DType("int32", "kInt32", "int32_t", "ACL_INT32", "DT_INT32"),
        DType("int64", "kInt64", "int64_t", "ACL_INT64", "DT_INT64"),
        DType("uint8", "kUInt8", "uint8_t", "ACL_UINT8", "DT_UINT8"),
        DType("bool", "kBool", "bool", "ACL_BOOL", "DT_BOOL"),
    )
}
FORMATS = ("ND", "NCL", "NCHW", "NCDHW")
SOCS = ("ascend910b", "ascend910_93")
NO_KERNEL = "none"  # the word under `kernel` of an operator that has no AscendC kernel yet


def camel(name: str) -> str:
    """blur_image -> BlurImage"""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def atc_name(domain: str, name: str) -> str:
    """The name of a node in a model for ATC, which has no domains. No node of another domain has the same name."""
    if name.lower().startswith(domain.replace("_", "")):
        return name
    return camel(domain.replace(".", "_")) + camel(name)


def snake(name: str) -> str:
    """BlurImage -> blur_image, outputSize -> output_size"""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def either(words: list[str]) -> str:
    """ "a", "a or b", "a, b or c" """
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


@dataclass(frozen=True)
class Spread:
    """How the int array of an entry point, which may have several lengths, becomes an int[length].

        elements      length = 2, second = "padding_end", empty = 0
        []            padding = [0, 0]      padding_end keeps its default
        [a]           padding = [a, a]
        [a, b]        padding = [a, b]
        [a, b, c, d]  padding = [a, b]      padding_end = [c, d]

    second: the parameter that the second half of twice as many elements is for; "" where that is not allowed.
    empty: the element that an empty array stands for; None where it is not allowed.
    """

    length: int
    second: str = ""
    empty: int | None = None

    @property
    def lengths(self) -> list[int]:
        both = [2 * self.length] if self.second else []
        return sorted({*([] if self.empty is None else [0]), 1, self.length, *both})


@dataclass
class Argument:
    """One argument of an aclnn entry point, in the order of the C prototype."""

    name: str  # as CANN spells it
    ctype: str
    target: str  # the parameter or output that it is
    output: bool = False
    spread: Spread | None = None  # of an int array that may have several lengths

    @property
    def declaration(self) -> str:
        return f"{self.ctype}{self.name}" if self.ctype.endswith("*") else f"{self.ctype} {self.name}"

    @property
    def bools(self) -> bool:
        """Whether an int array is an aclBoolArray in C."""
        return self.ctype.endswith("aclBoolArray *")

    @property
    def pointer(self) -> bool:
        return self.ctype.endswith("*")

    @property
    def is_tensor(self) -> bool:
        return self.ctype.endswith("aclTensor *")

    @property
    def targets(self) -> list[str]:
        """The parameters that it gives values to."""
        second = self.spread.second if self.spread else ""
        return [self.target] if second in ("", self.target) else [self.target, second]


@dataclass
class Entry:
    """An aclnn entry point, which is two C functions. Parameters without an argument keep their defaults."""

    name: str  # BlurImage
    header: str  # aclnn_blur_image.h
    arguments: list[Argument]
    example: dict[str, object] = field(default_factory=dict)  # what differs from the contract's example
    cann: bool = False  # whether CANN has a function of this name, with the same arguments

    @property
    def in_c(self) -> bool:
        """Whether it is a C function; False for the signature of an operator that has none (`Spec.calls`)."""
        return bool(self.header)

    @property
    def function(self) -> str:
        return f"aclnn{self.name}" if self.in_c else self.name

    @property
    def file_stem(self) -> str:
        return self.header.removesuffix(".h")

    def argument_of(self, target: str) -> Argument | None:
        return next((argument for argument in self.arguments if target in argument.targets), None)


@dataclass
class Tolerance:
    """How far a result may be from the reference, and why. It must keep one of the bounds; without any it is exact.

    absolute: distance.
    relative: share of the reference's magnitude.
    largest: share of the largest magnitude in the reference; may be an expression of sizes.
    ulp: units in the last place of the result's dtype.
    """

    why: str
    absolute: float = 0.0
    relative: float = 0.0
    largest: float | Expression = 0.0
    ulp: int = 0

    def at(self, sizes: dict[str, object]) -> Tolerance:
        """The tolerance for a call with these sizes."""
        if not isinstance(self.largest, Expression):
            return self
        return replace(self, largest=float(self.largest.evaluate(sizes)))

    def __str__(self) -> str:
        parts = []
        if self.absolute:
            parts.append(f"{self.absolute:g}")
        if self.relative:
            parts.append(f"{self.relative:g} x |reference|")
        if self.largest:
            factor = f"({self.largest.text})" if isinstance(self.largest, Expression) else f"{self.largest:g}"
            parts.append(f"{factor} x the largest |reference|")
        if self.ulp:
            parts.append(f"{self.ulp} ulp")
        return either(parts) if parts else "exact"


@dataclass
class Pattern:
    """The shape of a tensor: `dims`, one expression for each dimension, or `whole`, one for all of it.

    binds: for each dimension the name that it defines, None where an earlier tensor defines it or it is an expression.
    """

    tensor: str
    dims: list[Expression] | None
    whole: Expression | None = None
    binds: list[str | None] = field(default_factory=list)

    @property
    def text(self) -> str:
        if self.dims is None:
            return self.whole.text
        return "(" + ", ".join(dim.text for dim in self.dims) + ("," if len(self.dims) == 1 else "") + ")"

    def prose(self) -> list[str | Name]:
        if self.dims is None:
            return self.whole.prose()
        pieces: list[str | Name] = ["("]
        for index, dim in enumerate(self.dims):
            pieces += ([", "] if index else []) + dim.prose()
        return [*pieces, ",)" if len(self.dims) == 1 else ")"]


@dataclass
class Check:
    """One check of a call. The checks of a contract are in the documented order.

    kind: rank, length, require, shape, dtype or same_dtype.
    subject: the parameter that the message names.
    """

    kind: str
    subject: str
    output: bool = False  # of the shape or dtype of an output
    optional: bool = False  # of an optional tensor, and checked only when it is given
    pattern: Pattern | None = None
    length: int = 0
    expression: Expression | None = None
    expected: list[str | Name] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)  # the message prints the values of these names too
    dtypes: list[str] = field(default_factory=list)
    cpu_dtypes: list[str] = field(default_factory=list)
    same_as: str = ""
    bad: dict = field(default_factory=dict)

    def expected_text(self, spell=lambda name: name) -> str:
        return "".join(spell(piece.name) if isinstance(piece, Name) else piece for piece in self.expected)


@dataclass
class Gradient:
    """One call of the backward pass: the inputs that it gives gradients of, the operator, and its arguments."""

    inputs: list[str]
    operator: str
    arguments: list[Expression]


@dataclass(frozen=True)
class Fold:
    """A size that grows with the number of examples when torch.func.vmap makes one call of many.

    inputs, results: the dimension that the size is, in each input (by name) and in each result.
    ints: int arrays with an element that is this size too: name -> index of the element.
    """

    size: str
    inputs: dict[str, int]
    results: list[int]
    ints: dict[str, int] = field(default_factory=dict)


# --- the parts of a contract; the modules of opgen/contract read them ------------------------------------------------


@dataclass(kw_only=True)
class Signature:
    """What torch sees of an operator: name, parameters and results.

    scope: the names that expressions of the contract may use: parameters, results, and sizes as they are read.
    """

    name: str
    schema: str
    parameters: list[Parameter]
    outputs: list[str]
    scope: dict[str, Symbol]

    @property
    def names(self) -> list[str]:
        """The names of all parameters and results."""
        return [*(parameter.name for parameter in self.parameters), *self.outputs]

    @property
    def tensors(self) -> list[Parameter]:
        return [parameter for parameter in self.parameters if parameter.is_tensor]

    @property
    def tensor_names(self) -> list[str]:
        """The names of all tensors: inputs, then results."""
        return [*(tensor.name for tensor in self.tensors), *self.outputs]

    @property
    def attributes(self) -> list[Parameter]:
        return [parameter for parameter in self.parameters if not parameter.is_tensor]

    @property
    def visible(self) -> list[Parameter]:
        """The parameters of the torch schema."""
        return [parameter for parameter in self.parameters if not parameter.internal]

    def parameter(self, name: str) -> Parameter:
        return next(parameter for parameter in self.parameters if parameter.name == name)

    def optional_tensor(self, name: str) -> bool:
        return any(parameter.name == name and parameter.optional for parameter in self.tensors)

    def required(self, name: str) -> bool:
        """Whether an entry point with an argument for a tensor needs it. It always needs an internal tensor."""
        internal = any(parameter.name == name and parameter.internal for parameter in self.parameters)
        return internal or not self.optional_tensor(name)

    def field_type(self, parameter: Parameter) -> str:
        """The type that expressions see a parameter with, once defaults have taken the place of None."""
        return self.scope[parameter.name].type


@dataclass(kw_only=True)
class EntryPoints:
    """The C entry points of an operator."""

    entries: list[Entry]
    normal: dict[str, Expression]  # parameter -> what torch's value becomes before the contract sees it
    unbatched: bool  # whether C entry points also take tensors without their first dimension

    @property
    def entry(self) -> Entry:
        return self.entries[0]

    @property
    def order(self) -> dict[str, int]:
        """The places of parameters and results in the first C entry point; empty where there is no entry point."""
        arguments = self.entry.arguments if self.entries else []
        return {argument.target: index for index, argument in enumerate(arguments)}


@dataclass(kw_only=True)
class Types:
    """The dtypes that tensors may have, by name."""

    dtypes: dict[str, list[str]]  # tensors with a choice of their own
    cpu_dtypes: dict[str, list[str]]  # what the CPU kernel takes beyond `dtypes`
    same_dtype: dict[str, str]  # tensors that follow another one
    dtype_from: dict[str, Expression]  # outputs whose dtype an attribute chooses
    formats: list[str]

    @property
    def typenames(self) -> list[str]:
        """The tensors whose dtype is a template parameter of the kernel, in the contract's order."""
        return [tensor for tensor, names in self.dtypes.items() if len(names) > 1]

    @property
    def instances(self) -> list[dict[str, str]]:
        """Every combination of independent dtypes: tensor -> dtype name."""
        lists = [self.dtypes[tensor] for tensor in self.typenames]
        return [dict(zip(self.typenames, names, strict=True)) for names in itertools.product(*lists)]

    def dtype_of(self, tensor: str, instance: dict[str, str]) -> str:
        """The dtype that a tensor has in one combination of the independent ones."""
        if tensor in self.same_dtype:
            return self.dtype_of(self.same_dtype[tensor], instance)
        return instance.get(tensor, self.dtypes[tensor][0])

    def followed(self, tensor: str) -> str:
        """The tensor with a choice of its own that decides the dtype of this one."""
        while tensor in self.same_dtype:
            tensor = self.same_dtype[tensor]
        return tensor

    def input_dtypes(self, tensor: str) -> list[str]:
        return self.dtypes[self.followed(tensor)]


@dataclass(kw_only=True)
class Shapes:
    """The shapes of tensors, by name, and the sizes that they are made of."""

    patterns: dict[str, Pattern]
    lets: dict[str, Expression]  # names for further sizes
    dynamic: list[str]  # sizes of results that only the data decide

    def names_within(self, expression: Expression) -> list[str]:
        """The names that an expression uses, and the names in the definitions of those."""
        found = []
        for name in expression.names:
            found += [name, *(self.names_within(self.lets[name]) if name in self.lets else [])]
        return found

    def sources(self, expression: Expression) -> list[tuple[str, int]]:
        """The dimensions of inputs that the value of an expression depends on: tensor and index."""
        names = self.names_within(expression)
        return [
            (pattern.tensor, index)
            for pattern in self.patterns.values()
            for index, bound in enumerate(pattern.binds)
            if bound in names or pattern.tensor in names
        ]

    def same_size(self, dim: Expression) -> tuple[str, int] | None:
        """The dimension of an input that has the same name as this one; None where `dim` is no plain name."""
        sources = self.sources(dim)
        bare = len(dim.names) == 1 and dim.text == dim.names[0] and dim.text not in self.lets
        return sources[0] if bare and len(sources) == 1 else None


@dataclass(kw_only=True)
class Device:
    """What an operator needs of the device."""

    socs: list[str]
    kernel: str  # vector, cube or mixed; none where there is no AscendC kernel
    workspace: bool  # whether the cores of a kernel meet through a workspace of its own
    tiling_keys: dict[str, int]
    flops: Expression | None  # of the product on the cube unit


@dataclass(kw_only=True)
class Transforms:
    """What torch's transforms and memory layouts make of an operator."""

    autocast: str  # what floating tensors become under torch.autocast: float32 or widest
    folds: list[Fold]  # how vmap makes one call of many, best first
    leading: str  # or: the int parameter that names a dimension, before which vmap's examples are one more dimension
    memory_format: dict[str, str]  # result -> tensor that it lies in memory as


@dataclass(kw_only=True)
class Composition:
    """What a composite is made of; empty for an operator with a kernel."""

    composite: str  # the operator that it calls, and whose checks are its own
    rows: dict[str, Rows]  # what the rows of each result are, for C++


@dataclass(kw_only=True)
class Documentation:
    """Texts, and the example that pages and tests start from."""

    summary: str
    details: str
    docs: dict[str, str]  # of each parameter and result
    source: list[str]
    divergence: list[dict[str, str]]  # {who, what}
    example: dict[str, object]


@dataclass(kw_only=True)
class Spec(Signature, EntryPoints, Types, Shapes, Device, Transforms, Composition, Documentation):
    """A validated contract: all its parts in one, and what follows from several of them."""

    path: Path
    checks: list[Check]
    tolerance: dict[str, Tolerance]
    backward: list[Gradient]
    onnx: list[Node]  # nodes of exported models, in domains of others
    fields: list = field(default_factory=list)  # of the tiling struct, read from its header

    # --- names ---------------------------------------------------------------------------------------------------

    @property
    def class_name(self) -> str:
        return camel(self.name)

    @property
    def tiling_struct(self) -> str:
        return f"{self.class_name}Tiling"

    @property
    def op_type(self) -> str:
        """The operator type in a CANN package. The prefix keeps CANN's own type of the same name in its place."""
        return f"Avo{self.class_name}"

    @property
    def family(self) -> str:
        """The operator's family: the name of the folder that its contract lies in."""
        return self.path.parent.name

    # --- parts ---------------------------------------------------------------------------------------------------

    @property
    def on_device(self) -> bool:
        """Whether it runs on NPUs: it has an AscendC kernel, or the operator that it calls has one."""
        return self.kernel != NO_KERNEL

    @property
    def has_kernel(self) -> bool:
        """Whether it has an AscendC kernel of its own."""
        return self.on_device and not self.composite

    @property
    def calls(self) -> list[Entry]:
        """What is called with arguments that the contract checks: the entry points, or the signature of an operator
        that has none. A composite has no checks of its own."""
        if self.entries or self.composite:
            return self.entries
        arguments = [
            Argument(p.name, "const aclTensor *" if p.is_tensor else "", p.name) for p in self.visible
        ]
        results = [Argument(output, "aclTensor *", output, output=True) for output in self.outputs]
        return [Entry(self.name, "", [*arguments, *results])]

    def reached_by(self, quote=str) -> str:
        """By which C functions it is reached, or why by none. quote: writes a name."""
        names = [quote(entry.function) for entry in self.entries]
        names += [f"by {quote(self.composite)}"] if self.composite else []
        names += [] if self.on_device else ["no AscendC kernel yet"]
        return ", ".join(names)

    @property
    def ordered(self) -> list[Parameter]:
        """The parameters in the order of the first C entry point, then those that it has no argument for."""
        order = self.order
        return sorted(self.parameters, key=lambda parameter: order.get(parameter.name, len(order)))

    @property
    def ordered_outputs(self) -> list[str]:
        order = self.order
        return sorted(self.outputs, key=lambda output: order.get(output, len(order)))

    @property
    def kernel_tensors(self) -> list[str]:
        """All tensors in the order of the kernel's arguments: inputs, then outputs, each as in the C entry point."""
        return [parameter.name for parameter in self.ordered if parameter.is_tensor] + self.ordered_outputs

    @property
    def nodes(self) -> list[Node]:
        """The ONNX nodes that mean this operator. A composite without `rows` has none, since C++ cannot compute it."""
        if self.composite and not self.rows:
            return []
        return [torch_node(self.name, self.visible, self.outputs), *self.onnx]

    @property
    def torch_schema(self) -> str:
        """The schema that torch gets. Attributes that are sizes are SymInt there, so that shapes can stay dynamic."""
        schema = self.schema
        for parameter in self.visible:
            if parameter.name in self.size_attributes:
                schema = re.sub(rf"\bint(\S*) {parameter.name}\b", rf"SymInt\1 {parameter.name}", schema)
        return schema

    @property
    def torch_out_schema(self) -> str:
        """The schema of the overload that writes its results to tensors of the caller."""
        marks = [f"Tensor({chr(ord('a') + index)}!)" for index in range(len(self.outputs))]
        inside = self.torch_schema.partition("(")[2].rpartition("->")[0].strip().removesuffix(")")
        star = "" if any(parameter.keyword_only for parameter in self.visible) else "*, "
        outs = ", ".join(f"{mark} {output}" for mark, output in zip(marks, self.outputs, strict=True))
        result = marks[0] if len(marks) == 1 else f"({', '.join(marks)})"
        return f"{self.name}.out({inside}, {star}{outs}) -> {result}"

    @property
    def size_attributes(self) -> set[str]:
        """The attributes that are the size of a dimension, or that have such a size as an element."""

        def sizes(node: ast.AST) -> set[str]:
            match node:
                case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
                    return {name}
                case ast.IfExp(body=body, orelse=orelse):
                    return sizes(body) | sizes(orelse)
            return set()

        shapes = [dim for pattern in self.patterns.values() for dim in pattern.dims or [pattern.whole]]
        found = set().union(*(sizes(expression.tree) for expression in shapes))
        return found & {attribute.name for attribute in self.attributes}

    @property
    def has_floating_results(self) -> bool:
        return any(DTYPES[name].floating for output in self.outputs for name in self.input_dtypes(output))

    def batched(self, entry: Entry) -> list[tuple[Argument, int]]:
        """The tensors of an entry point that may lack their first dimension, with their ranks including it."""
        found = [(argument, self.patterns.get(argument.target)) for argument in entry.arguments]
        return [(a, len(p.dims)) for a, p in found if self.unbatched and p is not None and p.dims]


def with_own_names(specs: list[Spec]) -> list[Spec]:
    """Gives the entry points that have CANN's names other ones, and their headers too: aclnnBlur becomes
    aclnnVisionBlur."""
    for entry in (entry for spec in specs for entry in spec.entries if entry.cann):
        entry.name, entry.cann = own_name(entry.function).removeprefix("aclnn"), False
        entry.header = entry.header.replace("aclnn_", "aclnn_vision_", 1)
    return specs


def all_nodes(specs: list[Spec]) -> list[Node]:
    """The ONNX nodes of all operators except gradients, which exported models do not contain."""
    named = {gradient.operator for spec in specs for gradient in spec.backward}
    # The gradient of a linear operator's gradient is that operator.
    gradients = {
        s.name for s in specs if s.name in named and any(t.name.startswith("grad") for t in s.tensors)
    }
    return [node for spec in specs if spec.name not in gradients for node in spec.nodes]
