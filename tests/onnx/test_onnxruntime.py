# SPDX-License-Identifier: Apache-2.0
"""Compares every ONNX node in ONNX Runtime, through the custom-op library, with the reference.

AVO_ONNX_EVERY=n takes only every n-th case; `test_runtimes.py` does so for each version of ONNX Runtime.
"""

from __future__ import annotations

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="models are made with the package onnx")
ort = pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

from ascend_vision_ops.onnx import node, nodes, register  # noqa: E402
from ascend_vision_ops.paths import onnxruntime_library  # noqa: E402
from ascend_vision_ops.testing.run import spec_of  # noqa: E402
from tests.onnx.node_models import cases_in_turn, node_model, one_node  # noqa: E402

EVERY = int(os.environ.get("AVO_ONNX_EVERY", "1"))


def session(model, domains=None, **options):
    chosen = ort.SessionOptions()
    chosen.log_severity_level = 4  # calls that are refused on purpose need no log
    for name, value in options.items():
        setattr(chosen, name, value)
    register(chosen, **({} if domains is None else {"domains": domains}))
    return ort.InferenceSession(model.SerializeToString(), chosen, providers=["CPUExecutionProvider"])


def run(made, **options):
    return session(made.model, **options).run(None, made.feeds)


def pytest_generate_tests(metafunc):
    if "bound" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--op")
        rows = [
            (found, case)
            for found in nodes()
            if chosen is None or found.operator in chosen
            for case in cases_in_turn(found.operator)[::EVERY]
        ]
        metafunc.parametrize(("found", "bound"), rows, ids=[f"{f.qualified}-{c.text}" for f, c in rows])
    elif "found" in metafunc.fixturenames:
        metafunc.parametrize("found", nodes(), ids=lambda each: each.qualified)


def test_node(found, bound):
    made = node_model(found, bound, static=len(bound.text) % 2 == 0)
    if made is None:
        pytest.skip("the node cannot ask for what the case asks")
    assert not made.wrong(run(made))


def test_the_runtime_is_the_one_that_was_asked_for():
    assert ort.__version__ == os.environ.get("AVO_ONNX_RUNTIME", ort.__version__)


# --- one node by hand

BOXES = np.array([[0, 0, 10, 10], [0, 0, 10, 5], [20, 20, 30, 30]], np.float32)
SCORES = np.array([0.9, 0.8, 0.7], np.float32)


def boxes_model(domain: str, name: str, dtypes: list[str], **attributes):
    return one_node(node(domain, name), {"boxes": BOXES, "scores": SCORES}, attributes, dtypes)


def test_mmcv_suppresses_at_the_threshold_and_torchvision_above_it():
    """The second box's IoU with the first is 5 / 10 exactly."""
    (kept,) = run(boxes_model("mmcv", "NonMaxSuppression", ["int64"], iou_threshold=0.5))
    assert kept.tolist() == [0, 2]
    (kept,) = run(boxes_model("ascend_vision_ops", "nms_indices", ["int64"], iou_threshold=0.5))
    assert kept.tolist() == [0, 1, 2]


def test_a_float_attribute_is_the_decimal_number_it_was_written_as():
    """0.7 in 32 bits is less, and 10 of it would be 6 samples."""
    signal = np.arange(10, dtype=np.float32).reshape(1, 1, 10)
    upsample = node("ascend_vision_ops", "upsample_linear1d")
    made = one_node(upsample, {"self": signal}, {"output_size": [7], "scales": 0.7}, ["float32"])
    assert not made.wrong(run(made))


def test_an_optional_input_may_be_missing_in_the_middle():
    """DCNv1 with a bias has no mask but a bias."""
    rng = np.random.default_rng(0)
    shapes = {"input": (1, 4, 5, 5), "offset": (1, 18, 5, 5), "weight": (2, 4, 3, 3), "bias": (2,)}
    arrays = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    for domain in ("mmcv", "mmdeploy"):
        for gone in ([], ["bias"]):
            arrays |= dict.fromkeys(gone)
            found = node(domain, "MMCVModulatedDeformConv2d")
            made = one_node(found, {**arrays, "mask": None}, {"padding": [1, 1]}, ["float32"])
            assert not made.wrong(run(made))


