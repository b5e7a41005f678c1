# SPDX-License-Identifier: Apache-2.0
"""Registers operators for autograd, torch.func and torch.autocast, as their contracts state (docs/contracts.md).

torch.library.register_autograd does not serve torch.func (grad, vmap, jacrev). For these, an operator is also an
autograd.Function, which is called where torch.func enters the dispatcher.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

import torch
from torch import Tensor
from torch._C import (
    DispatchKey,
    DispatchKeySet,
    ExcludeDispatchKeyGuard,  # noqa: F401  (in the text of _fast_call)
    _any_requires_grad,
    _are_functorch_transforms_active,  # noqa: F401
    _increment_version,
    _is_tracing,  # noqa: F401
    is_grad_enabled,
)
from torch._library import autograd as library_autograd
from torch.autograd import forward_ad
from torch.compiler import is_compiling, is_dynamo_compiling  # noqa: F401

from ._direct_calls import direct_call

_library = torch.library.Library("ascend_vision_ops", "FRAGMENT")
# The keys of autograd's kernels, and of the kernels that count writes.
_AUTOGRAD = reduce(
    or_,
    map(
        DispatchKeySet,
        (
            DispatchKey.ADInplaceOrView,
            DispatchKey.AutogradFunctionality,
            DispatchKey.AutogradOther,
            DispatchKey.AutogradNestedTensor,
        ),
    ),
)
# The registered operators by name, with their folds and the name of the int argument `leading`.
registered: dict[str, tuple[torch._ops.OpOverload, Sequence[Fold], str]] = {}


@dataclass(frozen=True)
class Gradient:
    """The two functions that torch.library.register_autograd takes."""

    setup: Callable
    backward: Callable


@dataclass(frozen=True)
class Fold:
    """A size that grows by the number of vmap's examples, so that one call computes all of them.

    inputs: which dimension the size is of each input that has it.
    results: which dimension it is of each result.
    ints: which element it is of each int array that has it.
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
    """Registers an operator, which has kernels already, for the other parts of torch.

    Returns two functions for its wrapper: they call the operator, and its overload `out`. They take all arguments by
    position, the caller's tensors last.

    wrapper: the function that users call; it has the operator's name.
    fake: computes shapes and dtypes without data, for the operator and for its overload `out`, whose tensors it takes
        as keywords.
    out: the schema of that overload.
    gradient: the gradient of the operator; None if no result can have one.
    autocast: what floating tensors become under autocast: "float32", or "widest", the widest of their dtypes.
    folds: the sizes that may grow by the number of examples under vmap.
    leading: the int argument that names a dimension; under vmap the examples become one more dimension before all.
    """
    name = wrapper.__name__
    op = getattr(torch.ops.ascend_vision_ops, name).default
    torch.library.register_fake(op, fake)
    registered[name] = op, folds, leading
    op_out, results = _register_out(name, out, fake)
    if gradient is not None:
        _library.impl(name, _autograd(op, gradient), "Autograd", with_keyset=True)
    function = _function(op, gradient or no_gradient(name), folds, leading)

    def under_functorch(*args, **keywords):
        return _cast(lambda *args, **keywords: function.apply(*args, keywords), autocast, args, keywords)

    def under_autocast(*args, **keywords):
        return _cast(op, autocast, args, keywords)

    _library.impl(name, under_functorch, "FuncTorchDynamicLayerFrontMode")
    for key in ("AutocastCPU", "AutocastPrivateUse1"):
        _library.impl(name, under_autocast, key)
    return (
        _fast_call(op, wrapper, gradient=gradient is not None),
        _fast_call(op_out, wrapper, results=results),
    )


def register_composite(name: str, schema: str, function: Callable) -> Callable:
    """Registers an operator that is a Python function on top of others; returns a function that its wrapper calls."""
    _library.define(schema)
    # Without the second key, torch.func would see one operator and call it example by example.
    for key in ("CompositeImplicitAutograd", "FuncTorchDynamicLayerFrontMode"):
        _library.impl(name, function, key)
    op = getattr(torch.ops.ascend_vision_ops, name).default

    def call(*args, **keywords):
        # Graphs must contain the operator. All other calls go to the function itself and save 4 us of dispatching.
        return (op if is_compiling() else function)(*args, **keywords)

    return call


