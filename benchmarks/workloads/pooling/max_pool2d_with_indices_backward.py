# SPDX-License-Identifier: Apache-2.0
"""Calls of max_pool2d_with_indices_backward as models make them."""

import torch

from ascend_vision_ops import reference
from benchmarks.workload import Workload, size


def arguments():
    return {
        "grad_output": torch.randn((32, 32, 11, 17)),
        "input": torch.randn((32, 32, 32, 32)),
        "indices": torch.randint(0, 2, (1, 2, 3, 5), dtype=torch.int64),
        "kernel_size": [3, 2],
    }


def workloads():
    given = arguments()
    yield Workload(size(given["grad_output"].shape), given, peers(given))


def peers(given):
    """What users would call otherwise, by the names of the projects; the reference until they are here."""
    arrays = {
        name: value.numpy() if isinstance(value, torch.Tensor) else value for name, value in given.items()
    }

    def by_numpy():
        return reference.max_pool2d_with_indices_backward(**arrays)

    return {"numpy": by_numpy}


def device():
    """Say here which unit or path bounds the kernel, and what would make it faster."""
    yield arguments(), ""
