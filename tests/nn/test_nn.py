# SPDX-License-Identifier: Apache-2.0
"""Modules of ascend_vision_ops.nn on cpu tensors; torch_npu/test_nn.py tests them on npu tensors.

A file <operator>.py beside this one holds three lists: CALLS with (module, tensors…); SAME with (module, another
function that gives the same, tensors…); BAD with (a function that makes a module, the text of its ValueError).
"""

from __future__ import annotations

import ast
import copy
import importlib.util
import inspect
from pathlib import Path

import pytest
import torch

from ascend_vision_ops import nn, operators


def _files():
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem in operators():
            spec = importlib.util.spec_from_file_location(f"nn_{path.stem}", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            yield module


FILES = list(_files())
CALLS = [call for file in FILES for call in file.CALLS]
SAME = [case for file in FILES for case in file.SAME]
BAD = [case for file in FILES for case in file.BAD]
NO_GRADIENT = tuple(
    {type(call[0]) for file in FILES if not getattr(file, "HAS_GRADIENT", True) for call in file.CALLS}
)
WITH_GRADIENT = [call for call in CALLS if not isinstance(call[0], NO_GRADIENT)]


def name_of(value):
    if isinstance(value, tuple) and isinstance(value[0], torch.nn.Module):
        return repr(value[0]).replace("\n", "")[:60]
    return value[1][:60] if isinstance(value, tuple) else None


def first(result):
    return result[0] if isinstance(result, tuple) else result


def gradients(function, tensors, device="cpu"):
    """Gives the result and the gradients of tensors and of a module's parameters."""
    wanted = not isinstance(function, NO_GRADIENT)
    leaves = [tensor.detach().to(device).requires_grad_(wanted) for tensor in tensors]
    parameters = list(function.parameters()) if isinstance(function, torch.nn.Module) else []
    for parameter in parameters:
        parameter.grad = None
    result = first(function(*leaves))
    if result.requires_grad:
        result.square().sum().backward()
    grads = [leaf.grad for leaf in [*leaves, *parameters]]
    return [result.detach().cpu(), *(grad if grad is None else grad.cpu() for grad in grads)]


def test_every_module_has_calls_and_a_docstring():
    assert set(nn.__all__) == {type(module).__name__ for module, *_ in CALLS}
    for name in nn.__all__:
        text = inspect.getdoc(getattr(nn, name))
        for part in ("Args:", "Shape:", "Source:"):
            assert part in text, f"{name}: {part}"


def test_stubs_name_every_module():
    """Type checkers read the stubs, because they do not run the code that collects the modules."""
    stubs = ast.parse(Path(nn.__file__).with_name("__init__.pyi").read_text())
    names = [alias.asname for node in stubs.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(names) == nn.__all__


@pytest.mark.parametrize("case", SAME, ids=name_of)
def test_as_another_function_has_it(case):
    module, same, *tensors = case
    count = 1 + len(tensors)
    ours, theirs = gradients(module, tensors)[:count], gradients(same, tensors)[:count]
    # Sums and products are rounded in another order; gradients of bicubic weights consist of several.
    torch.testing.assert_close(ours[0], theirs[0], rtol=1e-5, atol=1e-5)
    for one, other in zip(ours[1:], theirs[1:], strict=True):
        if one is not None and other is not None:  # for what a result does not depend on
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("call", CALLS, ids=name_of)
def test_state_dict_and_repr(call):
    module, *tensors = call
    other = copy.deepcopy(module)
    for parameter in other.parameters():
        torch.nn.init.normal_(parameter)
    other.load_state_dict(module.state_dict())
    torch.testing.assert_close(other(*tensors), module(*tensors), rtol=0, atol=0)
    name = type(module).__name__
    assert repr(module).startswith(f"{name}(")
    assert len(repr(module)) > len(name) + 4, "nothing but the name"


@pytest.mark.parametrize("call", WITH_GRADIENT, ids=name_of)
def test_every_parameter_has_a_gradient(call):
    module, *tensors = call
    _, grad, *rest = gradients(module, tensors)
    assert grad.abs().sum() > 0
    names = [name for name, _ in module.named_parameters()]
    for name, grad in zip(names, rest[len(tensors) - 1 :], strict=True):
        assert grad.abs().sum() > 0, name


@pytest.mark.parametrize("call", CALLS, ids=name_of)
def test_compile(call):
    module, *tensors = call
    torch._dynamo.reset()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        compiled = torch.compile(module, backend="aot_eager", fullgraph=True)
        torch.testing.assert_close(compiled(*tensors), module(*tensors))


@pytest.mark.parametrize("case", BAD, ids=name_of)
def test_bad_arguments(case):
    make, message = case
    with pytest.raises(ValueError, match=message):
        make()
