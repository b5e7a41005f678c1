# SPDX-License-Identifier: Apache-2.0
"""How other libraries define deformable convolution: deform groups, and the order of tensors and channels."""

import numpy as np
import pytest
import torch
from onnx import TensorProto, helper
from onnxruntime import InferenceSession

from ascend_vision_ops import cpu


def call(groups, deform_groups, channels=8, filters=4, seed=0):
    rng = np.random.default_rng(seed)
    shapes = {
        "input": (2, channels, 7, 8),
        "offset": (2, deform_groups * 18, 7, 8),
        "mask": (2, deform_groups * 9, 7, 8),
        "weight": (filters, channels // groups, 3, 3),
        "bias": (filters,),
    }
    args = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    return {**args, "padding": [1, 1], "groups": groups, "deform_groups": deform_groups}


def within_groups(groups, deform_groups, **args):
    """Convolve as mmcv 1.x does: each conv group alone, with its channels split among all deform groups."""
    parts = zip(
        *(np.split(args[name], groups, axis) for name, axis in (("input", 1), ("weight", 0))), strict=True
    )
    biases = np.split(args["bias"], groups)
    sizes = {name: args[name] for name in ("offset", "mask", "padding")}
    return np.concatenate(
        [
            cpu.modulated_deform_conv2d(input=x, weight=w, bias=b, **sizes, deform_groups=deform_groups)
            for (x, w), b in zip(parts, biases, strict=True)
        ],
        axis=1,
    )


@pytest.mark.parametrize(("groups", "deform_groups"), [(2, 1), (1, 2), (2, 2), (4, 2)])
def test_mmcv_takes_the_deform_group_inside_a_group(groups, deform_groups):
    args = call(groups, deform_groups)
    alike = np.allclose(cpu.modulated_deform_conv2d(**args), within_groups(**args), atol=1e-4)
    assert alike == (groups == 1 or deform_groups == 1)


@pytest.mark.parametrize(("groups", "deform_groups"), [(1, 1), (2, 1), (2, 4)])
def test_torchvision_orders_arguments_otherwise_and_channels_alike(torchvision, groups, deform_groups):
    args = call(groups, deform_groups)
    x, offset, mask, weight, bias = (
        torch.from_numpy(args[name]) for name in ("input", "offset", "mask", "weight", "bias")
    )
    theirs = torchvision.ops.deform_conv2d(x, offset, weight, bias, padding=args["padding"], mask=mask)
    np.testing.assert_allclose(cpu.modulated_deform_conv2d(**args), theirs.numpy(), atol=2e-5)


def onnx_deform_conv(groups, deform_groups, padding, **args):
    names = ["input", "weight", "offset", "bias", "mask"]
    pads = [*padding, *padding]
    node = helper.make_node(
        "DeformConv", names, ["out"], kernel_shape=[3, 3], pads=pads, group=groups, offset_group=deform_groups
    )
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, list(args[name].shape)) for name in names
    ]
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, None)
    opset = [helper.make_opsetid("", 19)]
    model = helper.make_model(
        helper.make_graph([node], "deform", inputs, [out]), opset_imports=opset, ir_version=9
    )
    return InferenceSession(model.SerializeToString()).run(None, {name: args[name] for name in names})[0]


@pytest.mark.parametrize(("groups", "deform_groups"), [(1, 1), (2, 1), (1, 2), (2, 2), (4, 2), (2, 4)])
def test_onnx_orders_inputs_otherwise_and_channels_alike(groups, deform_groups):
    args = call(groups, deform_groups)
    np.testing.assert_allclose(cpu.modulated_deform_conv2d(**args), onnx_deform_conv(**args), atol=2e-5)
