# SPDX-License-Identifier: Apache-2.0
"""`avo new SCHEMA`: writes the files of a new operator as stubs that build, run and are tested.

The contract is written from the schema first. All other files are rendered from the contract, as the generated sources
are, so that tensors, attributes, dtypes and shapes are those of the operator in every file. Where the contract exists
already, `avo new NAME` writes only the files that are missing.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from .load import SpecError, load_spec
from .model import DTYPES, Spec, camel
from .render import render_text
from .schema import Parameter, Schema, SchemaError, parse_schema, split_arguments
from .stubs import Stub, quoted

CONTRACT = "op_host/{family}/{name}.yaml"
# What is rendered from the contract: path and template of each file.
FILES = {
    "op_host/{family}/{name}.cpp": "tiling.cpp.j2",
    "op_kernel/{family}/{name}_tiling.h": "tiling.h.j2",
    "op_kernel/{family}/{name}.h": "kernel.h.j2",
    "op_cpu/{family}/{name}.cpp": "cpu.cpp.j2",
    "python/ascend_vision_ops/reference/{family}/{name}.py": "reference.py.j2",
    "tests/cases/{family}/{name}.py": "cases.py.j2",
    "tests/host/{family}/test_{name}.py": "host_test.py.j2",
    "tests/divergence/test_{name}.py": "divergence_test.py.j2",
    "benchmarks/workloads/{family}/{name}.py": "workload.py.j2",
}
# Where the files of an operator lie that has no AscendC kernel (`kernel: none`).
ON_CPUS = ("op_cpu/", "python/", "tests/cases/", "tests/divergence/")
FLOATING = ("float32", "float16", "bfloat16")
# Values of attributes without a default, in the example call of the contract.
EXAMPLES = {"int": 1, "float": 0.5, "bool": False, "str": "mode", "ScalarType": "float32"}
# What an entry point in C passes for an attribute that torch may leave out.
ABSENT = {"int": "-1", "float": "0.0", "bool": "False", "str": "''"}


class ScaffoldError(ValueError):
    """A signature, name or option that cannot be used, or files that are there already."""


def new_operator(
    root: Path,
    signature: str,
    family: str = "",
    shapes: Sequence[str] = (),
    dtypes: Sequence[str] = (),
) -> list[Path]:
    """Writes the files of an operator and returns their paths. Nothing is written where something is wrong.

    root: the source tree.
    signature: a schema as torch writes it, or the name of an operator whose contract exists; then only missing files
        are written, and the options must not be given.
    family: the folder of alike operators; it may be a new one.
    shapes: `NAME=N,4` for each tensor whose shape is not that of the first, which is `N,L` by default.
    dtypes: `NAME=float32,float16` or `NAME=OTHER`, the dtypes of a tensor or the tensor whose dtype it has.
    """
    if not (root / "op_host").is_dir():
        raise ScaffoldError(f"--root: expected a source tree with a folder op_host, got {root}")
    if "(" not in signature:
        if family or shapes or dtypes:
            raise ScaffoldError(_expected_schema(signature))
        return _complete(root, signature)
    try:
        schema = parse_schema(signature)
    except SchemaError as error:
        raise ScaffoldError(f"schema: {error}") from None
    _check_names(schema.name, family)
    existing = _existing(root, schema.name, family)
    if existing:
        raise ScaffoldError(
            f"schema: expected the name of a new operator, got {schema.name!r}, which has {', '.join(existing)}"
        )
    contract = _contract(schema, " ".join(signature.split()), shapes, dtypes)
    with tempfile.TemporaryDirectory(prefix="avo-new-") as folder:
        path = Path(folder) / CONTRACT.format(name=schema.name, family=family)
        path.parent.mkdir(parents=True)
        path.write_text(contract, encoding="utf-8")
        files = {CONTRACT.format(name=schema.name, family=family): contract, **_stubs(_load(path))}
    return _write(root, files)


def _expected_schema(text: str) -> str:
    return f"schema: expected one such as '{text or 'blur_image'}(Tensor self) -> Tensor', got {text!r}"


def _check_names(name: str, family: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise ScaffoldError(f"schema: expected a name like blur_image, got {name!r}")
    if not re.fullmatch(r"[a-z][a-z0-9]*", family) or family == "common":
        raise ScaffoldError(
            f"--family: expected a word like boxes, the folder of alike operators, got {family!r}"
        )


def _existing(root: Path, name: str, family: str) -> list[str]:
    """The files of an operator that are there already; its contract also in the folder of another family."""
    contracts = sorted(root.glob(CONTRACT.format(name=name, family="*")))
    paths = [root / pattern.format(name=name, family=family) for pattern in FILES]
    return [str(path.relative_to(root)) for path in [*contracts, *paths] if path.exists()]


def _complete(root: Path, name: str) -> list[Path]:
    """Writes the files that an operator with a contract lacks."""
    path = next(root.glob(CONTRACT.format(name=name, family="*")), None) if name.isidentifier() else None
    if path is None:
        raise ScaffoldError(_expected_schema(name))
    spec = _load(path)
    if spec.composite:
        raise ScaffoldError(
            f"{name}: expected an operator with a kernel, got one that is made of {spec.composite}"
        )
    return _write(root, {file: text for file, text in _stubs(spec).items() if not (root / file).exists()})


def _load(path: Path) -> Spec:
    try:
        return load_spec(path)
    except SpecError as error:
        raise ScaffoldError(f"the contract is not valid:\n{error}") from None


def _stubs(spec: Spec) -> dict[str, str]:
    """Path and text of each file that is rendered from a contract."""
    stub = Stub(spec)
    return {
        pattern.format(name=spec.name, family=spec.family): render_text(
            f"new/{template}", spec=spec, stub=stub
        )
        for pattern, template in FILES.items()
        if spec.has_kernel or pattern.startswith(ON_CPUS)
    }


def _write(root: Path, files: Mapping[str, str]) -> list[Path]:
    paths = []
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_formatted(root, path, text), encoding="utf-8")
        paths.append(path)
    return paths


def _formatted(root: Path, path: Path, text: str) -> str:
    """Returns the text as the formatter of the tree writes it; as it is if the formatter or its style is not there."""
    if path.suffix == ".yaml":
        return text
    if path.suffix == ".py":
        style, tool, options = "pyproject.toml", "ruff", ["format", "--quiet", "--stdin-filename", path, "-"]
    else:
        style, tool, options = ".clang-format", "clang-format", [f"--assume-filename={path}"]
    program = Path(sys.executable).parent / tool
    if not program.exists() or not (root / style).exists():
        return text
    done = subprocess.run([program, *options], input=text, capture_output=True, text=True, cwd=root)
    if done.returncode:
        raise ScaffoldError(f"{path.relative_to(root)}: {done.stderr.strip()}")
    return done.stdout


# --- the contract ----------------------------------------------------------------------------------------------------


def _contract(schema: Schema, text: str, shapes: Sequence[str], dtypes: Sequence[str]) -> str:
    """The contract of an operator of which the schema is known, and of its tensors what the options say."""
    inputs = [parameter for parameter in schema.parameters if parameter.is_tensor]
    if not inputs:
        raise ScaffoldError("schema: expected at least one Tensor parameter, got none")
    names = [*(parameter.name for parameter in inputs), *schema.outputs]
    shape_of = _shapes(names, shapes)
    dtype_of = _dtypes(names, dtypes)
    attributes = [parameter for parameter in schema.parameters if not parameter.is_tensor]
    known = {parameter.name for parameter in schema.parameters}
    sizes = dict.fromkeys(
        dim
        for parameter in inputs
        for dim in shape_of[parameter.name]
        if re.fullmatch(r"[A-Za-z]\w*", dim) and dim not in known
    )
    example: dict[str, object] = {size: index for index, size in enumerate(sizes, 2)}
    example |= {p.name: _example(p) for p in attributes if not p.has_default and not p.optional}
    floating = {name for names in dtype_of.values() if not isinstance(names, str) for name in names}
    return render_text(
        "new/op.yaml.j2",
        schema=schema,
        schema_text=_folded(text),
        entry=f"{camel(schema.name)}({', '.join(_entry_arguments(schema))})",
        dtypes=dtype_of,
        shapes={name: [quoted(dim) for dim in dims] for name, dims in shape_of.items()},
        floating=[name for name in DTYPES if name in floating and DTYPES[name].floating],
        parameters=[*(parameter.name for parameter in schema.parameters), *schema.outputs],
        example=", ".join(f"{name}: {_yaml(value)}" for name, value in example.items()),
    )


def _options(names: Sequence[str], texts: Sequence[str], option: str) -> dict[str, str]:
    """`NAME=VALUE` of an option, by name; a value without a name is that of the first tensor."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name, value = (name.strip(), value.strip()) if equals else (names[0], text.strip())
        if name not in names:
            raise ScaffoldError(f"--{option}: expected one of {', '.join(names)} before =, got {text!r}")
        found[name] = value
    return found


