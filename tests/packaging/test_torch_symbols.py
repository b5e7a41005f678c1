# SPDX-License-Identifier: Apache-2.0
"""One torch library serves torch 2.10 and later: it takes from torch only what the stable ABI of 2.10 has.

torch's headers say with which version a function came. Other versions of torch are not run here.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ascend_vision_ops.paths import library_dir

HEADERS = (
    "torch/csrc/stable/c/shim.h",
    "torch/csrc/inductor/aoti_torch/c/shim.h",
    "torch/csrc/inductor/aoti_torch/generated/c_shim_aten.h",
)
OLDEST = "0x020a000000000000"  # as cmake/torch.cmake says
C_FUNCTION = re.compile(r"\b(?:aoti_torch|torch)_\w+")
pytestmark = pytest.mark.skipif(
    not (shutil.which("nm") and shutil.which("c++")) or importlib.util.find_spec("torch") is None,
    reason="needs nm, c++ and the headers of torch",
)


def wanted(library: str) -> list[str]:
    """Returns the names that a library takes from others, in C++ as they are written."""
    listed = subprocess.run(
        ["nm", "--dynamic", "--undefined-only", "--demangle", library_dir() / library],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [line.split(maxsplit=1)[1].split("@")[0] for line in listed.stdout.splitlines()]


def declared(version: str) -> set[str]:
    """Returns the C functions that torch's headers declare for programs that are to run with a version of torch."""
    root = Path(importlib.util.find_spec("torch").origin).parent / "include"
    text = "".join(f"#include <{header}>\n" for header in HEADERS)
    command = [
        "c++",
        "-x",
        "c++",
        "-std=c++17",
        "-E",
        "-P",
        f"-DTORCH_TARGET_VERSION={version}",
        f"-I{root}",
        "-",
    ]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return set(C_FUNCTION.findall(done.stdout))


def test_the_oldest_version_is_the_one_that_is_compiled_for():
    build = Path(__file__).resolve().parents[2] / "cmake/torch.cmake"
    assert set(re.findall(r"TORCH_TARGET_VERSION=(\w+)", build.read_text())) == {OLDEST}


@pytest.mark.parametrize("library", ["libavo_torch.so", "libavo_torch_npu.so"])
def test_torch_2_10_has_all_that_the_library_takes(library):
    names = wanted(library)
    functions = {name for name in names if C_FUNCTION.fullmatch(name)}
    assert len(functions) > 20  # it was the right library
    assert functions - declared(OLDEST) == set()
    assert [name for name in names if re.match(r"(at|c10|torch)::", name)] == []


def test_a_function_that_came_later_is_found():
    assert "torch_call_dispatcher" in declared(OLDEST) - declared("0x0209000000000000")
    assert declared("0x020d000000000000") - declared(OLDEST) != set()
