# SPDX-License-Identifier: Apache-2.0
"""Operators on DTensors of two processes give what they give on one, with every sharding that is registered."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

from ascend_vision_ops import dtensor, operators
from ascend_vision_ops._transforms import registered
from ascend_vision_ops.testing.run import as_tuple, spec_of
from ascend_vision_ops.testing.torch_calls import example

ROOT = Path(__file__).resolve().parents[1]
RANKS, LIMIT = 2, 240  # seconds for all processes
COMPUTING = [name for name in operators() if not spec_of(name).composite]
# Sums over images, and boxes, which all depend on each other.
WHOLE = {
    "count_outside",
    "modulated_deform_conv2d_backward",
    "nms_match_padded",
    "nms_padded",
    "nms_rotated_padded",
    "soft_nms_padded",
}


def shardings(operator: str):
    """The call of an operator's example and its shardings."""
    call = example(operator, least=RANKS)
    op, folds, leading = registered[operator]
    args, keywords = call.parts
    return call, dtensor._shardings(op, folds, leading, *args, **keywords)


@pytest.mark.parametrize("operator", COMPUTING)
def test_what_may_be_sharded(operator):
    _, found = shardings(operator)
    assert (len(found) == 1) == (operator in WHOLE)
    assert all(not placement.is_shard() for placement in found[0][0])


def _distributed(mesh, value, placement):
    from torch.distributed.tensor import distribute_tensor

    return distribute_tensor(value, mesh, [placement]) if isinstance(value, torch.Tensor) else value


def _compare(operator: str, mesh) -> None:
    call, found = shardings(operator)
    args, keywords = call.parts
    wanted = as_tuple(call.overload(*args, **keywords))
    for results, inputs in found:
        given = [_distributed(mesh, value, place) for value, place in zip(args, inputs, strict=False)]
        named = {
            name: _distributed(mesh, value, place)
            for (name, value), place in zip(keywords.items(), inputs[len(args) :], strict=True)
        }
        got = as_tuple(call.overload(*given, **named))
        assert [list(value.placements) for value in got] == [[place] for place in results], inputs
        for value, want in zip(got, wanted, strict=True):
            assert value.shape == want.shape
            torch.testing.assert_close(value.full_tensor(), want, rtol=0, atol=0, equal_nan=True)


def _compare_other_dimensions(operator: str, mesh) -> None:
    """Tensors that are sharded along any dimension, all alike, whether or not the operator can be sharded so."""
    from torch.distributed.tensor import Replicate, Shard

    call = example(operator, least=RANKS)
    args, keywords = call.parts
    wanted = as_tuple(call.overload(*args, **keywords))
    for dim in range(max(value.ndim for value in call.tensors)):
        given = [
            _distributed(mesh, value, Shard(min(dim, value.ndim - 1)))
            if isinstance(value, torch.Tensor)
            else value
            for value in args
        ]
        named = {name: _distributed(mesh, value, Replicate()) for name, value in keywords.items()}
        for value, want in zip(as_tuple(call.overload(*given, **named)), wanted, strict=True):
            torch.testing.assert_close(value.full_tensor(), want, rtol=0, atol=0, equal_nan=True)


def _compare_gradients(operator: str, mesh) -> None:
    call, found = shardings(operator)
    names = call.differentiable
    if not names or not spec_of(operator).backward:
        return
    leaves = {name: call.arguments[name].clone().requires_grad_() for name in names}
    sum(result.square().sum() for result in as_tuple(call.function(*leaves.values(), names=names))).backward()
    places = dict(zip(spec_names(operator), found[-1][1], strict=False))
    sharded = {
        name: _distributed(mesh, call.arguments[name], places[name]).requires_grad_() for name in names
    }
    others = {
        name: _distributed(mesh, value, places[name])
        for name, value in call.arguments.items()
        if isinstance(value, torch.Tensor) and name not in names
    }
    whole = type(call)(operator, {**call.arguments, **others})
    results = as_tuple(whole.function(*sharded.values(), names=names))
    sum(result.full_tensor().square().sum() for result in results).backward()
    for name in names:
        # Sums over devices have another order.
        torch.testing.assert_close(sharded[name].grad.full_tensor(), leaves[name].grad, rtol=1e-5, atol=1e-5)


