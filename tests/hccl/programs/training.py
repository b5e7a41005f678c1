# SPDX-License-Identifier: Apache-2.0
"""DDP, FSDP2, tensor parallelism by DTensor and checkpoints: each step equals the one on one CPU."""

import copy
import os
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as checkpoint
import torch_npu  # noqa: F401
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.npu.set_device(rank)
dist.init_process_group("hccl")
mesh = init_device_mesh("npu", (ranks,))
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
batch, target = torch.randn(6 * ranks, 8), torch.randn(6 * ranks, 4)


def full(tensor):
    return (tensor.full_tensor() if isinstance(tensor, DTensor) else tensor).detach().cpu()


def train(module, x, y, steps=3):
    optimizer = torch.optim.SGD(module.parameters(), 0.1, momentum=0.9)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(module(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().cpu())
    return torch.stack(losses)


def check(module, expected):
    for (name, parameter), (_, other) in zip(
        module.named_parameters(), expected.named_parameters(), strict=True
    ):
        torch.testing.assert_close(full(parameter), other.detach(), rtol=1e-5, atol=1e-6, msg=name)


reference = copy.deepcopy(model)
losses = train(reference, batch, target)
x, y = batch.chunk(ranks)[rank].npu(), target.chunk(ranks)[rank].npu()

ddp = torch.nn.parallel.DistributedDataParallel(copy.deepcopy(model).npu(), device_ids=[rank])
own = train(ddp, x, y).npu()
dist.all_reduce(own)
torch.testing.assert_close(own.cpu() / ranks, losses, rtol=1e-5, atol=1e-6)
check(ddp.module, reference)

sharded = copy.deepcopy(model).npu()
for layer in sharded:
    if isinstance(layer, torch.nn.Linear):
        fully_shard(layer, mesh=mesh)
fully_shard(sharded, mesh=mesh)
train(sharded, x, y)
check(sharded, reference)

state = {"model": sharded.state_dict()}
checkpoint.save(state, checkpoint_id=sys.argv[1])
saved = [full(value) for value in state["model"].values()]
train(sharded, x, y, 1)
state = {"model": sharded.state_dict()}
checkpoint.load(state, checkpoint_id=sys.argv[1])
sharded.load_state_dict(state["model"])
for value, before in zip(sharded.state_dict().values(), saved, strict=True):
    torch.testing.assert_close(full(value), before, rtol=0, atol=0)

parallel = parallelize_module(
    copy.deepcopy(model).npu(), mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()}
)
torch.testing.assert_close(train(parallel, batch.npu(), target.npu()), losses, rtol=1e-5, atol=1e-6)
check(parallel, reference)

matrix = torch.randn(8, 6)
tensor = distribute_tensor(matrix.npu(), mesh, [Shard(0)])
torch.testing.assert_close(full(tensor.redistribute(mesh, [Shard(1)])), matrix, rtol=0, atol=0)
torch.testing.assert_close(full(tensor @ tensor.redistribute(mesh, [Replicate()]).T), matrix @ matrix.T)
dist.destroy_process_group()
print(f"rank {rank} done")
