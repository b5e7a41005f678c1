# SPDX-License-Identifier: Apache-2.0
"""The build backend that pip calls: scikit-build-core's, which is given what this package needs beside it.

It brings the sources of Highway, asks for torch only where the operators of torch are built, puts the build tree
outside a source tree that is read-only, and says in one line what is missing. A source distribution carries Highway, so
that a build from it fetches nothing.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shlex
import shutil
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[1]


def stop(message: str) -> NoReturn:
    sys.exit(f"ascend-vision-ops: {message}")


def absent_packages() -> list[str]:
    """Returns which packages of build-system.requires are not installed; with build isolation, pip brings them all."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (table,) = re.findall(r"^requires = \[(.*?)\]", text, re.M | re.S)
    absent = []
    for requirement, name in re.findall(r'"(([\w-]+)[^"]*)"', table):
        try:
            importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            absent.append(requirement)
    return absent


if absent := absent_packages():
    stop(f"a build without isolation needs these packages first: pip install {shlex.join(absent)}")

import sources  # noqa: E402 - pyproject.toml puts this folder on the path (backend-path)
from scikit_build_core import build as backend  # noqa: E402

# The version that this package is tested with. The headers of any other from 2.10 on do as well.
TORCH = "torch==2.13.0"
TREE = ROOT / "build" / "wheel"  # as pyproject.toml says
# What a build writes: into the folder for temporary files, and into its tree.
SCRATCH, TREE_SIZE = 64 << 20, 200 << 20
# What a source distribution takes of Highway. Its examples and tests are not built, but its CMakeLists.txt wants the
# sources of two programs among the tests.
HIGHWAY_PARTS = ("CMakeLists.txt", "LICENSE", "cmake", "hwy")
HIGHWAY_LEFT_OUT = ("hwy/contrib/*", "hwy/examples/*", "*_test.cc")

Settings = dict[str, "str | list[str]"]

get_requires_for_build_sdist = backend.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = backend.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = backend.prepare_metadata_for_build_editable


def option(settings: Settings | None, name: str) -> str | None:
    """Returns the value that a CMake option gets in one of the ways that scikit-build-core takes; None for none."""
    settings = settings or {}
    for key in (f"cmake.define.{name}", f"skbuild.cmake.define.{name}"):
        if key in settings:
            return str(settings[key])
    lists = [settings.get("cmake.args", ""), settings.get("skbuild.cmake.args", "")]
    lists += [os.environ.get(key, "") for key in ("SKBUILD_CMAKE_DEFINE", "SKBUILD_CMAKE_ARGS", "CMAKE_ARGS")]
    for given in lists:
        text = given if isinstance(given, str) else " ".join(given)
        if found := re.search(rf"(?:^|[\s;]|-D){name}(?::\w+)?=([^\s;]*)", text):
            return found[1]
    return None


def builds_torch(settings: Settings | None) -> bool:
    """Tells whether the operators of torch are built: they are, unless AVO_TORCH is told to be false."""
    value = option(settings, "AVO_TORCH")
    return value is None or value.upper() not in ("", "0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND")


def get_requires_for_build_wheel(config_settings: Settings | None = None) -> list[str]:
    need_tools(config_settings or {})  # before torch is downloaded
    needed = backend.get_requires_for_build_wheel(config_settings)
    return [*needed, TORCH] if builds_torch(config_settings) else needed


def get_requires_for_build_editable(config_settings: Settings | None = None) -> list[str]:
    need_tools(config_settings or {})
    needed = backend.get_requires_for_build_editable(config_settings)
    return [*needed, TORCH] if builds_torch(config_settings) else needed


def need_tools(settings: Settings) -> None:
    """Ends the build in one line where what pip cannot bring is missing: a C++ compiler, headers of Python, room."""
    need_compiler(settings)
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        stop(f"no C headers of Python for {sys.executable} (Debian: package python3-dev)")
    # Where TMPDIR is full or absent, Python takes another folder in silence, but the compiler fails.
    scratch = os.environ.get("TMPDIR") or tempfile.gettempdir()
    if not os.path.isdir(scratch):
        stop(f"TMPDIR: expected a folder, got {scratch}")
    for folder, room in ((scratch, SCRATCH), (ROOT if writable(TREE) else scratch, SCRATCH + TREE_SIZE)):
        if (free := shutil.disk_usage(folder).free) < room:
            stop(f"{folder} has {free >> 20} MiB left, a build needs {room >> 20}; TMPDIR is {scratch}")


