# SPDX-License-Identifier: Apache-2.0
"""Operators under autograd, torch.func and torch.autocast, from what their contracts say (docs/contracts.md).

torch.library.register_autograd does not reach torch.func (grad, vmap, jacrev): for these an operator is an
autograd.Function, called where torch.func enters the dispatcher.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import torch
from torch import Tensor
from torch._C import (
    _any_requires_grad,
    _are_functorch_transforms_active,
    _AutoDispatchBelowADInplaceOrView,
    _increment_version,
    is_grad_enabled,
)
from torch.compiler import is_compiling, is_dynamo_compiling

_library = torch.library.Library("ascend_vision_ops", "FRAGMENT")


@dataclass(frozen=True)
class Gradient:
    """The two functions of torch.library.register_autograd."""

    setup: Callable
    backward: Callable


@dataclass(frozen=True)
class Fold:
    """A size that vmap's examples become part of: the dimension that it is, in inputs and in results.

    ints: int arrays with an element that is this size too, and which one.
    """

    inputs: dict[str, int]
    results: Sequence[int]
    ints: dict[str, int] = field(default_factory=dict)


def register(
    wrapper: Callable,
    *,
    fake: Callable,
    out: str,
    gradient: Gradient | None = None,
    autocast: str = "widest",
    folds: Sequence[Fold] = (),
    leading: str = "",
) -> tuple[Callable, Callable]:
    """Registers an operator that has kernels for the rest of torch; returns it and its overload `out` for its wrapper.

    wrapper: the function that users call, of the operator's name; it passes all positional arguments on by position.
    fake: kernel without data, of the operator and of its overload `out`, whose tensors it takes as keywords.
    out: schema of that overload.
    gradient: of the operator; None where no result can have one.
    autocast: what floating tensors become: float32, or the widest of their dtypes.
    folds: sizes that examples of vmap can become part of.
    leading: the int argument that names a dimension; examples become one more before it.
    """
    name = wrapper.__name__
    op = getattr(torch.ops.ascend_vision_ops, name).default
    torch.library.register_fake(op, fake)
    op_out, results = _register_out(name, out, fake)
    if gradient is not None:
        torch.library.register_autograd(op, gradient.backward, setup_context=gradient.setup)
    function = _function(op, gradient or no_gradient(name), folds, leading)

    def under_functorch(*args, **keywords):
        return _cast(lambda *args, **keywords: function.apply(*args, keywords), autocast, args, keywords)

    def under_autocast(*args, **keywords):
        return _cast(op, autocast, args, keywords)

    _library.impl(name, under_functorch, "FuncTorchDynamicLayerFrontMode")
    for key in ("AutocastCPU", "AutocastPrivateUse1"):
        _library.impl(name, under_autocast, key)
    defaults = wrapper.__defaults__ or ()
    defaults = (object(),) * (wrapper.__code__.co_argcount - len(defaults)) + defaults
    return _straight(op, defaults, gradient=gradient is not None), _straight(
        op_out, defaults, results=results
    )


def register_composite(name: str, schema: str, function: Callable) -> Callable:
    """Registers an operator that calls others; returns it for its wrapper."""
    _library.define(schema)
    # torch.func would else see one operator, and call it example by example.
    for key in ("CompositeImplicitAutograd", "FuncTorchDynamicLayerFrontMode"):
        _library.impl(name, function, key)
    op = getattr(torch.ops.ascend_vision_ops, name).default

    def call(*args, **keywords):
        # The dispatcher would call the function too, in 4 us; graphs are to have the operator.
        return (op if is_compiling() else function)(*args, **keywords)

    return call


def _straight(op, defaults: tuple, *, gradient: bool = False, results: Sequence[str] = ()) -> Callable:
    """The overload as its wrapper calls it, past what has nothing to do on the way: OpOverload.__call__, a tenth of a
    small call; the kernels in Python of autograd, a third; last arguments that are defaults, up to 0.6 us each.

    Behind a kernel that streams through the caches all of this is cold, and each function of torch's costs 1 us.

    defaults: objects that the wrapper passes on for positional arguments left out; unknown ones where none may be.
    gradient: whether the operator has kernels of autograd.
    results: names of the caller's tensors that it writes.
    """
    function = op._op
    kernels = gradient or results

    def call(*args, **keywords):
        if is_dynamo_compiling():
            return op(*args, **keywords)
        count = len(args)
        while args[count - 1] is defaults[count - 1]:
            count -= 1
        args = args[:count]
        if (
            not kernels
            or _are_functorch_transforms_active()
            or (is_grad_enabled() and _any_requires_grad(*args, **keywords))
        ):
            return function(*args, **keywords)
        with _AutoDispatchBelowADInplaceOrView():
            made = function(*args, **keywords)
        if results:
            _increment_version(map(keywords.get, results))
        return made

    return call


# --- results in the caller's tensors -------------------------------------------------------------------------------


def _register_out(name: str, schema: str, fake: Callable) -> tuple[torch._ops.OpOverload, list[str]]:
    """The overload whose results go to the caller's tensors, as those of torch's own operators are, and their names."""
    _library.define(schema)
    op = getattr(torch.ops.ascend_vision_ops, name).out
    torch.library.register_fake(op, fake)
    results = [a.name for a in op._schema.arguments if a.alias_info is not None]

    def without_gradient(keyset, *args, **keywords):
        if is_grad_enabled() and _any_requires_grad(*args, **keywords):
            raise RuntimeError(
                f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad."
            )
        return written(keyset, *args, **keywords)

    def written(keyset, *args, **keywords):
        # A backward pass that saved one of them must see that it is another one now.
        _increment_version(map(keywords.get, results))
        return op.redispatch(keyset & torch._C._after_ADInplaceOrView_keyset, *args, **keywords)

    def functional(*args, **keywords):
        """Graphs of torch.compile have no results in given memory, but copies to it.

        torch would make such graphs itself from torch.Tag.out, which 2.13 does wrongly for several results, and not
        for operators with an argument called mode.
        """
        fake(*args, **keywords)  # judges the tensors
        given = {name: value for name, value in keywords.items() if name not in results}
        made = getattr(torch.ops.ascend_vision_ops, name).default(*args, **given)
        made = made if isinstance(made, tuple) else (made,)
        copies = tuple(keywords[result].copy_(value) for result, value in zip(results, made, strict=True))
        return copies if len(copies) > 1 else copies[0]

    _library.impl(op, functional, "Functionalize")
    _library.impl(op, without_gradient, "Autograd", with_keyset=True)
    _library.impl(op, written, "ADInplaceOrView", with_keyset=True)
    return op, results


def check_result(what: str, result: Tensor | None, like: Tensor) -> None:
    """Raises where a tensor of the caller's is on another device than the inputs."""
    if result is not None:
        torch._check(
            result.device == like.device,
            lambda: f"{what}: expected a tensor on {like.device}, got one on {result.device}",
        )


