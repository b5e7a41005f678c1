# SPDX-License-Identifier: Apache-2.0
"""Regions and numbers of samples that nobody means: an error in words before any work, on CPU tensors and in a node."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch calls the kernel")

from ascend_vision_ops import ops  # noqa: E402
from ascend_vision_ops.paths import onnxruntime_library  # noqa: E402

MAPS = np.random.default_rng(0).standard_normal((1, 2, 8, 8)).astype(np.float32)
PLAIN, FAR = (0, 1, 1, 6, 6), (0, -1e30, -1e30, 1e30, 1e30)
HOSTILE = {
    "a region of 2e30 elements": ([PLAIN, FAR], 0, "row 1"),
    "samples without end": ([PLAIN], 2**40, "row 0"),
    "the largest number of samples": ([PLAIN], 2**62, "row 0"),
    "many regions": ([PLAIN] * 2000, 4000, "too many for a call"),
}


def by_torch(rois, ratio, mode="avg"):
    return ops.roi_align(torch.tensor(MAPS), torch.tensor(rois), 2, 2, 1.0, ratio, mode, True).numpy()


def by_node(rois, ratio, mode="avg"):
    onnx = pytest.importorskip("onnx", reason="models are made with the package onnx")
    ort = pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")
    if not onnxruntime_library().is_file():
        pytest.skip("libavo_onnxruntime is not built")
    from ascend_vision_ops.onnx import register

    node = onnx.helper.make_node(
        "MMCVRoiAlign", ["x", "rois"], ["y"], domain="mmcv", output_height=2, output_width=2, spatial_scale=1.0,
        sampling_ratio=ratio, mode=mode, aligned=1,
    )  # fmt: skip
    infos = [onnx.helper.make_tensor_value_info(name, 1, None) for name in ("x", "rois", "y")]
    graph = onnx.helper.make_graph([node], "g", infos[:2], infos[2:])
    sets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("mmcv", 1)]
    options = ort.SessionOptions()
    options.log_severity_level = 4
    register(options)
    model = onnx.helper.make_model(graph, opset_imports=sets, ir_version=8).SerializeToString()
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": MAPS, "rois": rois})[0]


@pytest.mark.parametrize("run", [by_torch, by_node])
@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("what", HOSTILE)
def test_an_error_before_work(run, mode, what):
    rois, ratio, where = HOSTILE[what]
    with pytest.raises(Exception, match=r"rois: expected .* samples") as error:
        run(np.float32(rois), ratio, mode)
    assert where in str(error.value) and f"sampling_ratio {ratio}" in str(error.value)


@pytest.mark.parametrize("run", [by_torch, by_node])
def test_what_is_large_and_meant(run):
    """A region far larger than the map, and thousands of samples, have results still."""
    wide = run(np.float32([(0, -1e4, -1e4, 1e4, 1e4)]), 0)
    assert np.isfinite(wide).all() and np.any(wide)
    fine, finer = run(np.float32([PLAIN]), 100), run(np.float32([PLAIN]), 3000)
    np.testing.assert_allclose(fine, finer, atol=1e-2)


@pytest.mark.parametrize("run", [by_torch, by_node])
def test_a_region_of_negative_size_is_empty(run):
    """mmcv's CPU kernel asserts that there is none, torchvision's steps backwards: here it gives 0, as documented."""
    assert not np.any(run(np.float32([(0, 6, 6, 1, 1)]), 2))
