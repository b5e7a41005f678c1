# SPDX-License-Identifier: Apache-2.0
"""What the adapters of pooling share: the window of a node, for images (N, C, H, W)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tests.onnx_nodes.nodes import Declined


@dataclass
class Window:
    """A window: kernel, stride, dilation, and padding before and after, each for rows and columns."""

    kernel: list[int]
    stride: list[int]
    dilation: list[int]
    before: list[int]
    after: list[int]
    ceil_mode: bool

    @property
    def symmetric(self) -> bool:
        """Says whether torch's operators can pad like this."""
        return self.before == self.after and all(
            2 * pad <= kernel for pad, kernel in zip(self.before, self.kernel, strict=True)
        )

    @property
    def arguments(self) -> dict[str, object]:
        return {"kernel_size": self.kernel, "stride": self.stride, "ceil_mode": self.ceil_mode}

    def padded(self, images: np.ndarray, value: float) -> np.ndarray:
        """Pads the images, so that the window needs no padding."""
        if self.ceil_mode:
            raise Declined("ceil_mode with padding that torch's operator does not have")
        sides = [(0, 0), (0, 0), *zip(self.before, self.after, strict=True)]
        return np.pad(images, sides, constant_values=value)


def window_of(attributes: dict[str, object], extents: tuple[int, ...]) -> Window:
    """Gives the window of the last two dimensions; a row of samples counts as an image of height 1."""
    axes = len(extents)
    if axes > 2:
        raise Declined("volumes")
    kernel = attributes["kernel_shape"]
    stride = attributes.get("strides", [1] * axes)
    dilation = attributes.get("dilations", [1] * axes)
    pads = attributes.get("pads", [0] * 2 * axes)
    before, after = list(pads[:axes]), list(pads[axes:])
    auto = attributes.get("auto_pad", "NOTSET")
    if auto.startswith("SAME"):
        for axis, extent in enumerate(extents):
            span = (
                (math.ceil(extent / stride[axis]) - 1) * stride[axis]
                + (kernel[axis] - 1) * dilation[axis]
                + 1
            )
            total = max(span - extent, 0)
            small, large = total // 2, total - total // 2
            before[axis], after[axis] = (small, large) if auto == "SAME_UPPER" else (large, small)
    lead = [1] * (2 - axes)
    none = [0] * (2 - axes)
    return Window(
        [*lead, *kernel], [*lead, *stride], [*lead, *dilation], [*none, *before], [*none, *after],
        bool(attributes.get("ceil_mode", 0)),
    )  # fmt: skip


def as_images(values: np.ndarray) -> np.ndarray:
    return values[:, :, None] if values.ndim == 3 else values


def like(results: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Gives results the rank of the node's input."""
    return results[:, :, 0] if values.ndim == 3 else results
