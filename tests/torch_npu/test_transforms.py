# SPDX-License-Identifier: Apache-2.0
"""Every torch operator under torch.compile, export, autocast and func, on npu tensors; see tests/test_torch.py."""

from __future__ import annotations

import pytest
import torch

from ascend_vision_ops import operators
from ascend_vision_ops.testing import torch_checks as checks
from ascend_vision_ops.testing import torch_results as results
from ascend_vision_ops.testing.run import spec_of

OPERATORS = [operator for operator in operators() if spec_of(operator).on_device]
WITH_KERNEL = [operator for operator in OPERATORS if not spec_of(operator).composite]


@pytest.mark.parametrize("operator", OPERATORS)
def test_opcheck(npu, operator):
    checks.opcheck(operator, npu)


@pytest.mark.parametrize("backend", ["aot_eager", "npugraphs"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_compile(npu, operator, backend):
    checks.compiled(operator, npu, backend)


@pytest.mark.parametrize("operator", OPERATORS)
def test_dynamic_shapes(npu, operator):
    checks.dynamic(operator, npu)


@pytest.mark.parametrize("operator", OPERATORS)
def test_export(npu, operator):
    checks.exported(operator, npu)


@pytest.mark.parametrize("operator", OPERATORS)
def test_autocast(npu, operator):
    checks.autocast(operator, npu, torch.float16)


@pytest.mark.parametrize("operator", OPERATORS)
def test_vmap(npu, operator):
    checks.vmap(operator, npu)


@pytest.mark.parametrize("operator", [name for name in OPERATORS if spec_of(name).backward])
def test_jacobians(npu, operator):
    checks.jacobians(operator, npu)


@pytest.mark.parametrize("operator", WITH_KERNEL)
def test_refusals(npu, operator):
    checks.refusals(operator, npu)


@pytest.mark.parametrize("operator", WITH_KERNEL)
def test_out(npu, operator):
    results.written(operator, npu)
    results.chosen(operator, npu)
    results.inference(operator, npu)


@pytest.mark.parametrize("operator", WITH_KERNEL)
def test_out_refusals(npu, operator):
    results.refusals(operator, npu)
    results.overlaps(operator, npu)
    results.without_gradient(operator, npu)


@pytest.mark.parametrize("operator", WITH_KERNEL)
def test_out_opcheck(npu, operator):
    results.opcheck(operator, npu)


@pytest.mark.parametrize("operator", WITH_KERNEL)
def test_out_compiled(npu, operator):
    results.compiled(operator, npu, "aot_eager")
