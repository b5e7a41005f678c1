# SPDX-License-Identifier: Apache-2.0
"""Kernels that are compiled against AscendC headers of a user: here against small ones of our own (small_headers/).

Where AVO_ASCEND_HEADERS names CANN's own headers, the same is tested with them, and all tests that run kernels of
operators run them so.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ascend_vision_ops import ascend_headers, operators
from ascend_vision_ops.ascend_headers import HeadersError, compiler, libraries, roots
from ascend_vision_ops.ascend_headers.compiler import Library
from ascend_vision_ops.testing.run import cases_of, missing, spec_of
from tests.built import BUILD

SIM = Path(__file__).parent
SMALL = SIM / "small_headers"
SOURCES = SIM / "headers"
PROGRAM = BUILD / "tests" / "small_kernels"
ROOT = SIM.parents[1]

HEADERS = os.environ.get(ascend_headers.VARIABLE, "")
WITHOUT = pytest.mark.skipif(
    not HEADERS, reason="AVO_ASCEND_HEADERS is not set: no kernel runs against CANN's own headers"
)
# What the three kernels are compiled against.
FORMS = ("own", "small", pytest.param("cann", marks=(pytest.mark.ascend_headers, WITHOUT)))

pytestmark = pytest.mark.skipif(bool(missing("aclnn")), reason="the simulated device is not built")


def environment(**variables: str) -> dict[str, str]:
    """The environment without the headers that these tests may run with themselves."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("AVO_ASCEND_", "AVO_SIM_"))
    }
    return kept | variables


@pytest.fixture(scope="module")
def kernels(tmp_path_factory) -> Path:
    """The list of a library with the three kernels, compiled against the small headers."""
    return make(SMALL, tmp_path_factory.mktemp("kernels"))


@pytest.fixture(scope="module", params=FORMS)
def form(request, tmp_path_factory) -> Path | str:
    """The three kernels as they are linked to the program (an empty text), or the list of a library of them."""
    if request.param == "own":
        return ""
    return make(SMALL if request.param == "small" else Path(HEADERS), tmp_path_factory.mktemp("form"))


def make(headers: Path, folder: Path) -> Path:
    chosen = compiler.choose(roots.find(headers))
    library = Library("small", SOURCES / "library.cpp", "vector")
    assert chosen.make(library, folder) == (True, "")
    names = ("small_add", "small_scalars", "small_meeting")
    return libraries.write_list(folder / "small.kernels", chosen, [library], dict.fromkeys(names, ""))


def run(name: str, blocks: int, count: int, tile: int = 0, index: int = 0, kernels: Path | str = ""):
    """Runs a kernel with x = 0, 1, … and y = 0, 3, …; gives x, y and out after the run, and the report."""
    command = [PROGRAM, name, *map(str, (blocks, count, tile, index))]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(AVO_SIM_KERNELS=str(kernels)), timeout=60
    )
    assert done.returncode == 0, done.stderr
    *numbers, report = done.stdout.splitlines()
    return *(np.array(line.split(), dtype=np.float64) for line in numbers), json.loads(report)


def failure(name: str, *numbers: int, kernels: Path | str) -> str:
    command = [PROGRAM, name, *map(str, numbers)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(AVO_SIM_KERNELS=str(kernels)), timeout=60
    )
    assert done.returncode == 1, done.stdout
    return done.stderr


class TestKernels:
    """The three kernels give the same with the simulated device's own headers, with the small ones and with CANN's."""

    def test_queues(self, form):
        x, y, out, report = run("small_add", 3, 512, 128, kernels=form)
        np.testing.assert_array_equal(out, 4.0 * np.arange(3 * 512))
        np.testing.assert_array_equal((x, y), (np.arange(3 * 512), 3 * np.arange(3 * 512)))
        vectors = report["pipes"]["V"]
        assert (vectors["instructions"], vectors["repeats"]) == (12, 24)  # a tile is 128 floats: 2 repeats
        assert report["gm_write_bytes"] == 3 * 512 * 4

    def test_scalar_accesses(self, form):
        _, y, out, report = run("small_scalars", 2, 24, index=5, kernels=form)
        np.testing.assert_array_equal(out, 2 * np.arange(48) + 1)
        assert list(y[:3]) == [2 if form else 1, 11, 6]  # which form, an element, an untouched one
        # Of each element: GM read, UB written, read and written. The first block also reads UB and writes GM twice.
        assert report["scalar_accesses"] >= 2 * 24 * 4 + 3

    def test_cores_meet(self, form):
        _, _, out, _ = run("small_meeting", 5, 16, kernels=form)
        np.testing.assert_array_equal(out[::16], [16, 32, 48, 64, 0])

    def test_cores_that_meet_do_not_see_the_data_caches_of_others(self, form):
        message = failure("small_meeting", 5, 16, 0, 1, kernels=form)
        assert "Coherence: kernel small_meeting" in message
        assert "GetValue (" in message and "has not written back: missing DataCacheCleanAndInvalid" in message


