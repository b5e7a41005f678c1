# SPDX-License-Identifier: Apache-2.0
"""Every torch operator under torch.compile, torch.export, autocast and torch.func, on CPU tensors.

Nothing here names an operator: the tests find the contracts and make calls from them (testing/torch_checks.py).
"""

from __future__ import annotations

import dataclasses

import pytest
import torch
import torch._inductor.config
from torch.autograd.gradcheck import GradcheckError

from ascend_vision_ops import _transforms, operators
from ascend_vision_ops.testing import torch_checks as checks
from ascend_vision_ops.testing import torch_results as results
from ascend_vision_ops.testing.run import spec_of
from ascend_vision_ops.testing.torch_calls import TorchCall

CPU, META = torch.device("cpu"), torch.device("meta")
OPERATORS = operators()
COMPUTING = [operator for operator in OPERATORS if not spec_of(operator).composite]
DIFFERENTIABLE = [operator for operator in OPERATORS if spec_of(operator).backward]
FORMATTED = [operator for operator in OPERATORS if spec_of(operator).memory_format]


@pytest.fixture(scope="module", autouse=True)
def caches(tmp_path_factory):
    """Compilers keep their caches in the folder of the test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path_factory.mktemp("inductor")))
        patch.setattr(torch._inductor.config, "compile_threads", 1)
        yield


@pytest.mark.parametrize("operator", OPERATORS)
def test_opcheck(operator):
    checks.opcheck(operator, CPU)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_compile(operator, backend):
    checks.compiled(operator, CPU, backend)


@pytest.mark.parametrize("operator", OPERATORS)
def test_graphs_have_the_operator(operator):
    # Wrappers take a shorter way to the kernels. A graph must not show it, because passes and exporters look for the
    # operator.
    checks.in_graphs(operator, CPU)


@pytest.mark.parametrize("operator", OPERATORS)
def test_dynamic_shapes(operator):
    checks.dynamic(operator, CPU)


@pytest.mark.parametrize("operator", OPERATORS)
def test_export(operator):
    checks.exported(operator, CPU)


@pytest.mark.parametrize("operator", OPERATORS)
def test_autocast(operator):
    checks.autocast(operator, CPU, torch.bfloat16)


@pytest.mark.parametrize("operator", OPERATORS)
def test_vmap(operator):
    checks.vmap(operator, CPU)


@pytest.mark.parametrize("operator", DIFFERENTIABLE)
def test_jacobians(operator):
    checks.jacobians(operator, CPU)


@pytest.mark.parametrize("operator", DIFFERENTIABLE)
def test_gradcheck(operator):
    checks.gradcheck(operator, CPU)


@pytest.mark.parametrize("operator", sorted(set(COMPUTING) - set(DIFFERENTIABLE)))
def test_no_gradient(operator):
    checks.no_gradient(operator, CPU)


@pytest.mark.parametrize("operator", COMPUTING)
def test_refusals(operator):
    checks.refusals(operator, CPU, META)


# --- results in the caller's tensors


@pytest.mark.parametrize("operator", COMPUTING)
def test_out(operator):
    results.written(operator, CPU)
    results.chosen(operator, CPU)
    results.inference(operator, CPU)


@pytest.mark.parametrize("operator", FORMATTED)
def test_memory_format(operator):
    results.memory_format(operator, CPU)


@pytest.mark.parametrize("operator", COMPUTING)
def test_out_refusals(operator):
    results.refusals(operator, CPU)
    results.overlaps(operator, CPU)
    results.without_gradient(operator, CPU)
    results.vmap(operator, CPU)


@pytest.mark.parametrize("operator", COMPUTING)
def test_out_opcheck(operator):
    results.opcheck(operator, CPU)


@pytest.mark.parametrize("operator", COMPUTING)
def test_out_compiled(operator):
    # Inductor is left out: it compiles the operator itself, which `test_compile` tests, and a copy.
    results.compiled(operator, CPU, "aot_eager")


# --- the checks find operators that do not keep their promises


def test_check_of_graphs_sees_what_a_composite_calls(monkeypatch):
    monkeypatch.setattr(_transforms, "is_compiling", lambda: False)
    composite = next(operator for operator in OPERATORS if operator not in COMPUTING)
    with pytest.raises(AssertionError, match="a graph of"):
        checks.in_graphs(composite, CPU)


def test_check_of_vmap_counts_calls(monkeypatch):
    operator = next(name for name in OPERATORS if spec_of(name).folds)
    spec = dataclasses.replace(spec_of(operator), folds=[])
    monkeypatch.setattr(checks, "spec_of", lambda name: spec)
    with pytest.raises(AssertionError, match="1 calls, expected 3"):
        checks.vmap(operator, CPU)


def test_check_of_autocast_sees_the_other_policy(monkeypatch):
    operator = next(name for name in DIFFERENTIABLE if spec_of(name).autocast == "float32")
    spec = dataclasses.replace(spec_of(operator), autocast="widest")
    monkeypatch.setattr(checks, "spec_of", lambda name: spec)
    with pytest.raises(AssertionError, match="dtype"):
        checks.autocast(operator, CPU, torch.bfloat16)


def test_check_of_gradients_sees_a_wrong_one(monkeypatch):
    operator = DIFFERENTIABLE[0]
    right = TorchCall.function

    def wrong(self, *tensors, **options):
        return tuple(result + tensors[0].detach().sum() for result in right(self, *tensors, **options))

    monkeypatch.setattr(TorchCall, "function", wrong)
    with pytest.raises(GradcheckError):
        checks.gradcheck(operator, CPU)


def test_check_of_refusals_sees_another_parameter_named(monkeypatch):
    operator = COMPUTING[0]

    def vague(**arguments):
        raise RuntimeError(f"{operator}: something: expected else, got this")

    monkeypatch.setattr(checks.ops, operator, vague)
    with pytest.raises(AssertionError, match="Regex pattern did not match"):
        checks.refusals(operator, CPU)


def test_check_of_out_sees_a_byte_beside_the_result(monkeypatch):
    operator = DIFFERENTIABLE[0]
    right = getattr(results.ops, operator)

    def spills(*, out=None, **arguments):
        returned = right(**arguments, out=out)
        if out is not None and out.untyped_storage().nbytes() > out.nbytes:
            out.as_strided((out.untyped_storage().nbytes() // out.itemsize,), (1,), 0)[-1] = 0
        return returned

    monkeypatch.setattr(results.ops, operator, spills)
    with pytest.raises(AssertionError, match="bytes beside were written"):
        results.written(operator, CPU)


def test_check_of_memory_format_sees_the_other_one(monkeypatch):
    operator = FORMATTED[0]
    right = TorchCall.function

    def dense(self, *tensors, **options):
        return tuple(result.contiguous() for result in right(self, *tensors, **options))

    monkeypatch.setattr(TorchCall, "function", dense)
    with pytest.raises(AssertionError, match="out: strides"):
        results.memory_format(operator, CPU)


def test_check_of_out_sees_other_tensors(monkeypatch):
    operator = COMPUTING[0]
    right = getattr(results.ops, operator)
    monkeypatch.setattr(results.ops, operator, lambda out=None, **arguments: right(**arguments))
    with pytest.raises(AssertionError, match="other tensors"):
        results.written(operator, CPU)


@pytest.mark.parametrize("check", [results.written, results.inference, results.opcheck])
def test_check_of_out_sees_a_version_that_stays(monkeypatch, check):
    monkeypatch.setattr(_transforms, "_increment_version", lambda results: None)
    with pytest.raises(AssertionError, match="version"):
        check(COMPUTING[0], CPU)
