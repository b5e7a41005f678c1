# SPDX-License-Identifier: Apache-2.0
"""OpenCV with as many threads as torch has."""

from __future__ import annotations

import functools

import torch


@functools.cache
def module():
    """Imports cv2."""
    import cv2

    cv2.setNumThreads(torch.get_num_threads())
    return cv2
