# SPDX-License-Identifier: Apache-2.0
"""What torch_npu reads when it starts. Each test runs in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

BEGIN = "import ascend_vision_ops as avo\navo.sim.activate()\nimport torch\n"


def script(code: str, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", BEGIN + code]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


MIXED = """
x = torch.randn(2, 3, 8)
leaf, far = x.clone().requires_grad_(), x.npu().requires_grad_()
for _ in range(30):
    near, there = avo.upsample_linear1d(leaf, [20]), avo.upsample_linear1d(far, [20])
near.square().sum().backward(), there.square().sum().backward()
torch.testing.assert_close(far.grad.cpu(), leaf.grad)
boxes, scores = torch.tensor([[0.0, 0, 4, 4], [0, 0, 4, 3], [8, 8, 9, 9]]), torch.tensor([0.5, 0.9, 0.1])
assert avo.nms_indices(boxes.npu(), scores.npu(), 0.5).tolist() == [1, 2]
try:
    avo.upsample_linear1d(x.npu(), [-1])
except RuntimeError as error:
    assert "expected output_size[0] > 0" in str(error)
else:
    raise SystemExit("no error")
print("done")
"""


@pytest.mark.parametrize("level", ["0", "1", "2"])
def test_levels_of_the_task_queue(level):
    done = script(MIXED, TASK_QUEUE_ENABLE=level)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("done\n")


EXPANDABLE = """
torch.npu.set_device(0)
start = torch.npu.mem_get_info()[0]
small = [torch.full((1000,), float(i), device="npu") for i in range(50)]
large = [torch.full((3 << 20,), float(i), device="npu") for i in range(6)]  # 12 MB: segments grow by 20 MB
assert [t[-1].item() for t in small + large] == [*map(float, range(50)), *map(float, range(6))]
segments = [s for s in torch.npu.memory_snapshot() if s["is_expandable"]]
assert sorted(s["segment_type"] for s in segments) == ["large", "small"], segments
assert max(s["total_size"] for s in segments) >= 6 * (12 << 20)
wide = torch.randn(1, 64, 50_000)  # across the border of two pieces
torch.testing.assert_close(avo.cummax(wide.npu(), 1)[0].cpu(), torch.cummax(wide, 1)[0])
del small, large
torch.npu.empty_cache()
assert torch.npu.mem_get_info()[0] == start, (start, torch.npu.mem_get_info())
assert torch.ones(5 << 20, device="npu").sum().item() == 5 << 20
try:
    torch.empty(1 << 40, dtype=torch.uint8, device="npu")
except torch.OutOfMemoryError as error:
    assert "Tried to allocate 1024" in str(error)
    print("done")
"""


def test_expandable_segments():
    done = script(EXPANDABLE, PYTORCH_NPU_ALLOC_CONF="expandable_segments:True")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("done\n")


def test_what_is_not_simulated_says_its_name():
    code = "import ctypes\nprint(ctypes.CDLL(str(avo.paths.library_dir() / 'libacl_op_compiler.so')).aclmdlInitDump())"
    done = script(code)
    assert done.stdout.endswith("207000\n")  # ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    assert "aclmdlInitDump is not simulated" in done.stderr


def test_a_host_access_to_device_memory_faults():
    done = script(
        "import ctypes\nx = torch.ones(4).npu()\nctypes.cast(x.data_ptr(), ctypes.POINTER(ctypes.c_float))[0]"
    )
    assert done.returncode == -11


MISSING = """
import traceback
x = torch.arange(3.0, device="npu")
ones, zeros = torch.ones(3).npu(), torch.zeros(3).npu()
for missing in (
    lambda: torch_npu.npu_dynamic_quant(ones.half()[None]),
    lambda: torch_npu.npu_quantize(x, ones, zeros, torch.qint8, 0),
    lambda: torch_npu.npu_one_hot(torch.arange(3, dtype=torch.int32, device="npu"), depth=5),
):
    try:
        missing()
    except RuntimeError as error:
        assert "<lambda>" in [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        print(next(line for line in str(error).splitlines() if line.startswith(("aclnn", "aclSetCompileopt: "))))
assert (x + 1).tolist() == [1, 2, 3]  # the stream is as before
torch.npu.set_compile_mode(jit_compile=False)
assert (x + 1).tolist() == [1, 2, 3]
"""


@pytest.mark.parametrize("level", ["0", "1", "2"])
def test_an_operator_that_nobody_has_raises_where_it_is_called(level):
    done = script("import torch_npu" + MISSING, TASK_QUEUE_ENABLE=level)
    assert done.returncode == 0, done.stderr
    named, compiled, unnamed = done.stdout.splitlines()[-3:]
    assert named.startswith("aclnnDynamicQuant")
    assert "aten::npu_quantize needs aclnnQuantize, which is not simulated" in compiled
    assert "this operator has no aclnn function" in unnamed


MASKED = """
import torch_npu
torch_npu.npu_indexing(torch.ones(3, 4).npu(), [1, 1], [2, 2], [1, 1], begin_mask=1)
torch.npu.synchronize()
"""


def test_a_mask_of_npu_indexing_that_is_not_there_is_named():
    done = script(MASKED)
    assert done.returncode != 0
    assert "begin_mask: expected 0, got 1, which is not simulated for StridedSlice" in done.stderr
