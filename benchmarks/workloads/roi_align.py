# SPDX-License-Identifier: Apache-2.0
"""Proposals of a detector on the largest map of its pyramid."""

import numpy as np
import torch


def proposals(count, width, height, seed=0):
    """Rows 0, x1, y1, x2, y2 in pixels of the image: sides from 16 pixels up, evenly by their logarithm."""
    rng = np.random.default_rng(seed)
    size = np.exp(rng.uniform(np.log(16), np.log(400), (count, 2)))
    centre = rng.uniform(0, 1, (count, 2)) * (width, height)
    low, high = np.maximum(centre - size / 2, 0), np.minimum(centre + size / 2, (width, height))
    return torch.from_numpy(np.concatenate([np.zeros((count, 1)), low, high], axis=1)).float()


def device():
    """The vector unit weighs four neighbours of every sample for all channels; reads of maps come from L2,
    since regions overlap. Sampling as densely as regions are large costs as many times more as there are
    samples.
    """
    maps, rois = torch.randn(1, 256, 200, 304), proposals(1000, 1216, 800)
    bins = {"output_height": 7, "output_width": 7, "spatial_scale": 0.25}
    yield {"input": maps, "rois": rois, **bins, "sampling_ratio": 2}, "1500 us"
    yield {"input": maps.half(), "rois": rois.half(), **bins, "sampling_ratio": 2}, "1500 us"
    yield {"input": maps, "rois": rois, **bins, "sampling_ratio": 0}, ""