def need_compiler(settings: Settings) -> None:
    """Ends the build in one line where there is no C++ compiler, unless CMake is told which one to take."""
    if option(settings, "CMAKE_CXX_COMPILER") or option(settings, "CMAKE_TOOLCHAIN_FILE"):
        return
    if os.environ.get("CMAKE_TOOLCHAIN_FILE"):
        return
    named = os.environ.get("CXX", "").strip()
    names = [named] if named else ["c++", "g++", "clang++"]
    try:
        commands = [name for text in names for name in (text, shlex.split(text)[0])]
    except ValueError as error:  # a quotation mark without its fellow
        stop(f"CXX: expected a command, got {named} ({error})")
    if not any(map(shutil.which, commands)):
        stop(f"no C++ compiler: none of {', '.join(names)} is on PATH (CXX names another)")


def highway(work: Path) -> Path | None:
    """Returns the folder of Highway's sources: of the source distribution, of the environment, or fetched.

    They are fetched beside the build tree, so that the next build finds them, or into `work` where that is read-only.
    None where they cannot be fetched: CMake then looks for an installed Highway, or says what to do.
    """
    for folder in (ROOT / "highway", Path(sys.prefix) / "share/highway"):
        if (folder / "CMakeLists.txt").is_file():
            return folder
    try:
        beside = TREE.parent / f"highway-{sources.SOURCES['highway'].version}"
        return sources.fetch("highway", beside if writable(beside) else work / "highway")
    except (sources.FetchError, OSError) as error:
        advice = "the source distribution carries them, and -C cmake.define.AVO_HIGHWAY=DIR names others"
        print(f"ascend-vision-ops: {error}; {advice}", file=sys.stderr)
        return None


def writable(folder: Path) -> bool:
    """Tells whether files may be written below a folder that need not be there yet."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return os.access(there, os.W_OK)


@contextmanager
def completed(config_settings: Settings | None) -> Iterator[Settings]:
    """Gives the settings of a build that can run here."""
    settings = dict(config_settings or {})
    need_tools(settings)
    with tempfile.TemporaryDirectory(prefix="avo-build-") as work:
        if option(settings, "AVO_HIGHWAY") is None and (found := highway(Path(work))):
            settings["cmake.define.AVO_HIGHWAY"] = str(found)
        if not writable(TREE):
            settings.setdefault("build-dir", f"{work}/tree")
        yield settings


def build_wheel(
    wheel_directory: str, config_settings: Settings | None = None, metadata_directory: str | None = None
) -> str:
    with completed(config_settings) as settings:
        return backend.build_wheel(wheel_directory, settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings | None = None, metadata_directory: str | None = None
) -> str:
    with completed(config_settings) as settings:
        return backend.build_editable(wheel_directory, settings, metadata_directory)


def add_highway(archive: Path, folder: Path) -> None:
    """Writes the parts of Highway that a build needs into the source distribution, as the folder `highway`."""

    def kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        inside = member.name.partition("/highway/")[2]
        if any(fnmatch(inside, pattern) for pattern in HIGHWAY_LEFT_OUT):
            return None
        member.uid = member.gid = member.mtime = 0
        member.uname = member.gname = ""
        return member

    whole = archive.with_suffix(".part")
    with tarfile.open(archive) as old, tarfile.open(whole, "w:gz", format=tarfile.PAX_FORMAT) as new:
        for member in old:
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
        root = archive.name.removesuffix(".tar.gz")
        for part in HIGHWAY_PARTS:
            new.add(folder / part, f"{root}/highway/{part}", filter=kept)
    whole.replace(archive)


def build_sdist(sdist_directory: str, config_settings: Settings | None = None) -> str:
    name = backend.build_sdist(sdist_directory, config_settings)
    if (ROOT / "highway").is_dir():  # made from a source distribution, which has it already
        return name
    with tempfile.TemporaryDirectory() as work:
        found = highway(Path(work))
        if found is None:
            stop("a source distribution carries Highway, whose sources are not there")
        add_highway(Path(sdist_directory) / name, found)
    return name
