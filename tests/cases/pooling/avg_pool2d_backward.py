# SPDX-License-Identifier: Apache-2.0
from hypothesis import strategies as st

from ascend_vision_ops.testing import cases_module

FORWARD, SHARED = cases_module("avg_pool2d"), cases_module("max_pool2d_backward")


def cases():
    yield from SHARED.backward_cases(FORWARD)


def oracle(**args):
    return SHARED.backward_oracle(FORWARD, **args)


@st.composite
def strategy(draw):
    return SHARED.backward_call(draw(FORWARD.strategy()))
