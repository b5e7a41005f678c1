# SPDX-License-Identifier: Apache-2.0
"""ZeroRedundancyOptimizer: each rank keeps a part of the states, and all steps equal those of one CPU."""

import copy
import os
import sys

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.npu.set_device(rank)
dist.init_process_group("hccl")
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
batch, target = torch.randn(6 * ranks, 8), torch.randn(6 * ranks, 4)
x, y = batch.chunk(ranks)[rank].npu(), target.chunk(ranks)[rank].npu()


def train(module, optimizer, x, y):
    for _ in range(3):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(module(x), y).backward()
        optimizer.step()


def check(module, expected):
    for parameter, other in zip(module.parameters(), expected.parameters(), strict=True):
        torch.testing.assert_close(parameter.detach().cpu(), other.detach(), rtol=1e-5, atol=1e-6)


reference = copy.deepcopy(model)
whole = torch.optim.Adam(reference.parameters(), 0.05)
train(reference, whole, batch, target)
for options in ({}, {"parameters_as_bucket_view": True}):
    ddp = DistributedDataParallel(copy.deepcopy(model).npu(), device_ids=[rank])
    optimizer = ZeroRedundancyOptimizer(ddp.parameters(), torch.optim.Adam, lr=0.05, **options)
    train(ddp, optimizer, x, y)
    check(ddp.module, reference)
    kept = sum(len(state) > 0 for state in optimizer.optim.state.values())
    assert 0 < kept < len(list(model.parameters())), kept

# The states of all ranks, collected by rank 0, go on in a new optimizer.
optimizer.consolidate_state_dict(to=0)
torch.npu.synchronize()  # torch copies the states to the host without waiting
path = f"{sys.argv[1]}/states.pt"
if rank == 0:
    states = optimizer.state_dict()
    assert len(states["state"]) == len(list(model.parameters()))
    for number, state in whole.state_dict()["state"].items():
        for name, value in state.items():
            torch.testing.assert_close(states["state"][number][name].cpu(), value, rtol=1e-5, atol=1e-6)
    torch.save(states, path)
dist.barrier()
again = ZeroRedundancyOptimizer(ddp.parameters(), torch.optim.Adam, lr=0.05)
again.load_state_dict(torch.load(path, map_location=f"npu:{rank}"))
train(ddp, again, x, y)
train(reference, whole, batch, target)
check(ddp.module, reference)
dist.destroy_process_group()
print(f"rank {rank} done")
