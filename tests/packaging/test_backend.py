# SPDX-License-Identifier: Apache-2.0
"""What pip calls to build the package: tools/backend.py, tools/sources.py, and CMake in an environment of packages."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
backend = pytest.importorskip("backend", reason="scikit-build-core is not installed")
import sources  # noqa: E402

OFFLINE = {"PIP_CONFIG_FILE": "/dev/null", "PIP_INDEX_URL": "http://127.0.0.1:9", "PIP_RETRIES": "0"}


@pytest.fixture
def highway(tmp_path) -> Path:
    """A folder that has the parts of Highway which a build needs, and others."""
    folder = tmp_path / "share"
    for name in (*("CMakeLists.txt", "LICENSE", "cmake/find.cmake", "hwy/base.h", "hwy/tests/list_targets.cc"),
                 *("hwy/base_test.cc", "hwy/tests/many_test.cc", "hwy/contrib/a.h", "g3doc/page.md")):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def archive(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as file:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            file.addfile(member, io.BytesIO(text.encode()))
    return path


def test_torch_is_asked_for_where_its_operators_are_built():
    assert backend.TORCH in backend.get_requires_for_build_wheel({})
    assert backend.TORCH in backend.get_requires_for_build_editable(None)
    assert backend.TORCH not in backend.get_requires_for_build_wheel({"cmake.define.AVO_TORCH": "off"})
    assert backend.TORCH not in backend.get_requires_for_build_sdist({})


# The ways in which scikit-build-core takes a CMake option: settings of pip, and variables.
WAYS = [
    ({"cmake.define.AVO_TORCH": "n"}, {}),
    ({"skbuild.cmake.define.AVO_TORCH": "no"}, {}),
    ({"cmake.args": "-DAVO_ONLY=none;-DAVO_TORCH=OFF"}, {}),
    ({"cmake.args": ["-DAVO_ONLY=none", "-DAVO_TORCH=OFF"]}, {}),
    ({}, {"SKBUILD_CMAKE_DEFINE": "AVO_ONLY=none;AVO_TORCH=OFF"}),
    ({}, {"SKBUILD_CMAKE_ARGS": "-DAVO_TORCH=OFF"}),
    ({}, {"CMAKE_ARGS": "-DAVO_ONLY=none -DAVO_TORCH:BOOL=OFF"}),
]


@pytest.mark.parametrize(("settings", "variables"), WAYS)
def test_torch_may_be_left_out_in_any_way(monkeypatch, settings, variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert backend.TORCH not in backend.get_requires_for_build_wheel(settings)


def test_an_option_with_a_similar_name_is_another_one(monkeypatch):
    monkeypatch.setenv("CMAKE_ARGS", "-DAVO_TORCH_ROOT=OFF -DNO_AVO_TORCH=OFF")
    assert backend.TORCH in backend.get_requires_for_build_wheel({"cmake.define.AVO_TORCH_ROOT": "OFF"})


def test_sources_that_are_named_are_not_fetched(monkeypatch):
    monkeypatch.setattr(backend, "need_tools", lambda settings: None)
    monkeypatch.setattr(backend, "highway", lambda work: pytest.fail("Highway was looked for"))
    monkeypatch.setenv("CMAKE_ARGS", "-DAVO_HIGHWAY=/some/highway")
    with backend.completed({}) as settings:
        assert "cmake.define.AVO_HIGHWAY" not in settings


def test_a_source_distribution_carries_highway(tmp_path, highway, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(backend, "highway", lambda work: highway)
    name = backend.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as file:
        names = {member.partition("/")[2] for member in file.getnames()}
    assert {"CMakeLists.txt", "pyproject.toml", "tools/backend.py", "cmake/highway.cmake"} <= names
    assert any(member.startswith("op_kernel/") for member in names)
    carried = {
        name.removeprefix("highway/") for name in names if re.match(r"highway/.*\.\w+$|highway/LICENSE", name)
    }
    assert carried == {
        "CMakeLists.txt",
        "LICENSE",
        "cmake/find.cmake",
        "hwy/base.h",
        "hwy/tests/list_targets.cc",
    }
    assert not any(member.startswith("build/") for member in names)


def test_a_source_distribution_without_highway_is_not_made(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(backend, "highway", lambda work: None)
    with pytest.raises(SystemExit, match="carries Highway, whose sources are not there"):
        backend.build_sdist(str(tmp_path))


def test_no_compiler_is_one_line(monkeypatch, tmp_path):
    spaced = tmp_path / "a compiler"
    spaced.write_text("#!/bin/sh\n")
    spaced.chmod(0o755)
    monkeypatch.setenv("CXX", "no-such-compiler -O2")
    with pytest.raises(SystemExit, match="no C\\+\\+ compiler: none of no-such-compiler -O2 is on PATH"):
        backend.need_compiler({})
    backend.need_compiler({"cmake.define.CMAKE_CXX_COMPILER": "some/compiler"})
    backend.need_compiler({"cmake.args": "-DCMAKE_TOOLCHAIN_FILE=some/file"})
    monkeypatch.setenv("CXX", f"{sys.executable} --some-option")
    backend.need_compiler({})
    monkeypatch.setenv("CXX", str(spaced))
    backend.need_compiler({})
    monkeypatch.setenv("CXX", 'g++ "-O2')
    with pytest.raises(SystemExit, match='CXX: expected a command, got g\\+\\+ "-O2'):
        backend.need_compiler({})


def test_a_read_only_source_tree_is_built_elsewhere(monkeypatch, highway):
    monkeypatch.setattr(backend, "need_compiler", lambda settings: None)
    monkeypatch.setattr(backend, "highway", lambda work: highway)
    with backend.completed({}) as settings:
        assert "build-dir" not in settings and settings["cmake.define.AVO_HIGHWAY"] == str(highway)
    monkeypatch.setattr(backend.os, "access", lambda path, mode: False)
    with backend.completed({}) as settings:
        assert ROOT not in Path(settings["build-dir"]).parents
    with backend.completed({"build-dir": "here"}) as settings:
        assert settings["build-dir"] == "here"


def test_headers_of_python_that_are_not_there_are_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(backend, "need_compiler", lambda settings: None)
    backend.need_tools({})
    monkeypatch.setattr(backend.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(SystemExit, match=r"no C headers of Python for .* \(Debian: package python3-dev\)"):
        backend.get_requires_for_build_wheel({})


def test_a_full_disk_is_one_line(monkeypatch, tmp_path):
    """Where the source tree is read-only, the build tree needs room in the folder for temporary files too."""
    monkeypatch.setattr(backend, "need_compiler", lambda settings: None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    free = {tmp_path: backend.SCRATCH, ROOT: backend.SCRATCH + backend.TREE_SIZE}
    monkeypatch.setattr(backend.shutil, "disk_usage", lambda path: SimpleNamespace(free=free[Path(path)]))
    backend.need_tools({})
    monkeypatch.setattr(backend, "writable", lambda folder: False)
    with pytest.raises(SystemExit, match=f"{tmp_path} has 64 MiB left, a build needs 264"):
        backend.need_tools({})
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    with pytest.raises(SystemExit, match=f"TMPDIR: expected a folder, got {tmp_path}/none"):
        backend.need_tools({})


def test_packages_that_a_build_without_isolation_lacks_are_named(monkeypatch):
    assert backend.absent_packages() == []

    def version(name):
        if name != "jinja2":
            raise backend.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(backend.importlib.metadata, "version", version)
    absent = backend.absent_packages()
    assert "scikit-build-core>=0.11" in absent and not any(text.startswith("jinja2") for text in absent)


def test_a_folder_that_is_not_there_yet_is_as_writable_as_the_one_above_it(monkeypatch, tmp_path):
    assert backend.writable(tmp_path / "a/b")
    monkeypatch.setattr(backend.os, "access", lambda path, mode: path != tmp_path)
    assert not backend.writable(tmp_path / "a/b")
    (tmp_path / "a").mkdir()
    assert backend.writable(tmp_path / "a/b")


def test_highway_is_fetched_where_the_next_build_finds_it(monkeypatch, tmp_path, highway):
    monkeypatch.setattr(backend.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(backend, "TREE", tmp_path / "build/wheel")
    monkeypatch.setattr(backend.sources, "fetch", lambda name, folder: folder)
    version = sources.SOURCES["highway"].version
    assert backend.highway(tmp_path / "work") == tmp_path / f"build/highway-{version}"
    monkeypatch.setattr(backend, "writable", lambda folder: False)
    assert backend.highway(tmp_path / "work") == tmp_path / "work/highway"
    shutil.copytree(highway, tmp_path / "share/highway")
    assert backend.highway(tmp_path / "work") == tmp_path / "share/highway"


def test_an_archive_that_is_not_the_published_one_is_refused(tmp_path):
    made = archive(tmp_path / "numpy-1.tar.gz", {"numpy-1/a": "x"})
    right = sources.Source("numpy", "1", hashlib.sha256(made.read_bytes()).hexdigest(), ".")
    sources.check(made, right)
    wrong = sources.Source("numpy", "1", "0" * 64, ".")
    with pytest.raises(sources.FetchError, match=f"expected the SHA-256 {'0' * 64}, got {right.sha256}"):
        sources.check(made, wrong)


def test_only_the_named_part_is_unpacked(tmp_path):
    made = archive(tmp_path / "a-1.tar.gz", {"a-1/in/b/c": "right", "a-1/in/bc": "beside", "a-1/d": "out"})
    sources.unpack(made, "in/b", tmp_path / "part")
    assert [path.name for path in (tmp_path / "part").iterdir()] == ["c"]
    sources.unpack(made, ".", tmp_path / "whole")
    assert (tmp_path / "whole/in/bc").read_text() == "beside"


def test_no_network_is_one_line(tmp_path, monkeypatch):
    for name, value in OFFLINE.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(sources.FetchError) as caught:
        sources.fetch("highway", tmp_path / "highway")
    assert "the sources of numpy==" in str(caught.value) and "\n" not in str(caught.value)
    assert not (tmp_path / "highway").exists()


def configure(tree: Path, python, *options) -> subprocess.CompletedProcess:
    command = [
        "cmake",
        "-S",
        ROOT,
        "-B",
        tree,
        "-G",
        "Ninja",
        f"-DPython_EXECUTABLE={python}",
        "-DAVO_ONLY=cummin",
    ]
    return subprocess.run([*command, *options], capture_output=True, text=True, check=False)


def test_cmake_keeps_the_packages_of_an_isolated_build(tmp_path, monkeypatch):
    """pip hands them over in PYTHONPATH; the interpreter itself has none of them."""
    empty = tmp_path / "empty"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", empty], check=True)
    options = "-DAVO_TORCH=OFF", f"-DAVO_HIGHWAY={Path(sys.prefix) / 'share/highway'}"
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    alone = configure(tmp_path / "tree", empty / "bin/python", *options)
    assert alone.returncode != 0 and "No module named" in alone.stderr
    monkeypatch.setenv("PYTHONPATH", sysconfig.get_path("purelib"))
    done = configure(tmp_path / "tree", empty / "bin/python", *options)
    assert done.returncode == 0, done.stderr


def test_torch_without_a_stable_interface_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    done = configure(tmp_path / "tree", sys.executable, f"-DAVO_TORCH_ROOT={tmp_path}")
    assert done.returncode != 0 and "no torch with a stable ABI" in done.stderr