def test_the_same_instructions(kernels):
    """A kernel issues what the simulated device's own headers issue, and is judged and timed by the same engine."""
    own, small = (run("small_add", 2, 512, 128, kernels=which)[3] for which in ("", kernels))
    assert own["pipes"]["V"] == pytest.approx(small["pipes"]["V"])
    for pipe in ("MTE2", "MTE3"):
        assert own["pipes"][pipe]["bytes"] == small["pipes"][pipe]["bytes"]
    assert small["microseconds"] == pytest.approx(own["microseconds"], rel=0.1)


def test_reports_say_which_headers(kernels):
    assert run("small_add", 1, 128, 128)[3]["headers"] == ""
    assert run("small_add", 1, 128, 128, kernels=kernels)[3]["headers"].startswith(
        f"CANN small in {SMALL}, compiled by "
    )


def test_scalar_access_beyond_the_unified_buffer(kernels):
    index = 192 * 1024 // 4  # the first element that is not there
    message = failure("small_scalars", 1, 16, 0, index, kernels=kernels)
    assert "kernel small_scalars, block 0" in message
    assert str(192 * 1024) in message


def test_a_missing_kernel_does_not_run(kernels, tmp_path):
    """A kernel that the list names never runs as it is linked to the program; one that it does not name does."""
    text = kernels.read_text().replace("library\tsmall", f"library\t{kernels.parent}/small")
    text = text.replace("kernel\tsmall_add", "missing\tsmall_add\tthe reason why")
    listed = tmp_path / "some.kernels"
    listed.write_text(text)
    assert "the reason why" in failure("small_add", 1, 128, 128, 0, kernels=listed)
    assert run("small_scalars", 1, 16, kernels=listed)[1][0] == 2
    listed.write_text("headers\tnone\nkernel\tsmall_add\n")
    assert "no code of it for vector cores" in failure("small_add", 1, 128, 128, 0, kernels=listed)
    assert run("small_scalars", 1, 16, kernels=listed)[1][0] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "expected a folder or a list of libraries"),
        ("library\tnone.so\n", "could not be loaded"),
        ("what\tis this\n", "starts with none of headers, library, kernel, missing"),
    ],
)
def test_broken_lists(text, words, tmp_path):
    listed = tmp_path / "broken.kernels"
    if text is not None:
        listed.write_text(text)
    assert words in failure("small_add", 1, 128, 128, 0, kernels=listed)


def test_made_again_only_on_change(tmp_path):
    """A library is made again where a header, its source or nothing of it but the linked file is another one."""
    headers = Path(shutil.copytree(SMALL, tmp_path / "headers"))
    source = tmp_path / "library.cpp"
    source.write_text((SOURCES / "library.cpp").read_text().replace("kernels.h", f"{SOURCES}/kernels.h"))
    chosen = compiler.choose(roots.find(headers))
    library = Library("small", source, "vector")

    def made() -> dict[str, int]:
        """Makes it; gives the times of what was made in this run."""
        before = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("small.*")}
        worked, why = chosen.make(library, tmp_path)
        after = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("small.*")}
        assert why == ""
        new = {name for name, time in after.items() if before.get(name) != time}
        assert worked == bool(new)
        return new

    everything = {"small.vector.o", "small.vector.d", "small.vector.so"}
    assert made() == everything
    assert made() == set()
    os.utime(headers / "basic_api" / "kernel_tpipe.h")
    assert made() == everything
    os.utime(source)
    assert made() == everything
    (tmp_path / "small.vector.so").unlink()
    assert made() == {"small.vector.so"}
    assert made() == set()


def test_digest_tells_headers_and_options_apart(tmp_path, monkeypatch):
    one = compiler.choose(roots.find(SMALL))
    other = compiler.choose(roots.find(shutil.copytree(SMALL, tmp_path / "headers")))
    monkeypatch.setenv("CXX", "g++ -DANOTHER")
    third = compiler.choose(roots.find(SMALL))
    assert len({one.digest, other.digest, third.digest}) == 3
    (tmp_path / "headers" / "version.info").write_text("Version=other\n")
    assert compiler.choose(roots.find(tmp_path / "headers")).digest != other.digest