def check_chosen(what: str, result: Tensor | None, attribute: str, chosen: torch.dtype | None) -> None:
    """Raises where a tensor of the caller's has another dtype than an attribute asks for."""
    if result is not None and chosen is not None:
        torch._check(
            result.dtype == chosen, lambda: f"{what}: expected {attribute}, {chosen}, got {result.dtype}"
        )


def formatted(result: Tensor, like: Tensor) -> Tensor:
    """An empty (N, C, H, W) result in the memory format that the kernel gives it: channels-last on CPUs where the
    images `like` are that."""
    last = torch.channels_last
    on_cpu = like.device.type in ("cpu", "meta")
    if on_cpu and like.is_contiguous(memory_format=last) and not like.is_contiguous():
        return result.contiguous(memory_format=last)
    return result


def no_gradient(name: str) -> Gradient:
    """That of an operator without: an error, where torch alone would silently give none."""

    def backward(ctx, *grads):
        raise RuntimeError(
            f"{name}: expected tensors that need no gradient, got one that does; there is none"
        )

    return Gradient(lambda ctx, **_: None, backward)


# --- torch.func ----------------------------------------------------------------------------------------------------


def _function(op, gradient: Gradient, folds: Sequence[Fold], leading: str) -> type[torch.autograd.Function]:
    """The operator as a function of its positional arguments, and a dict of its keyword-only ones."""
    positional = [a for a in op._schema.arguments if not a.kwarg_only]
    keyword_only = [a for a in op._schema.arguments if a.kwarg_only]

    def complete(args, keywords):
        """All arguments: the dispatcher leaves out those that are defaults."""
        rest = [a.default_value for a in positional[len(args) :]]
        return (*args, *rest), {a.name: keywords.get(a.name, a.default_value) for a in keyword_only}

    def forward(*inputs):
        return op(*inputs[:-1], **inputs[-1])

    def setup_context(ctx, inputs, output):
        args, keywords = complete(inputs[:-1], inputs[-1])
        extra = {"keyword_only_inputs": keywords} if keyword_only else {}
        gradient.setup(ctx=ctx, inputs=args, output=output, **extra)

    def backward(ctx, *grads):
        results = gradient.backward(ctx, *grads)
        results = results if isinstance(results, tuple) else (results,)
        return (*results[: len(ctx.needs_input_grad) - 1], None)

    def vmap(info, in_dims, *inputs):
        args, keywords = complete(inputs[:-1], inputs[-1])
        names = [a.name for a in positional]
        values = {**dict(zip(names, args, strict=True)), **keywords}
        dims = {**dict(zip(names, in_dims[:-1], strict=False)), **in_dims[-1]}
        batched = {
            name: dim for name, dim in dims.items() if isinstance(dim, int)
        }  # of int arrays, a list of None

        def call(values):
            results = op(*(values[name] for name in names), **{name: values[name] for name in keywords})
            return results if isinstance(results, tuple) else (results,)

        size = info.batch_size
        fitting = [fold for fold in folds if batched.keys() <= fold.inputs.keys()]
        if fitting:
            best = min(fitting, key=lambda fold: len(fold.inputs.keys() - batched.keys()))
            results, out_dims = _folded(call, best, values, batched, size)
        elif leading and (moved := _with_leading(values, batched, size, leading)):
            results, out_dims = call(moved), (0,) * len(op._schema.returns)
        else:
            results, out_dims = _one_by_one(call, values, batched, size), (0,) * len(op._schema.returns)
        return (results, out_dims) if len(results) > 1 else (results[0], out_dims[0])

    members = {"forward": forward, "setup_context": setup_context, "backward": backward, "vmap": vmap}
    return type(
        f"{op._opname}_function",
        (torch.autograd.Function,),
        {name: staticmethod(function) for name, function in members.items()},
    )


