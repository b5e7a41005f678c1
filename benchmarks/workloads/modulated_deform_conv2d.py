# SPDX-License-Identifier: Apache-2.0
"""Deformable layers of a detection backbone."""

import torch

# Images, filters; 3x3 windows.
SHAPES = [((1, 256, 100, 152), 256), ((2, 64, 50, 76), 64)]


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
    for shape, filters in SHAPES:
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            args = tensors(shape, filters, dtype)
            text = f"{'x'.join(map(str, shape))} 3x3 -> {filters} {str(dtype).removeprefix('torch.')}"
            yield text, args, {"onnxruntime": onnxruntime(args)} if dtype == torch.float32 else {}


def onnxruntime(args):
    from onnx import TensorProto, helper
    from onnxruntime import InferenceSession, SessionOptions

    names = ["input", "weight", "offset", "bias", "mask"]
    node = helper.make_node("DeformConv", names, ["out"], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    value = helper.make_tensor_value_info
    inputs = [value(name, TensorProto.FLOAT, list(args[name].shape)) for name in names]
    graph = helper.make_graph([node], "deform", inputs, [value("out", TensorProto.FLOAT, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    options = SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    session = InferenceSession(model.SerializeToString(), options)
    feed = {name: args[name].numpy() for name in names}
    return lambda: torch.from_numpy(session.run(None, feed)[0])


def device():
    """The product itself takes about half of the float32 time, on cube cores that work while vector cores
    sample. Those bound: in float32 by reading the four neighbours of every sample from L2, in half types by
    weighing them, which they do in float32. Samples shared between the nine taps of neighbouring windows
    would move it, but their offsets are free. The small layers wait for the first samples and the last
    products.
    """
    for _, arguments, _ in workloads():
        large, wide = arguments["input"].shape[2] == 100, arguments["input"].dtype == torch.float32
        yield arguments, "1500 us" if large and wide else ""
