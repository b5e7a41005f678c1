# SPDX-License-Identifier: Apache-2.0
"""A contract as the templates of stubs (`templates/new`) see it.

The stubs of kernel and CPU kernel copy the first tensor into each result that has its shape and dtypes, and write zeros
into every other result. So they run with any contract; the reference returns zeros everywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from .calls import Shaped, example_call, shape_of, sizes_of
from .faces import fake_sizes
from .model import DTYPES, Spec, camel
from .schema import Parameter

# Elements that a tensor of the host test, of a measured call and of a random call has, or nearly.
PLANNED, MEASURED, DRAWN = 9216, 1 << 20, 2000


def quoted(text: str) -> str:
    """An item of a YAML list in brackets: in quotes where it has characters that mean something to YAML."""
    return text if re.fullmatch(r"[\w .*/+-]+", text) and not text.startswith(("*", "-")) else f'"{text}"'


def lower_camel(name: str) -> str:
    """output_size -> outputSize"""
    return camel(name)[:1].lower() + camel(name)[1:]


def bytes_of(dtype: str) -> int:
    """Bytes of an element: the digits at the end of a dtype's name are its bits."""
    return 1 if dtype == "bool" else int(re.search(r"\d+$", dtype)[0]) // 8


@dataclass(frozen=True)
class StubTensor:
    """One tensor of the operator.

    field: its name in the tiling struct.
    shape: as the contract states it, such as "(N, 4)".
    dtypes: those of its elements on CPUs; the first is the one that examples have.
    element: C++ type of its elements in the kernel: a template parameter, or a type.
    item: bytes of an element, as the constructor of the buffer list knows them: a parameter, or a number.
    copied: whether it is a result with the shape and dtypes of the first tensor.
    """

    name: str
    field: str
    shape: str
    dtypes: list[str]
    element: str
    item: str
    optional: bool
    copied: bool

    @property
    def floating(self) -> bool:
        return all(DTYPES[name].floating for name in self.dtypes)

    @property
    def cpu_element(self) -> str:
        """C++ type of the elements in the CPU kernel, "" where it depends on the call."""
        return cpu_type(self.dtypes[0]) if len(self.dtypes) == 1 else ""


def cpu_type(dtype: str) -> str:
    names = {"float32": "float", "float64": "double", "float16": "Float16", "bfloat16": "BFloat16"}
    return names.get(dtype, "uint8_t" if dtype == "bool" else f"{dtype}_t")


@dataclass(frozen=True)
class StubAttribute:
    """An attribute that the tiling struct hands to the kernel: its field and the statement that fills it."""

    name: str
    field: str
    type: str
    length: int  # elements of an array, 0 for a number

    @property
    def declaration(self) -> str:
        return f"{self.type} {self.field}{f'[{self.length}]' if self.length else ''}"

    @property
    def statement(self) -> str:
        if self.length:
            return f"std::copy(args.{self.name}.begin(), args.{self.name}.end(), t.{self.field});"
        value = f"static_cast<float>(args.{self.name})" if self.type == "float" else f"args.{self.name}"
        return f"t.{self.field} = {f'{value} ? 1 : 0' if self.type == 'uint32_t' else value};"


