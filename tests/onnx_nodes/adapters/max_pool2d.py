# SPDX-License-Identifier: Apache-2.0
import numpy as np

from tests.onnx_nodes.windows import as_images, like, window_of

NODE = "MaxPool"


def evaluate(run, attributes, images):
    window = window_of(attributes, images.shape[2:])
    # uint8 is exact in float32.
    values = as_images(images).astype(np.float32)
    padding = window.before
    if not window.symmetric:
        values, padding = window.padded(values, -np.inf), [0, 0]
    result = run("max_pool2d", input=values, padding=padding, dilation=window.dilation, **window.arguments)
    # The indices, a second output of some cases, are not computed.
    return like(result.astype(images.dtype), images)
