# SPDX-License-Identifier: Apache-2.0
"""torch's linear interpolation of (N, C, L): ONNX's Resize, or our node where Resize would give another length.

ONNX computes the length of a result from a factor in float32, torch in double: 0.29 times 100 is 29 in float32 and 28
in double. ONNX's half_pixel is torch's rule also where the result has one sample.
"""

from __future__ import annotations

import numpy as np
import torch
from onnxscript import opset18

from ascend_vision_ops.onnx import node
from ascend_vision_ops.onnx.translate import ExportError, make_node
from ascend_vision_ops.opgen.nodes import DOMAIN


def resize_by_factors(self, output_size, align_corners, scale_factors=None):
    """The overload that `torch.nn.functional.interpolate` calls, with a length or with a factor."""
    if scale_factors is None:
        return resize(self, output_size, align_corners)
    factor, length = scale_factors[0], self.shape[2]
    if isinstance(length, int):
        return resize(self, [int(length * factor)], align_corners, factor)
    if not float(factor * 256).is_integer():  # another factor may give two lengths, see above
        raise ExportError(
            "interpolate: scale_factor: expected a multiple of 1/256 where the length is known at run time alone, "
            f"got {factor}: give a size, or recompute_scale_factor=True"
        )
    return _resize_by(self, factor, align_corners)


def resize(self, output_size, align_corners, scales=None):
    """The overload with a length; `scales` is the factor that positions are computed with instead of the ratio."""
    size, length = output_size[0], self.shape[2]
    known = isinstance(size, int) and isinstance(length, int)
    if known and size == length:
        return opset18.Identity(self)
    if scales is None or align_corners or (known and scales == size / length):
        kept = opset18.Shape(self, start=0, end=2)
        last = opset18.Constant(value_ints=[size]) if isinstance(size, int) else opset18.Reshape(size, [-1])
        return opset18.Resize(self, None, None, opset18.Concat(kept, last, axis=0), **_linear(align_corners))
    if known and int(np.float32(length) * np.float32(scales)) != size:
        # Our node takes both the length and the factor.
        attributes = {"output_size": [size], "align_corners": 0, "scales": scales}
        return make_node(node(DOMAIN, "upsample_linear1d"), [self], attributes)
    return _resize_by(self, scales, align_corners)


def _resize_by(self, factor, align_corners):
    factors = opset18.Constant(value_floats=[1.0, 1.0, float(factor)])
    return opset18.Resize(self, None, factors, **_linear(align_corners))


def _linear(align_corners) -> dict[str, str]:
    mode = "align_corners" if align_corners else "half_pixel"
    return {"mode": "linear", "coordinate_transformation_mode": mode}


_overloads = torch.ops.aten.upsample_linear1d
TRANSLATIONS = {_overloads.default: resize, _overloads.vec: resize_by_factors}
