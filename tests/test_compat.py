# SPDX-License-Identifier: Apache-2.0
"""Imports libraries in every order around the patches, each in a process of its own. tests/torch_npu tests what the
patches do on npu tensors."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from ascend_vision_ops import sim

BOXES = """
import torch
boxes = torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 2.1], [5, 5, 6, 6]])
scores = torch.tensor([0.5, 0.6, 0.1])
"""
PATCH_TORCHVISION = """
import ascend_vision_ops as avo
avo.compat.patch_torchvision()
"""
IMPORT_TORCHVISION = """
from ascend_vision_ops.testing.peers import import_torchvision
vision = import_torchvision()
"""
# A machine without torchvision.
HIDE_TORCHVISION = """
from importlib.machinery import PathFinder
search = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name.startswith("torchvision") else search(name, *rest)
"""
KEPT = """
assert torch.ops.torchvision.nms(boxes, scores, 0.5).tolist() == [1, 2]
"""
REGISTERED = """
for name in ("nms", "roi_align", "_roi_align_backward", "deform_conv2d", "_deform_conv2d_backward"):
    assert torch._C._dispatch_has_kernel_for_dispatch_key(f"torchvision::{name}", "PrivateUse1"), name
"""

needs_torchvision = pytest.mark.skipif(
    importlib.util.find_spec("torchvision") is None, reason="torchvision is not installed"
)
needs_mmcv = pytest.mark.skipif(importlib.util.find_spec("mmcv") is None, reason="mmcv is not installed")


def run(*parts: str) -> None:
    done = subprocess.run([sys.executable, "-c", "\n".join(parts)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]


@needs_torchvision
def test_torchvision_before():
    run(BOXES, IMPORT_TORCHVISION, PATCH_TORCHVISION, KEPT, REGISTERED)


@needs_torchvision
def test_torchvision_after():
    run(BOXES, PATCH_TORCHVISION, PATCH_TORCHVISION, IMPORT_TORCHVISION, KEPT, REGISTERED)


# A torchvision with a function in Python that calls it by name from another module.
STAND_IN = """
import pathlib, sys, tempfile
folder = pathlib.Path(tempfile.mkdtemp(), "torchvision")
(folder / "ops").mkdir(parents=True)
(folder / "__init__.py").write_text("__version__ = '0'; from . import ops")
(folder / "ops/__init__.py").write_text("from .boxes import area")
(folder / "ops/boxes.py").write_text("def area(boxes, scale=1): return 'theirs'")
sys.path.insert(0, str(folder.parent))
import torch
from ascend_vision_ops.compat import _torchvision
torch.utils.rename_privateuse1_backend("npu")
class OnNpu(torch.Tensor):
    device = torch.device("npu")
@_torchvision.function("torchvision.ops.boxes", NAME, takes=torch.Tensor.is_floating_point)
def area(boxes, scale=1):
    return f"ours {scale}"
"""
OURS_ON_NPU = """
import torchvision
assert torchvision.ops.area is torchvision.ops.boxes.area
cpu, npu = torch.ones(1, 4), torch.ones(1, 4).as_subclass(OnNpu)
assert torchvision.ops.area(npu, scale=2) == "ours 2"
assert torchvision.ops.area(cpu) == torchvision.ops.area(npu.int()) == "theirs"
"""


@pytest.mark.parametrize("first", ["", "import torchvision"], ids=["patched before", "imported before"])
def test_a_function_of_torchvision_in_python(first):
    """Ours is called for npu tensors that it takes, theirs for others, by whatever name they are imported."""
    run("NAME = 'area'", STAND_IN, first, "_torchvision.patch()", OURS_ON_NPU)


def test_a_torchvision_without_a_function():
    refused = """
try:
    _torchvision.patch()
except RuntimeError as error:
    assert "expected torchvision.ops.boxes.volume, torchvision 0 has none" in str(error), error
else:
    raise AssertionError("nothing raised")
"""
    run("NAME = 'volume'", STAND_IN, "import torchvision", refused)


ON_NPU = """
import ascend_vision_ops as avo
avo.sim.activate()
boxes, scores = boxes.npu(), scores.npu()
torch.set_default_device("npu")
"""
needs_simulation = pytest.mark.skipif(
    importlib.util.find_spec("torch_npu") is None or bool(sim.obstacle()), reason="no simulated npu here"
)


@pytest.mark.parametrize("device", ["", pytest.param(ON_NPU, marks=needs_simulation)], ids=["cpu", "npu"])
def test_torchvision_never(device):
    gradient = """
