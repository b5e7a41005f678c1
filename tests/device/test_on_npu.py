# SPDX-License-Identifier: Apache-2.0
"""How cases get to npu tensors and back, on CPU tensors in the place of npu tensors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from ascend_vision_ops.testing import parse_case  # noqa: E402
from ascend_vision_ops.testing.cases import LAYOUTS, numpy_dtype  # noqa: E402
from ascend_vision_ops.testing.compare import POISON_BYTE, poisoned  # noqa: E402
from ascend_vision_ops.testing.run import from_torch, missing  # noqa: E402

pytestmark = pytest.mark.skipif(bool(missing("torch")), reason=missing("torch"))


@pytest.fixture
def npu(monkeypatch):
    from ascend_vision_ops.testing import on_npu

    monkeypatch.setattr(on_npu, "DEVICE", "cpu")
    return on_npu


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64", "bool"])
@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_a_tensor_has_the_values_and_the_strides_of_the_array(npu, layout, dtype):
    array = LAYOUTS[layout]((np.arange(24).reshape(2, 3, 4) % 7).astype(numpy_dtype(dtype)))
    tensor = npu.FarView(array).tensor
    np.testing.assert_array_equal(from_torch(tensor), array)
    assert tuple(stride * tensor.element_size() for stride in tensor.stride()) == array.strides


@pytest.mark.parametrize("shape", [(0, 3), ()])
def test_arrays_without_dimensions_or_elements(npu, shape):
    assert tuple(npu.FarView(np.zeros(shape, np.float32)).tensor.shape) == shape


@pytest.mark.parametrize("layout", ["dense", "strided", "transposed", "offset"])
def test_results_come_back_with_the_bytes_beside_them(npu, layout):
    """What a kernel writes beside its result must be seen, and what it leaves must still be poison."""
    array = LAYOUTS[layout](poisoned((2, 3, 4), np.dtype("float32")))
    view = npu.FarView(array)
    view.tensor.fill_(1)
    view.memory[0] = 7  # a byte in front of the result, where the layout has one
    assert view.fetch() is array
    whole = npu.memory_of(array)
    assert whole[0] == 7
    # Of a dense result the first byte is beside it too: the memory is aligned by some bytes in front.
    inside = array.ctypes.data == whole.ctypes.data
    assert (array == 1).sum() == (23 if inside else 24)
    array[...] = poisoned((), array.dtype)
    assert (whole != POISON_BYTE).sum() == (0 if inside else 1)


CASE = "cummax(input=f32[5],dim=0)"


def test_a_kernel_whose_bits_change_is_noticed(npu, monkeypatch):
    case, calls = parse_case(CASE), itertools.count()
    assert npu.changed_bits(case) == []
    right = npu.ops.cummax

    def wrong(**arguments):
        values, indices = right(**arguments)
        return values, indices + next(calls)

    monkeypatch.setattr(npu.ops, "cummax", wrong)
    assert npu.changed_bits(case) == ["1"]


def test_the_results_are_those_of_the_callers_arrays(npu, monkeypatch):
    monkeypatch.setattr(
        torch, "npu", type("Module", (), {"synchronize": staticmethod(lambda: None)}), raising=False
    )
    case = parse_case(CASE)
    out = (poisoned((5,), np.dtype("float32")), poisoned((5,), np.dtype("int64")))
    values, indices = npu.run("cummax", {**case.arguments(), "out": out})
    assert values is out[0] and indices is out[1]
    np.testing.assert_array_equal(values, np.maximum.accumulate(case.arguments()["input"]))
