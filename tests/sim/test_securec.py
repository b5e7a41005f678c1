# SPDX-License-Identifier: Apache-2.0
"""securec.h of the operator framework: what fits is written, what does not is refused and leaves the memory alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

INCLUDE = Path(__file__).parents[2] / "sim" / "operators" / "include"
PROGRAM = r"""
#include "securec.h"
#include <cstdio>
int main() {
  char to[8] = "before.";
  const auto show = [&](const char *name, int code) { std::printf("%s %d %s\n", name, code, to); };
  show("memcpy", memcpy_s(to, 8, "copied", 7));
  show("memcpy", memcpy_s(to, 3, "wrong", 4));
  show("memcpy", memcpy_s(to, 8, nullptr, 4));
  show("memcpy", memcpy_s(nullptr, 8, "wrong", 4));
  show("memmove", memmove_s(to + 1, 7, to, 5));
  show("memmove", memmove_s(to + 1, 4, to, 5));
  show("memset", memset_s(to, 8, 'x', 3));
  show("memset", memset_s(to, 2, 'y', 3));
  show("strcpy", strcpy_s(to, 8, "7 chars"));
  show("strcpy", strcpy_s(to, 7, "8 bytes"));
  show("strcpy", strcpy_s(to, 8, nullptr));
}
"""
EXPECTED = [
    "memcpy 0 copied", "memcpy 34 copied", "memcpy 22 copied", "memcpy 22 copied", "memmove 0 ccopie",
    "memmove 34 ccopie", "memset 0 xxxpie", "memset 34 xxxpie", "strcpy 0 7 chars",
    "strcpy 34 7 chars", "strcpy 22 7 chars",
]  # fmt: skip


def test_sizes_and_errors(tmp_path):
    source = tmp_path / "program.cpp"
    source.write_text(PROGRAM)
    program = tmp_path / "program"
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, "-std=c++17", f"-I{INCLUDE}", source, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == EXPECTED
