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

    torchvision may be imported before or after this call. What is built on these operators (batched_nms,
    MultiScaleRoIAlign, DeformConv2d, detection models) then works on npu tensors, as do autograd, autocast and
    torch.compile. torchvision itself still computes cpu tensors. If it is not installed, `torch.ops.torchvision` gets
    these operators for cpu and npu tensors, so that programs can call them by name. They are removed again when
    torchvision is imported later.

    A second call changes nothing. An argument that an operator here does not support, such as a float64 tensor, is a
    RuntimeError that names the parameter; see the divergences of nms_indices, roi_align and modulated_deform_conv2d.

    Source: the schemas of torchvision 0.28.
    """
    _load()
    from . import _torchvision

    _torchvision.patch()


def patch_mmcv() -> None:
    """Makes mmcv's nms, soft_nms, batched_nms, roi_align, CornerPool and modulated_deform_conv2d run on npu tensors.

    mmcv.ops may be imported before or after this call; modules that imported these functions by name get the new ones,
    too. mmcv's compiled operators still compute cpu tensors. If mmcv has no compiled operators (mmcv-lite), mmcv.ops
    becomes importable, these operators take cpu tensors too, and every other operator raises a RuntimeError that names
    it.

    A second call changes nothing. An argument that an operator here does not support, such as a float64 tensor, is a
    RuntimeError that names the parameter.

    Raises:
        ImportError: mmcv, or what its operators need, is not installed
        RuntimeError: this mmcv lacks a function that mmcv 2.2 has; nothing is patched then

    Source: mmcv 2.2.
    """
    _load()
    from . import _mmcv

    _mmcv.patch()


def _load() -> None:
    """Imports the operators and all replacements."""
    from ascend_vision_ops import ops  # where torch is not installed, the error says so

    if "torch_npu" in sys.modules:
        ops.load_npu()
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