def _fast_call(op, wrapper: Callable, *, gradient: bool = False, results: Sequence[str] = ()) -> Callable:
    """Makes a function that calls an overload, with all arguments by position, and skips the steps with nothing to do.

    Where it can, it calls the kernel on cpu tensors directly (_direct_calls.py). Otherwise it skips
    OpOverload.__call__, which takes a tenth of the time of a small call; the Python kernels of autograd, which take a
    third; and arguments that are defaults, which take up to 0.6 us each. After a kernel that has streamed through the
    caches, all code is cold, and each function of torch takes 1 us.

    The text of the function is made for the overload, because a function of any arguments takes 0.4 us longer. For
    resize(x, size, scale=None, *, mode="linear"), whose kernels have no gradient, it is

        def call(x, size, scale, mode):
            if is_dynamo_compiling():
                return op(x, size, scale, mode=mode)
            if forward_ad._current_level < 0:
                made = direct(x, size, scale, mode)
                if made is not None:
                    return made
            keywords = {}
            if mode != 'linear':  # `is not` for None and bools
                keywords['mode'] = mode
            return (function(x, size, **keywords)) if scale is defaults[0] else function(x, size, scale, **keywords)

    wrapper: the function that users call. Its defaults are the objects that it passes if its caller leaves them out. A
        list with the values of a default counts as one.
    gradient: whether the operator has kernels of autograd.
    results: the names of the caller's tensors that the overload writes.
    """
    arguments = op._schema.arguments
    names = [a.name for a in arguments if not a.kwarg_only]
    only = [a.name for a in arguments if a.kwarg_only]
    every = ", ".join(names + only)
    defaults, optional = wrapper.__defaults__ or (), wrapper.__kwdefaults__ or {}
    optional = {name: optional[name] for name in only if name in optional}
    direct = None if results else direct_call(op)
    lines = [
        f"def call({every}):",
        "    if is_dynamo_compiling():",
        f"        return op({', '.join(names + [f'{name}={name}' for name in only])})",
    ]
    if direct is not None:
        lines += [
            "    if forward_ad._current_level < 0:",
            f"        made = direct({every})",
            "        if made is not None:",
            "            return made",
        ]
    rest = [f"{name}={name}" for name in only if name not in optional]
    if optional:
        rest += ["**keywords"]
        lines += ["    keywords = {}"]
        for name, value in optional.items():
            differs = "is not" if value is None or isinstance(value, bool) else "!="
            lines += [f"    if {name} {differs} {value!r}:", f"        keywords[{name!r}] = {name}"]
    # The default of an int[k] is an int for all elements, or a list.
    required = len(names) - len(defaults)
    with_defaults = arguments[required : len(names)]
    lists = [
        [value] * a.N if a.N and isinstance(value, int) else value
        for value, a in zip(defaults, with_defaults, strict=True)
    ]
    short = f"function({', '.join(names[:required] + rest)})"
    for i, argument in enumerate(with_defaults):
        name = argument.name
        is_default = f"{name} is defaults[{i}]"
        if argument.N:
            # Small ints are the same objects everywhere, which floats and bools of their values are not.
            same = [f"{name}[{at}] is lists[{i}][{at}]" for at in range(len(lists[i]))]
            same = " and ".join([f"type({name}) is list", f"len({name}) == {len(lists[i])}", *same])
            is_default += f" or {same}"
        call = f"function({', '.join(names[: required + i + 1] + rest)})"
        short = f"({short}) if {is_default} else {call}"
    if gradient or results:
        # A value without this attribute is no tensor, and torch raises its error later.
        requires = [
            f"getattr({a.name}, 'requires_grad', False)" for a in arguments if "Tensor" in str(a.type)
        ]
        # The check of _is_tracing compares the lines that two calls, with and without grad, take.
        lines += [
            "    if (_are_functorch_transforms_active() or forward_ad._current_level >= 0 or _is_tracing()",
            f"            or is_grad_enabled() and ({' or '.join(requires)})):",
            f"        return function({', '.join(names + rest)})",
            "    guard = ExcludeDispatchKeyGuard(_AUTOGRAD)  # until it is deleted; `with` takes 0.3 us longer",
            "    try:",
            f"        made = {short}",
            "    finally:",
            "        del guard",
            *([f"    _increment_version(({', '.join(results)},))"] if results else []),
            "    return made",
        ]
    else:
        lines += [f"    return {short}"]
    # torch.compile looks up the globals of `call` in this module, so what differs are variables around it.
    text = [
        "def make(op, function, direct, defaults, lists):",
        *(f"    {line}" for line in lines),
        "    return call",
    ]
    made: dict[str, Callable] = {}
    exec(compile("\n".join(text), f"<call of {op}>", "exec"), globals(), made)
    return made["make"](op, op._op, direct, defaults, lists)


