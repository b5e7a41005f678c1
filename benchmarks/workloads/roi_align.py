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


def onnx_peer(maps, rois, bins, ratio):
    """ONNX Runtime, on as many threads as torch has."""
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
    maps = torch.randn(1, 256, 200, 304)
    # Regions, bins along each axis, sampling_ratio.
    for count, bins, ratio in ((1000, 7, 0), (1000, 7, 2), (100, 14, 0), (100, 14, 2)):
        rois = proposals(count, 1216, 800)
        call = {"output_height": bins, "output_width": bins, "spatial_scale": 0.25, "sampling_ratio": ratio}
        yield (
            f"1x256x200x304, {count} regions, {bins}x{bins}, sampling_ratio {ratio}",
            {"input": maps, "rois": rois, **call},
            {"onnxruntime": onnx_peer(maps, rois, bins, ratio)},
        )


def device():
    """In float32 reading bounds: the four neighbours of every sample, each with its channels, come from L2,
    most of them more than once since samples lie closer than pixels. Half types read half as much and are
    bound by the vector unit, which weighs them in float32. Reading the pixels under a whole bin once would
    move the former. With sampling_ratio 0 the large regions have as many samples as pixels.
    """
    maps, rois = torch.randn(1, 256, 200, 304), proposals(1000, 1216, 800)
    bins = {"output_height": 7, "output_width": 7, "spatial_scale": 0.25}
    yield {"input": maps, "rois": rois, **bins, "sampling_ratio": 2}, "1500 us"
    yield {"input": maps.half(), "rois": rois.half(), **bins, "sampling_ratio": 2}, "1500 us"
    yield {"input": maps, "rois": rois, **bins, "sampling_ratio": 0}, ""
