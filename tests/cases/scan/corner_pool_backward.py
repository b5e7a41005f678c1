# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

FORWARD = cases_module("corner_pool")


def field(rng, shape):
    """A few numbers, so that many are equal, with infinities and NaN. They depend on the shape alone."""
    values = np.random.default_rng(shape).choice([-2.0, -1.0, 0.0, -0.0, 0.5, 3.0, np.inf, -np.inf], shape)
    return np.where(np.random.default_rng(shape).random(shape) < 0.02, np.nan, values)


def _pooled(mode):
    def generate(rng, shape):
        axis, step = (2 if mode < 2 else 3), (-1 if mode % 2 == 0 else 1)
        lines = np.moveaxis(field(rng, shape), axis, 0)[::step]
        return np.moveaxis(np.maximum.accumulate(lines, 0)[::step], 0, axis)

    generate.__name__ = f"pooled{mode}"
    return generate


pooled0, pooled1, pooled2, pooled3 = POOLED = [_pooled(mode) for mode in range(4)]


def _call(shape, mode, values="normal", layout="dense"):
    generators = {"grad_output": values, "input": field, "output": POOLED[mode]}
    return {n: Array(*shape, values=v, layout=layout) for n, v in generators.items()} | {"mode": mode}


def cases():
    for mode in range(4):
        for shape in FORWARD.SIZES + FORWARD.LONG:
            yield Case(f"mode {mode} {shape}", _call(shape, mode))
        yield Case(f"mode {mode} special", _call((2, 3, 20, 21), mode, "special"))
        for layout in ("strided", "transposed", "offset"):
            yield Case(f"mode {mode} {layout}", _call((2, 5, 12, 19), mode, layout=layout), out=layout)
        yield Case(f"mode {mode} empty", _call((2, 3, 0, 5), mode))


def oracle(grad_output, input, output, mode):
    import torch

    leaf = input.clone().requires_grad_()
    if input.numel() == 0:
        return grad_output
    return torch.autograd.grad(FORWARD.oracle(leaf, mode), leaf, grad_output)[0]


@st.composite
def strategy(draw):
    shape = [draw(st.integers(low, high)) for low, high in ((0, 3), (1, 20), (1, 60), (1, 60))]
    return _call(shape, draw(st.integers(0, 3)))
