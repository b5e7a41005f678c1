# SPDX-License-Identifier: Apache-2.0
"""Every built-in operator gets a call through torch, and gives what ATen gives on the CPU, bit by bit."""

from __future__ import annotations

import re

import builtin_calls
import builtin_network_calls
import builtin_tensor_calls
import pytest
import torch

from ascend_vision_ops.paths import library_dir

CALLS = builtin_calls.CALLS | builtin_tensor_calls.CALLS | builtin_network_calls.CALLS
RANDOM = builtin_tensor_calls.RANDOM | builtin_network_calls.RANDOM
NOT_CALLED = builtin_tensor_calls.NOT_CALLED | builtin_network_calls.NOT_CALLED
# Products that ATen forms in another order.
NEARLY = {
    "KlDiv KlDivBackward", "KlDivTargetBackward", "BinaryCrossEntropyWithLogits BinaryCrossEntropyWithLogitsBackward",
    "RmsNorm RmsNormGrad", "SwiGlu SwiGluGrad", "FastGelu FastGeluBackward",
} | builtin_network_calls.CALLS.keys()  # fmt: skip


def names_on(device: torch.device | str) -> dict[str, object]:
    return {**builtin_tensor_calls.NAMES, **builtin_network_calls.NAMES, **builtin_calls.values(device)}


def evaluate(expression: str, names: dict[str, object]):
    return torch.utils._pytree.tree_map(
        lambda value: value.detach().cpu() if isinstance(value, torch.Tensor) else value,
        eval(expression, names),
    )


def called(expression: str, device: torch.device):
    """Returns the result and the names of the aclnn functions that torch_npu called."""
    names = names_on(device)
    with torch.autograd.profiler.profile() as profile:
        result = evaluate(expression, names)
    events = {event.name for event in profile.function_events}
    return result, {re.sub("^acl(nn)?", "", name) for name in events if name.startswith("acl")}


def same(ours, theirs, *, exact: bool = True) -> None:
    tolerance = {"rtol": 0, "atol": 0} if exact else {"rtol": 1e-5, "atol": 1e-6}
    torch.testing.assert_close(ours, theirs, equal_nan=True, check_dtype=False, **tolerance)


@pytest.mark.parametrize("names", CALLS)
def test_call(npu, names):
    result, found = called(CALLS[names], npu)
    same(result, evaluate(CALLS[names], names_on("cpu")), exact=names not in NEARLY)
    assert set(names.split()) <= found, f"{CALLS[names]} calls {sorted(found)}"


@pytest.mark.parametrize("names", RANDOM)
def test_random(npu, names):
    """The numbers are others than the CPU's; so the expression says what they have in common."""
    holds, found = called(RANDOM[names], npu)
    assert holds
    assert set(names.split()) <= found, f"{RANDOM[names]} calls {sorted(found)}"


def test_the_check_catches_a_wrong_result(npu):
    right = evaluate("x.sin()", names_on("cpu"))
    same(evaluate("x.sin()", names_on(npu)), right)
    with pytest.raises(AssertionError, match="not equal"):
        same(evaluate("x.sin() + 1e-7", names_on(npu)), right)
    assert called("x.cos()", npu)[1] == {"Cos"}


def test_every_builtin_operator_is_called():
    library = (library_dir() / "libopapi.so").read_bytes()
    defined = {name.decode() for name in re.findall(rb"\0acl(?:nn)?(\w+)GetWorkspaceSize(?=\0)", library)}
    tried = {name for names in (*CALLS, *RANDOM) for name in names.split()}
    assert defined - tried - NOT_CALLED.keys() == set()
    assert tried | NOT_CALLED.keys() <= defined
