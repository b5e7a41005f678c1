# SPDX-License-Identifier: Apache-2.0
"""Makes calls of the torch operators from contracts and case files, for tests of autograd, torch.compile and others."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator

import numpy as np
import torch

from ascend_vision_ops import ops
from ascend_vision_ops.opgen.calls import Shaped, example_call, failed_check
from ascend_vision_ops.opgen.model import Spec
from ascend_vision_ops.testing.cases import BoundCase
from ascend_vision_ops.testing.run import as_tuple, cases_of, common, spec_of, to_torch


@dataclasses.dataclass
class TorchCall:
    """An operator and its arguments. `function(*tensors)` calls it, for parts of torch that accept only tensors."""

    operator: str
    arguments: dict[str, object]

    @property
    def names(self) -> list[str]:
        """The names of the tensors that the call has."""
        return [name for name, value in self.arguments.items() if isinstance(value, torch.Tensor)]

    @property
    def tensors(self) -> list[torch.Tensor]:
        return [self.arguments[name] for name in self.names]

    @property
    def overload(self):
        return getattr(torch.ops.ascend_vision_ops, self.operator).default

    @property
    def parts(self) -> tuple[tuple, dict]:
        """The positional and the keyword-only arguments, with all defaults; without `out`, which the overload lacks."""
        bound = inspect.signature(getattr(ops, self.operator)).bind(**self.arguments)
        bound.apply_defaults()
        bound.arguments.pop("out", None)
        return bound.args, bound.kwargs

    @property
    def differentiable(self) -> list[str]:
        """The names of the tensors that have a gradient."""
        inputs = {name for gradient in spec_of(self.operator).backward for name in gradient.inputs}
        return [name for name in self.names if name in inputs]

    def function(self, *tensors: torch.Tensor, names: list[str] | None = None) -> tuple[torch.Tensor, ...]:
        """Computes the results with other tensors in the place of those called `names`, or of all tensors."""
        given = dict(zip(names or self.names, tensors, strict=True))
        return as_tuple(getattr(ops, self.operator)(**{**self.arguments, **given}))

    def map(self, change) -> TorchCall:
        """Makes the call whose tensors are `change(tensor)`."""
        tensors = {name: change(self.arguments[name]) for name in self.names}
        return TorchCall(self.operator, {**self.arguments, **tensors})

    def to(self, dtype: torch.dtype) -> TorchCall:
        """Makes the call whose floating tensors have a dtype."""
        return self.map(lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor)


def small_calls(operator: str, limit: int, largest: int = 10_000) -> Iterator[tuple[BoundCase, TorchCall]]:
    """Yields the first cases that run on cpu and npu, have float32 tensors, and are neither empty nor large."""
    kept = 0
    for case in cases_of(operator):
        if kept == limit:
            return
        first, *others = case.dtypes.values()
        plain = first == "float32" and all(name in ("float32", "int64") for name in others)
        if not (plain and common(case)):
            continue
        arguments = case.arguments()
        if 0 < sum(getattr(value, "size", 0) for value in arguments.values()) < largest:
            kept += 1
            tensors = {
                k: to_torch(v.copy()) if isinstance(v, np.ndarray) else v for k, v in arguments.items()
            }
            yield case, TorchCall(operator, tensors)


def _grown(spec: Spec, by: int) -> Iterator[dict[str, object]]:
    """Yields variants of a contract's example, in each of which one size is larger by `by`.

    The size is that of a tensor of any rank, a named size, or the first element of an int array.
    """
    tensors = [name for name in spec.example if name in {parameter.name for parameter in spec.tensors}]
    arrays = [name for name, value in spec.example.items() if isinstance(value, list)]
    longer = {name: [spec.example[name][0] + by, *spec.example[name][1:]] for name in arrays}
    if tensors:
        yield {**spec.example, **{name: longer[name] for name in tensors}}
    for name, value in spec.example.items():
        if spec.scope[name].dimension:
            yield {**spec.example, name: value + by}
    for name in arrays:
        yield {**spec.example, name: longer[name]}


def example(operator: str, grown: int = 0, least: int = 0) -> TorchCall:
    """Makes the call of the contract's example, on random float32 tensors; one size is larger by `grown`.

    least: of the number of images (N) and of regions (K), where the example has them.
    """
    spec = spec_of(operator)
    more = {name: max(spec.example[name], least) for name in ("N", "K") if name in spec.example}
    for sizes in _grown(spec, grown) if grown else [spec.example | more]:
        call = example_call(dataclasses.replace(spec, example=sizes))
        if spec.composite or failed_check(spec, call) is None:
            break
    generator = torch.Generator().manual_seed(1)

    def value(given):
        if not isinstance(given, Shaped):
            return given
        if given.dtype.startswith("float"):
            # Values stay away from 0 and 1. Samples there would lie where bilinear functions have no gradient.
            return torch.empty(given.shape).uniform_(0.1, 0.9, generator=generator)
        return torch.zeros(given.shape, dtype=getattr(torch, given.dtype))

    return TorchCall(operator, {p.name: value(call.values[p.name]) for p in spec.visible})
