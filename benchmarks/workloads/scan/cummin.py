# SPDX-License-Identifier: Apache-2.0
"""The workloads of cummax, for minima."""

import numpy as np
import torch

from benchmarks.workloads.scan.cummax import device, scans  # noqa: F401  the same scan, of minima


def workloads():
    yield from scans(torch.cummin, np.minimum)
