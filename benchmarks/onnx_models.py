# SPDX-License-Identifier: Apache-2.0
"""Builds small ONNX models as exporters write them, for tests of the passes and for comparisons of simplifiers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


class Builder:
    """Collects nodes and weights in the order in which they are added. Each call returns the name of its result."""

    def __init__(self, seed: int = 0):
        self.rng = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.infos: list[onnx.ValueInfoProto] = []

    def weight(self, array, name: str = "") -> str:
        name = name or f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def random(self, *shape: int) -> str:
        return self.weight(self.rng.standard_normal(shape).astype(np.float32))

    def ints(self, *items: int) -> str:
        return self.weight(np.array(items, np.int64))

    def op(self, op_type: str, *inputs: str, outputs: int = 1, shape=None, dtype=FLOAT, **attributes):
        made = [
            f"{op_type.lower()}{len(self.nodes)}_{i}" if i else f"{op_type.lower()}{len(self.nodes)}"
            for i in range(outputs)
        ]
        domain, _, name = op_type.rpartition("::")
        made = [item.replace("::", "_") for item in made]
        self.nodes.append(
            helper.make_node(
                name, list(inputs), made, domain=domain, name=f"n{len(self.nodes)}", **attributes
            )
        )
        if shape is not None:
            self.infos.append(helper.make_tensor_value_info(made[0], dtype, shape))
        return made[0] if outputs == 1 else made

    def conv(
        self, x: str, channels: int, filters: int, kernel: int = 3, bn: bool = False, **attributes
    ) -> str:
        attributes.setdefault("pads", [kernel // 2] * 4)
        weight = self.rng.standard_normal((filters, channels, kernel, kernel)) / (kernel * channels**0.5)
        y = self.op("Conv", x, self.weight(weight.astype(np.float32)), **attributes)
        return self.batch_norm(y, filters) if bn else y

    def batch_norm(self, x: str, channels: int) -> str:
        spread = self.rng.uniform(0.5, 2.0, channels).astype(np.float32)
        parts = self.random(channels), self.random(channels), self.random(channels), self.weight(spread)
        return self.op("BatchNormalization", x, *parts)

    def flatten_by_shape(self, x: str) -> str:
        """Flattens as torch's exporter writes x.view(x.size(0), -1)."""
        size = self.op("Gather", self.op("Shape", x), self.weight(np.int64(0)), axis=0)
        parts = self.op("Unsqueeze", size, self.ints(0)), self.ints(-1)
        return self.op("Reshape", x, self.op("Concat", *parts, axis=0))

    def model(self, inputs: dict, outputs: dict, opset: int = 17, domains=()) -> onnx.ModelProto:
        """Makes the model. inputs and outputs are shapes by name, or pairs (type, shape)."""

        def info(name, what):
            dtype, shape = what if isinstance(what, tuple) else (FLOAT, what)
            return helper.make_tensor_value_info(name, dtype, shape)

        graph = helper.make_graph(
            self.nodes,
            "model",
            [info(*item) for item in inputs.items()],
            [info(*item) for item in outputs.items()],
            self.weights,
            value_info=self.infos,
        )
        sets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
        return helper.make_model(graph, opset_imports=sets, ir_version=8)


def convnet(batch: int | str = 2) -> onnx.ModelProto:
    """A network with padding, convolutions with and without bias, batch normalisation, a residual sum, dropout and a
    classifier."""
    b = Builder()
    x = b.op("Pad", "image", b.ints(0, 0, 1, 1, 0, 0, 1, 1), b.weight(np.float32(0)))
    x = b.op("Relu", b.conv(x, 3, 8, bn=True, pads=[0, 0, 0, 0]))
    y = b.op("Relu", b.conv(x, 8, 8, bn=True))
    y = b.op("Add", b.conv(y, 8, 8, bn=True), x)
    y = b.op("PRelu", b.op("Identity", y), b.random(8, 1, 1))
    up = b.op("ConvTranspose", y, b.random(8, 3, 2, 2), strides=[2, 2], group=2)
    y = b.op("Dropout", b.batch_norm(up, 6))
    y = b.op("Mul", y, b.weight(np.float32(1)))
    y = b.op("GlobalAveragePool", y)
    y = b.op("Gemm", b.flatten_by_shape(y), b.random(5, 6), b.random(5), transB=1)
    return b.model({"image": [batch, 3, 16, 16]}, {y: [batch, 5]})


