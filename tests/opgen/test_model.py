# SPDX-License-Identifier: Apache-2.0
"""A bad contract: file, line, key, what was expected and what came; all problems at once."""

from __future__ import annotations

import pytest

from ascend_vision_ops.opgen import SpecError, load_spec, load_specs
from ascend_vision_ops.opgen.calls import INVALID, unprovoked, violations
from ascend_vision_ops.opgen.model import Fold, Tolerance, all_nodes
from ascend_vision_ops.opgen.schema import SchemaError, parse_schema
from ascend_vision_ops.opgen.tiling import TilingError, read_tiling

GOOD = """\
schema: toy(Tensor self, int[1] size, float? scale=None, str mode="a") -> Tensor
summary: A toy.
aclnn:
  call: Toy(self, size, scale=scale or 1.0, mode, out)
  header: aclnn_toy.h
soc: [ascend910b]
dtypes: {self: [float32, float16], out: self}
formats: [ND]
shape:
  self: [N, L]
  out: [N, "size[0]"]
require:
  - L > 0
  - [size[0] > 0, "size: positive"]
  - shape(out)
tiling_keys: {plain: 0}
tolerance:
  float32: {absolute: 1.0e-6, why: sums}
  float16: {ulp: 1, why: rounding}
parameters: {self: x, size: x, scale: x, mode: x, out: x}
source: a paper
example: {N: 2, L: 3, size: [4]}
""".replace("[size[0] > 0,", '["size[0] > 0",')


@pytest.fixture
def load(tmp_path):
    def load_text(text: str):
        path = tmp_path / "toy.yaml"
        path.write_text(text)
        return load_spec(path)

    return load_text


def test_a_good_contract(load):
    spec = load(GOOD)
    assert [parameter.name for parameter in spec.parameters] == ["self", "size", "scale", "mode"]
    assert spec.entry.function == "aclnnToy"
    assert [(check.kind, check.subject) for check in spec.checks] == [
        ("rank", "self"), ("rank", "out"), ("length", "size"), ("require", "self"), ("require", "size"),
        ("shape", "out"), ("dtype", "self"), ("same_dtype", "out"),
    ]  # fmt: skip
    assert spec.typenames == ["self"]
    assert [spec.dtype_of("out", instance) for instance in spec.instances] == ["float32", "float16"]
    assert str(spec.tolerance["float16"]) == "1 ulp"


def test_a_tolerance_may_depend_on_sizes(load):
    tolerance = load(GOOD.replace("absolute: 1.0e-6", "largest: 0.5 + L / 4")).tolerance["float32"]
    assert str(tolerance) == "(0.5 + L / 4) x the largest |reference|"
    assert tolerance.at({"L": 6}).largest == 2.0


def test_int_arrays_with_a_choice_of_lengths(load):
    text = GOOD.replace("int[1] size", "int[2] size").replace("size: [4]", "size: [4, 4]")
    for call, spread in [
        ("spread(size)", ([1, 2], None)),
        ("spread(size, size, empty=3)", ([0, 1, 2, 4], 3)),
    ]:
        argument = load(text.replace("size, scale", f"size={call}, scale")).entry.argument_of("size")
        assert (argument.spread.lengths, argument.spread.empty, argument.targets) == (*spread, ["size"])


def test_int_arrays_that_c_spells_as_bools(load):
    text = GOOD.replace("int[1] size", "int[2] size").replace("size: [4]", "size: [1, 0]")
    argument = load(text.replace("size, scale", "aclBoolArray size, scale")).entry.argument_of("size")
    assert argument.bools
    assert argument.declaration == "const aclBoolArray *size"


def test_what_torch_knows_of_an_operator(load, rich_root):
    spec = load(GOOD + "vmap: {fold: [N, {N: 'size[0]'}]}\nautocast: float32\n")
    assert spec.autocast == "float32"
    assert spec.folds == [Fold("N", {"self": 0}, [0]), Fold("N", {"self": 0}, [0], {"size": 0})]
    assert spec.torch_schema.startswith("toy(Tensor self, SymInt[1] size, float? scale")
    plain = load(GOOD)
    assert (plain.autocast, plain.folds, plain.leading) == ("widest", [], "")
    assert load_spec(rich_root / "op_host/toys/toy_arg.yaml").leading == "dim"
    # An internal parameter is none of torch's.
    assert [fold.inputs for fold in load_spec(rich_root / "op_host/toys/toy_align.yaml").folds] == [
        {"input": 1},
        {"rois": 0},
    ]


