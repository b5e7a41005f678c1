# SPDX-License-Identifier: Apache-2.0
"""The attention of a decoder (300 queries on four levels) and of an encoder (each pixel of three levels is a query) of
Deformable DETR, on an image of 800 x 1066 pixels."""

import torch

from ascend_vision_ops.testing.peers import mmcv_function
from benchmarks.peers import Peer
from benchmarks.workload import Workload

LEVELS = [(100, 134), (50, 67), (25, 34), (13, 17)]
HEADS, CHANNELS, POINTS = 8, 32, 4


def call(levels, queries, generator):
    shapes = torch.tensor(levels)
    sizes = shapes.prod(1)
    places = (1, queries, HEADS, len(levels), POINTS)
    # Samples lie around a place of each query, as learned offsets lead to them.
    middle = torch.rand(1, queries, 1, 1, 1, 2, generator=generator)
    weights = torch.rand(places, generator=generator)
    return {
        "value": torch.randn(1, int(sizes.sum()), HEADS, CHANNELS, generator=generator),
        "value_spatial_shapes": shapes,
        "value_level_start_index": sizes.cumsum(0) - sizes,
        "sampling_locations": middle + 0.05 * torch.randn(*places, 2, generator=generator),
        "attention_weights": weights / weights.sum((3, 4), keepdim=True),
    }


def workloads():
    generator = torch.Generator().manual_seed(0)
    encoder = sum(height * width for height, width in LEVELS[1:])
    for name, levels, queries in (("decoder", LEVELS, 300), ("encoder of three levels", LEVELS[1:], encoder)):
        arguments = call(levels, queries, generator)
        yield Workload(name, arguments, peers_of(**arguments), 2, limit="")


def peers_of(value, value_spatial_shapes, value_level_start_index, sampling_locations, attention_weights):
    def by_mmcv():
        attention = mmcv_function("multi_scale_deform_attn", "multi_scale_deformable_attn_pytorch")
        return lambda: attention(value, value_spatial_shapes, sampling_locations, attention_weights)

    return {"mmcv": Peer(by_mmcv)}
