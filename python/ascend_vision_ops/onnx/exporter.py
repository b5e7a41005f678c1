# SPDX-License-Identifier: Apache-2.0
"""Exports torch models by torch's own exporter. Our operators become the nodes with their names."""

from __future__ import annotations

import ascend_vision_ops.onnx._needs

# isort: split
import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import onnx
import onnx_ir as ir
import torch

import ascend_vision_ops.ops  # noqa: F401  registers the operators with torch
from ascend_vision_ops.onnx import contracts, exports, node, nodes, schemas
from ascend_vision_ops.onnx.files import save
from ascend_vision_ops.onnx.flavours import ATC_OPSET
from ascend_vision_ops.onnx.passes import Manager, passes_of
from ascend_vision_ops.onnx.translate import ExportError, translation
from ascend_vision_ops.opgen.nodes import DOMAIN

FLAVOURS = ("ort", "atc")
OLDEST_OPSET = 16  # the oldest operator set that `export` makes
TORCHS_OPSET = 18  # the operator set that torch's exporter is written for


def export(
    model: torch.nn.Module | torch.export.ExportedProgram,
    args: torch.Tensor | Sequence[object],
    path: str | Path,
    flavour: str = "ort",
    *,
    opset: int = TORCHS_OPSET,
    dynamic_shapes: object = None,
    kwargs: Mapping[str, object] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
) -> ir.Model:
    """Exports a model to ONNX by torch's exporter; our operators become nodes of domain ``ascend_vision_ops``.

    Operators of torch for which ONNX has no node, such as ``torch.cummax``, become our nodes too. Linear interpolation
    of (N, C, L) becomes Resize. Everything else is torch's: `grid_sample` becomes GridSample, max pooling MaxPool.

    model, args, kwargs, dynamic_shapes, input_names, output_names: as in ``torch.onnx.export``. The model should be in
    evaluation mode, on the CPU.
    path: the file to write; weights that a protobuf cannot hold go to ``path``.data.
    flavour: ``ort``, for ONNX Runtime with `register`; or ``atc``, for Ascend's ATC: one operator set, custom nodes
    without a domain under the names that `ascend_vision_ops.onnx.flavours` describes.
    opset: the standard operator set, 16 or newer; at most 18 for ATC.

    Returns the model that was written. Float attributes are rounded to 32 bits.

    Raises, and writes nothing then:
        ExportError: a ValueError, for an unknown flavour or an operator set out of range; where an attribute would
            depend on a size that is known at run time alone; where no conversion to the operator set exists; for ATC
            where only the data decide the shape of a result
        torch.onnx.errors.OnnxExporterError: torch cannot export a part of the model
    """
    if flavour not in FLAVOURS:
        raise ExportError(f"flavour: expected {' or '.join(FLAVOURS)}, got {flavour!r}")
    newest = ATC_OPSET if flavour == "atc" else onnx.defs.onnx_opset_version()
    if isinstance(opset, bool) or not isinstance(opset, int) or not OLDEST_OPSET <= opset <= newest:
        raise ExportError(f"opset: expected {OLDEST_OPSET} to {newest} for flavour {flavour}, got {opset!r}")
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
                opset_version=max(opset, TORCHS_OPSET),
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
        _refuse_for_atc(found)
        steps.append("to_atc")
    report = Manager(passes_of(",".join(steps))).run_once(found)
    for row in report.rows:
        if row.refused:
            raise ExportError(f"{row.name}: {row.refused[0]}")
    save(found, path)
    return found


def _ours(error: BaseException | None) -> ExportError | None:
    """The error of a translation. torch's exporter wraps it in several errors of its own."""
    while error is not None and not isinstance(error, ExportError):
        error = error.__cause__
    return error


def _refuse_for_atc(model: ir.Model) -> None:
    """ATC needs a kernel and fixed shapes: raises ExportError for an operator without an AscendC kernel, and for a
    composite, whose results have sizes that the data decide."""
    for made in model.graph.all_nodes():
        found = node(made.domain, made.op_type)
        if found and not contracts()[found.operator].on_device:
            raise ExportError(
                f"{found.operator}: expected an operator with an AscendC kernel for flavour atc, got one that has none "
                "yet: export for ort"
            )
        if found and (called := contracts()[found.operator].composite):
            raise ExportError(
                f"{found.operator}: expected results of a fixed shape for flavour atc, got some that the data decide: "
                f"use {called}, or export for ort, cut_postprocessing and convert"
            )


# --- translations --------------------------------------------------------------------------------------------------


@functools.cache
def translations() -> dict[Callable, Callable]:
    """For torch's exporter: torch operator -> function that makes its nodes."""
    ours = torch.ops.ascend_vision_ops
    names = [found.operator for found in nodes() if found.domain == DOMAIN]
    return {
        **{getattr(ours, name).default: translation(name) for name in names},
        **exports.translations(),
        ours._valid.default: _refuse_parts,
    }


def _refuse_parts(rows, count):
    """A composite that torch has taken apart contains `_valid`, which is no node."""
    raise ExportError(
        "model: expected operators with results of any size in one piece, got a program in which "
        "run_decompositions() took them apart: export the module, or the program before that call"
    )
