# SPDX-License-Identifier: Apache-2.0
"""Collectives in a captured graph: each replay communicates what is in the buffers then."""

import os

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401

from ascend_vision_ops import sim

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.npu.set_device(rank)
dist.init_process_group("hccl")
x = torch.ones(4).npu()
dist.all_reduce(x)  # makes the communicator, which a capture cannot
gathered = torch.empty(4 * ranks).npu()
torch.npu.synchronize()


def calls() -> dict[str, int]:
    torch.npu.synchronize()
    return {entry.call: entry.calls for entry in sim.traffic()}


graph = torch.npu.NPUGraph()
with torch.npu.graph(graph):
    summed = x * (rank + 1)
    dist.all_reduce(summed)
    dist.all_gather_into_tensor(gathered, x + rank)
    result = summed + 1
before = calls()
for step in (5, 7, 2):
    x.fill_(step)
    graph.replay()
    expected = torch.full((4,), 1.0 + step * ranks * (ranks + 1) / 2)
    torch.testing.assert_close(result.cpu(), expected, rtol=0, atol=0)
    parts = torch.arange(ranks).repeat_interleave(4) + float(step)
    torch.testing.assert_close(gathered.cpu(), parts, rtol=0, atol=0)
after = calls()
assert after["HcclAllReduce"] - before["HcclAllReduce"] == 3
assert after["HcclAllGather"] - before.get("HcclAllGather", 0) == 3
graph.reset()
dist.destroy_process_group()
print(f"rank {rank} done")
