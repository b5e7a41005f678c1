# SPDX-License-Identifier: Apache-2.0
"""Reads and writes models. Weights in external files stay there, mapped, until a pass needs their numbers."""

from __future__ import annotations

import ascend_vision_ops.onnx._needs  # noqa: F401

# isort: split
from pathlib import Path

import google.protobuf.message
import onnx_ir as ir

# A protobuf holds less than 2 GiB; the graph itself needs some of it.
INLINE_BYTES = 1_900_000_000


class ModelError(ValueError):
    """A model that cannot be read, run or transformed. The text names the part of the model."""


def load(path: str | Path) -> ir.Model:
    """Reads a model.

    Raises FileNotFoundError where there is no such file, ModelError where it is no model or its external weights are
    absent or too short.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no model {path}")
    try:
        model = ir.load(path)
    except google.protobuf.message.DecodeError:
        raise ModelError(f"{path} is no ONNX model: its protobuf is broken") from None
    except (ValueError, TypeError, KeyError) as error:
        raise ModelError(f"{path} is no valid ONNX model: {error}") from None
    if not model.ir_version or not len(model.graph.outputs):
        raise ModelError(f"{path} is no ONNX model: it has no IR version or no graph")
    for tensor in external_tensors(model):
        file = Path(tensor.path)
        end = (tensor.offset or 0) + (tensor.length or tensor.nbytes)
        if not file.is_file():
            raise ModelError(f"{path}: weight {tensor.name!r} lies in {file}, which is absent")
        if file.stat().st_size < end:
            raise ModelError(
                f"{path}: weight {tensor.name!r} ends at byte {end:,} of {file}, "
                f"which has {file.stat().st_size:,}"
            )
    free_weights(model)
    return model


def free_weights(model: ir.Model) -> None:
    """Removes weights from the inputs: before IR version 4 every weight had to be an input as well."""
    if model.ir_version < 4:
        names = set(model.graph.initializers)
        for value in [value for value in model.graph.inputs if value.name in names]:
            model.graph.inputs.remove(value)
        model.ir_version = 4


def external_tensors(model: ir.Model) -> list[ir.ExternalTensor]:
    values = (value.const_value for graph in model.graphs() for value in graph.initializers.values())
    return [tensor for tensor in values if isinstance(tensor, ir.ExternalTensor)]


def weight_bytes(model: ir.Model) -> int:
    """Bytes of all initializers, in the model and in external files."""
    values = (value.const_value for graph in model.graphs() for value in graph.initializers.values())
    return sum(tensor.nbytes for tensor in values if tensor is not None)


def save(model: ir.Model, path: str | Path) -> None:
    """Writes a model.

    The weights go to `path`.data where they came from an external file, or where a protobuf cannot hold them.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"no folder {path.parent} to write {path.name} to")
    apart = bool(external_tensors(model)) or weight_bytes(model) > INLINE_BYTES
    ir.save(model, path, external_data=f"{path.name}.data" if apart else None)
