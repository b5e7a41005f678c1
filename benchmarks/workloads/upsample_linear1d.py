# SPDX-License-Identifier: Apache-2.0
"""Spectrogram frames, feature maps and raw audio, as speech models resample them."""

import numpy as np
import torch
import torch.nn.functional as F

SHAPES = [((1, 80, 1500), 3000), ((8, 512, 1024), 4096), ((32, 64, 16000), 48000)]


def workloads():
    for shape, out_length in SHAPES:
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            signal = torch.randn(shape).to(dtype)
            text = f"{'x'.join(map(str, shape))}->{out_length} {str(dtype).removeprefix('torch.')}"
            yield text, {"self": signal, "output_size": [out_length]}, peers(signal, out_length)


def peers(signal, out_length):
    found = {"torch": lambda: F.interpolate(signal, size=out_length, mode="linear")}
    if signal.dtype == torch.float32:
        found["opencv"] = lambda: opencv(signal, out_length)
        if signal.numel() < 1e6:
            found["numpy"] = lambda: numpy(signal, out_length)
    return found


def opencv(signal, out_length):
    import cv2

    rows = signal.numpy().reshape(-1, signal.shape[2])
    # Rows are an image's: cv2 caps neither side at these sizes, and interpolates vertically by a factor of 1.
    resized = cv2.resize(rows, (out_length, rows.shape[0]), interpolation=cv2.INTER_LINEAR)
    return torch.from_numpy(resized).view(*signal.shape[:2], out_length)


def numpy(signal, out_length):
    length = signal.shape[2]
    at = (np.arange(out_length) + 0.5) * length / out_length - 0.5
    rows = [np.interp(at, np.arange(length), row) for row in signal.numpy().reshape(-1, length)]
    return torch.from_numpy(np.stack(rows)).float().view(*signal.shape[:2], out_length)


def device():
    """Ratios of small integers are bound by writing the result, half types by the vector unit, which computes
    them in float32. Other ratios gather two inputs for each output, which is what the vector unit spends its
    time on. The short signals take a launch of 3 us and a start of 0.5 us, more than all their bytes.
    """
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for shape, out_length in SHAPES[:2]:
            yield {"self": torch.randn(shape).to(dtype), "output_size": [out_length]}, ""
    yield {"self": torch.randn(64, 80, 1500), "output_size": [1117]}, ""
