# SPDX-License-Identifier: Apache-2.0
"""Checks that every torch operator passes on every device. The tests on cpu and on npu call them."""

from __future__ import annotations

import pytest
import torch
from torch._dynamo.testing import CompileCounterWithBackend
from torch.utils._python_dispatch import TorchDispatchMode

from ascend_vision_ops import ops
from ascend_vision_ops.opgen.calls import INVALID, BadCall, Shaped, example_call, violations
from ascend_vision_ops.opgen.model import Spec
from ascend_vision_ops.testing.run import as_tuple, spec_of
from ascend_vision_ops.testing.torch_calls import TorchCall, example, small_calls


def same(results, wanted) -> None:
    """Asserts that results are equal bit by bit, where NaN equals NaN: one kernel ran on the same elements."""
    for result, want in zip(as_tuple(results), as_tuple(wanted), strict=True):
        torch.testing.assert_close(result, want, rtol=0, atol=0, equal_nan=True)


def on(device: torch.device, call: TorchCall) -> TorchCall:
    """Makes the call with its tensors on a device."""
    return call.map(lambda tensor: tensor.to(device))


# --- torch.compile and torch.export --------------------------------------------------------------------------------


def opcheck(operator: str, device: torch.device) -> None:
    """Checks schema, fake kernel, autograd registration and AOTAutograd with torch.library.opcheck."""
    utilities = ["test_schema", "test_faketensor", "test_aot_dispatch_dynamic"]
    if device.type != "npu":
        utilities.append("test_autograd_registration")  # does not know the device npu
    if not spec_of(operator).composite:
        utilities.append("test_aot_dispatch_static")  # rejects sizes that only the data decide
    for _, call in small_calls(operator, 2):
        arguments, keywords = on(device, call).parts
        torch.library.opcheck(call.overload, arguments, keywords, test_utils=utilities)


# Without this option, torch does not trace results whose size the data decide.
dynamic_outputs = torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True)


def compiled(operator: str, device: torch.device, backend: str) -> None:
    """Checks that one graph, and its gradient, give what the operator gives."""
    call, function = on(device, example(operator)), getattr(ops, operator)
    torch._dynamo.reset()
    with dynamic_outputs:
        traced = torch.compile(function, backend=backend, fullgraph=True)
        same(traced(**call.arguments), function(**call.arguments))
        if call.differentiable:
            same(gradients(call, traced), gradients(call, function))


def in_graphs(operator: str, device: torch.device) -> None:
    """Checks that a graph of the wrapper consists of the operator alone, not of what the operator calls."""
    found = []

    def backend(module, inputs):
        found.extend(node.target for node in module.graph.nodes if node.op == "call_function")
        return module

    torch._dynamo.reset()
    with dynamic_outputs:
        torch.compile(getattr(ops, operator), backend=backend, fullgraph=True)(
            **on(device, example(operator)).arguments
        )
    ours = [target for target in found if getattr(target, "namespace", "") == "ascend_vision_ops"]
    assert ours == [getattr(torch.ops.ascend_vision_ops, operator).default], f"{operator}: a graph of {found}"


def gradients(call: TorchCall, function) -> tuple[torch.Tensor, ...]:
    """Computes the gradients of the sum of squares of all floating results, for all tensors that have one."""
    leaves = {name: call.arguments[name].detach().requires_grad_() for name in call.differentiable}
    results = as_tuple(function(**{**call.arguments, **leaves}))
    loss = sum(result.square().sum() for result in results if result.is_floating_point())
    return torch.autograd.grad(loss, list(leaves.values()))


def attributes(call: TorchCall) -> dict[str, object]:
    return {name: value for name, value in call.arguments.items() if name not in call.names}


def dynamic(operator: str, device: torch.device) -> None:
    """Checks that calls of different sizes share a graph, and so do their gradients.

    Calls whose attributes differ may have graphs of their own.
    """
    counter, function = CompileCounterWithBackend("aot_eager"), getattr(ops, operator)
    calls = [on(device, example(operator, grown)) for grown in (1, 2, 3)]
    torch._dynamo.reset()

    def graphs(run) -> list[int]:
        found = []
        for call in calls:
            same(run(call, traced), run(call, function))
            found.append(counter.frame_count)
        return found

    # Without this option, torch takes sizes that happen to be equal for one size.
    with dynamic_outputs, torch.fx.experimental._config.patch(use_duck_shape=False):
        traced = torch.compile(function, backend=counter, fullgraph=True, dynamic=True)
        counts = [graphs(lambda call, function: function(**call.arguments))]
        if calls[0].differentiable:
            counts.append(graphs(gradients))
    if attributes(calls[0]) == attributes(calls[1]):
        assert all(first == last for first, _, last in counts), counts


