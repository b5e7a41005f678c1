# SPDX-License-Identifier: Apache-2.0
"""Regions of a detector's head over its finest feature map, of sizes from 16 to 500 pixels."""

import math

import torch

# Regions, bins along each axis, sampling_ratio.
CALLS = [(1000, 7, 0), (1000, 7, 2), (100, 14, 0), (100, 14, 2)]


def onnx_peer(maps, rois, bins, ratio):
    """ONNX Runtime on one thread a core, as it comes."""
    import onnx
    import onnxruntime

    text = f"""<ir_version: 8, opset_import: ["": 16]>
    g (float[n, c, h, w] x, float[k, d] rois, int64[k] indices) => (float[k, c, p, q] y) {{
      y = RoiAlign<output_height = {bins}, output_width = {bins}, sampling_ratio = {ratio}, spatial_scale = 0.25,
        coordinate_transformation_mode = "half_pixel">(x, rois, indices)
    }}"""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    model = onnx.parser.parse_model(text).SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {"x": maps.numpy(), "rois": rois[:, 1:].numpy().copy(), "indices": rois[:, 0].long().numpy()}
    return lambda: torch.from_numpy(session.run(None, feeds)[0])


def workloads():
    generator = torch.Generator().manual_seed(0)
    maps = torch.randn(1, 256, 200, 304, generator=generator)
    for count, bins, ratio in CALLS:
        low, high = math.log(16), math.log(500)
        half = torch.exp(low + (high - low) * torch.rand(count, 2, generator=generator)) / 2
        centre = torch.rand(count, 2, generator=generator) * torch.tensor([1216.0, 800.0])
        rois = torch.cat([torch.zeros(count, 1), centre - half, centre + half], 1)
        call = {"output_height": bins, "output_width": bins, "spatial_scale": 0.25, "sampling_ratio": ratio}
        yield (
            f"1x256x200x304, {count} regions, {bins}x{bins}, sampling_ratio {ratio}",
            {"input": maps, "rois": rois, **call},
            {"onnxruntime": onnx_peer(maps, rois, bins, ratio)},
        )
