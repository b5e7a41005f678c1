# SPDX-License-Identifier: Apache-2.0
from tests.onnx_nodes.nodes import Declined

NODE = "GridSample"
MODES = {"linear": 0, "bilinear": 0, "nearest": 1, "cubic": 2, "bicubic": 2}
PADDINGS = ["zeros", "border", "reflection"]


def evaluate(run, attributes, images, grid):
    if images.ndim > 4:
        raise Declined("volumes")
    return run(
        "grid_sampler",
        input=images,
        grid=grid,
        interpolation_mode=MODES[attributes.get("mode", "linear")],
        padding_mode=PADDINGS.index(attributes.get("padding_mode", "zeros")),
        align_corners=bool(attributes.get("align_corners", 0)),
    )