def test_a_result_that_lies_in_memory_as_a_tensor(load):
    text = GOOD.replace("self: [N, L]", "self: [N, L, H, W]").replace(
        'out: [N, "size[0]"]', "out: [N, L, H, W]"
    )
    text = text.replace("example: {", "example: {H: 5, W: 6, ").replace("  - shape(out)\n", "")
    assert load(text + "memory_format: {out: self}\n").memory_format == {"out": "self"}


def test_a_tolerance_of_several_dtypes(load):
    text = GOOD.replace("  float32: {absolute: 1.0e-6, why: sums}\n", "").replace(
        "  float16: {", "  float16, float32: {"
    )
    assert load(text).tolerance == dict.fromkeys(["float16", "float32"], Tolerance(why="rounding", ulp=1))


def test_a_tolerance_is_for_the_dtypes_of_results(load):
    """A half type that only inputs have needs none."""
    text = GOOD.replace("out: self}", "out: [float32]}").replace("  float16: {ulp: 1, why: rounding}\n", "")
    assert list(load(text).tolerance) == ["float32"]
    with pytest.raises(SpecError, match="tolerance: expected an entry for float32, got none"):
        load(
            text.replace("  float32: {absolute: 1.0e-6, why: sums}\n", "  float64: {ulp: 1, why: rounding}\n")
        )


def test_a_wrong_shape_is_one_problem(load):
    """What depends on the shape says nothing about it."""
    with pytest.raises(SpecError) as raised:
        load(GOOD.replace("self: [N, L]", "self: [N, L +]") + "vmap: {fold: [N]}\n")
    assert not [problem for problem in raised.value.problems if "vmap" in problem], raised.value


