# SPDX-License-Identifier: Apache-2.0
"""Calls of max_pool2d_with_indices as models make them."""

import torch

from ascend_vision_ops import reference
from benchmarks.workload import Workload, size


def arguments():
    return {
        "input": torch.randn((32, 32, 32, 32)),
        "kernel_size": [3, 2],
    }


def workloads():
    given = arguments()
    yield Workload(size(given["input"].shape), given, peers(given))


def peers(given):
    """What users would call otherwise, by the names of the projects; the reference until they are here."""
    arrays = {
        name: value.numpy() if isinstance(value, torch.Tensor) else value for name, value in given.items()
    }

    def by_numpy():
        return reference.max_pool2d_with_indices(**arrays)

    return {"numpy": by_numpy}


def device():
    """Say here which unit or path bounds the kernel, and what would make it faster."""
    yield arguments(), ""
