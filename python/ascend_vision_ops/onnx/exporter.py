# SPDX-License-Identifier: Apache-2.0
"""Exports torch models: our operators become the nodes of their names, by torch's own exporter."""

from __future__ import annotations

import ascend_vision_ops.onnx._needs

# isort: split
import functools
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import torch
from onnxscript import opset18
from onnxscript.values import Op, Opset

import ascend_vision_ops.ops  # noqa: F401  registers the operators with torch
from ascend_vision_ops.onnx import Attribute, Node, contracts, node, nodes, schemas
from ascend_vision_ops.onnx.files import save
from ascend_vision_ops.onnx.flavours import ATC_OPSET
from ascend_vision_ops.onnx.passes import Manager, passes_of
from ascend_vision_ops.opgen.nodes import DOMAIN, ONNX_DTYPES

FLAVOURS = ("ort", "atc")
OLDEST, TORCHS = (
    16,
    18,
)  # operator sets: the oldest that is made, and the one that torch's exporter is written for


class ExportError(ValueError):
    """A model that has no counterpart in ONNX; the text says which part of it."""


def export(
    model: torch.nn.Module | torch.export.ExportedProgram,
    args: torch.Tensor | Sequence[object],
    path: str | Path,
    flavour: str = "ort",
    *,
    opset: int = TORCHS,
    dynamic_shapes: object = None,
    kwargs: Mapping[str, object] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
) -> ir.Model:
    """Exports a model to ONNX by torch's exporter; our operators become nodes of domain ``ascend_vision_ops``.

    ``torch.cummax`` and ``torch.cummin`` become such nodes too, which ONNX lacks; linear interpolation of (N, C, L)
    becomes Resize. All else is torch's: `grid_sample` becomes GridSample, max pooling MaxPool.

    model, args, kwargs, dynamic_shapes, input_names, output_names: as in ``torch.onnx.export``. The model should be in
    evaluation mode, on the CPU.
    path: the file to write; weights that a protobuf cannot hold go to ``path``.data.
    flavour: ``ort``, for ONNX Runtime with `register`; or ``atc``, for Ascend's ATC: one operator set, custom nodes
    without a domain under the names that `ascend_vision_ops.onnx.flavours` describes.
    opset: the standard operator set, 16 or newer; at most 18 for ATC.

    Returns the model that was written. Raises ExportError, a ValueError, for an unknown flavour or an operator set out
    of range, where an attribute would depend on sizes known at run time alone, where no conversion to the operator set
    exists, and for ATC where only the data decide the shape of a result; and ``torch.onnx.errors.OnnxExporterError``
    for what torch cannot export. Nothing is written then. Float attributes are rounded to 32 bits.
    """
    if flavour not in FLAVOURS:
        raise ExportError(f"flavour: expected {' or '.join(FLAVOURS)}, got {flavour!r}")
    newest = ATC_OPSET if flavour == "atc" else onnx.defs.onnx_opset_version()
    if isinstance(opset, bool) or not isinstance(opset, int) or not OLDEST <= opset <= newest:
        raise ExportError(f"opset: expected {OLDEST} to {newest} for flavour {flavour}, got {opset!r}")
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"no folder {path.parent} to write {path.name} to")
    schemas.register()
    try:
        # torch's exporter copies its own trees in a way that torch deprecates.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r".*isinstance\(treespec, LeafSpec\)", FutureWarning)
            program = torch.onnx.export(
                model,
                (args,) if isinstance(args, torch.Tensor) else tuple(args),
                kwargs=dict(kwargs or {}),
                dynamo=True,
                opset_version=max(opset, TORCHS),
                dynamic_shapes=dynamic_shapes,
                input_names=input_names,
                output_names=output_names,
                custom_translation_table=translations(),
                verbose=False,
            )
    except torch.onnx.errors.OnnxExporterError as error:
        raise _ours(error) or error from None
    found = program.model
    steps = ["inline_functions", f"convert_opset={opset}", "remove_dead"]
    if flavour == "atc":
        _refuse_open_results(found)
        steps.append("to_atc")
    report = Manager(passes_of(",".join(steps))).run_once(found)
    for row in report.rows:
        if row.refused:
            raise ExportError(f"{row.name}: {row.refused[0]}")
    save(found, path)
    return found


def _ours(error: BaseException | None) -> ExportError | None:
    """The error of a translation, which torch's exporter wraps in several of its own."""
    while error is not None and not isinstance(error, ExportError):
        error = error.__cause__
    return error


def _refuse_open_results(model: ir.Model) -> None:
    for made in model.graph.all_nodes():
        found = node(made.domain, made.op_type)
        if found and (called := contracts()[found.operator].composite):
            raise ExportError(
                f"{found.operator}: expected results of a fixed shape for flavour atc, got some that the data decide: "
                f"use {called}, or export for ort, cut_postprocessing and convert"
            )


# --- translations --------------------------------------------------------------------------------------------------


