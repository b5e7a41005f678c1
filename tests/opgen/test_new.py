# SPDX-License-Identifier: Apache-2.0
"""`avo new SCHEMA`: files of a new operator that build and run as they are, whatever its signature."""

from __future__ import annotations

import ast
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ascend_vision_ops.opgen import load_specs
from ascend_vision_ops.opgen.__main__ import main
from ascend_vision_ops.opgen.scaffold import CONTRACT, FILES

ROOT = Path(__file__).parents[2]
HIGHWAY = Path(sys.prefix) / "share/highway"
FORMATTERS = Path(sys.executable).parent
# Operator: its signature, then options of the command.
SIGNATURES = {
    # one tensor of the default shape, one attribute; the result is a copy
    "scale": ["scale(Tensor self, float factor) -> Tensor"],
    # two tensors of different shapes, and a result of a third
    "box_iou": [
        "box_iou(Tensor boxes1, Tensor boxes2) -> Tensor",
        *("--shape", "boxes1=N,4", "--shape", "boxes2=M,4", "--shape", "out=N,M"),
    ],
    # all kinds of attributes, a size that an attribute gives, an optional tensor
    "resize_masked": [
        "resize_masked(Tensor input, int[2] size, float sigma=1.0, *, bool keep=False, str mode='mean', int? dim=None, "
        "float? factor=None, int[] ignored=[], Tensor? mask=None) -> Tensor",
        *(
            "--shape",
            "N,C,H,W",
            "--shape",
            "mask=N,H,W",
            "--dtype",
            "mask=bool",
            "--shape",
            "out=N,C,size[0],size[1]",
        ),
    ],
    # two results, one of which has a choice of dtypes of its own
    "first_above": [
        "first_above(Tensor input, float threshold) -> (Tensor values, Tensor indices)",
        *("--dtype", "indices=int64,int32", "--shape", "values=N", "--shape", "indices=N"),
    ],
    # fixed dtypes only, so the kernel's class has no type parameter
    "count_labels": [
        "count_labels(Tensor labels, int classes) -> (Tensor copies, Tensor counts)",
        *("--dtype", "int32", "--dtype", "counts=int64", "--shape", "N", "--shape", "counts=classes"),
    ],
}
names = pytest.mark.parametrize("name", SIGNATURES)


def new(tree: Path, *arguments: str) -> int:
    return main(["new", *arguments, "--root", str(tree)])


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A source tree with the files of all these operators."""
    folder = tmp_path_factory.mktemp("tree")
    (folder / "op_host").mkdir()
    (folder / "benchmarks").mkdir()
    # Options of the formatters, and what makes `benchmarks` a package of the tree.
    for name in (".clang-format", "pyproject.toml", "benchmarks/workload.py"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "op_kernel").mkdir()
    (folder / "op_kernel/common").symlink_to(ROOT / "op_kernel/common")
    for arguments in SIGNATURES.values():
        assert new(folder, *arguments, "--family", "toys") == 0
    return folder


@pytest.fixture(scope="module")
def generated(tree, tmp_path_factory) -> Path:
    """What is generated from their contracts."""
    out = tmp_path_factory.mktemp("generated")
    assert main(["render", "--root", str(tree), "--out", str(out)]) == 0
    return out


@pytest.fixture
def folders(tree, generated) -> list[Path]:
    """Where sources find the headers that they include."""
    return [generated, generated / "include", tree, tree / "op_kernel", ROOT, ROOT / "op_kernel",
            ROOT / "sim/acl/include"]  # fmt: skip


def module(tree: Path, name: str, pattern: str):
    """The Python file of an operator, imported."""
    path = tree / pattern.format(name=name, family="toys")
    spec = importlib.util.spec_from_file_location(f"new_{path.parts[-3]}_{name}", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_all_files_are_written(tree):
    for name in SIGNATURES:
        for pattern in (CONTRACT, *FILES):
            assert (tree / pattern.format(name=name, family="toys")).exists()


def test_contracts_are_valid(tree):
    assert main(["check", "--root", str(tree)]) == 0
    specs = {spec.name: spec for spec in load_specs(tree)}
    assert set(specs) == set(SIGNATURES)
    assert specs["resize_masked"].dtypes["mask"] == ["bool"]
    assert specs["first_above"].typenames == ["input", "indices"]
    assert specs["count_labels"].typenames == []


def test_formatters_are_content(tree):
    if not (FORMATTERS / "clang-format").exists():
        pytest.skip("no clang-format beside this Python")
    sources = [path for pattern in ("toys/*.h", "toys/*.cpp") for path in tree.rglob(pattern)]
    for command in (
        [FORMATTERS / "clang-format", "--dry-run", "--Werror", *sources],
        [FORMATTERS / "ruff", "format", "--diff", "."],
        [FORMATTERS / "ruff", "check", "."],
    ):
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@names
def test_tiling_compiles(name, tree, generated, folders, compile_only):
    compile_only(tree / f"op_host/toys/{name}.cpp", folders)
    compile_only(generated / f"op_host/{name}_contract.cpp", folders)


@names
def test_kernels_compile(name, generated, folders, compile_only):
    simulator = [ROOT / "sim/ascendc/include", ROOT / "sim/ascendc"]
    compile_only(generated / f"op_kernel/{name}_sim.cpp", folders + simulator)


@names
def test_cpu_kernels_compile(name, tree, folders, compile_only):
    if not HIGHWAY.is_dir():
        pytest.skip(f"no sources of Highway in {HIGHWAY}")
    source = tree / f"op_cpu/toys/{name}.cpp"
    compile_only(source, folders, "-DHWY_COMPILE_ONLY_STATIC", "-isystem", str(HIGHWAY))


@names
def test_references_return_zeros_for_all_cases(name, tree):
    spec = next(spec for spec in load_specs(tree) if spec.name == name)
    reference = getattr(module(tree, name, "python/ascend_vision_ops/reference/{family}/{name}.py"), name)
    cases = list(module(tree, name, "tests/cases/{family}/{name}.py").cases())
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        call = {
            key: np.zeros(value.shape) if hasattr(value, "shape") else value
            for key, value in case.args.items()
        }
        results = reference(**call)
        results = results if isinstance(results, tuple) else (results,)
        assert len(results) == len(spec.outputs)
        assert not any(result.any() for result in results)
    shapes = {"scale": (3, 4), "box_iou": (3, 4), "resize_masked": (3, 4, 2, 2), "count_labels": (3,)}
    if name in shapes:
        assert results[0].shape == shapes[name]
    if name == "first_above":
        assert (results[0].shape, results[1].dtype) == ((3,), np.int64)


@names
def test_references_have_the_signature_of_the_schema(name, tree):
    text = (tree / f"python/ascend_vision_ops/reference/toys/{name}.py").read_text()
    function = next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    spec = next(spec for spec in load_specs(tree) if spec.name == name)
    arguments = [argument.arg for argument in function.args.args + function.args.kwonlyargs]
    assert arguments == [parameter.name for parameter in spec.visible]


def test_missing_files_are_written_from_the_contract(tree, capsys):
    path = tree / "op_kernel/toys/scale.h"
    before = path.read_text()
    path.unlink()
    capsys.readouterr()
    assert new(tree, "scale") == 0
    assert capsys.readouterr().out == "op_kernel/toys/scale.h\n"
    assert path.read_text() == before


def test_an_operator_without_a_kernel_has_the_files_of_cpus(tmp_path):
    (tmp_path / "op_host/toys").mkdir(parents=True)
    contract = """\
