# SPDX-License-Identifier: Apache-2.0
"""Models for the sweep: valid ones of all kinds that ONNX has, and hostile ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import AttributeProto, ModelProto, TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL, TensorProto.STRING
NEWEST = onnx.defs.onnx_opset_version()
node, info = helper.make_node, helper.make_tensor_value_info


def made(nodes, inputs, outputs, weights=(), opset: int = 17, ir: int | None = None, **more) -> ModelProto:
    """A model. Inputs and outputs are value infos."""
    domains = sorted({one.domain for one in nodes if one.domain and one.domain != "ai.onnx"})
    sets = [helper.make_opsetid("", opset), *(helper.make_opsetid(name, 1) for name in domains)]
    graph = helper.make_graph(list(nodes), "graph", list(inputs), list(outputs), list(weights))
    model = helper.make_model(graph, opset_imports=sets, **more)
    versions = helper.OP_SET_ID_VERSION_MAP
    model.ir_version = ir or max(4, versions.get(("ai.onnx", opset), onnx.IR_VERSION))
    return model


def weight(array, name: str) -> TensorProto:
    return numpy_helper.from_array(np.asarray(array), name)


def x(*shape, kind=FLOAT, name="x"):
    return info(name, kind, shape or [2, 4])


# Valid -------------------------------------------------------------------------------------------------------------


def network(opset: int = 17, ir: int | None = None) -> ModelProto:
    """Conv, BatchNormalization, a residual sum, pooling, Gemm, Softmax: nodes that every operator set has."""
    rng = np.random.default_rng(0)
    nodes = [
        node("Conv", ["x", "w"], ["a"], name="conv", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["a", "s", "b", "m", "v"], ["n"], name="norm"),
        node("Relu", ["n"], ["r"]), node("Identity", ["r"], ["i"]), node("Add", ["i", "a"], ["sum"]),
        node("GlobalAveragePool", ["sum"], ["g"]), node("Flatten", ["g"], ["f"]),
        node("Gemm", ["f", "gw", "gb"], ["l"], transB=1), node("Softmax", ["l"], ["y"], axis=1),
    ]  # fmt: skip
    arrays = {"w": rng.normal(size=(3, 2, 3, 3)), "gw": rng.normal(size=(5, 3)), "gb": np.zeros(5)}
    arrays |= {name: np.ones(3) for name in "sbmv"}
    weights = [weight(array.astype(np.float32), name) for name, array in arrays.items()]
    inputs = [x(1, 2, 6, 6)]
    if ir == 3:
        inputs += [info(one.name, one.data_type, one.dims) for one in weights]
    return made(nodes, inputs, [x(1, 5, name="y")], weights, opset, ir)


def narrow(kind: int, opset: int = 21) -> ModelProto:
    """A float goes to a narrow type and back, and a weight of that type is added."""
    tensor = helper.make_tensor("w", kind, [4], [1, 0, 1, 1])
    nodes = [
        node("Cast", ["x"], ["a"], to=kind), node("Cast", ["a"], ["b"], to=FLOAT), node("Cast", ["w"], ["c"], to=FLOAT),
        node("Add", ["b", "c"], ["y"]),
    ]  # fmt: skip
    return made(nodes, [x()], [x(name="y")], [tensor], opset)


def quantized(kind: int, opset: int = 21) -> ModelProto:
    tensor = helper.make_tensor("w", kind, [4, 2], [1, 0, 1, 1, 0, 1, 1, 0])
    scale = weight(np.float32([0.5, 0.25]), "scale")
    nodes = [node("DequantizeLinear", ["w", "scale"], ["d"], axis=1), node("MatMul", ["x", "d"], ["y"])]
    return made(nodes, [x()], [x(2, 2, name="y")], [tensor, scale], opset)


def double_type() -> ModelProto:
    return made(
        [node("Add", ["x", "w"], ["y"])], [x(kind=11)], [x(kind=11, name="y")], [weight(np.ones(4), "w")]
    )


def bfloat_input() -> ModelProto:
    return made([node("Identity", ["x"], ["y"])], [x(kind=16)], [x(kind=16, name="y")])


def strings() -> ModelProto:
    names = helper.make_tensor("w", STRING, [2], [b"a", "ä".encode()])
    nodes = [node("Identity", ["w"], ["v"]), node("Equal", ["x", "v"], ["y"])]
    return made(nodes, [x(2, kind=STRING)], [x(2, kind=BOOL, name="y")], [names], 19)


def sequences() -> ModelProto:
    nodes = [
        node("SequenceConstruct", ["x", "x"], ["s"]), node("SequenceInsert", ["s", "x"], ["t"]),
        node("SequenceLength", ["t"], ["n"]), node("SequenceAt", ["t", "zero"], ["y"]),
        node("ConcatFromSequence", ["t"], ["z"], axis=0),
    ]  # fmt: skip
    outputs = [x(name="y"), info("n", INT64, []), x(6, 4, name="z")]
    return made(nodes, [x()], outputs, [weight(np.int64(0), "zero")])


def sequence_input() -> ModelProto:
    value = helper.make_tensor_sequence_value_info("s", FLOAT, [2, 4])
    return made(
        [node("SequenceAt", ["s", "zero"], ["y"])], [value], [x(name="y")], [weight(np.int64(0), "zero")]
    )


def optionals() -> ModelProto:
    nodes = [
        node("Optional", ["x"], ["o"]), node("OptionalHasElement", ["o"], ["h"]),
        node("OptionalGetElement", ["o"], ["y"]),
    ]  # fmt: skip
    return made(nodes, [x()], [x(name="y"), info("h", BOOL, [])], opset=18)


def optional_input() -> ModelProto:
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, [2, 4]))
    nodes = [node("OptionalGetElement", ["o"], ["y"])]
    return made(nodes, [helper.make_value_info("o", kind)], [x(name="y")], opset=18)


def functions() -> ModelProto:
    """A function that calls another one, with an attribute handed on."""
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    slope = AttributeProto(name="alpha", ref_attr_name="slope", type=AttributeProto.FLOAT)
    leaky = node("LeakyRelu", ["a"], ["b"])
    leaky.attribute.append(slope)
    inner = helper.make_function("local", "Inner", ["a"], ["b"], [leaky], sets, ["slope"])
    call = node("Inner", ["a"], ["m"], domain="local", slope=0.3)
    outer = helper.make_function("local", "Outer", ["a"], ["b"], [call, node("Abs", ["m"], ["b"])], sets)
    return made([node("Outer", ["x"], ["y"], domain="local")], [x()], [x(name="y")], functions=[inner, outer])


def branch(op_type: str, value: str, name: str, shape=(2, 4)):
    return helper.make_graph([node(op_type, [value], [name])], name, [], [info(name, FLOAT, shape)])


def nested() -> ModelProto:
    """An If in a Loop in an If, which use values from outside, and a Scan."""
    choose = node(
        "If", ["on"], ["v"], then_branch=branch("Sin", "acc", "t"), else_branch=branch("Cos", "acc", "e")
    )
    body = helper.make_graph(
        [choose, node("Add", ["v", "x"], ["w"]), node("Identity", ["on"], ["keep"])], "body",
        [info("i", INT64, []), info("on", BOOL, []), x(name="acc")], [info("keep", BOOL, []), x(name="w")],
    )  # fmt: skip
    loop = helper.make_graph([node("Loop", ["three", "", "x"], ["l"], body=body)], "then", [], [x(name="l")])
    step = helper.make_graph(
        [node("Add", ["state", "row"], ["next"]), node("Identity", ["next"], ["out"])], "step",
        [x(4, name="state"), x(4, name="row")], [x(4, name="next"), x(4, name="out")],
    )  # fmt: skip
    nodes = [
        node("If", ["flag"], ["a"], then_branch=loop, else_branch=branch("Neg", "x", "n")),
        node("Scan", ["zeros", "a"], ["last", "y"], body=step, num_scan_inputs=1),
    ]
    weights = [weight(np.int64(3), "three"), weight(np.zeros(4, np.float32), "zeros")]
    return made(nodes, [x(), info("flag", BOOL, [])], [x(name="y")], weights)


def metadata() -> ModelProto:
    model = network()
    model.doc_string, model.producer_name, model.domain = "text\nwith lines", "someone", "some.where"
    model.metadata_props.add(key="classes", value="{0: 'a'}")
    model.graph.doc_string = "of the graph"
    model.graph.node[0].doc_string = "of a node"
    model.graph.metadata_props.add(key="k", value="v")
    model.graph.node[0].metadata_props.add(key="pkg.torch", value="x" * 2000)
    model.training_info.add()
    return model


def odd_names() -> ModelProto:
    """Names that other formats could not hold, and nodes of one name."""
    nodes = [
        node("Relu", ["x/0:[bold]\n"], ["ä b"], name="same\nname"),
        node("Abs", ["ä b"], ["y"], name="same\nname"),
    ]
    return made(nodes, [x(name="x/0:[bold]\n")], [x(name="y")])


def no_nodes() -> ModelProto:
    return made([], [x()], [x()])


def only_weights() -> ModelProto:
    return made([], [x()], [x(2, name="w")], [weight(np.float32([1, 2]), "w")])


def sparse() -> ModelProto:
    model = made([node("Identity", ["s"], ["y"])], [x()], [x(5, name="y")])
    values = weight(np.float32([1, 2]), "s")
    model.graph.sparse_initializer.append(
        helper.make_sparse_tensor(values, weight(np.int64([0, 3]), ""), [5])
    )
    return model


def spelled_domain() -> ModelProto:
    model = made([node("Relu", ["x"], ["y"], domain="ai.onnx")], [x()], [x(name="y")])
    model.opset_import[0].domain = "ai.onnx"
    return model


def trees() -> ModelProto:
    nodes = [node("Scaler", ["x"], ["y"], domain="ai.onnx.ml", offset=[1.0], scale=[2.0])]
    return made(nodes, [x()], [x(name="y")])


def maps() -> ModelProto:
    nodes = [node("ZipMap", ["x"], ["m"], domain="ai.onnx.ml", classlabels_int64s=[0, 1, 2, 3])]
    kind = helper.make_map_type_proto(INT64, helper.make_tensor_type_proto(FLOAT, []))
    return made(nodes, [x()], [helper.make_value_info("m", helper.make_sequence_type_proto(kind))])


def deep(count: int = 5000) -> ModelProto:
    kinds = "Relu", "Neg", "Abs", "Tanh"
    names = ["x", *(f"v{i}" for i in range(count - 1)), "y"]
    nodes = [node(kinds[i % 4], [names[i]], [names[i + 1]]) for i in range(count)]
    return made(nodes, [x()], [x(name="y")])


def scalars_and_empty() -> ModelProto:
    weights = [weight(np.float32(2), "s"), weight(np.zeros((0, 4), np.float32), "none")]
    nodes = [node("Mul", ["x", "s"], ["m"]), node("Concat", ["m", "none"], ["y"], axis=0)]
    return made(nodes, [x()], [x(name="y")], weights)


NARROW = {
    name: getattr(TensorProto, name)
    for name in ("BFLOAT16", "FLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ",
                 "INT4", "UINT4", "FLOAT4E2M1", "FLOAT8E8M0", "INT2", "UINT2")
    if hasattr(TensorProto, name)
}  # fmt: skip
SINCE = {"FLOAT4E2M1": 23, "FLOAT8E8M0": 24, "INT2": 25, "UINT2": 25}
VALID = {
    **{f"opset {version}": (lambda version=version: network(version)) for version in range(7, NEWEST + 1)},
    **{f"IR {version}": (lambda version=version: network(9, version)) for version in range(3, onnx.IR_VERSION + 1)},
    **{name: (lambda kind=kind, name=name: narrow(kind, SINCE.get(name, 21))) for name, kind in NARROW.items()},
    **{f"quantized {name}": (lambda name=name: quantized(NARROW[name])) for name in ("INT4", "UINT4", "FLOAT8E4M3FN")},
    **{
        one.__name__: one
        for one in (
            double_type, bfloat_input, strings, sequences, sequence_input, optionals, optional_input, functions, nested,
            metadata, odd_names, no_nodes, only_weights, sparse, spelled_domain, trees, maps, deep, scalars_and_empty,
        )
    },
}  # fmt: skip


# Hostile -----------------------------------------------------------------------------------------------------------


def changed(change, base=network) -> ModelProto:
    model = base()
    change(model)
    return model


def _set(model: ModelProto, where: str, attribute: AttributeProto) -> None:
    target = next(one for one in model.graph.node if one.op_type == where)
    kept = [one for one in target.attribute if one.name != attribute.name]
    del target.attribute[:]
    target.attribute.extend([*kept, attribute])


def attribute(where: str, name: str, value, base=network):
    return lambda: changed(lambda model: _set(model, where, helper.make_attribute(name, value)), base)


def cycle() -> ModelProto:
    nodes = [node("Add", ["x", "b"], ["a"], name="first"), node("Relu", ["a"], ["b"], name="second")]
    return made(nodes, [x()], [x(name="b")])


def itself() -> ModelProto:
    return made([node("Add", ["x", "y"], ["y"], name="own")], [x()], [x(name="y")])


def twice() -> ModelProto:
    nodes = [node("Relu", ["x"], ["y"], name="one"), node("Abs", ["x"], ["y"], name="two")]
    return made(nodes, [x()], [x(name="y")])


def recursion() -> ModelProto:
    sets = [helper.make_opsetid("local", 1)]
    parts = [
        helper.make_function("local", name, ["a"], ["b"], [node(other, ["a"], ["b"], domain="local")], sets)
        for name, other in (("Ping", "Pong"), ("Pong", "Ping"))
    ]
    return made([node("Ping", ["x"], ["y"], domain="local")], [x()], [x(name="y")], functions=parts)


def large_constant(op_type: str, *numbers, **attributes):
    """A node whose result, by its constants, would be huge."""

    def make() -> ModelProto:
        weights = [weight(array, f"w{index}") for index, array in enumerate(numbers)]
        nodes = [
            node(op_type, [one.name for one in weights], ["c"], **attributes),
            node("ReduceMax", ["c"], ["m"], keepdims=0),
        ]
        nodes += [node("Cast", ["m"], ["f"], to=FLOAT), node("Add", ["x", "f"], ["y"])]
        return made(nodes, [x()], [x(name="y")], weights, 17)

    return make


def dims(*sizes: int):
    def change(model: ModelProto) -> None:
        del model.graph.initializer[0].dims[:]
        model.graph.initializer[0].dims.extend(sizes)

    return lambda: changed(change)


def short_raw() -> ModelProto:
    def change(model):
        model.graph.initializer[0].raw_data = model.graph.initializer[0].raw_data[:-3]

    return changed(change)


def opset(version: int):
    def change(model):
        model.opset_import[0].version = version

    return lambda: changed(change)


def no_opset() -> ModelProto:
    return changed(lambda model: model.ClearField("opset_import"))


def ir_version(version: int):
    return lambda: changed(lambda model: setattr(model, "ir_version", version))


def no_type() -> ModelProto:
    def change(model):
        model.graph.node[0].attribute[0].ClearField("type")

    return changed(change)


def reference_outside() -> ModelProto:
    def change(model):
        model.graph.node[0].attribute[0].ClearField("ints")
        model.graph.node[0].attribute[0].ref_attr_name = "pads"

    return changed(change)


def two_attributes() -> ModelProto:
    return changed(
        lambda model: model.graph.node[0].attribute.append(helper.make_attribute("pads", [0, 0, 0, 0]))
    )


def two_inputs() -> ModelProto:
    return changed(lambda model: model.graph.input.append(x(1, 2, 6, 6)))


def unknown_dtype() -> ModelProto:
    return changed(lambda model: setattr(model.graph.initializer[0], "data_type", 99))


def huge_input() -> ModelProto:
    return made([node("Relu", ["x"], ["y"])], [x(2**40, 2**40)], [x(2**40, 2**40, name="y")])


def deep_branches(count: int = 15) -> ModelProto:
    graph = branch("Relu", "x", "v0")
    for level in range(count):
        outer = node(
            "If", ["flag"], [f"v{level + 1}"], then_branch=graph, else_branch=branch("Abs", "x", f"e{level}")
        )
        graph = helper.make_graph([outer], "g", [], [x(name=f"v{level + 1}")])
    return made(graph.node, [x(), info("flag", BOOL, [])], [x(name=f"v{count}")])


def no_outputs() -> ModelProto:
    return changed(lambda model: model.graph.ClearField("output"))


def bad_text() -> bytes:
    return network().SerializeToString().replace(b"conv", b"\xff\xfe\xfd\xfc", 1)


HOSTILE = {
    "cycle": cycle, "itself": itself, "twice": twice, "recursion": recursion, "short raw": short_raw,
    "overflow": dims(2**62, 2**62), "negative dimension": dims(-3, 2), "other size": dims(7, 7),
    "huge dims": dims(*[2**31] * 9),
    "opset 0": opset(0), "opset -1": opset(-1), "opset 999": opset(999), "no opset": no_opset,
    "IR 0": ir_version(0), "IR 9999": ir_version(9999),
    "no attribute type": no_type, "reference outside": reference_outside, "two attributes": two_attributes,
    "two inputs": two_inputs, "unknown dtype": unknown_dtype, "huge input": huge_input, "deep branches": deep_branches,
    "no outputs": no_outputs, "bad text": bad_text,
    "epsilon NaN": attribute("BatchNormalization", "epsilon", float("nan")),
    "alpha NaN": attribute("Gemm", "alpha", float("nan")), "alpha inf": attribute("Gemm", "alpha", float("inf")),
    "pads of text": attribute("Conv", "pads", "abc"), "pads of floats": attribute("Conv", "pads", [0.5, 1.5]),
    "few pads": attribute("Conv", "pads", [1]), "pads of 2^40": attribute("Conv", "pads", [2**40] * 4),
    "strides 0": attribute("Conv", "strides", [0, 0]), "group 0": attribute("Conv", "group", 0),
    "group -1": attribute("Conv", "group", -1), "dilations 2^62": attribute("Conv", "dilations", [2**62, 2**62]),
    "axis 2^63": attribute("Softmax", "axis", 2**63 - 1), "axis of Flatten": attribute("Flatten", "axis", -(2**63)),
    "ConstantOfShape": large_constant("ConstantOfShape", np.int64([2**20, 2**20, 2**20])),
    "Tile": large_constant("Tile", np.float32([1]), np.int64([2**50])),
    "Expand": large_constant("Expand", np.float32([1]), np.int64([2**30, 2**30])),
    "Range": large_constant("Range", np.int64(0), np.int64(2**60), np.int64(1)),
    "Range step 0": large_constant("Range", np.int64(0), np.int64(10), np.int64(0)),
    "Range NaN": large_constant("Range", np.float32(0), np.float32("nan"), np.float32(1)),
    "Pad": large_constant("Pad", np.float32([1]), np.int64([2**45, 0])),
    "OneHot": large_constant("OneHot", np.int64([1]), np.int64(2**45), np.float32([0, 1])),
    "Resize": large_constant("Resize", np.ones((1, 1, 1, 1), np.float32), np.float32([]), np.float32([1, 1, 1e9, 1e9])),
    "Reshape": large_constant("Reshape", np.float32([1]), np.int64([-7, 2**62])),
    "BitShift": large_constant("BitShift", np.uint64([1]), np.uint64([2**63]), direction="LEFT"),
}  # fmt: skip


def write(what, path: Path) -> Path:
    """Writes a model, or bytes, as a file."""
    content = what()
    path.write_bytes(content if isinstance(content, bytes) else content.SerializeToString())
    return path
