# SPDX-License-Identifier: Apache-2.0
"""Processes by torch.multiprocessing, and all devices in one process by DataParallel."""

import tempfile

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401


def body(rank, ranks, store):
    torch.npu.set_device(rank)
    dist.init_process_group("hccl", init_method=f"file://{store}", rank=rank, world_size=ranks)
    x = torch.full((4,), float(rank + 1)).npu()
    dist.all_reduce(x)
    assert x.tolist() == [3.0] * 4
    dist.destroy_process_group()
    print(f"rank {rank} done")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(body, (2, f"{folder}/store"), nprocs=2)
    torch.manual_seed(0)
    layer = torch.nn.Linear(4, 3)
    x = torch.randn(6, 4)
    far = torch.nn.DataParallel(torch.nn.Linear(4, 3).npu(), device_ids=[0, 1])
    far.module.load_state_dict(layer.state_dict())
    result = far(x.npu())
    torch.testing.assert_close(result.cpu(), layer(x))
    result.square().sum().backward(), layer(x).square().sum().backward()
    torch.testing.assert_close(far.module.weight.grad.cpu(), layer.weight.grad)
