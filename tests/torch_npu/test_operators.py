# SPDX-License-Identifier: Apache-2.0
"""Our operators on npu tensors: results, gradients, streams, graphs, compilation. Names no operator but as a sample."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import torch

import ascend_vision_ops as avo
from ascend_vision_ops.testing.compare import compare
from ascend_vision_ops.testing.run import (
    as_tuple,
    cases_of,
    expected,
    from_torch,
    spec_of,
    takes,
    to_torch,
    tolerance_of,
)

SAMPLES = 6  # cases an operator and dtype: the kernels are those of the aclnn face, which runs them all


def samples():
    for operator in avo.operators():
        spec = spec_of(operator)
        kept = [case for case in cases_of(operator) if takes("torch", case) and takes("aclnn", case)]
        for dtype in {tuple(case.dtypes.items()): case for case in kept}:
            cases = [case for case in kept if tuple(case.dtypes.items()) == dtype]
            small = [
                case
                for case in cases
                if sum(getattr(v, "size", 0) for v in case.arguments().values()) < 20_000
            ]
            yield from [(spec, case) for case in small[:SAMPLES]]


@pytest.mark.parametrize(("spec", "case"), list(samples()), ids=lambda value: getattr(value, "text", ""))
def test_results(npu, spec, case):
    tensors = {
        k: to_torch(v).to(npu) if isinstance(v, np.ndarray) else v for k, v in case.arguments().items()
    }
    try:
        results = as_tuple(getattr(avo, spec.name)(**tensors))
    except RuntimeError as error:
        if "expected the default on npu" in str(error):
            pytest.skip(str(error))
        raise
    for name, result, want in zip(spec.outputs, results, expected(spec.name, case.arguments()), strict=True):
        assert result.device == npu
        dtype = spec.dtype_of(name, case.dtypes)
        tolerance = tolerance_of(spec, dtype, case.arguments())
        verdict = compare(from_torch(result.cpu()), want, from_torch(result.cpu()).dtype, tolerance)
        assert verdict.ok, f"{name}: {verdict.message}"


def test_gradients(npu):
    x = torch.randn(2, 3, 8)
    near, far = x.clone().requires_grad_(), x.to(npu).requires_grad_()
    for leaf in (near, far):
        avo.upsample_linear1d(leaf, [20]).square().sum().backward()
    torch.testing.assert_close(far.grad.cpu(), near.grad)


def test_errors_are_raised_at_the_call(npu):
    with pytest.raises(RuntimeError, match=r"output_size: expected output_size\[0\] > 0, got \[-1\]"):
        avo.upsample_linear1d(torch.ones(1, 2, 3, device=npu), [-1])


@pytest.mark.parametrize(
    "layout", [lambda x: x.transpose(0, 1), lambda x: x[:, ::2], lambda x: x.expand(4, -1, -1)]
)
def test_views(npu, layout):
    x = torch.randn(1, 4, 9)
    torch.testing.assert_close(
        avo.upsample_linear1d(layout(x.to(npu)), [13]).cpu(), avo.upsample_linear1d(layout(x), [13])
    )


def test_opcheck(npu):
    x = torch.randn(2, 3, 8, device=npu)
    # Not test_autograd_registration: it knows no device type npu.
    utilities = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
    torch.library.opcheck(
        torch.ops.ascend_vision_ops.upsample_linear1d.default, (x, [9]), test_utils=utilities
    )


def test_capture_and_replay(npu):
    source, graph = torch.randn(2, 3, 8, device=npu), torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        result = avo.upsample_linear1d(source, [16])
    other = torch.randn(2, 3, 8)
    source.copy_(other)
    graph.replay()
    torch.npu.synchronize()
    torch.testing.assert_close(result.cpu(), avo.upsample_linear1d(other, [16]))


@pytest.mark.parametrize("backend", ["aot_eager", "npugraphs"])
def test_compile(npu, backend):
    x = torch.randn(2, 3, 8)
    torch._dynamo.reset()
    compiled = torch.compile(lambda t: avo.upsample_linear1d(t, [9]) * 2, backend=backend, fullgraph=True)
    torch.testing.assert_close(compiled(x.to(npu)).cpu(), 2 * avo.upsample_linear1d(x, [9]))


def slow_then_read(npu, wait: bool) -> bool:
    """Whether a second stream that reads what a first one writes sees the result."""
    far, side = torch.randn(8, 64, 1024).to(npu), torch.npu.Stream()
    target = torch.zeros(8, 64, 2048, device=npu)
    torch.npu.synchronize()
    for _ in range(10):  # so that the stream is behind, however busy this machine is
        result = avo.upsample_linear1d(far, [2048])
    target.copy_(result)
    with torch.npu.stream(side):
        if wait:
            side.wait_stream(torch.npu.default_stream())
        seen = target.clone()
    torch.npu.synchronize()
    return torch.equal(seen.cpu(), target.cpu())


def test_a_missing_wait_shows(npu):
    assert sum(slow_then_read(npu, wait=False) for _ in range(5)) <= 1
    assert all(slow_then_read(npu, wait=True) for _ in range(5))


def test_many_calls_from_two_threads_leave_nothing_behind(npu):
    x = torch.randn(2, 3, 50)
    wanted, maxima = avo.upsample_linear1d(x, [80]), avo.cummax(x, 2)[0]
    torch.npu.synchronize()
    before, wrong = torch.npu.memory_allocated(), []

    def work():
        torch.npu.set_device(0)
        with torch.npu.stream(torch.npu.Stream()):
            far = x.to(npu)
            for _ in range(250):
                one, other = avo.upsample_linear1d(far, [80]), avo.cummax(far, 2)[0]
            wrong.append(not torch.allclose(one.cpu(), wanted) or not torch.equal(other.cpu(), maxima))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    torch.npu.synchronize()
    assert wrong == [False, False]
    assert torch.npu.memory_allocated() == before
