# SPDX-License-Identifier: Apache-2.0
"""The template arguments that a tiling key chooses, read from what the preprocessor leaves of ASCENDC_TPL_*.

ASCENDC_TPL_ARGS_DECL(MyOp, ASCENDC_TPL_UINT_DECL(TILES, 4, ASCENDC_TPL_UI_LIST, 8, 2), …);
    ──preprocessor, ASCENDC_TPL_PRE──▶ sim_tpl_declared {sim_tpl_list "DECL" "UINT" "TILES" {4, 1, 8, 2}, …}
    ──Lists──▶ arguments of a key: ["2", …], the kernel type and the tiling struct of its combination

Where CANN's own header stands before ours, the preprocessor leaves its form, @@ASCENDC_TPL_UINT_DECL_TILES@@ = {…}.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .errors import CompileError
from .operator_definition import DTYPES
from .template_launch import template_ends

_OURS = re.compile(
    r'\bsim_tpl_(?:list\s*"(?P<place>\w+)"\s*"(?P<kind>\w+)"\s*"(?P<name>\w*)"\s*\{(?P<values>[^{}]*)\}'
    r"|(?P<combination>combination)\b)"
)
_CANNS = re.compile(
    r"@@\s*(?:ASCENDC_TPL_(?P<kind>[A-Z_]+?)_(?P<place>DECL|SEL)(?:_(?P<name>\w+))?\s*@@\s*=\s*\{(?P<values>[^{}@]*)\}"
    r"|(?P<combination>\{))"
)
# In the order of their numbers: formats from 0, dtypes from 29.
_FORMATS = (
    "NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z", "NC1C0HWPAD", "NHWC1C0", "FSR_NCHW", "FRACTAL_DECONV", "C1HWNC0",
    "FRACTAL_DECONV_TRANSPOSE", "FRACTAL_DECONV_SP_STRIDE_TRANS", "NC1HWC0_C04", "FRACTAL_Z_C04", "CHWN",
    "FRACTAL_DECONV_SP_STRIDE8_TRANS", "HWCN", "NC1KHKWHWC0", "BN_WEIGHT", "FILTER_HWCK", "HASHTABLE_LOOKUP_LOOKUPS",
    "HASHTABLE_LOOKUP_KEYS", "HASHTABLE_LOOKUP_VALUE", "HASHTABLE_LOOKUP_OUTPUT", "HASHTABLE_LOOKUP_HITS",
    "C1HWNCoC0", "MD", "NDHWC", "FRACTAL_ZZ", "FRACTAL_NZ", "NCDHW", "DHWCN", "NDC1HWC0", "FRACTAL_Z_3D", "CN", "NC",
    "DHWNC", "FRACTAL_Z_3D_TRANSPOSE", "FRACTAL_ZN_LSTM", "FRACTAL_Z_G", "RESERVED", "ALL", "NULL", "ND_RNN_BIAS",
    "FRACTAL_ZN_RNN", "NYUV", "NYUV_A", "NCL", "FRACTAL_Z_WINO", "C1HWC0",
)  # fmt: skip
_LATER_DTYPES = (
    "INT4", "UINT1", "INT2", "UINT2", "COMPLEX32", "HIFLOAT8", "FLOAT8_E5M2", "FLOAT8_E4M3FN", "FLOAT8_E8M0",
    "FLOAT6_E3M2", "FLOAT6_E2M3", "FLOAT4_E2M1", "FLOAT4_E1M2",
)  # fmt: skip
_NUMBERS = {f"DT_{dtype.name}": number for number, dtype in DTYPES.items()} | {"true": 1, "false": 0}
_NUMBERS |= {f"DT_{name}": number for number, name in enumerate(_LATER_DTYPES, 29)}
_NUMBERS |= {f"FORMAT_{name}": number for number, name in enumerate(_FORMATS)}
_KERNEL_TYPES = {
    0: "AIV_ONLY", 1: "AIC_ONLY", 4: "MIX_AIV_1_0", 5: "MIX_AIC_1_0", 6: "MIX_AIC_1_1", 7: "MIX_AIC_1_2",
    8: "AICORE", 9: "VECTORCORE", 10: "MIX_AICORE", 11: "MIX_VECTOR_CORE",
}  # fmt: skip
_WIDTHS = {"BOOL": 1}  # of others 8, and of UINT what its declaration says
_RANGES, _LIST, _MIX = range(3)


@dataclass(frozen=True)
class Parameter:
    """A declared parameter. values: of a UINT, those that the places in the key stand for; none of others."""

    name: str
    kind: str
    bits: int
    values: tuple[int, ...]

    def value_of(self, bits: int) -> int | None:
        if self.kind != "UINT":
            return bits
        return self.values[bits] if bits < len(self.values) else None

    def argument_of(self, value: int) -> str:
        """What stands between < and > of the template."""
        return f"TypeFromId<{value}>::type" if self.kind == "DATATYPE" else str(value)


@dataclass
class Combination:
    """One ASCENDC_TPL_ARGS_SEL: the values of each parameter, and what it says about the kernel."""

    values: dict[str, tuple[int, ...]] = field(default_factory=dict)
    kernel_type: int | None = None
    struct: str = ""
    deterministic: bool = False


@dataclass(frozen=True)
class Chosen:
    """What a tiling key chooses. kernel_type: the end of KERNEL_TYPE_…; empty where the lists do not say it."""

    arguments: tuple[str, ...]
    kernel_type: str
    struct: str


@dataclass(frozen=True)
class Lists:
    """The declared parameters, in their order, and the combinations that the kernel is compiled for."""

    parameters: tuple[Parameter, ...]
    combinations: tuple[Combination, ...]

    def chosen(self, kernel: str, key: int) -> Chosen:
        """Raises CompileError for a key that no combination has: CANN compiles no kernel for it.

        Combinations for deterministic results are no choice, as nobody asks for these.
        """
        values, left = {}, key
        for parameter in self.parameters:
            values[parameter.name] = parameter.value_of(left % (1 << parameter.bits))
            left >>= parameter.bits
        fitting = (
            combination
            for combination in self.combinations
            if not combination.deterministic
            and all(values[name] in listed for name, listed in combination.values.items())
        )
        found = None if left or None in values.values() else next(fitting, None)
        if found is None:
            text = ", ".join(f"{name} = {value}" for name, value in values.items())
            raise CompileError(
                f"kernel {kernel}: expected a tiling key of its ASCENDC_TPL_SEL, got {key}, which stands for {text}"
            )
        shared = [values[p.name] for p in self.parameters if p.kind == "SHARED_KERNEL_TYPE"]
        number = shared[0] if shared else found.kernel_type
        arguments = (parameter.argument_of(values[parameter.name]) for parameter in self.parameters)
        return Chosen(tuple(arguments), "" if number is None else _KERNEL_TYPES.get(number, ""), found.struct)


def is_template(kernel: str, text: str) -> bool:
    """Whether a source's text has the kernel as a template."""
    behind = re.compile(rf"\s*__global__[^;{{}}()]*\bvoid\s+{kernel}\s*\(")
    return any(behind.match(text, end) for end in template_ends(text))


