# SPDX-License-Identifier: Apache-2.0
"""Runs the node cases that ONNX publishes through our operators.

A file adapters/<operator>.py has the node's type in `NODE`. Its function `evaluate(run, attributes, *inputs)`
computes the node's first results by calls of `run(operator, **arguments)`, or raises `Declined` with the reason.
"""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

import pytest

from ascend_vision_ops import operators
from ascend_vision_ops.testing.run import run

pytest.importorskip("onnx", reason="the published cases come with the package onnx")
nodes = pytest.importorskip("tests.onnx_nodes.nodes")

FACES = ("cpu", "aclnn")
FILES = sorted((Path(__file__).parent / "adapters").glob("*.py"))


@functools.cache
def adapter(operator: str):
    path = Path(__file__).parent / "adapters" / f"{operator}.py"
    spec = importlib.util.spec_from_file_location(f"onnx_node_{operator}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def runner(face: str):
    def call(operator: str, **arguments):
        results = run(operator, face, arguments)
        return results if len(results) > 1 else results[0]

    return call


ROWS = [(path.stem, case) for path in FILES for case in nodes.cases_of(adapter(path.stem).NODE)]


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(("operator", "case"), ROWS, ids=[f"{name}-{case}" for name, case in ROWS])
def test_node(operator, case, face):
    try:
        results = adapter(operator).evaluate(runner(face), dict(case.attributes), *case.inputs)
    except nodes.Declined as reason:
        pytest.skip(f"{adapter(operator).NODE}: {reason}")
    results = results if isinstance(results, tuple) else (results,)
    for got, want in zip(results, case.outputs[: len(results)], strict=True):
        nodes.near(got, want)


@pytest.mark.parametrize("operator", [path.stem for path in FILES])
def test_cases_were_found_and_most_run(operator):
    """An adapter that finds no case, or declines all, would test nothing."""
    assert operator in operators()
    cases = nodes.cases_of(adapter(operator).NODE)
    declined = 0
    for case in cases:
        try:
            adapter(operator).evaluate(runner("cpu"), dict(case.attributes), *case.inputs)
        except nodes.Declined:
            declined += 1
    assert len(cases) > 0
    assert 2 * declined < len(cases), f"{declined} of {len(cases)} declined"
