# SPDX-License-Identifier: Apache-2.0
"""Passes over ONNX graphs. Each is a file of its own and is known by its name.

``PRESETS``       lists of passes by name: ``default`` makes a graph smaller and keeps its interface
``passes_of``     makes the passes that a text names, such as ``default,prelu_to_relu,convert_opset=17``
``simplify``      runs passes over a model until none of them changes it
``Pass``, ``NodePass``, ``GraphPass``, ``RulePass``, ``register``   for a pass of your own
"""

from __future__ import annotations

import ascend_vision_ops.onnx._needs  # noqa: F401

# isort: split
import importlib
import pkgutil
from typing import TYPE_CHECKING

import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import (
    EXACT,
    REGISTRY,
    ROUNDED,
    GraphPass,
    NodePass,
    Outcome,
    Pass,
    Refused,
    make,
    register,
)
from ascend_vision_ops.onnx.passes._check import Checker, CheckFailed
from ascend_vision_ops.onnx.passes._manager import Manager, Report, Row

if TYPE_CHECKING:
    from ascend_vision_ops.onnx.passes._rules import RulePass

__all__ = [
    "EXACT", "PRESETS", "REGISTRY", "ROUNDED", "CheckFailed", "Checker", "GraphPass", "Manager", "NodePass", "Outcome",
    "Pass", "Refused", "Report", "Row", "RulePass", "make", "passes_of", "register", "simplify",
]  # fmt: skip

# A pass is a module beside this one whose name has no underscore in front.
for _module in pkgutil.iter_modules(__path__):
    if not _module.name.startswith("_"):
        importlib.import_module(f"{__name__}.{_module.name}")


def __getattr__(name: str):
    if name == "RulePass":  # brings onnxscript's rewriter
        from ascend_vision_ops.onnx.passes._rules import RulePass

        return RulePass
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


PRESETS = {
    "default": (
        "inline_functions", "fold_constants", "inline_branches", "inline_loops", "shape_glue", "merge_shapes",
        "remove_identity", "remove_noop", "merge_equal", "merge_chains", "merge_slices", "merge_gathers", "fuse_stacks",
        "fuse_transposes", "fuse_conv_bn", "fuse_conv_affine", "merge_constants", "fuse_pad_conv", "fuse_gemm",
        "fuse_reductions", "simplify_prelu", "remove_zero_states", "remove_dead",
    ),
}  # fmt: skip


def passes_of(text: str) -> list[Pass]:
    """Makes the passes of a text: `name`, `name=argument` or a preset, with commas. ValueError for unknown ones."""
    names = [part.strip() for part in text.split(",") if part.strip()]
    if not names:
        raise ValueError(f"expected passes between commas, got {text!r}")
    return [make(name) for part in names for name in PRESETS.get(part, (part,))]


def simplify(model: ir.Model, passes: str = "default", checker: Checker | None = None) -> Report:
    """Runs passes over the model, in place, until a whole round of them changes nothing.

    passes: see `passes_of`. Raises ValueError for unknown passes, CheckFailed where a pass changes the results.
    """
    return Manager(passes_of(passes), checker).run_to_fixed_point(model)
