# SPDX-License-Identifier: Apache-2.0
"""Keeps the kernel libraries of many operators up to date, and writes the list that the simulated device loads."""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

from ascend_vision_ops.opgen import Spec, load_spec
from ascend_vision_ops.opgen.cpp import instance_name
from ascend_vision_ops.opgen.kernel_headers import SIDES_OF_KERNEL
from ascend_vision_ops.paths import contract_files

from . import HeadersError
from .compiler import SOURCES, Compiler, Library, choose, generated
from .roots import find


def build(folder: str | Path, operators: Iterable[str] | None = None) -> Path:
    """Compiles the kernels of operators against the headers below a folder. Returns the list of the libraries.

    What does not compile or link is no error here. The list says why, and so does a launch of such a kernel.
    """
    specs = [load_spec(path) for path in contract_files().values()]
    specs = [spec for spec in specs if spec.has_kernel]
    wanted = needed(operators) if operators is not None else {spec.name for spec in specs}
    compiler = choose(find(folder))
    libraries = [
        Library(spec.name, generated() / f"{spec.name}_library.cpp", side)
        for spec in specs
        if spec.name in wanted
        for side in SIDES_OF_KERNEL[spec.kernel]
    ]
    here = folder_of_objects() / compiler.digest
    absent = make_all(compiler, libraries, here)
    for reason in absent.values():
        print(f"ascend_headers: {reason}", file=sys.stderr)
    kernels = {}
    for spec in specs:
        why = absent.get(spec.name, "") if spec.name in wanted else not_asked(spec, wanted)
        kernels |= {instance_name(spec, instance): why for instance in spec.instances}
    loaded = [library for library in libraries if library.kernels not in absent]
    return write_list(here / f"{list_name(wanted, specs)}.kernels", compiler, loaded, kernels)


def needed(operators: Iterable[str]) -> set[str]:
    """The operators whose kernels calls of the given ones run: those of composites, and gradients."""
    names: set[str] = set()
    files = contract_files()
    for name in operators:
        if name not in files:
            raise HeadersError(f"there is no operator {name}")
        spec = load_spec(files[name])
        names |= {spec.composite or name, *(gradient.operator for gradient in spec.backward)}
    return names


def not_asked(spec: Spec, wanted: set[str]) -> str:
    return f"{spec.name} was not compiled against CANN's headers, as only {', '.join(sorted(wanted))} was asked for"


def list_name(wanted: set[str], specs: list[Spec]) -> str:
    """Names a list after its operators, so that processes that want different ones do not disturb each other."""
    if len(wanted) == len(specs):
        return "all"
    names = "+".join(sorted(wanted))
    return names if len(names) < 60 else hashlib.sha256(names.encode()).hexdigest()[:12]


def folder_of_objects() -> Path:
    """Where objects lie: in the build folder of a source tree, in the user's cache for an installed package."""
    kernels = SOURCES / "op_kernel"
    if kernels.is_symlink():
        return kernels.resolve().parent / "build" / "ascend-headers"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "ascend-vision-ops" / "ascend-headers"


def make_all(compiler: Compiler, libraries: list[Library], here: Path) -> dict[str, str]:
    """Makes libraries in parallel. Returns why some are missing, by the name of their kernels."""
    here.mkdir(parents=True, exist_ok=True)
    progress = Progress(compiler.headers.text, len(libraries))
    absent: dict[str, str] = {}
    with alone(here / "lock"), ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(compiler.make, library, here): library for library in libraries}
        for future in as_completed(running):
            worked, why = future.result()
            progress.step(running[future], worked)
            if why:
                absent.setdefault(running[future].kernels, why)
    progress.end()
    return absent


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Waits until no other process makes libraries in the same folder."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Progress:
    """A line on stderr that counts libraries; silent where all are up to date. A pipe gets one line at the end."""

    def __init__(self, headers: str, count: int):
        self.headers, self.count, self.done, self.worked = headers, count, 0, 0
        self.moving = sys.stderr.isatty()

    def step(self, library: Library, worked: bool) -> None:
        self.done += 1
        self.worked += worked
        if self.moving and self.worked:
            text = f"compiling kernels against {self.headers}: {self.done} of {self.count}, {library.kernels}"
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.moving and self.worked:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        elif self.worked:
            print(
                f"ascend_headers: {self.worked} of {self.count} kernel libraries made against {self.headers}",
                file=sys.stderr,
            )


def write_list(path: Path, compiler: Compiler, libraries: list[Library], kernels: dict[str, str]) -> Path:
    """Writes a list as engine/kernel_libraries.h describes it.

    kernels: all kernels of the package, with the reason where no library has them.
    """
    lines = [f"headers\t{compiler.headers.text}, compiled by {compiler.version}"]
    lines += [f"library\t{library.file}" for library in libraries]
    for name, why in kernels.items():
        lines.append(f"missing\t{name}\t{' '.join(why.split())}" if why else f"kernel\t{name}")
    half = path.with_name(f"{path.name}.{os.getpid()}")
    half.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.replace(half, path)
    return path
