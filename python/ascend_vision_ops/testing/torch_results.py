# SPDX-License-Identifier: Apache-2.0
"""Checks of `out=` that every torch operator passes on every device. The tests on cpu and on npu call them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from ascend_vision_ops import ops
from ascend_vision_ops.testing.cases import LAYOUTS
from ascend_vision_ops.testing.compare import POISON_BYTE, poisoned
from ascend_vision_ops.testing.run import as_tuple, from_torch, spec_of, to_torch
from ascend_vision_ops.testing.torch_calls import TorchCall, example, small_calls
from ascend_vision_ops.testing.torch_checks import on, same


def _poison_like(tensor: torch.Tensor) -> np.ndarray:
    return poisoned(tuple(tensor.shape), from_torch(torch.empty(0, dtype=tensor.dtype)).dtype)


@dataclasses.dataclass
class Result:
    """A tensor for a result.

    tensor: a view of `memory`, in some layout.
    memory: bytes, all of them poison at first.
    """

    tensor: torch.Tensor
    memory: torch.Tensor

    @classmethod
    def like(cls, want: torch.Tensor, layout: str) -> Result:
        """Makes a tensor of the shape, dtype and device of another, in a layout."""
        view = whole = LAYOUTS[layout](_poison_like(want))
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        start = (view.ctypes.data - whole.ctypes.data) // view.itemsize
        memory = torch.from_numpy(whole.reshape(-1).view(np.uint8)).to(want.device)
        strides = [stride // view.itemsize for stride in view.strides]
        return cls(memory.view(want.dtype).as_strided(view.shape, strides, start), memory)

    def written_bytes(self) -> int:
        """Counts the bytes of the memory that are not poison."""
        return int((self.memory != POISON_BYTE).sum())

    def poison(self) -> None:
        """Writes poison to the tensor, and to nothing beside it."""
        self.tensor.copy_(to_torch(_poison_like(self.tensor)))


def with_results(call: TorchCall, results: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Makes the call with `out=` these tensors."""
    out = tuple(results) if len(results) > 1 else results[0]
    return as_tuple(getattr(ops, call.operator)(**call.arguments, out=out))


def written(operator: str, device: torch.device) -> None:
    """Checks that tensors of any strides get the results and are returned, and that nothing beside them is written."""
    for _, small in small_calls(operator, 3):
        call = on(device, small)
        wanted = call.function(*call.tensors)
        for layout in sorted(LAYOUTS.keys() - {"broadcast"}):
            results = [Result.like(want, layout) for want in wanted]
            tensors = [result.tensor for result in results]
            versions = [tensor._version for tensor in tensors]
            returned = with_results(call, tensors)
            assert all(one is other for one, other in zip(returned, tensors, strict=True)), "other tensors"
            for tensor, want in zip(tensors, wanted, strict=True):
                # Kernels may compute in another order for results that are not dense. Then the last bits differ.
                exact = {"rtol": 0, "atol": 0} if layout == "dense" else {}
                torch.testing.assert_close(tensor, want, equal_nan=True, **exact)
            # Autograd may have saved the tensors; their versions tell it that they were overwritten.
            assert all(tensor._version > v for tensor, v in zip(tensors, versions, strict=True)), "version"
            for result in results:
                result.poison()
                assert not result.written_bytes(), (
                    f"{layout}: {result.written_bytes()} bytes beside were written"
                )


def memory_format(operator: str, device: torch.device) -> None:
    """Checks that channels-last images give channels-last results on CPUs, in graphs too, if the contract says so."""
    torch._dynamo.reset()  # graphs of other operators count towards its limit for one function
    call, formats = on(device, example(operator)), spec_of(operator).memory_format
    for name in dict.fromkeys(formats.values()):
        last = {name: call.arguments[name].contiguous(memory_format=torch.channels_last)}
        changed = TorchCall(operator, {**call.arguments, **last})
        results, wanted = changed.function(*changed.tensors), call.function(*call.tensors)
        # Kernels compute channels-last images in another order, so the last bits may differ.
        torch.testing.assert_close(results, wanted)
        graph = torch.compile(changed.function, backend="aot_eager", fullgraph=True, dynamic=True)
        on_meta = changed.map(lambda tensor: tensor.to("meta"))
        for kind in (results, graph(*changed.tensors), on_meta.function(*on_meta.tensors)):
            for result, output in zip(kind, spec_of(operator).outputs, strict=True):
                follows = device.type == "cpu" and formats.get(output) == name
                ordered = torch.channels_last if follows else torch.contiguous_format
                assert result.is_contiguous(memory_format=ordered), f"{output}: strides {result.stride()}"