# Text to replace, its replacement, and the problem reported.
BAD = [
    ("summary: A toy.\n", "", "toy.yaml:1: summary: expected this key, got none"),
    ("formats:", "format:", "toy.yaml:8: format: expected one of schema, summary, aclnn"),
    ("summary: A toy.", "summary: A toy.\nsummary: Twice.", "toy.yaml:3: summary: expected each key once, got it"),
    ("summary: A toy.", "summary: 3", "toy.yaml:2: summary: expected a sentence, got 3"),
    ("schema: toy(", "schema: other(", "toy.yaml:1: schema: expected the file's name 'toy', got 'other'"),
    ("Tensor self", "Tensro self", "toy.yaml:1: schema: expected `type name[=default]`"),
    ("-> Tensor", "-> int", "toy.yaml:1: schema: expected `Tensor` or `(Tensor a, Tensor b)` after ->, got 'int'"),
    ("Toy(self", "toy(self", "toy.yaml:4: aclnn.call: expected `Name(argument, …)`, got 'toy(self"),
    ("Toy(self, size", "Toy(self, sizes", "toy.yaml:4: aclnn.call: expected one of self, size, scale,"),
    (", mode, out)", ", mode)", "toy.yaml:4: aclnn.call: expected one argument for out, got none"),
    ("scale or 1.0", "2.0 * 1.0", "toy.yaml:4: aclnn.call: expected a parameter, an output, or"),
    ("scale=scale or 1.0", "scale=spread(scale)", "toy.yaml:4: aclnn.call: expected spread(parameter[, parameter]"),
    ("aclnn_toy.h\n", "aclnn_toy.h\n  more: 3\n", "toy.yaml:6: aclnn.more: expected call, header, example or cann"),
    ("aclnn_toy.h\n", "aclnn_toy.h\n  cann: 3\n", "toy.yaml:6: aclnn.cann: expected true or false, got 3"),
    ("aclnn_toy.h\n", "aclnn_toy.h\n  example: 3\n", "toy.yaml:6: aclnn.example: expected what differs from the"),
    ("schema: toy(", "schema: ''\ninternal: toy(", "toy.yaml:1: schema: expected `name(parameters) -> Tensor`, got ''"),
    ("schema: toy(", "schema: 3\ninternal: toy(", "toy.yaml:1: schema: expected a torch operator schema, got 3"),
    ("[ND]", "[ND]\ncpu_dtypes: {self: [float32]}", "toy.yaml:9: cpu_dtypes.self[0]: expected a dtype that `dtypes`"),
    ("out: self}", "out: {accept: [int64], infer: mode}}", "toy.yaml:7: dtypes.out.infer: expected a ScalarType"),
    ("out: self}", "out: {accept: [int64], by: mode}}", "toy.yaml:7: dtypes.out.by: expected accept or infer"),
    ("{plain: 0}", "{}", "toy.yaml:16: tiling_keys: expected at least one key, got none"),
    ("source: a paper", "vmap: {}\nsource: a", "toy.yaml:21: vmap: expected {fold: [size, …]} or {leading: dim}"),
    ("aclnn_toy.h", "toy.h", "toy.yaml:5: aclnn.header: expected aclnn_<name>.h, got 'toy.h'"),
    ("[ascend910b]", "[ascend910c]", "toy.yaml:6: soc[0]: expected one of ascend910b, ascend910_93, got"),
    ("[float32, float16]", "[float32, half]", "toy.yaml:7: dtypes.self[1]: expected one of float32,"),
    ("out: self}", "out: other}", "toy.yaml:7: dtypes.out: expected a list of dtypes or another tensor, got 'other'"),
    (", out: self}", "}", "toy.yaml:7: dtypes: expected an entry for out, got none"),
    ("[ND]", "ND", "toy.yaml:8: formats: expected a list of ND, NCL, NCHW, NCDHW, got 'ND'"),
    ('"size[0]"]', '"sise[0]"]', "toy.yaml:11: shape.out[1]: expected one of self, size,"),
    ('"size[0]"]', "mode]", "toy.yaml:11: shape.out[1]: expected an int, got 'mode'"),
    ("  out: [N", "  put: [N", "toy.yaml:11: shape.put: expected one of self, out, got 'put'"),
    ("- L > 0", "- L >", "toy.yaml:13: require[0]: expected a Python expression, got 'L >'"),
    ("- L > 0", "- L + 1", "toy.yaml:13: require[0]: expected a condition, got 'L + 1', which is int"),
    ("- L > 0", "- {this: L > 0}", "toy.yaml:13: require[0].this: expected that, text or bad, got 'this'"),
    ('"size: positive"', '"positive"', "toy.yaml:14: require[1]: expected \"parameter: what is expected\""),
    ("shape(out)", "shape(in)", "toy.yaml:15: require[2]: expected one of self, out, got 'in'"),
    ("{plain: 0}", "{plain: 0, other: 0}", "toy.yaml:16: tiling_keys: expected numbers that differ, got a list"),
    ("{plain: 0}", "{plain: -1}", "toy.yaml:16: tiling_keys.plain: expected lower_case: a number from 0"),
    ("{ulp: 1, why: rounding}", "{ulp: 1}", "toy.yaml:19: tolerance.float16: expected {absolute,"),
    ("{ulp: 1, why", "{ulp: one, why", "toy.yaml:19: tolerance.float16.ulp: expected a number, got 'one'"),
    ("{absolute: 1.0e-6,", "{largest: L > 0,", "toy.yaml:18: tolerance.float32.largest: expected a number"),
    ("  float16: {ulp: 1, why: rounding}\n", "", "toy.yaml:17: tolerance: expected an entry for float16, got none"),
    ("scale: x, ", "", "toy.yaml:20: parameters: expected a text for scale, got none"),
    ("L: 3, ", "", "toy.yaml:22: example: expected a value for L, got none"),
    ("L: 3", "L: 0", "toy.yaml:22: example: expected a valid call of aclnnToy, got one that fails `self: L > 0`"),
    ("tiling_keys", "backward: {self: toy}\ntiling_keys", "toy.yaml:16: backward.self: expected `operator(arguments)`"),
    ("source: a paper", "source: {a: 1}", "toy.yaml:21: source: expected a text or a list of texts, got a mapping"),
    ("source: a paper", "source: [", "toy.yaml:23: expected YAML, got"),
    ("source: a paper", "kernel: scalar\nsource: a", "toy.yaml:21: kernel: expected vector, cube, mixed or none"),
    ("source: a paper", "unbatched: 3\nsource: a", "toy.yaml:21: unbatched: expected true or false, got 3"),
    ("source: a paper", "flops: L > 0\nsource: a", "toy.yaml:21: flops: expected an int, got 'L > 0'"),
    ("source: a paper", "workspace: 3\nsource: a", "toy.yaml:21: workspace: expected true or false, got 3"),
    ("source: a paper", "internal: int k\nsource: a", "toy.yaml:21: internal: expected a default, which torch passes"),
    ("source: a paper", "divergence: [{who: x}]\nsource: a", "toy.yaml:21: divergence[0]: expected {who, what}"),
    ("source: a paper", "onnx: [Toy]\nsource: a", "toy.yaml:21: onnx: expected domain: Name(argument, …), got a list"),
    ("source: a paper", "onnx: {x: Toy(self}\nsource: a", "toy.yaml:21: onnx.x: expected `Name(argument, …) -> result"),
    ("source: a paper", "onnx: {x: Toy(own)}\nsource: a", "toy.yaml:21: onnx.x: expected one of self, size, scale"),
    ("source: a paper", "onnx: {x: Toy(self)}\nsource: a", "onnx.x: expected one argument for size, got none"),
    ("source: a paper", 'onnx: {x: "Toy(...) -> in"}\nsource: a', "onnx.x: expected one of out after ->, got"),
    ("source: a paper", 'onnx: {x: "Toy(x=self, ...)"}\nsource: a', "onnx.x: expected the tensor self as it is, got"),
    ("source: a paper", 'onnx: {x: "Toy(..., a=below(mode))"}\nsource: a', "expected a float parameter in below()"),
    ("source: a paper", 'onnx: {x: "Toy(..., mode or b)"}\nsource: a', "onnx.x: expected `name[|alias][=parameter"),
    ("source: a paper", 'onnx: {x: "Toy(..., m=mode or b)"}\nsource: a', "expected a Python literal after or, got 'b'"),
    ("source: a paper", "rows: {out: out}\nsource: a", "toy.yaml:21: rows: expected one of schema, summary, aclnn"),
    ("source: a paper", "autocast: half\nsource: a", "toy.yaml:21: autocast: expected float32 or widest, got"),
    ("source: a paper", "vmap: N\nsource: a", "toy.yaml:21: vmap: expected {fold: [size, …]} or {leading: dim}, got"),
    ("source: a paper", "vmap: {fold: N}\nsource: a", "toy.yaml:21: vmap.fold: expected a list of sizes, got 'N'"),
    ("source: a paper", "vmap: {by: [N]}\nsource: a", "vmap: expected {fold: [size, …]} or {leading: dim}, got"),
    ("source: a paper", "vmap: {fold: [L]}\nsource: a", "vmap.fold[0]: expected one dimension of inputs, and"),
    ("source: a paper", "let: {M: N + 1}\nvmap: {fold: [N]}\nsource: a", "expected a size that no other depends on"),
    ("source: a paper", "vmap: {fold: [{N: mode}]}\nsource: a", "expected an element of an int array behind"),
    ("source: a paper", "vmap: {leading: mode}\nsource: a", "vmap.leading: expected an int parameter, got 'mode'"),
    ("source: a paper", "memory_format: {out: self}\nsource: a", "expected a result of four dimensions"),
    ("source: a paper", "memory_format: {x: size}\nsource: a", "expected a tensor of four dimensions, got 'size'"),
    ("float16: {ulp", "float16, half: {ulp", "tolerance.float16, half: expected some of float32,"),
    ("source: a paper", "let: {N: 3}\nsource: a", "toy.yaml:21: let.N: expected a new name, got 'N'"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), BAD, ids=[row[2].partition(": ")[2][:60] for row in BAD])
