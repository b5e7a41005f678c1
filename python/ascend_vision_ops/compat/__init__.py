# SPDX-License-Identifier: Apache-2.0
"""torchvision's and mmcv's operators on npu tensors, by the operators of this package.

``X.py`` holds what operator X does in their place: functions with the signatures of theirs. The decorator of each says
which one it replaces: ``torchvision.operator(schema)`` an operator that torchvision registers with torch,
``torchvision.function(module, name)`` and ``mmcv.function(module, name)`` a function or method written in Python.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

__all__ = ["patch_mmcv", "patch_torchvision"]


def patch_torchvision() -> None:
    """Registers torchvision's nms, roi_align and deform_conv2d for npu tensors, with their gradients.

    torchvision may be imported before or after. What is built on these operators (batched_nms, MultiScaleRoIAlign,
    DeformConv2d, detection models), autograd, autocast and torch.compile then work on npu tensors; cpu tensors stay
    with torchvision. Where torchvision is not installed, `torch.ops.torchvision` gets these operators, on cpu and npu
    tensors, for programs that call them by name; they give way should torchvision turn up.

    Calling it again changes nothing. What an operator here does not take, such as float64 tensors, is a RuntimeError
    that names the parameter; see the divergences of nms_indices, roi_align and modulated_deform_conv2d.

    Source: the schemas of torchvision 0.28.
    """
    from . import _torchvision

    _load()
    _torchvision.patch()


def patch_mmcv() -> None:
    """Makes mmcv's nms, soft_nms, batched_nms, roi_align, CornerPool and modulated_deform_conv2d run on npu tensors.

    mmcv.ops may be imported before or after; modules that imported these functions by name have the new ones too. Cpu
    tensors stay with mmcv's compiled operators. Where mmcv has none (mmcv-lite), mmcv.ops becomes importable, these
    operators take cpu tensors too, and any other operator raises a RuntimeError that names it.

    Calling it again changes nothing. What an operator here does not take, such as float64 tensors, is a RuntimeError
    that names the parameter.

    Raises:
        ImportError: mmcv, or what its operators need, is not installed
        RuntimeError: this mmcv lacks a function that mmcv 2.2 has; nothing is patched then

    Source: mmcv 2.2.
    """
    from . import _mmcv

    _load()
    _mmcv.patch()


def _load() -> None:
    """Imports the operators, and what each does in place of others."""
    from ascend_vision_ops import ops

    if "torch_npu" in sys.modules:
        ops.load_npu()
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
