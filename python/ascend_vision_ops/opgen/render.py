# SPDX-License-Identifier: Apache-2.0
"""Renders contracts through the templates into a folder. Writes only files that changed and removes those not made."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jinja2

from . import cpp, faces, npu, onnxruntime
from .load import SpecError
from .model import SOCS, Spec, all_nodes, camel, either

TEMPLATES = Path(__file__).parent / "templates"
MANIFEST = ".opgen.json"  # names of the files that the last run wrote; the next run removes the stale ones


NUMPY_FACES = {
    "cpu": "NumPy in and out, on the CPU kernels.",
    "aclnn": "NumPy in and out, through the aclnn entry points and the AscendC kernels on the current device.",
}


@cache
def environment() -> jinja2.Environment:
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    env.filters |= cpp.FILTERS | faces.FILTERS | npu.FILTERS | onnxruntime.FILTERS
    env.filters |= {
        "camel": camel,
        "code": lambda name: f"`{name}`",
        "either": either,
        "fill": fill,
        "index_of": lambda items, item: list(items).index(item),
        "tojson_text": lambda value: json.dumps(value, ensure_ascii=False),
    }
    return env


def fill(items: Sequence[str], before: str, after: str = "", width: int = 110) -> str:
    """`before` + items + `after`. Breaks lines after commas and aligns them behind the opening bracket of `before`."""
    indent = " " * len(before)
    lines, current = [], before
    if not items:
        return before + after
    for text in [item + "," for item in items[:-1]] + [items[-1] + after]:
        glue = "" if current in (before, indent) else " "
        if len(current) + len(glue) + len(text) > width and glue:
            lines.append(current)
            current, glue = indent, ""
        current += glue + text
    return "\n".join([*lines, current])


@dataclass
class Result:
    """What a run did. All paths are relative to the output folder."""

    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


def render_text(template: str, **context) -> str:
    return environment().get_template(template).render(**context)


def sim_files(specs: list[Spec], root: Path) -> Iterator[tuple[str, str]]:
    """Path and text of every generated file of target sim."""
    nodes = {spec.name: [node for node in all_nodes(specs) if node.operator == spec.name] for spec in specs}
    for spec in specs:
        if spec.composite:
            yield f"docs/ops/{spec.name}.md", render_text("op.md.j2", spec=spec, nodes=nodes[spec.name])
    for spec in computing(specs):
        name = spec.name
        yield f"op_host/{name}_args.h", render_text("args.h.j2", spec=spec)
        yield f"op_host/{name}_contract.cpp", render_text("contract.cpp.j2", spec=spec)
        yield f"csrc/torch_{name}.cpp", render_text("torch.cpp.j2", spec=spec)
        yield (
            f"csrc/npu_{name}.cpp",
            render_text("npu.cpp.j2" if spec.has_kernel else "npu_refusal.cpp.j2", spec=spec),
        )
        if not spec.has_kernel:
            yield f"docs/ops/{name}.md", render_text("op.md.j2", spec=spec, nodes=nodes[name])
    for spec in with_kernel(specs):
        name = spec.name
        yield from entry_files(spec, "aclnn.cpp.j2")
        yield f"op_kernel/{name}.cpp", kernel_entry(spec, name)
        yield f"op_kernel/{name}_sim.h", render_text("kernel_sim.h.j2", spec=spec)
        yield f"op_kernel/{name}_sim.cpp", render_text("kernel_sim.cpp.j2", spec=spec)
        yield f"op_kernel/{name}_instances.h", render_text("kernel_instances.h.j2", spec=spec)
        yield f"op_kernel/{name}_library.cpp", render_text("kernel_library.cpp.j2", spec=spec)
        yield f"op_kernel/{name}_package.cpp", render_text("kernel_package.cpp.j2", spec=spec)

        yield f"csrc/native_{name}.cpp", render_text("native.cpp.j2", spec=spec)
        example = render_text("example.cpp.j2", spec=spec)
        yield f"examples/aclnn_{name}.cpp", example
        page = render_text("op.md.j2", spec=spec, cpp_example=example, nodes=nodes[name])
        yield f"docs/ops/{name}.md", page

    # All functions go into one file, since most of the time to compile one goes into pybind11's headers.
    yield "csrc/native_cpu.cpp", render_text("native_cpu.cpp.j2", specs=computing(specs))
    yield from onnxruntime_files(specs)
    yield from python_files(specs, root)
    yield "operators.txt", ";".join(spec.name for spec in specs)  # a list as CMake reads it


def onnxruntime_files(specs: list[Spec]) -> Iterator[tuple[str, str]]:
    """The nodes of each operator in the custom-op library of ONNX Runtime."""
    by_name = {spec.name: spec for spec in specs}
    for name in dict.fromkeys(node.operator for node in all_nodes(specs)):
        spec = by_name[name]
        kernel = by_name[spec.composite] if spec.composite else spec
        yield f"csrc/onnxruntime_{name}.cpp", render_text("onnxruntime.cpp.j2", spec=spec, kernel=kernel)


def python_files(specs: list[Spec], root: Path) -> Iterator[tuple[str, str]]:
    """The Python faces, and the other files that are made from all contracts together."""
    package = "python/ascend_vision_ops"
    yield f"{package}/ops.py", render_text("ops.py.j2", specs=specs)
    absent = [spec.name for spec in specs if not spec.on_device]
    for face, title in NUMPY_FACES.items():
        chosen = specs if face == "cpu" else [spec for spec in specs if spec.on_device]
        without = [] if face == "cpu" else absent
        yield (
            f"{package}/{face}.py",
            render_text("numpy.py.j2", specs=chosen, absent=without, face=face, title=title),
        )
    yield f"{package}/tiling.py", render_text("tiling.py.j2", specs=with_kernel(specs), absent=absent)
    yield f"{package}/__init__.pyi", render_text("init.pyi.j2", specs=specs)
    # Type checkers do not run the code that collects modules, and need these names.
    modules = {spec.name: root / package / "nn" / f"{spec.name}.py" for spec in specs}
    names = {name: public_names(path) for name, path in modules.items() if path.exists()}
    yield f"{package}/nn/__init__.pyi", render_text("nn.pyi.j2", names=names)
    yield "tests/bad_inputs.json", faces.bad_inputs(with_kernel(specs))


def public_names(path: Path) -> list[str]:
    """The names in the `__all__` of a Python file."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    raise ValueError(f"{path}: expected an __all__ with the names of its modules")


