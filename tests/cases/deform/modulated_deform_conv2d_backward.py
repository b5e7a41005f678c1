# SPDX-License-Identifier: Apache-2.0
from ascend_vision_ops.testing import Array, Case, cases_module

FORWARD, DEFORM, ORACLE = (
    cases_module(name) for name in ("modulated_deform_conv2d", "_deform", "_deform_oracle")
)
between, far = DEFORM.between, DEFORM.far


def gradient_call(args, **options):
    """Arguments of the gradient, from those of a forward call."""
    shape = (args["input"].shape[0], args["weight"].shape[0], *args["offset"].shape[2:])
    return {"grad_output": Array(*shape, **options)} | {k: v for k, v in args.items() if k != "bias"}


def cases():
    for case in FORWARD.cases():
        # A sum with infinities of both signs is infinite or NaN, depending on the order of its terms.
        if not case.id.startswith(("without ['bias']", "infinities")):
            layout = case.args["input"].layout
            yield Case(case.id, gradient_call(case.args, layout=layout), out=case.out)


def oracle(
    grad_output,
    input,
    offset,
    mask,
    weight,
    stride=(1, 1),
    padding=(0, 0),
    dilation=(1, 1),
    groups=1,
    deform_groups=1,
):
    import torch

    # On a row or column of pixels the derivative jumps. Which side counts is our own definition.
    if not torch.isfinite(offset).all() or (offset == offset.floor()).any():
        return None
    leaves = [input, offset, torch.ones_like(offset[:, ::2]) if mask is None else mask, weight]
    leaves = [leaf.detach().requires_grad_() for leaf in (*leaves, weight.new_zeros(len(weight)))]
    result = ORACLE.convolve(*leaves, stride, padding, dilation, groups, deform_groups)
    return None if result is None else torch.autograd.grad(result, leaves, grad_output)


def strategy():
    return DEFORM.calls().map(gradient_call)
