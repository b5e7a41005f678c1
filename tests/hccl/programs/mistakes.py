# SPDX-License-Identifier: Apache-2.0
"""Ranks that disagree get an exception that names the calls, at the next synchronisation."""

import os

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401

rank = int(os.environ["RANK"])
torch.npu.set_device(rank)
dist.init_process_group("hccl")
dist.all_reduce(torch.ones(4).npu())
try:
    dist.all_reduce(torch.ones(4 + rank).npu())
    torch.npu.synchronize()
except RuntimeError as error:
    text = str(error)
else:
    raise SystemExit("no error")
assert "rank 0 called HcclAllReduce(count=4, type=float32, op=sum)" in text, text
assert "rank 1 called HcclAllReduce(count=5, type=float32, op=sum)" in text, text
print(f"rank {rank} done", flush=True)
os._exit(0)  # the communicator is of no use any more, so that nothing can be closed in order
