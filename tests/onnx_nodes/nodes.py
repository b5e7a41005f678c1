# SPDX-License-Identifier: Apache-2.0
"""The node cases that ONNX publishes with its Python package: inputs, attributes and results."""

from __future__ import annotations

import functools
import importlib
import sys
from dataclasses import dataclass

import numpy as np

# The tolerances of ONNX's own backend tests.
RTOL, ATOL = 1e-3, 1e-7


class Declined(Exception):
    """The reason why a case does not run: something that the operator does not have. The summary of skips shows it."""


@dataclass(frozen=True)
class NodeCase:
    """One published case. None stands for an input or output that the node leaves out."""

    name: str
    attributes: dict[str, object]
    inputs: list[np.ndarray | None]
    outputs: list[np.ndarray | None]

    def __str__(self) -> str:
        return self.name


@functools.cache
def cases_of(op_type: str) -> list[NodeCase]:
    """Collects every published case of nodes of one type. A module of that name hands them over when it is imported.

    `load_model_tests` would build all 1,900 cases of all operators, which takes a minute.
    """
    from onnx import helper
    from onnx.backend.test.case import node as published

    found = []

    def expect(node, inputs, outputs, name, **_):
        if node.op_type == op_type:
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            given, wanted = iter(inputs), iter(outputs)
            found.append(
                NodeCase(
                    name,
                    {k: v.decode() if isinstance(v, bytes) else v for k, v in attributes.items()},
                    [next(given) if text else None for text in node.input],
                    [next(wanted) if text else None for text in node.output],
                )
            )

    original, published.expect = published.expect, expect
    try:
        name = f"{published.__name__}.{op_type.lower()}"
        # A module hands its cases over when it is imported; if it was imported before, it is imported again.
        importlib.reload(sys.modules[name]) if name in sys.modules else importlib.import_module(name)
    finally:
        published.expect = original
    return found


def near(got: np.ndarray, want: np.ndarray) -> None:
    """Compares floats with the tolerances of ONNX's backend tests, and integers exactly."""
    assert got.shape == want.shape
    if np.issubdtype(want.dtype, np.floating):
        np.testing.assert_allclose(got, want, rtol=RTOL, atol=ATOL)
    else:
        np.testing.assert_array_equal(got, want)
