# SPDX-License-Identifier: Apache-2.0
"""Every operator on every case, dtype and target against the reference; the reference against independent ones.

Nothing here names an operator: contracts and case files are found.
"""

from __future__ import annotations

import warnings

import hypothesis
import numpy as np
import pytest
from conftest import note
from hypothesis import strategies as st

from ascend_vision_ops import operators, reference
from ascend_vision_ops.testing import BoundCase, Case, cases_module, parse_case
from ascend_vision_ops.testing.cases import numpy_dtype
from ascend_vision_ops.testing.run import (
    TARGETS,
    cases_of,
    expected,
    judge,
    missing,
    rerun_line,
    run,
    spec_of,
    to_torch,
)

warnings.filterwarnings("ignore", message="The given NumPy array is not writable")


def pytest_generate_tests(metafunc):
    config = metafunc.config
    if {"case", "target"} <= set(metafunc.fixturenames):
        rows = _rows(config)
        metafunc.parametrize(("case", "target"), rows, ids=[f"{target}:{case.text}" for case, target in rows])
    elif "case" in metafunc.fixturenames:
        # One of the dtypes stands for all: these tests compute in float64.
        found = {
            case.case.id: case for operator in _operators(config) for case in reversed(cases_of(operator))
        }
        metafunc.parametrize("case", found.values(), ids=[case.text for case in found.values()])
    elif "operator" in metafunc.fixturenames:
        metafunc.parametrize("operator", _operators(config))


def _operators(config) -> list[str]:
    only = config.getoption("--op")
    return [only] if only else operators()


def _rows(config) -> list[tuple[BoundCase, str]]:
    line = config.getoption("--case")
    targets = list(TARGETS)
    if line is None:
        cases = [case for operator in _operators(config) for case in cases_of(operator)]
    else:
        head, colon, rest = line.partition(":")
        if colon and head in TARGETS:
            targets, line = [head], rest
        cases = [parse_case(line)]
    for target in targets:
        if missing(target):
            note(config, target, f"0 of {len(cases)} run, {missing(target)}")
    return [(case, target) for case in cases for target in targets if not missing(target)]


def check(case: BoundCase, target: str) -> None:
    wrong = {name: verdict.message for name, verdict in judge(case, target).items() if not verdict.ok}
    assert not wrong, f"{wrong}\nrerun: {rerun_line(case, target)}"


def test_op(case, target):
    check(case, target)


def test_random_calls(operator):
    """Calls that hypothesis draws from the case file's `strategy()`, on all targets that run here."""
    module = cases_module(operator)
    if not hasattr(module, "strategy"):
        pytest.skip(f"tests/cases/{operator}.py has no strategy()")
    spec = spec_of(operator)
    tensors = [parameter.name for parameter in spec.tensors]

    @hypothesis.settings(max_examples=60, deadline=None, derandomize=True)
    @hypothesis.given(args=module.strategy(), instance=st.sampled_from(spec.instances))
    def agree(args, instance):
        case = BoundCase(
            operator, Case("random", args), {name: spec.dtype_of(name, instance) for name in tensors}
        )
        hypothesis.note(case.text)
        for target in TARGETS:
            if not missing(target):
                check(case, target)

    agree()


# --- the reference, against implementations that are not ours ---------------------------------------------------------


def wide_arguments(case: BoundCase) -> dict[str, object]:
    """The case's arguments with floating arrays in float64, dense."""
    return {
        name: value.astype(np.float64)
        if isinstance(value, np.ndarray) and value.dtype.kind in "fV"
        else value
        for name, value in case.arguments().items()
    }


def test_reference_against_oracle(case, request):
    oracle = getattr(cases_module(case.operator), "oracle", None)
    if oracle is None:
        note(request.config, f"reference of {case.operator}", "no independent oracle in its case file")
        pytest.skip("no oracle")
    arguments = wide_arguments(case)
    tensors = {
        name: to_torch(value) if isinstance(value, np.ndarray) else value for name, value in arguments.items()
    }
    theirs = oracle(**tensors)
    if theirs is None:
        pytest.skip("the oracle does not define this call")
    theirs = theirs if isinstance(theirs, tuple) else (theirs,)
    for ours, other in zip(expected(case.operator, arguments), theirs, strict=True):
        np.testing.assert_allclose(ours, other.numpy(), rtol=1e-9, atol=1e-9)


