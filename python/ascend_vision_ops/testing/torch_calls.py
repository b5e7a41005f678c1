# SPDX-License-Identifier: Apache-2.0
"""Calls of the torch operators, made from contracts and case files: what tests of autograd, torch.compile & co call."""

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
from ascend_vision_ops.testing.run import as_tuple, cases_of, spec_of, takes, to_torch


@dataclasses.dataclass
class TorchCall:
    """An operator and its arguments; each call of it is `function(*tensors)`, for what takes tensors alone."""

    operator: str
    arguments: dict[str, object]

    @property
    def names(self) -> list[str]:
        """Tensors that are given."""
        return [name for name, value in self.arguments.items() if isinstance(value, torch.Tensor)]

    @property
    def tensors(self) -> list[torch.Tensor]:
        return [self.arguments[name] for name in self.names]

    @property
    def overload(self):
        return getattr(torch.ops.ascend_vision_ops, self.operator).default

    @property
    def parts(self) -> tuple[tuple, dict]:
        """Positional and keyword-only arguments, those that are defaults too; without `out`, which is none of these."""
        bound = inspect.signature(getattr(ops, self.operator)).bind(**self.arguments)
        bound.apply_defaults()
        bound.arguments.pop("out", None)
        return bound.args, bound.kwargs

    @property
    def differentiable(self) -> list[str]:
        """Tensors with a gradient."""
        inputs = {name for gradient in spec_of(self.operator).backward for name in gradient.inputs}
        return [name for name in self.names if name in inputs]

    def function(self, *tensors: torch.Tensor, names: list[str] | None = None) -> tuple[torch.Tensor, ...]:
        """The results for other tensors, in place of `names`, or of all."""
        given = dict(zip(names or self.names, tensors, strict=True))
        return as_tuple(getattr(ops, self.operator)(**{**self.arguments, **given}))

    def map(self, change) -> TorchCall:
        """The call with every tensor changed."""
        tensors = {name: change(self.arguments[name]) for name in self.names}
        return TorchCall(self.operator, {**self.arguments, **tensors})

    def to(self, dtype: torch.dtype) -> TorchCall:
        """The call with floating tensors of a dtype."""
        return self.map(lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor)


def small_calls(operator: str, limit: int, largest: int = 10_000) -> Iterator[tuple[BoundCase, TorchCall]]:
    """The first cases for cpu and npu whose floating tensors are float32 that are neither empty nor large."""
    kept = 0
    for case in cases_of(operator):
        if kept == limit:
            return
        first, *others = case.dtypes.values()
        plain = first == "float32" and all(name in ("float32", "int64") for name in others)
        if not (plain and takes("aclnn", case)):
            continue
        arguments = case.arguments()
        if 0 < sum(getattr(value, "size", 0) for value in arguments.values()) < largest:
            kept += 1
            tensors = {
                k: to_torch(v.copy()) if isinstance(v, np.ndarray) else v for k, v in arguments.items()
            }
            yield case, TorchCall(operator, tensors)


def _grown(spec: Spec, by: int) -> Iterator[dict[str, object]]:
    """Examples of a contract with one size larger: that of tensors themselves, that of a name, that in an int array."""
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


def example(operator: str, grown: int = 0) -> TorchCall:
    """The call that the contract gives as an example, on random float32 tensors, with one size more by `grown`."""
    spec = spec_of(operator)
    for sizes in _grown(spec, grown) if grown else [spec.example]:
        call = example_call(dataclasses.replace(spec, example=sizes))
        if spec.composite or failed_check(spec, call) is None:
            break
    generator = torch.Generator().manual_seed(1)

    def value(given):
        if not isinstance(given, Shaped):
            return given
        if given.dtype.startswith("float"):
            # Not near 0 or 1: samples moved there would be at the corners of bilinear functions.
            return torch.empty(given.shape).uniform_(0.1, 0.9, generator=generator)
        return torch.zeros(given.shape, dtype=getattr(torch, given.dtype))

    return TorchCall(operator, {p.name: value(call.values[p.name]) for p in spec.visible})
