# SPDX-License-Identifier: Apache-2.0
"""Type-checks the npu project against the headers of a CANN toolkit. CANN's compiler is not needed."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import cann_names, kernel_headers
from .model import Entry, Spec
from .npu import kernel_file_stem

# One header of each include folder that the sources need. A toolkit has few such folders, checkouts have many.
HOST_KEYS = (
    "acl/acl.h", "acl/acl_rt.h", "aclnn/acl_meta.h", "aclnn/aclnn_base.h", "opdev/common_types.h", "opdev/op_log.h",
    "exe_graph/runtime/tiling_context.h", "register/op_def_registry.h", "register/op_impl_registry.h",
    "register/register.h", "graph/operator_reg.h", "graph/types.h", "tiling/platform/platform_ascendc.h", "securec.h",
)  # fmt: skip
HOST_OPTIONAL = (
    "mmpa/mmpa_api.h",
    "external/ge_common/api_error_codes.h",
    "base/registry/op_impl_space_registry_v2.h",
    "platform/platform_info.h",
)
SKIPPED = {".git", "tests", "test", "stub", "stubs", "docs", "examples", "testcase", "llt"}


@dataclass
class Outcome:
    """The result of the check of one file."""

    file: str
    ok: bool
    output: str


def find_roots(folder: Path, keys: tuple[str, ...]) -> dict[str, Path]:
    """For each header the include folder that it lies in: the one with the shortest path where there are several."""
    wanted = {Path(key).name: [k for k in keys if Path(k).name == Path(key).name] for key in keys}
    found: dict[str, Path] = {}
    for here, folders, files in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in files:
            for key in wanted.get(name, ()):
                path = Path(here) / name
                if path.as_posix().endswith("/" + key):
                    root = path.parents[len(Path(key).parts) - 1]
                    if key not in found or len(root.parts) < len(found[key].parts):
                        found[key] = root
    return found


def check_host(project: Path, roots: list[Path]) -> Iterator[Outcome]:
    """Checks operator definitions, tiling, shape inference, aclnn entry points and ATC's parser plugins.

    roots: the include folders of the toolkit.
    """
    command = ["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-DOP_TILING_LIB"]
    command += [f"-I{project / part}" for part in ("", "include")]
    command += [option for root in roots for option in ("-isystem", str(root))]
    folders = ("op_host", "op_api", "framework/onnx")
    files = sorted(file for folder in folders for file in project.glob(f"{folder}/**/*.cpp"))
    return in_parallel(lambda file: _run(command, file, project), files)


def _run(command: list[str], file: Path, project: Path) -> Outcome:
    done = subprocess.run([*command, str(file)], capture_output=True, text=True, check=False)
    return Outcome(str(file.relative_to(project)), done.returncode == 0, done.stderr.strip())


def check_names(specs: list[Spec], project: Path, headers: Path, roots: list[Path]) -> Iterator[Outcome]:
    """Checks that entry points with a name of CANN's have the arguments that CANN's functions have."""

    def check(pair: tuple[Entry, Path]) -> Outcome:
        said = cann_names.differences(pair[0], project / "include", pair[1], roots)
        return Outcome(f"include/aclnnop/{pair[0].header} beside CANN's", not said, said)

    return in_parallel(check, list(cann_names.pairs(specs, headers)))


def check_kernels(
    specs: list[Spec],
    project: Path,
    roots: dict[str, Path],
    simulator: Path,
    compiler: kernel_headers.Compiler,
) -> Iterator[Outcome]:
    """Checks kernel entries with all that they include.

    simulator: sim/ascendc, which has what CANN's device compiler has built in.
    """
    with tempfile.TemporaryDirectory(prefix="avo-units-") as scratch:
        checked = kernel_headers.Check(compiler, project, roots, simulator, Path(scratch))

        def check(spec: Spec) -> Outcome:
            stem = kernel_file_stem(spec)
            lines = checked.errors_of(spec, stem)
            return Outcome(f"op_kernel/{stem}.cpp", not lines, "\n".join(lines))

        yield from in_parallel(check, specs)


def in_parallel(check: Callable, items: list) -> Iterator[Outcome]:
    """The outcomes in the order of the items, each as soon as it is known."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(check, items)


def report(specs: list[Spec], project: Path, folder: Path, simulator: Path) -> int:
    """Checks all that the given headers allow and prints a line for each file. Gives 0 when all files passed.

    simulator: sim/ascendc of this project.
    """
    if not folder.is_dir():
        print(f"check-headers: expected a folder of CANN headers, got {folder}")
        return 1
    if shutil.which("g++") is None:
        print("check-headers: skipped, no g++ here")
        return 0
    compiler = kernel_headers.choose()
    if compiler is None:
        print(f"check-headers: there is no compiler {os.environ['CXX']}, which CXX names")
        return 1
    checks = []
    found = find_roots(folder, HOST_KEYS + HOST_OPTIONAL)
    if missing := [key for key in HOST_KEYS if key not in found]:
        print(f"check-headers: host sources skipped, {folder} has no {', '.join(missing)}")
    else:
        roots = list(dict.fromkeys(found.values()))
        checks += [check_host(project, roots), check_names(specs, project, folder, roots)]
    found = find_roots(folder, kernel_headers.KEYS)
    if missing := [key for key in kernel_headers.KEYS if key not in found]:
        print(f"check-headers: kernels skipped, {folder} has no {', '.join(missing)}")
    else:
        print(f"check-headers: kernels compiled by {compiler.text}")
        own = [spec for spec in specs if spec.has_kernel]
        checks.append(check_kernels(own, project, found, simulator, compiler))
    passed = failed = 0
    for outcome in itertools.chain.from_iterable(checks):
        print(f"{'ok    ' if outcome.ok else 'FAILED'} {outcome.file}", flush=True)
        if not outcome.ok:
            print(outcome.output, flush=True)
        passed, failed = passed + outcome.ok, failed + (not outcome.ok)
    print(f"check-headers: {passed} of {passed + failed} files passed")
    return 0 if passed and not failed else 1