class _Module(torch.nn.Module):
    def __init__(self, call: TorchCall):
        super().__init__()
        self.call = call

    def forward(self, *tensors):
        return self.call.function(*tensors)


def exported(operator: str, device: torch.device) -> None:
    """Checks that the exported program gives what the operator gives.

    The program must also run with other sizes, if no attribute depends on them.
    """
    first, second = (on(device, example(operator, grown)) for grown in (1, 2))
    dims = [dict.fromkeys(range(tensor.ndim), torch.export.Dim.AUTO) for tensor in first.tensors]
    free = attributes(first) == attributes(second)
    program = torch.export.export(
        _Module(first), tuple(first.tensors), dynamic_shapes=(tuple(dims),) if free else None
    )
    for call in (first, second) if free else (first,):
        same(program.module()(*call.tensors), call.function(*call.tensors))


# --- torch.autocast ------------------------------------------------------------------------------------------------


def autocast(operator: str, device: torch.device, dtype: torch.dtype) -> None:
    """Checks that tensors of mixed dtypes are computed in the dtype that the contract's policy states."""
    spec, call = spec_of(operator), on(device, example(operator))
    policy = spec_of(spec.composite or operator).autocast
    floating = [name for name in call.names if call.arguments[name].is_floating_point()]
    for halves in [floating[:1], floating]:
        rounded = {name: call.arguments[name].to(dtype) for name in halves}
        given = TorchCall(operator, {**call.arguments, **rounded})
        with torch.autocast(device.type, dtype=dtype):
            results = given.function(*given.tensors)
        wide = policy == "float32" or len(halves) < len(floating)
        computed = given.to(torch.float32) if wide else given
        for result, want in zip(results, computed.function(*computed.tensors), strict=True):
            # The results of a composite have the dtypes that torch's own functions give them.
            to = result.dtype if spec.composite else dtype if policy == "float32" else want.dtype
            same(result, want.to(to) if want.is_floating_point() else want)


# --- torch.func ----------------------------------------------------------------------------------------------------


class Calls(TorchDispatchMode):
    """Counts how often the kernels of an operator are called."""

    def __init__(self, overload):
        super().__init__()
        self.overload, self.count = overload, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.count += function is self.overload
        return function(*args, **(kwargs or {}))


EXAMPLES = 3


def batches(call: TorchCall, names: list[str]) -> list[torch.Tensor]:
    """Stacks EXAMPLES variants of some tensors along a new last dimension; variant i is rolled by i elements."""
    return [torch.stack([torch.roll(call.arguments[name], i) for i in range(EXAMPLES)], -1) for name in names]


def vmap(operator: str, device: torch.device) -> None:
    """Checks vmap over all tensors, and over each tensor alone, against one call for each example.

    Where the contract has a fold or a leading dimension that fits, vmap must make a single call.
    """
    call, spec = on(device, example(operator)), spec_of(operator)
    folds = [set(fold.inputs) for fold in spec.folds]
    for names in [call.names, *([name] for name in call.names if len(call.names) > 1)]:
        tensors = batches(call, names)

        def one(*tensors, names=names):
            return call.function(*tensors, names=names)

        wanted = [one(*(tensor[..., i] for tensor in tensors)) for i in range(EXAMPLES)]
        if spec.composite:
            with pytest.raises(
                RuntimeError, match="vmap: expected an operator with results of a fixed shape"
            ):
                torch.func.vmap(one, in_dims=-1)(*tensors)
            continue
        with Calls(call.overload) as calls:
            results = torch.func.vmap(one, in_dims=-1)(*tensors)
        same(results, tuple(torch.stack(parts) for parts in zip(*wanted, strict=True)))
        one_call = bool(spec.leading) or any(set(names) <= fold for fold in folds)
        wanted_calls = 1 if one_call else EXAMPLES
        assert calls.count == wanted_calls, f"{calls.count} calls, expected {wanted_calls}"


