# SPDX-License-Identifier: Apache-2.0
"""What NumPy computes for folding has the bits of ONNX Runtime, or is left to it."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from ascend_vision_ops.onnx.passes import _compute, _numpy_nodes  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 4)).astype("f4")
N = RNG.integers(-99, 99, (2, 3, 4))
ODD = np.float32([0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -3.5, 3e38])


def ints(*items):
    return np.array(items, np.int64)


def int32(*items):
    return np.array(items, np.int32)


# Type, inputs, attributes; the number of outputs is 1 but for Split.
SAME = {
    "reshape": ("Reshape", [X, ints(0, -1)], {}),
    "reshape to nothing": ("Reshape", [X[:0], ints(0, 7)], {"allowzero": 1}),
    "flatten": ("Flatten", [X], {"axis": -1}),
    "flatten all": ("Flatten", [X], {"axis": 0}),
    "squeeze": ("Squeeze", [X[:, :1], ints(1)], {}),
    "squeeze all": ("Squeeze", [X[:1, :1]], {}),
    "unsqueeze": ("Unsqueeze", [X, ints(-1, 0)], {}),
    "transpose": ("Transpose", [X], {"perm": [1, 2, 0]}),
    "transpose, reversed": ("Transpose", [X], {}),
    "concat": ("Concat", [X, N.astype("f4")], {"axis": -2}),
    "slice": ("Slice", [X, ints(1, -3), ints(9, -1), ints(1, 2)], {}),
    "slice backwards": ("Slice", [X, ints(-1, 1), ints(-99, -9), ints(2, 0), ints(-2, -1)], {}),
    "slice with the first axes": ("Slice", [X, ints(1, 1), ints(2, 3)], {}),
    "gather": ("Gather", [X, ints(-1, 0, 2)], {"axis": 1}),
    "gather one": ("Gather", [X, np.array(1)], {"axis": 2}),
    "split": ("Split", [X, ints(1, 0, 3)], {"axis": 2}),
    "split evenly": ("Split", [X], {"axis": -2}),
    "expand": ("Expand", [X[:, :1], ints(5, 1, 3, 1)], {}),
    "range": ("Range", [np.array(9), np.array(-2), np.array(-3)], {}),
    "constant of shape": ("ConstantOfShape", [ints(2, 3)], {"value": numpy_helper.from_array(int32(7))}),
    "zeros": ("ConstantOfShape", [ints(2, 0)], {}),
    "shape": ("Shape", [X], {"start": -2}),
    "size": ("Size", [X], {}),
    "where": ("Where", [N > 0, X, np.array(1, "f4")], {}),
    "cast to float": ("Cast", [N * 12345678901], {"to": TensorProto.FLOAT}),
    "cast to double": ("Cast", [X], {"to": TensorProto.DOUBLE}),
    "cast to int": ("Cast", [X * 5], {"to": TensorProto.INT32}),
    "cast to small": ("Cast", [N * 1000], {"to": TensorProto.INT8}),
    "cast to bool": ("Cast", [ODD], {"to": TensorProto.BOOL}),
    "cast from bool": ("Cast", [N > 0], {"to": TensorProto.FLOAT}),
    **{f"{name} of floats": (name, [ODD, ODD[:, None]], {}) for name in ("Add", "Sub", "Mul", "Div", "Equal", "Less")},
    **{f"{name} of integers": (name, [N, N[:1] << 60], {}) for name in ("Add", "Sub", "Mul", "Equal", "Greater")},
    **{f"{name} of int32": (name, [int32(-(2**31), 5)], {}) for name in ("Neg", "Abs")},
    **{name: (name, [N > 0, N < 5], {}) for name in ("And", "Or")},
    "not": ("Not", [N > 0], {}),
    "sqrt": ("Sqrt", [np.abs(X)], {}),
    "identity": ("Identity", [X], {}),
}  # fmt: skip
# What NumPy computes otherwise than ONNX Runtime, or may.
LEFT = {
    "integers divided": ("Div", [ints(-7), ints(2)], {}),
    "float16": ("Add", [X.astype("f2"), X.astype("f2")], {}),
    "beyond the type": ("Cast", [np.float32([3e9])], {"to": TensorProto.INT32}),
    "no number": ("Cast", [np.float32([np.nan])], {"to": TensorProto.INT32}),
    "to a text": ("Cast", [X], {"to": TensorProto.STRING}),
    "exponential": ("Exp", [X], {}),
    "behind the end": ("Gather", [X, ints(3)], {"axis": 1}),
    "unequal parts": ("Split", [X, ints(1, 1)], {"axis": 2}),
    "squeeze of a long axis": ("Squeeze", [X, ints(1)], {}),
    "reshape to another size": ("Reshape", [X, ints(5, 5)], {}),
    "range with step 0": ("Range", [np.array(0), np.array(5), np.array(0)], {}),
    "range of floats": ("Range", [np.float32(0), np.float32(1), np.float32(0.1)], {}),
    "start before the first": ("Slice", [X, ints(-9), ints(-99), ints(1), ints(-1)], {}),
}


def made(case):
    op_type, inputs, attributes = case
    count = 3 if op_type == "Split" else 1
    names = [f"x{index}" for index in range(len(inputs))]
    proto = helper.make_node(op_type, names, [f"y{index}" for index in range(count)], **attributes)
    return ir.from_proto(proto), inputs


@pytest.mark.parametrize("name", SAME)
def test_numpy_gives_the_bits_of_onnx_runtime(name):
    node, inputs = made(SAME[name])
    got = _numpy_nodes.by_numpy(node, 17, inputs)
    want = _compute._by_runtime(node, 17, inputs)
    assert want is not None and len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert isinstance(a, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape
        numbers = ~np.isnan(b) if b.dtype.kind == "f" else np.ones(b.shape, bool)
        assert np.array_equal(a, b, equal_nan=b.dtype.kind == "f")
        assert a[numbers].tobytes() == b[numbers].tobytes()  # also the signs of zeros


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_to_others(name):
    node, inputs = made(LEFT[name])
    assert _numpy_nodes.by_numpy(node, 17, inputs) is None


def test_old_broadcasting_is_left():
    """Before version 7, `axis` said where the shorter shape begins."""
    node, inputs = made(("Add", [X, X[0, :, 0]], {"broadcast": 1, "axis": 1}))
    assert _numpy_nodes.by_numpy(node, 6, inputs) is None


def test_every_rule_is_compared():
    assert {case[0] for case in SAME.values()} == set(_numpy_nodes.RULES)
