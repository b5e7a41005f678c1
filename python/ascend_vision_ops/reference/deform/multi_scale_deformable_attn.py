# SPDX-License-Identifier: Apache-2.0
"""Multi-scale deformable attention (Deformable DETR, arXiv 2010.04159), as mmcv defines it."""

import numpy as np

from ..common.bilinear import interpolate
from ._deform import sampled


def multi_scale_deformable_attn(
    value, value_spatial_shapes, value_level_start_index, sampling_locations, attention_weights
):
    """Weighted samples of feature maps of several levels: (N, Q, M D), of the dtype of ``value`` (N, S, M, D).

    Level l has the map of ``value_spatial_shapes[l]`` (rows, columns), which starts at position
    ``value_level_start_index[l]`` of S. ``sampling_locations`` (N, Q, M, L, P, 2) holds (x, y), where 0 and 1 are the
    outer edges of the map; ``attention_weights`` is (N, Q, M, L, P). Raises ValueError for a map that does not lie
    within the S positions.
    """
    images, positions, heads, channels = value.shape
    result = np.zeros((images, sampling_locations.shape[1], heads, channels))
    for level, ((height, width), start) in enumerate(
        zip(value_spatial_shapes.tolist(), value_level_start_index.tolist(), strict=True)
    ):
        if min(height, width, start) < 0 or start + height * width > positions:
            raise ValueError(
                f"value_spatial_shapes: expected maps within the {positions} positions of value, "
                f"got {height} x {width} from position {start} in row {level}"
            )
        maps = value[:, start : start + height * width].reshape(images, height, width, heads, channels)
        for n, head in np.ndindex(images, heads):
            x, y = np.moveaxis(sampling_locations[n, :, head, level].astype(np.float64), -1, 0)
            image = np.moveaxis(maps[n, :, :, head].astype(np.float64), -1, 0)
            samples = interpolate(image, y * height - 0.5, x * width - 0.5, sampled) if image[0].size else 0.0
            weighted = samples * attention_weights[n, :, head, level]
            result[n, :, head] += np.moveaxis(np.broadcast_to(weighted, (channels, *x.shape)), 0, -1).sum(1)
    return result.reshape(*result.shape[:2], heads * channels).astype(value.dtype)
