# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ascend_vision_ops.testing import Array, Case


def inside(rng, shape):
    """Regions of both images, a few of them reaching beyond the border of one of 24 x 32."""
    corners = rng.uniform(-3, 30, (shape[0], 2, 2))
    corners.sort(axis=1)
    return np.concatenate([rng.integers(0, 2, (shape[0], 1)), corners.reshape(-1, 4)], 1)


def cases():
    for mode in ("avg", "max", "onnx_max"):
        for ratio, aligned in ((0, True), (2, True), (0, False), (3, False)):
            args = {
                "output_height": 3,
                "output_width": 5,
                "sampling_ratio": ratio,
                "mode": mode,
                "aligned": aligned,
            }
            yield Case(f"{args}", {"input": Array(2, 20, 24, 32), "rois": Array(9, 5, values=inside), **args})