schema: scale(Tensor self, float factor) -> Tensor
summary: A toy.
kernel: none
dtypes: {self: [float32], out: self}
shape: {self: [N], out: [N]}
tolerance: {float32: {why: copies}}
parameters: {self: x, factor: f, out: x}
source: a paper
example: {N: 2, factor: 0.5}
"""
    (tmp_path / "op_host/toys/scale.yaml").write_text(contract)
    assert new(tmp_path, "scale") == 0
    rooms = ("op_cpu/toys/scale.cpp", "tests/cases/toys/scale.py", "tests/divergence/test_scale.py")
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    reference = "python/ascend_vision_ops/reference/toys/scale.py"
    assert files == {*rooms, reference, "op_host/toys/scale.yaml"}


def test_nothing_is_overwritten(tmp_path, capsys):
    contract = tmp_path / "op_host/toys/blur.yaml"
    contract.parent.mkdir(parents=True)
    contract.write_text("mine")
    assert new(tmp_path, "blur(Tensor self) -> Tensor", "--family", "others") == 1
    error = capsys.readouterr().err
    assert "expected the name of a new operator, got 'blur', which has op_host/toys/blur.yaml" in error
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [contract]


BLUR = "blur(Tensor self) -> Tensor"
WRONG = {
    "a name alone": (["blur", "--family", "toys"], "expected one such as 'blur(Tensor self) -> Tensor', got 'blur'"),
    "no such contract": (["blur"], "expected one such as 'blur(Tensor self) -> Tensor', got 'blur'"),
    "no schema": (["blur(self)", "--family", "toys"], "expected `name(parameters) -> Tensor`"),
    "no family": ([BLUR], "--family: expected a word like boxes"),
    "a family of that name": ([BLUR, "--family", "common"], "--family: expected a word like boxes"),
    "no tensor": (["blur(int size) -> Tensor", "--family", "toys"], "expected at least one Tensor parameter"),
    "a name": (["toy__filter(Tensor self) -> Tensor", "--family", "toys"], "expected a name like blur_image"),
    "a shape of no tensor": ([BLUR, "--family", "toys", "--shape", "b=N"], "--shape: expected one of self, out"),
    "a dtype": ([BLUR, "--family", "toys", "--dtype", "out=int7"], "--dtype: expected some of float32"),
    "a shape that nobody knows": ([BLUR, "--family", "toys", "--shape", "out=N,K"], "the contract is not valid"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "words"), WRONG.values(), ids=WRONG)
def test_wrong_use(tmp_path, arguments, words, capsys):
    (tmp_path / "op_host").mkdir()
    assert new(tmp_path, *arguments) == 1
    assert words in capsys.readouterr().err
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
