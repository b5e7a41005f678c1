# SPDX-License-Identifier: Apache-2.0
"""The operators on DTensors: which dimensions each device may have a part of (torch.distributed.tensor).

A dimension along which torch.func.vmap makes one call of many (`vmap` in a contract) is computed by each device on its
own: images of a batch, channels of RoIAlign, regions, lines of a scan. An input that is sharded along another dimension
is gathered first. So a result is never wrong, and it is never a partial sum.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

import torch
from torch.distributed.tensor import DTensor, Placement, Replicate, Shard
from torch.distributed.tensor._op_schema import RuntimeSchemaInfo
from torch.distributed.tensor.experimental import register_sharding

from ascend_vision_ops import ops  # noqa: F401  registers the operators
from ascend_vision_ops._transforms import Fold, registered

# Placements of the results, and of the arguments: None for one that is no tensor.
Sharding = tuple[list[Placement], list[Placement | None]]


@functools.cache
def register() -> None:
    """Lets all operators with kernels take DTensors, forward and backward. A second call changes nothing.

    A tensor that is given by keyword, such as `idxs` of nms_padded, must be replicated: ValueError else.

    The gradient of modulated_deform_conv2d is computed from gathered tensors on all devices.

    Source: torch.distributed.tensor.experimental.register_sharding of torch 2.13.
    """
    propagator = DTensor._op_dispatcher.sharding_propagator
    for op, folds, leading in registered.values():
        register_sharding(op)(functools.partial(_shardings, op, folds, leading))
        arguments = op._schema.arguments
        # A list with the shape of the result, such as input_size of a gradient: each device gets that of its part.
        shape = next((name for fold in folds for name in fold.ints), None)
        if shape is not None:
            propagator.op_to_shape_and_stride_idx[op] = [a.name for a in arguments].index(shape)
        # All arguments that are no tensors tell calls apart, lists too, where DTensor looks up what it did before.
        first = next((i for i, a in enumerate(arguments) if not _is_tensor(a)), len(arguments))
        keywords = [a.name for a in arguments if a.kwarg_only]
        # DTensor puts such a shape into the list of arguments only if that has not been flattened.
        propagator.op_to_schema_info[op] = RuntimeSchemaInfo(
            first, keywords or None, needs_pytree=shape is None
        )


def _is_tensor(argument: torch.Argument) -> bool:
    kind = argument.type
    return isinstance(
        kind.getElementType() if isinstance(kind, torch.OptionalType) else kind, torch.TensorType
    )


def _shardings(
    op: torch._ops.OpOverload, folds: Sequence[Fold], leading: str, *args, **keywords
) -> list[Sharding]:
    """The placements that a call may have on one dimension of a mesh; its tensors have the attribute `ndim`."""
    arguments = op._schema.arguments
    values = {a.name: a.default_value for a in arguments}
    values |= dict(zip(values, args, strict=False)) | keywords
    tensors = {a.name: values[a.name] for a in arguments if _is_tensor(a) and values[a.name] is not None}
    given = [a.name for a in arguments[: len(args)]] + list(keywords)
    results = len(op._schema.returns)
    for name in keywords.keys() & tensors.keys():
        placements = getattr(tensors[name], "placements", ())
        if not all(
            placement.is_replicate() for placement in placements
        ):  # DTensor gathers positional arguments alone
            raise ValueError(f"{op.name()}: {name}: expected a DTensor that is replicated, got {placements}")

    def sharding(of_results: Sequence[int | None], of_inputs: dict[str, int]) -> Sharding:
        return (
            [Replicate() if dim is None else Shard(dim) for dim in of_results],
            [
                (Shard(of_inputs[name]) if name in of_inputs else Replicate()) if name in tensors else None
                for name in given
            ],
        )

    found = [sharding([None] * results, {})]
    found += [
        sharding(fold.results, {name: dim for name, dim in fold.inputs.items() if name in tensors})
        for fold in folds
    ]
    if leading and values[leading] is not None:
        ranks = {len(value.shape) for value in tensors.values()}
        found += [
            sharding([place] * results, dict.fromkeys(tensors, dim))
            for dim, place in _others(ranks, values[leading], values.get("keepdim", True))
        ]
    return found


def _others(ranks: set[int], axis: int, keeps: bool) -> Iterator[tuple[int, int]]:
    """The dimensions beside `axis`, and where they are in the results, if all inputs have one rank."""
    if len(ranks) != 1:
        return
    (rank,) = ranks
    axis %= max(rank, 1)
    for dim in range(rank):
        if dim != axis:
            yield dim, dim - (dim > axis and not keeps)
