# SPDX-License-Identifier: Apache-2.0
import numpy as np

NODE = "RoiAlign"
# Of the node's max, the largest of the four weighted corners of all samples.
MODES = {"avg": "avg", "max": "onnx_max"}


def evaluate(run, attributes, maps, rois, batch_indices):
    rois = np.concatenate([batch_indices[:, None].astype(rois.dtype), rois], axis=1)
    return run(
        "roi_align",
        input=maps,
        rois=rois,
        output_height=attributes.get("output_height", 1),
        output_width=attributes.get("output_width", 1),
        spatial_scale=attributes.get("spatial_scale", 1.0),
        sampling_ratio=attributes.get("sampling_ratio", 0),
        mode=MODES[attributes.get("mode", "avg")],
        aligned=attributes.get("coordinate_transformation_mode", "half_pixel") == "half_pixel",
    )