def spec_names(operator: str) -> list[str]:
    return [argument.name for argument in registered[operator][0]._schema.arguments]


def _compare_all_calls(mesh) -> None:
    for operator in COMPUTING:
        for compare in (_compare, _compare_other_dimensions, _compare_gradients):
            try:
                compare(operator, mesh)
            except Exception as error:
                raise AssertionError(f"{operator}, {compare.__name__}") from error


def _compare_attributes(mesh) -> None:
    """DTensor keeps the sizes of earlier results. They must not be taken for a call with other lists."""
    from torch.distributed.tensor import Shard

    x = torch.rand(4, 2, 12)
    shared = _distributed(mesh, x, Shard(0))
    for length in (5, 7, 24):
        op = torch.ops.ascend_vision_ops.upsample_linear1d.default
        got = op(shared, [length], False, None)
        assert got.shape == (4, 2, length)
        torch.testing.assert_close(got.full_tensor(), op(x, [length], False, None), rtol=0, atol=0)
        back = torch.ops.ascend_vision_ops.upsample_linear1d_backward.default
        got = back(shared, [12], [4, 2, length], False, None)
        assert got.to_local().shape == (4 // RANKS, 2, length)
        torch.testing.assert_close(
            got.full_tensor(), back(x, [12], [4, 2, length], False, None), rtol=0, atol=0
        )


def _compare_boxes(mesh) -> None:
    """All boxes depend on each other: sharded ones are gathered. A sharded keyword would not be, and is refused."""
    from torch.distributed.tensor import Shard

    boxes, scores, classes = torch.rand(9, 4).sort().values, torch.rand(9), torch.arange(9) % 2
    op = torch.ops.ascend_vision_ops.nms_padded.default
    parts = [_distributed(mesh, value, Shard(0)) for value in (boxes, scores)]
    got = op(*parts, 0.3)
    for value, want in zip(got, op(boxes, scores, 0.3), strict=True):
        torch.testing.assert_close(value.full_tensor(), want, rtol=0, atol=0)
    with pytest.raises(Exception, match="idxs: expected a DTensor that is replicated"):
        op(*parts, 0.3, idxs=_distributed(mesh, classes, Shard(0)))


def _find_a_wrong_sharding(mesh) -> None:
    """A deliberate fault: a scan that each process begins anew."""
    from torch.distributed.tensor import Shard
    from torch.distributed.tensor.experimental import register_sharding

    op = torch.ops.ascend_vision_ops.cummax.default
    register_sharding(op)(lambda *_: [([Shard(0)] * 2, [Shard(0), None])])
    x = torch.arange(6.0).flip(0)
    with pytest.raises(AssertionError, match="not equal"):
        values = op(_distributed(mesh, x, Shard(0)), 0)[0].full_tensor()
        torch.testing.assert_close(values, op(x, 0)[0], rtol=0, atol=0)


def _rank(rank: int, folder: str) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)  # the same tensors in both processes
    dist.init_process_group(
        "gloo", store=dist.FileStore(f"{folder}/store", RANKS), rank=rank, world_size=RANKS
    )
    mesh = dist.init_device_mesh("cpu", (RANKS,))
    dtensor.register()
    _compare_attributes(mesh)
    _compare_boxes(mesh)
    _compare_all_calls(mesh)
    _find_a_wrong_sharding(mesh)
    dist.barrier()
    dist.destroy_process_group()


def test_two_processes_give_what_one_gives(tmp_path):
    command = [sys.executable, "-m", __name__]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    processes = [
        subprocess.Popen([*command, str(rank), str(tmp_path)], cwd=ROOT, **pipes) for rank in range(RANKS)
    ]
    try:
        said = [process.communicate(timeout=LIMIT)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0] * RANKS, "\n".join(said)


if __name__ == "__main__":
    _rank(int(sys.argv[1]), sys.argv[2])
