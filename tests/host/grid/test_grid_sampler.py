# SPDX-License-Identifier: Apache-2.0
"""Grid samples: what tests of all tilings do not know of theirs, and positions that others read otherwise."""

import random
import re
from types import SimpleNamespace

import numpy as np
import pytest

ITEM = {"float32": 4, "float16": 2, "bfloat16": 2}
LANES = 16
TAPS = {0: 2, 1: 1, 2: 4}


def plan_of(shape, grid, mode=0, dtype="float32", cores=48, ub_bytes=196608):
    from ascend_vision_ops import _native

    size = (shape[0], *grid, 2)
    plan = _native.tiling.grid_sampler((shape, dtype), (size, dtype), mode, 0, False, None, cores, ub_bytes)
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    return SimpleNamespace(blocks=plan["block_dim"], workspace=plan["workspace"], **fields)


def backward_plan_of(shape, grid, mode=0, dtype="float32", cores=48, ub_bytes=196608):
    from ascend_vision_ops import _native

    given = ((*shape[:2], *grid), shape, (shape[0], *grid, 2))
    given = [(size, dtype) for size in given]
    plan = _native.tiling.grid_sampler_backward(*given, mode, 0, False, None, cores, ub_bytes)
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    return SimpleNamespace(blocks=plan["block_dim"], workspace=plan["workspace"], **fields)


def check(shape, grid, mode, dtype, cores, ub_bytes):
    plan, item = plan_of(shape, grid, mode, dtype, cores, ub_bytes), ITEM[dtype]
    rows, columns = grid
    assert plan.taps == TAPS[mode]
    assert plan.workspace == 0
    assert (plan.outRows, plan.outColumns) in ((rows, columns), (1, rows * columns))
    assert plan.capacity % 64 == 0
    assert 1 <= plan.tileRows * plan.tileColumns <= plan.capacity
    # If a tile has several rows, they follow each other in UB: each starts on a data block.
    assert plan.tileRows == 1 or (plan.tileColumns % 16 == 0 and plan.outColumns % 16 == 0)
    # Tiles and groups of channels are disjoint and cover every output once.
    assert (plan.rowTiles - 1) * plan.tileRows < plan.outRows <= plan.rowTiles * plan.tileRows
    assert (plan.columnTiles - 1) * plan.tileColumns < plan.outColumns <= plan.columnTiles * plan.tileColumns
    assert (plan.channelGroups - 1) * plan.groupChannels < shape[1] <= plan.channelGroups * plan.groupChannels
    tiles = shape[0] * plan.rowTiles * plan.columnTiles * plan.channelGroups
    assert 1 <= plan.blocks <= min(cores, tiles)
    # A box has room for a data block of pixels with zeros before and behind it. Offsets in it are exact in float32.
    assert 3 * 32 // item <= plan.boxElements < 2**24
    assert plan.lastY <= shape[2] - 1
    assert plan.lastX <= shape[3] - 1


def test_tiles_cover_and_fit():
    rng = random.Random(0)
    for _ in range(600):
        shape = [int(2 ** rng.uniform(0, 11)) for _ in range(4)]
        grid = [int(2 ** rng.uniform(0, 11)) for _ in range(2)]
        ub_bytes = rng.choice([65536, 131072, 196608])
        check(tuple(shape), grid, rng.randrange(3), rng.choice(list(ITEM)), rng.randint(1, 48), ub_bytes)


def test_large_images():
    for shape in ((1, 1, 1, 2**31 - 1), (1, 1, 2**31 - 1, 1), (1, 2, 2**24 + 3, 5), (1, 2**20, 300, 300)):
        for mode in range(3):
            check(shape, (7, 9), mode, "float16", 48, 196608)


def test_all_cores_work():
    for shape in ((4, 64, 128, 128), (1, 256, 100, 152), (1, 2, 540, 960)):
        assert plan_of(shape, shape[2:]).blocks == 48
        assert backward_plan_of(shape, shape[2:]).blocks == 48


LINE = 512  # bytes of a line of the L2 cache


