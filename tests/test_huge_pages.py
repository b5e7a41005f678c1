# SPDX-License-Identifier: Apache-2.0
"""Fresh results ask for huge pages, whoever allocates them. The mapping that they lie in then has the flag `hg`."""

from __future__ import annotations

import mmap
import re
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(
    not Path("/sys/kernel/mm/transparent_hugepage").is_dir(), reason="a system without transparent huge pages"
)

# A result of 40 MB: C libraries create a new mapping for each allocation of more than 32 MB.
LENGTHS = 1024, 10 * 2**20


def asks_for_huge_pages(address: int) -> bool:
    """Says whether the mapping around an address, which is the middle of a result, has the flag."""
    inside = False
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            inside = int(found[1], 16) <= address < int(found[2], 16)
        elif inside and line.startswith("VmFlags:"):
            return "hg" in line.split()
    raise AssertionError(f"no mapping holds {address:#x}")


def test_torch_results():
    import torch

    from ascend_vision_ops import ops

    length, out = LENGTHS
    result = ops.upsample_linear1d(torch.zeros(1, 1, length), [out])
    assert asks_for_huge_pages(result.data_ptr() + result.nbytes // 2)


def test_other_memory_does_not_ask():
    # The array has a mapping of its own; memory from the C library may lie in the mapping of an earlier result.
    plain = np.frombuffer(mmap.mmap(-1, 4 * LENGTHS[1]), np.uint8)
    assert not asks_for_huge_pages(plain.ctypes.data + plain.nbytes // 2)


def test_onnxruntime_results():
    pytest.importorskip("onnx", reason="models are made with the package onnx")
    ort = pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")
    from ascend_vision_ops.onnx import node, register
    from tests.onnx.node_models import one_node

    length, out = LENGTHS
    upsample = node("ascend_vision_ops", "upsample_linear1d")
    signal = np.zeros((1, 1, length), np.float32)
    made = one_node(upsample, {"self": signal}, {"output_size": [out]}, ["float32"])
    options = ort.SessionOptions()
    register(options)
    session = ort.InferenceSession(
        made.model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    feeds = {name: ort.OrtValue.ortvalue_from_numpy(array) for name, array in made.feeds.items()}
    (result,) = session.run_with_ort_values(None, feeds)
    assert asks_for_huge_pages(result.data_ptr() + 4 * out // 2)