def shape_glue(batch: int | str = "batch") -> onnx.ModelProto:
    """Attention over a feature map. Shapes that the graph computes split and merge the heads and expand a mask."""
    b = Builder()
    tokens = b.op("Transpose", b.op("Reshape", "x", b.ints(0, 16, -1)), perm=[0, 2, 1])
    shape = b.op("Shape", tokens)

    def size(axis: int) -> str:
        return b.op("Unsqueeze", b.op("Gather", shape, b.weight(np.int64(axis)), axis=0), b.ints(0))

    heads = []
    for _ in range(3):
        part = b.op("MatMul", tokens, b.random(16, 16))
        width = b.op(
            "Div", b.op("Gather", b.op("Shape", part), b.weight(np.int64(2)), axis=0), b.weight(np.int64(4))
        )
        target = b.op("Concat", size(0), size(1), b.ints(4), b.op("Unsqueeze", width, b.ints(0)), axis=0)
        heads.append(b.op("Transpose", b.op("Reshape", part, target), perm=[0, 2, 1, 3]))
    scores = b.op("MatMul", heads[0], b.op("Transpose", heads[1], perm=[0, 1, 3, 2]))
    scale = b.op("Sqrt", b.op("Cast", b.weight(np.int64(4)), to=FLOAT))
    scores = b.op("Div", scores, scale)
    mask = b.op("Expand", b.random(1, 1, 1, 36), b.op("Concat", size(0), b.ints(4), size(1), size(1), axis=0))
    weights = b.op("Softmax", b.op("Add", scores, mask), axis=-1)
    merged = b.op("Transpose", b.op("MatMul", weights, heads[2]), perm=[0, 2, 1, 3])
    out = b.op("Reshape", merged, b.op("Concat", size(0), size(1), b.ints(16), axis=0))
    return b.model({"x": [batch, 16, 6, 6]}, {out: [batch, 36, 16]})


def focus(
    size: int | str = 32, kernel: int = 3, order=((0, 0), (1, 0), (0, 1), (1, 1)), **conv
) -> onnx.ModelProto:
    """The stem of YOLOv5 as torch exports it: two slices for each of four phases, then Concat and Conv."""
    b = Builder()
    parts = []
    last, step = b.ints(np.iinfo(np.int64).max), b.ints(2)
    for row, column in order:
        rows = b.op("Slice", "image", b.ints(row), last, b.ints(2), step)
        parts.append(b.op("Slice", rows, b.ints(column), last, b.ints(3), step))
    y = b.conv(b.op("Concat", *parts, axis=1), 12, 8, kernel, bn=True, **conv)
    y = b.op("Mul", y, b.op("Sigmoid", y))
    return b.model({"image": [1, 3, size, size]}, {y: ["n", 8, "h", "w"]})


