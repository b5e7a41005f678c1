# SPDX-License-Identifier: Apache-2.0
"""Reads and writes models. Large weights stay in their files until a pass needs their numbers."""

from __future__ import annotations

import ascend_vision_ops.onnx._needs  # noqa: F401

# isort: split
import warnings
from pathlib import Path

import google.protobuf.message
import onnx
import onnx_ir as ir

from ascend_vision_ops.onnx import _stream
from ascend_vision_ops.onnx._validate import NO_SOURCE, faults, open_negative_dims

# A protobuf holds less than 2 GiB; the graph itself needs some of it.
INLINE_BYTES = 1_900_000_000


class ModelError(ValueError):
    """A model that cannot be read, run or transformed. The text names the part of the model."""


def load(path: str | Path) -> ir.Model:
    """Reads a model.

    Raises FileNotFoundError where there is no such file, ModelError where it is no model, its external weights are
    absent, too short or outside of the model's folder, or where a node has inputs or attributes that its operator does
    not take.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no model {path}")
    try:
        model = _read(path)
    except google.protobuf.message.DecodeError:
        raise ModelError(f"{path} is no ONNX model: its protobuf is broken") from None
    except (ValueError, TypeError, KeyError, RuntimeError, AttributeError) as error:
        raise ModelError(f"{path} is no valid ONNX model: {_first_cause(error)}") from None
    if not model.ir_version or not len(model.graph.outputs):
        raise ModelError(f"{path} is no ONNX model: it has no IR version or no graph")
    for value in model.graph.outputs:
        if value.producer() is None and not value.is_graph_input() and not value.is_initializer():
            raise ModelError(f"{path} is no valid ONNX model: nothing computes its output {value.name!r}")
    folder = path.resolve().parent
    for tensor in external_tensors(model):
        file = Path(tensor.path)
        if folder not in file.resolve().parents:
            raise ModelError(f"{path}: weight {tensor.name!r} lies outside of the model's folder, in {file}")
        end = (tensor.offset or 0) + (tensor.length or tensor.nbytes)
        if not file.is_file():
            raise ModelError(f"{path}: weight {tensor.name!r} lies in {file}, which is absent")
        if file.stat().st_size < end:
            raise ModelError(
                f"{path}: weight {tensor.name!r} ends at byte {end:,} of {file}, "
                f"which has {file.stat().st_size:,}"
            )
    _one_name_of_standard(model)
    open_negative_dims(model)
    for fault in faults(model):
        if NO_SOURCE in fault and (names := _sparse_weights(path)):
            raise ModelError(f"{path}: weight {names[0]!r} is sparse, expected a dense one")
        raise ModelError(f"{path}: {fault}")
    free_weights(model)
    return model


def _read(path: Path) -> ir.Model:
    with warnings.catch_warnings():
        # What onnx does not know about a weight in another file says nothing of where the weight lies.
        warnings.filterwarnings("ignore", "Ignoring unknown external data key", UserWarning)
        return _parsed(path)


def _parsed(path: Path) -> ir.Model:
    model = _stream.load(path) if _is_protobuf(path) else None
    if model is None:
        return ir.load(path)
    ir.external_data.set_base_dir(model.graph, path.parent)
    return model


def _is_protobuf(path: Path) -> bool:
    """Whether a file is a protobuf. onnx writes models as text or JSON, too, where the name ends so."""
    return onnx.serialization.registry.get_format_from_file_extension(path.suffix) in (None, "protobuf")


def _one_name_of_standard(model: ir.Model) -> None:
    """The standard operator set has two names, "" and "ai.onnx". Nodes read by onnx_ir have the first one."""
    imports = model.graph.opset_imports
    if "ai.onnx" in imports:
        version = imports.pop("ai.onnx")
        imports.setdefault("", version)


def _sparse_weights(path: Path) -> list[str]:
    """The sparse weights of the main graph, which onnx_ir leaves out."""
    graph = onnx.load(path, load_external_data=False).graph
    return [weight.values.name for weight in graph.sparse_initializer]


def _first_cause(error: BaseException) -> str:
    """What went wrong at the bottom, in one line: onnx_ir wraps it in an error for each part around it.

    Where it fails to describe an external tensor, its own TypeError stands in front of the cause.
    """
    while inner := error.__cause__ or (error.__context__ if isinstance(error, TypeError) else None):
        error = inner
    text = " ".join(str(error).split()) or type(error).__name__
    return f"it has no {text}" if isinstance(error, KeyError) else text


def free_weights(model: ir.Model) -> None:
    """Removes weights from the inputs: before IR version 4 every weight had to be an input as well."""
    if model.ir_version < 4:
        names = set(model.graph.initializers)
        for value in [value for value in model.graph.inputs if value.name in names]:
            model.graph.inputs.remove(value)
        model.ir_version = 4


def external_tensors(model: ir.Model) -> list[ir.ExternalTensor]:
    tensors = (value.const_value for value in _stream.weights_of(model))
    return [tensor for tensor in tensors if isinstance(tensor, ir.ExternalTensor)]


def weight_bytes(model: ir.Model) -> int:
    """Bytes of all initializers, in the model and in external files."""
    tensors = (value.const_value for value in _stream.weights_of(model))
    return sum(tensor.nbytes for tensor in tensors if tensor is not None)


def save(model: ir.Model, path: str | Path) -> None:
    """Writes a model.

    The weights go to `path`.data where they came from an external file, or where a protobuf cannot hold them.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"no folder {path.parent} to write {path.name} to")
    apart = bool(external_tensors(model)) or weight_bytes(model) > INLINE_BYTES
    # onnx-ir would state the type and shape of each weight a second time, beside the weight itself.
    weights = [value for value in _stream.weights_of(model) if not value.is_graph_input()]
    stated = [(value.type, value.shape) for value in weights]
    for value in weights:
        value.type = value.shape = None
    try:
        if apart or not _is_protobuf(path):
            ir.save(model, path, external_data=f"{path.name}.data" if apart else None)
        else:
            _stream.save(model, path)
    except RuntimeError as error:  # onnx_ir wraps an error in one for each part around it
        raise ModelError(f"{path}: {_first_cause(error)}") from None
    finally:
        for value, (kind, shape) in zip(weights, stated, strict=True):
            value.type, value.shape = kind, shape
