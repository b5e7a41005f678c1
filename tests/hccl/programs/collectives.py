# SPDX-License-Identifier: Apache-2.0
"""Collectives and transfers of torch.distributed, on "hccl" and on "gloo" at once."""

import os

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.npu.set_device(rank)
dist.init_process_group("hccl")
gloo = dist.new_group(backend="gloo")
torch.manual_seed(rank)


def same(result, expected):
    torch.testing.assert_close(result.cpu(), expected, rtol=0, atol=0)


for dtype in (torch.float32, torch.int64, torch.float16, torch.bfloat16):
    x = torch.randn(1000).mul(10).to(dtype)
    for op in (dist.ReduceOp.SUM, dist.ReduceOp.MAX, dist.ReduceOp.MIN):
        near, far = x.clone(), x.npu()
        dist.all_reduce(near, op, group=gloo), dist.all_reduce(far, op)
        same(far, near)
    lists = [torch.empty_like(x) for _ in range(ranks)], [torch.empty_like(x.npu()) for _ in range(ranks)]
    dist.all_gather(lists[0], x, group=gloo), dist.all_gather(lists[1], x.npu())
    for near, far in zip(*lists, strict=True):
        same(far, near)
    near, far = x.clone(), x.npu()
    dist.broadcast(near, 1, group=gloo), dist.broadcast(far, 1)
    same(far, near)

for dtype in (torch.float32, torch.int32, torch.int8):  # gloo does not average
    x = torch.arange(-5, 5).to(dtype).npu()
    dist.all_reduce(x, dist.ReduceOp.AVG)
    same(x, torch.arange(-5, 5).to(dtype))

x = torch.randn(4 * ranks, 3)
whole = torch.empty(4 * ranks * ranks, 3).npu()
dist.all_gather_into_tensor(whole, x.npu())
part = torch.empty(4, 3).npu()
dist.reduce_scatter_tensor(part, x.npu())
summed = x.clone()
dist.all_reduce(summed, group=gloo)
same(part, summed.chunk(ranks)[rank])
same(whole.chunk(ranks)[rank], x)
mixed = torch.empty_like(x.npu())
dist.all_to_all_single(mixed, x.npu())
expected = torch.stack([block.chunk(ranks)[rank] for block in whole.cpu().chunk(ranks)]).reshape(x.shape)
same(mixed, expected)
counts = [1, 3] if rank == 0 else [2, 2]
received = [1, 2] if rank == 0 else [3, 2]
uneven = torch.empty(sum(received), 3).npu()
dist.all_to_all_single(uneven, x[:4].npu(), received, counts)
first, second = whole.cpu()[:4], whole.cpu()[4 * ranks :][:4]
same(uneven, torch.cat([first[:1], second[:2]] if rank == 0 else [first[1:4], second[2:4]]))

mine = torch.full((5,), float(rank)).npu()
target = torch.empty(5).npu()
if rank == 0:
    dist.send(mine, 1)
    dist.recv(target, 1)
else:
    dist.recv(target, 0)
    dist.send(mine, 0)
same(target, torch.full((5,), 1.0 - rank))
operations = [dist.P2POp(dist.isend, mine, 1 - rank), dist.P2POp(dist.irecv, target.zero_(), 1 - rank)]
for work in dist.batch_isend_irecv(operations):
    work.wait()
same(target, torch.full((5,), 1.0 - rank))

outs = [torch.empty(3).npu() for _ in range(ranks)] if rank == 1 else None
dist.gather(torch.full((3,), float(rank)).npu(), outs, dst=1)
if rank == 1:
    same(torch.stack(outs), torch.tensor([[0.0] * 3, [1.0] * 3]))
given = [torch.full((3,), 10.0 + i).npu() for i in range(ranks)] if rank == 0 else None
out = torch.empty(3).npu()
dist.scatter(out, given, src=0)
same(out, torch.full((3,), 10.0 + rank))
reduced = torch.ones(3).npu() * (rank + 1)
dist.reduce(reduced, 1)
if rank == 1:
    same(reduced, torch.full((3,), 3.0))
objects = [None] * ranks
dist.all_gather_object(objects, {"rank": rank})
assert objects == [{"rank": 0}, {"rank": 1}]
group = dist.new_group([1])
if rank == 1:
    alone = torch.ones(2).npu()
    dist.all_reduce(alone, group=group)
    same(alone, torch.ones(2))
work = dist.all_reduce(far := torch.ones(4).npu(), async_op=True)
work.wait()
same(far, torch.full((4,), 2.0))
dist.barrier()
from ascend_vision_ops import sim  # noqa: E402

assert {entry.call for entry in sim.traffic()} >= {"HcclAllReduce", "HcclAllGather", "HcclBroadcast"}
dist.destroy_process_group()
print(f"rank {rank} done")
