# SPDX-License-Identifier: Apache-2.0
"""Compares every operator on every case, dtype and target with the reference, and the reference with implementations
that are not ours.

Nothing here names an operator: the tests find the contracts and the case files.
"""

from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from ascend_vision_ops import operators, reference
from ascend_vision_ops.testing import BoundCase, Case, cases_module, parse_case
from ascend_vision_ops.testing.cases import numpy_dtype
from ascend_vision_ops.testing.compare import is_float
from ascend_vision_ops.testing.run import (
    TARGETS,
    as_tuple,
    cases_of,
    expected,
    judge,
    missing,
    rerun_line,
    run,
    spec_of,
    takes,
    to_torch,
)

HERE = [target for target in TARGETS if not missing(target)]
pytestmark = pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")


@pytest.fixture(scope="module", autouse=True)
def warnings_of_the_simulated_device_are_errors():
    """Strangers' kernels may do what the device allows and is dangerous; ours may not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AVO_SIM_WARNINGS", "error")
        yield


def pytest_generate_tests(metafunc):
    config, wanted = metafunc.config, set(metafunc.fixturenames)
    if {"case", "target"} <= wanted:
        rows = _rows(config)
        metafunc.parametrize(("case", "target"), rows, ids=[f"{target}:{case.text}" for case, target in rows])
    elif "case" in wanted:
        cases = [case for operator in _operators(config, metafunc) for case in _one_dtype(operator)]
        metafunc.parametrize("case", cases, ids=[case.text for case in cases])
    elif "operator" in wanted:
        metafunc.parametrize("operator", _operators(config, metafunc))


def _operators(config, metafunc=None) -> list[str]:
    """Gives the operators of --op, or all. For a test marked `differentiable` it keeps those whose contract has a
    gradient.
    """
    found = config.getoption("--op") or operators()
    marked = metafunc and metafunc.definition.get_closest_marker("differentiable")
    return [operator for operator in found if spec_of(operator).backward] if marked else found


def _one_dtype(operator: str) -> list[BoundCase]:
    """Gives each case once, for tests that compute in float64."""
    return list({case.case.id: case for case in reversed(cases_of(operator))}.values())


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
    return [(case, target) for case in cases for target in targets if target in HERE and takes(target, case)]


def check(case: BoundCase, target: str) -> None:
    wrong = {name: verdict.message for name, verdict in judge(case, target).items() if not verdict.ok}
    assert not wrong, f"{wrong}\nrerun: {rerun_line(case, target)}"


@pytest.mark.cpu_kernels
def test_op(case, target):
    check(case, target)


@pytest.mark.cpu_kernels
def test_the_line_of_every_case_is_read_back(operator):
    """By these lines cases are repeated, run on devices, and compared between reports."""
    assert [case.text for case in cases_of(operator)] == [
        parse_case(case.text).text for case in cases_of(operator)
    ]


@pytest.mark.cpu_kernels
def test_random_calls(operator):
    """Runs calls that hypothesis draws from the `strategy()` of the case file, on all targets that run here."""
    module, spec = cases_module(operator), spec_of(operator)
    if not hasattr(module, "strategy"):
        pytest.skip(f"tests/cases/*/{operator}.py has no strategy()")

    @hypothesis.settings(max_examples=40, deadline=None, derandomize=True)
    @hypothesis.given(args=module.strategy(), instance=st.sampled_from(spec.instances))
    def agree(args, instance):
        dtypes = {parameter.name: spec.dtype_of(parameter.name, instance) for parameter in spec.tensors}
        case = BoundCase(operator, Case("random", args), dtypes)
        hypothesis.note(case.text)
        for target in HERE:
            if takes(target, case):
                check(case, target)

    agree()


@pytest.mark.cpu_kernels
@pytest.mark.parametrize("target", HERE)
def test_results_are_deterministic(operator, target):
    """Two runs give the same bits."""
    case = cases_of(operator)[0]
    if not takes(target, case):
        pytest.skip("no AscendC kernel yet")
    for first, second in zip(*(run(operator, target, case.arguments()) for _ in range(2)), strict=True):
        assert first.tobytes() == second.tobytes()


# --- the reference, against implementations that are not ours


def as_torch(arguments: dict[str, object]) -> dict[str, object]:
    return {k: to_torch(v) if isinstance(v, np.ndarray) else v for k, v in arguments.items()}


def wide_arguments(case: BoundCase) -> dict[str, object]:
    """Gives the case's arguments with floating arrays in float64."""

    def wide(value):
        floating = isinstance(value, np.ndarray) and is_float(value.dtype)
        return value.astype(np.float64) if floating else value

    return {name: wide(value) for name, value in case.arguments().items()}


def oracle_of(operator: str):
    oracle = getattr(cases_module(operator), "oracle", None)
    if oracle is None:
        pytest.skip(f"tests/cases/*/{operator}.py has no oracle()")
    return oracle


def test_reference_against_oracle(case):
    oracle, arguments = oracle_of(case.operator), wide_arguments(case)
    theirs = oracle(**as_torch(arguments))
    if theirs is None:
        pytest.skip("the oracle declines this call")
    for ours, other in zip(expected(case.operator, arguments), as_tuple(theirs), strict=True):
        # 0 * inf and eps * inf differ, so next to an infinity the last bit of a weight decides.
        finite = np.isfinite(ours) & np.isfinite(other.numpy())
        bound = 1e-9 * np.abs(ours[finite]).max(initial=1.0)
        np.testing.assert_allclose(ours[finite], other.numpy()[finite], rtol=1e-9, atol=bound)


