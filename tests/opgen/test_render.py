# SPDX-License-Identifier: Apache-2.0
"""Files are written only when they change, stale ones go, and rendered sources compile."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ascend_vision_ops.opgen import load_specs
from ascend_vision_ops.opgen.__main__ import main
from ascend_vision_ops.opgen.render import TARGETS, fill, only, write_files

ROOT = Path(__file__).parents[2]
INCLUDES = [ROOT, ROOT / "sim/acl/include"]


def render(root: Path, out: Path, target: str = "sim") -> None:
    assert main(["render", "--root", str(root), "--out", str(out), "--target", target]) == 0


def times(out: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}


def test_writes_only_what_changed(golden_root, tmp_path):
    root, out = tmp_path / "root", tmp_path / "gen"
    shutil.copytree(golden_root, root)
    render(root, out)
    for path in out.rglob("*"):
        if path.is_file():
            os.utime(path, ns=(1, 1))
    render(root, out)
    assert set(times(out).values()) == {1}

    spec = root / "op_host/toys/toy_blend.yaml"
    spec.write_text(spec.read_text().replace("{plain: 0, wide: 3}", "{plain: 0, wide: 4}"))
    render(root, out)
    changed = {Path(path).name for path, time in times(out).items() if time != 1}
    assert changed == {"toy_blend_args.h", "toy_blend.cpp", "toy_blend.md"}


def test_removes_what_is_stale_and_nothing_else(golden_root, tmp_path):
    root, out = tmp_path / "root", tmp_path / "gen"
    shutil.copytree(golden_root, root)
    render(root, out)
    (out / "mine.txt").write_text("not rendered")
    (root / "op_host/toys/toy_blend.yaml").unlink()
    render(root, out)
    assert not (out / "op_host/toy_blend_args.h").exists()
    assert (out / "op_host/toy_blend_backward_args.h").exists()
    assert (out / "mine.txt").exists()


def test_only_some_operators(golden_root, tmp_path, capsys):
    """Without its gradient an operator has none, as before the gradient was written; CMake reads who is there."""
    command = ["render", "--root", str(golden_root), "--out", str(tmp_path), "--only"]
    assert main([*command, "toy_blend"]) == 0
    assert (tmp_path / "operators.txt").read_text() == "toy_blend"
    sources = {path.name for path in tmp_path.rglob("*.cpp")}
    assert "torch_toy_blend.cpp" in sources and not [name for name in sources if "backward" in name]
    assert "backward" not in (tmp_path / "csrc/torch_toy_blend.cpp").read_text()
    assert main([*command, "toy_blend;toy_blend_backward"]) == 0
    assert (tmp_path / "csrc/torch_toy_blend_backward.cpp").exists()
    assert main([*command, "toy_blend;toy_bland"]) == 1
    assert "--only: expected names of operators, got toy_bland" in capsys.readouterr().err


def test_only_a_composite_comes_with_what_it_calls(tmp_path):
    specs = load_specs(ROOT, [])
    name, called = next((spec.name, spec.composite) for spec in specs if spec.composite)
    assert [spec.name for spec in only(specs, [name])] == sorted([name, called])


def test_an_unfinished_operator_is_named_and_left_out(golden_root, tmp_path, capsys):
    root = tmp_path / "root"
    shutil.copytree(golden_root, root)
    (root / "op_kernel/toys/toy_blend_backward_tiling.h").unlink()
    render(root, tmp_path / "gen")
    assert "toy_blend_backward left out" in capsys.readouterr().out
    assert main(["check", "--root", str(root)]) == 1


def test_an_operator_without_a_kernel_on_the_device(tmp_path):
    """It has the faces of CPUs, and on npu tensors an error. Without its CPU kernel it is left out."""
    specs = load_specs(ROOT, [])
    root, name = (
        tmp_path / "root",
        next(spec.name for spec in specs if not spec.composite and not spec.has_kernel),
    )
    files = {path.parent.name: path for path in ROOT.glob(f"op_*/*/{name}.*")}
    (family,) = files
    for room in ("op_host", "op_cpu"):
        (root / room / family).mkdir(parents=True)
    shutil.copy(ROOT / "op_host" / family / f"{name}.yaml", root / "op_host" / family)
    render(root, tmp_path / "gen")
    assert (tmp_path / "gen/operators.txt").read_text() == ""
    shutil.copy(ROOT / "op_cpu" / family / f"{name}.cpp", root / "op_cpu" / family)
    render(root, tmp_path / "gen")
    made = {
        str(path.relative_to(tmp_path / "gen")) for path in (tmp_path / "gen").rglob("*") if path.is_file()
    }
    assert {f"csrc/torch_{name}.cpp", f"csrc/npu_{name}.cpp", f"csrc/onnxruntime_{name}.cpp"} <= made
    assert not [
        path for path in made if path.startswith(("op_api", "op_kernel", "examples", f"csrc/native_{name}"))
    ]
    assert "has no AscendC kernel yet" in (tmp_path / f"gen/csrc/npu_{name}.cpp").read_text()
    render(root, tmp_path / "npu", "npu")
    assert not [path for path in (tmp_path / "npu").rglob("*") if name in path.name]


def test_a_failed_run_writes_nothing(tmp_path):
    def files():
        yield "a.txt", "first"
        raise KeyError("template")

    with pytest.raises(KeyError):
        write_files(tmp_path / "gen", files())
    assert not (tmp_path / "gen").exists()


def test_fill_breaks_lines_behind_the_bracket():
    assert fill(["a", "b"], "call(", ");") == "call(a, b);"
    assert (
        fill(["aaaa", "bbbb", "cccc"], "  call(", ");", width=16)
        == "  call(aaaa,\n       bbbb,\n       cccc);"
    )


@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize("fixture", ["golden_root", "rich_root"])
def test_both_targets_render(fixture, target, tmp_path, request):
    render(request.getfixturevalue(fixture), tmp_path, target)
    text = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "Undefined" not in text


@pytest.mark.parametrize("fixture", ["golden_root", "rich_root"])
def test_host_sources_and_examples_compile(fixture, tmp_path, request, compile_only):
    root = request.getfixturevalue(fixture)
    render(root, tmp_path)
    folders = [tmp_path, tmp_path / "include", root, root / "op_kernel", *INCLUDES]
    sources = [
        *tmp_path.glob("op_host/*.cpp"),
        *tmp_path.glob("op_api/*.cpp"),
        *tmp_path.glob("examples/*.cpp"),
    ]
    assert sources
    unit = tmp_path / "unit.cpp"
    for source in sources:
        unit.write_text(f'#include "{source}"\n')
        compile_only(unit, folders)