x, rois = torch.rand(1, 2, 6, 6, requires_grad=True), torch.tensor([[0.0, 1, 1, 4, 4]])
torch.ops.torchvision.roi_align(x, rois, 1.0, 2, 2, -1, False).sum().backward()
assert abs(x.grad.sum().item() - 8) < 1e-5
arguments = torch.rand(1, 4, 3, 3), torch.zeros(1, 18, 6, 6), torch.zeros(1, 1), torch.zeros(1)
weight, offset, mask, bias = arguments
out = torch.ops.torchvision.deform_conv2d(x[:, :1], weight[:, :1], offset, mask, bias, 1, 1, 1, 1, 1, 1, 1, 1, False)
torch.testing.assert_close(out, torch.conv2d(x[:, :1], weight[:, :1], padding=1))
"""
    run(BOXES, device, HIDE_TORCHVISION, PATCH_TORCHVISION, PATCH_TORCHVISION, KEPT, gradient)


@needs_torchvision
def test_torchvision_turns_up_later():
    parts = BOXES, HIDE_TORCHVISION, PATCH_TORCHVISION, KEPT, "PathFinder.find_spec = search"
    run(*parts, IMPORT_TORCHVISION, "assert vision.extension._has_ops()", KEPT, REGISTERED)


PATCH_MMCV = """
import ascend_vision_ops as avo
avo.compat.patch_mmcv()
"""
WITHOUT_OPERATORS = """
import importlib.util
assert importlib.util.find_spec("mmcv._ext") is None, "this mmcv has compiled operators"
"""
MMCV_KEPT = """
dets, indices = mmcv.ops.nms(boxes, scores, 0.5)
assert indices.tolist() == [1, 2]
assert torch.equal(dets, torch.cat([boxes, scores[:, None]], 1)[indices])
assert mmcv.ops.soft_nms(boxes.numpy(), scores.numpy(), method="naive")[1].tolist() == [1, 2]
assert mmcv.ops.CornerPool("right")(torch.tensor([[[[3, 1, 4]]]])).flatten().tolist() == [3, 3, 4]
x = torch.rand(1, 2, 6, 6, requires_grad=True)
mmcv.ops.RoIAlign(2)(x, torch.tensor([[0.0, 1, 1, 4, 4]])).sum().backward()
assert abs(x.grad.sum().item() - 8) < 1e-5
"""


@needs_mmcv
def test_mmcv_after():
    run(BOXES, PATCH_MMCV, PATCH_MMCV, "import mmcv.ops", MMCV_KEPT)


@needs_mmcv
def test_mmcv_before():
    run(BOXES, "import mmcv", PATCH_MMCV, "import mmcv.ops", MMCV_KEPT)


@needs_mmcv
def test_mmcv_without_operators_says_which_is_absent():
    absent = """
try:
    mmcv.ops.nms_rotated(torch.rand(2, 5), torch.rand(2), 0.5)
except RuntimeError as error:
    assert "mmcv._ext.nms_rotated: this mmcv has no compiled operators" in str(error), error
else:
    raise AssertionError("nothing raised")
"""
    run(BOXES, WITHOUT_OPERATORS, PATCH_MMCV, "import mmcv.ops", absent)


@needs_mmcv
def test_mmcv_with_operators_keeps_them_for_cpu_tensors():
    compiled = """
import importlib.machinery, sys, types
class Compiled(types.ModuleType):
    calls = []
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        def call(*args, **kwargs):
            self.calls.append(name)
            return torch.tensor([0])
        return call
extension = Compiled("mmcv._ext")
extension.__spec__ = importlib.machinery.ModuleSpec("mmcv._ext", None)
sys.modules["mmcv._ext"] = extension
from mmcv.ops import nms, soft_nms
"""
    check = """
assert nms(boxes, scores, 0.5)[1].tolist() == [0]
soft_nms(boxes, scores)
assert extension.calls == ["nms", "softnms"], extension.calls
assert mmcv.ops.soft_nms is sys.modules["mmcv.ops.nms"].soft_nms
"""
    run(BOXES, compiled, PATCH_MMCV, "import mmcv.ops", check)


@needs_mmcv
def test_another_mmcv_is_refused_and_left_as_it_is():
    other = """
import ascend_vision_ops as avo
import mmcv
from ascend_vision_ops.compat import _mmcv
_mmcv.function("mmcv.ops.nms", "NMSop.of_another_version")(print)
"""
    check = """
try:
    avo.compat.patch_mmcv()
except RuntimeError as error:
    assert "expected mmcv.ops.nms.NMSop.of_another_version, mmcv 2" in str(error), error
else:
    raise AssertionError("nothing raised")
import sys
assert sys.modules["mmcv.ops.nms"].NMSop.forward.__module__ == "mmcv.ops.nms"
assert "mmcv._ext" not in sys.modules
"""
    run(other, check)


def test_without_mmcv():
    hide = HIDE_TORCHVISION.replace("torchvision", "mmcv")
    check = """
import ascend_vision_ops as avo
try:
    avo.compat.patch_mmcv()
except ImportError as error:
    assert "mmcv" in str(error)
else:
    raise AssertionError("nothing raised")
"""
    run(hide, check)
