# SPDX-License-Identifier: Apache-2.0
"""`avo new OP`: stubs that pass the checks of a finished operator."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ascend_vision_ops.opgen import load_specs
from ascend_vision_ops.opgen.__main__ import main

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "op_host").mkdir()
    assert main(["new", "toy_filter", "--family", "toys", "--root", str(tmp_path)]) == 0
    return tmp_path


def test_stubs_are_a_valid_contract(tree):
    (spec,) = load_specs(tree)
    assert spec.class_name == "ToyFilter"
    assert main(["check", "--root", str(tree)]) == 0
    assert main(["list", "--root", str(tree)]) == 0


def test_stubs_are_formatted(tree):
    formatter = Path(sys.executable).parent / "clang-format"
    if not formatter.exists():
        pytest.skip("no clang-format beside this Python")
    (tree / ".clang-format").write_bytes((ROOT / ".clang-format").read_bytes())
    sources = [str(path) for pattern in ("*.h", "*.cpp") for path in tree.rglob(pattern)]
    done = subprocess.run([formatter, "--dry-run", "--Werror", *sources], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_stubs_compile(tree, tmp_path, compile_only):
    out = tmp_path / "gen"
    assert main(["render", "--root", str(tree), "--out", str(out)]) == 0
    folders = [
        out,
        out / "include",
        tree,
        tree / "op_kernel",
        ROOT,
        ROOT / "sim/acl/include",
    ]
    sources = [
        tree / "op_host/toys/toy_filter.cpp",
        tree / "op_cpu/toys/toy_filter.cpp",
        out / "op_host/toy_filter_contract.cpp",
    ]
    for source in sources:
        compile_only(source, folders)
    simulator = [ROOT / "sim/ascendc/include", ROOT / "sim/ascendc"]
    compile_only(out / "op_kernel/toy_filter_sim.cpp", folders + simulator)


def test_the_reference_runs(tree):
    sys.path.insert(0, str(tree / "python/ascend_vision_ops/reference/toys"))
    try:
        import toy_filter
    finally:
        sys.path.pop(0)
    values = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(toy_filter.toy_filter(values), values)


def test_nothing_is_overwritten(tree, capsys):
    spec = tree / "op_host/toys/toy_filter.yaml"
    spec.write_text("mine")
    assert main(["new", "toy_filter", "--family", "toys", "--root", str(tree)]) == 1
    assert (
        "expected a new name, got 'toy_filter', which has op_host/toys/toy_filter.yaml"
        in capsys.readouterr().err
    )
    assert spec.read_text() == "mine"


@pytest.mark.parametrize("name", ["ToyFilter", "1d", "toy-filter", "toy__filter", "../x"])
def test_names(tree, name, capsys):
    assert main(["new", name, "--family", "toys", "--root", str(tree)]) == 1
    assert "expected a name like blur_image" in capsys.readouterr().err
