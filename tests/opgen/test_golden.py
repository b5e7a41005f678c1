# SPDX-License-Identifier: Apache-2.0
"""The full rendering of one small contract, both targets. `AVO_GOLDEN=1 pytest tests/opgen` writes it anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ascend_vision_ops.opgen import load_specs
from ascend_vision_ops.opgen.render import TARGETS

GOLDEN = Path(__file__).parent / "golden"
OPERATOR = "toy_blend"
# The sweep is data, hundreds of lines of it; test_calls.py judges it.
LEFT_OUT = {"tests/bad_inputs.json"}


def rendering(root: Path, target: str) -> dict[str, str]:
    """Files made from the one contract or from all together. Left out: copies, the gradient's own files, and those of
    target npu that are the same in target sim."""
    sim = {} if target == "sim" else rendering(root, "sim")
    files = {}
    for name, text in TARGETS[target](load_specs(root), root):
        is_copy = (root / name).exists()
        if sim.get(f"sim/{name}.golden") == text:
            continue
        if not is_copy and name not in LEFT_OUT and f"{OPERATOR}_backward" not in name:
            files[f"{target}/{name}.golden"] = text
    return files


@pytest.mark.parametrize("target", sorted(TARGETS))
def test_rendering_is_golden(golden_root, target):
    files = rendering(golden_root, target)
    if os.environ.get("AVO_GOLDEN"):
        for name, text in files.items():
            (GOLDEN / name).parent.mkdir(parents=True, exist_ok=True)
            (GOLDEN / name).write_text(text, encoding="utf-8")
    stored = {str(path.relative_to(GOLDEN)) for path in (GOLDEN / target).rglob("*.golden")}
    assert stored == {name for name in files if not name.endswith("aclnn_toy_blend_backward.h.golden")}
    for name, text in files.items():
        assert text == (GOLDEN / name).read_text(encoding="utf-8"), f"{name} differs; AVO_GOLDEN=1 accepts it"


def test_names_the_operator_nowhere_but_in_its_contract():
    """No module and no template of opgen knows an operator of the repository."""
    root = Path(__file__).parents[2]
    operators = [path.stem for path in (root / "op_host").glob("*/*.yaml")]
    assert operators
    for path in (root / "python/ascend_vision_ops/opgen").rglob("*"):
        if path.suffix in (".py", ".j2"):
            text = path.read_text(encoding="utf-8")
            assert not [name for name in operators if name in text], path
