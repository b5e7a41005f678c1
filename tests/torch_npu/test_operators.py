# SPDX-License-Identifier: Apache-2.0
"""Our operators on npu tensors: results, gradients, streams, graphs and compilation. Operators are named only as
samples.
"""

from __future__ import annotations

import gc
import math
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
    smallest_call,
    spec_of,
    takes,
    to_torch,
    tolerance_of,
)

SAMPLES = 6  # cases of an operator and dtype; the aclnn face runs all cases on the same kernels


def samples():
    for operator in avo.operators():
        spec = spec_of(operator)
        kept = [
            case
            for case in cases_of(operator)
            if takes("aclnn", case) and not case.dtypes.keys() & set(spec.outputs)
        ]
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


def on(npu, arguments):
    return {k: v.to(npu) if isinstance(v, torch.Tensor) else v for k, v in arguments.items()}


def test_capture_and_replay(npu):
    source, graph = torch.randn(2, 3, 8, device=npu), torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        result = avo.upsample_linear1d(source, [16])
    other = torch.randn(2, 3, 8)
    source.copy_(other)
    graph.replay()
    torch.npu.synchronize()
    torch.testing.assert_close(result.cpu(), avo.upsample_linear1d(other, [16]))


@pytest.mark.parametrize("operator", [name for name in avo.operators() if not spec_of(name).on_device])
def test_an_operator_without_a_kernel_says_so(npu, operator):
    arguments, called = on(npu, smallest_call(operator)), spec_of(operator).composite or operator
    first = spec_of(called).tensors[0].name
    message = (
        f"{called}: {first}: expected a tensor on cpu, got one on npu; the operator has no AscendC kernel yet"
    )
    with pytest.raises(RuntimeError, match=message):
        getattr(avo, operator)(**arguments)


@pytest.mark.parametrize("operator", [name for name in avo.operators() if spec_of(name).has_kernel])
def test_a_replay_equals_an_eager_call(npu, operator):
    arguments, graph = on(npu, smallest_call(operator)), torch.npu.NPUGraph()
    function = getattr(avo, operator)
    eager = as_tuple(function(**arguments))
    with torch.npu.graph(graph):
        captured = as_tuple(function(**arguments))
    for result in captured:
        result.zero_()
    graph.replay()
    torch.npu.synchronize()
    for ours, theirs in zip(captured, eager, strict=True):
        assert torch.equal(ours.cpu().nan_to_num(7), theirs.cpu().nan_to_num(7))


def slow_then_read(npu, wait: bool) -> bool:
    """Says whether a second stream sees the result that a first stream writes."""
    far, side = torch.randn(8, 16, 512).to(npu), torch.npu.Stream()
    target = torch.zeros(8, 16, 1024, device=npu)
    torch.npu.synchronize()
    for _ in range(10):  # the stream is late, however busy this machine is
        result = avo.upsample_linear1d(far, [1024])
    target.copy_(result)
    with torch.npu.stream(side):
        if wait:
            side.wait_stream(torch.npu.default_stream())
        seen = target.clone()
    torch.npu.synchronize()
    return torch.equal(seen.cpu(), target.cpu())


RUNS = 20


def test_a_missing_wait_shows(npu):
    assert sum(slow_then_read(npu, wait=False) for _ in range(RUNS)) < RUNS / 2


def test_a_wait_is_enough(npu):
    assert sum(slow_then_read(npu, wait=True) for _ in range(RUNS)) == RUNS


def mixed_calls():
    """Gives a call of each of our operators and of some of torch_npu, by name: a function, and arguments on the CPU."""
    x, y = torch.rand(4, 6) + 0.1, torch.rand(4, 6) + 0.1
    image, weight = torch.rand(1, 2, 6, 6), torch.rand(3, 2, 3, 3)
    builtin = {
        "add": (torch.add, {"input": x, "other": y}),
        "matmul": (torch.matmul, {"input": x, "other": y.t().contiguous()}),
        "sum": (torch.sum, {"input": x, "dim": 1}),
        "sort": (torch.sort, {"input": x, "stable": True}),
        "where": (torch.where, {"condition": x > 0.5, "input": x, "other": y}),
        "masked_select": (torch.masked_select, {"input": x, "mask": y > 0.5}),
        "softmax": (torch.softmax, {"input": x, "dim": 1}),
        "index_select": (torch.index_select, {"input": x, "dim": 0, "index": torch.tensor([2, 0])}),
        "conv2d": (torch.conv2d, {"input": image, "weight": weight}),
        "half": (torch.Tensor.half, {"self": x}),
    }
    ours = [name for name in avo.operators() if spec_of(name).on_device]
    return builtin | {name: (getattr(avo, name), smallest_call(name)) for name in ours}


def test_many_calls_from_two_threads_leave_nothing_behind(npu):
    calls = mixed_calls()
    torch.npu.synchronize()
    before, failures = torch.npu.memory_allocated(), []

    def work(step: int, count: int):
        torch.npu.set_device(0)
        with torch.npu.stream(torch.npu.Stream()):
            far = {name: (function, on(npu, arguments)) for name, (function, arguments) in calls.items()}
            names, first = list(far), {}
            for turn in range(count):
                name = names[turn * step % len(names)]
                function, arguments = far[name]
                results = as_tuple(function(*arguments.values()) if name == "half" else function(**arguments))
                # The first result of each call and some later ones, after other calls ran in between.
                if name in first and turn % 7 == 0:
                    same = all(
                        torch.equal(a.cpu().nan_to_num(7), b.nan_to_num(7))
                        for a, b in zip(results, first[name], strict=True)
                    )
                    failures.extend([] if same else [name])
                elif name not in first:
                    first[name] = [result.cpu() for result in results]
            missing.extend(set(names) - set(first))

    missing: list[str] = []
    # The steps have no divisor in common with the number of calls, so each thread makes all calls in an order of its
    # own.
    steps = [step for step in range(1, 100) if math.gcd(step, len(calls)) == 1][1:3]
    threads = [threading.Thread(target=work, args=(step, 500)) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    torch.npu.synchronize()
    gc.collect()
    assert failures == missing == []
    assert torch.npu.memory_allocated() == before