class Stub:
    """What the templates ask about a contract."""

    def __init__(self, spec: Spec):
        self.spec = spec
        self.first = next((p.name for p in spec.tensors if not p.optional), spec.tensors[0].name)
        self.tensors = [self._tensor(name) for name in spec.kernel_tensors]
        self.inputs = [tensor for tensor in self.tensors if tensor.name not in spec.outputs]
        self.results = [tensor for tensor in self.tensors if tensor.name in spec.outputs]
        self.attributes = [field for p in spec.ordered if (field := self._attribute(p)) is not None]
        self.key = next(iter(spec.tiling_keys), "")  # none without an AscendC kernel

    # --- C++ ---------------------------------------------------------------------------------------------------------

    def _tensor(self, name: str) -> StubTensor:
        spec, owner = self.spec, self.spec.followed(name)
        own = owner in spec.typenames
        kernel = DTYPES[spec.dtypes[owner][0]]
        return StubTensor(
            name=name,
            field=f"{lower_camel(name)}Elements",
            shape=spec.patterns[name].text if name in spec.patterns else "any shape",
            dtypes=spec.dtypes[owner] + spec.cpu_dtypes.get(owner, []),
            element=self.typename(owner) if own else "uint8_t" if kernel.name == "bool" else kernel.kernel,
            item=self.item(owner) if own else str(bytes_of(kernel.name)),
            optional=spec.optional_tensor(name),
            copied=name in spec.outputs
            and owner == spec.followed(self.first)
            and not spec.optional_tensor(self.first)
            and name in spec.patterns
            and self.first in spec.patterns
            and spec.patterns[name].text == spec.patterns[self.first].text,
        )

    def typename(self, tensor: str) -> str:
        """The template parameter for the dtype of a tensor."""
        return "T" if len(self.spec.typenames) == 1 else f"T{camel(tensor)}"

    def item(self, tensor: str) -> str:
        """The parameter of the buffer list for the bytes of such an element."""
        return "item" if len(self.spec.typenames) == 1 else f"{tensor}_item"

    def _attribute(self, parameter: Parameter) -> StubAttribute | None:
        """None for an attribute that is no number, and for an array of any length."""
        kind = self.spec.field_type(parameter)
        types = {"int": "int64_t", "float": "float", "bool": "uint32_t", "ints": "int64_t"}
        if parameter.is_tensor or kind not in types or parameter.length == 0:
            return None
        return StubAttribute(parameter.name, lower_camel(parameter.name), types[kind], parameter.length or 0)

    @property
    def templates(self) -> str:
        names = [f"typename {self.typename(tensor)}" for tensor in self.spec.typenames]
        return ", ".join([*names, "uint32_t KEY"])

    @property
    def list_parameters(self) -> str:
        """The parameters of the buffer list's constructor."""
        return ", ".join(f"uint64_t {name}" for name in ["tile", *map(self.item, self.spec.typenames)])

    @property
    def list_meaning(self) -> str:
        items = [f"{self.item(tensor)}: bytes of an element of {tensor}" for tensor in self.spec.typenames]
        return "; ".join(["tile: elements of a tile", *items]) + "."

    @property
    def kernel_items(self) -> list[str]:
        return [f"sizeof({self.typename(tensor)})" for tensor in self.spec.typenames]

    @property
    def host_items(self) -> list[str]:
        texts = []
        for tensor in self.spec.typenames:
            optional = self.spec.optional_tensor(tensor)
            size = f"DTypeSize(args.{tensor}{'->' if optional else '.'}dtype)"
            least = max(map(bytes_of, self.spec.dtypes[tensor]))
            texts.append(f"args.{tensor} ? {size} : {least}" if optional else size)
        return texts

    # --- Python ------------------------------------------------------------------------------------------------------

    @cached_property
    def sizes(self) -> list[str]:
        """The names that the contract gives to dimensions of inputs."""
        return list(dict.fromkeys(name for p in self.spec.patterns.values() for name in p.binds if name))

    @property
    def parameters(self) -> str:
        """The parameters of the reference: those of the schema with its defaults."""
        parts, starred = [], False
        for parameter in self.spec.visible:
            if parameter.keyword_only and not starred:
                parts.append("*")
                starred = True
            default = tuple(parameter.default) if isinstance(parameter.default, list) else parameter.default
            parts.append(f"{parameter.name}={default!r}" if parameter.has_default else parameter.name)
        return ", ".join(parts)

    @property
    def size_statements(self) -> list[str]:
        """Statements that bind the sizes on which results depend."""
        needed = {
            name
            for output in self.spec.outputs
            for dim in self._dims(output)
            for name in self.spec.names_within(dim)
        }
        return [line for line in fake_sizes(self.spec) if line.split(" ")[0] in needed]

    def _dims(self, tensor: str) -> list:
        pattern = self.spec.patterns[tensor]
        return [pattern.whole] if pattern.dims is None else pattern.dims

    def zeros(self, output: str) -> str:
        """The reference's result."""
        pattern = self.spec.patterns[output]
        dtype = self.spec.input_dtypes(output)[0]
        kind = "" if DTYPES[dtype].floating else f", {'bool' if dtype == 'bool' else f'np.{dtype}'}"
        shape = pattern.text.replace("(,)", "()")
        return f"np.zeros({shape}{kind})"

    @property
    def required(self) -> list[Parameter]:
        """Attributes that every call must give."""
        return [p for p in self.spec.visible if not p.is_tensor and not p.has_default and not p.optional]

    def example(self, name: str) -> object:
        value = self.spec.example[name]
        return tuple(value) if isinstance(value, list) else value

    def array(self, tensor: str) -> str:
        """The extents of a tensor in the case file, in terms of the sizes there."""
        pattern = self.spec.patterns.get(tensor)
        known = {*self.sizes, *(p.name for p in self.required)}
        if pattern is None or pattern.dims is None or any(set(d.names) - known for d in pattern.dims):
            return ", ".join(map(str, example_call(self.spec).values[tensor].shape))
        return ", ".join(dim.text for dim in pattern.dims)

    @property
    def case_sizes(self) -> list[tuple[int, ...]]:
        """Sizes of the cases, around a data block of eight float32."""
        last = [1, 7, 8, 9, 33]
        count = len(self.sizes)
        if count < 2:
            return [(size,) for size in [*last, 0, 5000]][: None if count else 0]
        others = (2,) * (count - 1)
        return [(*others, size) for size in last] + [(0, *others), (*others, 2500)]

    def extent(self, elements: int) -> int:
        """The size that each name must have for so many elements of all names together."""
        return round(elements ** (1 / max(1, len(self.sizes))))

    @property
    def most_drawn(self) -> int:
        """The largest size that `strategy()` draws."""
        return self.extent(DRAWN)

    def shaped(self, elements: int) -> dict[str, Shaped]:
        """The tensors of a call with sizes of one extent; tensors of any shape are those of the example."""
        call, size = example_call(self.spec), self.extent(elements)
        sizes = {**sizes_of(self.spec, call), **dict.fromkeys(self.sizes, size)}
        return {
            p.name: Shaped(shape_of(self.spec, p.name, sizes), call.values[p.name].dtype)
            if p.name in self.spec.patterns
            else call.values[p.name]
            for p in self.spec.visible
            if p.is_tensor and call.values[p.name] is not None
        }

    @property
    def planned(self) -> str:
        """The arguments of a tiling, of which tensors are (shape, dtype)."""
        tensors = [f'{name}=({value.shape}, "{value.dtype}")' for name, value in self.shaped(PLANNED).items()]
        return ", ".join([*tensors, *(f"{p.name}={self.example(p.name)!r}" for p in self.required)])

    def tensor(self, name: str) -> str:
        """A torch tensor of a measured call."""
        value = self.shaped(MEASURED)[name]
        if DTYPES[value.dtype].floating:
            dtype = "" if value.dtype == "float32" else f", dtype=torch.{value.dtype}"
            return f"torch.randn({value.shape}{dtype})"
        return f"torch.randint(0, 2, {value.shape}, dtype=torch.{value.dtype})"