def test_a_bad_contract_says_where_and_what(load, old, new, message):
    assert old in GOOD
    with pytest.raises(SpecError) as raised:
        load(GOOD.replace(old, new, 1))
    assert message in str(raised.value)


def test_problems_come_together_in_the_order_of_lines(load):
    text = (
        GOOD.replace("[ascend910b]", "[x]").replace("- L > 0", "- q").replace("summary: A toy.", "summary: 3")
    )
    with pytest.raises(SpecError) as raised:
        load(text)
    assert [problem.split(": ")[0] for problem in raised.value.problems] == [
        "toy.yaml:2",
        "toy.yaml:6",
        "toy.yaml:13",
    ]


def test_gradients_must_fit_their_operator(golden_root, tmp_path):
    import shutil

    shutil.copytree(golden_root, tmp_path, dirs_exist_ok=True)
    spec = tmp_path / "op_host/toys/toy_blend.yaml"
    good = spec.read_text()
    spec.write_text(good.replace("first.shape, weight)", "first.shape)"))
    with pytest.raises(SpecError, match="expected 4 arguments of toy_blend_backward, got 3"):
        load_specs(tmp_path)
    spec.write_text(good.replace("toy_blend_backward(", "toy_blend_gradient("))
    with pytest.raises(SpecError, match="expected an operator with a contract, got 'toy_blend_gradient'"):
        load_specs(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no struct", "h.h:1: expected `struct T {`, got none"),
        ("struct T {\n  int64_t a;\n};", "h.h:2: expected a comment after field a, got none"),
        ("struct T {\n  int64_t a, b;  // two\n};", "h.h:2: expected `type name;  // comment`"),
        ("struct T {\n  int64_t a;  // one", "h.h:2: expected `};` after struct T, got the end of the file"),
    ],
)
def test_a_bad_tiling_header_says_where_and_what(tmp_path, text, message):
    (tmp_path / "h.h").write_text(text)
    with pytest.raises(TilingError) as raised:
        read_tiling(tmp_path / "h.h", "T")
    assert message in str(raised.value)


