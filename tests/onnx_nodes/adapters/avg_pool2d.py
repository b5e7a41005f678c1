# SPDX-License-Identifier: Apache-2.0
import numpy as np

from tests.onnx_nodes.nodes import Declined
from tests.onnx_nodes.windows import as_images, like, window_of

NODE = "AveragePool"


def evaluate(run, attributes, images):
    window = window_of(attributes, images.shape[2:])
    if window.dilation != [1, 1]:
        raise Declined("dilations, which avg_pool2d does not have")
    values, counted = as_images(images), bool(attributes.get("count_include_pad", 0))
    if window.symmetric:
        result = run(
            "avg_pool2d", input=values, padding=window.before, count_include_pad=counted, **window.arguments
        )
        return like(result, images)
    # Sums over sums: of the padded images, and of the ones that count.
    total = run("avg_pool2d", input=window.padded(values, 0), divisor_override=1, **window.arguments)
    ones = window.padded(np.ones_like(values), float(counted))
    return like(total / run("avg_pool2d", input=ones, divisor_override=1, **window.arguments), images)
