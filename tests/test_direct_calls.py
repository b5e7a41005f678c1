# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels without torch's dispatcher compute what the dispatcher's compute, and are made nowhere else."""

from __future__ import annotations

import inspect
import resource
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from ascend_vision_ops import _direct_calls, _transforms, operators, ops
from ascend_vision_ops.testing.run import as_tuple, spec_of
from ascend_vision_ops.testing.torch_calls import TorchCall, small_calls

COMPUTING = [operator for operator in operators() if not spec_of(operator).composite]


@pytest.fixture
def pool():
    """A direct call of a pool, on which an image is the first argument."""
    direct = _direct_calls.direct_call(torch.ops.ascend_vision_ops.max_pool2d.default)

    def call(image, kernel_size=2, stride=(), padding=0, dilation=1, ceil_mode=False):
        return direct(image, kernel_size, stride, padding, dilation, ceil_mode)

    return call


def arguments(call: TorchCall) -> list[object]:
    """All arguments by position, in the order of the schema."""
    args, keywords = call.parts
    return [*args, *keywords.values()]


def full_calls(operator: str, limit: int) -> list[TorchCall]:
    """The first calls without an empty tensor, which has no memory and is left to the dispatcher."""
    calls = [call for _, call in small_calls(operator, 5 * limit)]
    return [call for call in calls if all(tensor.numel() for tensor in call.tensors)][:limit]


def image() -> torch.Tensor:
    return torch.arange(32.0).reshape(1, 2, 4, 4)


# --- what is computed


@pytest.mark.parametrize("operator", COMPUTING)
def test_results_are_those_of_the_dispatcher(operator):
    direct = _direct_calls.direct_call(getattr(torch.ops.ascend_vision_ops, operator).default)
    calls = full_calls(operator, 5)
    assert calls
    for call in calls:
        args, keywords = call.parts
        expected = as_tuple(call.overload(*args, **keywords))
        made = as_tuple(direct(*arguments(call)))
        exactly = {"rtol": 0, "atol": 0, "equal_nan": True, "check_stride": True}
        torch.testing.assert_close(made, expected, **exactly)


@pytest.mark.parametrize("operator", COMPUTING)
def test_wrappers_make_direct_calls(operator, monkeypatch):
    (call,) = full_calls(operator, 1)
    wrapped = getattr(ops, f"_{operator}")
    cells = dict(zip(wrapped.__code__.co_freevars, wrapped.__closure__, strict=True))

    def refuse(*_, **__):
        raise AssertionError("the dispatcher is called")

    expected = call.function(*call.tensors)
    monkeypatch.setattr(cells["function"], "cell_contents", refuse)
    made = call.function(*call.tensors)
    with pytest.raises(AssertionError), torch.inference_mode():
        call.function(*call.tensors)
    assert all(map(torch.equal, made, expected))


@pytest.mark.parametrize("kernel_size", [2, [2, 2], (2, 2)])
@pytest.mark.parametrize("stride", [(), [], 2, [2, 2]])
def test_lists_have_many_forms(pool, kernel_size, stride):
    assert pool(image(), kernel_size, stride).flatten().tolist() == [5, 7, 13, 15, 21, 23, 29, 31]


def test_strided_tensors_and_parameters(pool):
    turned = image().transpose(2, 3)
    assert pool(turned).flatten().tolist() == [5, 13, 7, 15, 21, 29, 23, 31]
    assert pool(image()[:, 1:]).flatten().tolist() == [21, 23, 29, 31]
    with torch.no_grad():
        assert pool(torch.nn.Parameter(image())).flatten().tolist() == [5, 7, 13, 15, 21, 23, 29, 31]


def test_results_are_tensors_like_others(pool):
    made = pool(image())
    assert type(made) is torch.Tensor
    assert made.is_leaf and not made.requires_grad and not made.is_inference() and made._version == 0
    assert made.resize_(3, 3).shape == (3, 3)  # a view of foreign memory could not grow
    made.requires_grad_().sum().backward()


def test_results_and_arguments_are_released():
    direct = _direct_calls.direct_call(torch.ops.ascend_vision_ops.cummax.default)
    values = torch.zeros(1 << 20)
    direct(values, 0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):
        direct(values, 0)  # 12 MB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


def test_threads_have_arguments_of_their_own():
    direct = _direct_calls.direct_call(torch.ops.ascend_vision_ops.argmax.default)

    def search(at: int) -> bool:
        line = torch.zeros(20_000 + at)
        line[at] = 1
        return all(direct(line, None, False, False, None).item() == at for _ in range(200))

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(search, range(8)))


# --- what is left to the dispatcher


class FunctionMode(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


class DispatchMode(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


class Subclass(torch.Tensor):
    pass


MODES = {
    "inference mode": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "functions": FunctionMode,
    "dispatcher": DispatchMode,
    "device": lambda: torch.device("cpu"),
    "profiler": lambda: torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]),
}


@pytest.mark.parametrize("mode", MODES)
def test_modes_see_calls(pool, mode):
    given = image()
    with MODES[mode]():
        assert pool(given) is None
    assert pool(given) is not None


@pytest.mark.filterwarnings("ignore:.*torch.jit")
def test_transforms_see_calls(pool):
    made = []

    def call(x):
        made.append(pool(x))
        return x.sum()

    torch.func.vmap(call)(torch.stack([image()] * 2))
    torch.func.grad(call)(image())
    torch.func.functionalize(call)(image())
    torch.jit.trace(call, image(), check_trace=False)
    assert made == [None] * 4