def _shapes(names: Sequence[str], texts: Sequence[str]) -> dict[str, list[str]]:
    """The dimensions of each tensor."""
    given = {name: split_arguments(value) for name, value in _options(names, texts, "shape").items()}
    first = given.get(names[0], ["N", "L"])
    return {name: given.get(name, first) for name in names}


def _dtypes(names: Sequence[str], texts: Sequence[str]) -> dict[str, list[str] | str]:
    """The dtypes of each tensor, or the tensor whose dtype it has."""
    result: dict[str, list[str] | str] = {names[0]: list(FLOATING), **dict.fromkeys(names[1:], names[0])}
    for name, value in _options(names, texts, "dtype").items():
        words = [word.strip() for word in value.split(",")]
        if value in names and value != name:
            result[name] = value
        elif all(word in DTYPES for word in words):
            result[name] = words
        else:
            raise ScaffoldError(
                f"--dtype: expected some of {', '.join(DTYPES)}, or another tensor, got {value!r}"
            )
    return result


def _entry_arguments(schema: Schema) -> list[str]:
    """The arguments of the C entry point, in CANN's spelling: inputs and attributes as in the schema, then results."""
    texts = []
    for parameter in schema.parameters:
        absent = ABSENT.get(parameter.base) if parameter.length is None and parameter.optional else None
        if parameter.optional and parameter.base == "ScalarType":
            continue  # aclnn has it as the dtype of a result
        texts.append(_argument(parameter.name, f" or {absent}" if absent else ""))
    return [*texts, *(_argument(output, "") for output in schema.outputs)]


def _argument(name: str, suffix: str) -> str:
    spelled = camel(name)[:1].lower() + camel(name)[1:]
    return name if spelled == name and not suffix else f"{spelled}={name}{suffix}"


def _example(parameter: Parameter) -> object:
    return EXAMPLES[parameter.base] if parameter.length is None else [2] * (parameter.length or 2)


def _yaml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _folded(text: str) -> str:
    """A schema as a YAML value: on one line where that is valid and short enough, else folded."""
    if len(text) <= 100 and not re.search(r": | #", text):
        return text
    lines, current = [], ""
    for word in text.split(" "):
        if current and len(current) + 1 + len(word) > 110:
            lines.append(current)
            current = ""
        current += (" " if current else "") + word
    return ">-\n" + "\n".join(f"  {line}" for line in [*lines, current])