def chosen(operator: str, device: torch.device) -> None:
    """Checks that the caller's tensor chooses the dtype, where the contract has several for a result."""
    spec, call = spec_of(operator), on(device, example(operator))
    wanted = call.function(*call.tensors)
    for index, name in enumerate(spec.outputs):
        for dtype in spec.dtypes.get(name, [])[1:]:
            followers = {other for other, followed in spec.same_dtype.items() if followed == name} | {name}
            dtypes = [
                getattr(torch, dtype) if other in followers else want.dtype
                for other, want in zip(spec.outputs, wanted, strict=True)
            ]
            tensors = [torch.empty_like(want, dtype=to) for want, to in zip(wanted, dtypes, strict=True)]
            returned = with_results(call, tensors)
            assert returned[index].dtype == getattr(torch, dtype)
            same([result.to(want.dtype) for result, want in zip(returned, wanted, strict=True)], wanted)


def _wrong(want: torch.Tensor, device: torch.device) -> Iterator[torch.Tensor]:
    """Yields tensors that do not fit a result."""
    yield want.new_empty((*want.shape, 2))
    yield want.new_empty([extent + 1 for extent in want.shape] or [2])
    yield want.new_empty(want.shape, dtype=torch.int16 if want.is_floating_point() else torch.float32)
    yield want.new_empty(want.shape, device="meta" if device.type == "cpu" else "cpu")


def refusals(operator: str, device: torch.device) -> None:
    """Checks the errors for a tensor of another shape, dtype or device, or whose elements share memory.

    Each error names the result, and the tensors stay as they were.
    """
    spec, call = spec_of(operator), on(device, example(operator))
    wanted = call.function(*call.tensors)
    for index, name in enumerate(spec.outputs):
        cases = [(wrong, r"expected [^\n]*, got ") for wrong in _wrong(wanted[index], device)]
        if wanted[index].numel() > 1:
            shared = torch.zeros_like(wanted[index].reshape(-1)[:1])
            cases.append(
                (shared.expand(wanted[index].shape), "expected elements with memory of their own, got")
            )
        for wrong, message in cases:
            tensors = [torch.zeros_like(want) for want in wanted]
            tensors[index] = wrong
            before = [tensor.clone() for tensor in tensors]
            with pytest.raises(RuntimeError, match=f"^{operator}: {name}: {message}"):
                with_results(call, tensors)
            for tensor, old in zip(tensors, before, strict=True):
                if tensor.device.type != "meta":
                    same(tensor, old)
    if len(wanted) > 1:
        with pytest.raises(ValueError, match=f"^out: expected {len(wanted)}, one for each result, got 1"):
            getattr(ops, operator)(**call.arguments, out=wanted[0])