def jacobians(operator: str, device: torch.device) -> None:
    """Checks that jacrev, grad and vmap of grad give what autograd gives."""
    call = on(device, example(operator))
    names = call.differentiable
    leaves = [call.arguments[name] for name in names]
    places = tuple(range(len(names)))

    def loss(*tensors):
        results = call.function(*tensors, names=names)
        return sum(result.square().sum() for result in results if result.is_floating_point())

    def near(results, wanted):
        for result, want in zip(as_tuple(results), as_tuple(wanted), strict=True):
            torch.testing.assert_close(result, want)

    near(torch.func.grad(loss, places)(*leaves), torch.autograd.functional.jacobian(loss, tuple(leaves)))

    def floating(*tensors):
        return call.function(*tensors, names=names)[0]

    near(
        torch.func.jacrev(floating, places)(*leaves),
        torch.autograd.functional.jacobian(floating, tuple(leaves)),
    )
    tensors = batches(call, names)
    wanted = [torch.func.grad(loss, places)(*(t[..., i] for t in tensors)) for i in range(EXAMPLES)]
    each = torch.func.vmap(torch.func.grad(loss, places), in_dims=-1)(*tensors)
    near(each, [torch.stack(parts) for parts in zip(*wanted, strict=True)])

    def whole(*tensors):
        return torch.func.vmap(loss, in_dims=-1)(*tensors).sum()

    near(torch.func.grad(whole, places)(*tensors), [gradient.movedim(0, -1) for gradient in each])


# --- errors --------------------------------------------------------------------------------------------------------


def refusals(operator: str, *devices: torch.device) -> None:
    """Checks that a violation of the contract is a RuntimeError that names the parameter.

    It tries each kind of violation of each parameter that torch can express.
    """
    spec, tried = spec_of(operator), set()
    entry = spec.calls[0]
    for bad in violations(spec):
        kind, _, detail = bad.id.split("-", 1)[1].partition("-")
        one = (bad.parameter, kind, detail if kind == "require" else "")
        argument = next((a for a in entry.arguments if a.name == bad.parameter), None)
        if (
            one in tried
            or bad.entry != entry.name
            or argument is None
            or not _expressible(spec, bad, devices)
        ):
            continue
        tried.add(one)
        for device in devices:
            arguments = {
                name: _zeros(value, device) if isinstance(value, Shaped) else value
                for name, value in bad.call.values.items()
                if name in {parameter.name for parameter in spec.visible}
            }
            with pytest.raises(RuntimeError, match=rf"^{operator}: {argument.target}: expected [^\n]*, got "):
                getattr(ops, operator)(**arguments)
    assert tried


def _zeros(tensor: Shaped, device: torch.device) -> torch.Tensor:
    """Makes a tensor of one zero, expanded to the shape, because some violations have too many elements for memory."""
    return torch.zeros((), dtype=getattr(torch, tensor.dtype), device=device).expand(tensor.shape)


def _expressible(spec: Spec, bad: BadCall, devices: tuple[torch.device, ...]) -> bool:
    """Says whether torch can make the call, and whether it is a violation on these devices."""
    good, names = example_call(spec).values, {parameter.name for parameter in spec.visible}
    changed = {name for name, value in bad.call.values.items() if value != good[name]}
    if bad.code != INVALID or not changed <= names:
        return False
    values = [bad.call.values[name] for name in changed]
    for name, value in zip(changed, values, strict=True):
        if isinstance(value, Shaped):
            more = spec.cpu_dtypes.get(name, []) if devices[0].type != "npu" else []
            if value.format != good[name].format or value.dtype in more:
                return False
        elif name in spec.normal and value in ([], None):
            return False
    return True


# --- gradients -----------------------------------------------------------------------------------------------------


def gradcheck(operator: str, device: torch.device) -> None:
    """Checks gradients against central differences in float64, and second gradients where there are any."""
    call = on(device, example(operator)).to(torch.float64)
    names = call.differentiable

    def function(*tensors):
        results = call.function(*tensors, names=names)
        return tuple(result for result in results if result.is_floating_point())

    leaves = [call.arguments[name].requires_grad_() for name in names]
    assert torch.autograd.gradcheck(function, leaves)
    if all(spec_of(gradient.operator).backward for gradient in spec_of(operator).backward):
        assert torch.autograd.gradgradcheck(function, leaves)


def no_gradient(operator: str, device: torch.device) -> None:
    """Checks that asking for the gradient of an operator without one raises an error."""
    call = on(device, example(operator))
    leaves = [tensor.requires_grad_() for tensor in call.tensors if tensor.is_floating_point()]
    results = call.function(*call.tensors)
    floating = [result for result in results if result.is_floating_point()]
    assert bool(floating) == any(result.requires_grad for result in results)
    if floating:
        with pytest.raises(RuntimeError, match=f"^{operator}: expected tensors that need no gradient"):
            torch.autograd.grad(floating[0].sum(), leaves)