def _batch_at(value: Tensor, dim: int | None, place: int, size: int) -> Tensor:
    """The tensor with examples along dimension `place`; one that all of them share is expanded."""
    if dim is not None:
        return value.movedim(dim, place)
    return value.unsqueeze(place).expand(*value.shape[:place], size, *value.shape[place:])


def _folded(call, fold: Fold, values: dict[str, Any], batched: dict[str, int], size: int):
    """One call with `size` times as much of the fold's size."""
    folded = dict(values)
    for name, place in fold.inputs.items():
        if values[name] is not None:
            folded[name] = _batch_at(values[name], batched.get(name), place, size).flatten(place, place + 1)
    for name, index in fold.ints.items():
        folded[name] = [length * size if i == index else length for i, length in enumerate(values[name])]
    results = call(folded)
    unfolded = [
        result.unflatten(place, (size, result.shape[place] // size))
        for result, place in zip(results, fold.results, strict=True)
    ]
    return tuple(unfolded), tuple(fold.results)


def _with_leading(values: dict[str, Any], batched: dict[str, int], size: int, leading: str) -> dict[str, Any]:
    """Arguments of one call on tensors with one more dimension; none where no dimension of theirs is named."""
    tensors = {name: value for name, value in values.items() if isinstance(value, Tensor)}
    rank = min(value.ndim - (name in batched) for name, value in tensors.items())
    dim = values[leading]
    if dim is None or not -rank <= dim < rank:
        return {}
    moved = {name: _batch_at(value, batched.get(name), 0, size) for name, value in tensors.items()}
    return {**values, **moved, leading: dim % rank + 1}


def _one_by_one(call, values: dict[str, Any], batched: dict[str, int], size: int) -> tuple[Tensor, ...]:
    """One call an example."""
    if size == 0:
        raise RuntimeError("vmap: expected at least one example, got none")
    calls = [
        call({**values, **{name: values[name].select(dim, i) for name, dim in batched.items()}})
        for i in range(size)
    ]
    return tuple(torch.stack(results) for results in zip(*calls, strict=True))


# --- torch.autocast ------------------------------------------------------------------------------------------------


def _cast(call: Callable, policy: str, args: tuple, keywords: dict[str, Any]):
    """The call with floating tensors of one dtype, where torch.autocast is on; else as it is.

    float32: half types become float32, and floating results the dtype of the first floating tensor, as in torchvision.
    """
    given = [value for value in (*args, *keywords.values()) if isinstance(value, Tensor)]
    device = given[0].device.type
    if not (torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device)):
        return call(*args, **keywords)
    dtypes = [value.dtype for value in given if value.is_floating_point()]
    if not dtypes:
        return call(*args, **keywords)
    widest = reduce(torch.promote_types, dtypes)
    common = torch.promote_types(widest, torch.float32) if policy == "float32" else widest

    def cast(value, dtype):
        return value.to(dtype) if isinstance(value, Tensor) and value.is_floating_point() else value

    with torch.autocast(device, enabled=False):
        results = call(*(cast(v, common) for v in args), **{k: cast(v, common) for k, v in keywords.items()})
    if policy != "float32":
        return results
    if isinstance(results, tuple):
        return tuple(cast(result, dtypes[0]) for result in results)
    return cast(results, dtypes[0])
