# SPDX-License-Identifier: Apache-2.0
"""The project of the target npu, which the simulated device's toolkit built: what it exports, what it copies, and all
cases of all operators through it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ascend_vision_ops as avo
from ascend_vision_ops.opgen.model import DTYPES
from ascend_vision_ops.opgen.npu import kernel_file_stem
from ascend_vision_ops.testing import npu_project
from ascend_vision_ops.testing.run import spec_of

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("AVO_BUILD", Path(avo.__file__).parents[2]))
PACKAGE = npu_project.built(BUILD)
KERNELS = PACKAGE / "op_impl" / "ai_core" / "tbe" / "ascend_vision_ops_impl" / "dynamic"
OPERATORS = [name for name in avo.operators() if spec_of(name).has_kernel]


def exported(library: Path) -> set[str]:
    """The C functions that a library exports."""
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
    )
    return {name for kind, name in re.findall(r" ([A-Z]) (\w+)$", listed.stdout, re.M) if kind == "T"}


def test_project_is_built():
    assert (PACKAGE / npu_project.LIBRARY).exists(), "./build.sh test builds it"


def test_exported_functions_are_the_documented_ones():
    """Beside them there are only those that opbuild makes."""
    functions = {entry.function for name in OPERATORS for entry in spec_of(name).entries}
    inner = {f"aclnn{spec_of(name).op_type}" for name in OPERATORS}
    both = {f"{name}{phase}" for name in functions | inner for phase in ("", "GetWorkspaceSize")}
    assert {name for name in exported(PACKAGE / npu_project.LIBRARY) if name.startswith("aclnn")} == both


@pytest.mark.parametrize(
    ("attribute", "found"),
    [('__attribute__((visibility("default")))', True), ("ACL_FUNC_VISIBILITY", False)],
    ids=["with the attribute", "with ACL's macro"],
)
def test_a_function_is_exported_by_an_attribute_of_its_own(tmp_path, attribute, found):
    """CANN hides all symbols, and ACL_FUNC_VISIBILITY is empty in libraries of operators."""
    entry = spec_of(OPERATORS[0]).entries[0]
    header = (BUILD / "gen" / "include" / "aclnnop" / entry.header).read_text()
    header = header.replace('__attribute__((visibility("default")))', attribute)
    body = f'extern "C" aclnnStatus {entry.function}(void *, uint64_t, aclOpExecutor *, aclrtStream) {{ return 0; }}'
    (tmp_path / "entry.cpp").write_text(f"{header}\n{body}\n")
    include = BUILD / "sim" / "operators" / "toolkit" / "include"
    library = tmp_path / "libentry.so"
    command = ["g++", "-std=c++17", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{include}"]
    subprocess.run([*command, str(tmp_path / "entry.cpp"), "-o", str(library)], check=True)
    assert (entry.function in exported(library)) is found


def syntax(folder: Path, operator: str) -> subprocess.CompletedProcess:
    """Compiles the first instance of a kernel in a copy of the sources, with no other folder of this project."""
    spec = spec_of(operator)
    defines = [f"-DDTYPE_{name.upper()}={DTYPES[dtype].kernel}" for name, dtype in spec.instances[0].items()]
    headers = [f"-I{ROOT / 'sim' / 'ascendc' / part}" for part in ("include", "engine", "")]
    source = folder / f"{kernel_file_stem(spec)}.cpp"
    command = ["g++", "-std=c++17", "-fsyntax-only", "-w", *defines, *headers, str(source)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_packed_kernel_sources_are_complete(operator):
    """CANN compiles them on line, where nothing else of this project is."""
    done = syntax(KERNELS, operator)
    assert done.returncode == 0, done.stderr


def test_kernel_sources_without_headers_are_found(tmp_path):
    """The fault that the test above is for: the files of kernels alone, which CANN copies where no folder is named."""
    for source in KERNELS.glob("*.cpp"):
        shutil.copy(source, tmp_path)
    done = syntax(tmp_path, OPERATORS[0])
    assert done.returncode != 0
    assert "No such file" in done.stderr


def pytest_of(*arguments: str) -> subprocess.CompletedProcess:
    """Runs tests in a process in which the project's entry points take the place of the simulated device's own.

    The judges of hazards look at the same kernels in the other tests, so they are off here.
    """
    env = {
        **os.environ,
        npu_project.VARIABLE: str(PACKAGE),
        "AVO_SIM_FAST": "1",
        "PYTEST_ADDOPTS": "-p no:cacheprovider -p no:xdist",
    }
    env.pop("PYTEST_XDIST_WORKER", None)
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT)


LOADED = """
import sys
from pathlib import Path
from ascend_vision_ops.testing import npu_project
npu_project.load()
from ascend_vision_ops import _native
print({line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libcust_opapi" in line})
"""


@pytest.mark.parametrize("chosen", [True, False], ids=["chosen", "not chosen"])
def test_a_process_has_one_library_of_entry_points(chosen):
    """Otherwise the tests below would test the simulated device's own once more."""
    env = {name: value for name, value in os.environ.items() if name != npu_project.VARIABLE}
    env |= {npu_project.VARIABLE: str(PACKAGE)} if chosen else {}
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, env=env, check=True)
    own = BUILD / "python" / "ascend_vision_ops" / "lib" / "libcust_opapi.so"
    assert done.stdout.strip() == repr({str((PACKAGE / npu_project.LIBRARY if chosen else own).resolve())})


@pytest.mark.parametrize("operator", [name for name in avo.operators() if spec_of(name).on_device])
def test_all_cases_pass_through_the_project(operator):
    chosen = "npu_project or test_random_calls"
    done = pytest_of("tests/test_ops.py", "--op", operator, "-k", chosen)
    assert done.returncode == 0, done.stdout[-4000:]
    assert re.search(r"\b[1-9]\d* passed", done.stdout), done.stdout[-400:]


def test_entry_points_pass_through_the_project():
    """All C signatures, and all bad calls."""
    done = pytest_of("tests/entries", "tests/test_bad_calls.py")
    assert done.returncode == 0, done.stdout[-4000:]
