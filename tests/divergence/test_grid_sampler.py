# SPDX-License-Identifier: Apache-2.0
import numpy as np
import torch
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from onnxruntime import InferenceSession

from ascend_vision_ops import cpu, ops

IMAGES = np.arange(1, 13, dtype=np.float32).reshape(1, 1, 3, 4)


def model(**attributes):
    node = helper.make_node("GridSample", ["images", "grid"], ["out"], **attributes)
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in node.input]
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "sample", inputs, [out])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def test_onnx_runtime_reads_nan_as_a_border():
    grid = np.full((1, 1, 1, 2), np.nan, np.float32)
    session = InferenceSession(model(mode="linear", padding_mode="zeros").SerializeToString())
    assert np.isfinite(session.run(None, {"images": IMAGES, "grid": grid})[0]).all()
    assert np.isnan(cpu.grid_sampler(IMAGES, grid)).all()
    assert (cpu.grid_sampler(IMAGES, grid, interpolation_mode=1) == 0).all()


def test_onnx_reference_reflects_one_pixel():
    pixel, grid = IMAGES[..., :1, :1], np.full((1, 1, 1, 2), 1.5, np.float32)
    reference = ReferenceEvaluator(model(mode="linear", padding_mode="reflection", align_corners=1))
    try:
        with np.errstate(all="ignore"):
            theirs = reference.run(None, {"images": pixel, "grid": grid})[0]
    except (ZeroDivisionError, ValueError, OverflowError):
        theirs = np.array(np.nan)
    ours = cpu.grid_sampler(pixel, grid, padding_mode=2, align_corners=True)
    assert ours.item() == 1 and not np.allclose(theirs, ours)


def test_torch_reads_other_memory_for_large_images_of_half_types():
    """Its offsets have 16 bits, so that they lead to what lies before the image: sevens here."""
    memory = torch.full((3 << 16,), 7, dtype=torch.float16)
    image = memory[1 << 16 :][: 200 * 200].view(1, 1, 200, 200)
    image.copy_(torch.arange(200).view(200, 1).expand(200, 200))
    grid = torch.tensor([0.0, 0.9], dtype=torch.float16).view(1, 1, 1, 2)
    wide = torch.grid_sampler(image.float(), grid.float(), 0, 0, True)
    assert torch.grid_sampler(image, grid, 0, 0, True).item() == 7
    assert ops.grid_sampler(image, grid, 0, 0, True).item() == round(wide.item()) == 189
