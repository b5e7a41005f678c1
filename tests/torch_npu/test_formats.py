# SPDX-License-Identifier: Apache-2.0
"""npu_format_cast without internal formats, as torch_npu is unless told: values stay, formats are base ones."""

from __future__ import annotations

import ctypes

import pytest
import torch
import torch_npu

from ascend_vision_ops.paths import library_dir

# The format that torch_npu gives the result: none is internal.
FORMATS = {0: "NCHW", 1: "NHWC", 2: "ND", 3: "NCHW", 4: "NCHW", 29: "NCHW", 30: "NCDHW", 32: "NCDHW"}


@pytest.fixture
def internal_formats(npu):
    torch.npu.config.allow_internal_format = True
    yield
    torch.npu.config.allow_internal_format = False


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64, torch.bool], ids=str)
@pytest.mark.parametrize("asked", FORMATS)
def test_a_cast_keeps_values(npu, asked, dtype):
    shape = (2, 3, 4, 5, 6) if asked >= 30 else (4, 5, 6, 6)
    values = (torch.arange(720).reshape(shape) % 7).to(dtype)
    result = torch_npu.npu_format_cast(values.to(npu), asked)
    assert torch_npu.get_npu_format(result).name == FORMATS[asked]
    assert torch.equal(result.cpu(), values)
    assert torch.equal((result == values.to(npu)).cpu(), torch.ones_like(values, dtype=torch.bool))


@pytest.mark.parametrize("shape", [(6,), (3, 4), (2, 3, 4), (0, 4), ()], ids=str)
def test_a_cast_to_nz_is_a_copy(npu, shape):
    values = torch.rand(shape)
    x = values.to(npu)
    result = torch_npu.npu_format_cast(x, 29)
    x.zero_()
    assert torch.equal(result.cpu(), values)


def test_casts_of_views_in_place_and_after_a_tensor(npu):
    values = torch.rand(6, 8)
    x = values.to(npu)
    assert torch.equal(torch_npu.npu_format_cast(x[1:, ::2], 29).cpu(), values[1:, ::2])
    assert torch.equal(torch_npu.npu_format_cast(x.t(), 29).cpu(), values.t())
    assert torch.equal(torch_npu.npu_format_cast(x, x.new_zeros(3)).cpu(), values)
    y = x.clone()
    torch_npu.npu_format_cast_(y, 29)
    assert torch.equal(y.cpu(), values)


def test_a_cast_has_a_gradient_and_a_place_in_the_stream(npu):
    x = torch.rand(5, 6).to(npu).requires_grad_()
    weight = torch.rand(6, 3)
    product = torch_npu.npu_format_cast(x * 2, 29) @ torch_npu.npu_format_cast(weight.to(npu), 29)
    product.sum().backward()
    torch.testing.assert_close(product.cpu(), 2 * x.cpu() @ weight)
    torch.testing.assert_close(x.grad.cpu(), 2 * weight.sum(1).expand(5, 6))


def test_internal_formats_are_refused_by_name(npu, internal_formats):
    x = torch.ones(32, 32, device=npu)
    with pytest.raises(RuntimeError, match=r"internal formats.*allow_internal_format = False"):
        torch_npu.npu_format_cast(x, 29)
    torch.npu.synchronize()
    assert (x + 1).sum().item() == 2048


def test_npu_mish(npu):
    x = torch.randn(3, 4)
    assert torch.equal(torch_npu.npu_mish(x.to(npu)).cpu(), torch.nn.functional.mish(x))


@pytest.mark.parametrize(("kind", "inputs"), [("Abs", 1), ("Identity", 2)])
def test_an_operator_that_is_not_there_is_refused_by_type(npu, kind, inputs):
    library = ctypes.CDLL(str(library_dir() / "libacl_op_compiler.so"))
    library.aclGetRecentErrMsg.restype = ctypes.c_char_p
    arguments = [kind.encode(), inputs, None, None, 1, None, None, None, 0, 0, None, None]
    assert library.aclopCompileAndExecute(*arguments) != 0
    message = library.aclGetRecentErrMsg().decode()
    assert f"CANN's operator {kind} with {inputs} inputs and 1 outputs is not simulated" in message
