# SPDX-License-Identifier: Apache-2.0
"""Entry points with a name of CANN's: the comparison with CANN's headers, and the names that ours have otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascend_vision_ops.opgen import load_specs
from ascend_vision_ops.opgen.cann_names import differences, pairs
from ascend_vision_ops.opgen.model import with_own_names
from ascend_vision_ops.opgen.render import TARGETS, write_files

SIM_HEADERS = Path(__file__).parents[2] / "sim/acl/include"
THEIRS = """\
#include "aclnn/aclnn_base.h"
extern "C" {
aclnnStatus aclnnToyBlendGetWorkspaceSize(const aclTensor *first, const aclTensor *second, const aclIntArray *window,
                                          float weight, aclTensor *blended, aclTensor *index, uint64_t *size,
                                          aclOpExecutor **executor);
aclnnStatus aclnnToyBlend(void *workspace, uint64_t size, aclOpExecutor *executor, const aclrtStream stream);
}
"""


@pytest.fixture
def compared(golden_root, tmp_path):
    """compared(text): what is said where a toolkit has this header."""
    write_files(tmp_path / "ours", TARGETS["sim"](load_specs(golden_root), golden_root))

    def compare(text: str) -> str:
        folder = tmp_path / "toolkit" / "include" / "aclnnop"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "aclnn_toy_blend.h").write_text(text, encoding="utf-8")
        [(entry, header)] = pairs(load_specs(golden_root), tmp_path / "toolkit")
        return differences(entry, tmp_path / "ours/include", header, [SIM_HEADERS])

    return compare


def test_equal_declarations_pass(compared):
    assert compared(THEIRS) == ""


@pytest.mark.parametrize(
    ("text", "other"),
    [("float weight", "double weight"), ("aclTensor *index, ", ""), ("aclnnToyBlend(", "aclnnToyBlendV2(")],
)
def test_another_declaration_is_found(compared, text, other):
    assert "aclnnToyBlend" in compared(THEIRS.replace(text, other))


def test_a_toolkit_without_the_function_is_not_compared(golden_root, tmp_path):
    assert list(pairs(load_specs(golden_root), tmp_path)) == []


def test_own_names_leave_no_name_of_cann(golden_root):
    specs = with_own_names(load_specs(golden_root))
    names = {name for target in TARGETS for name, _ in TARGETS[target](specs, golden_root)}
    assert {"op_api/aclnn_vision_toy_blend.cpp", "include/aclnnop/aclnn_vision_toy_blend.h"} <= names
    # opbuild's function keeps its name, and so does an entry point that CANN does not have.
    assert {"op_host/avo_toy_blend.cpp", "op_api/aclnn_toy_blend_backward.cpp"} <= names
    assert "op_api/aclnn_toy_blend.cpp" not in names
    text = dict(TARGETS["npu"](specs, golden_root))["op_api/aclnn_vision_toy_blend.cpp"]
    assert "aclnnVisionToyBlendGetWorkspaceSize(" in text and "aclnnAvoToyBlendGetWorkspaceSize(" in text
    assert "aclnnToyBlend" not in text and "CannFunction" not in text
