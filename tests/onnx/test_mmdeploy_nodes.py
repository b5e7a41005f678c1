# SPDX-License-Identifier: Apache-2.0
"""Nodes that mmdeploy exports, as it writes them, in ONNX Runtime: against implementations that are not ours."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="models are made with the package onnx")
ort = pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")
torch = pytest.importorskip("torch", reason="torch and torchvision are the oracles")

from ascend_vision_ops.onnx import node  # noqa: E402
from ascend_vision_ops.testing.peers import import_torchvision  # noqa: E402
from tests.onnx.node_models import one_node  # noqa: E402
from tests.onnx.test_onnxruntime import run  # noqa: E402


def random_arrays(seed: int = 0, **shapes) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def tensors(arrays: dict[str, np.ndarray]) -> list:
    return [torch.from_numpy(array) for array in arrays.values()]


def run_node(name: str, arrays, attributes, dtypes=("float32",)):
    made = one_node(node("mmdeploy", name), arrays, attributes, list(dtypes))
    return run(made)


# --- MMCVDeformConv2d

CONV = {"stride": [2, 1], "dilation": [1, 2], "groups": 2, "deform_groups": 3}


def conv_arrays():
    return random_arrays(input=(2, 12, 9, 11), offset=(2, 54, 5, 11), weight=(4, 6, 3, 3))


def test_deform_conv_has_the_padding_of_mmdeploy():
    """mmdeploy writes each padding twice: rows before and after, then columns before and after."""
    try:
        torchvision = import_torchvision()
    except ImportError as error:
        pytest.skip(str(error))
    arrays = conv_arrays()
    (found,) = run_node("MMCVDeformConv2d", arrays, {**CONV, "padding": [1, 1, 2, 2]})
    wanted = torchvision.ops.deform_conv2d(*tensors(arrays), None, (2, 1), (1, 2), (1, 2))
    np.testing.assert_allclose(found, wanted.numpy(), atol=3e-5)


def test_deform_conv_of_mmcv_has_attributes_without_effect():
    arrays = conv_arrays()
    (wanted,) = run_node("MMCVDeformConv2d", arrays, {**CONV, "padding": [1, 1, 2, 2]})
    of_mmcv = {**CONV, "padding": [1, 2], "bias": 0, "im2col_step": 64}
    made = one_node(node("mmcv", "MMCVDeformConv2d"), arrays, of_mmcv, ["float32"])
    assert not made.wrong(run(made))
    np.testing.assert_array_equal(run(made)[0], wanted)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"padding": [1, 2, 1, 2]}, r"padding: expected 2 ints \(or each of them twice\), got \[1, 2, 1, 2\]"),
        ({"padding": [1, 2], "bias": 1}, "bias: expected 0, got 1"),
    ],
)
def test_what_deform_conv_cannot_honour_is_an_error(attributes, message):
    found = node("mmdeploy", "MMCVDeformConv2d")
    with pytest.raises(Exception, match=message):
        run_node("MMCVDeformConv2d", conv_arrays(), {**CONV, **attributes})
    with pytest.raises(ValueError, match=message):
        found.arguments({**CONV, **attributes})
