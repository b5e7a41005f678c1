# SPDX-License-Identifier: Apache-2.0
"""Attention, norms, recurrent layers and tensors at other dtypes and shapes than test_builtin_calls.py has.

Operators that compute in float32 and round once are compared with that; what ATen computes on both sides is equal.
"""

from __future__ import annotations

import builtin_network_calls as calls
import pytest
import torch
import torch.nn.functional as F
import torch_npu

HALVES = [torch.float16, torch.bfloat16]


def near(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    """Compares with a float32 result, which the dtype rounds."""
    step = torch.finfo(ours.dtype).eps
    torch.testing.assert_close(ours.float().cpu(), theirs, rtol=2 * step, atol=2 * step)


def rounded(*shape: int, dtype: torch.dtype, seed: int = 3) -> torch.Tensor:
    """Returns float32 numbers that the dtype holds exactly."""
    return calls.normal(*shape, seed=seed).to(dtype).float()


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("causal", [False, True])
def test_attention(npu, dtype, causal):
    q, k, v = (rounded(2, 4, length, 16, dtype=dtype, seed=seed) for seed, length in ((1, 5), (2, 7), (3, 7)))
    ours = F.scaled_dot_product_attention(*(x.to(npu, dtype) for x in (q, k, v)), is_causal=causal)
    assert ours.dtype == dtype
    mask = torch.arange(7) > torch.arange(5)[:, None] if causal else None
    near(ours, calls.attention(q, k, v, 4, "BNSD", mask=mask, scale=0.25))


def test_attention_of_nothing(npu):
    """No query gives no result; a query that sees no key gives zeros and zero gradients."""
    made = torch.ones(2, 1, 3, 4, device=npu)
    assert F.scaled_dot_product_attention(made[:0], made[:0], made[:0]).shape == (0, 1, 3, 4)
    leaf = made.clone().requires_grad_()
    seen = torch.zeros(3, 3, dtype=torch.bool, device=npu)
    result = F.scaled_dot_product_attention(leaf, made, made, attn_mask=seen)
    result.sum().backward()
    assert not result.any() and not leaf.grad.any()


NORMS = {
    "rms": lambda x, w: torch_npu.npu_add_rms_norm(x, x, w)[0],
    "gemma": lambda x, w: torch_npu.npu_gemma_rms_norm(x, w)[0],
    "layer": lambda x, w: torch_npu.npu_add_layer_norm(x, x, w, w, 1e-5, True)[0],
    "deep": lambda x, w: torch_npu.npu_deep_norm(x, x, w, w, 0.5, 1e-6)[2],
    "geglu": lambda x, w: torch_npu.npu_geglu(x, -1, 1)[0],
}
MEANINGS = {
    "rms": lambda x, w: F.rms_norm(x + x, w.shape, w, 1e-6),
    "gemma": lambda x, w: F.rms_norm(x, w.shape, w + 1, 1e-6),
    "layer": lambda x, w: F.layer_norm(x + x, w.shape, w, w),
    "deep": lambda x, w: F.layer_norm(x * 0.5 + x, w.shape, w, w, 1e-6),
    "geglu": lambda x, w: calls.geglu(x),
}


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", NORMS)
def test_norms(npu, name, dtype):
    x, weight = rounded(2, 3, 16, dtype=dtype), rounded(16, dtype=dtype, seed=4)
    strided = x.transpose(0, 1).contiguous().transpose(0, 1)
    ours = NORMS[name](strided.to(npu, dtype), weight.to(npu, dtype))
    near(ours, MEANINGS[name](x, weight))


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU])
def test_recurrent_layers_in_float16(npu, kind):
    torch.manual_seed(0)
    layer, x = kind(6, 5).half(), rounded(4, 2, 6, dtype=torch.float16)
    theirs = layer.float()(x)[0].detach()
    near(layer.half().to(npu)(x.to(npu).half())[0].detach(), theirs)


TENSORS = {
    "add": lambda x: torch.add(torch.tensor(2), x),
    "ge": lambda x: torch.ge(torch.tensor(1), x),
    "unique": lambda x: torch.unique(x, return_inverse=True, return_counts=True),
    "_unique": lambda x: torch._unique(x, return_inverse=True),
    "consecutive": lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True),
}
DTYPES = [torch.float32, torch.float16, torch.int64, torch.int32, torch.uint8]
VIEWS = {
    "dense": lambda x: x,
    "transposed": lambda x: x.t(),
    "strided": lambda x: x[:, ::2],
    "empty": lambda x: x[:0],
    "0-d": lambda x: x[1, 2],
    "one": lambda x: x[1:2, 1],
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", TENSORS)
def test_tensors(npu, name, view, dtype):
    x = (torch.arange(20).reshape(4, 5) // 3 % 4).to(dtype)
    ours, theirs = TENSORS[name](VIEWS[view](x.to(npu))), TENSORS[name](VIEWS[view](x))
    for one, other in zip(*([t] if torch.is_tensor(t) else t for t in (ours, theirs)), strict=True):
        assert one.dtype == other.dtype
        assert torch.equal(one.cpu(), other)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32], ids=str)
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_embedding_bags(npu, mode, dtype):
    """Bags without elements, the last one among them; the gradient reads what the forward pass kept of each bag."""
    index, offsets = torch.tensor([1, 2, 2, 5], dtype=dtype), torch.tensor([0, 0, 3, 4], dtype=dtype)

    def run(device):
        weight = calls.normal(7, 3, device=device).requires_grad_()
        result = F.embedding_bag(index.to(device), weight, offsets.to(device), mode=mode)
        result.square().sum().backward()
        return result.detach().cpu(), weight.grad.cpu()

    for ours, theirs in zip(run(npu), run("cpu"), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("shape", [(0, 6), (3, 0)])
def test_lists_of_tensors_without_elements(npu, shape):
    x = torch.ones(shape, device=npu)
    assert [y.shape for y in torch._foreach_ceil([x, x])] == [shape] * 2


def test_the_sign_of_complex_numbers(npu):
    """It is z / |z|, and the gradient of abs() is made of it."""
    values = torch.tensor([3 + 4j, -2j, 0, -1 + 0j], dtype=torch.complex64)
    assert torch.equal(values.to(npu).sgn().cpu(), values.sgn())
    ours, theirs = values.to(npu).requires_grad_(), values.clone().requires_grad_()
    ours.abs().sum().backward(), theirs.abs().sum().backward()
    assert torch.equal(ours.grad.cpu(), theirs.grad)