def test_gradient_of_reference(operator):
    """The backward operator is the derivative: directional central differences of the forward reference."""
    spec = spec_of(operator)
    if not spec.backward:
        pytest.skip("no backward")
    rng = np.random.default_rng(0)
    checked = 0
    for case in {case.case.id: case for case in cases_of(operator)}.values():
        arguments = wide_arguments(case)
        outputs = expected(operator, arguments)
        if sum(output.size for output in outputs) > 1_000_000 or not all(
            np.isfinite(o).all() for o in outputs
        ):
            continue
        for gradient in spec.backward:
            cotangents = [rng.standard_normal(output.shape) for output in outputs]
            values = {**arguments, **dict(zip(spec.outputs, outputs, strict=True))}
            values |= {f"grad_{name}": value for name, value in zip(spec.outputs, cotangents, strict=True)}
            ours = getattr(reference, gradient.operator)(
                *(argument.evaluate(values) for argument in gradient.arguments)
            )
            ours = ours if isinstance(ours, tuple) else (ours,)
            for name, grad in zip(gradient.inputs, ours, strict=True):
                direction, step = rng.standard_normal(arguments[name].shape), 1e-4
                ahead, behind = (
                    expected(operator, {**arguments, name: arguments[name] + sign * step * direction})
                    for sign in (1, -1)
                )
                slopes = [(a - b) / (2 * step) for a, b in zip(ahead, behind, strict=True)]
                want = sum(float((slope * g).sum()) for slope, g in zip(slopes, cotangents, strict=True))
                got = float((grad * direction).sum())
                scale = np.linalg.norm(direction) * np.linalg.norm(grad)
                assert got == pytest.approx(want, abs=1e-6 * (scale + 1)), case.text
        checked += 1
    assert checked, "no case to differentiate"


# --- the torch operator -------------------------------------------------------------------------------------------------


def float_calls(operator: str, limit: int) -> list[BoundCase]:
    """The first cases with float32 tensors only that make something."""
    cases = [case for case in cases_of(operator) if set(case.dtypes.values()) == {"float32"}]
    small = [
        case
        for case in cases
        if 0 < sum(a.size for a in case.arguments().values() if hasattr(a, "size")) < 10000
    ]
    return small[:limit]


def test_torch_autograd_against_oracle(operator):
    """loss.backward() through our operator gives what it gives through the oracle's own autograd."""
    oracle = getattr(cases_module(operator), "oracle", None)
    if oracle is None or not spec_of(operator).backward:
        pytest.skip("no oracle or no backward")
    import torch

    function = torch.ops.ascend_vision_ops
    from ascend_vision_ops import ops

    tolerance = spec_of(operator).tolerance["float32"]
    for case in float_calls(operator, 20):
        gradients = []
        for call, dtype in ((getattr(ops, operator), torch.float32), (oracle, torch.float64)):
            tensors = {
                k: to_torch(v).to(dtype).clone() if isinstance(v, np.ndarray) else v
                for k, v in case.arguments().items()
            }
            leaves = [t.requires_grad_() for t in tensors.values() if isinstance(t, torch.Tensor)]
            results = call(**tensors)
            if results is None:
                break
            results = results if isinstance(results, tuple) else (results,)
            torch.manual_seed(0)
            loss = sum((r * torch.randn(r.shape).to(dtype)).sum() for r in results)
            gradients.append(torch.autograd.grad(loss, leaves))
        if len(gradients) == 2:
            for ours, theirs in zip(*gradients, strict=True):
                bound = tolerance.absolute * 10 * (1 + theirs.abs().max().item())
                torch.testing.assert_close(
                    ours.double(), theirs, rtol=1e-5, atol=bound, msg=lambda m: f"{case.text}: {m}"
                )
    assert function


def test_torch_opcheck(operator):
    """Schema, fake kernel and autograd registration, as torch.library checks them."""
    import torch

    from ascend_vision_ops import ops

    assert ops
    overload = getattr(torch.ops.ascend_vision_ops, operator).default
    for case in float_calls(operator, 2):
        tensors = {
            k: to_torch(v).clone() if isinstance(v, np.ndarray) else v for k, v in case.arguments().items()
        }
        names = [argument.name for argument in overload._schema.arguments]
        positional = tuple(tensors[name] for name in names if name in tensors)
        torch.library.opcheck(overload, positional)


# --- faces agree on their signatures ------------------------------------------------------------------------------------


def test_faces_have_one_signature(operator):
    import inspect

    import ascend_vision_ops as avo

    schema = [parameter.name for parameter in spec_of(operator).visible]
    for face in (reference, avo.aclnn, avo.cpu, avo.ops):
        signature = inspect.signature(getattr(face, operator))
        names = [name for name in signature.parameters if name != "out"]
        assert names == schema, face.__name__
        defaults = {
            k: p.default for k, p in signature.parameters.items() if p.default is not p.empty and k != "out"
        }
        expected_defaults = {p.name: p.default for p in spec_of(operator).visible if p.has_default}
        assert defaults == expected_defaults, face.__name__


def test_results_are_deterministic(operator):
    """Two runs give the same bits, on every target that runs here."""
    case = cases_of(operator)[0]
    for target in TARGETS:
        if not missing(target):
            first, second = (run(operator, target, case.arguments()) for _ in range(2))
            for a, b in zip(first, second, strict=True):
                np.testing.assert_array_equal(a.view(np.uint8), b.view(np.uint8))


def test_dtypes_of_results(operator):
    """Results have the dtype that the contract gives them."""
    spec = spec_of(operator)
    for instance in spec.instances:
        case = next(
            c
            for c in cases_of(operator)
            if all(c.dtypes[t] == instance[t] for t in instance if t in c.dtypes)
        )
        for name, result in zip(spec.outputs, run(operator, "cpu", case.arguments()), strict=True):
            assert result.dtype == numpy_dtype(spec.dtype_of(name, instance))