# --- gradients -----------------------------------------------------------------------------------------------------


def _autograd(op: torch._ops.OpOverload, gradient: Gradient) -> Callable:
    """Makes the kernel of autograd: that of torch.library.register_autograd, and forward-mode differentiation."""
    reverse = library_autograd.make_autograd_impl(
        op, library_autograd.Info(gradient.backward, gradient.setup)
    )

    def kernel(keyset, *args, **keywords):
        if forward_ad._current_level < 0:
            return reverse(keyset, *args, **keywords)
        pairs = [
            forward_ad.unpack_dual(value) if isinstance(value, Tensor) else (value, None) for value in args
        ]
        tangents = [tangent for _, tangent in pairs]
        if all(tangent is None for tangent in tangents):
            return reverse(keyset, *args, **keywords)
        results, moves = _pushed(op, [primal for primal, _ in pairs], keywords, tangents)
        duals = tuple(
            result if move is None else forward_ad.make_dual(result, move)
            for result, move in zip(results, moves, strict=True)
        )
        return duals if len(duals) > 1 else duals[0]

    return kernel


def _pushed(op, args: Sequence, keywords: dict[str, Any], tangents: Sequence[Tensor | None]):
    """Computes results and their tangents; None where a result has none.

    The gradient is a linear function of the results' gradients. The gradient of that function, for the tangents of the
    inputs, is the tangent of the results. So this needs the gradient's gradient, which operators that are linear in
    their input have.
    """
    moving = [i for i, tangent in enumerate(tangents) if tangent is not None]

    def function(*values):
        filled = list(args)
        for i, value in zip(moving, values, strict=True):
            filled[i] = value
        results = op(*filled, **keywords)
        results = results if isinstance(results, tuple) else (results,)
        return tuple(result for result in results if result.is_floating_point()), results

    floating, pull, results = torch.func.vjp(function, *(args[i] for i in moving), has_aux=True)
    try:
        _, push = torch.func.vjp(pull, tuple(map(torch.zeros_like, floating)))
        moves = iter(push(tuple(tangents[i] for i in moving))[0])
    except RuntimeError as error:
        raise RuntimeError(
            f"{op._opname}: expected tensors without tangents, got one with a tangent; forward-mode differentiation is "
            f"there for operators whose gradient has a gradient ({error})"
        ) from error
    return results, [next(moves) if result.is_floating_point() else None for result in results]


# --- results in the caller's tensors -------------------------------------------------------------------------------


def _register_out(name: str, schema: str, fake: Callable) -> tuple[torch._ops.OpOverload, list[str]]:
    """Registers the overload whose results go to the caller's tensors; returns it and the names of the results."""
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
        # A backward pass may have saved one of these tensors. Its version tells that its values are others now.
        _increment_version(map(keywords.get, results))
        return op.redispatch(keyset & torch._C._after_ADInplaceOrView_keyset, *args, **keywords)

    def functional(*args, **keywords):
        """Computes new results and copies them to the caller's tensors, as graphs of torch.compile must.

        torch.Tag.out would make torch do this itself. But torch 2.13 does it wrongly for several results, and not
        at all for operators with an argument called mode.
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


def check_device(what: str, tensor: Tensor | None, first: Tensor) -> None:
    """Raises an error if a tensor is on another device than the first input."""
    if tensor is not None:
        torch._check(
            tensor.device == first.device,
            lambda: f"{what}: expected a tensor on {first.device}, got one on {tensor.device}",
        )


def check_dtype(what: str, dtype: torch.dtype | None, known: Sequence[torch.dtype]) -> None:
    """Raises an error if an attribute asks for a dtype that no result has."""
    torch._check(
        dtype is None or dtype in known,
        lambda: (
            f"{what}: expected {' or '.join(str(each).removeprefix('torch.') for each in known)}, got {dtype}"
        ),
    )


def check_chosen(what: str, result: Tensor | None, attribute: str, chosen: torch.dtype | None) -> None:
    """Raises an error if the caller's tensor has another dtype than an attribute asks for."""
    if result is not None and chosen is not None:
        torch._check(
            result.dtype == chosen, lambda: f"{what}: expected {attribute}, {chosen}, got {result.dtype}"
        )