def _sharing(input: torch.Tensor, want: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Makes a copy of an input, and a tensor like a result that starts at the last eight bytes of the copy."""
    start = (input.nbytes - 1) // 8 * 8
    memory = torch.zeros(start + input.nbytes + want.nbytes + 8, dtype=torch.uint8, device=input.device)
    copy = memory[: input.nbytes].view(input.dtype).view(input.shape)
    copy.copy_(input)
    return copy, memory[start : start + want.nbytes].view(want.dtype).view(want.shape)


def overlaps(operator: str, device: torch.device) -> None:
    """Checks that a result in the memory of an input or of another result is an error.

    A result whose elements lie between those of an input is none.
    """
    spec, call = spec_of(operator), on(device, example(operator))
    wanted = call.function(*call.tensors)

    def refused(call, tensors, name, other):
        with pytest.raises(
            RuntimeError, match=f"^{operator}: {name}: expected memory of its own, got [^\n]* {other} "
        ):
            with_results(call, tensors)

    for index, name in enumerate(spec.outputs):
        for given in call.names:
            tensors = [torch.empty_like(want) for want in wanted]
            copy, tensors[index] = _sharing(call.arguments[given], wanted[index])
            changed = TorchCall(operator, {**call.arguments, given: copy})
            refused(changed, tensors, name, given)
            before = call.arguments[given]
            if (before.shape, before.dtype) != (wanted[index].shape, wanted[index].dtype) or not before.ndim:
                continue
            both = torch.stack([before, torch.empty_like(before)], -1)
            tensors[index] = both[..., 1]
            with_results(TorchCall(operator, {**call.arguments, given: both[..., 0]}), tensors)
            same(tensors, wanted)
    if len(wanted) > 1:
        copy, second = _sharing(wanted[0], wanted[1])
        refused(call, [copy, second, *map(torch.empty_like, wanted[2:])], spec.outputs[0], spec.outputs[1])


def without_gradient(operator: str, device: torch.device) -> None:
    """Checks that `out=` raises torch's usual error if any tensor needs a gradient, and runs without autograd."""
    call = on(device, example(operator))
    wanted = call.function(*call.tensors)
    message = re.escape(
        f"{operator}(): functions with out=... arguments don't support automatic differentiation"
    )
    for name in call.names:
        if not call.arguments[name].is_floating_point():
            continue
        leaf = call.arguments[name].detach().requires_grad_()
        changed, tensors = (
            TorchCall(operator, {**call.arguments, name: leaf}),
            list(map(torch.empty_like, wanted)),
        )
        with pytest.raises(RuntimeError, match=message):
            with_results(changed, tensors)
        with torch.no_grad():
            same(with_results(changed, tensors), wanted)
    if wanted[0].is_floating_point():
        tensors = [torch.empty_like(wanted[0]).requires_grad_(), *map(torch.empty_like, wanted[1:])]
        with pytest.raises(RuntimeError, match=message):
            with_results(call, tensors)


def opcheck(operator: str, device: torch.device) -> None:
    """Checks the overload `out` with torch.library.opcheck."""
    utilities = ["test_schema", "test_faketensor", "test_aot_dispatch_static", "test_aot_dispatch_dynamic"]
    if device.type != "npu":
        utilities.append("test_autograd_registration")  # does not know the device npu
    call = on(device, example(operator))
    arguments, keywords = call.parts
    wanted = call.function(*call.tensors)
    tensors = dict(zip(spec_of(operator).outputs, map(torch.empty_like, wanted), strict=True))
    overload = getattr(torch.ops.ascend_vision_ops, operator).out
    torch.library.opcheck(overload, arguments, {**keywords, **tensors}, test_utils=utilities)
    versions = {name: tensor._version for name, tensor in tensors.items()}
    overload(*arguments, **keywords, **tensors)
    assert all(tensor._version > versions[name] for name, tensor in tensors.items()), "version"


def inference(operator: str, device: torch.device) -> None:
    """Checks `out=` in inference mode, with tensors made there, which have no version, and with other tensors."""
    call = on(device, example(operator))
    wanted = call.function(*call.tensors)
    before = [torch.empty_like(want) for want in wanted]
    versions = [tensor._version for tensor in before]
    with torch.inference_mode():
        for tensors in (before, list(map(torch.empty_like, wanted))):
            same(with_results(call, tensors), wanted)
    assert all(tensor._version > v for tensor, v in zip(before, versions, strict=True)), "version"


def compiled(operator: str, device: torch.device, backend: str) -> None:
    """Checks that one graph writes to tensors of the caller and to tensors that it makes itself."""
    call = on(device, example(operator))
    wanted = call.function(*call.tensors)
    torch._dynamo.reset()

    def both(results, tensors):
        changed = TorchCall(operator, {**call.arguments, **tensors})
        with_results(changed, results)
        own = with_results(changed, [torch.empty_like(result) for result in results])
        return [result + 1 for result in own]

    results = [torch.zeros_like(want) for want in wanted]
    traced = torch.compile(both, backend=backend, fullgraph=True)
    more = traced(results, {name: call.arguments[name] for name in call.names})
    same(results, wanted)
    same(more, [want + 1 for want in wanted])


def vmap(operator: str, device: torch.device) -> None:
    """Checks that vmap reports that it has no rule for results in the caller's tensors."""
    call = on(device, example(operator))
    results = [torch.empty_like(want) for want in call.function(*call.tensors)]
    name = call.names[0]

    def one(tensor):
        return with_results(TorchCall(operator, {**call.arguments, name: tensor}), results)

    with pytest.raises(RuntimeError, match="fallback path doesn't work on out="):
        torch.func.vmap(one)(torch.stack([call.arguments[name]] * 2))
