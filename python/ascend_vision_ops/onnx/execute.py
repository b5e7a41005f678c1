# SPDX-License-Identifier: Apache-2.0
"""Runs a model: by ONNX Runtime with our operators, or by onnx's reference evaluator where ONNX Runtime cannot."""

from __future__ import annotations

# isort: split
import functools
import math
import re
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
import onnx_ir as ir

from ascend_vision_ops.onnx import reference_ops, register
from ascend_vision_ops.onnx.files import INLINE_BYTES, ModelError, external_tensors
from ascend_vision_ops.onnx.flavours import give_domains, needs_domains
from ascend_vision_ops.paths import onnxruntime_library

if TYPE_CHECKING:
    from onnx.reference import ReferenceEvaluator
    from onnx.reference.op_run import OpRun

LARGEST_DIM = (1 << 31) - 1  # kernels count elements along an axis in 32 bits
# Sizes that open dimensions get in made-up inputs: the first dimension of a tensor, and the other ones.
BATCH, EXTENT = 2, 64


def session_options():
    """Options for a session of ONNX Runtime that does not change the graph; with our operators where they are built."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    if onnxruntime_library().is_file():
        register(options)
    return options


def inputs_of(model: ir.Model) -> list[ir.Value]:
    """The inputs that a caller must give: those without a default."""
    return [value for value in model.graph.inputs if value.name not in model.graph.initializers]


def random_feeds(
    model: ir.Model,
    rng: np.random.Generator,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    given: Mapping[str, np.ndarray] | None = None,
) -> dict[str, np.ndarray]:
    """Makes up one array for each input. Floating elements are normally distributed, integers lie in 0…9.

    shapes: the shapes of inputs, by name. For other inputs, an open dimension gets the size 2 where it is the first one
        of its tensor, otherwise 64; dimensions with the same name get the same size.
    given: arrays by name, which are taken as they are.

    Raises ModelError where an input has no known rank or is no tensor of numbers.
    """
    given, shapes = given or {}, shapes or {}
    stated = {name: array.shape for name, array in given.items()} | dict(shapes)
    feeds, sizes = {}, {}
    for value in inputs_of(model):
        shape = stated.get(value.name)
        if shape is not None and value.shape is not None and len(value.shape) == len(shape):
            pairs = zip(value.shape, shape, strict=True)
            sizes |= {dim.value: size for dim, size in pairs if not isinstance(dim, int) and dim.value}
    for value in inputs_of(model):
        if value.name in given:
            feeds[value.name] = given[value.name]
            continue
        if value.shape is None and value.name not in shapes:
            raise ModelError(f"input {value.name!r} has no shape: give one, such as {value.name}=1,3,64,64")
        shape = []
        for axis, dim in enumerate(shapes.get(value.name, value.shape)):
            name = None if isinstance(dim, int) else dim.value
            size = dim if isinstance(dim, int) else sizes.get(name, EXTENT if axis else BATCH)
            if name is not None:
                sizes[name] = size
            shape.append(size)
        feeds[value.name] = random_array(rng, shape, value)
    return feeds


def random_array(rng: np.random.Generator, shape, value: ir.Value) -> np.ndarray:
    if not isinstance(value.type, ir.TensorType) or value.dtype in (
        ir.DataType.UNDEFINED,
        ir.DataType.STRING,
    ):
        raise ModelError(f"input {value.name!r}: expected a tensor of numbers, got {value.type}")
    dtype = value.dtype.numpy()
    try:
        if dtype == np.bool_:
            return rng.integers(0, 2, shape).astype(bool)
        if np.issubdtype(dtype, np.integer):
            return rng.integers(0, 10, shape).astype(dtype)
        return rng.standard_normal(shape).astype(dtype)
    except (ValueError, MemoryError):
        raise ModelError(f"input {value.name!r}: the memory has no room for shape {list(shape)}") from None


class Runner:
    """Runs a model as it is now. Later changes of the model do not matter.

    stand_ins: whether functions of the right shape may stand for nodes that nobody can run.
    how: what runs it, known after the first call. A call raises ModelError where nothing can run the model.
    """

    def __init__(self, model: ir.Model, stand_ins: bool = True):
        self.stand_ins = stand_ins
        if needs_domains(model):  # nothing here runs nodes with names for ATC
            model = model.clone()
            give_domains(model)
        self.proto = ir.to_proto(model)
        tensors = external_tensors(model)
        self.folder = Path(tensors[0].base_dir or ".").resolve() if tensors else None
        self.names = [value.name for value in model.graph.outputs]
        self.how = self.reason = ""
        self.ran = False
        self._call = None
        self._model: ir.Model | None = None

    @property
    def model(self) -> ir.Model:
        """The model that this runs, as it was at the start."""
        if self._model is None:
            self._model = ir.from_proto(self.proto)
        return self._model

    def __call__(self, feeds: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        if self._call is None:
            self._call = self._open()
        try:
            results = dict(zip(self.names, self._call(dict(feeds)), strict=True))
            self.ran = True
            return results
        except ModelError:
            raise
        except Exception as error:
            if not self.reason:
                raise ModelError(f"{self.how} cannot run the model: {first_line(error)}") from None
            raise ModelError(
                f"ONNX Runtime cannot run the model ({self.reason}), nor can {self.how} ({first_line(error)})"
            ) from None

    def close(self) -> None:
        """Frees the memory of the weights. The next call reads them again."""
        self._call = self._model = None

    def _open(self):
        self.reason = "it is not installed"
        if find_spec("onnxruntime"):
            try:
                session = self._session()
                for value in (*session.get_inputs(), *session.get_outputs()):
                    if re.search(r"bfloat16|float8|float4|int4|int2", value.type):
                        raise ModelError(f"{value.name!r} is {value.type}, which NumPy has not")
                self.how, self.reason = "ONNX Runtime", ""
                return lambda feeds: session.run(self.names, feeds)
            except Exception as error:
                self.reason = first_line(error)
        stand_ins = stand_ins_for(self.model) if self.stand_ins else []
        proto = onnx.ModelProto()
        proto.CopyFrom(self.proto)
        if self.folder:
            onnx.load_external_data_for_model(proto, str(self.folder))
        from onnx.reference import ReferenceEvaluator  # takes long to import

        try:
            evaluator = ReferenceEvaluator(proto, new_ops=[*reference_ops(), *stand_ins])
        except Exception as error:
            raise ModelError(
                f"ONNX Runtime cannot run the model ({self.reason}), nor can onnx's reference evaluator "
                f"({first_line(error)})"
            ) from None
        self.how = "onnx's reference evaluator"
        if stand_ins:
            names = ", ".join(sorted({f"{op.op_domain}::{op.__name__}" for op in stand_ins}))
            self.how += f", with stand-ins for {names}"
        return functools.partial(_evaluate, evaluator)

    def _session(self):
        import onnxruntime

        options = session_options()
        if self.folder:
            folder = "session.model_external_initializers_file_folder_path"
            options.add_session_config_entry(folder, str(self.folder))
        providers = ["CPUExecutionProvider"]
        if self.proto.ByteSize() < INLINE_BYTES:
            return onnxruntime.InferenceSession(self.proto.SerializeToString(), options, providers=providers)
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/model.onnx"
            ir.save(self.model, path, external_data="model.data")
            return onnxruntime.InferenceSession(path, options, providers=providers)


def _evaluate(evaluator: ReferenceEvaluator, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    # Infinities and NaN are results like others.
    with np.errstate(all="ignore"):
        return evaluator.run(None, feeds)


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def standard_operators() -> set[tuple[str, str]]:
    """Domain and type of the nodes that ONNX Runtime has built in; without ONNX Runtime, of those that ONNX defines."""
    try:
        from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema as schemas
    except ImportError:
        schemas = onnx.defs.get_all_schemas
    return {(schema.domain, schema.name) for schema in schemas()}


def stand_ins_for(model: ir.Model) -> list[type[OpRun]]:
    """Stand-ins for nodes that nobody can run: functions of their inputs with outputs of the right shape.

    With them, passes around such nodes can be checked: the outputs still depend on what flows into the nodes.
    """
    known = {(op.op_domain, op.__name__) for op in reference_ops()}
    known |= {(domain, name) for domain, name, _ in model.functions}
    unknown: dict[tuple[str, str], dict[str, ir.Value]] = {}
    for node in model.graph.all_nodes():
        key = node.domain, node.op_type
        if key not in known and node.domain and not onnx.defs.has(node.op_type, domain=node.domain):
            unknown.setdefault(key, {}).update({value.name: value for value in node.outputs})
    return [_stand_in(*key, outputs) for key, outputs in unknown.items()]


def _stand_in(domain: str, op_type: str, outputs: dict[str, ir.Value]) -> type[OpRun]:
    from onnx.reference.op_run import OpRun

    def run(self, *inputs, **_):
        arrays = [array for array in inputs if isinstance(array, np.ndarray)]
        who = f"{domain}::{op_type}"
        return tuple(_made_up(outputs[name], arrays, who) for name in self.onnx_node.output)

    return type(op_type, (OpRun,), {"op_domain": domain, "_run": run})


def _made_up(value: ir.Value, inputs: list[np.ndarray], who: str) -> np.ndarray:
    """Makes up an output. Its open dimensions have the size that the first input has at the same index.

    A row of the output depends on the same row of each input that has as many rows, as images of a batch do, and on the
    whole of each other input.
    """
    if value.shape is None or value.dtype is None:
        raise ModelError(
            f"nothing here can run {who}, and its output {value.name!r} has no shape for a stand-in"
        )
    sizes = dict(enumerate(inputs[0].shape if inputs else ()))
    shape = [dim if isinstance(dim, int) else sizes.get(axis, BATCH) for axis, dim in enumerate(value.shape)]
    dtype = value.dtype.numpy()
    # Integers are most often indices, and 0 is a valid index everywhere.
    if not np.issubdtype(dtype, np.floating):
        return np.zeros(shape, dtype)
    rows = shape[0] if shape else 1
    totals = sum((_summary(array, rows) for array in inputs), np.zeros(rows))
    pattern = np.arange(math.prod(shape[1:]))
    return np.sin(totals[:, None] + pattern).reshape(shape).astype(dtype)


def _summary(array: np.ndarray, rows: int) -> np.ndarray:
    """One number for each row, or one for all where the array has not so many rows.

    It depends on each element and on its index, and changes a little where an element changes a little.
    """
    flat = np.nan_to_num(array.astype(np.float64), posinf=1.0, neginf=-1.0)
    flat = flat.reshape(rows, -1) if array.ndim and len(array) == rows and rows else flat.reshape(1, -1)
    return flat @ np.cos(np.arange(flat.shape[1])) / math.sqrt(flat.shape[1] or 1)
