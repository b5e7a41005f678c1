# SPDX-License-Identifier: Apache-2.0
"""Deformable layers of a detection backbone."""

import torch

from ascend_vision_ops.testing.peers import import_torchvision
from benchmarks.peers import Peer, mmcv, runtimes
from benchmarks.workload import Workload, size

# Shape of the images and number of filters; windows are 3x3. Targets are times the speed of the best peer, by dtype.
SHAPES = [((1, 256, 100, 152), 256), ((2, 64, 50, 76), 64)]
TARGETS = [{torch.float32: 1.3, torch.bfloat16: 3}, {torch.float32: 1.2}]


def tensors(shape, filters, dtype):
    batch, channels, *size = shape
    made = {
        "input": torch.randn(shape),
        "offset": torch.randn(batch, 18, *size) * 2,
        "mask": torch.rand(batch, 9, *size),
        "weight": torch.randn(filters, channels, 3, 3) / 48,
        "bias": torch.randn(filters),
    }
    return {name: tensor.to(dtype) for name, tensor in made.items()} | {"padding": [1, 1]}


def workloads():
    for (shape, filters), targets in zip(SHAPES, TARGETS, strict=True):
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            arguments = tensors(shape, filters, dtype)
            batch, channels, height, width = shape
            yield Workload(
                f"{size(shape, dtype)} 3x3 to {filters}",
                arguments,
                peers(arguments),
                targets.get(dtype, 0),
                limit="product",
                flops=2 * 9 * batch * channels * height * width * filters,
            )


def peers(arguments):
    order = ["input", "weight", "offset", "bias", "mask"]
    x, weight, offset, bias, mask = (arguments[name] for name in order)
    if x.dtype != torch.float32:
        return {"openvino": openvino(arguments)}

    def torchvision():
        convolve = import_torchvision().ops.deform_conv2d
        return lambda: convolve(x, offset, weight, bias, padding=1, mask=mask)

    def by_mmcv():
        convolve, shape = mmcv.operators().modulated_deform_conv, (len(x), len(weight), *x.shape[2:])
        return lambda: convolve(x, weight, bias, offset, mask, torch.empty(shape), 1)

    feeds, constants = {"input": x, "offset": offset, "mask": mask}, {"weight": weight, "bias": bias}
    window = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    found = runtimes.node("DeformConv", feeds, constants, opset=19, order=order, **window)
    return {
        "torchvision": Peer(torchvision),
        "mmcv": Peer(by_mmcv),
        "onnxruntime": found["onnxruntime"],
        "openvino": openvino(arguments),
    }


def openvino(arguments):
    """OpenVINO's own operator, as OpenVINO does not read a DeformConv of ONNX with a mask."""

    def model():
        import openvino as ov
        from openvino import opset8

        x, offset, mask = (
            opset8.parameter(list(arguments[name].shape), runtimes.element_type(arguments[name].dtype))
            for name in ("input", "offset", "mask")
        )
        weight = runtimes.constant(arguments["weight"])
        bias = runtimes.constant(arguments["bias"].view(1, -1, 1, 1))
        one = [1, 1]
        sums = opset8.deformable_convolution(
            x, offset, weight, one, one, one, one, mask, "EXPLICIT", 1, 1, True
        )
        return ov.Model([opset8.add(sums, bias)], [x, offset, mask])

    return runtimes.openvino(model, {name: arguments[name] for name in ("input", "offset", "mask")})


def device():
    """Vector cores bound the time. In float32 they read the four neighbours of every sample from L2; in half types
    they multiply them with their weights, which they do in float32. The product takes about half of the float32 time,
    on cube cores that work at the same time. Neighbouring windows cannot share samples, as each tap has its own
    offset. In the small layers, the first samples and the last products do not overlap with other work.
    """
    for work in workloads():
        arguments = work.arguments
        large, wide = arguments["input"].shape[2] == 100, arguments["input"].dtype == torch.float32
        yield arguments, "1500 us" if large and wide else ""
