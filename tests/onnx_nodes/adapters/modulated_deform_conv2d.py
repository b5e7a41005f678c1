# SPDX-License-Identifier: Apache-2.0
from tests.onnx_nodes.nodes import Declined

NODE = "DeformConv"


def evaluate(run, attributes, images, weight, offset, bias=None, mask=None):
    """The channels of offset and mask are in one order in both: by group, row and column of the kernel, then y, x."""
    pads = attributes.get("pads", [0, 0, 0, 0])
    if pads[:2] != pads[2:]:
        raise Declined("pads that differ from side to side")
    return run(
        "modulated_deform_conv2d",
        input=images,
        offset=offset,
        mask=mask,
        weight=weight,
        bias=bias,
        stride=attributes.get("strides", [1, 1]),
        padding=list(pads[:2]),
        dilation=attributes.get("dilations", [1, 1]),
        groups=attributes.get("group", 1),
        deform_groups=attributes.get("offset_group", 1),
    )
