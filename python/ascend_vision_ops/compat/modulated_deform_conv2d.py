# SPDX-License-Identifier: Apache-2.0
"""Replacements for deform_conv2d of torchvision and modulated_deform_conv2d of mmcv."""

import torch
from torch import ops
from torch.autograd.function import once_differentiable
from torch.nn.modules.utils import _pair

from . import _mmcv as mmcv
from . import _torchvision as torchvision

_ARGUMENTS = (
    "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, "
    "SymInt groups, SymInt offset_groups, bool use_mask"
)


def _window(stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups, offset_groups):
    return [stride_h, stride_w], [pad_h, pad_w], [dilation_h, dilation_w], groups, offset_groups


@torchvision.operator(
    "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, "
    + _ARGUMENTS
    + ") -> Tensor"
)
def deform_conv2d(input, weight, offset, mask, bias, *window_and_use_mask):
    *window, use_mask = window_and_use_mask
    return ops.ascend_vision_ops.modulated_deform_conv2d(
        input, offset, mask if use_mask else None, weight, bias, *_window(*window)
    )


@torchvision.operator(
    "_deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, "
    + _ARGUMENTS
    + ") -> (Tensor, Tensor, Tensor, Tensor, Tensor)"
)
def deform_conv2d_backward(grad, input, weight, offset, mask, bias, *window_and_use_mask):
    *window, use_mask = window_and_use_mask
    grad_input, grad_offset, grad_mask, grad_weight, grad_bias = (
        ops.ascend_vision_ops.modulated_deform_conv2d_backward(
            grad, input, offset, mask if use_mask else None, weight, *_window(*window)
        )
    )
    # Without use_mask, torchvision passes a mask of another shape. The result does not depend on it.
    grad_mask = grad_mask if use_mask else torch.zeros_like(mask)
    return grad_input, grad_weight, grad_offset, grad_mask, grad_bias


@mmcv.function("mmcv.ops.modulated_deform_conv", "ModulatedDeformConv2dFunction.forward")
def forward(
    ctx, input, offset, mask, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, deform_groups=1
):
    # Under autocast only offset has a half type. As mmcv does, convert all tensors to it.
    input, mask, weight = input.type_as(offset), mask.type_as(offset), weight.type_as(offset)
    ctx.window = _pair(stride), _pair(padding), _pair(dilation), groups, deform_groups
    ctx.with_bias = bias is not None
    ctx.save_for_backward(input, offset, mask, weight)
    return ops.ascend_vision_ops.modulated_deform_conv2d(
        input, offset, mask, weight, bias.type_as(offset) if ctx.with_bias else None, *ctx.window
    )


@mmcv.function("mmcv.ops.modulated_deform_conv", "ModulatedDeformConv2dFunction.backward")
@once_differentiable
def backward(ctx, grad_output):
    *grads, grad_bias = ops.ascend_vision_ops.modulated_deform_conv2d_backward(
        grad_output, *ctx.saved_tensors, *ctx.window
    )
    return *grads, grad_bias if ctx.with_bias else None, None, None, None, None, None