def check_backward(shape, grid, mode, dtype, cores, ub_bytes):
    plan = backward_plan_of(shape, grid, mode, dtype, cores, ub_bytes)
    samples, taps = grid[0] * grid[1], TAPS[mode] ** 2
    assert (plan.columnTiles - 1) * plan.tileColumns < samples <= plan.columnTiles * plan.tileColumns
    assert plan.tileColumns <= plan.capacity
    assert plan.capacity % 64 == 0
    # The workspace holds the gradients of the samples, channels-last, and behind them the lists of terms; each part
    # is a whole number of lines of the cache.
    item = ITEM[dtype]
    assert plan.terms >= shape[0] * samples * shape[1] * item
    assert plan.workspace == plan.terms + -(-shape[0] * samples * taps * 8 // LINE) * LINE
    assert 1 <= plan.blocks <= cores


def test_backward_covers_and_fits():
    rng = random.Random(0)
    for _ in range(600):
        shape = [int(2 ** rng.uniform(0, 11)) for _ in range(4)]
        grid = [int(2 ** rng.uniform(0, 11)) for _ in range(2)]
        ub_bytes = rng.choice([65536, 131072, 196608])
        check_backward(
            tuple(shape), grid, rng.randrange(3), rng.choice(list(ITEM)), rng.randint(1, 48), ub_bytes
        )
    for shape in ((1, 1, 1, 2**31 - 1), (1, 1, 2**31 - 1, 1), (1, 2**20, 300, 300)):
        check_backward(shape, (7, 9), 0, "float16", 48, 196608)


@pytest.mark.parametrize("mask", [(1, 0), (0, 1)])
def test_output_mask(mask, tmp_path):
    """The generated program of the C entry point, with other masks: a gradient that is not wanted is not written."""
    from tests.test_programs import BUILD, COMPILER, avo_config, run

    text = (BUILD / "gen" / "examples" / "aclnn_grid_sampler_backward.cpp").read_text()
    text = text.replace("outputMaskValues[] = {1, 1}", f"outputMaskValues[] = {{{mask[0]}, {mask[1]}}}")
    for name in ("inputGradValues", "gridGradValues"):
        text = re.sub(rf"{name}\((\d+)\)", rf"{name}(\1, 7)", text)
    program = tmp_path / "program.cpp"
    program.write_text(text)
    run(COMPILER, "-std=c++17", program, *avo_config("--cflags", "--libs"), "-o", tmp_path / "program")
    for line, wanted in zip(run(tmp_path / "program").splitlines(), mask, strict=True):
        assert (set(line.split()) == {"7"}) == (not wanted)


# --- the divergence table


def call(target, image, coordinates, *mode):
    import importlib

    grid = np.array(coordinates, np.float32).reshape(1, 1, -1, 2)
    function = importlib.import_module(f"ascend_vision_ops.{target}").grid_sampler
    return function(image, grid, *mode).ravel()


def onnxruntime(image, coordinates, mode, padding):
    """ONNX Runtime's GridSample."""
    ort, onnx = pytest.importorskip("onnxruntime"), pytest.importorskip("onnx")
    names = (["linear", "nearest", "cubic"][mode], ["zeros", "border", "reflection"][padding])
    node = onnx.helper.make_node("GridSample", ["x", "grid"], ["y"], mode=names[0], padding_mode=names[1])
    value = lambda name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)  # noqa: E731
    graph = onnx.helper.make_graph([node], "graph", [value("x"), value("grid")], [value("y")])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=9)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    grid = np.array(coordinates, np.float32).reshape(1, 1, -1, 2)
    return session.run(None, {"x": image, "grid": grid})[0].ravel()


NOT_FINITE = [[np.nan, 0], [np.inf, 0], [-np.inf, 0]]
ONES = np.ones((1, 1, 4, 4), np.float32)


@pytest.mark.parametrize("target", ["reference", "cpu", "aclnn"])
def test_positions_that_are_not_finite(target):
    for mode, padding in ((0, 0), (2, 0), (2, 1), (2, 2)):
        assert np.isnan(call(target, ONES, NOT_FINITE, mode, padding)).all()
    assert (call(target, ONES, NOT_FINITE, 1, 0) == 0).all()
    for mode, padding in ((0, 1), (0, 2), (1, 1), (1, 2)):
        assert (call(target, ONES, NOT_FINITE, mode, padding) == 1).all()


def test_onnxruntime_reads_them_as_the_border():
    edge = [[-1, 0]]
    for mode in range(3):
        for padding in range(3):
            theirs = onnxruntime(ONES, NOT_FINITE, mode, padding)
            assert (theirs == onnxruntime(ONES, edge, mode, padding)).all()
    assert (onnxruntime(ONES, NOT_FINITE, 1, 0) == 1).all()


@pytest.mark.parametrize("target", ["reference", "cpu", "aclnn"])
def test_reflection_of_one_pixel(target):
    """ONNX's reference implementation divides by the distance between its lines of reflection, which is 0."""
    image = np.full((1, 1, 1, 1), 3, np.float32)
    for mode in (0, 1):
        assert (call(target, image, [[0.3, -5], [7, 0]], mode, 2, True) == 3).all()