def test_a_tiling_header(tmp_path):
    (tmp_path / "h.h").write_text(
        "struct T {\n  // lines apart are no comments of fields\n  int64_t a;  // first\n  float b[3];  //\n"
        "  TCubeTiling cube;  // of the product\n};\n"
    )
    fields = read_tiling(tmp_path / "h.h", "T")
    assert [(f.name, f.type, f.length, f.comment, f.printable) for f in fields] == [
        ("a", "int64_t", "", "first", True),
        ("b", "float", "3", "first", True),
        ("cube", "TCubeTiling", "", "of the product", False),
    ]


def test_operators_share_a_tiling_struct(tmp_path):
    """The header of an operator names the struct of its family, which lies in a header that it includes."""
    (tmp_path / "shared.h").write_text("struct Shared {\n  int64_t rows;  // of the input\n};\n")
    header = tmp_path / "x_tiling.h"
    header.write_text('#include "shared.h"\n\nusing XTiling = avo::Shared;\n')
    assert [(field.name, field.comment) for field in read_tiling(header, "XTiling")] == [
        ("rows", "of the input")
    ]
    header.write_text(
        '#include "shared.h"\n\nstruct XTiling : avo::Shared {\n  float scale;  // of all\n};\n'
    )
    assert [field.name for field in read_tiling(header, "XTiling")] == ["rows", "scale"]
    header.write_text('#include "shared.h"\n\nusing XTiling = avo::Other;\n')
    with pytest.raises(TilingError, match=r"expected `struct Other \{` in a header that it includes"):
        read_tiling(header, "XTiling")


def test_schemas():
    schema = parse_schema(
        'f(Tensor a, Tensor? b=None, *, int[2] k=1, int[] l=[], str s="x, y") -> (Tensor v, Tensor i)'
    )
    assert schema.outputs == ["v", "i"]
    assert [p.type for p in schema.parameters] == ["tensor", "tensor?", "ints", "ints", "str"]
    assert [p.keyword_only for p in schema.parameters] == [False, False, True, True, True]
    assert schema.parameters[2].default_value() == [1, 1]
    assert schema.parameters[4].default == "x, y"
    with pytest.raises(SchemaError, match="names that differ, got 'a' twice"):
        parse_schema("f(Tensor a, int a) -> Tensor")


