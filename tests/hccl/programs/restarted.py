# SPDX-License-Identifier: Apache-2.0
"""Rank 1 is killed in the first attempt; torchrun starts the job again."""

import os
import signal

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401

rank = int(os.environ["RANK"])
torch.npu.set_device(rank)
dist.init_process_group("hccl")
x = torch.ones(4).npu()
dist.all_reduce(x)
assert x.tolist() == [2.0] * 4
if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    dist.all_reduce(x)
    torch.npu.synchronize()
    raise SystemExit("the call did not fail")
dist.all_reduce(x)
assert x.tolist() == [4.0] * 4
dist.destroy_process_group()
print(f"rank {rank} done")
