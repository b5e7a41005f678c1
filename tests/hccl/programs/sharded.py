# SPDX-License-Identifier: Apache-2.0
"""Operators on DTensors of npu tensors: images of a batch on two devices, with gradients."""

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401
from torch.distributed.tensor import Shard, distribute_tensor

import ascend_vision_ops as avo

dist.init_process_group("hccl")
rank = dist.get_rank()
torch.npu.set_device(rank)
mesh = dist.init_device_mesh("npu", (dist.get_world_size(),))
avo.dtensor.register()
torch.manual_seed(0)
x = torch.rand(4, 3, 6, 8)
alone = x.clone().requires_grad_()
wanted = avo.avg_pool2d(alone, 2)
wanted.square().sum().backward()
shared = distribute_tensor(x.npu(), mesh, [Shard(0)]).requires_grad_()
found = avo.avg_pool2d(shared, 2)
assert found.placements == (Shard(0),) and found.to_local().shape[0] == 2
found.square().sum().full_tensor().backward()
torch.testing.assert_close(found.full_tensor().cpu(), wanted)
torch.testing.assert_close(shared.grad.full_tensor().cpu(), alone.grad)
dist.destroy_process_group()
print(f"rank {rank} done")