COMPOSITE = """\
schema: toy(Tensor self) -> Tensor
summary: A toy.
composite: other
dtypes: {self: [int64], out: self}
shape: {self: [N], out: [M]}
dynamic: [M]
parameters: {self: x, out: x}
source: a paper
example: {N: 2}
"""


def test_a_composite_has_no_entry_and_no_checks(load):
    spec = load(COMPOSITE)
    assert (spec.composite, spec.dynamic, spec.entries, spec.checks) == ("other", ["M"], [], [])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("composite: other", "composite: other\naclnn: Toy(self, out)", "toy.yaml:4: aclnn: expected one of"),
        ("dynamic: [M]", "dynamic: [self]", "dynamic[0]: expected a new name, got 'self'"),
        ("dynamic: [M]\n", "", "shape.out[0]: expected"),
    ],
)
def test_a_bad_composite(load, old, new, message):
    with pytest.raises(SpecError) as raised:
        load(COMPOSITE.replace(old, new))
    assert message in str(raised.value)


def test_a_composite_calls_an_operator_with_a_kernel(tmp_path):
    (tmp_path / "op_host/toys").mkdir(parents=True)
    (tmp_path / "op_host/toys/toy.yaml").write_text(COMPOSITE)
    with pytest.raises(SpecError, match="composite: expected an operator with a kernel, got 'other'"):
        load_specs(tmp_path)


# --- ONNX nodes


def node_of(load, text: str):
    return load(GOOD.replace("source: a paper", f"onnx: {{x: '{text}'}}\nsource: a paper")).onnx[0]


def test_a_node_says_only_how_it_differs(load):
    node = node_of(load, "Toy")
    assert (node.qualified, node.operator, node.outputs) == ("x::Toy", "toy", ("out",))
    assert [(i.parameter, i.optional) for i in node.inputs] == [("self", False)]
    rows = [(a.name, a.onnx_type, None if a.required else a.default, a.required) for a in node.attributes]
    assert rows == [
        ("size", "INTS", None, True),
        ("scale", "FLOAT", None, False),
        ("mode", "STRING", "a", False),
    ]


def test_arguments_of_a_node(load):
    node = node_of(load, "Toy(..., s|factor=below(scale or 0.7), how=mode)")
    assert node.arguments({"size": 3}) == {"size": [3], "scale": pytest.approx(0.7), "mode": "a"}
    values = node.arguments({"size": (5,), "factor": 0.25, "how": b"b"})
    # One float32 below, and the number is the decimal that was written, not its 32 bits.
    assert values == {"size": [5], "scale": 0.25 - 2**-26, "mode": "b"}
    assert node_of(load, "Toy").arguments({"size": 1, "scale": 0.699999988079071})["scale"] == 0.7
    for attributes, message in [
        ({}, "size: expected this attribute, got none"),
        ({"size": 1, "mode": "a"}, "mode: expected one of the attributes of x::Toy"),
        ({"size": 1, "s": 1.0, "factor": 1.0}, "factor: expected one name of s, got s and factor"),
    ]:
        with pytest.raises(ValueError, match=message):
            node.arguments(attributes)


def test_gradients_are_no_nodes(golden_root):
    nodes = all_nodes(load_specs(golden_root))
    assert [node.qualified for node in nodes] == ["ascend_vision_ops::toy_blend", "mm::ToyMix"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("{out: indices}", "rows: expected an entry for each of values, places, got out"),
        ("{values: 'self[out], out', places: out}", "rows.values: expected `result` or `tensor[result], …`"),
        ("{values: 'self[put]', places: out}", "rows.values: expected one of out, got 'put'"),
        ("{values: 'own[out]', places: out}", "rows.values: expected one of self, got 'own'"),
        ("{values: 'self[out]', places: out}", "rows: expected a result `count` of toy_arg, got none"),
        ("{values: 'self[out]', places: out}", "rows: expected parameters of toy_arg, got 'above'"),
    ],
)
def test_rows_of_a_composite_are_those_of_its_operator(rich_root, tmp_path, rows, message):
    import shutil

    shutil.copytree(rich_root, tmp_path, dirs_exist_ok=True)
    spec = tmp_path / "op_host/toys/toy_kept.yaml"
    spec.write_text(spec.read_text() + f"rows: {rows}\n")
    with pytest.raises(SpecError) as raised:
        load_specs(tmp_path)
    assert message in str(raised.value)