def test_forward_mode_sees_calls():
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(image(), torch.ones(1, 2, 4, 4))
        tangent = torch.autograd.forward_ad.unpack_dual(ops.avg_pool2d(dual, 2)).tangent
    assert torch.equal(tangent, torch.ones(1, 2, 2, 2))


def test_autograd_sees_calls(pool):
    given = image().requires_grad_()
    assert pool(given) is None
    with torch.no_grad():
        assert pool(given) is not None
    assert ops.max_pool2d(given, 2).grad_fn is not None


TENSORS = {
    "meta": lambda: image().to("meta"),
    "subclass": lambda: image().as_subclass(Subclass),
    "sparse": lambda: image().to_sparse(),
    "complex": lambda: image().to(torch.complex64),
    "negated": lambda: torch._neg_view(image()),
    "functional": lambda: torch._to_functional_tensor(image()),
    "quantized": lambda: torch.quantize_per_tensor(image(), 1.0, 0, torch.qint8),
    "zeros without memory": lambda: torch._efficientzerotensor((1, 2, 4, 4)),
    "of 4 bits": lambda: torch.zeros(1, 2, 4, 4, dtype=torch.uint8).view(torch.uint4),
    "of 1 bit": lambda: torch.zeros(1, 2, 4, 4, dtype=torch.int8).view(torch.int1),
    "unsigned": lambda: image().to(torch.uint16),
    "nested": lambda: torch.nested.nested_tensor([image(), image()]),
    "empty": lambda: image()[:0],
    "array": lambda: image().numpy(),
    "none": lambda: None,
}


@pytest.mark.parametrize("kind", TENSORS)
@pytest.mark.filterwarnings("ignore:.*quantize")
@pytest.mark.filterwarnings("ignore:.*nested")
def test_other_tensors(pool, kind):
    assert pool(TENSORS[kind]()) is None


def test_negated_views_are_computed_by_the_dispatcher():
    assert torch.equal(ops.max_pool2d(torch._neg_view(image()), 2), ops.max_pool2d(-image(), 2))


@pytest.mark.parametrize("kernel_size", [0, 2.0, "2", [2, 2.0], [2, 2, 2], None, 1 << 70, range(2)])
def test_other_values(pool, kernel_size):
    assert pool(image(), kernel_size) is None
    with pytest.raises(RuntimeError, match="kernel_size"):
        ops.max_pool2d(image(), kernel_size)


def test_a_bool_counts_as_an_int_for_the_dispatcher_alone(pool):
    assert pool(image(), True) is None
    assert torch.equal(ops.max_pool2d(image(), True), image())


def test_numbers_of_dtypes_are_left_to_the_dispatcher():
    assert ops.argmax(image(), dtype=torch.int32).item() == 31
    assert ops.argmax(image(), dtype=torch.int32).dtype == torch.int32


# --- what a caller of _direct does wrong


def test_other_numbers_of_arguments_are_refused():
    direct = _direct_calls.direct_call(torch.ops.ascend_vision_ops.cummax.default)
    for args, keywords in [((image(),), {}), ((image(), 0, 0), {}), ((image(),), {"dim": 0})]:
        with pytest.raises(TypeError, match="expected 2 positional arguments"):
            direct(*args, **keywords)


def test_unknown_operators_are_refused():
    with pytest.raises(LookupError, match="no direct calls of an operator 'toast' of 1 arguments"):
        _direct_calls._direct.Call("toast", (0,))
    with pytest.raises(LookupError, match="of 17 arguments"):
        _direct_calls._direct.Call("cummax", (0,) * 17)
    with pytest.raises(TypeError):
        _direct_calls._direct.Call("cummax", [0, 0])


# --- builds without direct calls


@pytest.mark.parametrize("version", ["2.12.1", "3.13.0+cpu"])
def test_other_versions_of_torch_have_no_direct_calls(monkeypatch, version):
    monkeypatch.setattr(torch, "__version__", version)
    assert _direct_calls._load() is None


def test_wrappers_without_direct_calls(monkeypatch):
    monkeypatch.setattr(_direct_calls, "_direct", None)
    op = torch.ops.ascend_vision_ops.argmax.default
    call = _transforms._fast_call(op, ops.argmax)
    assert "direct" not in inspect.getclosurevars(call).nonlocals
    tied = torch.tensor([1.0, 3.0, 3.0])
    assert call(tied, None, False, False, None).item() == 1
    assert call(tied, None, False, True, None).item() == 2
    with pytest.raises(RuntimeError, match="dim"):
        call(tied, 5, False, False, None)


@pytest.mark.parametrize("given", [0, None])
def test_a_value_equal_to_a_bool_is_not_the_default(given, monkeypatch):
    monkeypatch.setattr(_direct_calls, "_direct", None)
    passed = []
    op = torch.ops.ascend_vision_ops.argmax.default
    call = _transforms._fast_call(op, ops.argmax)
    cells = dict(zip(call.__code__.co_freevars, call.__closure__, strict=True))
    monkeypatch.setattr(cells["function"], "cell_contents", lambda *_, **keywords: passed.append(keywords))
    call(image(), None, False, given, None)
    assert passed == [{"select_last_index": given}]
