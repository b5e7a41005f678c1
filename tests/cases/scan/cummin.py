# SPDX-License-Identifier: Apache-2.0
from ascend_vision_ops.testing import cases_module

CUMMAX = cases_module("cummax")
cases, strategy, halves, late = CUMMAX.cases, CUMMAX.strategy, CUMMAX.halves, CUMMAX.late
scattered = CUMMAX.scattered


def oracle(input, dim):
    result = input.cummin(dim)
    return result.values, result.indices
