# SPDX-License-Identifier: Apache-2.0
"""Spectrogram frames, feature maps and raw audio, as speech models resample them."""

import numpy as np
import torch

from benchmarks.peers import Peer, opencv, runtimes
from benchmarks.workload import Workload, size

SHAPES = [((1, 80, 1500), 3000), ((8, 512, 1024), 4096), ((32, 64, 16000), 48000)]
# Targets for float32 and for half types, as times the speed of the fastest peer.
TARGETS = [(2.5, 0), (4, 10), (3, 0)]

# Axes of arguments that become longer together in drawn workloads.
GROWS = [[("self", 0)], [("self", 1)], [("self", 2), ("output_size", 0)]]


def workloads():
    for (shape, length), targets in zip(SHAPES, TARGETS, strict=True):
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            signal = torch.randn(shape).to(dtype)
            name = f"{size(shape, dtype)} to {length}"
            arguments = {"self": signal, "output_size": [length]}
            yield Workload(name, arguments, contestants(**arguments), targets[dtype != torch.float32])


def contestants(self, output_size, align_corners=False, scales=None):
    signal, (length,) = self, output_size
    given = torch.empty(*signal.shape[:2], length, dtype=signal.dtype)
    into, resample = torch.ops.aten.upsample_linear1d.out, torch.ops.aten.upsample_linear1d
    found = {
        "torch": lambda: resample(signal, [length], align_corners, scales),
        "torch out=": lambda: into(signal, [length], align_corners, scales, out=given),
    }
    if scales is not None:
        return found
    resize = runtimes.node(
        "Resize",
        {"self": signal},
        {"size": torch.tensor(given.shape)},
        opset=18,
        order=["self", "", "", "size"],
        mode="linear",
        coordinate_transformation_mode="align_corners" if align_corners else "half_pixel",
    )
    if signal.dtype != torch.float32:
        return found | {"openvino": resize["openvino"]}
    if align_corners:
        return found | resize
    # The rows are those of an image. cv2 takes images of these sizes, and resizes them vertically by a factor of 1.
    rows, result = signal.numpy().reshape(-1, signal.shape[2]), given.numpy().reshape(-1, length)

    def cv2(target):
        resize, linear = opencv.module().resize, opencv.module().INTER_LINEAR
        return lambda: resize(rows, (length, len(rows)), dst=target, interpolation=linear)

    def read(resized):
        return torch.from_numpy(np.asarray(resized)).view(given.shape)

    copies = runtimes.handed(signal)
    return (
        found
        | resize
        | {
            "opencv": Peer(lambda: cv2(None), read, copies),
            "opencv out=": Peer(lambda: cv2(result), read, copies),
        }
    )


def device():
    """For ratios of small integers, writing the result bounds the time; for half types the vector unit does, which
    computes in float32. For other ratios, the vector unit spends its time on gathering two inputs for each output. For
    short signals, the launch of 2.5 us and the start of 1.4 us take longer than moving all bytes.
    """
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for shape, out_length in SHAPES[:2]:
            yield {"self": torch.randn(shape).to(dtype), "output_size": [out_length]}, ""
    yield {"self": torch.randn(64, 80, 1500), "output_size": [1117]}, ""