@pytest.mark.parametrize(
    ("attributes", "shape", "message"),
    [
        ({}, (1, 2, 3, 4), "mode: expected this attribute, got none"),
        ({"mode": "top"}, (1, 2, 3, 4), "mode: expected an int, got a string"),
        ({"mode": 0.5}, (1, 2, 3, 4), "mode: expected an int, got a float"),
        ({"mode": [0, 1]}, (1, 2, 3, 4), "mode: expected an int, got ints"),
        ({"mode": 7}, (1, 2, 3, 4), "mode: expected 0 top, 1 bottom, 2 left or 3 right, got 7"),
        ({"mode": 0}, (2, 3, 4), "input: expected rank 4 (N, C, H, W), got rank 3 (2, 3, 4)"),
    ],
)
def test_a_bad_node_is_an_error_that_names_what_is_wrong(attributes, shape, message):
    found = node("mmcv", "MMCVCornerPool")
    made = one_node(found, {"input": np.zeros(shape, np.float32)}, attributes, ["float32"])
    with pytest.raises(Exception) as raised:
        run(made)
    assert f"mmcv::MMCVCornerPool: {message}" in str(raised.value)


def test_int_arrays_have_their_length():
    """One int stands for all dimensions; an empty list is no attribute."""
    pool, arrays = node("ascend_vision_ops", "max_pool2d"), {"input": np.ones((1, 1, 6, 6), np.float32)}
    for kernel, stride in ([2, 2], 1), (2, [1, 1]):
        made = one_node(pool, arrays, {"kernel_size": kernel, "stride": stride}, ["float32"])
        assert not made.wrong(run(made))
    for attributes, message in [
        ({"kernel_size": [2, 2, 2]}, r"kernel_size: expected 2 ints, got \[2, 2, 2\]"),
        ({"kernel_size": 2, "stride": [3]}, r"stride: expected 2 ints, got \[3\]"),
    ]:
        made = one_node(pool, arrays, attributes, ["float32"])
        with pytest.raises(Exception, match=message):
            run(made)
        with pytest.raises(ValueError, match=message):
            pool.arguments(attributes)


def test_one_attribute_under_two_names_is_an_error():
    arrays = {"input": (1, 2, 4, 4), "offset": (1, 18, 4, 4), "mask": (1, 9, 4, 4), "weight": (2, 2, 3, 3)}
    arrays = {name: np.zeros(shape, np.float32) for name, shape in arrays.items()}
    both = {"deform_groups": 1, "deformable_groups": 1, "padding": [1, 1]}
    made = one_node(node("mmcv", "MMCVModulatedDeformConv2d"), arrays, both, ["float32"])
    with pytest.raises(
        Exception, match="expected one name of deform_groups, got deform_groups and deformable_groups"
    ):
        run(made)


def test_a_dtype_that_no_kernel_has_is_refused():
    arrays = {"boxes": BOXES.astype(np.float64), "scores": SCORES.astype(np.float64)}
    made = one_node(node("ascend_vision_ops", "nms"), arrays, {}, ["float64", "int64"])
    with pytest.raises(
        Exception, match=r"Type .tensor\(double\). of input parameter \(boxes\) of operator \(nms\)"
    ):
        run(made)


def test_types_of_results_are_those_that_the_runtime_fixed():
    arrays = {"self": np.zeros((2, 3), np.float32)}
    argmax = node("ascend_vision_ops", "argmax")
    (found,) = run(one_node(argmax, arrays, {"dim": 1, "dtype": onnx.TensorProto.INT64}, ["int64"]))
    assert found.tolist() == [0, 0]
    with pytest.raises(Exception, match=r"dtype: expected 7 \(int64\), as ONNX Runtime fixes types"):
        run(one_node(argmax, arrays, {"dim": 1, "dtype": onnx.TensorProto.INT32}, ["int64"]))


# --- shapes before the data


def test_shapes_are_inferred(found):
    """A session knows the shapes of results before a run where inputs are static and the data decide nothing."""
    spec = spec_of(found.operator)
    models = (node_model(found, case, static=True) for case in cases_in_turn(found.operator))
    made = next(m for m in models if m is not None and all(m.feeds[n].size for n in m.feeds) and m.feeds)
    before = [output.shape for output in session(made.model).get_outputs()]
    after = [list(result.shape) for result in run(made)]
    version = tuple(map(int, ort.__version__.split(".")[:2]))
    if any(item.optional for item in found.inputs) and version < (1, 24):
        return  # older runtimes crash where an input is left out, so the library infers nothing for them
    for name, known, real in zip(found.outputs, before, after, strict=True):
        dims = spec.patterns[name].dims
        dynamic = [dim is not None and dim.text in spec.dynamic for dim in dims or [None] * len(real)]
        assert len(known) == len(real)
        for told, extent, unknown in zip(known, real, dynamic, strict=True):
            assert told == extent or (unknown and isinstance(told, str))