def detector(batch: int | str = 1, opset: int = 17) -> onnx.ModelProto:
    """A detector: normalisation, a backbone with mmcv's deformable convolution, a head, mmcv's NMS and its
    postprocessing."""
    b = Builder()
    mean = b.weight(np.array([123.7, 116.3, 103.5], np.float32).reshape(1, 3, 1, 1))
    std = b.weight(np.array([58.4, 57.1, 57.4], np.float32).reshape(1, 3, 1, 1))
    x = b.op("Transpose", b.op("Cast", "image", to=FLOAT), perm=[0, 3, 1, 2])
    x = b.op("Div", b.op("Sub", x, mean), std)
    x = b.op("Relu", b.conv(x, 3, 8, bn=True, strides=[2, 2]))
    offset, mask = b.conv(x, 8, 18), b.op("Sigmoid", b.conv(x, 8, 9))
    x = b.op(
        "mmcv::MMCVModulatedDeformConv2d", x, offset, mask, b.random(8, 8, 3, 3), shape=[batch, 8, 16, 16],
        stride=[1, 1], padding=[1, 1], dilation=[1, 1], groups=1, deform_groups=1,
    )  # fmt: skip
    x = b.op("Relu", b.batch_norm(x, 8))
    size = b.op("Gather", b.op("Shape", x), b.weight(np.int64(0)), axis=0)
    rows = b.op("Concat", b.op("Unsqueeze", size, b.ints(0)), b.ints(-1, 4), axis=0)
    boxes = b.op("Reshape", b.op("Transpose", b.conv(x, 8, 4, 1), perm=[0, 2, 3, 1]), rows)
    lower, upper = b.op("Split", boxes, axis=2, outputs=2)
    boxes = b.op("Concat", lower, b.op("Add", lower, b.op("Exp", upper)), axis=2)
    scores = b.op("Reshape", b.op("Sigmoid", b.conv(x, 8, 1, 1)), b.ints(1 if batch == 1 else -1, 256))
    first = b.op("Squeeze", boxes, b.ints(0)), b.op("Squeeze", scores, b.ints(0))
    kept = b.op("mmcv::NonMaxSuppression", *first, shape=["kept"], dtype=INT64, iou_threshold=0.5, offset=0)
    dets = b.op("Gather", first[0], kept, axis=0)
    score = b.op("Gather", first[1], kept, axis=0)
    out = {dets: ["kept", 4], score: ["kept"]}
    return b.model({"image": (TensorProto.UINT8, [batch, 32, 32, 3])}, out, opset, ["mmcv"])


def published(name: str) -> onnx.ModelProto:
    """Loads a network of the ONNX model zoo that the package onnx contains, with invented weights: `densenet121`, …"""
    return onnx.load(
        Path(onnx.__file__).parent / "backend" / "test" / "data" / "light" / f"light_{name}.onnx"
    )


def chain(blocks: int) -> onnx.ModelProto:
    """Chains blocks of ten nodes: a reshape to a computed shape, constants to fold, an identity and dropout."""
    b = Builder()
    one, axis, head, tail = b.weight(np.int64(1)), b.ints(0), b.ints(1), b.ints(8)
    first, second = b.weight(np.float32([1.5])), b.weight(np.float32([0.25]))
    x = "x"
    for _ in range(blocks):
        size = b.op("Unsqueeze", b.op("Gather", b.op("Shape", x), one), axis)
        y = b.op("Reshape", x, b.op("Concat", head, size, tail, axis=0))
        y = b.op("Identity", b.op("Add", y, b.op("Mul", first, second)))
        x = b.op("Dropout", b.op("Relu", y))
    return b.model({"x": [1, 4, 8]}, {x: [1, 4, 8]})


def large(megabytes: int, path) -> None:
    """Writes a stack of matrix products of that size. The weights go to one file beside it and are never in memory
    together.
    """
    width = 2048
    layers = max(1, megabytes * 2**20 // (4 * width * width))
    nodes, weights = [], []
    for layer in range(layers):
        weight = TensorProto(
            name=f"w{layer}", data_type=FLOAT, dims=[width, width], data_location=TensorProto.EXTERNAL
        )
        for key, value in (
            ("location", f"{path.name}.data"),
            ("offset", layer * 4 * width**2),
            ("length", 4 * width**2),
        ):
            weight.external_data.add(key=key, value=str(value))
        weights.append(weight)
        nodes.append(helper.make_node("MatMul", [f"x{layer}", f"w{layer}"], [f"m{layer}"]))
        nodes.append(helper.make_node("Identity", [f"m{layer}"], [f"x{layer + 1}"]))
    rng = np.random.default_rng(0)
    with open(f"{path}.data", "wb") as file:
        for _ in range(layers):
            file.write((rng.standard_normal((width, width), np.float32) / 45).tobytes())
    ends = [helper.make_tensor_value_info(f"x{layer}", FLOAT, [1, width]) for layer in (0, layers)]
    graph = helper.make_graph(nodes, "model", ends[:1], ends[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
