# SPDX-License-Identifier: Apache-2.0
"""Spectrogram frames, feature maps and raw audio, as speech models resample them."""

import numpy as np
import torch
import torch.nn.functional as F

from benchmarks.peers import Peer, opencv, runtimes
from benchmarks.workload import Workload, size

SHAPES = [((1, 80, 1500), 3000), ((8, 512, 1024), 4096), ((32, 64, 16000), 48000)]
# Targets for float32 and for half types, as times the speed of the fastest peer.
TARGETS = [(2.5, 0), (4, 10), (3, 0)]


def workloads():
    for (shape, length), targets in zip(SHAPES, TARGETS, strict=True):
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            signal = torch.randn(shape).to(dtype)
            name = f"{size(shape, dtype)} to {length}"
            arguments = {"self": signal, "output_size": [length]}
            yield Workload(name, arguments, peers(signal, length), targets[dtype != torch.float32])


def peers(signal, length):
    given = torch.empty(*signal.shape[:2], length, dtype=signal.dtype)
    into = torch.ops.aten.upsample_linear1d.out
    found = {
        "torch": lambda: F.interpolate(signal, size=length, mode="linear"),
        "torch out=": lambda: into(signal, [length], False, None, out=given),
    }
    resize = runtimes.node(
        "Resize",
        {"self": signal},
        {"size": torch.tensor(given.shape)},
        opset=18,
        order=["self", "", "", "size"],
        mode="linear",
    )
    if signal.dtype != torch.float32:
        return found | {"openvino": resize["openvino"]}
    # The rows are those of an image. cv2 takes images of these sizes, and resizes them vertically by a factor of 1.
    rows, result = signal.numpy().reshape(-1, signal.shape[2]), given.numpy().reshape(-1, length)

    def cv2(target):
        resize, linear = opencv.module().resize, opencv.module().INTER_LINEAR
        return lambda: resize(rows, (length, len(rows)), dst=target, interpolation=linear)

    def read(resized):
        return torch.from_numpy(np.asarray(resized)).view(given.shape)

    return (
        found
        | resize
        | {"opencv": Peer(lambda: cv2(None), read), "opencv out=": Peer(lambda: cv2(result), read)}
    )


def device():
    """For ratios of small integers, writing the result bounds the time; for half types the vector unit does, which
    computes in float32. For other ratios, the vector unit spends its time on gathering two inputs for each output. For
    short signals, the launch of 3 us and the start of 0.5 us take longer than moving all bytes.
    """
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for shape, out_length in SHAPES[:2]:
            yield {"self": torch.randn(shape).to(dtype), "output_size": [out_length]}, ""
    yield {"self": torch.randn(64, 80, 1500), "output_size": [1117]}, ""
