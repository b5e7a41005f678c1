# SPDX-License-Identifier: Apache-2.0
"""Values for the cases of RoIAlign and its gradient, and ONNX Runtime's RoiAlign as their oracle."""

import numpy as np

# Regions that are not finite, have no size or a negative one, lie far outside the image, or are much larger than it.
IRREGULAR = [[0, np.nan, 1, 5, 6], [0, 1, np.inf, 5, 6], [1, 1, 2, -np.inf, 6], [0, 5, 6, 2, 3], [1, 4, 4, 4, 4],
       [0, 7, 3, 2, 9], [1, -900, -900, -800, -800], [0, -40, -30, 60, 50], [1, -1, -1, 32, 24],
       [0, 31, 23, 32, 24], [1, 3, 4, 3, 9]]  # fmt: skip

MODEL = """<ir_version: 8, opset_import: ["": 16]>
g (double[n, c, h, w] x, double[k, d] rois, int64[k] indices) => (double[k, c, p, q] y) {{
  y = RoiAlign<mode = "{mode}", output_height = {height}, output_width = {width}, sampling_ratio = {ratio},
    spatial_scale = {scale:f}, coordinate_transformation_mode = "{transformation}">(x, rois, indices)
}}"""


def inside(rng, shape):
    """Regions of two images of 24 x 32. Some reach over the border."""
    corners = np.sort(rng.uniform(-3, 30, (shape[0], 2, 2)), axis=1)
    return np.concatenate([rng.integers(0, 2, (shape[0], 1)), corners.reshape(-1, 4)], 1)


def on_pixels(rng, shape):
    """Regions in images of 24 x 32, with corners at multiples of half a pixel: many samples lie on a pixel, or would
    without rounding."""
    low = rng.integers(3, 14, (shape[0], 2)) / 2
    high = np.minimum(low + rng.integers(2, 31, (shape[0], 2)) / 2, (31, 23))
    return np.concatenate([rng.integers(0, 2, (shape[0], 1)), low, high], 1)


def irregular(rng, shape):
    return np.array(IRREGULAR, dtype=float)


def some_irregular(rng, shape):
    """As on_pixels, but every fifth region is one of the irregular ones."""
    rois = on_pixels(rng, shape)
    rois[::5] = np.resize(IRREGULAR, rois[::5].shape)
    return rois


def sparse(rng, shape):
    """Values of which few are not finite: most bins have a finite mean, but not most large bins."""
    return np.where(
        rng.random(shape) < 0.002, rng.choice([np.nan, np.inf], shape), rng.standard_normal(shape)
    )


def onnx_roi_align(input, rois, height, width, scale, ratio, mode, aligned):
    """ONNX Runtime's result; None for mode max, for gradients, and for regions not finite or of negative size."""
    import onnx
    import onnxruntime
    import torch

    if input.requires_grad or mode == "max" or not len(rois):
        return None
    if not rois.isfinite().all() or (rois[:, 3:] < rois[:, 1:3]).any():
        return None
    transformation = "half_pixel" if aligned else "output_half_pixel"
    text = MODEL.format(
        mode=mode.removeprefix("onnx_"), height=height, width=width, ratio=ratio, scale=scale,
        transformation=transformation,
    )  # fmt: skip
    session = onnxruntime.InferenceSession(onnx.parser.parse_model(text).SerializeToString())
    tensors = {"x": input, "rois": rois[:, 1:], "indices": rois[:, 0].long()}
    feeds = {name: np.ascontiguousarray(tensor.detach().numpy()) for name, tensor in tensors.items()}
    return torch.from_numpy(session.run(None, feeds)[0])