def test_absent_intrinsics_are_named(tmp_path):
    chosen = compiler.choose(roots.find(SMALL))
    worked, why = chosen.make(Library("small", SOURCES / "absent.cpp", "vector"), tmp_path)
    assert worked
    start = "small calls, on vector cores, intrinsics that the simulated device does not model: vadd<double"
    assert why.startswith(start)
    assert why.endswith(">, vno_such_instruction")
    assert not (tmp_path / "small.vector.so").exists()


def test_an_error_of_the_compiler_is_named(tmp_path):
    source = tmp_path / "wrong.cpp"
    source.write_text('#include "kernel_operator.h"\nint x = AscendC::NoSuchName;\n')
    _, why = compiler.choose(roots.find(SMALL)).make(Library("wrong", source, "vector"), tmp_path)
    assert why.startswith(f"wrong does not compile against CANN small in {SMALL}: {source}:2:")
    assert "NoSuchName" in why


def test_a_function_is_compared_with_null_in_a_constant(tmp_path):
    """Headers of 9.x choose so whether a kernel has a callback for Matmul."""
    source = tmp_path / "callback.cpp"
    source.write_text(
        '#include "kernel_operator.h"\n'
        "void Callback() {}\n"
        "template <void (*call)()> constexpr bool kCalled = call != nullptr;\n"
        "static_assert(kCalled<Callback> && !kCalled<nullptr>);\n"
    )
    chosen = compiler.choose(roots.find(SMALL))
    done = subprocess.run([*chosen.command, "-fsyntax-only", source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_folder_is_none(tmp_path):
    with pytest.raises(HeadersError, match=r"expected a folder with CANN's AscendC headers, got .*none,"):
        roots.find(tmp_path / "none")


def test_folder_without_headers(tmp_path):
    with pytest.raises(
        HeadersError, match=r"neither a CANN toolkit .* no kernel_operator\.h, no dav_c220.*, no k"
    ):
        roots.find(tmp_path)


def test_folder_without_tiling_structs(tmp_path):
    shutil.copytree(SMALL / "basic_api", tmp_path / "basic_api")
    with pytest.raises(
        HeadersError, match=r"lacks a header that .*: there is no kernel_tiling/kernel_tiling.h in it"
    ):
        roots.find(tmp_path)


@pytest.mark.parametrize(
    ("file", "text", "version"),
    [
        ("include/version/cann_version.h", '#define CANN_VERSION_STR "8.1.RC1"\n', "8.1.RC1"),
        ("version.cmake", 'set_cann_package(asc-devkit VERSION "9.1.0")\n', "9.1.0"),
        (None, None, ""),
    ],
)
def test_version(file, text, version, tmp_path):
    shutil.copytree(SMALL, tmp_path / "asc", ignore=shutil.ignore_patterns("version.info"))
    if file:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    assert roots.find(tmp_path).version == version


def test_no_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(HeadersError, match="there is no compiler no-such-compiler"):
        compiler.choose(roots.find(SMALL))


def avo(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "ascend_vision_ops", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment(**variables), timeout=300)


SMALLEST = next(name for name in ("count_outside",) if cases_of(name))  # its kernel is the shortest


def test_no_silent_fall_back():
    """The small headers lack most of the API: the operator's library does not compile, and its launch fails."""
    case = f"{SMALLEST}(indices=f32[8],size=4)"
    done = avo("profile", case, "--ascend-headers", str(SMALL))
    assert done.returncode == 1
    (told,) = [line for line in done.stderr.splitlines() if line.startswith("avo: ")]
    assert f"could not run: {SMALLEST} does not compile against CANN small in {SMALL}" in told
    assert avo("profile", case).returncode == 0


def test_wrong_folder_is_one_line(tmp_path):
    done = avo("parity", SMALLEST, "--ascend-headers", str(tmp_path))
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "is neither a CANN toolkit" in done.stderr


LOADS_WHILE_IT_RUNS = """\
import numpy as np
from ascend_vision_ops import _native, aclnn
indices = np.array([0, 9, 2, -1], np.float32)
assert aclnn.{name}(indices, 4) == 2
try:
    _native.sim.load_kernels("no such file")
except (ValueError, RuntimeError) as error:
    print(error)
_native.sim.load_kernels({listed!r})
try:
    aclnn.{name}(indices, 4)
except RuntimeError as error:
    print(error)
"""


def test_a_program_loads_libraries_while_it_runs(tmp_path):
    listed = tmp_path / "some.kernels"
    listed.write_text(f"missing\t{SMALLEST}_float32\tthe reason why\n")
    code = LOADS_WHILE_IT_RUNS.format(name=SMALLEST, listed=str(listed))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), timeout=60
    )
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert (
        "simLoadKernels: kernel libraries: expected a folder or a list of libraries, got no such file"
        in first
    )
    assert f"kernel {SMALLEST}_float32 could not run: the reason why" in second


