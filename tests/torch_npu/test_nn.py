# SPDX-License-Identifier: Apache-2.0
"""Modules of ascend_vision_ops.nn: the calls of tests/nn give the same on npu tensors as on cpu tensors."""

from __future__ import annotations

import copy
import importlib.util
from pathlib import Path

import pytest
import torch

_spec = importlib.util.spec_from_file_location("nn_calls", Path(__file__).parents[1] / "nn" / "test_nn.py")
calls = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(calls)


@pytest.mark.parametrize("call", calls.CALLS, ids=calls.name_of)
def test_results_and_gradients(npu, call):
    module, *tensors = call
    near = calls.gradients(module, tensors)
    far = calls.gradients(copy.deepcopy(module).to(npu), tensors, npu)
    for one, other in zip(far, near, strict=True):
        if other is not None:
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)  # sums in another order


@pytest.mark.parametrize("call", calls.CALLS, ids=calls.name_of)
def test_half(npu, call):
    module, *tensors = call
    far = copy.deepcopy(module).to(npu).half()
    result = calls.first(far(*(tensor.to(npu).half() for tensor in tensors)))
    near = copy.deepcopy(module).half()
    want = calls.first(near(*(tensor.half() for tensor in tensors)))
    assert result.dtype == torch.float16
    torch.testing.assert_close(
        result.cpu(), want, rtol=1e-2, atol=1e-2
    )  # the offsets of a pack are rounded differently


@pytest.mark.parametrize("call", calls.WITH_GRADIENT, ids=calls.name_of)
def test_compile(npu, call):
    module, *tensors = call
    far, tensors = copy.deepcopy(module).to(npu), [tensor.to(npu) for tensor in tensors]
    torch._dynamo.reset()
    compiled = torch.compile(far, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(calls.first(compiled(*tensors)), calls.first(far(*tensors)))
