# SPDX-License-Identifier: Apache-2.0
"""Writes the graph of a model as one page of HTML, which needs no server, no network and no other file."""

from __future__ import annotations

import contextlib
from pathlib import Path

import onnx_ir as ir

from ascend_vision_ops.onnx import schemas
from ascend_vision_ops.onnx.passes._shapes import infer_shapes
from ascend_vision_ops.onnx.runners import NEWEST, release_of
from ascend_vision_ops.onnx.view.content import content_of
from ascend_vision_ops.page import write


def write_view(
    model: ir.Model,
    path: str | Path,
    title: str,
    after: ir.Model | None = None,
    release: str = NEWEST,
) -> None:
    """Writes the page.

    Shapes that the models do not state are inferred, on a copy.

    Args:
        model: the model to show
        path: the file to write
        title: what the page is called
        after: the model to compare with, such as the same one after passes; the page shows both in one graph
        release: the release of CANN whose public list of operators says what ATC converts

    Raises:
        ValueError: there is no list of that release
        FileNotFoundError: there is no folder for the page
    """
    release_of(release)
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(f"no folder {Path(path).parent} to write {Path(path).name} to")
    schemas.register()
    shown = [None if one is None else _inferred(one) for one in (model, after)]
    write(path, title, {"title": title, **content_of(shown[0], shown[1], release)}, Path(__file__).parent)


def _inferred(model: ir.Model) -> ir.Model:
    copy = model.clone()
    # A model that breaks the rules of a node has no shapes behind it; the graph is worth seeing all the same.
    with contextlib.suppress(Exception):
        infer_shapes(copy)
    return copy