@pytest.mark.ascend_headers
@WITHOUT
def test_every_kernel_of_this_session_has_its_library():
    listed = Path(ascend_headers.prepare()).read_text(encoding="utf-8").splitlines()
    assert listed[0].startswith("headers\tCANN ")
    absent = {line.split("\t")[2] for line in listed if line.startswith("missing\t")}
    assert not {why for why in absent if "was asked for" not in why}


@pytest.mark.parametrize("command", [("config", "--kernels"), ("sim", "compare", SMALLEST)])
def test_without_headers_a_command_says_what_it_wants(command):
    done = avo(*command)
    assert done.returncode == 1
    assert "expected --ascend-headers DIR" in done.stderr


def test_compare_runs_its_own_side_on_the_own_headers():
    """With headers against which an operator does not compile, the other side alone fails."""
    done = avo("sim", "compare", f"{SMALLEST}(indices=f32[8],size=4)", "--ascend-headers", str(SMALL))
    assert done.returncode == 1
    assert "fails on CANN's headers" in done.stdout


def test_a_list_of_the_user_counts(monkeypatch, tmp_path):
    """Where AVO_SIM_KERNELS is set, nothing is compiled."""
    monkeypatch.setenv("AVO_SIM_KERNELS", str(tmp_path))
    monkeypatch.setenv("AVO_ASCEND_HEADERS", str(tmp_path / "none"))
    assert ascend_headers.prepare() == str(tmp_path)
    monkeypatch.delenv("AVO_ASCEND_HEADERS")
    monkeypatch.delenv("AVO_SIM_KERNELS")
    assert ascend_headers.prepare() == ""
    assert "own AscendC headers" in ascend_headers.description()


def test_objects_are_in_the_build_folder():
    """Git, source distributions and continuous integration leave that folder alone."""
    folder = libraries.folder_of_objects()
    assert folder == ROOT / "build" / "ascend-headers"
    assert "/build/" in (ROOT / ".gitignore").read_text().splitlines()
    assert not any("AVO_ASCEND_HEADERS" in path.read_text() for path in (ROOT / ".ci").iterdir())


def test_an_installed_package_compiles_into_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(libraries, "SOURCES", tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "/of/user")
    assert libraries.folder_of_objects() == Path("/of/user/ascend-vision-ops/ascend-headers")


def test_an_installed_package_has_what_a_compile_needs(monkeypatch, tmp_path):
    """An install takes all that a library is made of, and nothing of build/ascend-headers."""
    cmake = Path(sys.prefix) / "bin" / "cmake"
    subprocess.run(
        [cmake, "--install", BUILD, "--prefix", tmp_path], check=True, capture_output=True, timeout=120
    )
    package = tmp_path / "ascend_vision_ops"
    assert not [
        path
        for path in package.rglob("*")
        if "ascend-headers" in path.name or path.suffix in (".o", ".kernels")
    ]
    monkeypatch.setattr(compiler, "SOURCES", package / "_kernel_sources")
    entries = {path.name for path in compiler.generated().iterdir()}
    for name in operators():
        if spec_of(name).has_kernel:
            assert {f"{name}.cpp", f"{name}_instances.h", f"{name}_library.cpp"} <= entries
    chosen = compiler.choose(roots.find(SMALL))
    assert str(ROOT / "sim") not in " ".join(chosen.command)
    assert chosen.make(Library("small", SOURCES / "library.cpp", "vector"), tmp_path) == (True, "")


def test_source_distribution_holds_no_objects(tmp_path):
    import tarfile

    marker = libraries.folder_of_objects() / "marker" / "marker.so"
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.write_text("made of a user's headers")
    try:
        command = f"from scikit_build_core.build import build_sdist; build_sdist({str(tmp_path)!r})"
        subprocess.run(
            [sys.executable, "-c", command], cwd=ROOT, check=True, capture_output=True, timeout=300
        )
    finally:
        shutil.rmtree(marker.parent)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        names = archive.getnames()
    assert any(name.endswith("sim/ascendc/compiler/builtin.h") for name in names)
    assert not [name for name in names if "ascend-headers" in name or name.endswith(".so")]
