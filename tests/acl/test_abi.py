# SPDX-License-Identifier: Apache-2.0
"""Compares the ACL headers with those of an installed torch_npu: types of functions, enumerators, layouts."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

OURS = Path(__file__).parents[2] / "sim" / "acl" / "include"
# The headers of CANN that the wheel has. Those of aclnn (acl_meta.h) are not among them.
HEADERS = [
    "acl/acl_base_rt.h",
    "acl/acl_rt.h",
    "acl/acl_mdl.h",
    "acl/acl_op.h",
    "acl/acl_op_compiler.h",
    "acl/error_codes/rt_error_codes.h",
]


def their_include() -> Path | None:
    spec = importlib.util.find_spec("torch_npu")
    if spec is None or not spec.submodule_search_locations:
        return None
    include = Path(spec.submodule_search_locations[0]) / "include" / "third_party" / "acl" / "inc"
    return include if (include / "acl" / "acl.h").is_file() else None


def probe() -> str:
    """A program that prints every name our headers declare, with its type, value or layout."""
    text = "\n".join((OURS / header).read_text() for header in HEADERS)
    text = re.sub(r"//[^\n]*", "", text)
    lines = []
    for name in sorted(set(re.findall(r"^ACL_FUNC_VISIBILITY[^;(]*?(\w+)\(", text, re.M))):
        lines.append(f'  std::printf("%s %s\\n", "{name}", typeid(decltype(&{name})).name());')
    for name in sorted(set(re.findall(r"^#define (ACL_[A-Z]\w+) [0-9]", text, re.M))):
        lines.append(f'  std::printf("%s %lld\\n", "{name}", static_cast<long long>({name}));')
    for name in sorted(set(re.findall(r"static const int (ACL_\w+)", text))):
        lines.append(f'  std::printf("%s %lld\\n", "{name}", static_cast<long long>({name}));')
    for kind, body, name in re.findall(r"typedef (enum|struct|union) ?\w* ?\{(.*?)\} (\w+);", text, re.S):
        lines.append(f'  std::printf("sizeof %s %zu\\n", "{name}", sizeof({name}));')
        if kind == "enum":
            for value in re.findall(r"\b(ACL_\w+)\b", body):
                lines.append(f'  std::printf("%s %lld\\n", "{value}", static_cast<long long>({value}));')
        else:
            for member in re.findall(r"(\w+)(?:\[\w+\])?;", body):
                lines.append(
                    f'  std::printf("%s.%s %zu\\n", "{name}", "{member}", offsetof({name}, {member}));'
                )
    includes = "".join(
        f"#include <{name}>\n"
        for name in ("acl/acl.h", "acl/acl_op_compiler.h", "cstddef", "cstdio", "typeinfo")
    )
    return includes + "int main() {\n" + "\n".join(lines) + "\n}\n"


def declared(source: Path, include: Path) -> list[str]:
    program = source.with_suffix("")
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or "clang++"
    flags = ["-std=c++17", "-w", f"-I{include}", f"-I{include / 'acl'}"]
    done = subprocess.run(
        [compiler, *flags, source, "-o", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()


def test_same_as_torch_npu(tmp_path):
    theirs = their_include()
    if theirs is None:
        pytest.skip("torch_npu is not installed: its headers are what ours are compared with")
    source = tmp_path / "probe.cpp"
    source.write_text(probe())
    ours = declared(source, OURS)
    assert len(ours) > 500
    assert ours == declared(source, theirs)