@pytest.mark.differentiable
def test_gradient_of_reference(case):
    """Compares the backward operator with central differences of the forward operator along a random line."""
    spec, arguments = spec_of(case.operator), wide_arguments(case)
    outputs = expected(case.operator, arguments)
    if not all(np.isfinite(output).all() for output in outputs) or case.case.id.startswith("wide"):
        return
    # Without that, a difference may cross a point where the function has no derivative. The oracle of the backward
    # operator judges such gradients.
    smooth = getattr(
        cases_module(case.operator), "SMOOTH", [name for g in spec.backward for name in g.inputs]
    )
    rng = np.random.default_rng(0)
    cotangents = [rng.standard_normal(output.shape) for output in outputs]
    values = {p.name: p.default_value() for p in spec.visible if p.has_default}
    values |= {**arguments, **dict(zip(spec.outputs, outputs, strict=True))}
    values |= {f"grad_{name}": grad for name, grad in zip(spec.outputs, cotangents, strict=True)}
    for gradient in spec.backward:
        backward = getattr(reference, gradient.operator)
        grads = as_tuple(backward(*(argument.evaluate(values) for argument in gradient.arguments)))
        for name, grad in zip(gradient.inputs, grads, strict=True):
            if name not in smooth or arguments.get(name) is None:
                continue
            line, step = rng.standard_normal(arguments[name].shape), 1e-6
            ahead = expected(case.operator, {**arguments, name: arguments[name] + step * line})
            behind = expected(case.operator, {**arguments, name: arguments[name] - step * line})
            rows = zip(ahead, behind, cotangents, strict=True)
            want = sum(float(((a - b) / (2 * step) * g).sum()) for a, b, g in rows)
            scale = 1 + float(np.linalg.norm(line) * np.linalg.norm(grad))
            # Where elements of a maximum are equal, the derivatives to the left and to the right differ, and neither
            # is wrong.
            if any(
                (np.abs(a + b - 2 * o) > 1e-2 * step).any()
                for a, b, o in zip(ahead, behind, outputs, strict=True)
            ):
                continue
            assert float((grad * line).sum()) == pytest.approx(want, abs=1e-6 * scale)


# --- the torch operator


def gradients(function, case: BoundCase, dtype):
    """Computes gradients of a random linear function of the results, for the tensors that have a gradient."""
    import torch

    tensors = as_torch(case.arguments())
    tensors = {
        k: v.to(dtype if v.is_floating_point() else v.dtype).clone() if isinstance(v, torch.Tensor) else v
        for k, v in tensors.items()
    }
    names = {name for gradient in spec_of(case.operator).backward for name in gradient.inputs}
    leaves = [v.requires_grad_() for k, v in tensors.items() if isinstance(v, torch.Tensor) and k in names]
    generator = torch.Generator().manual_seed(0)
    results = function(**tensors)
    if results is None:
        return None
    results = as_tuple(results)
    loss = sum((r * torch.randn(r.shape, generator=generator).to(dtype)).sum() for r in results)
    return (
        torch.autograd.grad(loss, leaves) if loss.requires_grad else None
    )  # the oracle need not be written in torch


@pytest.mark.differentiable
def test_torch_autograd_against_oracle(operator):
    """loss.backward() gives the same through our operator as through the oracle."""
    import torch

    from ascend_vision_ops import ops
    from ascend_vision_ops.testing.torch_calls import small_calls

    oracle = oracle_of(operator)
    for case, _ in small_calls(operator, 20):
        theirs = gradients(oracle, case, torch.float64)
        if theirs is None:
            continue
        for dtype, bound in ((torch.float32, 1e-5), (torch.float64, 1e-12)):
            ours = gradients(getattr(ops, operator), case, dtype)
            for our, their in zip(ours, theirs, strict=True):
                largest = 1 + their.abs().max().item()
                torch.testing.assert_close(our.double(), their, rtol=bound, atol=bound * largest)


# --- the faces


def test_faces_have_one_signature(operator):
    """Reference, cpu, aclnn and torch take the parameters of the schema, in its order, with its defaults."""
    import inspect

    import ascend_vision_ops as avo

    def plain(default):
        return list(default) if isinstance(default, tuple) else default

    schema = {
        p.name: p.default if p.has_default else inspect.Parameter.empty for p in spec_of(operator).visible
    }
    for face in (reference, avo.cpu, avo.ops, avo, *([avo.aclnn] if spec_of(operator).on_device else [])):
        parameters = inspect.signature(getattr(face, operator)).parameters
        found = {name: plain(p.default) for name, p in parameters.items() if name != "out"}
        assert list(found.items()) == list(schema.items()), face.__name__


def test_dtypes_of_results(operator):
    """Each combination of dtypes that the contract allows runs and returns the dtypes that the contract states."""
    spec = spec_of(operator)
    for case in {tuple(case.dtypes.items()): case for case in reversed(cases_of(operator))}.values():
        if any(name in case.dtypes for name in spec.outputs):
            continue  # run with the caller's arrays in `test_op`
        for name, result in zip(spec.outputs, run(operator, "cpu", case.arguments()), strict=True):
            assert result.dtype == numpy_dtype(spec.dtype_of(name, case.dtypes))