def formatted(result: Tensor, like: Tensor) -> Tensor:
    """Returns the empty result, (N, C, H, W), in the memory format that the kernel gives it.

    On CPUs that is channels-last if the images `like` are channels-last.
    """
    last = torch.channels_last
    on_cpu = like.device.type in ("cpu", "meta")
    if on_cpu and like.is_contiguous(memory_format=last) and not like.is_contiguous():
        return result.contiguous(memory_format=last)
    return result


def no_gradient(name: str) -> Gradient:
    """Makes the gradient of an operator that has none. It raises an error, where torch would give no gradient."""

    def backward(ctx, *grads):
        raise RuntimeError(
            f"{name}: expected tensors that need no gradient, got one that does; there is none"
        )

    return Gradient(lambda ctx, **_: None, backward)


# --- torch.func ----------------------------------------------------------------------------------------------------


def _function(op, gradient: Gradient, folds: Sequence[Fold], leading: str) -> type[torch.autograd.Function]:
    """Makes the operator's autograd.Function: of its positional arguments, and a dict of its keyword-only arguments."""
    positional = [a for a in op._schema.arguments if not a.kwarg_only]
    keyword_only = [a for a in op._schema.arguments if a.kwarg_only]

    def complete(args, keywords):
        """Adds the arguments that the dispatcher leaves out because they are defaults."""
        rest = [a.default_value for a in positional[len(args) :]]
        return (*args, *rest), {a.name: keywords.get(a.name, a.default_value) for a in keyword_only}

    def forward(*inputs):
        return op(*inputs[:-1], **inputs[-1])

    def setup_context(ctx, inputs, output):
        args, keywords = complete(inputs[:-1], inputs[-1])
        extra = {"keyword_only_inputs": keywords} if keyword_only else {}
        gradient.setup(ctx=ctx, inputs=args, output=output, **extra)
        ctx.save_for_forward(*(value for value in args if isinstance(value, Tensor)))
        ctx.call = [None if isinstance(value, Tensor) else value for value in args], keywords
        ctx.places = [i for i, value in enumerate(args) if isinstance(value, Tensor)]

    def jvp(ctx, *tangents):
        args, keywords = ctx.call
        args = list(args)
        for place, value in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[place] = forward_ad.unpack_dual(value).primal
        given = tangents[:-1] + (None,) * (len(args) + 1 - len(tangents))
        _, moves = _pushed(op, args, keywords, given)
        return tuple(moves) if len(moves) > 1 else moves[0]

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

    members = {
        "forward": forward,
        "setup_context": setup_context,
        "backward": backward,
        "jvp": jvp,
        "vmap": vmap,
    }
    return type(
        f"{op._opname}_function",
        (torch.autograd.Function,),
        {name: staticmethod(function) for name, function in members.items()},
    )


def _batch_at(value: Tensor, dim: int | None, place: int, size: int) -> Tensor:
    """Returns the tensor with the examples along dimension `place`; a tensor that all examples share is expanded."""
    if dim is not None:
        return value.movedim(dim, place)
    return value.unsqueeze(place).expand(*value.shape[:place], size, *value.shape[place:])


def _folded(call, fold: Fold, values: dict[str, Any], batched: dict[str, int], size: int):
    """Makes one call, in which the size of the fold is `size` times as large."""
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
    """Returns the arguments of one call on tensors with one more dimension; none if `leading` names no dimension."""
    tensors = {name: value for name, value in values.items() if isinstance(value, Tensor)}
    rank = min(value.ndim - (name in batched) for name, value in tensors.items())
    dim = values[leading]
    if dim is None or not -rank <= dim < rank:
        return {}
    moved = {name: _batch_at(value, batched.get(name), 0, size) for name, value in tensors.items()}
    return {**values, **moved, leading: dim % rank + 1}


def _one_by_one(call, values: dict[str, Any], batched: dict[str, int], size: int) -> tuple[Tensor, ...]:
    """Makes one call for each example."""
    if size == 0:
        raise RuntimeError("vmap: expected at least one example, got none")
    calls = [
        call({**values, **{name: values[name].select(dim, i) for name, dim in batched.items()}})
        for i in range(size)
    ]
    return tuple(torch.stack(results) for results in zip(*calls, strict=True))


# --- torch.autocast ------------------------------------------------------------------------------------------------


def _cast(call: Callable, policy: str, args: tuple, keywords: dict[str, Any]):
    """Makes the call, with all floating tensors in one dtype if torch.autocast is on.

    With the policy "float32", half types become float32, and floating results get the dtype of the first floating
    tensor, as in torchvision. With "widest", all tensors get the widest of their dtypes.
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
