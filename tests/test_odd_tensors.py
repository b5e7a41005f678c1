# SPDX-License-Identifier: Apache-2.0
"""Tensors that no operator takes: odd dtypes, layouts and devices. The error names the parameter and what it got."""

from __future__ import annotations

import re

import pytest
import torch

from ascend_vision_ops import operators, ops
from ascend_vision_ops.testing.run import spec_of
from ascend_vision_ops.testing.torch_calls import TorchCall, example

OPERATORS = [operator for operator in operators() if not spec_of(operator).composite]
DTYPES = sorted({value for value in vars(torch).values() if isinstance(value, torch.dtype)}, key=str)
QUANTIZED = {torch.quint8, torch.qint8, torch.qint32, torch.quint4x2, torch.quint2x4}
ODD = [dtype for dtype in DTYPES if dtype not in QUANTIZED]


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def message(call: TorchCall, **changed: object) -> str:
    """What the call says with other arguments; an empty text where it succeeds."""
    try:
        getattr(ops, call.operator)(**{**call.arguments, **changed})
    except (RuntimeError, TypeError) as error:
        return str(error)
    return ""


def expect(text: str, operator: str, parameter: str, got: str) -> None:
    """Checks that an error names the operator and the parameter, says what was expected, and names what came."""
    pattern = rf"{operator}: {parameter}: expected [^\n]*, got [^\n]*{re.escape(got)}"
    assert re.match(pattern, text), f"expected {pattern!r}, got {text!r}"


@pytest.mark.parametrize("operator", OPERATORS)
def test_dtypes(operator):
    spec, call, refused = spec_of(operator), example(operator), 0
    for name in call.names:
        tensor = call.arguments[name]
        known = {getattr(torch, dtype) for dtype in spec.input_dtypes(name) + spec.cpu_dtypes.get(name, [])}
        for dtype in (each for each in ODD if each not in known):
            text = message(call, **{name: torch.empty(tensor.shape, dtype=dtype)})
            expect(text, operator, name, name_of(dtype))
            refused += 1
    assert refused > 30


@pytest.mark.parametrize("operator", OPERATORS)
def test_conjugates(operator):
    call = example(operator)
    for name in call.names:
        odd = torch.zeros(call.arguments[name].shape, dtype=torch.complex64).conj()
        expect(message(call, **{name: odd}), operator, name, "complex64")


@pytest.mark.parametrize("operator", OPERATORS)
def test_layouts(operator):
    call = example(operator)
    for name in call.names:
        tensor = call.arguments[name]
        odd = {
            "SparseCPU": tensor.to_sparse(),
            "SparseCsrCPU": torch.zeros(4, 4).to_sparse_csr(),
            "NestedTensor": torch.nested.nested_tensor([tensor.float()]),
            "QuantizedCPU": torch._empty_affine_quantized(
                tensor.shape, scale=1, zero_point=0, dtype=torch.quint8
            ),
        }
        for backend, value in odd.items():
            # torch itself refuses these, because no kernel is registered for them.
            assert re.search(rf"ascend_vision_ops::{operator}\b.*{backend}", message(call, **{name: value}))


@pytest.mark.parametrize("operator", OPERATORS)
def test_devices(operator):
    call = example(operator)
    first, *others = call.names
    for name in others:
        there = call.arguments[name].to("meta")
        expect(message(call, **{name: there}), operator, name, "meta")
    if others:
        there = call.arguments[first].to("meta")
        expect(message(call, **{first: there}), operator, r"\w+", "cpu")


@pytest.mark.parametrize("operator", OPERATORS)
def test_nothing_and_texts(operator):
    call = example(operator)
    tensors = {parameter.name: parameter for parameter in spec_of(operator).visible if parameter.is_tensor}
    for name in call.names:
        assert re.search(rf"'{name}'.*str", message(call, **{name: "text"}))
        if not tensors[name].optional:
            text = message(call, **{name: None})
            # Without any tensor, torch does not know which kernel to call.
            assert "no tensor arguments" in text or re.match(
                rf"{operator}: {name}: expected a tensor, got none", text
            )


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_dtypes_of_results(device):
    chosen = [
        (operator, p.name) for operator in OPERATORS for p in spec_of(operator).visible if "dtype" in p.type
    ]
    assert chosen
    for operator, name in chosen:
        spec = spec_of(operator)
        call = example(operator).map(lambda tensor: tensor.to(device))
        known = {getattr(torch, dtype) for output in spec.outputs for dtype in spec.dtypes[output]}
        for dtype in DTYPES:
            text = message(call, **{name: dtype})
            if dtype in known:
                assert text == ""
            # Torch's own words are those before our function is called.
            elif "Not yet supported ScalarType" not in text:
                expect(text, operator, name, name_of(dtype))


def test_the_check_sees_a_number_in_the_place_of_a_name():
    with pytest.raises(AssertionError, match="complex64"):
        expect("argmax: self: expected float32, got dtype -1", "argmax", "self", "complex64")
    expect("argmax: self: expected float32, got complex64", "argmax", "self", "complex64")
