# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

FORWARD = cases_module("cummax")
LAYOUTS = [("strided", 2), ("transposed", 1), ("offset", 0), ("strided", -1)]


def _leaders(axis):
    """Makes a generator of indices that cummax can give along an axis."""

    def generate(rng, shape):
        places = np.arange(shape[axis] if shape else 1).reshape([-1] + [1] * (-1 - axis))
        leads = rng.random(shape) < rng.choice(
            [0.02, 0.3, 1.0], [*shape[: axis % max(len(shape), 1)]] + [1] * -axis
        )
        first = np.where(places == 0, 0, -1)
        return np.maximum.accumulate(np.where(leads, places, first), axis) if shape else np.zeros(())

    generate.__name__ = f"leaders{-axis}"
    return generate


leaders1, leaders2, leaders3, leaders4 = (_leaders(-1 - i) for i in range(4))
LEADERS = {-1: leaders1, -2: leaders2, -3: leaders3, -4: leaders4}


def _call(shape, dim, values="normal", layout="dense"):
    axis = dim - len(shape) if dim >= 0 and shape else dim
    grads = Array(*shape, values=values, layout=layout)
    return {"grad_values": grads, "indices": Array(*shape, values=LEADERS[axis], layout=layout), "dim": dim}


def cases():
    for shape in FORWARD.SHAPES:
        for dim in range(-1, len(shape) - 1):
            yield Case(f"{shape} {dim}", _call(shape, dim))
    for shape, dim in FORWARD.LONG:
        for values in ("integers", "special"):
            yield Case(f"{shape} {dim} {values}", _call(shape, dim, values))
    yield Case("0-d", _call((), -1))
    yield Case("4-d", _call((2, 3, 1, 4), -4))
    for layout, dim in LAYOUTS:
        yield Case(f"{layout} {dim}", _call((4, 9, 20), dim, layout=layout), out=layout)
    for shape, dim in (((3, 0, 4), 1), ((0, 5), 1)):
        yield Case(f"empty {shape}", _call(shape, dim))


def oracle(grad_values, indices, dim):
    if indices.numel() == 0 or indices.dim() == 0:
        return grad_values
    return grad_values.new_zeros(grad_values.shape).scatter_add(dim, indices.long(), grad_values)


@st.composite
def strategy(draw):
    shape = tuple(draw(st.lists(st.integers(1, 40), min_size=1, max_size=3)))
    return _call(shape, draw(st.integers(-len(shape), -1)))
