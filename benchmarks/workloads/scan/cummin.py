# SPDX-License-Identifier: Apache-2.0
"""The workloads of cummax, for minima."""

import numpy as np
import torch

from benchmarks.workloads.scan.cummax import (  # noqa: F401  the same scan, of minima
    device,
    scan_contestants,
    scans,
)


def workloads():
    yield from scans(torch.cummin, np.minimum)


def contestants(**call):
    return scan_contestants(torch.cummin, np.minimum, **call)
