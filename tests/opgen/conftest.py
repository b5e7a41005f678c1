# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def golden_root() -> Path:
    """A source tree with one small operator and its gradient."""
    return FIXTURES / "golden"


@pytest.fixture
def rich_root() -> Path:
    """A source tree whose operators use everything that a contract can say."""
    return FIXTURES / "rich"


@pytest.fixture
def compile_only():
    """compile_only(source, folders, *options): g++ takes a source without a warning, given folders of headers."""

    def run(source: Path, folders: list[Path], *options: str) -> None:
        command = ["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
        command += [*(f"-I{folder}" for folder in folders), *options, str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return run