@functools.cache
def translations() -> dict[Callable, Callable]:
    """For torch's exporter: torch operator and function that makes its nodes."""
    ours = {found.operator: found for found in nodes() if found.domain == DOMAIN}
    packet = torch.ops.ascend_vision_ops
    table = {getattr(packet, name).default: _translation(found) for name, found in ours.items()}
    aten = torch.ops.aten
    # No node of ONNX's is a running maximum.
    for overload in (aten.cummax.default, aten.cummin.default):
        table[overload] = _translation(ours[overload.overloadpacket.__name__])
    table |= {aten.upsample_linear1d.default: _resize, aten.upsample_linear1d.vec: _resize_by_factors}
    table[packet._valid.default] = _refuse_parts
    return table


def _refuse_parts(rows, count):
    """What composites as nms consist of is no node."""
    raise ExportError(
        "model: expected operators such as nms in one piece, got a program that they were taken apart in by "
        "run_decompositions(): export the module, or the program before that"
    )


def _translation(found: Node) -> Callable:
    spec = contracts()[found.operator]
    parameters = [
        inspect.Parameter(
            parameter.name,
            inspect.Parameter.KEYWORD_ONLY
            if parameter.keyword_only
            else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=parameter.default if parameter.has_default else inspect.Parameter.empty,
        )
        for parameter in spec.visible
    ]
    signature = inspect.Signature(parameters)

    def translate(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        attributes, casts = {}, {}
        for attribute in found.attributes:
            value = _value(found, attribute, given.get(attribute.parameter))
            if attribute.type == "dtype":
                chosen = [name for name, by in spec.dtype_from.items() if attribute.parameter in by.names]
                casts |= {
                    name: value for name in chosen if value not in (None, ONNX_DTYPES[spec.dtypes[name][0]])
                }
            elif value is not None:
                attributes[attribute.name] = value
        return _make(found, [given.get(item.parameter) for item in found.inputs], attributes, casts)

    translate.__name__ = found.operator
    return translate


def _make(found: Node, inputs: list, attributes: Mapping[str, object], casts: Mapping[str, int]):
    """The node; results whose dtype an attribute chooses have their first one, as ONNX Runtime fixes it, and a Cast."""
    while inputs and inputs[-1] is None:
        inputs.pop()
    operator = Op(Opset(found.domain, 1), found.name, onnx.defs.get_schema(found.name, 1, found.domain))
    results = operator(*inputs, **attributes)
    if not casts:
        return results
    several = isinstance(results, Sequence)
    made = [
        opset18.Cast(result, to=casts[name]) if name in casts else result
        for name, result in zip(found.outputs, results if several else [results], strict=True)
    ]
    return made if several else made[0]


def _value(found: Node, attribute: Attribute, value: object) -> object:
    """A parameter as an attribute's value; None where it is left out."""
    if value is None or (attribute.type == "dtype" and value == -1):  # -1: torch's exporter for None
        return None
    parts = value if isinstance(value, (list, tuple)) else [value]
    if any(isinstance(part, ir.Value) for part in parts):
        raise ExportError(
            f"{found.operator}: {attribute.parameter}: expected a constant, since it is an attribute in ONNX, got a "
            "value that is known at run time alone, such as a size of dynamic_shapes"
        )
    if attribute.type == "ints":
        return [
            int(part)
            for part in (parts * attribute.length if attribute.length and len(parts) == 1 else parts)
        ]
    return {"float": float, "str": str}.get(attribute.type, int)(value)


def _resize_by_factors(self, output_size, align_corners, scale_factors=None):
    """The overload that `torch.nn.functional.interpolate` calls: with a length, or with a factor."""
    if scale_factors is None:
        return _resize(self, output_size, align_corners)
    factor, length = scale_factors[0], self.shape[2]
    if isinstance(length, int):
        return _resize(self, [int(length * factor)], align_corners, factor)
    if not float(factor * 256).is_integer():  # ONNX forms the length in float32, torch in double
        raise ExportError(
            "interpolate: scale_factor: expected a multiple of 1/256 where the length is known at run time alone, "
            f"got {factor}: give a size, or recompute_scale_factor=True"
        )
    return _resize_by(self, factor, align_corners)


def _resize(self, output_size, align_corners, scales=None):
    """Linear interpolation of (N, C, L): half_pixel is torch's also where the result has one sample."""
    size, length = output_size[0], self.shape[2]
    known = isinstance(size, int) and isinstance(length, int)
    if known and size == length:
        return opset18.Identity(self)
    if scales is None or align_corners or (known and scales == size / length):
        kept = opset18.Shape(self, start=0, end=2)
        last = opset18.Constant(value_ints=[size]) if isinstance(size, int) else opset18.Reshape(size, [-1])
        return opset18.Resize(self, None, None, opset18.Concat(kept, last, axis=0), **_linear(align_corners))
    if known and int(np.float32(length) * np.float32(scales)) != size:
        # As float32, the factor would give another length: our node takes both.
        attributes = {"output_size": [size], "align_corners": 0, "scales": scales}
        return _make(node(DOMAIN, "upsample_linear1d"), [self], attributes, {})
    return _resize_by(self, scales, align_corners)


def _resize_by(self, factor, align_corners):
    factors = opset18.Constant(value_floats=[1.0, 1.0, float(factor)])
    return opset18.Resize(self, None, factors, **_linear(align_corners))


def _linear(align_corners) -> dict[str, str]:
    mode = "align_corners" if align_corners else "half_pixel"
    return {"mode": "linear", "coordinate_transformation_mode": mode}