def computing(specs: list[Spec]) -> list[Spec]:
    """The operators that compute on their own, which are all but composites."""
    return [spec for spec in specs if not spec.composite]


def with_kernel(specs: list[Spec]) -> list[Spec]:
    """The operators with an AscendC kernel."""
    return [spec for spec in specs if spec.has_kernel]


def only(specs: list[Spec], names: list[str]) -> list[Spec]:
    """The operators with the given names, and those that composites among them call.

    A gradient that is not among them is left out of its operator's contract, as if nobody had written it yet.
    """
    chosen = {spec.name for spec in specs if spec.name in names}
    if missing := sorted(set(names) - chosen):
        raise SpecError([f"--only: expected names of operators, got {', '.join(missing)}"])
    chosen |= {spec.composite for spec in specs if spec.name in chosen and spec.composite}
    kept = [spec for spec in specs if spec.name in chosen]
    for spec in kept:
        spec.backward = [gradient for gradient in spec.backward if gradient.operator in chosen]
    return kept


def entry_files(spec: Spec, template: str) -> Iterator[tuple[str, str]]:
    """Header and source of each C entry point of an operator."""
    for entry in spec.entries:
        yield f"include/aclnnop/{entry.header}", render_text("aclnn.h.j2", spec=spec, entry=entry)
        yield f"op_api/{entry.file_stem}.cpp", render_text(template, spec=spec, entry=entry)


def kernel_entry(spec: Spec, function: str) -> str:
    return render_text("kernel.cpp.j2", spec=spec, function=function)


def npu_files(specs: list[Spec], root: Path) -> Iterator[tuple[str, str]]:
    """Path and text of every file of the custom-operator project, which has the operators with an AscendC kernel."""
    specs = with_kernel(specs)
    socs = [soc for soc in SOCS if any(soc in spec.socs for spec in specs)]
    yield "CMakeLists.txt", render_text("npu/CMakeLists.txt.j2", socs=socs)
    yield "CMakePresets.json", render_text("npu/CMakePresets.json.j2", socs=socs)
    yield "build.sh", render_text("npu/build.sh.j2")
    yield "op_host/CMakeLists.txt", render_text("npu/op_host.CMakeLists.txt.j2")
    yield "op_kernel/CMakeLists.txt", render_text("npu/op_kernel.CMakeLists.txt.j2", specs=specs)
    yield from npu.copied_files(specs, root)
    nodes = all_nodes(specs)
    for spec in specs:
        stem = npu.kernel_file_stem(spec)
        yield f"op_host/{spec.name}_args.h", render_text("args.h.j2", spec=spec)
        yield f"op_host/{spec.name}_contract.cpp", render_text("contract.cpp.j2", spec=spec)
        yield f"op_host/{stem}.cpp", render_text("npu/op_def.cpp.j2", spec=spec)
        yield f"op_kernel/{stem}.cpp", kernel_entry(spec, stem)
        groups = [
            group
            for group in onnxruntime.groups(spec)
            if group[0] in nodes and npu.in_operator_order(spec, group[0])
        ]
        if groups:
            text = render_text("npu/onnx_plugin.cpp.j2", spec=spec, groups=groups, atc_opsets=npu.ATC_OPSETS)
            yield f"framework/onnx/{stem}.cpp", text
        yield from entry_files(spec, "npu/aclnn.cpp.j2")


TARGETS: dict[str, Callable[[list[Spec], Path], Iterator[tuple[str, str]]]] = {
    "sim": sim_files,
    "npu": npu_files,
}
EXECUTABLE = {"build.sh"}


def write_files(out: Path, files: Iterator[tuple[str, str]]) -> Result:
    """Writes files whose text differs, and removes files that an earlier run wrote and this one does not."""
    files = list(files)  # renders all first: where a template fails, the folder stays as it is
    result = Result()
    manifest = out / MANIFEST
    before = set(json.loads(manifest.read_text())) if manifest.exists() else set()
    now = []
    for name, text in files:
        path = out / name
        now.append(name)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            result.unchanged.append(name)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if name in EXECUTABLE:
            path.chmod(0o755)
        result.written.append(name)
    for name in sorted(before - set(now)):
        if (out / name).exists():
            (out / name).unlink()
            result.removed.append(name)
    if before != set(now):
        out.mkdir(parents=True, exist_ok=True)
        manifest.write_text(json.dumps(sorted(now), indent=0), encoding="utf-8")
    return result