def test_names_of_dimensions_reach_the_results():
    arrays = {"input": np.zeros((2, 4, 9, 8), np.float32), "rois": np.zeros((3, 5), np.float32)}
    made = one_node(
        node("mmcv", "MMCVRoiAlign"), arrays, {"output_height": 7, "output_width": 6}, ["float32"]
    )
    assert session(made.model).get_outputs()[0].shape == ["rois_0", "input_1", 7, 6]
    (result,) = run(made)
    assert result.shape == (3, 4, 7, 6)


# --- threads


def test_results_do_not_depend_on_threads():
    rng = np.random.default_rng(0)
    arrays = {"input": rng.standard_normal((4, 32, 40, 40)).astype(np.float32)}
    made = one_node(node("mmcv", "MMCVCornerPool"), arrays, {"mode": 2}, ["float32"])
    results = [run(made, intra_op_num_threads=count)[0] for count in (1, 2, 5)]
    assert not made.wrong(results[:1])
    assert all(result.tobytes() == results[0].tobytes() for result in results)


def test_one_session_serves_several_callers_at_once():
    made = boxes_model("ascend_vision_ops", "nms", ["float32", "int64"], iou_threshold=0.45)
    shared = session(made.model)
    with ThreadPoolExecutor(4) as pool:
        for results in pool.map(lambda _: shared.run(None, made.feeds), range(40)):
            assert results[1].tolist() == [0, 2]


# --- registration


def test_domains_are_chosen():
    made = boxes_model("mmcv", "NonMaxSuppression", ["int64"], iou_threshold=0.5)
    session(made.model, domains=["mmcv"])
    session(made.model, domains="mmcv")
    with pytest.raises(Exception, match="mmcv"):
        session(made.model, domains=["mmdeploy", "ascend_vision_ops"])
    with pytest.raises(ValueError, match="expected some of ascend_vision_ops, mmcv, mmdeploy, got mmdet"):
        session(made.model, domains=["mmdet"])


def test_several_sessions_share_the_domains():
    made = boxes_model("mmcv", "SoftNonMaxSuppression", ["float32", "int64"], method=2)
    first, second = session(made.model), session(made.model)
    assert not made.wrong(first.run(None, made.feeds))
    del first
    assert not made.wrong(second.run(None, made.feeds))


def test_a_runtime_that_is_too_old_gets_a_status_and_no_crash():
    """Calls the library's own entry with the tables of a runtime that has no API 17."""
    messages = []
    create = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)(
        lambda code, text: messages.append((code, text.decode())) or 1
    )
    table = (ctypes.c_void_p * 276)(ctypes.cast(create, ctypes.c_void_p).value)
    get_api = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(
        lambda version: ctypes.addressof(table) if version == 1 else None
    )
    name = ctypes.create_string_buffer(b"1.14.1")
    get_version = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: ctypes.addressof(name))
    base = (ctypes.c_void_p * 2)(*(ctypes.cast(f, ctypes.c_void_p).value for f in (get_api, get_version)))
    entry = ctypes.CDLL(str(onnxruntime_library())).RegisterCustomOps
    entry.restype = ctypes.c_void_p
    assert entry(None, base) == 1
    assert messages == [(9, "ascend_vision_ops: expected ONNX Runtime 1.17 or newer, got 1.14.1")]


def test_the_library_needs_nothing_but_the_language():
    """It needs neither the simulated device, which it does not use, nor ONNX Runtime, which would tie it to a
    version.
    """
    import subprocess

    listed = subprocess.run(
        ["readelf", "-d", onnxruntime_library()], capture_output=True, text=True, check=True
    )
    needed = {line.split("[")[1].split(".so")[0] for line in listed.stdout.splitlines() if "NEEDED" in line}
    language = {"libstdc++", "libm", "libgcc_s", "libc", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64"}
    assert needed <= language | {"libasan", "libubsan", "libtsan"}