def read_lists(kernel: str, text: str) -> Lists:
    """The lists in a preprocessed text; raises CompileError where it has none."""
    parameters: list[Parameter] = []
    combinations: list[Combination] = []
    for found in list(_OURS.finditer(text)) or list(_CANNS.finditer(text)):
        kind, name = found["kind"], found["name"] or found["kind"]
        try:
            if found["combination"]:
                combinations.append(Combination())
            elif found["place"] == "DECL":
                parameters.append(_parameter(kind, name, found["values"]))
            elif combinations:
                _select(combinations[-1], kind, name, found["values"])
        except (KeyError, ValueError, SyntaxError, IndexError):
            raise CompileError(
                f"kernel {kernel}: ASCENDC_TPL_{kind}_{found['place']} {name}: expected numbers and names of dtypes "
                f"and formats, got {found['values'].strip()}"
            ) from None
    if not parameters or not combinations:
        raise CompileError(
            f"kernel {kernel} is a template: expected ASCENDC_TPL_ARGS_DECL and ASCENDC_TPL_SEL in its headers"
        )
    declared = [parameter.name for parameter in parameters]
    for place, combination in enumerate(combinations, 1):
        if set(combination.values) != set(declared):
            raise CompileError(
                f"kernel {kernel}: ASCENDC_TPL_ARGS_SEL {place} of {len(combinations)}: expected a list for each "
                f"declared parameter ({', '.join(declared)}), got {', '.join(combination.values) or 'none'}"
            )
    return Lists(tuple(parameters), tuple(combinations))


def _parameter(kind: str, name: str, text: str) -> Parameter:
    if kind == "UINT":
        numbers = _numbers(text)
        return Parameter(name, kind, numbers[0], _listed(numbers[1:]))
    return Parameter(name, kind, _WIDTHS.get(kind, 8), ())


def _select(combination: Combination, kind: str, name: str, text: str) -> None:
    if kind == "TILING_STRUCT":
        combination.struct = name
        return
    numbers = _numbers(text)
    if kind == "KERNEL_TYPE":
        combination.kernel_type = numbers[0]
    elif kind == "DETERMINISTIC":
        combination.deterministic = numbers[0] == 1
    else:
        combination.values[name] = _listed(numbers) if kind == "UINT" else tuple(numbers)


def _listed(numbers: list[int]) -> tuple[int, ...]:
    """The values behind ASCENDC_TPL_UI_RANGE, _LIST or _MIX."""
    how, rest = numbers[0], numbers[1:]
    if how == _LIST:
        return tuple(rest)
    ends = rest[1 : 1 + 2 * rest[0]]
    ranges = [v for first, last in zip(ends[::2], ends[1::2], strict=True) for v in range(first, last + 1)]
    return tuple(ranges + (rest[1 + 2 * rest[0] :] if how == _MIX else []))


def _numbers(text: str) -> list[int]:
    # Suffixes of C++ literals, and scopes of names.
    plain = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*|\b\w+::", r"\1", text)
    return [_number(ast.parse(word.strip(), mode="eval").body) for word in plain.split(",") if word.strip()]


def _number(node: ast.expr) -> int:
    """The value of a literal, a name such as C_DT_FLOAT or FORMAT_ND, or a sum, product or shift of them."""
    operations: dict[type, Callable[[int, int], int]] = {
        ast.Add: lambda a, b: a + b,
        ast.Sub: lambda a, b: a - b,
        ast.Mult: lambda a, b: a * b,
        ast.LShift: lambda a, b: a << b,
        ast.RShift: lambda a, b: a >> b,
    }
    if isinstance(node, ast.Constant):
        return int(node.value)
    if isinstance(node, ast.Name):
        return _NUMBERS[node.id.removeprefix("C_")]
    if isinstance(node, ast.BinOp):
        return operations[type(node.op)](_number(node.left), _number(node.right))
    raise ValueError(node)
