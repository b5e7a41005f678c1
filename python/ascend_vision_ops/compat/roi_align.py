# SPDX-License-Identifier: Apache-2.0
"""roi_align of torchvision and of mmcv."""

from torch import ops
from torch.autograd.function import once_differentiable
from torch.nn.modules.utils import _pair

from . import _mmcv as mmcv
from . import _torchvision as torchvision


@torchvision.operator(
    "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, "
    "int sampling_ratio, bool aligned) -> Tensor"
)
def roi_align(input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned):
    ratio = max(
        sampling_ratio, 0
    )  # torchvision says -1 for a number of samples that follows the size of the region
    return ops.ascend_vision_ops.roi_align(
        input, rois, pooled_height, pooled_width, spatial_scale, ratio, "avg", aligned
    )


@torchvision.operator(
    "_roi_align_backward(Tensor grad, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, "
    "SymInt batch_size, SymInt channels, SymInt height, SymInt width, int sampling_ratio, bool aligned) -> Tensor"
)
def roi_align_backward(
    grad,
    rois,
    spatial_scale,
    pooled_height,
    pooled_width,
    batch_size,
    channels,
    height,
    width,
    sampling_ratio,
    aligned,
):
    size, ratio = [batch_size, channels, height, width], max(sampling_ratio, 0)
    return ops.ascend_vision_ops.roi_align_backward(
        grad, rois, size, pooled_height, pooled_width, spatial_scale, ratio, aligned
    )


@mmcv.function("mmcv.ops.roi_align", "RoIAlignFunction.forward")
def forward(
    ctx, input, rois, output_size, spatial_scale=1.0, sampling_ratio=0, pool_mode="avg", aligned=True
):
    call = (*_pair(output_size), spatial_scale, sampling_ratio)
    ctx.call, ctx.mode, ctx.aligned, ctx.input_shape = call, pool_mode, aligned, input.shape
    ctx.save_for_backward(rois, *([] if pool_mode == "avg" else [input]))
    return ops.ascend_vision_ops.roi_align(input, rois, *call, pool_mode, aligned)


@mmcv.function("mmcv.ops.roi_align", "RoIAlignFunction.backward")
@once_differentiable
def backward(ctx, grad_output):
    rois, *input = ctx.saved_tensors
    grad_input = ops.ascend_vision_ops.roi_align_backward(
        grad_output, rois, ctx.input_shape, *ctx.call, ctx.aligned, ctx.mode, *input
    )
    return grad_input, None, None, None, None, None, None