def test_nodes_of_a_composite_need_rows(load):
    text = "composite: other\nonnx: {x: Toy}\n" + "\n".join(
        line
        for line in GOOD.splitlines()
        if not line.startswith(("aclnn", "  call", "  header", "soc", "formats"))
    )
    with pytest.raises(SpecError, match="onnx: expected beside it `rows`"):
        load(text)


ON_CPUS = """\
schema: toy(Tensor self, int size) -> Tensor
summary: A toy.
kernel: none
dtypes: {self: [float32], out: self}
shape: {self: [N], out: [size]}
require: [size > 0]
tolerance: {float32: {why: copies}}
parameters: {self: x, size: n, out: x}
source: a paper
example: {N: 2, size: 3}
"""


def test_an_operator_may_have_no_kernel_on_the_device(load):
    """What is checked follows from the schema then, as there is no entry point."""
    spec = load(ON_CPUS)
    assert (spec.has_kernel, spec.on_device, spec.entries) == (False, False, [])
    assert spec.reached_by() == "no AscendC kernel yet"
    assert [call.function for call in spec.calls] == ["toy"]
    bad = {(call.parameter, call.code) for call in violations(spec)}
    assert bad == {("self", INVALID), ("size", INVALID), ("out", INVALID)}
    assert not unprovoked(spec)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kernel: none", "kernel: none\naclnn: Toy(self, size, out)", "toy.yaml:4: aclnn: expected one of"),
        ("kernel: none", "kernel: none\ntiling_keys: {plain: 0}", "toy.yaml:4: tiling_keys: expected one of"),
        ("kernel: none", "kernel: nothing", "kernel: expected vector, cube, mixed or none, got 'nothing'"),
        ("size: 3", "size: 0", "example: expected a valid call of toy, got one that fails"),
    ],
)
def test_a_bad_operator_without_a_kernel_on_the_device(load, old, new, message):
    with pytest.raises(SpecError) as raised:
        load(ON_CPUS.replace(old, new))
    assert message in str(raised.value)


def test_a_composite_says_that_its_operator_has_no_kernel(tmp_path):
    """Whoever reads one contract alone knows it."""
    folder = tmp_path / "op_host/toys"
    folder.mkdir(parents=True)
    (folder / "other.yaml").write_text(ON_CPUS.replace("toy(", "other("))
    (folder / "toy.yaml").write_text(COMPOSITE)
    message = "toy.yaml:1: kernel: expected none, as other has no AscendC kernel, got another word"
    with pytest.raises(SpecError, match=message):
        load_specs(tmp_path)
    (folder / "toy.yaml").write_text(COMPOSITE + "kernel: none\n")
    assert [spec.reached_by() for spec in load_specs(tmp_path)] == [
        "no AscendC kernel yet", "by other, no AscendC kernel yet"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("a=pairs(size)", "expected a parameter int[k] in pairs(), got size"),
        ("a=ignored(x)", "expected one of self, size, got 'ignored(x)'"),
    ],
)
def test_bad_functions_of_node_arguments(load, argument, message):
    with pytest.raises(SpecError) as raised:
        load(ON_CPUS + f'onnx: {{x: "Toy(..., {argument})"}}\n')
    assert message in str(raised.value)


def test_attributes_without_a_parameter(load):
    spec = load(ON_CPUS + 'onnx: {x: "Toy(..., step=ignored(64), bias=only(0))"}\n')
    node = spec.onnx[0]
    assert node.arguments({"size": 3, "step": 7, "bias": 0}) == {"size": 3}
    with pytest.raises(ValueError, match="bias: expected 0, got 1"):
        node.arguments({"size": 3, "bias": 1})
